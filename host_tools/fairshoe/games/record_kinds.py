"""The kinds of record that a host sends of what no sensor sees: their numbers, and the words for them.

    shoe.records.cut(26, By.DEALER)          from a program
    fairshoe command PORT record cut 26 dealer

docs/GAMES.md says when each is taken and what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from fairshoe.errors import UsageError
from fairshoe.messages import What

DEALER = 0  # in place of a position
COMMUNITY = 255


class Source(IntEnum):
    """Who shuffled a deck."""

    MACHINE = 1
    SUPPLIER = 2
    HAND = 3


class By(IntEnum):
    """Who cut."""

    DEALER = 1
    PLAYER = 2
    FLOORPERSON = 3


class Delivered(IntEnum):
    """What becomes of a card that was delivered wrongly."""

    FORWARD = 1
    TO_DEALER = 2
    BURNED = 3


class Misdealt(IntEnum):
    """Of a stub count that is wrong: whether the cards were misdealt, and if so whether they are a whole deck."""

    NO = 0
    YES = 1
    YES_AND_NOT_WHOLE = 2


@dataclass(frozen=True)
class Number:
    """One number of a record: what it counts, and the words that stand for some values."""

    name: str
    words: Mapping[str, int] = field(default_factory=dict[str, int])
    needed: bool = True

    def read(self, text: str) -> int:
        """What a person typed: a word or a number."""
        word = text.replace("-", "_")
        if word in self.words:
            return self.words[word]
        try:
            return int(text)
        except ValueError:
            known = f": one of {', '.join(self.words)}, or a number" if self.words else " is a number"
            raise UsageError(f"{self.name}{known}, not {text!r}.", "docs/GAMES.md has the table.") from None

    def say(self, value: int) -> str:
        for word, number in self.words.items():
            if number == value:
                return word.replace("_", " ")
        if not self.name.endswith("s"):
            return f"{self.name} {value}"
        if value == 0xFFFF:
            return f"{self.name} not reported"
        return f"{value} {self.name[:-1] if value == 1 else self.name}"  # so many of them


_DECK = Number("deck")
_POSITION = Number("position")
_SEAT = Number("position", {"dealer": DEALER, "community": COMMUNITY})
_CARDS = Number("cards")
_HOLD = Number("hold", {"begins": 1, "over": 0})

# By the name of the record: its numbers, a then b.
NUMBERS: dict[str, tuple[Number, ...]] = {
    "none": (),
    "inspected": (_DECK,),
    "verified": (_DECK,),
    "shown": (_DECK,),
    "washed": (_DECK,),
    "mixing_seen": (_DECK,),
    "tens_removed": (_DECK,),
    "provenance": (_DECK, Number("source", {"machine": 1, "supplier": 2, "hand": 3})),
    "cut": (_CARDS, Number("by", {"dealer": 1, "player": 2, "floorperson": 3})),
    "deck_removed": (_DECK, Number("new deck", {"not_replaced": 0, "replaced": 1, "other_goes_on": 2}, needed=False)),
    "no_activity": (),
    "out_of_service": (Number("service", {"out": 1, "back": 0}),),
    "dispute": (_DECK, _HOLD),
    "winner_hold": (_DECK, _HOLD),
    "stub_counted": (
        _CARDS,
        Number("misdealt", {"not_misdealt": 0, "misdealt": 1, "misdealt_and_not_whole": 2}, needed=False),
    ),
    "progressive": (Number("wagers"), Number("chips")),
    "fold": (_POSITION,),
    "second_wager": (_POSITION, Number("wager", {"placed": 1, "taken_back": 0})),
    "final_deal": (Number("positions"),),
    "hole_card_seen": (),
    "misdeal": (_SEAT, _CARDS),
    "face_up": (_CARDS,),
    "drawn_in_error": (_CARDS, Number("face", {"unseen": 0, "seen": 1}, needed=False)),
    "dealer_change": (),
    "burned": (_CARDS, Number("why", {"new_shoe": 1, "new_dealer": 2, "finished_hand": 3, "refused": 4})),
    "ten_found": (_CARDS,),
    "up_card": (Number("rank", {"ace": 1, "jack": 11, "queen": 12, "king": 13}),),
    "insurance_closed": (),
    "dealer_card": (),
    "short_shoe": (_CARDS,),
    "reshuffle": (Number("why", {"new_game": 1, "house": 2}),),
    "cut_offered": (_POSITION, Number("answer", {"taken": 1, "refused": 0})),
    "box_missed": (_POSITION, _CARDS),
    "reader_off": (),
    "approval": (Number("number"), Number("allows")),
    "surrender": (_POSITION,),
    "card_to": (_SEAT, Number("draw")),
    "house_decision": (Number("decision", {"goes_on": 1, "void": 2}),),
    "delivered_wrongly": (_SEAT, Number("card", {"moves_forward": 1, "to_the_dealer": 2, "burned": 3})),
    "let_out": (_POSITION, _CARDS),
}
_ANY = (Number("a", needed=False), Number("b", needed=False))  # of a kind that this version has no words for


def numbers_of(what: What) -> tuple[Number, ...]:
    return NUMBERS.get(what.name.lower(), _ANY)


def usage(what: What) -> str:
    """`cut CARDS dealer|player|floorperson`."""
    parts = ["|".join(number.words) or number.name.upper() for number in numbers_of(what)]
    marked = [part if number.needed else f"[{part}]" for part, number in zip(parts, numbers_of(what), strict=True)]
    return " ".join([what.name.lower(), *marked])


def record_from_words(words: Sequence[str]) -> dict[str, int]:
    """The arguments of the command from what a person typed: `cut 26 dealer`, or numbers alone: `cut 26 1`."""
    kinds = [what for what in What if what not in (What.NONE, What.UNRECOGNISED)]
    names = {what.name.lower(): what for what in kinds}
    name = words[0].replace("-", "_") if words else ""
    if name not in names:
        raise UsageError(
            f"what is to be put on record? {f'There is no {name}. ' if name else ''}Known: {', '.join(names)}.",
            "docs/GAMES.md says what each is for.",
        )
    what = names[name]
    numbers = numbers_of(what)
    given = words[1:]
    if not sum(number.needed for number in numbers) <= len(given) <= len(numbers):
        raise UsageError(f"record {usage(what)}: {len(given)} arguments were given.", "docs/GAMES.md has the table.")
    values = [number.read(text) for number, text in zip(numbers, given, strict=False)] + [0, 0]
    return {"what": what, "a": values[0], "b": values[1]}


def describe_record(what: What, a: int, b: int) -> str:
    """`cut: 26 cards, dealer`."""
    said = [number.say(value) for number, value in zip(numbers_of(what), (a, b), strict=False)]
    return what.name.lower().replace("_", " ") + (": " + ", ".join(said) if said else "")
