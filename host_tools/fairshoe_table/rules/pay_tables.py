"""Pay tables as the rules print them: pay_tables.ini has them row by row. A table that is not there is refused.

A licensee may pay more than a table that the rules call a minimum: `improve` takes its rows and checks each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path

from fairshoe.errors import UsageError
from fairshoe.games.profiles import load_game
from fairshoe_table.rules.cards import FIVE, JACK, SIX, TEN
from fairshoe_table.rules.money import DOLLAR, For, Lose, Odds, OfMeter, Push, To, parse_odds
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


def _read() -> Iterator[PayTable]:
    file = ConfigParser(delimiters="=", interpolation=None)
    file.optionxform = lambda optionstr: optionstr  # hands keep their capitals
    file.read_string(Path(__file__).with_suffix(".ini").read_text(encoding="utf-8"))
    for name in file.sections():
        table = dict(file[name])
        clause, minimum = table.pop("clause"), file.getboolean(name, "minimum", fallback=False)
        table.pop("minimum", None)
        envy = [(Hand[hand.upper().replace(" ", "_")], cents) for hand, cents in _amounts(table.pop("envy", ""))]
        seeds = _amounts(table.pop("seeds", ""))
        rows = tuple(Row(hand, parse_odds(odds)) for hand, odds in table.items())
        yield PayTable(name, clause, rows, minimum, envy=tuple(envy), seeds=tuple(seeds))


def _amounts(text: str) -> list[tuple[str, int]]:
    """`major 10000, minor 1000`: in cents."""
    pairs = [pair.rpartition(" ") for pair in text.split(", ") if pair]
    return [(name, int(dollars) * DOLLAR) for name, _, dollars in pairs]


TABLES: Mapping[str, PayTable] = {table.name: table for table in _read()}
_COVER = ("Royal flush", "Straight flush", "Four-of-a-kind", "Full house", "Flush", "Straight", "Three-of-a-kind")


@cache
def cover_all(column: int) -> PayTable:
    """A column of CS 12(k), as the device's profile of Caribbean Stud has it."""
    odds = load_game("caribbean-stud")["cover_all"][str(column)]
    rows = tuple(Row(hand, To(wins)) for hand, wins in zip(_COVER, odds, strict=True))
    return PayTable(f"CS-12k-{column}", "CS 12(k)", rows)


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
