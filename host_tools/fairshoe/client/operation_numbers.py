"""Operation numbers: the last one of each lane, and the command that was never answered.

A lane is a device and a role. A command gets its number and is stored before it is sent. A program that crashes in
between finds it again and asks for the outcome under the same number, so it never repeats a command under a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from fairshoe.errors import StoreError, UsageError

OP_MAX = 0xFFFFFFFF


@dataclass(frozen=True)
class Unfinished:
    """A command that was sent, or was about to be, and whose outcome is not known."""

    op: int
    command: str
    arguments: dict[str, int]


@dataclass(frozen=True)
class Lane:
    """One lane as it is kept."""

    op: int
    unfinished: Unfinished | None = None


class Numbers(Protocol):
    """A keeper of operation numbers: client.store.Store, or MemoryNumbers."""

    def unfinished(self, device: int, role: int) -> Unfinished | None:
        """The command of this lane whose outcome is not known."""
        ...

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> int:
        """The number for a new command, written down before it is returned; op_last is what the device says."""
        ...

    def finish(self, device: int, role: int, op: int) -> None:
        """The outcome of that number is known."""
        ...


class MemoryNumbers:
    """Numbers in memory only: enough to watch a shoe, not to command it."""

    def __init__(self) -> None:
        self._lanes: dict[tuple[int, int], Lane] = {}

    def unfinished(self, device: int, role: int) -> Unfinished | None:
        lane = self._lanes.get((device, role))
        return lane.unfinished if lane else None

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> int:
        lane = next_lane(self._lanes.get((device, role)), op_last, command, arguments)
        self._lanes[device, role] = lane
        return lane.op

    def finish(self, device: int, role: int, op: int) -> None:
        lane = self._lanes.get((device, role))
        if lane and lane.unfinished and lane.unfinished.op == op:
            self._lanes[device, role] = Lane(lane.op)


def next_lane(lane: Lane | None, op_last: int, command: str, arguments: Mapping[str, int]) -> Lane:
    """The lane with a new command in it; refused while the outcome of the one before is not known."""
    if lane is not None:
        check_finished(lane.unfinished)
    op = max(lane.op if lane else 0, op_last) + 1
    if op > OP_MAX:
        raise StoreError("no operation number is left.", "Give the device a new identity.")
    return Lane(op, Unfinished(op, command, dict(arguments)))


def check_finished(unfinished: Unfinished | None) -> None:
    """Refuse a new command beside one whose outcome is not known."""
    if unfinished is not None:
        raise UsageError(
            f"the outcome of {unfinished.command} (operation {unfinished.op}) is not known yet.",
            "Wait for it, or ask about it with resume(unfinished()).",
        )
