"""Events as they travel: JSON lines, one event each, consecutive numbers of one log in one message.

The lines are made from the columns of the store without decoding the event, and `body` has the event as the device sent
it. A reader in any language needs a JSON parser and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EventRow:
    """One event as the store of a gateway has it. `fields` is JSON text; `message` is the number of its kind."""

    device: int
    log: bytes
    seq: int
    message: int
    name: str
    boot: int
    uptime_s: float
    utc_s: int
    round: int
    deck: int
    fields: str
    body: bytes
    received: float
    gateway: str = ""


def to_lines(rows: Sequence[EventRow]) -> bytes:
    return "\n".join(map(_line, rows)).encode()


def _line(row: EventRow) -> str:
    return (
        f'{{"device":"{row.device:08x}","log":"{row.log.hex()}","seq":{row.seq},"message":{row.message},'
        f'"name":"{row.name}","boot":{row.boot},"uptime_s":{row.uptime_s!r},"utc_s":{row.utc_s},"round":{row.round},'
        f'"deck":{row.deck},"received":{row.received!r},"gateway":{json.dumps(row.gateway)},'
        f'"fields":{row.fields},"body":"{row.body.hex()}"}}'
    )


def from_lines(data: bytes) -> list[EventRow]:
    """ValueError if the data is something else."""
    try:
        return [_row(json.loads(line)) for line in data.splitlines()]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no event: {error!r}") from error


def _row(said: Any) -> EventRow:
    return EventRow(
        device=int(said["device"], 16),
        log=bytes.fromhex(said["log"]),
        seq=int(said["seq"]),
        message=int(said["message"]),
        name=str(said["name"]),
        boot=int(said["boot"]),
        uptime_s=float(said["uptime_s"]),
        utc_s=int(said["utc_s"]),
        round=int(said["round"]),
        deck=int(said["deck"]),
        fields=json.dumps(dict(said["fields"])),
        body=bytes.fromhex(said["body"]),
        received=float(said["received"]),
        gateway=str(said["gateway"]),
    )
