"""Pay tables as the rules print them, row by row, each with its clause. A table that is not here is refused.

A licensee may pay more than a table that the rules call a minimum: `improve` takes its rows and checks each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from fairshoe.errors import UsageError
from fairshoe.games.profiles import load_game
from fairshoe_table.rules.cards import FIVE, JACK, SIX, TEN
from fairshoe_table.rules.money import For, Lose, Odds, OfMeter, Push, To, parse_odds
from fairshoe_table.rules.poker import VALUES, Hand, Hand3, hand_of, pair_rank

# What a printed row means: the lowest and the highest hand of it. A number is the rank of a pair.
_FIVE: dict[str, tuple[Hand | int, Hand | int]] = {
    "Royal flush": (Hand.ROYAL_FLUSH, Hand.ROYAL_FLUSH),
    "Straight flush": (Hand.STRAIGHT_FLUSH, Hand.STRAIGHT_FLUSH),
    "Four-of-a-kind": (Hand.FOUR_OF_A_KIND, Hand.FOUR_OF_A_KIND),
    "Full house": (Hand.FULL_HOUSE, Hand.FULL_HOUSE),
    "Flush": (Hand.FLUSH, Hand.FLUSH),
    "Straight": (Hand.STRAIGHT, Hand.STRAIGHT),
    "Three-of-a-kind": (Hand.THREE_OF_A_KIND, Hand.THREE_OF_A_KIND),
    "Two pair": (Hand.TWO_PAIR, Hand.TWO_PAIR),
    "Pair of jacks, queens, kings or aces": (JACK, Hand.PAIR),
    "Pair of sixes, sevens, eights, nines or tens": (SIX, TEN),
    "Pair of fives or less": (Hand.HIGH_CARD, FIVE),  # ruling `dds-no-pair`
    "A pair of 10s or better": (TEN, Hand.PAIR),
    "A pair or less": (Hand.HIGH_CARD, Hand.PAIR),
    "One pair": (Hand.PAIR, Hand.PAIR),
    "High card": (Hand.HIGH_CARD, Hand.HIGH_CARD),
    "Royal or straight flush": (Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH),  # ruling `ptmgl04-royal`
}
_THREE = {
    "Three-card straight flush": Hand3.STRAIGHT_FLUSH,
    "Three-of-a-kind": Hand3.THREE_OF_A_KIND,
    "Three-card straight": Hand3.STRAIGHT,
    "Three-card flush": Hand3.FLUSH,
    "One pair": Hand3.PAIR,
}


@dataclass(frozen=True)
class Row:
    """A row as printed."""

    text: str
    odds: Odds


@dataclass(frozen=True)
class PayTable:
    """`minimum`: the rules say "no less than"; otherwise the odds are exact. `approval` is empty for a printed table.
    `envy` and `seeds` in cents, by hand and by meter, for a wager of one dollar."""

    name: str
    clause: str
    rows: tuple[Row, ...]
    minimum: bool = False
    approval: str = ""
    envy: tuple[tuple[Hand, int], ...] = ()
    seeds: tuple[tuple[str, int], ...] = ()

    @cached_property
    def _five(self) -> tuple[Row | None, ...]:
        """The row of each five-card value."""
        found: list[Row | None] = [None] * VALUES
        for row in self.rows:
            for value in _values(row.text):
                found[value] = row
        return tuple(found)

    def row5(self, value: int) -> Row | None:
        """The row of a five-card hand by its value; None: the table does not name it, and the wager loses."""
        return self._five[value]

    def row3(self, hand: Hand3) -> Row | None:
        return next((row for row in self.rows if _THREE[row.text] is hand), None)

    def row(self, text: str) -> Row | None:
        return next((row for row in self.rows if row.text == text), None)


@cache
def _values(text: str) -> tuple[int, ...]:
    """Five-card values of a row with this text."""
    low, high = _FIVE[text]
    return tuple(value for value in range(VALUES) if _at_least(value, low) and _at_most(value, high))


def _at_least(value: int, low: Hand | int) -> bool:
    if isinstance(low, Hand):
        return hand_of(value) >= low
    return hand_of(value) is Hand.PAIR and (pair_rank(value) or 0) >= low


def _at_most(value: int, high: Hand | int) -> bool:
    if isinstance(high, Hand):
        return hand_of(value) <= high
    return hand_of(value) is Hand.HIGH_CARD or (hand_of(value) is Hand.PAIR and (pair_rank(value) or 0) <= high)


def _printed(name: str, clause: str, text: str, minimum: bool = False) -> PayTable:
    """Rows as `hand | odds`."""
    rows = [line.split("|") for line in text.strip().splitlines()]
    return PayTable(name, clause, tuple(Row(hand.strip(), parse_odds(odds.strip())) for hand, odds in rows), minimum)


_HANDS_FROM_PAIR = ("Royal flush", "Straight flush", "Four-of-a-kind", "Full house", "Flush", "Straight")
_CS_HANDS = (*_HANDS_FROM_PAIR, "Three-of-a-kind", "Two pair")


def _column(name: str, clause: str, hands: tuple[str, ...], odds: str) -> PayTable:
    """One column of a table that prints several."""
    cells = [parse_odds(cell.strip()) for cell in odds.split("|")]
    return PayTable(name, clause, tuple(Row(hand, cell) for hand, cell in zip(hands, cells, strict=True)))


def _link(name: str, rows: str, envy: tuple[int, ...], seeds: dict[str, int], royal: bool = True) -> PayTable:
    hands = _CS_HANDS[:-1] if royal else ("Royal or straight flush", *_CS_HANDS[2:-1])
    table = _column(name, "CS 12(l)", hands, rows)
    kinds = (Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH)[-len(envy) :]
    return PayTable(
        table.name,
        table.clause,
        table.rows,
        envy=tuple((kind, cents * 100) for kind, cents in zip(kinds, envy, strict=True)),
        seeds=tuple((meter, cents * 100) for meter, cents in seeds.items()),
    )


_COVER = ("Royal flush", "Straight flush", "Four-of-a-kind", "Full house", "Flush", "Straight", "Three-of-a-kind")


@cache
def cover_all(column: int) -> PayTable:
    """A column of CS 12(k), as the device's profile of Caribbean Stud has it."""
    odds = load_game("caribbean-stud")["cover_all"][str(column)]
    rows = tuple(Row(hand, To(wins)) for hand, wins in zip(_COVER, odds, strict=True))
    return PayTable(f"CS-12k-{column}", "CS 12(k)", rows)


