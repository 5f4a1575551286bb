"""A reference table system on the public library of fairshoe: plays and settles the five games.

Read it as an example of the other side of the link. It is no certified system: docs/TABLE.md says what is missing.
The core (money, cards, poker, pay_tables, games) is pure; engine and books tie it to a shoe and to a disk.
"""
