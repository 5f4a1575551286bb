"""Cards, hands, money, pay tables, lines of a settlement, meters and rulings: pure values that know no game."""
