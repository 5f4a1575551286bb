"""Game profiles: everything in which one game differs from another, as data."""

from micropython import const

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

CLAUSE_NONE = b"HOUSE"  # no clause of the game orders this consequence: house policy

# No game of its own: any deal plan, everything void on any fault while dealing. A board or scenario that gives an
# object instead of a game's name changes what it names of this.
_HOUSE: "dict[str, object]" = {
    "name": "house",
    "code": CLAUSE_NONE,
    "deck_cards": 52,
    "stack_cards": 5,
    "positions_max": 9,
    "lockout": False,
    "clause_count": CLAUSE_NONE,
    "clause_shuffle": CLAUSE_NONE,
    "clause_deal": CLAUSE_NONE,
}

_GAMES = (_CARIBBEAN, _HOUSE)


ROUND_EVENTS_MAX = const(48)  # a round of nine with a fault at its end records 41


class Profile:
    """One game's rules as the procedure reads them."""

    def __init__(self, data: "Mapping[str, object]") -> None:
        self.name = str(data["name"])
        self.code = _text(data["code"])
        self.deck_cards = _number(data["deck_cards"])
        self.stack_cards = _number(data["stack_cards"])
        self.last_cards = _number(data.get("last_cards", self.stack_cards))  # dealer or community, after the positions
        self.plan = _sizes(data.get("plan", ()))  # a programmed deal: these stacks and no others
        self._check_sizes()
        # No more positions than the deck can serve.
        served = (self.deck_cards - self.last_cards) // self.stack_cards
        self.positions_max = min(_number(data["positions_max"]), served)
        stacks = len(self.plan) or self.deck_cards // self.stack_cards
        self.round_events = max(ROUND_EVENTS_MAX, 3 * stacks + 18)  # each stack is started, offered and taken
        self.lockout = bool(data["lockout"])
        self.clause_count = _text(data["clause_count"])
        self.clause_shuffle = _text(data["clause_shuffle"])
        self.clause_deal = _text(data["clause_deal"])

    def _check_sizes(self) -> None:
        deck = self.deck_cards
        for size in self.plan or (self.stack_cards, self.last_cards):
            if not 0 < size <= min(deck, 255):
                raise ValueError("profile: a stack of %d from a deck of %d" % (size, deck))
        if sum(self.plan) > deck:
            raise ValueError("profile: a plan of %d cards from a deck of %d" % (sum(self.plan), deck))

    def stack_size(self, stack: int, positions: int) -> int:
        """Cards of stack number `stack`, from 1; 0 if there is none."""
        if self.plan:
            return self.plan[stack - 1] if stack <= len(self.plan) else 0
        if positions and stack > positions:
            return self.last_cards if stack == positions + 1 else 0
        return self.stack_cards


def game_names() -> "list[str]":
    return [str(data["name"]) for data in _GAMES]


def find_profile(game: "str | dict[str, object]") -> "Profile | None":
    """The profile of a game by its full name, or the house's own with changes; None if there is no such game."""
    if isinstance(game, dict):
        changed = dict(_HOUSE)
        for key in game:
            if key not in changed and key not in ("last_cards", "plan"):
                raise ValueError("profile: the house game has no " + key)
            changed[key] = game[key]
        if "stack_cards" not in game:
            changed["stack_cards"] = min(_number(_HOUSE["stack_cards"]), _number(changed["deck_cards"]))
        return Profile(changed)
    for data in _GAMES:
        if data["name"] == game:
            return Profile(data)
    return None


def _text(value: object) -> bytes:
    if isinstance(value, str):
        value = value.encode()  # as a board config has it
    if not isinstance(value, bytes) or len(value) > 8:
        raise ValueError("profile: a code or clause is at most eight ASCII bytes")
    return value


def _sizes(value: object) -> bytes:
    if not isinstance(value, (tuple, list)):
        raise ValueError("profile: a plan is a list of stack sizes")
    sizes = bytearray()
    for size in value:
        sizes.append(_number(size))
    return bytes(sizes)


def _number(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("profile: expected a whole number")
    return value
