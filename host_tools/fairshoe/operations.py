"""Operation numbers that outlive the program: which number comes next, and which command was never answered.

A command gets its number and is written down before it is sent. A program that crashes in between finds it again, asks
about the same number, and learns what became of it; it never sends the same wish under a new number by mistake. Several
programs may share the file: each change reads it anew under a lock.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from fairshoe.errors import StoreError

try:
    import fcntl
except ImportError:  # a system without it has no lock of this kind: one program at a time there
    fcntl = None

_OP_MAX = 0xFFFFFFFF
Lane = dict[str, Any]


@dataclass(frozen=True)
class Unfinished:
    """A command that was sent, or was about to be, and whose outcome is not known."""

    op: int
    command: str
    arguments: dict[str, int]


def default_path() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "fairshoe" / "operations.json"


class Operations:
    """Numbers by device and role. With no path they live as long as the object: enough for a look, not for play."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lanes: dict[str, Lane] = {}
        self._load()

    def unfinished(self, device: int, role: int) -> Unfinished | None:
        self._load()
        found = self._lane(device, role).get("unfinished")
        return Unfinished(**found) if found else None

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: dict[str, int]) -> int:
        """The number for a new command, written down before it is returned; op_last is what the device says."""
        with self._change("Nothing was sent. Free space or permission, then give the command again."):
            lane = self._lane(device, role)
            op = max(int(lane.get("op", 0)), op_last) + 1
            if op > _OP_MAX:
                raise StoreError("no operation number is left.", "Give the device a new identity.")
            lane["op"] = op
            lane["unfinished"] = asdict(Unfinished(op, command, arguments))
        return op

    def finish(self, device: int, role: int, op: int) -> None:
        advice = "The command was answered; until this can be written it looks unanswered, and asking again is safe."
        with self._change(advice):
            lane = self._lane(device, role)
            if lane.get("unfinished", {}).get("op") == op:
                del lane["unfinished"]

    def _lane(self, device: int, role: int) -> Lane:
        return self._lanes.setdefault(f"{device:08x}/{role}", {})

    @contextlib.contextmanager
    def _change(self, advice: str) -> Generator[None]:
        """Read anew, let the caller change, write; all of it under a lock that other programs honour."""
        if self._path is None:
            yield
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.with_suffix(".lock").open("w") as lock:
                if fcntl is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                self._load()
                yield
                self._save(self._path)
        except OSError as error:
            raise StoreError(f"cannot write {self._path}: {error.strerror or error}.", advice) from error

    def _load(self) -> None:
        if self._path is None or not self._path.exists():
            return
        try:
            found: object = json.loads(self._path.read_text())
            self._lanes = _checked(found)
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{self._path} cannot be read: {error}.",
                "Restore it from a copy, or move it away: the device knows the last number of each lane.",
            ) from error

    def _save(self, path: Path) -> None:
        beside = path.with_suffix(".new")
        with beside.open("w") as file:
            json.dump(self._lanes, file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _checked(found: object) -> dict[str, Lane]:
    """What a file may hold; ValueError for anything else."""
    if not isinstance(found, dict):
        raise ValueError("not a table of lanes")
    lanes = cast(dict[str, object], found)
    for name, entry in lanes.items():
        lane = cast(Lane, entry) if isinstance(entry, dict) else {}
        if not isinstance(lane.get("op"), int):
            raise ValueError(f"lane {name} has no number")
        waiting = lane.get("unfinished")
        if waiting is not None and set(cast(Lane, waiting)) != {"op", "command", "arguments"}:
            raise ValueError(f"lane {name} does not say what is unfinished")
    return cast(dict[str, Lane], lanes)
