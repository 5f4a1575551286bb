"""Breaks one thing after the other and says what no test has noticed.

    PYTHONPATH=tools .venv/bin/python -m mutants --rules [--seed N] [--minutes M] [--verbose]

Exit status 0 when every mutant that was tried is caught, or shown in equivalent.json to change nothing; else 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from mutants.copied_tree import copied_tree
from mutants.mutant import Mutant
from mutants.rules import PROFILES, rule_mutants

EQUIVALENT = Path(__file__).with_name("equivalent.json")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("mutants", description="Change one value at a time: which test notices?")
    parser.add_argument("--rules", action="store_true", required=True, help="values of game profiles and house policy")
    parser.add_argument("--seed", type=int, help="try them in this order; without it, as the files have them")
    parser.add_argument("--minutes", type=float, default=0, help="of processor time, then stop (0: try all)")
    parser.add_argument("--only", default="", help="only mutants whose name has this")
    parser.add_argument("--verbose", action="store_true", help="say for every mutant which test noticed")
    options = parser.parse_args(arguments)
    every = list(rule_mutants())
    chosen = [mutant for mutant in every if options.only in mutant.name]
    if options.seed is not None:
        random.Random(options.seed).shuffle(chosen)
    known = {entry["mutant"]: entry["why"] for entry in json.loads(EQUIVALENT.read_text(encoding="utf-8"))}
    problems = [f"equivalent.json: there is no mutant {name}" for name in known.keys() - {m.name for m in every}]
    tried, caught, equivalent = 0, 0, 0
    for mutant, caught_by in judged(chosen, options.minutes * 60):
        tried += 1
        caught += bool(caught_by)
        equivalent += not caught_by and mutant.name in known
        if caught_by and mutant.name in known:
            problems.append(f"equivalent.json: {mutant.name} is caught by {caught_by}")
        elif not caught_by and mutant.name not in known:
            problems.append(f"SURVIVED {mutant.name}: no test of {mutant.about} fails ({len(mutant.tests)} were run)")
        if options.verbose:
            print(f"{mutant.name}: {caught_by or known.get(mutant.name, 'survived')}", flush=True)
    print("\n".join(problems), end="\n" if problems else "")
    rest = tried - equivalent
    rate = f"{100 * caught / rest:.1f} %" if rest else "none"
    print(
        f"{tried} of {len(chosen)} mutants of rules: {caught} caught by a test that names the clause, "
        f"{rest - caught} survived, {equivalent} equivalent; catch rate {rate}"
    )
    return 1 if problems else 0


def judged(mutants: list[Mutant], limit_s: float) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with the test that failed, until the time is up. Mutants of code come last: they cost an import."""
    used_s = 0.0
    for code in (False, True):
        some = [mutant for mutant in mutants if mutant.path.startswith(PROFILES) != code]
        if not some or 0 < limit_s <= used_s:
            continue
        with copied_tree(preload=not code) as tree:
            for mutant in some:
                verdict = tree.judge(mutant)
                used_s += verdict.processor_s
                yield mutant, verdict.caught_by
                if 0 < limit_s <= used_s:
                    break


if __name__ == "__main__":
    sys.exit(main())
