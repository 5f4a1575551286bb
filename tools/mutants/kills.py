"""The first test that catches each mutant of a draw, in tests/kills.txt: a change of the tests is compared with it.

Drawn are mutants of code; all mutants of the rules and all planted defects of power loss are in it too. A defect is
planted by its own test, which passes when the defect is found. A comparison tries the recorded test first.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mutants import code, host_code
from mutants.code import Change
from mutants.code_run import PATIENCE_S
from mutants.copied_tree import ROOT, copied_tree
from mutants.forked import Bench
from mutants.measure import measure
from mutants.mutant import UNREACHED
from mutants.rules import judged, rule_mutants

FILE = ROOT / "tests" / "kills.txt"
DRAWN = {"firmware": 75, "fairshoe/": 30, "fairshoe_floor/": 25, "fairshoe_table/": 20}
PLANTED = ("tests/powerloss/test_defects.py", "tests/powerloss/test_soak_kill.py")
HOST_PATIENCE_S = 4.0
SURVIVED = "survived"
NO_KILLER = (SURVIVED, UNREACHED)


@dataclass(frozen=True)
class Kill:
    folder: str
    mutant: str
    test: str

    def __str__(self) -> str:
        return "\t".join((self.folder, self.mutant, self.test))


def read() -> list[Kill]:
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.is_file() else []
    return [Kill(*line.split("\t")) for line in lines if not line.startswith("#")]


def write(seed: int) -> int:
    """Go on with the file, if it is of this seed and commit; else begin it."""
    head = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    first = f"# seed {seed}, commit {head.stdout.strip()}: folder, mutant, first test that catches it\n"
    if not FILE.is_file() or not FILE.read_text(encoding="utf-8").startswith(first):
        FILE.write_text(first, encoding="utf-8")
    done = {(kill.folder, kill.mutant) for kill in read()}
    for drawn in draw(seed):
        for kill in judge([kill for kill in drawn if (kill.folder, kill.mutant) not in done]):
            with FILE.open("a", encoding="utf-8") as file:
                file.write(f"{kill}\n")
    return 0


def compare() -> int:
    """1 if nothing catches what a test caught."""
    before = {(kill.folder, kill.mutant): kill.test for kill in read()}
    lost, seen = 0, 0
    for kill in judge(read()):
        seen += 1
        if kill.test in NO_KILLER and before[kill.folder, kill.mutant] not in NO_KILLER:
            lost += 1
            print(f"LOST {kill.folder} {kill.mutant}: {before[kill.folder, kill.mutant]}", flush=True)
    print(f"{seen} of {len(before)} are still there; {lost} that were caught are no more")
    return 1 if lost else 0


def draw(seed: int) -> Iterator[list[Kill]]:
    """By folder. The firmware comes first: its tests run in forks of this process, with a limit of memory."""
    for folder, number in DRAWN.items():
        names = [change.name for change in (_of_firmware() if folder == "firmware" else _of_host(folder))]
        yield [Kill(folder, name, "") for name in random.Random(f"{seed} {folder}").sample(names, number)]
    yield [Kill("planted", node, "") for node, _ in _planted("--collect-only", "-q")]
    rules = [mutant.name for mutant in rule_mutants()]
    yield [Kill("rules", name, "") for name in random.Random(seed).sample(rules, len(rules))]


def _of_firmware() -> Iterator[Change]:
    return (change for module in code.modules() for change in module.changes)


def _of_host(folder: str) -> Iterator[Change]:
    return (change for _, change in host_code.changes(folder))


def judge(kills: list[Kill]) -> Iterator[Kill]:
    """Each with the test that catches it now. A mutant whose line is gone is left out."""
    yield from _firmware({kill.mutant: kill for kill in kills if kill.folder == "firmware"})
    yield from _host({kill.mutant: kill for kill in kills if kill.folder in DRAWN})
    wanted = {kill.mutant for kill in kills if kill.folder == "planted"}
    for node, outcome in _planted("-v") if wanted else ():
        if node in wanted:
            yield Kill("planted", node, node if outcome == "PASSED" else SURVIVED)
    yield from _rules({kill.mutant: kill for kill in kills if kill.folder == "rules"})


def _firmware(kills: dict[str, Kill]) -> Iterator[Kill]:
    if not kills:
        return
    every = code.modules()
    bench = Bench()
    coverage = measure(bench, every)
    for module in every:
        for change in module.changes:
            kill = kills.get(change.name)
            if kill:
                tests = sorted(coverage.tests(change), key=lambda test, first=kill.test: test[0] != first)
                with change.applied():
                    outcome = bench.judge(module.path, module.tree, tests, PATIENCE_S)
                yield replace(kill, test=outcome.caught_by.split(" (")[0] or SURVIVED)


def _host(kills: dict[str, Kill]) -> Iterator[Kill]:
    chosen = [pair for pair in host_code.changes() if pair[1].name in kills]
    with copied_tree(preload=False) as tree:
        tree.patience_s = HOST_PATIENCE_S
        for module, change in chosen:
            kill = kills[change.name]
            mutant = host_code.mutant_of(module, change)
            if _is_there(kill.test):
                mutant = replace(mutant, tests=(kill.test.split("[")[0], *mutant.tests))
            yield replace(kill, test=tree.judge(mutant, by_files=True).caught_by or SURVIVED)


def _is_there(test: str) -> bool:
    file, _, name = test.split("[")[0].partition("::")
    return bool(name) and (ROOT / file).is_file() and f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def _rules(kills: dict[str, Kill]) -> Iterator[Kill]:
    chosen = [mutant for mutant in rule_mutants() if mutant.name in kills] if kills else []
    first = [
        replace(
            mutant, tests=tuple(sorted(mutant.tests, key=lambda test: not kills[mutant.name].test.startswith(test)))
        )
        for mutant in chosen
    ]
    for mutant, caught_by in judged(first, 0):
        yield replace(kills[mutant.name], test=caught_by or SURVIVED)


def _planted(*options: str) -> Iterator[tuple[str, str]]:
    """Each test that plants a defect, and what came of it."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-k",
        "a_planted_defect_is",
        *options,
        *PLANTED,
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            if line.startswith(PLANTED) and "::" in line:
                node, _, outcome = line.partition(" ")
                yield node.strip(), outcome.split(" ")[0]
