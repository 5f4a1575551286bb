"""The law of a game as a page of the site, made from its rows: clause by clause the rule, and the rows that show it."""

from __future__ import annotations

from rules.claims import read_clauses

from rig.law import law_of

TOP = """# The law of {game}

What each clause comes to at a table. A row begins with its clauses and the dealing modes in which it is played; `*` is
in part. Then comes what is done and, behind `->`, what the device reports, and nothing else. With columns (`each`) it
is played once for each value. The gate is red while one comes otherwise. The [rules](../RULES.md) have all clauses.
"""
NO_CLAUSE = "No clause of the rules: what the house orders where they are silent."


def law_page(game: str) -> str:
    clauses = read_clauses()
    parts: dict[str, list[str]] = {}
    for row in law_of(game):
        rule = clauses[row.clause].device if row.clause in clauses else NO_CLAUSE
        part = parts.setdefault(row.clause, [f"## {row.clause}", rule])
        part.append("\n".join([f"**{row.sentence}**", "", "```text", *row.text, "```"]))
    title = TOP.format(game=game.replace("-", " ").title())
    return "\n\n".join([title, *(text for part in parts.values() for text in part)])
