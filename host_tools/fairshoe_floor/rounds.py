"""Rounds from the events on file, newest first, for every Reader: going back in a log, the end of a round is met before
its beginning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from fairshoe.games.rounds import Stage
from fairshoe.messages import Fault, RoundEnded, RoundStarted, RoundVoided
from fairshoe_floor.reader import Round

KINDS = (RoundStarted.NAME, RoundEnded.NAME, RoundVoided.NAME)
PAGE = 64


class RoundEvent(NamedTuple):
    """One event of these kinds."""

    seq: int
    name: str
    round: int
    fields: Mapping[str, Any]
    received: float


def rounds_back(
    device: int,
    log: bytes,
    before: int,
    limit: int,
    page: Callable[[int], Sequence[RoundEvent]],
    last_seq: Callable[[], int],
) -> list[Round]:
    """At most `limit` rounds of a log that began before this number. `page` returns up to PAGE events of these KINDS
    before a number, newest first; `last_seq` the number of the newest event of the log."""
    found: list[Round] = []
    over: RoundEvent | None = None
    last = 0
    while len(found) < limit:
        rows = page(before)
        if not rows:
            return found
        for row in rows:
            if row.name == RoundStarted.NAME:
                if len(found) < limit:
                    last = last or last_seq()
                    found.append(_round(device, log, row, over if over and over.round == row.round else None, last))
                over = None
            else:
                over = row
            before = row.seq
    return found


def _round(device: int, log: bytes, start: RoundEvent, over: RoundEvent | None, last: int) -> Round:
    if over is None:
        stage = Stage.DEALING
    else:
        stage = Stage.ENDED if over.name == RoundEnded.NAME else Stage.VOID
    made = Round(
        device,
        log,
        start.round,
        start.seq,
        over.seq if over else last,
        start.received,
        over.received if over else None,
        stage.value,
        start.fields["game"],
        start.fields["positions"],
    )
    if over is None:
        return made
    end = over.fields
    values = vars(made) | {name: end[name] for name in ("stacks", "dealt", "remainder", "clause") if name in end}
    values["fault"] = Fault.__members__.get(str(end.get("warning", "none")).upper(), Fault.UNRECOGNISED)
    return Round(**values)
