"""Lines of a settlement, and the transfers that each of them makes between accounts.

A wager lies on the layout from the moment it is placed. A line says what becomes of it: how much goes back to the
player, the rest to the tray, and what is paid on top and from where. All accounts together are constant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from fairshoe_table.rules.money import dollars

TRAY = "tray"  # the table inventory container
HOUSE = "house"  # seeds of meters, hand pays of envy bonuses that the tray does not make
COUPONS = "coupons"  # that players have put on the layout: less than 0 by what was not given back
COUPON_BOX = "coupons in the drop box"
SUSPENSE = "suspense"  # payouts that were validated for hands that became void: a supervisor decides
DEALER = 0
IN_SUSPENSE, FINAL = "suspense", "final"  # states of a line that only a supervisor changes; final: nothing does


class Wager:
    """Names of wagers, as the books have them; a game may have others."""

    ORIGINAL = "original"
    DOUBLE_DOWN = "double down"
    ANTE = "ante"
    FIRST = "first"
    SECOND = "second"
    BONUS = "bonus"  # optional bonus of B5, Caribbean Stud bonus, three-card wager of DCP, Bust-It
    BET = "bet"
    PROGRESSIVE = "progressive"
    FIVE_CARD = "five-card bonus"
    FIVE_CARD_DEALER = "five-card bonus on the dealer"
    COVER_ALL = "cover all"
    RAISE_1 = "first raise"
    RAISE_2 = "second raise"
    INITIAL = "initial"
    ATTACK = "double attack"
    INSURANCE = "insurance"
    SPLIT = "split"
    DOUBLED = "doubled"


class Outcome(Enum):
    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    RETURNED = "returned"  # a rule gives the stake back, and nothing on top
    VOID = "void"
    HALF = "half"  # surrendered
    BONUS = "bonus"  # paid without a stake of its own: ante bonus, envy bonus


@dataclass(frozen=True)
class Line:
    """One line of a settlement, in the order in which the dealer does it. `hand` counts split hands from 0, and bettors
    of a box have a number of their own in `bettor`."""

    seat: int
    wager: str
    outcome: Outcome
    stake: int
    returned: int
    paid: int
    clause: str
    why: str = ""
    source: str = TRAY
    hand: int = 0
    bettor: int = 0
    extra: str = ""  # tells lines of one wager apart: "bonus", "envy 3"
    reset: int = 0  # what the house puts into the meter after its payment: the seed after 100 %
    credited: bool = False  # to the player's game account, and not in chips
    state: str = ""  # IN_SUSPENSE, FINAL
    coupon: int = 0  # of the stake (ruling `coupons`)

    def __post_init__(self) -> None:
        if not 0 <= self.returned <= self.stake or min(self.paid, self.reset, self.coupon) < 0:
            raise ValueError(f"not a settlement: {self}")

    @property
    def key(self) -> str:
        """What this line settles; a round has each key once."""
        return f"{self.seat}/{self.bettor}/{self.hand}/{self.wager}/{self.extra}"

    @property
    def collected(self) -> int:
        return self.stake - self.returned

    @property
    def spent(self) -> int:
        """The coupon, if it goes into the drop box; it goes back with the whole stake only."""
        return self.coupon if self.returned < self.stake else 0

    @property
    def jackpot(self) -> bool:
        """It is paid from a meter."""
        return self.source.startswith("meter ")

    @property
    def net(self) -> int:
        """The player's win or loss by this line; what is in suspense is not the player's."""
        return (0 if self.state == IN_SUSPENSE else self.paid) - self.collected + self.spent

    @property
    def envied(self) -> int:
        """The seat for whose hand it is paid to another player; 0: none."""
        return int(self.extra.removeprefix("envy ")) if self.extra.startswith("envy ") else 0

    def __str__(self) -> str:
        said = f"seat {self.seat}: {self.wager} {dollars(self.stake)} {self.outcome.value}"
        paid = f", pay {dollars(self.paid)}" if self.paid else ""
        return f"{said}{paid} ({self.why + ', ' if self.why else ''}{self.clause})"


@dataclass(frozen=True)
class Transfer:
    """Cents from one account to another."""

    source: str
    target: str
    cents: int


def player(seat: int) -> str:
    return f"seat {seat}"


def game_account(seat: int) -> str:
    return f"game account {seat}"


def layout(seat: int) -> str:
    """Wagers that lie before a seat."""
    return f"layout {seat}"


def payee(line: Line) -> str:
    return game_account(line.seat) if line.credited else player(line.seat)


def transfers(line: Line) -> list[Transfer]:
    moves = [
        Transfer(layout(line.seat), TRAY, line.collected - line.spent),
        Transfer(layout(line.seat), COUPON_BOX, line.spent),
        Transfer(layout(line.seat), player(line.seat), line.returned),
        Transfer(player(line.seat), COUPONS, line.coupon - line.spent),
        Transfer(line.source, payee(line), line.paid),
        Transfer(HOUSE, line.source, line.reset),
    ]
    return [move for move in moves if move.cents]


def apply(balances: dict[str, int], moves: Iterable[Transfer]) -> None:
    """Move cents between accounts, in place."""
    for move in moves:
        balances[move.source] = balances.get(move.source, 0) - move.cents
        balances[move.target] = balances.get(move.target, 0) + move.cents


def net(lines: Iterable[Line]) -> int:
    return sum(line.net for line in lines)
