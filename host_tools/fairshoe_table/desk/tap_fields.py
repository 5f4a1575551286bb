"""The fields of every tap: type, length and meaning. Whatever a page sends beside them never reaches the table.

Nothing is converted: `str(None)` once named a supervisor "None".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import COMMUNITY
from fairshoe_table.books.rack import CENTS_MAX
from fairshoe_table.play.inputs import TEXT_MAX, WAGER_MAX
from fairshoe_table.play.round import COUNT_MAX

_NEEDED = object()
_ID_MAX = 2**63 - 1  # of a round in the books


@dataclass(frozen=True)
class Field:
    """`types`: of the value, or of each value of a list of up to `many`. `least` and `most`: of a number, or of the
    length of a text, which is one line; a text with `least` is not blank."""

    meaning: str
    types: tuple[type, ...]
    least: int = 0
    most: int = 0
    many: int = 0
    default: object = _NEEDED

    def fits(self, value: object) -> bool:
        if not self.many:
            return self._fits_one(value)
        if not isinstance(value, (list, tuple)):
            return False
        values = cast("list[object]", value)
        return len(values) <= self.many and all(map(self._fits_one, values))

    def _fits_one(self, value: object) -> bool:
        if type(value) not in self.types:
            return False
        if type(value) is int:
            return self.least <= value <= self.most
        if type(value) is str:
            return value.isprintable() and len(value) <= self.most and len(value.strip()) >= self.least
        return True


def _whole(meaning: str, least: int, most: int, default: object = _NEEDED) -> Field:
    return Field(f"{meaning}, a whole number from {least} to {most}", (int,), least, most, default=default)


def _text(meaning: str, least: int = 1, default: object = _NEEDED) -> Field:
    return Field(f"{meaning}, one line of up to {TEXT_MAX} characters", (str,), least, TEXT_MAX, default=default)


_KEY = _text("the question that is answered")
_BY = _text("who decides or carries it")
_CARD = _whole("a card", 0, 51)
_CARDS = Field("cards, numbers from 0 to 51", (int,), 0, 51, many=52)
_COUNT = _whole("how many cards", 0, COUNT_MAX)
_SEAT = _whole("a seat, the dealer or the community cards", 0, COMMUNITY)
PAGE = {
    "do": _text("what was tapped"),
    "round": _whole("the round that the page shows", 0, _ID_MAX),
    "lines_of": _whole("the round whose lines the page shows", 0, _ID_MAX),
}
TAPS: Mapping[str, Mapping[str, Field]] = {
    "wager": {
        "seat": _SEAT,
        "bettor": _whole("a bettor of the box", 1, 9, 1),
        "wager": _text("the name of a wager"),
        "cents": _whole("cents of the wager", 0, WAGER_MAX),
        "coupon": _whole("cents of it that are a coupon", 0, WAGER_MAX, 0),
    },
    "again": {},
    "close": {},
    "go": {"command": _text("a command of the dealer")},
    "choose": {
        "key": _KEY,
        "choice": Field("a choice, or whether cards are shown", (str, bool), 1, TEXT_MAX),
        "cents": _whole("cents of a wager that is made now", 0, WAGER_MAX, None),
    },
    "count": {"key": _KEY, "count": _COUNT},
    "card": {"key": _KEY, "card": _CARD},
    "back": {"place": _whole("a card that is being entered, counted from 0", 0, 51, None)},
    "leave": {},
    "enter": {"key": _KEY},
    "done": {
        "line": _text("the key of a line"),
        "checked": Field("what was checked, a list of texts", (str,), 1, TEXT_MAX, 20, ()),
        "by": _text("the floorperson who validates it", 0, ""),
    },
    "house": {"choice": _text("what is decided"), "by": _BY, "reason": _text("why")},
    "irregularity": {
        "name": _text("an irregularity"),
        "seat": _whole("the hand", 0, COMMUNITY, None),
        "cards": _whole("how many cards", 0, COUNT_MAX, None),
        "by": _text("the floorperson who decides it", 0, ""),
    },
    "correct": {
        "of": _text("the cards that were entered"),
        "cards": _CARDS,
        "by": _BY,
        "also": _text("other cards, exchanged with these", 0, ""),
        "also_cards": Field("its cards, numbers from 0 to 51", (int,), 0, 51, 52, ()),
    },
    "rack": {
        "kind": _text("what was counted"),
        "cents": _whole("cents", 0, CENTS_MAX),
        "by": _BY,
        "note": _text("the number of a slip", 0),
        "key": _text("the same for the same slip", 0),
    },
    "seen": {"call": _whole("a call", 0, _ID_MAX)},
    # With simulated hands.
    "hands": {"on": Field("whether hands work by themselves, true or false", (bool,))},
    "hand": {},
    "players": {},
    "answer": {"key": _KEY},
    "jam": {},
}


def checked(tap: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a tap, with those that may be left out."""
    kind = tap.get("do")
    if type(kind) is not str or kind not in TAPS:
        raise UsageError("the page sent something that is no tap.", "Reload the page.")
    fields = {**PAGE, **TAPS[kind]}
    unknown = [name for name in tap if name not in fields]
    if unknown:
        raise UsageError(f"{kind} has no {ascii(unknown[0])[:40]}.", "Reload the page.")
    return {name: _value(kind, name, field, tap) for name, field in fields.items()}


def _value(kind: str, name: str, field: Field, tap: Mapping[str, Any]) -> Any:
    if name not in tap and field.default is not _NEEDED:
        return field.default
    value = tap.get(name)
    if not field.fits(value):
        raise UsageError(f"{kind}: {name} is {ascii(value)[:40]}, and not {field.meaning}.", "Enter it again.")
    return value
