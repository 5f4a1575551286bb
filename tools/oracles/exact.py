"""Exact returns by counting, without chance: hand frequencies, both hands of a deal, the dealer's cards of a shoe.

Two disjoint hands: sum over all subsets T of the deck, with sign (-1)^|T|, the pairs of hands that both hold T. Subsets
that differ by suits only have one histogram of values, so 18,371 of them stand for all subsets of up to four cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations, combinations_with_replacement, product
from math import comb, factorial, prod

from fairshoe_table.games.caribbean.game import raises_ace_king
from fairshoe_table.games.double_attack.settlement import bust_it_row
from fairshoe_table.rules.cards import ACE, DECK, KING, PACK_48
from fairshoe_table.rules.money import For, OfMeter, Push, To
from fairshoe_table.rules.pay_tables import PayTable, Row, pay_table
from fairshoe_table.rules.poker import Hand, Hand3, hand3, hand_of, points, qualifies, total, value5

HANDS = comb(52, 5)
Histogram = Mapping[int, int]


@cache
def values() -> Histogram:
    """How many of the 2,598,960 hands have each value."""
    return Counter(value5(*hand) for hand in combinations(DECK, 5))


@cache
def threes() -> Mapping[Hand3, int]:
    return Counter(hand3(*hand) for hand in combinations(DECK, 3))


@cache
def back(row: Row | None) -> Fraction:
    """What one unit of a wager gives back, stake included where it is returned; percentages of a meter give nothing."""
    odds = row.odds if row is not None else None
    match odds:
        case To():
            return 1 + Fraction(odds.wins, odds.per)
        case For():
            return Fraction(odds.wins)
        case Push():
            return Fraction(1)
        case _:
            return Fraction(0)


def return5(table: PayTable) -> Fraction:
    """Of a wager that a table of five-card hands settles alone."""
    by_back: Counter[tuple[int, int]] = Counter()
    for value, number in values().items():
        by_back[back(table.row5(value)).as_integer_ratio()] += number
    return sum((number * Fraction(*given) for given, number in by_back.items()), Fraction(0)) / HANDS


def wins_and_pushes(table: PayTable) -> tuple[Fraction, Fraction]:
    """How often a table of five-card hands pays, and how often it gives the stake back."""
    by_back = Counter[bool]()
    for value, number in values().items():
        given = back(table.row5(value))
        if given:
            by_back[given > 1] += number
    return Fraction(by_back[True], HANDS), Fraction(by_back[False], HANDS)


def meter_slope(table: PayTable, seeds: Mapping[str, int] | None = None) -> Fraction:
    """Return by percentages of the meters: per cent in the meter, or with these cents in them, for a wager of $1."""
    found = Fraction(0)
    for value, number in values().items():
        row = table.row5(value)
        if row is not None and isinstance(row.odds, OfMeter):
            cents = 1 if seeds is None else seeds[row.odds.meter]
            found += Fraction(number * row.odds.percent * cents, 100 * 100)
    return found / HANDS


def return3(table: PayTable) -> Fraction:
    return sum((number * back(table.row3(hand)) for hand, number in threes().items()), Fraction(0)) / comb(52, 3)


# --- subsets up to suits -----------------------------------------------------------------------


def classes(size: int) -> Mapping[tuple[int, ...], int]:
    """Subsets of so many cards up to suits: one subset of each class, and how many there are."""
    held = [tuple(ranks for ranks in combinations(range(13), number)) for number in range(size + 1)]
    found: dict[tuple[int, ...], int] = {}
    for lengths in combinations_with_replacement(range(size, -1, -1), 4):  # cards of each suit, most first
        if sum(lengths) != size:
            continue
        alike = [combinations_with_replacement(held[n], many) for n, many in Counter(lengths).items()]
        for groups in product(*alike):
            suits = [ranks for group in groups for ranks in group]
            cards = tuple(rank * 4 + suit for suit, ranks in enumerate(suits) for rank in ranks)
            found[cards] = 24 // prod(factorial(many) for many in Counter(suits).values())
    assert sum(found.values()) == comb(52, size)
    return found


@cache
def double_down() -> tuple[Fraction, Fraction]:
    """Double Down Stud: expectation without doubling, and doubling in full whenever the four known cards favour it."""
    table = pay_table("DDS-10b")
    net = {value: int(back(table.row5(value)) - 1) for value in values()}
    plain = best = 0
    for (a, b, c, d), number in classes(4).items():
        gain = sum(net[value5(a, b, c, d, card)] for card in DECK if card not in (a, b, c, d))
        plain += number * gain
        best += number * (gain + max(gain, 0))
    return Fraction(plain, comb(52, 4) * 48), Fraction(best, comb(52, 4) * 48)


@dataclass(frozen=True)
class Subset:
    """Weight with its sign, and the hands that hold this subset, by value."""

    weight: int
    histogram: Histogram


def subsets() -> Iterator[Subset]:
    """Everything that two disjoint hands need. About 12 million hands are valued."""
    yield Subset(1, values())
    for size in (1, 2, 3, 4):
        for cards, number in classes(size).items():
            held = set(cards)
            rest = [card for card in DECK if card not in held]
            histogram = Counter(value5(*cards, *more) for more in combinations(rest, 5 - size))
            yield Subset(number * (-1) ** size, histogram)


@dataclass
class PairSums:
    """Sums over all ordered pairs of disjoint hands (mine, dealer's), for payoffs of a certain shape.

    A payoff depends on the own hand's kind and on whether it is lower, equal or higher; or on a dealer who does not
    qualify. `rows` gives (unqualified, lower, equal, higher) for each value of the own hand."""

    rows: Mapping[int, tuple[int, int, int, int]]
    qualify: bool
    sum: int = 0
    pairs: int = 0

    def add(self, subset: Subset) -> None:
        hands = sorted(subset.histogram.items())
        out = sum(count for value, count in hands if self.qualify and not qualifies(value))
        below = 0
        whole = sum(count for _, count in hands)
        subtotal = 0
        for value, count in hands:
            row = self.rows[value]
            fails = self.qualify and not qualifies(value)
            under = max(below - out, 0) if not fails else 0
            same = 0 if fails else count
            above = whole - out - under - same
            subtotal += count * (row[0] * out + row[3] * under + row[2] * same + row[1] * above)
            below += count
        self.sum += subset.weight * subtotal
        self.pairs += subset.weight * whole * whole

    def add_itself(self) -> None:
        """The subsets of five cards: both hands are the same."""
        for value, count in values().items():
            row = self.rows[value]
            self.sum -= count * (row[0] if self.qualify and not qualifies(value) else row[2])
            self.pairs -= count

    def mean(self) -> Fraction:
        assert self.pairs == HANDS * comb(47, 5)
        return Fraction(self.sum, self.pairs)


# --- Caribbean Stud: ace-king hands by the dealer's up-card ------------------------------------


@dataclass(frozen=True)
class _Tally:
    """Dealer's hands with one up-card that have five different ranks and no straight, by the own ranks among the four
    others (a mask over the own five ranks): those that do not qualify, and those with ace-king below, equal, above."""

    out: list[int]
    below: list[int]
    equal: list[int]
    above: list[int]


def _tally(own: tuple[int, ...], up: int) -> _Tally:
    found = _Tally([0] * 32, [0] * 32, [0] * 32, [0] * 32)
    for four in combinations([rank for rank in range(13) if rank != up], 4):
        ranks = tuple(sorted((*four, up), reverse=True))
        if ranks[0] - ranks[4] == 4 or ranks == (ACE, 3, 2, 1, 0):
            continue
        mask = sum(1 << place for place, rank in enumerate(own) if rank in four)
        if ranks[:2] != (ACE, KING):
            found.out[mask] += 1
        else:
            (found.below if ranks < own else found.equal if ranks == own else found.above)[mask] += 1
    return found


def _count(by_mask: list[int], blocked: int) -> int:
    """Hands of these rank sets: three suits of an own rank are left and four of another, less those in the up-card's
    suit alone, in which `blocked` own ranks are missing."""
    free = sum(count * 3**own * 4 ** (4 - own) for mask, count in enumerate(by_mask) if (own := mask.bit_count()) < 5)
    return free - sum(count for mask, count in enumerate(by_mask) if not mask & blocked)


@dataclass(frozen=True)
class AceKing:
    """Sums over all ace-king hands and up-cards, in hands of the dealer: raise always, the better of raise and fold,
    and by the three rules of the simulated players. `hands` is how many (hand, up-card) pairs there are."""

    always: int
    best: int
    rules: int
    hands: int


def high_card_ranks() -> list[tuple[int, ...]]:
    found = [tuple(sorted(ranks, reverse=True)) for ranks in combinations(range(13), 5)]
    return [ranks for ranks in found if ranks[0] - ranks[4] != 4 and ranks != (ACE, 3, 2, 1, 0)]


def ace_king() -> AceKing:
    """The own hand is ace-king high. Raising wins the ante from a dealer who does not qualify, ante and bet from a
    lower ace-king, and loses both to all else but an equal hand."""
    dealers = comb(46, 4)
    always = best = rules = pairs = 0
    for own in (ranks for ranks in high_card_ranks() if ranks[:2] == (ACE, KING)):
        for up in range(13):
            tally = _tally(own, up)
            place = own.index(up) if up in own else None
            for blocked in range(31):  # own ranks in the up-card's suit; all five would be a flush
                if place is not None and blocked >> place & 1:
                    continue
                weight = 4 * (3 ** (5 - blocked.bit_count()) - (3 if blocked == 0 else 0))
                out, below, equal = (_count(it, blocked) for it in (tally.out, tally.below, tally.equal))
                raised = out + 3 * below - 3 * (dealers - out - below - equal)
                always += weight * raised
                best += weight * max(raised, -dealers)
                rules += weight * (raised if raises_ace_king(own, up) else -dealers)
                pairs += weight
    return AceKing(always, best, rules, pairs)


def folds_below_ace_king() -> bool:
    """Whether folding is right for every high-card hand below ace-king: the dealer qualifies at least half the time,
    whatever the up-card is."""
    dealers = comb(46, 4)
    for own in (ranks for ranks in high_card_ranks() if ranks[:2] != (ACE, KING)):
        for up in range(13):
            out = _tally(own, up).out
            for blocked in range(31):
                if up in own and blocked >> own.index(up) & 1:
                    continue
                if 2 * _count(out, blocked) > dealers:
                    return False
    return True


# --- Double Attack Blackjack -------------------------------------------------------------------


@cache
def _busts() -> list[tuple[tuple[int, int, int], int]]:
    """The dealer's busts with exactly three cards, and what Bust-It gives back for each."""
    return [
        ((first, second, third), int(back(row)))
        for first in PACK_48
        for second in PACK_48
        if total((first, second)).points < 17
        for third in PACK_48
        if (row := bust_it_row((first, second, third))) is not None
    ]


def bust_it(packs: int) -> tuple[Fraction, Fraction]:
    """Chance of a dealer's bust with exactly three cards, and the return of Bust-It, first cards of a fresh shoe."""
    cards = packs * 48
    busts = returned = 0
    for (first, second, third), given in _busts():
        ways = packs * (packs - (second == first)) * (packs - (third == first) - (third == second))
        busts += ways
        returned += ways * given
    whole = cards * (cards - 1) * (cards - 2)
    return Fraction(busts, whole), Fraction(returned, whole)


def insurance(packs: int) -> Fraction:
    """Expectation of an insurance wager against an ace, nothing else known."""
    tens = sum(points(card) == 10 for card in PACK_48) * packs
    win = Fraction(tens, packs * 48 - 1)
    return win * Fraction(5, 2) - (1 - win)


@dataclass
class BestOfTwo:
    """Cover All with two hands: for each kind the pairs of disjoint hands of which both are at most of that kind."""

    at_most: list[int] = field(default_factory=lambda: [0] * len(Hand))

    def add(self, subset: Subset) -> None:
        for kind, seen in enumerate(_up_to(subset.histogram)):
            self.at_most[kind] += subset.weight * seen * seen

    def mean(self, table: PayTable) -> Fraction:
        """Return by this table, after all subsets. Subsets of five cards are added here: both hands are the same."""
        pairs = [both - itself for both, itself in zip(self.at_most, _up_to(values()), strict=True)]
        rows = {hand_of(value): table.row5(value) for value in values()}
        exactly = [pairs[kind] - (pairs[kind - 1] if kind else 0) for kind in Hand]
        return sum((exactly[kind] * back(rows[kind]) for kind in Hand), Fraction(0)) / (HANDS * comb(47, 5))


def _up_to(histogram: Histogram) -> list[int]:
    """How many hands are at most of each kind."""
    found = [0] * len(Hand)
    for value, count in histogram.items():
        found[hand_of(value)] += count
    return list(accumulate(found))
