"""What is checked: the bounds of every run, and errors that are planted in a table to see them found.

N is one more than the highest sequence number, S, LOGS and OPS likewise of sessions, logs and operations; CAP is the
ring's capacity in records, WINDOW how many events may be under way. CUTS, KILLS, FAILS, CRASHES and DIES bound how
often power, a process and storage fail; BATCH is one more than the most events in a message. DECKS is how many
decks are shuffled, of STACKS stacks; LOST and ENDED are the bounds of the shares that may be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from model.steps import Table, source_of

_JOURNAL = {"K": 16, "WINDOW": 2, "OPS": 1, "LOGS": 2, "CUTS": 1, "KILLS": 0, "FAILS": 0, "TOKENS": 3, "DELIVER": 0}


def _journal(**bounds: int) -> dict[str, int]:
    return {**_JOURNAL, **bounds}


_NEVER = dict.fromkeys(("CRASHES", "DIES", "LOSSES", "RESTORES", "POISONS"), 0)
_FLOOR = {"LOGS": 2, "CONS": 2, "LEASES": 5, "BATCH": 2, **_NEVER}


def _floor(**bounds: int) -> dict[str, int]:
    return {**_FLOOR, **bounds}


RUNS: dict[str, tuple[str, dict[str, int]]] = {
    "events": ("journal", _journal(CAP=2, N=4, S=3, KILLS=1)),
    "program": ("journal", _journal(CAP=2, N=3, S=3, CUTS=0, KILLS=1, TOKENS=2, DELIVER=1)),
    "program-logs": ("journal", _journal(CAP=2, N=3, S=3, LOGS=3, KILLS=1, TOKENS=2, DELIVER=1)),
    "logs": ("journal", _journal(CAP=2, N=3, S=3, LOGS=3)),
    "commands": ("journal", _journal(CAP=6, WINDOW=0, N=6, S=3, OPS=2, KILLS=1, TOKENS=0)),
    "two-commands": ("journal", _journal(CAP=8, WINDOW=0, N=8, S=3, OPS=3, TOKENS=0)),
    "ring": ("journal", _journal(CAP=4, WINDOW=1, N=7, S=2, OPS=2, CUTS=2, TOKENS=0)),
    "failing-writes": ("journal", _journal(CAP=2, N=4, S=3, LOGS=3, FAILS=1)),
    "failing-commands": ("journal", _journal(CAP=6, WINDOW=0, N=6, S=3, OPS=2, FAILS=1, TOKENS=0)),
    "floor": ("floor", _floor(N=4, M=6, CRASHES=1, DIES=1, LEASES=4)),
    "floor-logs": ("floor", _floor(N=3, LOGS=3, M=4, LEASES=2)),
    "floor-lease": ("floor", _floor(N=3, M=4, DIES=2, CONS=3, LEASES=4, CRASHES=1)),
    "floor-gaps": ("floor", _floor(N=4, M=5, LOSSES=1, CRASHES=1, LEASES=3)),
    "floor-restored": ("floor", _floor(N=4, M=6, RESTORES=1, LEASES=3)),
    "floor-batches": ("floor", _floor(N=4, M=5, BATCH=3, DIES=1, CRASHES=1, LEASES=3)),
    "floor-letters": ("floor", _floor(N=3, M=4, POISONS=1, CRASHES=1, RESTORES=1, LEASES=4)),
    "key-cuts": ("key", {"GENERATIONS": 6, "CUTS": 3, "FAILS": 0}),
    "share": ("share", {"DECKS": 6, "LOST": 2, "ENDED": 1, "STACKS": 2}),
    "key-failing-writes": ("key", {"GENERATIONS": 6, "CUTS": 3, "FAILS": 3}),
}


@dataclass(frozen=True)
class Planted:
    """An error in the design: what the table says, and what it would say then; `run` must find it."""

    name: str
    run: str
    changes: tuple[tuple[str, str], ...]


def _planted() -> Iterator[Planted]:
    """From planted.txt: a line `name: run`, then changes as in a diff, with an empty line between two."""
    name, run, changes = "", "", list[tuple[str, str]]()
    for block in Path(__file__).with_name("planted.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = block.splitlines()
        if lines[0][0] not in "-+":
            if changes:
                yield Planted(name, run, tuple(changes))
            name, _, run = lines[0].rpartition(": ")
            changes = []
        old, new = ("\n".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
        changes.append((old, new))
    yield Planted(name, run, tuple(changes))


PLANTED = tuple(_planted())


def table_of(run: str, changes: tuple[tuple[str, str], ...] = ()) -> Table:
    name, bounds = RUNS[run]
    source = source_of(name)
    for old, new in changes:
        if old not in source:
            raise ValueError(f"the table {name} does not say: {old}")
        source = source.replace(old, new)
    return Table(source, bounds)
