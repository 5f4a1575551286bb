"""Game profiles: everything in which one game differs from another, as data.

A game is a file of game_profiles/; docs/GAMES.md describes it and host tools check it. A device carries its own game as
/game.json, with numbers in place of words: rig/games.py makes one of the other. The house game needs no file.
"""

from micropython import const

from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

    from hal.api import Config

    Page = tuple[str, str, str, str]

CLAUSE_NONE = b"HOUSE"  # no clause of the game orders this consequence: house policy

# What a rule may be about; rig/games.py has the words.
RULE_SHUFFLE_FAULT = const(0)
RULE_DEAL_FAULT = const(1)
RULE_COUNT = const(2)
RULE_FACE_UP = const(3)
RULE_FACE_UPS = const(4)
RULE_MISDEAL = const(5)
RULE_MISDEAL_DEALER = const(6)
RULE_DEALER_SHORT = const(7)
RULE_STUB_MISDEALT = const(8)
RULE_STUB_WRONG = const(9)
RULE_EXPOSURE = const(10)
RULE_STUB_COUNT = const(11)
RULE_CLOSING = const(12)
RULE_CLOSING_AGAIN = const(13)
RULE_LOCKOUT = const(14)
RULE_INDUCTION = const(15)
RULE_CUT = const(16)
RULE_TWO_DECKS = const(17)
RULE_NO_ACTIVITY = const(18)
RULE_REMOVAL = const(19)
RULE_DISPUTE = const(20)
RULE_WINNER_HOLD = const(21)
RULE_DRAWN_IN_ERROR = const(22)
RULE_DRAWN_SEEN = const(23)
RULE_PROVENANCE = const(24)
RULE_FOLD = const(25)
RULE_FINAL_DEAL = const(26)
RULE_COVER_ALL = const(27)
RULE_TEN = const(28)
RULE_TENS = const(29)
RULE_BURN = const(30)
RULE_BURN_MISSED = const(31)
RULE_HOLE_CARD = const(32)
RULE_READER_WRONG = const(33)
RULE_READER_FAULT = const(34)
RULE_SHORT_SHOE = const(35)
RULE_CUT_CARD = const(36)
RULE_BOX_MISSED = const(37)
RULE_DEALER_CARD = const(38)
RULE_APPROVAL = const(39)
RULE_RACK = const(40)
RULE_RACK_WRONG = const(41)
RULE_HIT_MISSED = const(42)
RULE_PAT_HAND = const(43)
RULE_REFUSED = const(44)
RULE_SURRENDER = const(45)
RULE_INSURANCE = const(46)
RULE_RELEASE = const(47)
RULE_PLAN = const(48)
RULE_DELIVERED = const(49)
RULE_DELIVERED_BURNED = const(50)
RULE_LET_OUT = const(51)
RULE_HOUSE = const(52)  # about nothing: house policy, no consequence
RULE_NOT_WHOLE = const(53)  # misdealt, and no whole deck either: no rule of any game covers that
RULE_COUNT_ALL = const(54)
RULE_NONE = const(255)  # in place of a rule: none has held the table back

# Consequences where a game has no rule: the cautious choice, in the order of the rules.
_CAUTIOUS = bytes(
    (
        ids.RESHUFFLE,
        ids.ALL_VOID_RESHUFFLE,
        ids.REMOVE_DECK,
        ids.REJECT_CARD,
        ids.ALL_VOID_RESHUFFLE,
        ids.ALL_VOID_RESHUFFLE,
        ids.ALL_VOID_RESHUFFLE,
        ids.ALL_VOID_RESHUFFLE,
        ids.ALL_VOID_RESHUFFLE,
        ids.ALL_VOID_REMOVE_DECK,
        ids.ALL_VOID_RESHUFFLE,
    )
)

EXTRA_COMMUNITY = const(1)  # the last stack is dealt when green ends the players' cards
EXTRA_READER = const(2)
EXTRA_TENS_OUT = const(4)  # a shoe without tens
EXTRA_BURNS = const(8)  # the first card of a shoe, and one for each new dealer, is burned
EXTRA_SETTLED_FIRST = const(16)  # the rest stays inside until the last hand is settled
EXTRA_FIRST_CLOSES = const(32)  # the first card of a round closes the betting; no button does
EXTRA_PASSES = const(64)  # from a manual shoe or the hand: one card to each in turn, not hand after hand

# Where a round stands of which every card is out: TAIL of the facts; 0: there is none.
TAIL_SETTLING = const(1)
TAIL_HANDED = const(2)  # a deck was handed out whole, and betting is open
TAIL_LOCKOUT = const(3)  # and closed, and the lock-out is due
TAIL_WAGERS = const(4)  # and betting has to be closed once more
TAIL_HOUSE = const(5)  # the machine stopped, no rule says what becomes of the round, and the house has not decided

