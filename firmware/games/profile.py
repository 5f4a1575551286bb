"""Game profiles: everything in which one game differs from another, as data."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

_CARIBBEAN = {
    "name": "caribbean-stud",
    "code": b"CS",
    "deck_cards": 52,
    "stack_cards": 5,
    "positions_max": 9,
    "lockout": True,
    "clause_count": b"CS-9g",
    "clause_shuffle": b"CS-13e",
    "clause_deal": b"CS-13f",
}

_GAMES = (_CARIBBEAN,)

CLAUSE_NONE = b"HOUSE"  # no clause of the game orders this consequence: house policy


class Profile:
    """One game's rules as the procedure reads them."""

    def __init__(self, data: "Mapping[str, object]") -> None:
        self.name = str(data["name"])
        self.code = _text(data["code"])
        self.deck_cards = _number(data["deck_cards"])
        self.stack_cards = _number(data["stack_cards"])
        self.positions_max = _number(data["positions_max"])
        self.lockout = bool(data["lockout"])
        self.clause_count = _text(data["clause_count"])
        self.clause_shuffle = _text(data["clause_shuffle"])
        self.clause_deal = _text(data["clause_deal"])


def game_names() -> "list[str]":
    return [str(data["name"]) for data in _GAMES]


def find_profile(name: str) -> "Profile | None":
    """The profile of a game by its full name; None if there is no such game."""
    for data in _GAMES:
        if data["name"] == name:
            return Profile(data)
    return None


def _text(value: object) -> bytes:
    if not isinstance(value, bytes) or len(value) > 8:
        raise ValueError("profile: a code or clause is at most eight ASCII bytes")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("profile: expected a whole number")
    return value
