"""Sets the clauses of rules/ against the tests that prove them: clause by clause the rule and its tests.

    PYTHONPATH=tools .venv/bin/python -m rules [--json] [--write]

Exit status 0 when every clause is proved or excepted in every mode it binds and nothing is wrong with what tests claim,
else 1. `--write` renews docs/RULES.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rules.claims import ROOT, Trace, read_trace, summary
from rules.page import page


def lines_of(trace: Trace) -> Iterator[str]:
    """The report for a terminal."""
    for clause in trace.clauses.values():
        yield f"{clause.id}  {clause.topic}  {', '.join(clause.modes)}"
        yield textwrap.fill(clause.device, 110, initial_indent="    ", subsequent_indent="    ")
        for claim in clause.claims:
            yield f"    {'~' if claim.part else '+'} {claim.name} ({', '.join(claim.modes)})"
        for mode, why in clause.excepted.items():
            yield f"    = excepted in {mode}: {why}"
        if clause.why:
            continue
        if not clause.claims:
            yield "    ! no test"
        elif not clause.proved:
            yield "    ! only in part"
        elif clause.modes_missing:
            yield f"    ! not in {', '.join(clause.modes_missing)}"
    yield ""
    yield from by_mode(trace)
    for problem in trace.problems:
        yield f"WRONG {problem}"
    missing = " ".join(clause.id for clause in trace.missing())
    if missing:
        yield textwrap.fill(f"missing: {missing}", 118, subsequent_indent="  ")
    for clause in trace.in_some_modes():
        yield f"not in every mode: {clause.id} lacks {', '.join(clause.modes_missing)}"
    yield summary(trace)


def by_mode(trace: Trace) -> Iterator[str]:
    """Games and dealing modes: of the clauses that bind there, those that a test proves there."""
    clauses = trace.clauses.values()
    modes = list(dict.fromkeys(mode for clause in clauses for mode in clause.modes))
    yield "".join(f"{word:>16s}" for word in ["", *modes])
    for game in dict.fromkeys(clause.game for clause in clauses):
        cells: list[str] = []
        for mode in modes:
            bound = [clause for clause in clauses if clause.game == game and mode in clause.modes]
            proved = [it for it in bound if it.proved and mode not in (*it.modes_missing, *it.excepted)]
            cells.append(f"{len(proved)} of {len(bound)}" if bound else "-")
        yield "".join(f"{word:>16s}" for word in [game, *cells])


def as_json(trace: Trace) -> dict[str, Any]:
    return {
        "clauses": [
            {
                "id": clause.id,
                "game": clause.game,
                "topic": clause.topic,
                "device": clause.device,
                "modes": list(clause.modes),
                "proved": clause.proved,
                "modes_missing": clause.modes_missing,
                "exceptions": clause.excepted,
                "tests": [
                    {"name": claim.name, "in_part": claim.part, "modes": list(claim.modes)} for claim in clause.claims
                ],
            }
            for clause in trace.clauses.values()
        ],
        "missing": [clause.id for clause in trace.missing()],
        "in_part": [clause.id for clause in trace.in_part()],
        "problems": trace.problems,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("rules", description="Which test proves which clause of the rules.")
    parser.add_argument("--json", action="store_true", help="the same for a program")
    parser.add_argument("--write", action="store_true", help="renew docs/RULES.md")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    trace = read_trace(options.root)
    if options.write:
        (options.root / "docs" / "RULES.md").write_text(page(trace), encoding="utf-8")
    if options.json:
        print(json.dumps(as_json(trace), indent=1))
    else:
        print("\n".join(lines_of(trace)))
    return 1 if trace.problems or trace.missing() or trace.in_some_modes() else 0


if __name__ == "__main__":
    sys.exit(main())
