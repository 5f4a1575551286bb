"""What `fairshoe table books` says: audit, replay, meters, links, rounds, the sheet of a shift, an export."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from fairshoe.errors import UsageError
from fairshoe_table.books import rack
from fairshoe_table.books.books import EXPORTED, Books
from fairshoe_table.rules.money import DOLLAR, dollars

_AMOUNT = re.compile(r"\$?([0-9]{1,12})(?:\.([0-9]{1,2}))?")


@dataclass(frozen=True)
class BooksAnswer:
    """As text and as data; `page` is a page to print, and `wrong` says that something does not agree."""

    text: str
    data: Any
    page: str = ""
    wrong: bool = False


def enter(books: Books, kind: str, amount: str, by: str, note: str, slip: str, of: int = 0) -> str:
    """Enter something about the rack; the answer in words."""
    entry = books.rack.add(kind, _cents(amount), by, note, slip, of)
    shift = books.rack.shift(entry.shift)
    said = f"shift {entry.shift}: {entry.kind} {dollars(entry.cents)} by {entry.by}"
    if not shift.closed:
        return said
    return f"{said}; win counted {dollars(shift.counted)}, by the lines {dollars(shift.win)}, difference " + dollars(
        shift.difference
    )


def void(books: Books, by: str, reason: str) -> BooksAnswer:
    """Void the open round without its game; what to give back."""
    lines = books.void_unread(by, reason, over=True)
    returned = "\n".join(f"seat {line.seat}: return {dollars(line.stake)}" for line in lines)
    return BooksAnswer(returned or "no wagers", None)


def _cents(text: str) -> int:
    found = _AMOUNT.fullmatch(text.replace(",", ""))
    if found is None:
        raise UsageError(f"{text[:40]!r} is no amount in whole cents.", "Dollars, as 25000 or 12.50.")
    return int(found[1]) * DOLLAR + int((found[2] or "").ljust(2, "0"))


def look(books: Books, what: str, shift: int, rows: str) -> BooksAnswer:
    match what:
        case "audit":
            return _agree(books.audit(), "the books agree: money is conserved, lines are what was moved")
        case "replay":
            return _agree(books.replay(), "every round settles again to the same lines and balances")
        case "shift":
            return _shift(books, shift or books.rack.last_shift())
        case "export":
            if rows:
                return BooksAnswer(rack.as_csv(books.rows(rows)), books.rows(rows))
            text = f"--rows NAME gives CSV, --json everything. Rows: {', '.join(EXPORTED)}"
            return BooksAnswer(text, {it: books.rows(it) for it in EXPORTED})
        case _:
            names = {"meters": ("link", "pool", "name", "cents", "seed"), "links": ("link", "tbl", "facts")}
            found = books.rows(what)
            shown = names.get(what, ("id", "game", "device", "shoe_round", "over", "program", "began"))
            text = [" ".join(str(row[name]) for name in shown) for row in found]
            return BooksAnswer("\n".join(text) or f"no {what}", found)


def _agree(wrong: list[str], text: str) -> BooksAnswer:
    return BooksAnswer("\n".join(wrong) or text, {"agrees": not wrong, "findings": wrong}, wrong=bool(wrong))


def _shift(books: Books, number: int) -> BooksAnswer:
    if not 1 <= number <= books.rack.last_shift():
        raise UsageError(f"no shift {number}.", "Enter an opening first: `fairshoe table rack`.")
    shift = books.rack.shift(number)
    sheet = rack.rows(shift)
    head = f"{shift.table}, shift {number}, {'closed' if shift.closed else 'open'}"
    text = [head, *(f"  {name:<36}{dollars(cents):>16}" for name, cents in sheet)]
    data = {"shift": number, "closed": shift.closed, **dict(sheet), "entries": [asdict(it) for it in shift.entries]}
    return BooksAnswer("\n".join(text), data, rack.page(shift))
