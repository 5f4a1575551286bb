"""Which shoe was at which table, and when: so that a question about a table has an answer after a swap.

The inventory of a gateway says at which table a shoe is, and since when (the gateway's start with it). Samples carry
that, and the writer notes a change. A person can correct what is on file: the swap was made at two, and the inventory
was edited at four.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from fairshoe_floor.inventory import Inventory

# An assignment that is open ends where the next one begins, never before its own beginning, and not after now: the
# clock of a gateway may be ahead.
MOVE = (
    "WITH given AS (SELECT LEAST(%(at)s::float8, extract(epoch FROM clock_timestamp())::float8) AS at),"
    " gone AS (UPDATE assignments SET ended = GREATEST((SELECT at FROM given), began + 0.001) WHERE device = %(device)s"
    " AND ended IS NULL RETURNING ended) INSERT INTO assignments (device, place, pit, gateway, began)"
    " SELECT %(device)s, %(place)s, %(pit)s, %(gateway)s, COALESCE((SELECT ended FROM gone), at) FROM given"
)


@dataclass(frozen=True)
class Assignment:
    """A device at a table, from `began` to `ended` (None: still), in UTC seconds since 1970."""

    device: int
    place: str
    pit: str
    gateway: str
    began: float
    ended: float | None = None


def assignments(
    db: psycopg.Connection[Any], place: str | None = None, since: float | None = None, until: float | None = None
) -> list[Assignment]:
    """Those that overlap a time, oldest first."""
    rows = db.execute(
        "SELECT device, place, pit, gateway, began, ended FROM assignments WHERE (%(place)s::text IS NULL"
        " OR place = %(place)s) AND (%(until)s::float8 IS NULL OR began < %(until)s)"
        " AND (%(since)s::float8 IS NULL OR ended IS NULL OR ended > %(since)s) ORDER BY place, began",
        {"place": place, "since": since, "until": until},
    )
    return [Assignment(*row) for row in rows]


def assign(db: psycopg.Connection[Any], new: Assignment) -> None:
    """Write this into the history: what is on file for the device and this time gives way. With no place the device was
    at no table."""
    end = float("inf") if new.ended is None else new.ended
    with db.transaction():
        known = db.execute(
            "DELETE FROM assignments WHERE device = %s AND began < %s AND COALESCE(ended, 'Infinity') > %s"
            " RETURNING device, place, pit, gateway, began, ended",
            (new.device, end, new.began),
        ).fetchall()
        parts = [new] if new.place else []
        for it in (Assignment(*row) for row in known):
            if it.began < new.began:
                parts.append(Assignment(it.device, it.place, it.pit, it.gateway, it.began, new.began))
            if new.ended is not None and (it.ended is None or it.ended > new.ended):
                parts.append(Assignment(it.device, it.place, it.pit, it.gateway, new.ended, it.ended))
        for it in parts:
            db.execute(
                "INSERT INTO assignments (device, place, pit, gateway, began, ended) VALUES (%s, %s, %s, %s, %s, %s)",
                tuple(vars(it).values()),
            )


def expect(db: psycopg.Connection[Any], inventories: Sequence[Inventory], now: float) -> None:
    """The shoes of these inventories, and no others, are at tables: one that was never heard gets its assignment here,
    and one that is in no inventory any more loses it. Where a shoe is, its gateway says."""
    entries = {entry.device: (entry, inventory.name) for inventory in inventories for entry in inventory.shoes}
    if not entries:
        return
    with db.transaction():
        db.execute(
            "UPDATE assignments SET ended = GREATEST(%s, began + 0.001) WHERE ended IS NULL AND device <> ALL(%s)",
            (now, list(entries)),
        )
        for device, (entry, gateway) in entries.items():
            db.execute(
                "INSERT INTO assignments (device, place, pit, gateway, began) VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT (device) WHERE ended IS NULL DO NOTHING",
                (device, entry.table, entry.pit, gateway, now),
            )
