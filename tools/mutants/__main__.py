"""Breaks one thing after the other and says what no test has noticed.

    PYTHONPATH=tools .venv/bin/python -m mutants [--module M] [--seed N] [--minutes M] [--shard 1/4] [--verbose]
    PYTHONPATH=tools .venv/bin/python -m mutants --rules [--seed N] [--minutes M] [--verbose]
    PYTHONPATH=tools .venv/bin/python -m mutants --host [--module M] [--seed N] [--minutes M] [--verbose]
    PYTHONPATH=tools .venv/bin/python -m mutants --kills [--write] [--seed N]

Exit status of --rules: 0 when every mutant that was tried is caught, or shown in equivalent.json to change nothing, and
90 % of those of rule code; else 1. Of code: 0 when 95 % of each package are caught, those apart that
equivalent_code.json shows to change nothing. Of --host: 0 when 70 % of those that a test reaches are caught. Of
--kills: 0 when all are caught that were caught when tests/kills.txt was written.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from mutants import code_run, host_code, kills
from mutants.mutant import UNREACHED
from mutants.rule_code import statement_mutants
from mutants.rules import judged, rule_mutants

CODE_RATE = 0.9
EQUIVALENT = Path(__file__).with_name("equivalent.json")


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.kills:
        return kills.write(options.seed or 1) if options.write else kills.compare()
    if options.rules:
        return run_rules(options)
    choice = code_run.Choice(options.module, options.only, options.seed or 1, options.sample, options.shard)
    if options.host:
        return host_code.run(choice, options.minutes, options.patience, options.verbose)
    return code_run.run(
        choice, options.minutes, options.patience or code_run.PATIENCE_S, options.tests, options.verbose
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("mutants", description="Change one thing at a time: which test notices?")
    parser.add_argument("--rules", action="store_true", help="values of game profiles and house policy, not code")
    parser.add_argument("--host", action="store_true", help="code of the host library, the floor and the table")
    parser.add_argument("--kills", action="store_true", help="those of tests/kills.txt: does a test still catch each?")
    parser.add_argument("--write", action="store_true", help="draw others, or go on: --kills --write --seed N")
    parser.add_argument("--seed", type=int, help="which sample (1), and in which order; rules: as the files have them")
    parser.add_argument("--minutes", type=float, default=0, help="of processor time, then stop (0: try all)")
    parser.add_argument("--only", default="", help="only mutants whose name has this")
    parser.add_argument("--verbose", action="store_true", help="say for every mutant which test noticed")
    parser.add_argument("--code-minutes", type=float, default=0, help="of processor time for rule code (0: try all)")
    code = parser.add_argument_group("code")
    code.add_argument("--module", default="", help="protocol, games/drawn, deck/ledger.py: only what is there")
    code.add_argument("--sample", type=int, default=code_run.SAMPLE, help="of each package that is sampled (0: all)")
    code.add_argument("--shard", type=_shard, default=(1, 1), metavar="I/N", help="every Nth mutant, from the Ith")
    code.add_argument("--patience", type=float, default=0, help="seconds of tests for one mutant (3; of the host 10)")
    code.add_argument("--tests", nargs="*", metavar="FILE", help="only these test files, not all unit tests")
    return parser


def _shard(text: str) -> tuple[int, int]:
    part, parts = (int(word) for word in text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def run_rules(options: argparse.Namespace) -> int:
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
    code_caught = bool(options.minutes) or run_rule_code(options)  # also when a value survived
    return 1 if problems or not code_caught else 0


def run_rule_code(options: argparse.Namespace) -> bool:
    """Statements of the firmware that carry out a rule. Without a limit of time only: they take an hour."""
    chosen = [mutant for mutant in statement_mutants() if options.only in mutant.name]
    if options.seed is not None:
        random.Random(options.seed).shuffle(chosen)
    if not chosen:
        return True
    caught, survived, unreached = 0, 0, 0
    for mutant, caught_by in judged(chosen, options.code_minutes * 60):
        unreached += caught_by == UNREACHED
        survived += not caught_by
        caught += caught_by not in ("", UNREACHED)
        if not caught_by or options.verbose:
            print(f"{mutant.name}: {caught_by or 'SURVIVED'} ({mutant.about})", flush=True)
    rate = caught / (caught + survived) if caught + survived else 1.0
    print(
        f"{caught + survived + unreached} of {len(chosen)} mutants of rule code: {caught} caught by a test that names "
        f"the clause in that mode, {survived} survived, {unreached} where no such test gets; "
        f"catch rate {100 * rate:.1f} %"
    )
    return rate >= CODE_RATE


if __name__ == "__main__":
    sys.exit(main())