# No game of its own: any deal plan, everything void on any fault while dealing. A board or scenario that gives an
# object instead of a game's name changes what it names of this.
_HOUSE: "dict[str, object]" = {
    "name": "house",
    "code": "HOUSE",
    "deck_cards": 52,
    "stack_cards": 5,
    "positions_max": 9,
    "lockout": False,
}
# What a set-up is made of: a bit for each of these, for the number of decks, and for a table with Cover All or without.
KINDS = ("carousel", "shelves", "shoe", "draw")
DEALINGS = ("shoe", "beside", "manual", "hand")
_MODES = b"\0\0\1\2"  # the mode of each way of dealing: an automated shoe, a manual shoe, a hand
ROUND_EVENTS_MAX = const(48)  # a round of nine with a fault at its end records 45


class Profile:
    """One game's rules as the procedure reads them."""

    def __init__(self, data: "Mapping[str, Any]") -> None:
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
        self._fill(data)
        if self.extras & EXTRA_FIRST_CLOSES:
            self.round_events = ROUND_EVENTS_MAX  # cards drawn by hand are counted, and not recorded one by one
        self._rules(data)
        # A deck of these games is shuffled after every round, also where a hand draws it.
        self.one_round = self.closings > 1 or self.stub_rounds > 0
        self.pages = _pages(data.get("pages", {}))  # where the game has words of its own, by state
        columns = data.get("cover_all", {})
        self.columns = {int(hands): columns[hands] for hands in columns}
        # Clauses that another way of dealing has in place of those of the rules: pairs of rule and clause.
        self.clauses_by_mode = ((), data.get("manual", ()), data.get("hand", ()))
        self.refused = data.get("set_ups", ())  # bits of set-ups that the rules exclude, with the clause and why
        self.at_table({})

    def _fill(self, data: "Mapping[str, Any]") -> None:
        self.closings = _number(data.get("closings", 1))  # how often betting is closed in a round
        # Dealt by hand from the released rest: to each position with a second wager, and to dealer or community.
        self.final_each = _number(data.get("final_each", 0))
        self.final_fixed = _number(data.get("final_fixed", 0))
        self.hand_cards = _number(data.get("hand_cards", self.stack_cards))  # of a finished hand
        self.stub_rounds = _number(data.get("stub_rounds", 0))  # a stub count at least so often; 0: never
        # Lists of words are bits here, in the order of all the words there are.
        self.stub_exempt = _number(data.get("stub_exempt", 0))
        self.sources = _number(data.get("sources", 0xFF))
        self.cut_after = _number(data.get("cut_after", 0))
        self.cut_top = _number(data.get("cut_top", 0))  # cards a cut must leave at either end
        self.cut_bottom = _number(data.get("cut_bottom", 0))
        self.cut_by = _number(data.get("cut_by", 0xFF))
        self.induction = _number(data.get("induction", 0))
        self.exposure = _number(data.get("exposure", 0))
        self.extras = _number(data.get("extras", 0))
        self.packs = _sizes(data.get("packs", ()))  # how many packs of so many cards may make up the set
        self.pack_cards = _number(data.get("pack_cards", 0))

    def _rules(self, data: "Mapping[str, Any]") -> None:
        self.clauses = [CLAUSE_NONE] * RULE_COUNT_ALL
        self.consequences = bytearray(RULE_COUNT_ALL)
        self.consequences[: len(_CAUTIOUS)] = _CAUTIOUS
        self.consequences[RULE_NOT_WHOLE] = ids.ALL_VOID_REMOVE_DECK
        rules = data.get("rules", ())
        for i in range(len(rules)):
            if rules[i]:
                clause, consequence = rules[i]
                self.clauses[i] = _text(clause)
                if consequence:
                    self.consequences[i] = consequence
        for name, index in (("count", RULE_COUNT), ("shuffle", RULE_SHUFFLE_FAULT), ("deal", RULE_DEAL_FAULT)):
            if "clause_" + name in data:
                self.clauses[index] = _text(data["clause_" + name])

    def _check_sizes(self) -> None:
        deck = self.deck_cards
        for size in self.plan or (self.stack_cards, self.last_cards):
            if not 0 < size <= min(deck, 255):
                raise ValueError("profile: a stack of %d from a deck of %d" % (size, deck))
        if sum(self.plan) > deck:
            raise ValueError("profile: a plan of %d cards from a deck of %d" % (sum(self.plan), deck))

    def at_table(self, config: "Config") -> "Profile":
        """Apply the table's settings, for choices that the rules leave open."""
        table = config.get("table", {})
        self.decks = table.get("decks", 1)
        if self.decks > 1 and "back" not in config["inputs"]:
            raise ValueError("two decks need a back sensor, and this board has none")
        packs = table.get("packs", 0)
        if packs:
            if packs not in self.packs:
                raise ValueError("%s is not played with %d packs" % (self.name, packs))
            self.deck_cards = packs * self.pack_cards
        if not table.get("progressive", True):
            self.lockout = False
        self._deal_by(config.get("mechanism", {}).get("kind"), table.get("dealing", "shoe"), table.get("cover_all"))
        self.recorded = bool(table.get("records"))  # play needs the records of the table system
        self.host_records = config.get("link", {}).get("mode") == "table"  # a host may tell what people decide
        self.counts_full = config.get("mechanism", {}).get("count_assurance") == "full"
        # No silent default: the rules do not say which hands count for Cover All.
        self.cover_all = ("", "without_dealer", "with_dealer").index(table.get("cover_all", ""))
        if self.cover_all and not self.columns:
            raise ValueError("%s has no Cover All" % self.name)
        return self

    def _deal_by(self, kind: "str | None", dealing: str, cover_all: "str | None") -> None:
        """By what the deck is dealt, at a table that the rules allow and whose machine can do that."""
        if kind == "draw" and dealing == "shoe":
            dealing = "manual"
        if kind:
            self._refuse(set_up_bits(kind, dealing, self.decks, bool(cover_all)))
        self.overlaps = self.decks > 1 and kind != "draw"  # one is taken in while the round of the other is settled
        if kind == "shoe" and dealing != "shoe":
            raise ValueError("a motor shoe does not hand its deck out: dealing can only be shoe")
        self.mode = _MODES[DEALINGS.index(dealing)]
        if kind == "draw" or self.extras & EXTRA_FIRST_CLOSES:
            # It is a manual shoe; a shoe that lasts for many rounds has a procedure of its own, and a shuffler none.
            self.mode = 1 if self.one_round else 0
        for pair in self.clauses_by_mode[self.mode]:
            self.clauses[pair[0]] = _text(pair[1])

    def _refuse(self, bits: int) -> None:
        """Refuse a set-up that the rules of this game exclude. The rows are not needed any more after that."""
        for covered, clause, why in self.refused:
            if not bits & ~covered:
                raise ValueError("%s: %s (%s)" % (self.name, why, clause))
        self.refused = ()

    def rule_like(self, clause: bytes, order: int) -> int:
        """A rule with this clause that orders this, as an event names them."""
        for rule in range(RULE_COUNT_ALL):
            if self.clauses[rule] == clause and self.consequences[rule] == order:
                return rule
        return RULE_HOUSE

    def phase_after(self, phase: int) -> int:
        """Of a round that is dealt by hand: what the dealer does next, as TAIL of the facts."""
        if phase < TAIL_LOCKOUT and phase != TAIL_SETTLING and self.lockout:
            return TAIL_LOCKOUT
        return TAIL_WAGERS if phase != TAIL_WAGERS and self.closings > 1 else TAIL_SETTLING

    def phase_open(self, closed_again: int) -> int:
        """What the dealer does next in a round that goes on by hand since the machine stopped, as TAIL of the facts."""
        return TAIL_WAGERS if self.closings > 1 and not closed_again else TAIL_SETTLING

    def stack_size(self, stack: int, positions: int) -> int:
        """Cards of stack number `stack`, from 1; 0 if there is none."""
        if self.plan:
            return self.plan[stack - 1] if stack <= len(self.plan) else 0
        if positions and stack > positions:
            return self.last_cards if stack == positions + 1 else 0
        return self.stack_cards


