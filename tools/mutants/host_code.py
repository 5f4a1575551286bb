"""Mutants of the host packages: library, floor and table. Whole test files judge them, the nearest first.

A test file is near a module when it has its name, then when it imports it, then when it lies in the folder that mirrors
its package; tests/attack comes last. docs/TESTING.md says how to read the result.
"""

from __future__ import annotations

import ast
import random
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mutants.code import Change, Module, read_module
from mutants.code_run import Choice
from mutants.copied_tree import ROOT, copied_tree
from mutants.mutant import UNREACHED, Mutant
from mutants.rule_code import failing_at

HOST = ROOT / "host_tools"
PACKAGES = {  # and where their tests are
    "fairshoe/keys.py": "tests/host/link",
    "fairshoe/link": "tests/host/link",
    "fairshoe/client": "tests/host/client",
    "fairshoe/journal": "tests/host/journal",
    "fairshoe_floor": "tests/floor",
    "fairshoe_table": "tests/table",
}
RATE = 0.7  # of the mutants that a test reaches; a whole run fails below
_EVERY = ("tests/host", "tests/floor", "tests/table", "tests/attack", "tests/contract")
_LEAVE = "__import__('os')._exit(99)"  # no handler, and no thread, keeps it from the test


def run(choice: Choice, minutes: float, patience_s: float, verbose: bool) -> int:
    chosen = [pair for pair in changes(choice.module) if choice.only in pair[1].name]
    random.Random(choice.seed).shuffle(chosen)
    chosen = chosen[choice.shard[0] - 1 :: choice.shard[1]]
    counts: dict[str, Counter[str]] = {}
    used_s = 0.0
    with copied_tree(preload=False) as tree:
        tree.patience_s = patience_s or tree.patience_s
        for number, (code, change) in enumerate(chosen, 1):
            mutant = mutant_of(code, change)
            verdict = tree.judge(mutant, by_files=True)
            kind = {"": "survived", UNREACHED: "not reached"}.get(verdict.caught_by, "caught")
            counts.setdefault(package_of(code.path), Counter())[kind] += 1
            if kind != "caught":
                print(f"{kind.upper()} host_tools/{code.path}:{change.where.line}: {change.name}")
                print(f"    {replay(change)}", flush=True)
            elif verbose:
                print(f"{change.name}: {verdict.caught_by}", flush=True)
            print(f"{number} of {len(chosen)} tried", file=sys.stderr, end="\r")
            used_s += verdict.processor_s
            if 0 < minutes * 60 <= used_s:
                break
        left_out = tree.unsound
    print(
        f"seed {choice.seed}; {len(left_out)} tests fail in a copy without a change and were left out",
        *left_out,
        sep="\n  ",
    )
    return _table(counts, len(chosen))


def changes(module: str = "") -> list[tuple[Module, Change]]:
    """All of the modules below `module`, from host_tools: fairshoe/link, fairshoe_floor/inventory.py."""
    files = [
        file for name in PACKAGES for file in sorted([HOST / name, *(HOST / name).rglob("*.py")]) if file.is_file()
    ]
    paths = [path for path in (file.relative_to(HOST).as_posix() for file in files) if path.startswith(module)]
    if not paths:
        raise SystemExit(f"mutants: there is no module {module}; take one below {', '.join(PACKAGES)}")
    codes = (read_module(path, (HOST / path).read_text(encoding="utf-8")) for path in paths)
    return [(code, change) for code in codes for change in code.changes]


def mutant_of(code: Module, change: Change) -> Mutant:
    with change.applied():
        text = ast.unparse(code.tree)
    tests = tuple(tests_of(code.path))
    return Mutant(
        change.name, f"host_tools/{code.path}", text, "", tests, failing_at(code.tree, change.where.line, _LEAVE)
    )


def replay(change: Change) -> str:
    return f"PYTHONPATH=tools .venv/bin/python -m mutants --host --only {shlex.quote(change.name)}"


def package_of(path: str) -> str:
    return next(name for name in PACKAGES if path.startswith(name))


@cache
def tests_of(path: str) -> list[str]:
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    folder = f"{PACKAGES[package_of(path)]}/"

    def rank(test: str) -> tuple[int, int]:
        stem = Path(path).stem.strip("_")
        named = stem in test
        here, attack = test.startswith(folder), test.startswith("tests/attack/")
        near = 0 if named and here else 1 if module in _imports(test) else 2 if here else 3 if attack else 4
        return near, -(ROOT / test).read_text(encoding="utf-8").count(stem)

    every = (file.relative_to(ROOT).as_posix() for name in _EVERY for file in (ROOT / name).rglob("test_*.py"))
    return [test for test in sorted(every, key=rank) if rank(test)[0] < 4]


@cache
def _imports(test: str) -> frozenset[str]:
    return frozenset(_names(ast.parse((ROOT / test).read_text(encoding="utf-8"))))


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def _table(counts: dict[str, Counter[str]], chosen: int) -> int:
    together = sum(counts.values(), Counter[str]())
    print(f"{'package':20} {'caught':>8} {'survived':>9} {'not reached':>12} {'caught, of those reached':>25}")
    for name, count in [*sorted(counts.items()), (f"{together.total()} of {chosen}", together)]:
        reached = count["caught"] + count["survived"]
        rate = f"{100 * count['caught'] / reached:.1f} %" if reached else "-"
        print(f"{name:20} {count['caught']:8} {count['survived']:9} {count['not reached']:12} {rate:>25}")
    return 1 if together["caught"] < RATE * (together["caught"] + together["survived"]) else 0
