"""The table's books in one SQLite file: inputs, lines of settlements, transfers, accounts and meters.

An input and everything that follows from it are one transaction: the line of a settlement is booked with its cause or
not at all, and its key is unique, so a program that was killed anywhere books nothing twice. Several tables may share a
file; then they share meters too, if `link` says so.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fairshoe.errors import UsageError
from fairshoe.games.jackpot_links import TableFacts, link_objections
from fairshoe_table.ledger import TRAY, Line, Outcome, Transfer, Wager, layout, player, transfers
from fairshoe_table.meters import FIVE_CARD, PROGRESSIVE, Meter, Meters
from fairshoe_table.options import Options
from fairshoe_table.plays import Input, Play, apply, meter_stakes, new_play, settle

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rounds (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, game TEXT NOT NULL, shoe_round INTEGER, over INTEGER NOT NULL DEFAULT 0,
    progressive INTEGER NOT NULL DEFAULT 0, five_card INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX IF NOT EXISTS one_open_round ON rounds (tbl) WHERE over = 0;
CREATE TABLE IF NOT EXISTS inputs (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0, UNIQUE (round, key));
CREATE TABLE IF NOT EXISTS lines (
    round INTEGER NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, line TEXT NOT NULL, cause INTEGER NOT NULL,
    PRIMARY KEY (round, key, version));
CREATE TABLE IF NOT EXISTS transfers (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, cause INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    cents INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS meters (
    link TEXT NOT NULL, pool TEXT NOT NULL, name TEXT NOT NULL, cents INTEGER NOT NULL, seed INTEGER NOT NULL,
    rate INTEGER NOT NULL, carry INTEGER NOT NULL, PRIMARY KEY (link, pool, name));
CREATE TABLE IF NOT EXISTS links (
    link TEXT NOT NULL, tbl TEXT NOT NULL PRIMARY KEY, facts TEXT NOT NULL);
"""

_ADD = "INSERT INTO accounts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET cents = cents + excluded.cents"


def _line_data(line: Line) -> str:
    return json.dumps({**asdict(line), "wager": line.wager.value, "outcome": line.outcome.value})


def _line(text: str) -> Line:
    data: dict[str, Any] = json.loads(text)
    data["wager"], data["outcome"] = Wager(data["wager"]), Outcome(data["outcome"])
    return Line(**data)


