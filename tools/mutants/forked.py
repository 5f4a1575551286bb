"""Runs unit tests and scenarios against one mutant each, in a fork that imports the firmware again.

Sources are compiled once, in the parent; a child executes them, with the code of the mutant in place of one. A test is
a function test_* without arguments, as on the MicroPython VM: pytest is not needed, and costs more than most tests. A
scenario is named FILE.json::CASE, and is played as the gate plays it on CPython.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.machinery
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from mutants.copied_tree import ROOT

TESTS = ("tests/unit", "tests/contract")
SCENARIOS = "tests/scenarios"
_SOURCES = ("firmware", "hal", "rig", *TESTS)
_MEMORY = 1 << 30  # bytes: a loop that appends for ever ends with MemoryError
_SLOWER = 10  # times what a test took without a mutant, then it hangs
_LEAST_S = 3

Timed = tuple[str, float]  # a test as FILE::NAME, and the processor time it needs without a mutant


@dataclass(frozen=True)
class Outcome:
    caught_by: str  # empty: no test failed
    ran: int  # tests
    processor_s: float


class Bench:
    """Code of the device and of its tests, ready to be executed in forks."""

    def __init__(self) -> None:
        self.text: dict[str, bytes] = {}  # all are read now: what is written meanwhile is not seen
        self.code: dict[str, CodeType] = {}
        for folder in _SOURCES:
            for file in sorted((ROOT / folder).rglob("*.py")):
                self.text[str(file)] = file.read_bytes()
                self.code[str(file)] = compile(self.text[str(file)], str(file), "exec", dont_inherit=True)
        for file in sorted((ROOT / SCENARIOS).glob("*.json")):
            self.text[str(file)] = file.read_bytes()
        self._scenarios: dict[str, str] = {}  # scenario and board config as JSON, by the test's name
        os.chdir(ROOT)  # tests open board configs from there
        below = [str(path.parent) for folder in TESTS for path in sorted((ROOT / folder).rglob("*.py"))]
        sys.path[:0] = list(dict.fromkeys([*below, str(ROOT / "tools")]))
        for name in ("fairshoe._device", "struct", "json", "array", "binascii", "hashlib", "random"):
            importlib.import_module(name)
        gc.collect()
        gc.freeze()

    def fork(self, work: Callable[[], object], code: dict[str, CodeType] | None = None) -> tuple[str, int, float]:
        """What `work` returns in a process of its own, as JSON; its status and processor time."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            status = 1
            try:
                self._install({**self.code, **(code or {})})
                with os.fdopen(writing, "w", encoding="utf-8") as pipe:
                    self._pipe = pipe
                    pipe.write(json.dumps(work()))
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            text = pipe.read()
        _, status, used = os.wait4(child, 0)
        return text, status, used.ru_utime + used.ru_stime

    def _install(self, code: dict[str, CodeType]) -> None:
        # Python's own finders: under pytest another one would read and rewrite every test module again.
        sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in code and name not in ("firmware", "hal", "rig"):
                del sys.modules[name]
        original = importlib.machinery.SourceFileLoader.get_code

        def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> CodeType | None:
            found = code.get(self.path)
            return original(self, fullname) if found is None else found

        importlib.machinery.SourceFileLoader.get_code = get_code

    def judge(self, path: str, tree: ast.Module, tests: Iterable[Timed], limit_s: float) -> Outcome:
        """Run tests with another tree for one module of the firmware until one fails, or they would take longer."""
        file = str(ROOT / "firmware" / path)
        try:
            mutant = compile(tree, file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:  # a `continue` or a constant that cannot stand there
            return Outcome(f"compiler: {error}", 0, 0)
        chosen = within(list(tests), limit_s)
        if not chosen:
            return Outcome("", 0, 0)
        text, status, processor_s = self.fork(lambda: self._run_all(chosen), {file: mutant})
        lines = text.splitlines()
        if status or not lines:
            return Outcome(f"{lines[-1] if lines else 'import'} (ended with status {status})", len(lines), processor_s)
        return Outcome(json.loads(lines[-1]), len(lines) - 1, processor_s)

    def _run_all(self, tests: list[Timed]) -> str:
        for test, needs_s in tests:
            self._pipe.write(test + "\n")
            self._pipe.flush()
            signal.setitimer(signal.ITIMER_PROF, needs_s * _SLOWER + _LEAST_S)
            try:
                self.load_test(test)()
            except BaseException:  # SystemExit as well
                return test
        return ""

    def load_test(self, test: str) -> Callable[[], object]:
        """In a child."""
        file, name = test.split("::")
        if file.endswith(".json"):
            return lambda: _play(*json.loads(self._scenarios[test]))
        return getattr(importlib.import_module(Path(file).stem), name)

    def list_tests(self, file: str) -> list[str]:
        if file.endswith(".json"):
            return [test for test in self._scenarios if test.startswith(f"{file}::")]
        text, status, _ = self.fork(lambda: _names(file))
        if status:
            raise RuntimeError(f"{file} cannot be imported: run it with pytest")
        return json.loads(text)

    def read_scenarios(self, files: list[str]) -> None:
        if not files:
            return
        text, status, _ = self.fork(lambda: _scenarios(files))
        if status:
            raise RuntimeError(f"{SCENARIOS} cannot be read: run make scenarios")
        self._scenarios = json.loads(text)


def within(tests: list[Timed], limit_s: float) -> list[Timed]:
    """Those that fit into the time, in their order; a slow one is passed over for those behind it. One at least."""
    chosen: list[Timed] = []
    for test in tests:
        if test[1] <= limit_s:
            limit_s -= test[1]
            chosen.append(test)
    return chosen or sorted(tests, key=lambda test: test[1])[:1]


def _names(file: str) -> list[str]:
    found: dict[str, Any] = vars(importlib.import_module(Path(file).stem))
    return [f"{file}::{name}" for name in found if name.startswith("test_") and callable(found[name])]


def _scenarios(files: list[str]) -> dict[str, str]:
    from fairshoe.sim.scenario_cases import places, split
    from fairshoe.sim.scenario_files import load

    found: dict[str, str] = {}
    for place in places(Path(file) for file in files):
        file, name = split(place)
        found[f"{file}::{name}"] = json.dumps(load(place))
    return found


def _play(data: dict[str, Any], config: dict[str, Any]) -> None:
    from rig.scenario import Scenario

    problems = Scenario(data, config).play()
    if problems:
        raise AssertionError(problems)


def processor_s() -> float:
    return time.process_time()
