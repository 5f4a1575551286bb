"""Runs SPIN on a model: spin makes a checker in C, gcc compiles it, and it visits every state within the bounds."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import apt

from model.promela import promela
from model.steps import Table

MEMORY_MB = 6000
_FLAGS = ("-DSAFETY", "-DNOREDUCE", f"-DMEMLIM={MEMORY_MB}", "-DVECTORSZ=2048")
_STEP = re.compile(r"[a-z_]+( \d+)*")


class SpinError(Exception):
    """The checker could not be made, or did not visit every state."""


@dataclass(frozen=True)
class Checked:
    """What a check has found; `broken` is empty when every promise holds in every state."""

    states: int
    seconds: float
    broken: str
    trace: tuple[str, ...]  # steps that lead there
    taken: frozenset[str]  # steps that were taken in some state


def available() -> bool:
    """Whether spin and a compiler are here; as root on Debian they are installed."""
    if shutil.which("spin") and shutil.which("gcc"):
        return True
    return apt.install("SPIN", "spin", "gcc", "libc6-dev")


def check(table: Table, *, shortest: bool = False, limit_s: float = 300) -> Checked:
    """Visit every state: depth first, or breadth first for the shortest way to a broken promise."""
    text = promela(table)
    with tempfile.TemporaryDirectory(prefix="fairshoe-model-") as folder:
        return _check(Path(folder), text, shortest, limit_s)


def _check(folder: Path, text: str, shortest: bool, limit_s: float) -> Checked:
    model = folder / "m.pml"
    model.write_text(_with_hits(text), encoding="utf-8")
    _run(["spin", "-a", "m.pml"], folder)
    search = ("-O0", "-DBFS") if shortest else ("-O1", "-DCOLLAPSE")  # the shortest way is soon found
    _run(["gcc", "-w", *_FLAGS, *search, "-o", "pan", "pan.c"], folder)
    began = time.monotonic()
    try:
        out = _run(["./pan", "-m2000000", "-E", "-w22"], folder, limit_s)
    except subprocess.TimeoutExpired:
        raise SpinError(f"not all states in {limit_s:.0f} s") from None
    seconds = time.monotonic() - began
    if "out of memory" in out or "max search depth too small" in out:
        raise SpinError("not all states: out of memory or depth")
    stored = re.search(r"(\S+) states, stored", out)
    if stored is None:
        raise SpinError(f"the checker said: {out[-300:]}")
    broken = re.search(r"assertion violated (.*) \(at", out)
    trace: list[str] = []
    if broken:
        shown = _run(["./pan", "-r", "-n"], folder)
        trace = [line.strip() for line in shown.splitlines() if _STEP.fullmatch(line.strip())]
    taken = frozenset(re.findall(r"^taken (\w+)", out, re.MULTILINE))
    return Checked(int(float(stored.group(1))), seconds, broken.group(1) if broken else "", tuple(trace), taken)


def _with_hits(text: str) -> str:
    """The checker says of every choice when it is taken for the first time."""
    numbers = iter(range(text.count("printf(")))

    def hit(match: re.Match[str]) -> str:
        number = next(numbers)
        return f'c_code {{ if (!hits[{number}]++) printf("taken {match.group(1)}\\n"); }}; {match.group(0)}'

    marked = re.sub(r'printf\("(\w+)', hit, text)
    return f"c_decl {{ int hits[{text.count('printf(')}]; }};\n{marked}"


def _run(command: list[str], folder: Path, limit_s: float = 120) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit_s, check=False)
    if done.returncode and command[0] != "./pan":
        raise SpinError(f"{' '.join(command)}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return done.stdout
