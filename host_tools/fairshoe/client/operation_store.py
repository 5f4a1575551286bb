"""Operation numbers alone, for a program that gives commands and leaves the events to another.

A program that stores events too opens the shoe with a store (client/store.py), which has both in one file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fairshoe.client.operation_numbers import MemoryNumbers, Numbers, Unfinished
from fairshoe.client.store import Store, default_path

__all__ = ["Operations", "Unfinished", "default_path"]


class Operations:
    """Numbers by device and role, in the file of a store. With no path they live as long as the object: enough for a
    look, not for play."""

    def __init__(self, path: str | Path | None) -> None:
        self._kept: Numbers = MemoryNumbers() if path is None else Store(path)

    def unfinished(self, device: int, role: int) -> Unfinished | None:
        return self._kept.unfinished(device, role)

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> int:
        """The number for a new command, written down before it is returned; op_last is what the device says."""
        return self._kept.begin(device, role, op_last, command, arguments)

    def finish(self, device: int, role: int, op: int) -> None:
        self._kept.finish(device, role, op)
