"""Stages: commands that run a few at a time, each with a line that says how it went and what time it took.

Stages compile each Python file once, into build/pycache. Many containers set PYTHONDONTWRITEBYTECODE; with it every
start of the command line compiled the whole library again, which was a tenth of the gate's processor time.

In a working tree a stage is skipped when its inputs have not changed since it passed. That is never so with CI or SEED
set, and cannot be in a fresh clone: what passed is noted in build/.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / "bin"
LOGS = ROOT / "build" / "stages"
# What every stage depends on, besides its own inputs.
LOCKS = ("requirements", "package-lock.json", "pyproject.toml", "tools/stages.py", "tools/setup.py")
INPUTS = "STAGE_INPUTS"  # of the environment: what a stage names; tests that read other files of the tree fail
NOT_RUN = "NOT RUN"  # a stage that lacks a program prints this and passes outside CI

YARDSTICK = 10_000_000

_noting = threading.Lock()


@dataclass(frozen=True)
class Stage:
    """A command with a name. `inputs`: the files and folders that decide how it ends; without any it always runs."""

    name: str
    command: list[str]
    inputs: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Done:
    """How a stage ended. `log` has what it printed, `processor_s` is its own time and that of its processes."""

    name: str
    status: int
    log: Path
    processor_s: float
    tests: int
    left_out: tuple[str, ...] = ()  # tests and programs that could not run, and why


def run_stages(title: str, stages: list[Stage], jobs: int) -> int:
    """Run all stages, `jobs` at a time, in this order. Then print what the failed ones said. The exit status."""
    machine = [how_busy()]
    started = time.monotonic()
    LOGS.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(partial(_run, started), stages))
    failed = [done for done in results if done.status]
    for done in failed:
        print(f"\n== {done.name}\n{done.log.read_text(errors='replace')}", end="")
    wall_s = time.monotonic() - started
    machine.append(how_busy())
    left_out = [f"{done.name}: {why}" for done in results for why in done.left_out]
    print(f"{wall_s:6.1f} s  left out: {len(left_out) or 'nothing'}")
    for why in left_out:
        print(f"{'':10}{why}")
    for when, said in zip(("before", "after"), machine, strict=True):
        print(f"{wall_s:6.1f} s  {when}: {said}")
    processor_s = sum(done.processor_s for done in results)
    print(f"{wall_s:6.1f} s  {sum(done.tests for done in results)} tests, {processor_s:.1f} s of processor time")
    words = f"FAILED: {', '.join(done.name for done in failed)}" if failed else "passed"
    print(f"{wall_s:6.1f} s  {title} {words}", flush=True)
    return 1 if failed else 0


def environment(stage: Stage) -> dict[str, str]:
    """For the processes of a stage."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ours = {
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
        "PYRIGHT_PYTHON_GLOBAL_NODE": "0",
        "PYTHONPYCACHEPREFIX": str(ROOT / "build" / "pycache"),
    }
    named = {INPUTS: "\n".join((*LOCKS, *stage.inputs))} if stage.inputs else {}
    return kept | ours | named | dict(stage.variables)


def _run(origin: float, stage: Stage) -> Done:
    began = time.monotonic()
    log = LOGS / f"{stage.name.replace(' ', '-').replace(',', '')}.log"
    key = state_of(stage)
    if key and passed().get(stage.name) == key:
        print(f"{began - origin:6.1f} s  skipped {stage.name}: unchanged since it passed; CI=1 runs it", flush=True)
        return Done(stage.name, 0, log, 0.0, 0)
    print(f"{began - origin:6.1f} s  begin   {stage.name}", flush=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            stage.command, cwd=ROOT, env=environment(stage), stdout=output, stderr=subprocess.STDOUT
        )
        _, code, usage = os.wait4(process.pid, 0)
    status = process.returncode = os.waitstatus_to_exitcode(code)
    now = time.monotonic()
    text = log.read_text(errors="replace")
    processor_s = usage.ru_utime + usage.ru_stime
    last = (text.rstrip().splitlines() or [""])[-1].strip("= ")
    _note(stage.name, key if status == 0 and NOT_RUN not in text else "")
    outcome = "FAILED" if status else "ok    "
    times = f"{now - began:.0f} s, processor {processor_s:.0f} s"
    print(f"{now - origin:6.1f} s  {outcome}  {stage.name}, {times}: {last}", flush=True)
    lacking = tuple(line for line in text.splitlines() if line.startswith(("SKIPPED ", NOT_RUN)))  # pytest's, and ours
    return Done(stage.name, status, log, processor_s, tests_in(text), lacking)


def how_busy() -> str:
    """The load, and what a loop that is always the same costs now: beside others a processor does less in a second."""
    began = time.process_time()
    for _ in range(YARDSTICK):
        pass
    return f"load {os.getloadavg()[0]:.1f}, a loop of {YARDSTICK:,} {time.process_time() - began:.2f} s"


def tests_in(text: str) -> int:
    """How many tests passed, by the last lines of pytest and of the VM's runner; a stage may call both."""
    found = re.findall(r"^(?:=+ )?(?:\d+ failed, )?(\d+) passed\b", text, re.MULTILINE)
    return sum(int(count) for count in found)


def state_of(stage: Stage) -> str:
    """A hash over everything a stage depends on; "" for a stage that has to run."""
    if not stage.inputs or os.environ.get("CI") or os.environ.get("SEED"):
        return ""
    found = hashlib.sha256(repr((stage.command, stage.variables, sys.version)).encode())
    files = files_below((*LOCKS, *stage.inputs))
    for path in files:
        found.update(f"\0{path}\0".encode())
        found.update((ROOT / path).read_bytes())
    return found.hexdigest() if files else ""


def files_below(places: Iterable[str]) -> list[str]:
    """All files that git knows or would add below some places and that exist, sorted; none outside a clone."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *places]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return sorted({path for path in listed.split("\0") if path and (ROOT / path).is_file()})


def passed() -> dict[str, str]:
    """By stage, the state in which it passed last."""
    try:
        return json.loads((LOGS / "passed.json").read_text())
    except (OSError, ValueError):
        return {}


def _note(name: str, key: str) -> None:
    """Note the state in which a stage has passed; "" forgets it."""
    with _noting:
        known = passed()
        known.pop(name, None)
        (LOGS / "passed.json").write_text(json.dumps(known | ({name: key} if key else {})))
