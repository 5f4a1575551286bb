"""Which mutants of the firmware's code are tried, what their tests say, and the table of results by package."""

from __future__ import annotations

import json
import random
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mutants.code import Change, Module, modules
from mutants.forked import Bench, Outcome
from mutants.measure import KEPT, Coverage, measure
from mutants.results import Results

EQUIVALENT = Path(__file__).with_name("equivalent_code.json")
RESULTS = KEPT / "results.jsonl"
SAMPLE = 300
RATE_LEAST = 95.0  # percent, of a package
PATIENCE_S = 3.0  # of tests, measured without a mutant
KNOWN_PART = 0.25  # of that, for a mutant that is listed as equivalent

# Tried to the last mutant: what is on the wire and in storage, who counts cards, and where the order comes from.
_WHOLE = ("protocol/", "journal/", "deck/ledger.py", "deck/drbg.py", "deck/permutation.py")


@dataclass
class Tally:
    total: int = 0  # mutants that there are
    tried: int = 0
    caught: int = 0
    equivalent: int = 0
    survived: list[str] = field(default_factory=list[str])

    @property
    def rate(self) -> float:
        rest = self.tried - self.equivalent
        return 100 * self.caught / rest if rest else 100.0


@dataclass(frozen=True)
class Choice:
    module: str = ""  # a path below firmware/ or its beginning, or a line of the table: `top`, `rest of deck`
    only: str = ""  # in the name
    seed: int = 1
    sample: int = SAMPLE  # of each package that is not tried whole; 0: all
    shard: tuple[int, int] = (1, 1)


def package(path: str) -> str:
    """As the table of results names it."""
    if path.startswith(_WHOLE):
        return path if path.startswith("deck/") else path.split("/")[0]
    folder = path.split("/")[0]
    return "top" if "/" not in path else "rest of deck" if folder == "deck" else folder


def choose(every: list[Module], choice: Choice) -> list[tuple[Module, Change]]:
    groups: dict[str, list[tuple[Module, Change]]] = {}
    wanted = choice.module.removeprefix("firmware/").replace(".", "/").replace("/py", ".py")
    for module in every:
        if module.path.startswith(wanted) or package(module.path) == choice.module:
            groups.setdefault(package(module.path), []).extend((module, change) for change in module.changes)
    chosen: list[tuple[Module, Change]] = []
    for name, group in groups.items():
        whole = name.startswith(_WHOLE) or f"{name}/" in _WHOLE or not choice.sample or len(group) <= choice.sample
        random.Random(f"{choice.seed} {name}").shuffle(group)
        chosen += group if whole or choice.only else group[: choice.sample]
    chosen = [pair for pair in chosen if choice.only in pair[1].name]
    part, parts = choice.shard
    return chosen[part - 1 :: parts]


def judged(
    bench: Bench,
    coverage: Coverage,
    chosen: list[tuple[Module, Change]],
    limit_s: float,
    patience_s: float,
    results: Results,
    known: Container[str] = (),
) -> Iterator[tuple[Module, Change, Outcome, int]]:
    """Each mutant with its outcome and the number of tests that run it, until the processor time is used up. Verdicts
    of an earlier run that are still valid cost nothing."""
    used_s = 0.0
    for module, change in chosen:
        tests = coverage.tests(change)
        limit = patience_s * KNOWN_PART if change.name in known else patience_s
        outcome = results.valid(change.name, tests, limit)
        if outcome is None:
            untried = results.in_order(change.name, results.untried(change.name, tests, limit))
            with change.applied():
                outcome = bench.judge(module.path, module.tree, untried, limit)
            if len(untried) < len(tests):
                ran = min(len(tests), results.ran(change.name) + outcome.ran)
                outcome = Outcome(outcome.caught_by, ran, outcome.processor_s)
            results.keep(change.name, outcome, limit)
            used_s += outcome.processor_s
        yield module, change, outcome, len(tests)
        if 0 < limit_s <= used_s:
            break


def run(choice: Choice, minutes: float, patience_s: float, files: list[str] | None, verbose: bool) -> int:
    every = modules()
    known = {entry["mutant"]: entry["why"] for entry in json.loads(EQUIVALENT.read_text(encoding="utf-8"))}
    names = {change.name for module in every for change in module.changes}
    chosen = choose(every, choice)
    paths = {module.path for module, _ in chosen} if choice.module else None
    gone = sorted(name for name in known.keys() - names if paths is None or name.split(" ")[0] in paths)
    problems = [f"{EQUIVALENT.name}: there is no mutant {name}" for name in gone]
    bench = Bench()
    coverage = measure(bench, every, files)
    results = Results(RESULTS, coverage.digests)
    tallies: dict[str, Tally] = {}
    for module, _ in chosen:
        tallies.setdefault(package(module.path), Tally()).total += 1
    for module, change, outcome, tests in judged(bench, coverage, chosen, minutes * 60, patience_s, results, known):
        tally = tallies[package(module.path)]
        tally.tried += 1
        tally.caught += bool(outcome.caught_by)
        if outcome.caught_by and change.name in known:
            problems.append(f"{EQUIVALENT.name}: {change.name} is caught by {outcome.caught_by}")
        elif not outcome.caught_by and change.name in known:
            tally.equivalent += 1
        elif not outcome.caught_by:
            tally.survived.append(f"firmware/{module.path}:{change.where.line}: {change.name}")
            runs = "tests that run it" if coverage.is_run(change) else "tests of its module: none runs this line"
            print(f"SURVIVED {tally.survived[-1]} ({outcome.ran} of {tests} {runs})", flush=True)
        if verbose:
            print(f"{change.name}: {outcome.caught_by or known.get(change.name, 'survived')}", flush=True)
    problems += [
        f"{name}: {tally.rate:.1f} % are caught, less than {RATE_LEAST:.0f} %: write a test or say why it is equivalent"
        for name, tally in tallies.items()
        if tally.rate < RATE_LEAST
    ]
    print("\n".join([*_table(tallies), *problems]))
    return 1 if problems else 0


def _table(tallies: dict[str, Tally]) -> Iterator[str]:
    yield f"{'package':20} {'chosen':>7} {'tried':>6} {'caught':>7} {'equivalent':>11} {'survived':>9} {'caught %':>9}"
    for name, tally in sorted(tallies.items()):
        yield (
            f"{name:20} {tally.total:7} {tally.tried:6} {tally.caught:7} {tally.equivalent:11} "
            f"{len(tally.survived):9} {tally.rate:9.1f}"
        )
