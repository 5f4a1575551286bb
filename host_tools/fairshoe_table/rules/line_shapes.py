"""What the settlements share: a voided round, lines of common shape, the payout limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fairshoe_table.rules.ledger import Line, Outcome
from fairshoe_table.rules.money import Lose, Odds, Push, Rounding, To, divide, dollars, winnings
from fairshoe_table.rules.pay_tables import Row


@dataclass(frozen=True)
class Void:
    """All hands are void by this clause. `kept`: seats whose hands stand all the same, as the device says."""

    clause: str
    kept: frozenset[int] = frozenset()


def void_line(seat: int, wager: str, stake: int, clause: str, why: str = "void hand") -> Line:
    return Line(seat, wager, Outcome.VOID, stake, stake, 0, clause, why)


def lost(seat: int, wager: str, stake: int, clause: str, why: str = "") -> Line:
    return Line(seat, wager, Outcome.LOSE, stake, 0, 0, clause, why)


def pushed(seat: int, wager: str, stake: int, clause: str, why: str = "tie") -> Line:
    return Line(seat, wager, Outcome.PUSH, stake, stake, 0, clause, why)


def won(
    seat: int, wager: str, stake: int, odds: To, clause: str, why: str = "", rounding: Rounding = Rounding.PLAYER
) -> Line:
    said = f"{why}, {odds}" if why else str(odds)
    return Line(seat, wager, Outcome.WIN, stake, stake, winnings(odds, stake, rounding), clause, said)


def by_row(seat: int, wager: str, stake: int, row: Row | None, clause: str, rounding: Rounding) -> Line:
    """A wager that a table at "to" settles alone. No row: it loses."""
    odds: Odds = row.odds if row is not None else Lose()
    why = row.text if row is not None else "no winning hand"
    match odds:
        case To():
            return won(seat, wager, stake, odds, clause, why, rounding)
        case Push():
            return pushed(seat, wager, stake, clause, why)
        case _:
            return lost(seat, wager, stake, clause, why)


def staked(lines: Iterable[Line]) -> list[Line]:
    """Without lines of wagers that were not made."""
    return [line for line in lines if line.stake or line.paid]


def with_coupons(lines: Iterable[Line], coupons: Mapping[tuple[int, int, str], int], rounding: Rounding) -> list[Line]:
    """Lines of wagers with a coupon, by seat, bettor and wager (ruling `coupons`). It counts in what is paid. The
    player gets it back with a stake that is returned; otherwise it goes into the drop box, and what is returned is the
    share of the chips."""
    found: list[Line] = []
    for line in lines:
        coupon = coupons.get((line.seat, line.bettor or 1, line.wager), 0) if line.stake else 0
        back = line.returned
        if coupon and line.outcome not in (Outcome.PUSH, Outcome.RETURNED, Outcome.VOID):
            back = divide(back * (line.stake - coupon), line.stake, rounding)
        found.append(replace(line, coupon=coupon, returned=back) if coupon else line)
    return found


def limit(lines: list[Line], wagers: frozenset[str], cap: int, clause: str) -> list[Line]:
    """Cut what one hand is paid on these wagers to the payout limit; the last lines give way. 0: no limit."""
    if not cap:
        return lines
    left: dict[int, int] = {}
    found: list[Line] = []
    for line in lines:
        if line.wager not in wagers or not line.paid:
            found.append(line)
            continue
        room = left.get(line.seat, cap)
        paid = min(line.paid, room)
        left[line.seat] = room - paid
        why = line.why if paid == line.paid else f"{line.why}; limit {dollars(cap)}, {clause}"
        found.append(replace(line, paid=paid, why=why))
    return found
