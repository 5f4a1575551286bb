"""Double Attack Blackjack."""
