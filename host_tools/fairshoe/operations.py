"""Operation numbers that outlive the program: which number comes next, and which command was never answered.

A command gets its number and is written down before it is sent. A program that crashes in between finds it again, asks
about the same number, and learns what became of it; it never sends the same wish under a new number by mistake.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fairshoe.errors import StoreError


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
        self._lanes: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            try:
                self._lanes = json.loads(path.read_text())
            except (OSError, ValueError) as error:
                raise StoreError(
                    f"{path} cannot be read: {error}.",
                    "Restore it from a copy, or move it away: the device knows the last number of each lane.",
                ) from error

    def unfinished(self, device: int, role: int) -> Unfinished | None:
        found = self._lane(device, role).get("unfinished")
        return Unfinished(**found) if found else None

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: dict[str, int]) -> int:
        """The number for a new command, written down before it is returned; op_last is what the device says."""
        lane = self._lane(device, role)
        op = max(int(lane.get("op", 0)), op_last) + 1
        lane["op"] = op
        lane["unfinished"] = asdict(Unfinished(op, command, arguments))
        self._save()
        return op

    def finish(self, device: int, role: int, op: int) -> None:
        lane = self._lane(device, role)
        if lane.get("unfinished", {}).get("op") == op:
            del lane["unfinished"]
            self._save()

    def _lane(self, device: int, role: int) -> dict[str, Any]:
        return self._lanes.setdefault(f"{device:08x}/{role}", {})

    def _save(self) -> None:
        if self._path is None:
            return
        beside = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with beside.open("w") as file:
                json.dump(self._lanes, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self._path)
        except OSError as error:
            raise StoreError(
                f"cannot write {self._path}: {error.strerror or error}.",
                "Nothing was sent. Free space or permission, then give the command again.",
            ) from error
