"""Stages: commands that run a few at a time, each with a line that says how it went and how long it took."""

from __future__ import annotations

import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / "bin"
LOGS = ROOT / "build" / "stages"


@dataclass(frozen=True)
class Stage:
    """A command, with a name for people."""

    name: str
    command: list[str]


@dataclass(frozen=True)
class Done:
    """How a stage ended. `log` has what it printed."""

    name: str
    status: int
    log: Path


def run_stages(title: str, stages: list[Stage], jobs: int) -> int:
    """Run all stages, `jobs` at a time, in this order. Then print what the failed ones said. The exit status."""
    started = time.monotonic()
    LOGS.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(partial(_run, time.monotonic()), stages))
    failed = [done for done in results if done.status]
    for done in failed:
        print(f"\n== {done.name}\n{done.log.read_text(errors='replace')}", end="")
    words = f"FAILED: {', '.join(done.name for done in failed)}" if failed else "passed"
    print(f"{time.monotonic() - started:6.1f} s  {title} {words}", flush=True)
    return 1 if failed else 0


def _run(origin: float, stage: Stage) -> Done:
    began = time.monotonic()
    print(f"{began - origin:6.1f} s  begin   {stage.name}", flush=True)
    log = LOGS / f"{stage.name.replace(' ', '-').replace(',', '')}.log"
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYRIGHT_PYTHON_GLOBAL_NODE": "0"}
    with log.open("wb") as output:
        status = subprocess.call(stage.command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    now = time.monotonic()
    last = (log.read_text(errors="replace").rstrip().splitlines() or [""])[-1].strip("= ")
    outcome = "FAILED" if status else "ok    "
    print(f"{now - origin:6.1f} s  {outcome}  {stage.name}, {now - began:.0f} s: {last}", flush=True)
    return Done(stage.name, status, log)
