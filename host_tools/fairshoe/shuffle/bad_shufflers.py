"""Shufflers known to be bad, as controls: a test that passes them proves nothing.

A deck is a list of cards from the top; card c was at place c before. Distances are total variation to the uniform
distribution, exact, from the published formulas.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fairshoe.shuffle.exact_laws import eulerian

SHELVES = 10


def shelf_shuffle(choices: Sequence[int], shelves: int) -> list[int]:
    """One pass of a shelf machine (Diaconis, Fulman and Holmes 2013).

    Card after card goes to shelf choices[card] // 2, above that shelf's pile if the choice is odd, else below it. The
    shelves are unloaded in order.
    """
    above: list[list[int]] = [[] for _ in range(shelves)]
    below: list[list[int]] = [[] for _ in range(shelves)]
    for card, choice in enumerate(choices):
        (above if choice & 1 else below)[choice >> 1].append(card)
    deck: list[int] = []
    for shelf in range(shelves):
        deck += reversed(above[shelf])
        deck += below[shelf]
    return deck


def packet_shuffle(packets: Sequence[int]) -> list[int]:
    """A riffle of several packets: place i of the result takes the next card of packet packets[i].

    With independent uniform packets out of 2**k this is exactly k riffles of Gilbert, Shannon and Reeds in a row
    (Bayer and Diaconis 1992).
    """
    places = sorted(range(len(packets)), key=packets.__getitem__)
    deck = [0] * len(packets)
    for card, place in enumerate(places):
        deck[place] = card
    return deck


def riffle_distance(riffles: int, cards: int) -> float:
    """How far a deck is from uniform after that many riffles."""
    packets = 2**riffles
    even = Fraction(1, math.factorial(cards))
    distance = Fraction(0)
    for rising, weight in enumerate(eulerian(cards).weights, 1):
        chance = Fraction(math.comb(packets + cards - rising, cards), packets**cards)
        distance += weight * abs(chance - even)
    return float(distance / 2)


def shelf_chance(shelves: int, cards: int, peaks: int) -> Fraction:
    """Probability of one deck with that many peaks (a card between two lower ones) after one pass of a shelf machine.

    Each shelf's pile falls and then rises, so that peaks stand only where two piles meet.
    """
    total = sum(
        math.comb(cards + shelves - a - 1, cards) * math.comb(cards - 1 - 2 * peaks, a - peaks)
        for a in range(peaks, min(shelves, cards - peaks))
    )
    return Fraction(4 ** (peaks + 1) * total, 2 * (2 * shelves) ** cards)


def peak_weights(cards: int) -> list[int]:
    """How many orders of that many cards have 0, 1, 2 ... peaks."""
    row = [1]
    for size in range(1, cards):
        # The new largest card beside the top of a peak, or at an end, adds none; anywhere else it adds one.
        wider = [0] * (len(row) + 1)
        for peaks, weight in enumerate(row):
            wider[peaks] += (2 * peaks + 2) * weight
            wider[peaks + 1] += (size - 1 - 2 * peaks) * weight
        row = wider if wider[-1] else wider[:-1]
    return row


def shelf_distance(shelves: int, cards: int) -> float:
    even = Fraction(1, math.factorial(cards))
    distance = Fraction(0)
    for peaks, weight in enumerate(peak_weights(cards)):
        distance += weight * abs(shelf_chance(shelves, cards, peaks) - even)
    return float(distance / 2)


@dataclass(frozen=True)
class Model:
    """One bad shuffler: how it shuffles, and how far from uniform that is."""

    key: str
    name: str
    shuffle: Callable[[random.Random, int], list[int]]
    distance: Callable[[int], float]
    least: int = 0  # shuffles that the tests need to notice it

    def deck(self, seed: int, index: int, cards: int) -> list[int]:
        """The same deck for the same seed and number, in whatever process it is asked for."""
        return self.shuffle(random.Random(f"{self.key} {seed} {index}"), cards)


def _riffle(riffles: int) -> Model:
    def shuffle(source: random.Random, cards: int) -> list[int]:
        return packet_shuffle([source.getrandbits(riffles) for _ in range(cards)])

    return Model(f"riffle-{riffles}", f"{riffles} riffles", shuffle, lambda cards: riffle_distance(riffles, cards))


def _shelf(source: random.Random, cards: int) -> list[int]:
    return shelf_shuffle(source.choices(range(2 * SHELVES), k=cards), SHELVES)


def _remainder(source: random.Random, cards: int) -> list[int]:
    """Fisher-Yates with the remainder of one random byte for each draw, none thrown away."""
    deck = list(range(cards))
    noise = source.randbytes(cards)
    for i in range(cards - 1, 0, -1):
        j = noise[i] % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def remainder_distance(cards: int) -> float:
    """At least: the distance of the single draw that is furthest from even, of 2 .. cards values."""
    most = Fraction(0)
    for bound in range(2, min(cards, 256) + 1):
        more = 256 % bound  # values that one byte more than the others gives
        most = max(most, more * (Fraction(256 // bound + 1, 256) - Fraction(1, bound)))
    return float(most)


MODELS = (
    Model("shelf-10", "10 shelves", _shelf, lambda cards: shelf_distance(SHELVES, cards)),
    _riffle(4),
    _riffle(7),
    Model("remainder", "remainder", _remainder, remainder_distance, 6_000),
)
