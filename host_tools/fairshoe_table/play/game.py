"""What a game is: one object that the table, the desk, the books and the simulation ask.

No module outside games/ knows a game, and no import leads there: the registry finds games by name, ours and those of
other packages alike. A game is pure. It keeps no state: a `Play` is the round as reported so far, and every method is a
function of it. `Game` has the parts that most games share; games dealt in stacks begin with `StackGame`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from fairshoe import Event, Need, State
from fairshoe.errors import UsageError
from fairshoe.games.profiles import load_game
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.messages import What
from fairshoe_table.play.inputs import COMMON, Cards, Confirmed, Data, Decided, Exposed, Fact, Input, Wagered, parse
from fairshoe_table.play.irregularities import DEALERS, SEATS, Irregularity, from_profile
from fairshoe_table.play.options import Options
from fairshoe_table.rules.cards import DECK, name
from fairshoe_table.rules.ledger import Line
from fairshoe_table.rules.line_shapes import Void
from fairshoe_table.rules.meters import Meters
from fairshoe_table.rules.money import dollars
from fairshoe_table.rules.pay_tables import PayTable


@dataclass(frozen=True)
class Text:
    """A prompt: what the dealer does, what the dealer says aloud (nothing if it is empty), and the clause. `do` may
    have places in braces, which the values of an `Ask` fill."""

    id: str
    do: str
    clause: str
    say: str = ""


@dataclass(frozen=True)
class Ask:
    """What the round needs next from a person: cards that were turned over, or a decision of a seat."""

    kind: str  # "cards", "expose", "decide", "count" or "confirm"
    seat: int  # DEALER and COMMUNITY for their cards
    prompt: Text
    count: int = 0
    choices: tuple[str, ...] = ()
    part: str = ""  # tells several asks of one seat apart
    most: tuple[tuple[str, int], ...] = ()  # choices that may be made for less, and their most in cents
    values: Data = field(default_factory=dict[str, Any])

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.seat}:{self.part}"

    @property
    def text(self) -> str:
        return self.prompt.do.format(**self.values)

    def answer(self, **data: Any) -> Input:
        return Input(self.key, self.kind, {"seat": self.seat, "part": self.part, **data})


@dataclass(frozen=True)
class Stake:
    """A wager before the deal and its posted limits in cents. `times`: exactly so many times another wager."""

    wager: str
    least: int
    most: int
    clause: str
    needed: bool = False
    times: tuple[str, int] = ("", 1)
    label: str = ""

    @property
    def unit(self) -> int:
        """The one amount that it may have; 0: any."""
        return self.least if self.least == self.most else 0


@dataclass(frozen=True)
class Dealt:
    """How far the shoe has come, as its events say: all stacks taken, how often betting was closed, the rest out; and
    as its status says: its state, what it waits for, the cards left in a shoe that is drawn by hand."""

    stacks: bool = False
    closings: int = 0
    rest: bool = False
    state: State | None = None
    need: Need | None = None
    cards_left: int = 0


ALL_OUT = Dealt(True, 2, True)
SEATS_MAX = 9  # of a profile that says nothing else
TABLE_SEATS = 6  # of a table, unless the house says otherwise


@dataclass(frozen=True)
class Report:
    """A record for the shoe; `then` is booked whether the shoe takes it or not, `call` calls a person."""

    what: What
    a: int = 0
    b: int = 0
    then: Callable[[bool], Input] | None = None
    call: str = ""


@dataclass(frozen=True)
class Settled:
    """Lines that are due, and the meters after them by pool."""

    lines: tuple[Line, ...]
    meters: Mapping[str, Meters] = field(default_factory=dict[str, Meters])


@dataclass(frozen=True)
class Place:
    """What lies at a seat: hands of cards with notes; a card that is not turned over is None. `shape`: "cross"."""

    hands: tuple[tuple[int | None, ...], ...] = ()
    notes: tuple[str, ...] = ()
    says: str = ""
    shape: str = ""


@dataclass(frozen=True)
class Play:
    """One round at the table. `stakes` holds what was put on the layout: (seat, wager, cents)."""

    game: Game
    options: Any  # the options of that game
    round: Any  # its round
    closed: bool = False
    over: bool = False
    stakes: tuple[tuple[int, str, int], ...] = ()
    inputs: tuple[Input, ...] = ()
    owners: tuple[tuple[int, str], ...] = ()  # seats of players who are known by name
    unread: str = ""  # why it does not follow from its inputs
    coupons: tuple[tuple[int, int, str, int], ...] = ()  # seat, bettor, wager, cents

    @property
    def seats(self) -> tuple[int, ...]:
        return self.game.seats(self.round)

    @property
    def void(self) -> bool:
        return self.round.void is not None

    @property
    def sources(self) -> tuple[str, ...]:
        """Where faces came from."""
        return tuple(str(fact.data["source"]) for fact in self.inputs if fact.kind == "cards")

    def fact(self, key: str) -> bool:
        return any(fact.key == key for fact in self.inputs)

    def keys(self, start: str) -> list[Input]:
        return [fact for fact in self.inputs if fact.key.startswith(start)]

    def position(self, seat: int) -> int:
        """The position of the device, which counts seats with a wager."""
        return seat if seat == DEALER else self.seats.index(seat) + 1

    def stake(self, seat: int, amounts: Mapping[str, int]) -> Play:
        more = tuple((seat, it, cents) for it, cents in amounts.items() if cents)
        return replace(self, stakes=(*self.stakes, *more))


class Game:
    """The protocol of a game. Methods that raise say what every game must define."""

    name: ClassVar[str]
    profile_file: ClassVar[Path | None] = None  # of a package that brings its own profile
    options: ClassVar[type[Options]] = Options
    choices: ClassVar[tuple[type[Decided], ...]] = ()
    more_inputs: ClassVar[tuple[type[Fact], ...]] = ()
    prompts: ClassVar[tuple[Text, ...]] = ()
    own_irregularities: ClassVar[tuple[Irregularity, ...]] = ()
    misdealt: ClassVar[tuple[str, ...]] = (SEATS, DEALERS)  # whose hand may have a wrong number of cards
    seen_early: ClassVar[str] = "A card was seen too early"
    drawn: ClassVar[bool] = False  # card by card from a shoe that is drawn by hand
    pack: ClassVar[tuple[int, ...]] = DECK
    closes_again: ClassVar[str] = "close betting again"
    per: ClassVar[str] = "ante"  # the wager in whose units the return of the game counts
    side: ClassVar[tuple[str, ...]] = ()  # wagers that are no part of it
    known: ClassVar[Mapping[str, float]] = {}  # returns that `make table-oracles` counts

    # -- the device's profile -----------------------------------------------------------------------------------------

    @cached_property
    def profile(self) -> Mapping[str, Any]:
        return load_game(self.profile_name)

    @property
    def profile_name(self) -> str:
        """For the URL of a simulated shoe: the name of a profile, or the path of its file."""
        return str(self.profile_file or self.name)

    @property
    def code(self) -> str:
        return self.profile["code"]

    def clause(self, rule: str) -> str:
        """The clause by which the device judges; empty: it has none."""
        entry = self.profile["rules"].get(rule, "")
        return entry if isinstance(entry, str) else entry[0]

    @cached_property
    def irregularities(self) -> tuple[Irregularity, ...]:
        return (*from_profile(self.clause, self.misdealt, self.seen_early), *self.own_irregularities)

    @cached_property
    def inputs(self) -> tuple[type[Fact], ...]:
        return (*COMMON, *self.choices, *self.more_inputs)

    # -- wagers -------------------------------------------------------------------------------------------------------

    def new(self, options: Options) -> Play:
        raise NotImplementedError

    def stakes(self, options: Any) -> tuple[Stake, ...]:
        """Wagers before the deal, in the order of the betting areas."""
        raise NotImplementedError

    def seats(self, round: Any) -> tuple[int, ...]:
        raise NotImplementedError

    def wagered(self, play: Play, fact: Wagered) -> Play:
        """The round with the wagers of one seat, which fit `stakes`."""
        raise NotImplementedError

    def taken(self, play: Play, fact: Wagered, amounts: Mapping[str, int]) -> Play:
        """The round with wagers that were checked, or were booked by options which nothing knows any more."""
        raise NotImplementedError

    def seats_at(self, options: Any, asked: int) -> int:
        """The seats of a table; 0 is asked where the game or its options say."""
        most = self.profile.get("positions_max", SEATS_MAX)
        if not 0 <= asked <= most:
            raise UsageError(f"a table with {asked} seats.", f"The shoe deals to 1 to {most} of them.")
        return asked or TABLE_SEATS

    def areas_most(self, options: Any, owners: Mapping[int, str]) -> int:
        """How many seats one player may have (ruling `one-hand`)."""
        return 1

    def bettors(self, options: Any) -> int:
        """How many may share a seat."""
        return 1

    def admits(self, play: Play, seats: Iterable[int], before: Play | None) -> None:
        """Refuse seats that may not enter now; `before` is the last round of the table."""

    # -- the round ----------------------------------------------------------------------------------------------------

    def asks(self, play: Play, dealt: Dealt) -> Iterator[Ask]:
        """What people are asked next, in the order of the rules; nothing that the shoe is not ready for."""
        raise NotImplementedError

    def close(self, play: Play) -> Play:
        return replace(play, closed=True)

    def void(self, play: Play, void: Void) -> Play:
        return replace(play, round=replace(play.round, void=void))

    def void_hand(self, play: Play, seat: int, clause: str) -> Play:
        raise NotImplementedError

    def answered(self, play: Play, fact: Cards | Exposed | Decided | Confirmed) -> Play:
        """The round after an answer to one of `asks`."""
        raise NotImplementedError

    def apply(self, play: Play, fact: Fact) -> Play:
        """The round after an input of the game's own."""
        raise UsageError(f"{self.name} takes no input {fact.KIND!r}.", "docs/NEW_GAME.md lists the kinds.")

    def settle(self, play: Play, meters: Mapping[str, Meters]) -> Settled:
        """Every line that is due by now, in the dealer's order."""
        raise NotImplementedError

    # -- meters -------------------------------------------------------------------------------------------------------

    def pools(self, options: Any) -> Mapping[str, PayTable]:
        """The pay tables that pay from meters, by pool."""
        return {}

    def contributes(self, play: Play) -> Mapping[str, int]:
        """Cents of this round for each meter pool."""
        return {}

    def pool_of(self, wager: str) -> str:
        """The meter pool to which a wager contributes; empty: none."""
        return ""

    def owes_later(self, options: Any) -> bool:
        """Whether later wagers make up for contributions of hands that became void, and not the house."""
        return False

    def validates(self, line: Line) -> tuple[str, ...]:
        """What a floorperson checks before this line is paid."""
        return ()

    # -- the shoe -----------------------------------------------------------------------------------------------------

    def hears(self, play: Play, event: Event) -> Iterator[Input]:
        """Inputs that an event of this round makes."""
        return iter(())

    def reports(self, play: Play, dealt: Dealt) -> Iterator[Report]:
        """Records that the shoe needs now, before anything else."""
        return iter(())

    def announces(self, play: Play, ask: Ask) -> Iterator[Report]:
        """Records about the card that is drawn next."""
        return iter(())

    def follows(self, play: Play, fact: Input) -> Iterator[Report]:
        """Records that an answer makes."""
        return iter(())

    def wanted(self, play: Play, what: What, position: int) -> Report | None:
        """A record that the shoe waits for, from the round; None: the table knows it."""
        return None

    # -- cards --------------------------------------------------------------------------------------------------------

    def faces(self, play: Play) -> Mapping[int, tuple[int, ...]]:
        """Cards that were entered, by seat. Empty where several packs are in play: a face may come again."""
        return {}

    def check_cards(self, play: Play, fact: Cards) -> None:
        if not all(card in self.pack for card in fact.cards):
            raise UsageError("that card is not in the pack of this game.", "Check the card.")

    def corrects(self, inputs: Iterable[Input]) -> list[Input]:
        """Cards of these inputs that the dealer may correct."""
        return [fact for fact in inputs if fact.kind == "cards"]

    def begins_with(self, play: Play, ask: Ask) -> list[Input]:
        """Inputs whose cards are the first ones of this hand."""
        return []

    def draws(self, play: Play, ask: Ask) -> bool:
        """Whether a card is drawn from a hand shoe to answer this."""
        return False

    def cards_out(self, keys: Collection[str]) -> int:
        """Cards that were drawn from a hand shoe for these inputs."""
        return 0

    def places(self, seat: int) -> tuple[str, ...]:
        """Where the cards of a seat come from: its "own" stack, the "last" stack, the "rest"; none: not compared."""
        return ()

    def lies_at(
        self, play: Play, ask: Ask, stacks: Mapping[int, tuple[int, ...]], rest: tuple[int, ...]
    ) -> tuple[int, ...]:
        """What the dealer sees there, of cards as a machine has dealt them. `stacks` counts from 1."""
        raise NotImplementedError

    def place(self, play: Play, seat: int) -> Place:
        """What the page shows at a seat, at the DEALER's place or the COMMUNITY's."""
        raise NotImplementedError

    # -- simulated players --------------------------------------------------------------------------------------------

    def demo(self) -> Options:
        """Options with everything that the game offers."""
        return self.options()

    def wagers(self, options: Any, rng: Random) -> Mapping[str, int]:
        """Of one simulated bettor."""
        unit = options.minimum * rng.choice((1, 1, 2, 5))
        side = options.chip * rng.randint(0, 5)
        return {it.wager: unit if it.needed else side for it in self.stakes(options)}

    def decides(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        """The choice of a simulated player, who sees the own cards and those that lie face up."""
        raise NotImplementedError

    def sample(self, options: Any, rng: Random, unit: int) -> tuple[list[Line], str]:
        """The lines of one round at seat 1 from a fresh deck, and the name of the player's hand."""
        raise NotImplementedError


def name_of(seat: int) -> str:
    return {DEALER: "dealer", COMMUNITY: "community"}.get(seat, f"seat {seat}")


class EnteredTwice(UsageError):
    """A card is there already: `card` was entered for `seat` before."""

    def __init__(self, card: int, seat: int, again: int) -> None:
        here = f"{name(card)} of {name_of(seat)} is entered again for {name_of(again)}"
        super().__init__(f"{here}.", "Correct the wrong one; if both are right the deck is wrong: stop the round.")
        self.card, self.seat, self.again = card, seat, again


def check_wagers(game: Game, options: Options, fact: Wagered) -> dict[str, int]:
    """The amounts that were staked, each within its posted limits and in chips."""
    amounts = {it: cents for it, cents in fact.amounts.items() if cents}
    offered = {it.wager: it for it in game.stakes(options)}
    who = f"seat {fact.seat}"
    if not 1 <= fact.seat < COMMUNITY:
        raise UsageError(f"no seat {fact.seat}.", "Seats count from 1, at the dealer's far left.")
    for it in amounts:
        if it not in offered:
            raise UsageError(f"{who}: {it} is not offered at this table before the deal.", "Return the wager.")
    for stake in offered.values():
        cents = amounts.get(stake.wager, 0)
        if not cents and not stake.needed:
            continue
        other, times = stake.times
        if other and cents != times * amounts.get(other, 0):
            said = f"{who}: {stake.wager} wager {dollars(cents)} and {other} {dollars(amounts.get(other, 0))}"
            raise UsageError(f"{said} ({stake.clause}).", f"It is exactly {times} times the {other}.")
        if not other and not stake.least <= cents <= stake.most:
            raise UsageError(
                f"{who}: {stake.wager} of {dollars(cents)} is outside the limits ({stake.clause}).",
                f"{dollars(stake.least)} to {dollars(stake.most)}.",
            )
        if cents % options.chip:
            raise UsageError(f"{who}: {dollars(cents)} in chips of {dollars(options.chip)}?", "Return the wager.")
    for it, cents in fact.coupons.items():
        if it not in options.coupons or it not in offered:
            raise UsageError(f"{who}: no coupon is taken on the {it} wager.", "Return the coupon.")
        staked, unit = amounts.get(it, 0), offered[it].unit  # a wager of one amount is a coupon as a whole, or none
        fits = cents == unit == staked if unit else 0 < 2 * cents <= staked and not cents % options.chip
        if not fits:
            raise UsageError(
                f"{who}: a coupon of {dollars(cents)} in a wager of {dollars(staked)} (ruling coupons).",
                "It needs chips of the same value at least." if not unit else f"It is worth {dollars(unit)}.",
            )
    return amounts


def read(play: Play, fact: Input) -> Fact:
    """The typed input, if this game takes it."""
    return parse(fact, play.game.inputs)
