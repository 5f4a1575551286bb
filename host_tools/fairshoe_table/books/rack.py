"""The rack of a table, shift by shift: opening, fills, credits, drop and closing, held against what was settled.

    drop + closing + credits - opening - fills = win

The left side is counted by people; the right side is what the lines of the settlement moved into and out of the tray
in that shift. The difference is shown, and never booked away. A coupon that was part of a wager goes into the drop box
when the wager is won or lost (CS 6(a), 6(c), ruling `coupons`): it counts in the win, and is counted as a coupon in the
drop, beside cash. Payments from meters and from the house do not come out of the rack, and the share of
a wager that goes to a meter does not leave it: they are listed beside the win.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from fairshoe.errors import UsageError
from fairshoe.look import report_style
from fairshoe_table.play.inputs import check_lines
from fairshoe_table.rules.ledger import COUPON_BOX, HOUSE, TRAY
from fairshoe_table.rules.money import dollars

if TYPE_CHECKING:
    import sqlite3

OPENING, CLOSING, FILL, CREDIT, CASH, COUPON = "opening", "closing", "fill", "credit", "drop", "coupon"
KINDS = (OPENING, FILL, CREDIT, CASH, COUPON, CLOSING)
CENTS_MAX = 10**12  # of one entry


@dataclass(frozen=True)
class Entry:
    """Something that a person counted or carried. `note` has the number of a slip, or of a coupon."""

    shift: int
    kind: str
    cents: int
    note: str
    by: str
    utc: str


@dataclass(frozen=True)
class Shift:
    """One shift: what people counted, and what the books settled; `closing` is None while it is open."""

    table: str
    number: int
    entries: tuple[Entry, ...]
    win: int  # by the lines: into the tray, less what was paid out of it
    contributions: int  # to meters
    other: int  # paid from meters and by the house
    coupons: int  # of wagers that were won or lost, part of the win
    outside: int = 0  # win of this table while no shift was open: on no sheet

    def total(self, *kinds: str) -> int:
        return sum(entry.cents for entry in self.entries if entry.kind in kinds)

    @property
    def closed(self) -> bool:
        return any(entry.kind == CLOSING for entry in self.entries)

    @property
    def counted(self) -> int:
        """The win by what was counted: drop + closing + credits - opening - fills."""
        return self.total(CASH, COUPON, CLOSING, CREDIT) - self.total(OPENING, FILL)

    @property
    def expected(self) -> int:
        """What must lie in the rack now."""
        coupons = max(self.total(COUPON), self.coupons)  # in the drop box before the drop is counted
        return self.total(OPENING, FILL) - self.total(CASH, CREDIT) - coupons + self.win

    @property
    def difference(self) -> int:
        """More than 0: the rack has more than the books say."""
        return self.counted - self.win if self.closed else 0


class Rack:
    """The rack of one table, in the same file as its books."""

    def __init__(self, db: sqlite3.Connection, table: str, now: Callable[[], str]) -> None:
        self._db, self._table, self._now = db, table, now

    def open_shift(self) -> int:
        """The shift that is open; 0: none."""
        row = self._db.execute(
            "SELECT MAX(shift), SUM(kind = 'closing') FROM rack WHERE tbl = ? AND shift ="
            " (SELECT MAX(shift) FROM rack WHERE tbl = ?)",
            (self._table, self._table),
        ).fetchone()
        return int(row[0]) if row[0] is not None and not row[1] else 0

    def last_shift(self) -> int:
        row = self._db.execute("SELECT MAX(shift) FROM rack WHERE tbl = ?", (self._table,)).fetchone()
        return int(row[0] or 0)

    def add(self, kind: str, cents: int, by: str, note: str = "", key: str = "", shift: int = 0) -> Entry:
        """Enter it. An opening begins a shift, a closing ends it; cash and coupons of the drop may still be counted
        after that, and of an earlier `shift` than the last. The same `key` again changes nothing: a slip has its number
        once."""
        if kind not in KINDS or type(cents) is not int or not 0 <= cents <= CENTS_MAX:
            raise UsageError(f"{kind} of {cents} cents?", f"One of {', '.join(KINDS)}, in whole cents.")
        if not by.strip():
            raise UsageError(f"{kind} without a name.", "Enter who counted or carried it.")
        check_lines(by, note, key)
        if key.startswith("("):
            raise UsageError(f"{key}: slips in brackets are numbered by the books.", "Enter the slip's own number.")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            entry = self._add(kind, cents, by.strip(), note.strip(), key, shift)
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        return entry

    def _add(self, kind: str, cents: int, by: str, note: str, key: str, of: int) -> Entry:
        known = self._db.execute(
            "SELECT shift, kind, cents, note, by, utc FROM rack WHERE tbl = ? AND key = ?", (self._table, key)
        ).fetchone()
        if key and known is not None:
            entry = Entry(*known)
            if (entry.kind, entry.cents, entry.by, entry.shift) != (kind, cents, by, of or self.last_shift()):
                was = f"{entry.kind} of {dollars(entry.cents)} in shift {entry.shift}"
                raise UsageError(f"{key} was entered as {was}.", "Check the slip.")
            return entry
        shift = self._shift_for(kind, of)
        entry = Entry(shift, kind, cents, note, by, self._now())
        row = (self._table, shift, kind, cents, key or f"({shift}.{self._entries(shift)})", note, by, entry.utc)
        self._db.execute(
            "INSERT INTO rack (tbl, shift, kind, cents, key, note, by, utc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row
        )
        return entry

    def _entries(self, shift: int) -> int:
        found = "SELECT COUNT(*) FROM rack WHERE tbl = ? AND shift = ?"
        return int(self._db.execute(found, (self._table, shift)).fetchone()[0]) + 1

    def _shift_for(self, kind: str, of: int) -> int:
        now, last = self.open_shift(), self.last_shift()
        if of and (kind not in (CASH, COUPON) or not 1 <= of <= last):
            raise UsageError(f"{kind} of shift {of}?", "Only the drop is counted later, of a shift that was opened.")
        if kind == OPENING:
            if now:
                raise UsageError(f"shift {now} is open.", "Count the rack and close it first.")
            return last + 1
        if kind in (CASH, COUPON) and last:
            return of or last
        if not now:
            raise UsageError("no shift is open.", "Count the rack and enter the opening first.")
        if kind == CLOSING and self._wagers():
            raise UsageError("wagers of the open round lie on the layout.", "Finish the round first.")
        return now

    def _wagers(self) -> int:
        names = "SELECT SUM(cents) FROM accounts WHERE substr(name, 1, ?) = ?"
        name = f"{self._table}/layout "
        return int(self._db.execute(names, (len(name), name)).fetchone()[0] or 0)

    def entries(self, number: int) -> tuple[Entry, ...]:
        """What people entered in one shift, in its order."""
        found = self._db.execute(
            "SELECT shift, kind, cents, note, by, utc FROM rack WHERE tbl = ? AND shift = ? ORDER BY id",
            (self._table, number),
        )
        return tuple(Entry(*row) for row in found)

    def shift(self, number: int) -> Shift:
        """One shift, with what was settled in it."""
        entries = self.entries(number)
        win, contributions, other, coupons = 0, 0, 0, 0
        moved = self._db.execute(
            "SELECT t.source, t.target, SUM(t.cents) FROM transfers t JOIN inputs i ON i.id = t.cause"
            " JOIN rounds r ON r.id = t.round WHERE r.tbl = ? AND i.shift = ? GROUP BY t.source, t.target",
            (self._table, number),
        )
        for source, target, cents in moved:
            match self._place(source), self._place(target):
                case "box", _:
                    coupons -= cents
                case _, "box":
                    coupons += cents
                case "tray", "bank":
                    contributions += cents
                case "bank", "tray":  # the house makes up for a contribution: no chip moves
                    contributions -= cents
                case "tray", _:
                    win -= cents
                case _, "tray":
                    win += cents
                case "bank", "":
                    other += cents
                case "", "bank":
                    other -= cents
                case _:
                    pass
        outside = self.shift(0).win if number else 0
        return Shift(self._table, number, entries, win + coupons, contributions, other, coupons, outside)

    def _place(self, name: str) -> str:
        """Where the money of an account is: the rack, the drop box, or a bank, which is the house and every meter."""
        own = name.removeprefix(f"{self._table}/")
        return {TRAY: "tray", COUPON_BOX: "box", HOUSE: "bank"}.get(own, "bank" if "/" in own else "")

    def shifts(self) -> list[Shift]:
        return [self.shift(number) for number in range(1, self.last_shift() + 1)]


# --- what is printed ---------------------------------------------------------------------------


def rows(shift: Shift) -> list[tuple[str, int]]:
    """The sheet of a shift, in its order. What the books expect only after the closing: the count is blind."""
    counted = [
        ("drop, cash", shift.total(CASH)),
        ("drop, coupons (CS 6(a), 6(c))", shift.total(COUPON)),
        ("closing", shift.total(CLOSING)),
        ("credits", shift.total(CREDIT)),
        ("opening", -shift.total(OPENING)),
        ("fills", -shift.total(FILL)),
    ]
    if not shift.closed:
        return counted
    return [
        *counted,
        ("win, counted", shift.counted),
        ("win, by the lines", shift.win),
        ("difference", shift.difference),
        ("expected in the rack", shift.expected),
        ("coupons of wagers won or lost", shift.coupons),
        ("contributions to meters", shift.contributions),
        ("paid from meters and by the house", shift.other),
        *([("win while no shift was open", shift.outside)] if shift.outside else []),
    ]


def page(shift: Shift) -> str:
    """A sheet to print and to sign."""
    state = "closed" if shift.closed else "OPEN"
    sheet = "".join(f"<tr><th>{escape(name)}</th><td>{escape(dollars(cents))}</td></tr>" for name, cents in rows(shift))
    entries = "".join(
        f"<tr><td>{escape(it.utc)}</td><td>{escape(it.kind)}</td><td>{escape(dollars(it.cents))}</td>"
        f"<td>{escape(it.note)}</td><td>{escape(it.by)}</td></tr>"
        for it in shift.entries
    )
    style = f"{report_style()}main{{max-width:44rem}}th{{font-weight:400}}p{{margin-top:3em}}"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Shift {shift.number} of {escape(shift.table)}</title>"
        f"<style>{style}</style><main><h1>{escape(shift.table)}, shift {shift.number}, {state}</h1>"
        f"<table>{sheet}</table><h2>Entries (UTC)</h2><table>{entries}</table>"
        "<p>Dealer ____________________ Supervisor ____________________"
        "</p></main></html>"
    )


def as_csv(found: list[dict[str, object]]) -> str:
    """Rows of one shape as CSV. A text that a spreadsheet would run as a formula gets a quote in front."""
    text = io.StringIO()
    if found:
        writer = csv.DictWriter(text, list(found[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _plain(it) for name, it in row.items()} for row in found)
    return text.getvalue()


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
