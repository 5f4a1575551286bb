"""Wagers on the layout before betting is closed, in a small file.

The file names its round: wagers that were booked need not be taken out of it, and never pass for those of the next
round. Chips on the table are what counts: a file that cannot be read is an empty layout.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fairshoe_table.play.inputs import Input, wager

Amounts = dict[str, int]


class Bets(NamedTuple):
    """Of one bettor: each wager, and how much of it is a coupon."""

    amounts: Amounts
    coupons: Amounts


Placed = dict[tuple[int, int], Bets]  # by seat and bettor; bettor 1 calls


class Draft:
    """What lies on the layout of a round. Every change is written to the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._round, self.placed = _read(path)

    def begin(self, number: int) -> None:
        """What the file has of another round is booked or gone."""
        if number != self._round:
            self._round, self.placed = number, {}

    def place(self, seat: int, bettor: int, amounts: Amounts, coupons: Amounts) -> None:
        """These are all wagers of this bettor; without any he has left, and the others of the box move up."""
        placed = {**self.placed, (seat, bettor): Bets(_made(amounts), _made(coupons))}
        mine = [each for (its, _), each in sorted(placed.items()) if its == seat and each.amounts]
        others = {key: each for key, each in placed.items() if key[0] != seat}
        self._write({**others, **{(seat, number): each for number, each in enumerate(mine, 1)}})

    def take(self, fact: Iterable[Input]) -> None:
        """These wagers in place of all others."""
        self._write(
            {
                (int(one.data["seat"]), int(one.data.get("bettor", 1))): Bets(
                    _made(one.data["amounts"]), _made(one.data.get("coupons", {}))
                )
                for one in fact
            }
        )

    def of(self, seat: int) -> list[Bets]:
        """The wagers of one seat, bettor by bettor."""
        return [bets for (its, _), bets in sorted(self.placed.items()) if its == seat]

    def inputs(self) -> list[Input]:
        return [
            wager(seat, bets.amounts, bettor, coupons=bets.coupons)
            for (seat, bettor), bets in sorted(self.placed.items())
        ]

    def _write(self, placed: Placed) -> None:
        wagers = {f"{seat}.{bettor}": each for (seat, bettor), each in placed.items()}
        new = self._path.with_suffix(".new")  # a full disk leaves the old file
        new.write_text(json.dumps({"round": self._round, "wagers": wagers}), encoding="utf-8")
        new.replace(self._path)
        self.placed = placed


def _made(amounts: Amounts) -> Amounts:
    return {str(it): int(cents) for it, cents in amounts.items() if cents}


def _read(path: Path) -> tuple[int, Placed]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        wagers: dict[str, tuple[Amounts, Amounts]] = data["wagers"]
        found: Placed = {}
        for name, each in wagers.items():
            seat, bettor = name.split(".")
            amounts, coupons = each
            found[int(seat), int(bettor)] = Bets(_made(amounts), _made(coupons))
        return int(data["round"]), found
    except (OSError, ValueError, OverflowError, RecursionError, AttributeError, TypeError, LookupError):
        return 0, {}
