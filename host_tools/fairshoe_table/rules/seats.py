"""Seats and the orders in which a dealer serves them. Seat 1 is at the dealer's far left.

Cards, decisions and questions go clockwise from seat 1; settlement begins at the far right and goes counterclockwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from fairshoe.errors import UsageError


class HasSeat(Protocol):
    @property
    def seat(self) -> int: ...


Seated = TypeVar("Seated", bound=HasSeat)


def deal_order(hands: Iterable[Seated]) -> list[Seated]:
    """Clockwise from the dealer's far left."""
    return sorted(hands, key=lambda hand: hand.seat)


def settle_order(hands: Iterable[Seated]) -> list[Seated]:
    """Counterclockwise from the dealer's far right (DDS 9(a), B5 10(f), CS 10(c), DCP 10(f), DAB 6(d)(2))."""
    return sorted(hands, key=lambda hand: -hand.seat)


def stack_of(seats: Iterable[int]) -> dict[int, int]:
    """Which stack of the shoe each wagering seat gets: the nth wagering seat gets the nth stack."""
    return {seat: number for number, seat in enumerate(sorted(seats), 1)}


def seat_of(seats: Iterable[int], position: int) -> int:
    """The seat of a position of the device, which counts wagering seats only."""
    ordered = sorted(seats)
    if not 1 <= position <= len(ordered):
        raise UsageError(f"no position {position} at a table with {len(ordered)} wagers.", "Check seats and stacks.")
    return ordered[position - 1]


def check_adjacent(areas: Mapping[int, str], limit: int) -> None:
    """Whether each player wagers on at most `limit` areas, which must be neighbours (DDS 6(c))."""
    owned: dict[str, list[int]] = {}
    for seat, owner in areas.items():
        owned.setdefault(owner, []).append(seat)
    for owner, seats in owned.items():
        if len(seats) > limit:
            raise UsageError(f"{owner} wagers on {len(seats)} areas, at most {limit} (DDS 6(c)).", "Return a wager.")
        if not _neighbours(sorted(seats)):
            raise UsageError(f"{owner}'s areas are not adjacent (DDS 6(c)).", "Return a wager or move it.")


def _neighbours(seats: Sequence[int]) -> bool:
    return all(right - left == 1 for left, right in pairwise(seats))
