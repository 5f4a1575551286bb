"""Double Attack Blackjack: a game whose cards are drawn by hand from a shoe."""
