"""Money in whole cents, and odds that are exact. "N to M" and "N for 1" are two types, because they pay differently.

A stake of $1 at 5 to 1 comes back with $5 on top; at 5 for 1 the house keeps the stake and pays $5. No float is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import NewType

from fairshoe.errors import UsageError

Cents = NewType("Cents", int)
DOLLAR = 100


class Rounding(Enum):
    """Where a fraction of the smallest chip goes. No clause regulates it (ruling `odd-chip`)."""

    PLAYER = "player"
    HOUSE = "house"


@dataclass(frozen=True)
class To:
    """`wins` to `stake`: the stake is returned, and stake * wins / per is paid on top."""

    wins: int
    per: int = 1

    def __str__(self) -> str:
        return f"{self.wins:,} to {self.per}"


@dataclass(frozen=True)
class For:
    """`wins` for 1: stake * wins is paid, and the stake is not returned."""

    wins: int

    def __str__(self) -> str:
        return f"{self.wins:,} for 1"


@dataclass(frozen=True)
class OfMeter:
    """A percentage of a progressive meter. The stake is not returned."""

    percent: int
    meter: str = "main"

    def __str__(self) -> str:
        return f"{self.percent}% of meter" + ("" if self.meter == "main" else f" {self.meter}")


@dataclass(frozen=True)
class Push:
    """The wager is neither paid nor collected."""

    def __str__(self) -> str:
        return "push"


@dataclass(frozen=True)
class Lose:
    """The wager is collected."""

    def __str__(self) -> str:
        return "lose"


Odds = To | For | OfMeter | Push | Lose

_TO = re.compile(r"([1-9][0-9,]{0,12}) to ([1-9][0-9]{0,3})")
_FOR = re.compile(r"([1-9][0-9,]{0,12}) for 1", re.IGNORECASE)
_METER = re.compile(r"(\d+)%(?: of meter)?(?: (Mega|Major|Minor))?")


def parse_odds(text: str) -> Odds:
    """As the rules print them: `1,000 to 1`, `3 to 2`, `500 for 1`, `10% of meter`, `100% Major`, `Push`, `N/A`."""
    if text == "Push":
        return Push()
    if text in ("Lose", "N/A"):
        return Lose()
    if match := _TO.fullmatch(text):
        return To(int(match[1].replace(",", "")), int(match[2]))
    if match := _FOR.fullmatch(text):
        return For(int(match[1].replace(",", "")))
    if match := _METER.fullmatch(text):
        return OfMeter(int(match[1]), (match[2] or "main").lower())
    raise UsageError(f"odds cannot be read: {text!r}.", "Write them as the rules print them: 3 to 2, 500 for 1.")


def divide(amount: int, by: int, rounding: Rounding = Rounding.PLAYER) -> int:
    """amount / by in whole cents, a fraction in favour of the player or of the house."""
    return -(-amount // by) if rounding is Rounding.PLAYER else amount // by


def winnings(odds: To | For, stake: int, rounding: Rounding = Rounding.PLAYER) -> int:
    """What is paid. Beside it a wager at "to" is returned, and a wager at "for" is not."""
    if isinstance(odds, For):
        return stake * odds.wins
    return divide(stake * odds.wins, odds.per, rounding)


def dollars(cents: int) -> str:
    """`$1,234.50`; whole dollars without cents: `$5`."""
    whole, rest = divmod(abs(cents), DOLLAR)
    return f"{'-' if cents < 0 else ''}${whole:,}" + (f".{rest:02d}" if rest else "")
