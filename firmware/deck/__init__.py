"""What is true of the cards whatever the mechanism: how many are where, and in which random order they go in."""
