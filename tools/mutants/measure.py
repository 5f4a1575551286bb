"""Measures once which test runs which lines of the firmware, and for how long; kept in build/mutants/."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType
from typing import Any, cast

from mutants.code import FIRMWARE, Change, Module
from mutants.copied_tree import ROOT
from mutants.forked import SCENARIOS, TESTS, Bench, Timed, processor_s
from mutants.sources import digests

KEPT = ROOT / "build" / "mutants"
_HITS = "__mutants_hits__"

Lines = dict[str, list[int]]  # by path of the module


class Coverage:
    def __init__(
        self,
        measured: dict[str, tuple[float, Lines]],
        modules: list[Module],
        mentioned: dict[str, set[str]],
        digests: dict[str, str],
    ) -> None:
        self.digests = digests  # of each test file with all that it tests
        self.seconds = {test: seconds for test, (seconds, _) in measured.items()}
        self._lines = {
            test: {path: len(numbers) for path, numbers in lines.items()} for test, (_, lines) in measured.items()
        }
        self._tests: dict[tuple[str, int], set[str]] = defaultdict(set)
        self._of_file: dict[str, set[str]] = defaultdict(set)
        for test, (_, lines) in measured.items():
            for path, numbers in lines.items():
                self._of_file[path].add(test)
                for number in numbers:
                    self._tests[path, number].add(test)
        self._readers, self._named = _names(modules)
        self._functions = {
            module.path: [
                range(node.lineno, (node.end_lineno or node.lineno) + 1)
                for node in ast.walk(module.tree)
                if isinstance(node, ast.FunctionDef)
            ]
            for module in modules
        }
        self._mentioned = mentioned

    def tests(self, change: Change) -> list[Timed]:
        """The tests that run the place of the change: first those that name its function or class; by turns those that
        are fast and run more of its module than of everything else, and those that are fast and run lines of the same
        function that few others run."""
        where = change.where
        found = set(self._tests.get((where.path, where.line), ())) or self._by_name(where.path, where.line)
        rare: dict[str, float] = defaultdict(float)
        for line in self._function(where.path, where.line):
            tests = self._tests.get((where.path, line), set[str]())
            for test in tests & found:
                rare[test] += 1 / len(tests)

        def by_share(test: str) -> float:
            lines = self._lines[test]
            return self.seconds[test] * (sum(lines.values()) / lines.get(where.path, 1)) ** 2

        def by_rarity(test: str) -> float:
            return self.seconds[test] / (rare[test] + 1e-9) ** 2

        turns = zip(sorted(found, key=by_share), sorted(found, key=by_rarity), strict=True)
        order = list(dict.fromkeys(test for turn in turns for test in turn))
        name = where.scope.removesuffix(".__init__").split(".")[-1]
        order.sort(key=lambda test: test not in self._mentioned.get(name, ()))
        return [(test, self.seconds[test]) for test in order]

    def is_run(self, change: Change) -> bool:
        """Whether a test runs the statement itself, and not only others of the same module."""
        return (change.where.path, change.where.line) in self._tests or not change.where.scope

    def _function(self, path: str, line: int) -> range:
        """The lines of the function around a line."""
        spans = [span for span in self._functions.get(path, ()) if line in span]
        return min(spans, key=len, default=range(0))

    def _by_name(self, path: str, line: int) -> set[str]:
        """Of a constant or a table: the tests that name it, or run a statement which reads it, in any module."""
        found: set[str] = set()
        names = list(self._named.get((path, line), ()))
        if names:
            names.append(f"dir {Path(path).stem}")
        for name in names:  # grows
            found |= self._mentioned.get(name, set())
            for reader in self._readers.get(name, ()):
                found |= self._tests.get(reader, set())
                names += [other for other in self._named.get(reader, ()) if other not in names]
        return found or self._of_file.get(path, set())


def _names(modules: list[Module]) -> tuple[dict[str, set[tuple[str, int]]], dict[tuple[str, int], set[str]]]:
    """Where each name is read, and what the statements outside of functions give names to."""
    readers: dict[str, set[tuple[str, int]]] = defaultdict(set)
    named: dict[tuple[str, int], set[str]] = defaultdict(set)
    for module in modules:
        for statement in _statements(module.tree.body):
            place = module.path, statement.lineno
            for node in _own_nodes(statement):
                if isinstance(node, ast.Name | ast.Attribute):
                    name = node.id if isinstance(node, ast.Name) else node.attr
                    (readers[name] if isinstance(node.ctx, ast.Load) else set[tuple[str, int]]()).add(place)
        for statement in module.tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                named[module.path, statement.lineno] |= {t.id for t in targets if isinstance(t, ast.Name)}
    return readers, named


def _mentioned(bench: Bench, measured: Iterable[str]) -> dict[str, set[str]]:
    """The tests that have a name in their own text."""
    found: dict[str, set[str]] = defaultdict(set)
    known = set(measured)
    for file in {test.split("::")[0] for test in known if ".json::" not in test}:
        for function in ast.parse(bench.text[str(ROOT / file)]).body:
            test = f"{file}::{getattr(function, 'name', '')}"
            for node in ast.walk(function) if test in known else ():
                if isinstance(node, ast.Name | ast.Attribute):
                    found[node.id if isinstance(node, ast.Name) else node.attr].add(test)
                elif isinstance(node, ast.Call) and ast.unparse(node.func) == "dir":
                    found[f"dir {ast.unparse(node.args[0])}"].add(test)  # of a module: all its names
    return found


def _statements(block: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    for statement in block:
        yield statement
        for child in _blocks(statement):
            yield from _statements(child)


def _blocks(statement: ast.AST) -> Iterable[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield cast("list[ast.stmt]", block)
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _own_nodes(statement: ast.stmt) -> Iterable[ast.AST]:
    """Of the statement without its blocks."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [
            child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt | ast.ExceptHandler)
        ]


