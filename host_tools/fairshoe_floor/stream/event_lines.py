"""Events as they travel: JSON lines, one event each, consecutive numbers of one log in one message.

The lines are made from the columns of the store without decoding the event, and `body` has the event as the device sent
it. A reader in any language needs a JSON parser and nothing else. EventRow is the one place that names the columns of
an event: how each travels, what is accepted, and its type in PostgreSQL.

A line may be a gap in place of an event: these numbers were lost. It takes their place in the order of the subject.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from fairshoe_floor import schema_check as are
from fairshoe_floor.schema_check import Check, Refused

BODY_MAX = 2048  # bytes of an event; a frame of the link has less
GATEWAY_MAX = 200
SECONDS = are.real(0, are.SECONDS_MAX)
SEQ = are.whole(1, are.U32)
LOG = are.hexadecimal(1, 64)
GATEWAY = are.text(GATEWAY_MAX)


def _column(sql: str, check: Check, line: Callable[[Any], str] = repr, **default: Any) -> Any:
    return field(metadata={"sql": sql, "check": check, "line": line}, **default)


def _hex(value: bytes) -> str:
    return f'"{value.hex()}"'


@dataclass(frozen=True)
class EventRow:
    """One event as the store of a gateway has it. `fields` is JSON text; `message` is the number of its kind."""

    device: int = _column("bigint", are.device, '"{:08x}"'.format)
    log: bytes = _column("bytea", LOG, _hex)
    seq: int = _column("bigint", SEQ)
    message: int = _column("integer", are.whole(0, 0xFFFF))
    name: str = _column("text", are.matching("[a-z0-9_]{1,64}"), '"{}"'.format)
    boot: int = _column("integer", are.whole(0, 0xFFFF))
    uptime_s: float = _column("double precision", are.real(0, 1e10))
    utc_s: int = _column("bigint", are.whole(0, are.U32))
    round: int = _column("bigint", are.whole(0, are.U32))
    deck: int = _column("integer", are.whole(0, 0xFFFF))
    fields: str = _column("jsonb", are.flat, str)
    body: bytes = _column("bytea", are.hexadecimal(0, BODY_MAX), _hex)
    received: float = _column("double precision", SECONDS)
    gateway: str = _column("text", GATEWAY, json.dumps, default="")
    # No column: its message said that the device had left this log. Then it says nothing of which log is the newest.
    left: bool = field(default=False, compare=False)


_COLUMNS = [it for it in fields(EventRow) if it.metadata]
SQL_TYPES: dict[str, str] = {it.name: it.metadata["sql"] for it in _COLUMNS}
# What the store of a gateway has in its own table; device and log are in another, the gateway is no column there.
STORE_COLUMNS = tuple(name for name in SQL_TYPES if name not in ("device", "log", "gateway"))
_CHECKS: dict[str, Check] = {it.name: it.metadata["check"] for it in _COLUMNS}
_LINE = [(it.name, f'"{it.name}":', it.metadata["line"]) for it in _COLUMNS]


@dataclass(frozen=True)
class Gap:
    """Events that no part on this side of the device has: numbers `first` to `last` of a log. They were recorded by the
    device between two events that are on file, which the gateway stored at `after` and `before` (0: there is none)."""

    device: int
    log: bytes
    first: int
    last: int
    gateway: str
    after: float
    before: float


_GAP_CHECKS: dict[str, Check] = {
    "device": are.device,
    "log": LOG,
    "first": SEQ,
    "last": SEQ,
    "gateway": GATEWAY,
    "after": SECONDS,
    "before": SECONDS,
}


def to_lines(rows: Iterable[EventRow]) -> bytes:
    return "\n".join(map(_line, rows)).encode()


def _line(row: EventRow) -> str:
    return "{" + ",".join([label + put(getattr(row, name)) for name, label, put in _LINE]) + "}"


def gap_line(gap: Gap) -> bytes:
    said = {**vars(gap), "device": f"{gap.device:08x}", "log": gap.log.hex()}
    return json.dumps({"gap": said}).encode()


def from_line(line: bytes) -> EventRow | Gap:
    """Refused, with the reason, if the line is something else."""
    said = are.load(line)
    if isinstance(said, dict) and "gap" in said:
        gap = Gap(**are.fields(said["gap"], _GAP_CHECKS))
        if gap.first > gap.last:
            raise Refused(f"a gap from {gap.first} to {gap.last} is none")
        return gap
    return EventRow(**are.fields(said, _CHECKS))


def from_lines(data: bytes) -> list[EventRow]:
    """The events of a message, without its gaps. Refused if a line is something else."""
    found: Sequence[EventRow | Gap] = [from_line(line) for line in data.split(b"\n")]
    return [row for row in found if isinstance(row, EventRow)]
