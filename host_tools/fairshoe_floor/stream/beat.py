"""A sign of life of a publisher and its gateway, which is also the claim of their name."""

from __future__ import annotations

import json
from dataclasses import dataclass

from fairshoe_floor import schema_check as are
from fairshoe_floor.schema_check import Check
from fairshoe_floor.stream.event_lines import GATEWAY


@dataclass(frozen=True)
class Beat:
    """`store` is the identity of the gateway's store, `beat` counts, `age_s` is the time that the gateway has seen
    pass: so a publisher that runs reports a gateway that does not. `trouble` says why events wait; empty: they do
    not."""

    name: str
    store: str
    beat: int
    age_s: float
    trouble: str = ""


_CHECKS: dict[str, Check] = {
    "name": GATEWAY,
    "store": are.text(64),
    "beat": are.whole(0, are.BIGINT),
    "age_s": are.real(0, are.SECONDS_MAX),
    "trouble": lambda value: _TROUBLE("" if value is None else value),  # version 0.1 says nothing of it
}
_TROUBLE = are.text()


def to_beat(beat: Beat) -> bytes:
    return json.dumps(vars(beat)).encode()


def from_beat(data: bytes) -> Beat:
    """Refused if it is none."""
    return Beat(**are.fields(are.load(data), _CHECKS))