_REST = "50 for 1 | 40 for 1 | 30 for 1"
_LINKS = (
    _link("PTMGL01", f"100% | 10% | 300 for 1 | {_REST} | 9 for 1", (1000, 300), {"main": 10_000}),
    _link("PTMGL02", f"100% | 10% | 300 for 1 | {_REST} | 9 for 1", (5000, 1500), {"main": 10_000}),
    _link("PTMGL04", f"100% | 300 for 1 | {_REST} | 9 for 1", (250,), {"main": 1000}, royal=False),
    _link(
        "PTMGLML01",
        f"100% Major | 100% Minor | 300 For 1 | {_REST} | 9 For 1",
        (1000, 300),
        {"major": 10_000, "minor": 1000},
    ),
    _link(
        "PTMGLML02",
        f"100% Mega | 100% Major | 100% Minor | {_REST} | 10 For 1",
        (1000, 300),
        {"mega": 10_000, "major": 1000, "minor": 250},
    ),
    _link(
        "PTMGLML03",
        f"100% Mega | 100% Major | 100% Minor | {_REST} | 9 For 1",
        (1000, 300),
        {"mega": 10_000, "major": 1000, "minor": 250},
    ),
)

_DDS = """
Royal flush | 1000 to 1
Straight flush | 100 to 1
Four-of-a-kind | 25 to 1
Full house | 10 to 1
Flush | 8 to 1
Straight | 5 to 1
Three-of-a-kind | 3 to 1
Two pair | 2 to 1
Pair of jacks, queens, kings or aces | 1 to 1
Pair of sixes, sevens, eights, nines or tens | Push
Pair of fives or less | Lose
"""
_B5_ANTE = """
Royal flush | 1000 to 1
Straight flush | 200 to 1
Four-of-a-kind | 100 to 1
Full house | 25 to 1
Flush | 15 to 1
Straight | 8 to 1
Three-of-a-kind | 4 to 1
Two pair | 2 to 1
"""
_B5_BONUS = """
Three-card straight flush | 40 to 1
Three-of-a-kind | 25 to 1
Three-card straight | 6 to 1
Three-card flush | 3 to 1
One pair | 1 to 1
"""
_CS_BET = """
Royal flush | 100 to 1
Straight flush | 50 to 1
Four-of-a-kind | 20 to 1
Full house | 7 to 1
Flush | 5 to 1
Straight | 4 to 1
Three-of-a-kind | 3 to 1
Two pair | 2 to 1
A pair or less | 1 to 1
"""
_CS_FIVE_CARD = """
Royal flush | 100% of meter
Straight flush | 10% of meter
Four-of-a-kind | 500 for 1
Full house | 100 for 1
Flush | 50 for 1
"""
_DCP_RAISE = """
Royal flush | 300 to 1
Straight flush | 50 to 1
Four-of-a-kind | 15 to 1
Full house | 7 to 1
Flush | 6 to 1
Straight | 5 to 1
Three-of-a-kind | 3 to 1
Two pair | 3 to 2
One pair | 1 to 1
High card | 1 to 1
"""
_DCP_THREE = """
Three-card straight flush | 40 to 1
Three-of-a-kind | 30 to 1
Three-card straight | 6 to 1
Three-card flush | 4 to 1
One pair | 1 to 1
"""
_BUST_IT = """
Ten | 3 to 1
Nine | 6 to 1
Eight | 8 to 1
Seven | 10 to 1
Six | 15 to 1
Three eights of the same color | 50 to 1
Three eights of the same suit | 200 to 1
"""
_BONUS = (*_CS_HANDS, "A pair of 10s or better")
_FLAT = "1,000 to 1 | 200 to 1 | 100 to 1 | 50 to 1 | 40 to 1"
_METERS = "100% of meter | 10% of meter"

