"""The five games: for each an immutable round, and the lines of its settlement as far as the round has come."""