class Books:
    """The books of one table. One open round at a time."""

    def __init__(self, path: Path | str, table: str = "table-1", link: str = "") -> None:
        self.table = table
        self.link = link or table
        self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Books:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # -- rounds -------------------------------------------------------------------------------------------------------

    def open_round(self, game: str) -> int:
        """The round that is open at this table, or a new one."""
        with self._transaction() as db:
            row = db.execute("SELECT id, game FROM rounds WHERE tbl = ? AND over = 0", (self.table,)).fetchone()
            if row is not None and row[1] != game:
                raise UsageError(f"a round of {row[1]} is open at {self.table}.", "Finish it first.")
            if row is not None:
                return int(row[0])
            found = db.execute("INSERT INTO rounds (tbl, game) VALUES (?, ?)", (self.table, game)).lastrowid
            assert found is not None
            return found

    def inputs(self, number: int) -> list[Input]:
        rows = self._db.execute("SELECT key, kind, data FROM inputs WHERE round = ? ORDER BY id", (number,))
        return [Input(key, kind, json.loads(data)) for key, kind, data in rows]

    def play(self, number: int, options: Options) -> Play:
        """The round, rebuilt from the reported facts."""
        row = self._db.execute("SELECT game FROM rounds WHERE id = ?", (number,)).fetchone()
        play = new_play(row[0], options)
        for told in self.inputs(number):
            play = apply(play, told)
        return play

    def record(self, number: int, told: Input, options: Options, seq: int = 0) -> list[Line]:
        """Book an input and all that follows from it; the lines that were booked now. A key that is there already
        changes nothing."""
        with self._transaction() as db:
            if db.execute("SELECT 1 FROM inputs WHERE round = ? AND key = ?", (number, told.key)).fetchone():
                return []
            before = self.play(number, options)
            after = apply(before, told)
            cause = db.execute(
                "INSERT INTO inputs (round, key, kind, data, seq) VALUES (?, ?, ?, ?, ?)",
                (number, told.key, told.kind, json.dumps(dict(told.data)), seq),
            ).lastrowid
            assert cause is not None
            placed = after.stakes[len(before.stakes) :]
            self._move(number, cause, [Transfer(player(seat), layout(seat), cents) for seat, _, cents in placed])
            self._contribute(number, cause, after)
            booked = self._settle(number, cause, after)
            if told.kind == "over":
                self._finish(number)
            return booked

    def _finish(self, number: int) -> None:
        left = self._db.execute(
            "SELECT name, cents FROM accounts WHERE name LIKE ? AND cents != 0", (f"{self.table}/layout%",)
        ).fetchall()
        if left:
            raise UsageError(f"round {number} is over and wagers lie on the layout: {left}.", "Settle them first.")
        self._db.execute("UPDATE rounds SET over = 1 WHERE id = ?", (number,))

    # -- money --------------------------------------------------------------------------------------------------------

    def _account(self, name: str) -> str:
        """Meters belong to the link, all else to the table."""
        return f"{self.link}/{name}" if name.startswith("meter ") else f"{self.table}/{name}"

    def _move(self, number: int, cause: int, moves: Iterable[Transfer]) -> None:
        for move in moves:
            if not move.cents:
                continue
            source, target = self._account(move.source), self._account(move.target)
            self._db.execute(
                "INSERT INTO transfers (round, cause, source, target, cents) VALUES (?, ?, ?, ?, ?)",
                (number, cause, source, target, move.cents),
            )
            for name, cents in ((source, -move.cents), (target, move.cents)):
                self._db.execute(_ADD, (name, cents))

    def _contribute(self, number: int, cause: int, play: Play) -> None:
        """Bring the contribution of the round up to its wagers; those of void hands come back out of the meter."""
        row = self._db.execute("SELECT progressive, five_card FROM rounds WHERE id = ?", (number,)).fetchone()
        wanted = meter_stakes(play)
        for pool, column, old, new in zip(
            (PROGRESSIVE, FIVE_CARD), ("progressive", "five_card"), row, wanted, strict=True
        ):
            meters = self.meters(pool)
            if meters is None or old == new:
                continue
            meters, moves = meters.contribute(new - old)
            self._save(meters)
            self._move(number, cause, moves)
            self._db.execute(f"UPDATE rounds SET {column} = ? WHERE id = ?", (new, number))

    def _settle(self, number: int, cause: int, play: Play) -> list[Line]:
        """Book lines that are new. A booked line is final, unless the hand has become void since."""
        due = settle(play, self.meters(PROGRESSIVE), self.meters(FIVE_CARD))
        booked = {line.key: (line, version) for line, version in self._lines(number)}
        fresh: list[Line] = []
        for line in due.lines:
            old = booked.get(line.key)
            if old is not None and (old[0] == line or line.outcome is not Outcome.VOID):
                continue
            if old is not None:
                self._reverse(number, cause, old[0])
            version = old[1] + 1 if old is not None else 1
            self._db.execute(
                "INSERT INTO lines VALUES (?, ?, ?, ?, ?)", (number, line.key, version, _line_data(line), cause)
            )
            self._move(number, cause, transfers(line))
            fresh.append(line)
        for meters in (due.progressive, due.five_card):
            if meters is not None and any(line.source.startswith(f"meter {meters.pool}/") for line in fresh):
                self._save(meters)
        if any(line.source.startswith("meter ") for line in fresh):
            self._move(number, cause, due.moves)
        return fresh

    def _reverse(self, number: int, cause: int, line: Line) -> None:
        if line.source != TRAY:
            raise UsageError(f"a jackpot was paid and the hand is void now: {line}.", "A supervisor decides.")
        self._move(number, cause, [Transfer(it.target, it.source, it.cents) for it in transfers(line)])

    def _lines(self, number: int) -> list[tuple[Line, int]]:
        rows = self._db.execute("SELECT line, version FROM lines WHERE round = ? ORDER BY rowid", (number,))
        return [(_line(text), int(version)) for text, version in rows]

    def lines(self, number: int) -> list[Line]:
        """The lines that stand, in the order in which they were booked."""
        newest: dict[str, Line] = {}
        for line, _version in self._lines(number):
            newest.pop(line.key, None)
            newest[line.key] = line
        return list(newest.values())

    def balances(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT name, cents FROM accounts ORDER BY name"))

    def rounds_over(self) -> int:
        row = self._db.execute("SELECT COUNT(*) FROM rounds WHERE tbl = ? AND over = 1", (self.table,)).fetchone()
        return int(row[0])

    def shoe_rounds(self) -> dict[int, str]:
        """By the number that the shoe gave it, how each round of this table ended: "ended" or "void"."""
        rows = self._db.execute(
            "SELECT r.id, i.data, EXISTS (SELECT 1 FROM inputs v WHERE v.round = r.id AND v.key = 'void') "
            "FROM rounds r JOIN inputs i ON i.round = r.id AND i.key = 'closed' WHERE r.tbl = ? AND r.over = 1",
            (self.table,),
        )
        return {int(json.loads(data)["round"]): "void" if void else "ended" for _, data, void in rows}

    def audit(self) -> list[str]:
        """What does not agree: accounts that are not their transfers, money made or lost, meters that are not their
        accounts, rounds whose journal settles otherwise."""
        found: list[str] = []
        balances = self.balances()
        if sum(balances.values()):
            found.append(f"all accounts together are {sum(balances.values())} cents and not 0")
        moved: dict[str, int] = {}
        for source, target, cents in self._db.execute("SELECT source, target, cents FROM transfers"):
            moved[source] = moved.get(source, 0) - cents
            moved[target] = moved.get(target, 0) + cents
        found += [f"account {name}: {cents} cents, its transfers say {moved.get(name, 0)}"
                  for name, cents in balances.items() if moved.get(name, 0) != cents]  # fmt: skip
        for link, pool, name, cents in self._db.execute("SELECT link, pool, name, cents FROM meters"):
            if balances.get(f"{link}/meter {pool}/{name}", 0) != cents:
                found.append(f"meter {link}/{pool}/{name} shows {cents} cents, its account has another amount")
        return found

    # -- meters -------------------------------------------------------------------------------------------------------

    def meters(self, pool: str) -> Meters | None:
        rows = self._db.execute(
            "SELECT name, cents, seed, rate, carry FROM meters WHERE link = ? AND pool = ? ORDER BY name",
            (self.link, pool),
        ).fetchall()
        return Meters(pool, {name: Meter(*rest) for name, *rest in rows}) if rows else None

    def start_meters(self, meters: Meters) -> None:
        """Put the seeds in, once: meters that are there stay as they are."""
        with self._transaction():
            if self.meters(meters.pool) is not None:
                return
            self._save(meters)
            for name, meter in meters.by_name.items():
                self._move(0, 0, [Transfer("house", f"meter {meters.pool}/{name}", meter.cents)])

    def _save(self, meters: Meters) -> None:
        for name, meter in meters.by_name.items():
            self._db.execute(
                "INSERT OR REPLACE INTO meters VALUES (?, ?, ?, ?, ?, ?, ?)",
                (self.link, meters.pool, name, meter.cents, meter.seed, meter.rate, meter.carry),
            )

    def join_link(self, facts: TableFacts) -> None:
        """Share the meters of the link with the tables in it, if pay tables, wagers and decks agree (CS 12(n))."""
        with self._transaction() as db:
            rows = db.execute("SELECT tbl, facts FROM links WHERE link = ?", (self.link,)).fetchall()
            tables: Mapping[str, TableFacts] = {name: TableFacts(**json.loads(text)) for name, text in rows}
            objections = link_objections({**tables, self.table: facts})
            if objections:
                raise UsageError(f"{self.table} may not join {self.link}: {objections[0]} (CS 12(n)).", "Correct it.")
            data: dict[str, Any] = asdict(facts)
            db.execute("INSERT OR REPLACE INTO links VALUES (?, ?, ?)", (self.link, self.table, json.dumps(data)))
