"""The tables of docs/CLI.md that come from the code: commands, settings, exit codes. --write renews them."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from fairshoe.cli import command_line, settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "CLI.md"


def commands() -> str:
    rows = ["| | command | what it does |", "|---|---|---|"]
    for title, group in command_line.groups().items():
        for number, (name, about) in enumerate(group.items()):
            rows.append(f"| {title if not number else ''} | `fairshoe {name}` | {about} |")
    return "\n".join(rows)


def settings_table() -> str:
    rows = ["| in the file | in the environment | as an argument | meaning |", "|---|---|---|---|"]
    rows += [f"| `{each.name}` | `{each.variable}` | `{each.flag}` | {each.about} |" for each in settings.SETTINGS]
    return "\n".join(rows)


def exit_codes() -> str:
    rows = ["| status | meaning |", "|---|---|"]
    rows += [f"| {code} | {words} |" for code, words in command_line.exit_codes().items()]
    return "\n".join(rows)


TABLES = {"commands": commands, "settings": settings_table, "exit codes": exit_codes}


def renewed(text: str) -> str:
    """The page with its tables as the code has them."""
    for name, table in TABLES.items():
        shape = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
        if not shape.search(text):
            raise SystemExit(f"{PAGE.name} has no place for the table of {name}")
        text = shape.sub(lambda found, table=table: f"{found[1]}\n{table()}\n\n{found[2]}", text)
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew the page; without it only say whether it is right")
    options = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    if renewed(text) == text:
        return 0
    if not options.write:
        print("docs/CLI.md is not as the code has it: run make generate", file=sys.stderr)
        return 1
    PAGE.write_text(renewed(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
