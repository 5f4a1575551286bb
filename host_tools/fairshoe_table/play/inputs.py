"""What people and the shoe report to a round: the rows of the books, and the types that games read.

The books keep `Input`: a key that a round has once, a kind, and JSON values. A game reads types: `parse` gives the type
of a kind and refuses what does not fit it, so that no misspelt choice becomes a fold and no text a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, cast

from fairshoe.errors import UsageError

Data = Mapping[str, Any]
WAGER_MAX = 10**9  # cents of one wager: a limit of the books, far above any posted one
TEXT_MAX = 200  # characters of a name, a reason, a note, a slip


@dataclass(frozen=True)
class Input:
    """Something that happened, as the books keep it. A round takes each key once."""

    key: str
    kind: str
    data: Data = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Fact:
    """One kind of input, with the types of its values."""

    KIND: ClassVar[str] = ""


@dataclass(frozen=True)
class Wagered(Fact):
    """Wagers of one seat before the deal. `bettor`: of those who share a box; `player`: a name, if it is known;
    `coupons`: how much of a wager is a coupon."""

    KIND = "wager"
    seat: int
    amounts: Mapping[str, int]
    bettor: int = 1
    player: str = ""
    coupons: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class Closed(Fact):
    """Betting is closed: the shoe deals this round."""

    KIND = "closed"
    round: int
    device: str = ""
    log: str = ""


@dataclass(frozen=True)
class Cards(Fact):
    """Faces that were turned over, and where they come from; `was`: those that were entered at first, if a correction
    has put these in their place."""

    KIND = "cards"
    seat: int
    cards: tuple[int, ...]
    source: str = ""
    part: str = ""
    was: tuple[int, ...] = ()


@dataclass(frozen=True)
class Exposed(Fact):
    """Whether a player shows cards for a side wager."""

    KIND = "expose"
    seat: int
    shown: bool
    part: str = ""


@dataclass(frozen=True)
class Decided(Fact):
    """A decision of a player; each choice of a game is a class of its own. `cents`: for less than the most."""

    KIND = "decide"
    WORD: ClassVar[str] = ""
    seat: int
    part: str = ""
    cents: int | None = None


@dataclass(frozen=True)
class Confirmed(Fact):
    """A person has done what was asked."""

    KIND = "confirm"
    seat: int
    choice: str
    part: str = ""


@dataclass(frozen=True)
class Counted(Fact):
    KIND = "count"
    seat: int
    count: int
    part: str = ""


@dataclass(frozen=True)
class Voided(Fact):
    """All hands are void but those that are kept; `by` a supervisor, who says why. `unread`: without its game."""

    KIND = "void"
    clause: str
    kept: tuple[int, ...] = ()
    by: str = ""
    reason: str = ""
    unread: bool = False


@dataclass(frozen=True)
class HandVoided(Fact):
    KIND = "void hand"
    seat: int
    clause: str


@dataclass(frozen=True)
class Corrected(Fact):
    """Other cards in the place of those of the input `of`; where two entries were exchanged, of `also` too."""

    KIND = "correct"
    of: str
    cards: tuple[int, ...]
    source: str
    approval: str
    also: str = ""
    also_cards: tuple[int, ...] = ()


COMMON: tuple[type[Fact], ...] = (
    *(Wagered, Closed, Cards, Exposed, Confirmed, Counted, Voided, HandVoided, Corrected),
)
# About the shoe, the settlement or the end of the round: they change no hand.
NO_HAND = (
    *("over", "ended early", "reshuffled", "recorded", "winner hold", "documented", "done", "seed check", "house"),
    "suspense",
)
AFTER_THE_END = ("correct", "done", "seed check", "suspense")


def choices(*words: str) -> tuple[type[Decided], ...]:
    """A class for each word, where a game tells its choices apart by the word alone."""
    return tuple(cast("type[Decided]", type(word.title(), (Decided,), {"WORD": word})) for word in words)


def parse(fact: Input, inputs: Iterable[type[Fact]]) -> Fact:
    """The input as one of these types. Refused: a kind or a choice that is none of them, a value of another type."""
    data = dict(fact.data)
    kinds = [it for it in inputs if fact.kind == it.KIND]
    if any(issubclass(it, Decided) for it in kinds):
        word = data.pop("choice", None)
        kinds = [it for it in kinds if issubclass(it, Decided) and word == it.WORD]
        if not kinds:
            raise UsageError(f"{word!r} is no choice here.", "Ask the player again.")
    if not kinds:
        raise UsageError(f"this game takes no input {fact.kind!r}.", "docs/NEW_GAME.md lists the kinds.")
    known = {it.name: it for it in fields(kinds[0])}
    wrong = [name for name in data if name not in known]
    needed = [name for name, it in known.items() if it.default is MISSING and it.default_factory is MISSING]
    wrong += [name for name in needed if name not in data]
    if wrong:
        raise UsageError(f"{fact.kind}: {wrong[0]} is missing or unknown.", "docs/NEW_GAME.md lists what it has.")
    return kinds[0](**{name: _value(fact.kind, name, str(known[name].type), value) for name, value in data.items()})


def _value(kind: str, name: str, wanted: str, value: Any) -> Any:
    """The value, if it is what the field wants. JSON has lists where types have tuples."""
    if wanted == "tuple[int, ...]" and type(value) in (list, tuple):
        value = tuple(value)
    if not _fits(wanted, value):
        raise UsageError(f"{kind}: {name} is {value!r}, and not {wanted}.", "Check what sends it.")
    return value


def _fits(wanted: str, value: Any) -> bool:
    match wanted:
        case "tuple[int, ...]":
            return type(value) is tuple and {type(it) for it in cast("tuple[object]", value)} <= {int}
        case "Mapping[str, int]":
            items = cast("dict[object, object]", value).items() if type(value) is dict else [(0, 0)]
            return all(type(key) is str and type(it) is int for key, it in items)
        case _:
            return type(value).__name__ in wanted.replace("None", "NoneType").split(" | ")


def wager(
    seat: int, amounts: Mapping[str, int], bettor: int = 1, player: str = "", coupons: Mapping[str, int] | None = None
) -> Input:
    """The wagers of one seat before the deal. `bettor`: of one to three who share a box of Double Attack Blackjack.
    `player` names who wagers, where one person may have several seats; without a name every seat is another one's."""
    key = f"wager:{seat}" if bettor == 1 else f"wager:{seat}.{bettor}"
    data = {"seat": seat, "amounts": dict(amounts), "bettor": bettor, "player": player}
    return Input(key, "wager", {**data, "coupons": dict(coupons)} if coupons else data)


def check_lines(*texts: str) -> None:
    """Refuse what is no line of a person: with a control character it could forge a line of a report."""
    for text in texts:
        if not text.isprintable() or len(text) > TEXT_MAX:
            raise UsageError(f"{ascii(text)[:40]} is no line of up to {TEXT_MAX} characters.", "Write it shorter.")


def signed(by: str, reason: str) -> dict[str, str]:
    """Who has decided something, and why."""
    if not by.strip() or not reason.strip():
        raise UsageError("the decision has no name or no reason.", "Enter the supervisor and the reason.")
    check_lines(by, reason)
    return {"by": by.strip(), "reason": reason.strip()}