# -- measuring --------------------------------------------------------------------------------------------------------


def measure(bench: Bench, modules: list[Module], files: list[str] | None = None) -> Coverage:
    """All unit tests and scenarios, or those of `files`. Raises if a test fails without a mutant: it would catch
    everything."""
    hits = {module.path: bytearray(_last_line(module) + 1) for module in modules}
    code = {str(FIRMWARE / module.path): _noting(module) for module in modules}
    measured: dict[str, tuple[float, Lines]] = {}
    files = files or _test_files()
    digest = digests(bench, files)
    bench.read_scenarios([file for file in files if file.endswith(".json")])
    for file in files:
        kept = KEPT / f"{Path(file).stem}-{digest[file]}.json"
        if not kept.is_file():
            results = _measure(bench, code, hits, file)
            KEPT.mkdir(parents=True, exist_ok=True)
            for old in KEPT.glob(f"{Path(file).stem}-{'?' * len(digest[file])}.json"):
                old.unlink()
            kept.write_text(json.dumps(results), encoding="utf-8")
        measured.update(json.loads(kept.read_text(encoding="utf-8")))
    return Coverage(measured, modules, _mentioned(bench, measured), digest)


def _test_files() -> list[str]:
    files = [path for folder in TESTS for path in sorted((ROOT / folder).rglob("test_*.py"))]
    return [str(path.relative_to(ROOT)) for path in [*files, *sorted((ROOT / SCENARIOS).glob("*.json"))]]


def _last_line(module: Module) -> int:
    return max((getattr(node, "end_lineno", 0) or 0 for node in ast.walk(module.tree)), default=0)


def _measure(
    bench: Bench, code: dict[str, CodeType], hits: dict[str, bytearray], file: str
) -> dict[str, tuple[float, Lines]]:
    """All tests of a file, in one process: an import of the firmware costs more than most tests."""
    tests = bench.list_tests(file)

    def work() -> dict[str, tuple[float, Lines]] | str:
        import builtins

        setattr(builtins, _HITS, hits)
        measured: dict[str, tuple[float, Lines]] = {}
        for test in tests:
            try:
                measured[test] = _measure_one(bench.load_test(test), hits)
            except BaseException:  # SystemExit as well
                return test
        return measured

    text, status, _ = bench.fork(work, code)
    found = json.loads(text) if not status else file
    if isinstance(found, str):
        raise RuntimeError(f"{found} fails while nothing is changed: mend it first, it would catch everything")
    return found


def _measure_one(test: Callable[[], object], hits: dict[str, bytearray]) -> tuple[float, Lines]:
    for lines in hits.values():
        lines[:] = bytes(len(lines))
    began = processor_s()
    test()
    seconds = processor_s() - began
    return seconds, {path: [at for at, hit in enumerate(lines) if hit] for path, lines in hits.items() if any(lines)}


def _noting(module: Module) -> CodeType:
    """The module with a mark before each statement of its functions."""
    tree: Any = ast.parse((FIRMWARE / module.path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            _note(node)
    first = ast.parse(f"{_HITS} = __import__('builtins').{_HITS}[{module.path!r}]").body
    tree.body[:0] = first
    return compile(ast.fix_missing_locations(tree), str(FIRMWARE / module.path), "exec", dont_inherit=True)


def _note(node: ast.AST) -> None:
    for block in list(_blocks(node)):
        marked: list[ast.stmt] = []
        for statement in block:
            marked += [*ast.parse(f"{_HITS}[{statement.lineno}] = 1").body, statement]
            if not isinstance(statement, ast.FunctionDef):
                _note(statement)
        block[:] = marked
