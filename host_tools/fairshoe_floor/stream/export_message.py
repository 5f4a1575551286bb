"""A pulled journal as it travels: one JSON object, with the export as text."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from fairshoe_floor import schema_check as are
from fairshoe_floor.journals import JournalPull
from fairshoe_floor.schema_check import Check, Refused
from fairshoe_floor.stream.event_lines import GATEWAY, LOG, SECONDS

BYTES_MAX = 900_000  # of the broker's 1 MB; an export of 329 records has 75,000


def _ascii(value: object) -> bytes:
    """The lines of an export: what is wrong with one is found when it is checked against the events."""
    if not isinstance(value, str) or not value.isascii() or "\0" in value:
        raise Refused("it is no text in ASCII")
    return value.encode()


_CHECKS: dict[str, Check] = {
    "gateway": GATEWAY,
    "device": are.device,
    "log": LOG,
    "kept_at": SECONDS,
    "first": are.whole(0, are.U32),
    "last": are.whole(0, are.U32),
    "problem": are.text(),
    "export": _ascii,
    "number": lambda value: _COUNT(0 if value is None else value),  # exports of version 0.1 have none
}
_COUNT = are.whole(0, are.BIGINT)


def to_message(kept: JournalPull, gateway: str) -> bytes:
    said = {
        "gateway": gateway,
        "device": f"{kept.device:08x}",
        "log": kept.log.hex(),
        "kept_at": kept.kept_at,
        "first": kept.first,
        "last": kept.last,
        "problem": are.clean_text(kept.problem),
        "export": kept.content.decode("ascii"),
    }
    if kept.number:
        said["number"] = kept.number
    return json.dumps(said).encode()


def name_of(kept: JournalPull, gateway: str) -> bytes:
    """The same for the same export, wherever it stands in the file of its gateway."""
    return hashlib.sha256(to_message(replace(kept, number=0), gateway)).digest()


def from_message(data: bytes) -> tuple[str, JournalPull]:
    """The gateway and what it has pulled. Refused, with the reason, if the data is something else."""
    said = are.fields(are.load(data), _CHECKS)
    gateway, content = said.pop("gateway"), said.pop("export")
    return gateway, JournalPull(**said, content=content)
