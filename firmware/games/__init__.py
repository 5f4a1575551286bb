"""Games as data, and the one procedure that plays them."""
