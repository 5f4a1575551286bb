"""Double Cross Poker as a whole, every deal counted: what a raise is worth for each two own and two open cards.

`double_cross.mjs` counts, in Node: 1.6 million communities are too many for Python. It knows no poker: the values of
hands and the pays come from here, and `axis` is one of the strategies that are weighed by its result.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from pathlib import Path

from fairshoe_table.games.double_cross import DoubleCrossOptions, axis, better_axis
from fairshoe_table.rules.poker import VALUES, value5
from oracles.exact import back

HALVES = 2  # sums are in half antes, because two pairs pay 3 to 2
LOST = -3 * HALVES
DEALS = 48 * 47 * 46 * comb(45, 2)  # of the cards that are not seen when a player decides
SEEN = comb(52, 2) * 50 * 49
COUNTER = Path(__file__).with_name("double_cross.mjs")


@dataclass(frozen=True)
class Class:
    """Cards that a player sees, up to suits; how many such sets there are, and what raises sum up to, in half antes."""

    own: tuple[int, int]
    top: int
    right: int
    number: int
    vertical: int
    horizontal: int


def count(communities: Sequence[tuple[int, ...]] = ()) -> list[Class]:
    """Over these communities (left, centre, right, top, bottom), or over all. All take four minutes."""
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or "node"
    tables = array("i", [*_plain(), *_suited(), *_won(), LOST, *(card for one in communities for card in one)])
    done = subprocess.run([node, str(COUNTER)], input=tables.tobytes(), stdout=subprocess.PIPE, check=True)
    found = (map(int, line.split()) for line in done.stdout.decode().splitlines())
    return [Class((a, b), top, right, *sums) for a, b, top, right, *sums in found]


def _plain() -> array[int]:
    """Values of hands that are no flush, by the ranks of three cards and of two. Only ranks count for these: any suits
    that differ will do."""
    table = array("i", [0]) * 13**5
    for three in combinations_with_replacement(range(13), 3):
        a, b, c = three
        row = array("i", [0]) * 169
        for d, e in combinations_with_replacement(range(13), 2):
            if not a == b == c == d == e:
                row[d * 13 + e] = row[e * 13 + d] = value5(4 * a, 4 * b + 1, 4 * c + 2, 4 * d, 4 * e + 3)
        for x, y, z in set(permutations(three)):
            first = ((x * 13 + y) * 13 + z) * 169
            table[first : first + 169] = row
    return table


def _suited() -> array[int]:
    table = array("i", [0]) * 2**13
    for ranks in combinations(range(13), 5):
        a, b, c, d, e = (rank * 4 for rank in ranks)
        table[sum(1 << rank for rank in ranks)] = value5(a, b, c, d, e)
    return table


def _won() -> list[int]:
    """What a winning hand of each value nets: the ante even money, two raises by the table (DCP 10(g)(3), 11(b))."""
    pays = DoubleCrossOptions().raise_pays
    return [int(HALVES * (1 + 2 * (back(pays.row5(value)) - 1))) for value in range(VALUES)]


@dataclass(frozen=True)
class Returns:
    """Of an ante, by strategy."""

    rules: Fraction
    never_fold: Fraction
    best: Fraction


def returns(classes: Sequence[Class]) -> Returns:
    """By the rules of the simulated players; with a raise always, on the axis by these rules; by the best decision for
    the four cards that are seen."""
    rules = never = best = 0
    for one in classes:
        folded = -HALVES * DEALS * one.number
        raised = {"vertical": one.vertical, "horizontal": one.horizontal}
        rules += raised.get(axis(one.own, one.top, one.right), folded)
        never += raised[better_axis(one.own, one.top, one.right)]
        best += max(folded, *raised.values())
    whole = HALVES * DEALS * SEEN
    assert sum(one.number for one in classes) == SEEN, "not every set of seen cards was counted"
    return Returns(Fraction(rules, whole), Fraction(never, whole), Fraction(best, whole))
