"""The tables of pages that come from the code. --write renews them: `make generate`."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from fairshoe.bench.step_kinds import FIGURES, KINDS, MECHANISMS
from fairshoe.boards import lines
from fairshoe.cli import registry, settings
from fairshoe.errors import Exit
from fairshoe_floor.api.scopes import SCOPES

FULL = ("opacity", "dark")  # needed for count assurance full
ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def commands() -> str:
    rows = ["| | command | what it does |", "|---|---|---|"]
    for title, group in registry.GROUPS.items():
        for number, (name, about) in enumerate(group.items()):
            rows.append(f"| {title if not number else ''} | `fairshoe {name}` | {about} |")
            rows += [f"|  | `fairshoe {name} {each}` | {what} |" for each, what in registry.BELOW.get(name, {}).items()]
    return "\n".join(rows)


def settings_table() -> str:
    rows = ["| in the file | in the environment | as an argument | meaning |", "|---|---|---|---|"]
    flags = {each: f"`{each.flag}`" if each.has_flag else "none" for each in settings.SETTINGS}
    rows += [f"| `{each.name}` | `{each.variable}` | {flag} | {each.about} |" for each, flag in flags.items()]
    return "\n".join(rows)


def exit_codes() -> str:
    rows = ["| status | meaning |", "|---|---|"]
    rows += [f"| {code:d} | {code.meaning} |" for code in Exit]
    return "\n".join(rows)


def step_kinds() -> str:
    rows = ["| kind | what is done | arguments (default) | mechanisms | figures |", "|---|---|---|---|---|"]
    for name, kind in KINDS.items():
        arguments = ", ".join(f"`{word}` ({value})" for word, value in kind.arguments.items()) or "none"
        mechanisms = "all" if kind.applies == MECHANISMS else ", ".join(kind.applies)
        figures = ", ".join(f"`{figure}`" for figure in kind.figures)
        rows.append(f"| `{name}` | {kind.about} | {arguments} | {mechanisms} | {figures} |")
    return "\n".join(rows)


def figures_table() -> str:
    rows = ["| figure | what it is | unit |", "|---|---|---|"]
    rows += [f"| `{name}` | {figure.label} | {figure.unit} |" for name, figure in FIGURES.items()]
    return "\n".join(rows)


def lines_table() -> str:
    """Which lines each mechanism needs, without those of the panel, which every board has."""
    rows = [f"| line | {' | '.join(MECHANISMS)} |", "|---|" + "---|" * len(MECHANISMS)]
    for group, listed in lines.GROUPS.items():
        for line in listed:
            if line.panel and line.needed_by:
                continue
            other = "full" if line.name in FULL else "no" if line.needed_by else "may"
            cells = ["yes" if kind in line.needed_by else other for kind in MECHANISMS]
            rows.append(f"| `{group}.{line.name}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def scopes() -> str:
    rows = ["| scope | what it may read |", "|---|---|"]
    rows += [f"| `{name}` | {about} |" for name, about in SCOPES.items()]
    return "\n".join(rows)


def set_ups() -> str:
    """The rows of set_ups.json: what they are about, and what the rules say."""
    data = json.loads((ROOT / "game_profiles" / "set_ups.json").read_text(encoding="utf-8"))
    rows = ["| set-up | verdict | clauses |", "|---|---|---|"]
    for row in data["rows"]:
        about = "; ".join(f"{name} {_choices(row[name])}" for name in row if name not in ("lawful", "refused", "why"))
        verdict = f"refused: {row['why']}" if "refused" in row else "lawful"
        rows.append(f"| {about} | {verdict} | {', '.join(row.get('refused') or row['lawful'])} |")
    return "\n".join(rows)


def _choices(values: list[object]) -> str:
    return ", ".join("yes" if value is True else f"`{value}`" for value in values)


PAGES: dict[str, dict[str, Callable[[], str]]] = {
    "CLI.md": {"commands": commands, "settings": settings_table, "exit codes": exit_codes},
    "BOARDS.md": {"lines": lines_table},
    "GAMES.md": {"set-ups": set_ups},
    "FLOOR.md": {"scopes": scopes},
    "BENCH.md": {"kinds of step": step_kinds, "figures": figures_table},
}


def renewed(page: str) -> str:
    """The page with its tables as the code has them."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, table in PAGES[page].items():
        shape = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
        if not shape.search(text):
            raise SystemExit(f"docs/{page} has no place for the table of {name}")
        text = shape.sub(lambda found, table=table: f"{found[1]}\n{table()}\n\n{found[2]}", text)
    return text


def late() -> list[str]:
    """The pages whose tables are not as the code has them."""
    return [page for page in PAGES if renewed(page) != (DOCS / page).read_text(encoding="utf-8")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew the pages; without it only say which are late")
    options = parser.parse_args()
    pages = late()
    for page in pages:
        if options.write:
            (DOCS / page).write_text(renewed(page), encoding="utf-8")
        else:
            print(f"docs/{page} is not as the code has it: run make generate", file=sys.stderr)
    return 1 if pages and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