TABLES: Mapping[str, PayTable] = {
    table.name: table
    for table in (
        _printed("DDS-10b", "DDS 10(b)", _DDS, minimum=True),
        _printed("B5-11c", "B5 11(c)", _B5_ANTE, minimum=True),
        _printed("B5-11d", "B5 11(d)", _B5_BONUS, minimum=True),
        _printed("CS-11b", "CS 11(b)", _CS_BET),
        _column("CS-11c-A", "CS 11(c)", _BONUS, f"{_FLAT} | 25 to 1 | 7 to 1 | 3 to 1 | 1 to 1"),
        _column("CS-11c-B", "CS 11(c)", _BONUS, f"{_FLAT} | 25 to 1 | 6 to 1 | 3 to 1 | 1 to 1"),
        _column("CS-11c-C", "CS 11(c)", _BONUS, f"{_FLAT} | 20 to 1 | 6 to 1 | 3 to 1 | 1 to 1"),
        _column(
            "CS-11d-A",
            "CS 11(d)",
            _CS_HANDS,
            "100% of meter | 5,000 for 1 | 500 for 1 | 100 for 1 | 50 for 1 | 10 for 1 | 3 for 1 | 2 for 1",
        ),
        _column(
            "CS-11d-B",
            "CS 11(d)",
            _CS_HANDS,
            f"{_METERS} | 500 for 1 | 100 for 1 | 50 for 1 | 10 for 1 | 3 for 1 | 2 for 1",
        ),
        _column("CS-11d-C", "CS 11(d)", _CS_HANDS, f"{_METERS} | 200 for 1 | {_REST} | 9 for 1 | N/A"),
        PayTable(
            "CS-11d-D",
            "CS 11(d)",
            _column("", "", _CS_HANDS, f"{_METERS} | 300 for 1 | {_REST} | 9 for 1 | N/A").rows,
            envy=((Hand.ROYAL_FLUSH, 100_000), (Hand.STRAIGHT_FLUSH, 30_000)),
        ),
        _column("CS-11d-E", "CS 11(d)", _CS_HANDS, f"{_METERS} | 500 for 1 | 100 for 1 | 50 for 1 | N/A | N/A | N/A"),
        _printed("CS-11e", "CS 11(e)(1)", _CS_FIVE_CARD),
        *_LINKS,
        _printed("DCP-11b", "DCP 11(b)", _DCP_RAISE, minimum=True),
        _printed("DCP-11c", "DCP 11(c)", _DCP_THREE, minimum=True),
        _printed("DAB-6d", "DAB 6(d)(2), (3)", _BUST_IT),
    )
}


def pay_table(name: str) -> PayTable:
    """A printed table by its name."""
    if name not in TABLES:
        raise UsageError(f"unknown pay table {name!r}.", f"The rules print these: {', '.join(TABLES)}.")
    return TABLES[name]


def improve(base: str, rows: Mapping[str, str], approval: str) -> PayTable:
    """A table of the licensee that pays at least what a minimum table prints, in every row."""
    printed = pay_table(base)
    if not printed.minimum:
        raise UsageError(f"{base} is exact ({printed.clause}): no other odds may be paid.", "Select a printed table.")
    if not approval:
        raise UsageError(f"odds other than {base} need an approval.", "Give its reference.")
    unknown = [text for text in rows if printed.row(text) is None]
    if unknown:
        raise UsageError(f"{base} has no row {unknown[0]!r}.", f"It has {', '.join(row.text for row in printed.rows)}.")
    better = tuple(Row(row.text, parse_odds(rows[row.text]) if row.text in rows else row.odds) for row in printed.rows)
    for old, new in zip(printed.rows, better, strict=True):
        if isinstance(new.odds, (For, OfMeter)) or _worth(new.odds) < _worth(old.odds):
            raise UsageError(f"{base}, {old.text}: {new.odds} is less than {old.odds} ({printed.clause}).", "Pay more.")
    return PayTable(f"{base}+", printed.clause, better, True, approval)


def _worth(odds: Odds) -> Fraction:
    """Win per unit of the stake."""
    match odds:
        case To():
            return Fraction(odds.wins, odds.per)
        case For():
            return Fraction(odds.wins - 1)
        case Push():
            return Fraction(0)
        case Lose() | OfMeter():
            return Fraction(-1)
