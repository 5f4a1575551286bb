"""Lines, transfers, accounts and meters in the file of the books. Each call is part of a transaction of the books."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from fairshoe_table.rules.ledger import Line, Outcome, Transfer
from fairshoe_table.rules.meters import Meter, Meters

NOTHING = "null"  # in place of a line that was reversed and has no successor
ADD = "INSERT INTO accounts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET cents = cents + excluded.cents"
_SELDOM = ("state", "coupon")  # left out where a line has none


def line_data(line: Line) -> str:
    data = {**asdict(line), "outcome": line.outcome.value}
    return json.dumps({name: value for name, value in data.items() if name not in _SELDOM or value})


@lru_cache(maxsize=1024)  # a desk reads the lines of its round at every status
def _line(text: str) -> Line:
    data: dict[str, Any] = json.loads(text)
    data["outcome"] = Outcome(data["outcome"])
    return Line(**data)


class Accounts:
    """Of one table, and the meters of its link."""

    def __init__(self, db: sqlite3.Connection, table: str, link: str, now: Callable[[], str]) -> None:
        self._db, self.table, self.link, self._now = db, table, link, now

    def _account(self, name: str) -> str:
        """Meters belong to the link, all else to the table."""
        return f"{self.link}/{name}" if name.startswith("meter ") else f"{self.table}/{name}"

    def move(self, number: int, cause: int, moves: Iterable[Transfer]) -> None:
        for move in moves:
            if not move.cents:
                continue
            source, target = self._account(move.source), self._account(move.target)
            self._db.execute(
                "INSERT INTO transfers (round, cause, source, target, cents, utc) VALUES (?, ?, ?, ?, ?, ?)",
                (number, cause, source, target, move.cents, self._now()),
            )
            for name, cents in ((source, -move.cents), (target, move.cents)):
                self._db.execute(ADD, (name, cents))

    def book(self, number: int, cause: int, key: str, text: str) -> None:
        row = self._db.execute("SELECT COUNT(*) FROM lines WHERE round = ? AND key = ?", (number, key)).fetchone()
        self._db.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?)", (number, key, row[0] + 1, text, cause))

    def put(self, number: int, cause: int, line: Line, moves: Iterable[Transfer]) -> Line:
        self.book(number, cause, line.key, line_data(line))
        self.move(number, cause, moves)
        return line

    def history(self, number: int) -> list[tuple[str, Line | None]]:
        """Every line that was booked, in that order, by its key; None: reversed, without a successor."""
        rows = self._db.execute("SELECT key, line FROM lines WHERE round = ? ORDER BY rowid", (number,))
        return [(key, None if text == NOTHING else _line(text)) for key, text in rows]

    def lines(self, number: int) -> list[Line]:
        """The lines that stand, in the order in which they were booked."""
        newest: dict[str, Line] = {}
        for key, line in self.history(number):
            newest.pop(key, None)
            if line is not None:
                newest[key] = line
        return list(newest.values())

    def balances(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT name, cents FROM accounts ORDER BY name"))

    def on_the_layout(self) -> list[tuple[int, int]]:
        """Cents that lie before each seat."""
        start = f"{self.table}/layout "
        found = self._db.execute("SELECT name, cents FROM accounts WHERE substr(name, 1, ?) = ?", (len(start), start))
        return sorted((int(name[len(start) :]), cents) for name, cents in found if cents)

    def meters(self, pool: str) -> Meters | None:
        rows = self._db.execute(
            "SELECT name, cents, seed, rate, carry, owed FROM meters WHERE link = ? AND pool = ? ORDER BY name",
            (self.link, pool),
        ).fetchall()
        return Meters(pool, {name: Meter(*rest) for name, *rest in rows}) if rows else None

    def contributed(self, number: int) -> dict[str, int]:
        """Cents of wagers of a round that have contributed, by pool."""
        return dict(self._db.execute("SELECT pool, stake FROM contributions WHERE round = ?", (number,)).fetchall())

    def contributes(self, number: int, pool: str, stake: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO contributions VALUES (?, ?, ?)", (number, pool, stake))

    def save(self, meters: Meters) -> None:
        for name, meter in meters.by_name.items():
            self._db.execute(
                "INSERT OR REPLACE INTO meters VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (self.link, meters.pool, name, meter.cents, meter.seed, meter.rate, meter.carry, meter.owed),
            )
