"""Whether books agree with themselves, and what they hold of the rounds of a shoe."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import NamedTuple

from fairshoe_table.books.accounts import Accounts
from fairshoe_table.play import registry


class ShoeRound(NamedTuple):
    """How a round ended, "ended", "void", or "house" if a supervisor voided it, whatever the shoe says; the seats with
    a wager, the clause that made it void, and in a game that is drawn by hand the cards of a round that has ended."""

    how: str
    seats: int
    clause: str
    drawn: int = 0


def shoe_rounds(db: sqlite3.Connection, table: str, device: str = "", log: str = "") -> dict[int, ShoeRound]:
    """By the number that the shoe gave it, every round of this table that is over; of one shoe and log, or all."""
    rows = db.execute(
        "SELECT r.id, r.game, c.data, v.data, "
        "(SELECT COUNT(*) FROM inputs w WHERE w.round = r.id AND w.kind = 'wager' AND INSTR(w.key, '.') = 0) "
        "FROM rounds r JOIN inputs c ON c.round = r.id AND c.key = 'closed' "
        "LEFT JOIN inputs v ON v.round = r.id AND v.key = 'void' "
        "WHERE r.tbl = ? AND r.over = 1 AND ? IN ('', r.device) AND ? IN ('', r.log)",
        (table, device, log),
    )
    found: dict[int, ShoeRound] = {}
    for at, game, closed, void, seats in rows.fetchall():
        number = int(json.loads(closed)["round"])
        if void is not None:
            data = json.loads(void)
            found[number] = ShoeRound("house" if data.get("by") else "void", seats, data["clause"])
        else:
            kind = registry.find(game)
            keys = db.execute("SELECT key FROM inputs WHERE round = ?", (at,)) if kind.drawn else ()
            found[number] = ShoeRound("ended", seats, "", kind.cards_out([key for (key,) in keys]))
    return found


def audit(db: sqlite3.Connection, accounts: Accounts) -> list[str]:
    """What does not agree: accounts that are not their transfers, money made or lost, meters that are not their
    accounts."""
    found: list[str] = []
    balances = accounts.balances()
    if sum(balances.values()):
        found.append(f"all accounts together are {sum(balances.values())} cents and not 0")
    moved: dict[str, int] = {}
    for source, target, cents in db.execute("SELECT source, target, cents FROM transfers"):
        moved[source] = moved.get(source, 0) - cents
        moved[target] = moved.get(target, 0) + cents
    found += [f"account {name}: {cents} cents, its transfers say {moved.get(name, 0)}"
              for name, cents in balances.items() if moved.get(name, 0) != cents]  # fmt: skip
    for link, pool, name, cents in db.execute("SELECT link, pool, name, cents FROM meters"):
        if balances.get(f"{link}/meter {pool}/{name}", 0) != cents:
            found.append(f"meter {link}/{pool}/{name} shows {cents} cents, its account has another amount")
    return [*found, *_audit_lines(db, accounts)]


def _audit_lines(db: sqlite3.Connection, accounts: Accounts) -> list[str]:
    """Lines that stand against what was moved: seat, game account and layout together change by the net of them."""
    moved: dict[tuple[int, int], int] = {}
    place = re.compile(rf"{re.escape(accounts.table)}/(?:seat|game account|layout) (\d+)")
    for number, source, target, cents in db.execute("SELECT round, source, target, cents FROM transfers"):
        for name, change in ((source, -cents), (target, cents)):
            seat = place.fullmatch(name)
            if seat is not None:
                key = (number, int(seat[1]))
                moved[key] = moved.get(key, 0) + change
    nets: dict[tuple[int, int], int] = {}
    rows = db.execute("SELECT id FROM rounds WHERE tbl = ?", (accounts.table,)).fetchall()
    for line, number in ((line, row[0]) for row in rows for line in accounts.lines(row[0])):
        nets[number, line.seat] = nets.get((number, line.seat), 0) + line.net
    return [
        f"round {at[0]}, seat {at[1]}: its lines say {nets.get(at, 0)} cents, and {moved.get(at, 0)} were moved"
        for at in sorted({*moved, *nets})
        if moved.get(at, 0) != nets.get(at, 0)
    ]
