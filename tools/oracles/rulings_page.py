"""Write the table of rulings in docs/TABLE.md from rulings.json: `python -m oracles.rulings_page`."""

from __future__ import annotations

from pathlib import Path

from fairshoe_table.rules.rulings import RULINGS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "TABLE.md"
BEGIN, END = "<!-- rulings: begin", "<!-- rulings: end -->"


def table() -> str:
    rows = ["| ruling | clause | the text | decided |", "|---|---|---|---|"]
    rows += [f"| `{it.id}` | {it.clause} | {it.question} | {it.decision} |" for it in RULINGS.values()]
    return "\n".join(rows)


def page(text: str) -> str:
    """The page with its table renewed."""
    first = text.index("\n", text.index(BEGIN)) + 1
    return f"{text[:first]}\n{table()}\n\n{text[text.index(END) :]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
