"""Compares the clauses of rules/ with the tests that claim to prove them, and writes docs/RULES.md.

    make trace [WRITE=1]

claims.py reads clauses and claims; page.py writes docs/RULES.md.
"""
