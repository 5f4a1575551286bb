"""Caribbean Stud Poker."""
