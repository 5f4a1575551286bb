"""The table's books: inputs, lines, transfers, accounts and meters in one SQLite file."""