def set_up_bits(kind: str, dealing: str, decks: int, cover_all: bool) -> int:
    return 1 << KINDS.index(kind) | 16 << DEALINGS.index(dealing) | 128 << decks | 1024 << cover_all


def find_profile(game: "str | dict[str, Any]") -> Profile:
    """The profile of a whole game, which has rules, of the house's own, or of that with changes."""
    if not isinstance(game, dict):
        if game != "house":
            raise ValueError("unknown game " + game)
        return Profile(_HOUSE)
    if "rules" in game:
        return Profile(game)
    changed = dict(_HOUSE)
    for key in game:
        if key not in changed and key not in ("last_cards", "plan", "clause_count", "clause_shuffle", "clause_deal"):
            raise ValueError("profile: the house game has no " + key)
        changed[key] = game[key]
    if "stack_cards" not in game:
        changed["stack_cards"] = min(_number(_HOUSE["stack_cards"]), _number(changed["deck_cards"]))
    return Profile(changed)


def _pages(data: "Mapping[str, Any]") -> "dict[int, Page]":
    pages: "dict[int, Page]" = {}
    for state in data:
        first, second, third, fourth = data[state]
        pages[int(state)] = (first, second, third, fourth)
    return pages


def _text(value: object) -> bytes:
    if isinstance(value, str):
        value = value.encode()  # as a file has it
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
