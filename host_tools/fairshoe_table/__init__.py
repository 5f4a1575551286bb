"""A reference table system on the public library of fairshoe: plays and settles the five games.

Read it as an example of the other side of the link. It is no certified system: docs/TABLE.md says what is missing.
Seven packages, from the bottom up: rules, play, games, books, table, desk, and beside them simulated. A package imports
only those before it, no package imports simulated, and games are found by name.
"""
