"""What is played on a board under test: hands at the machine, the host library at its link, and what must come of it.

The board is whatever has a port, hands and a plug: the emulated one of `make hil`, or a simulated one in a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from fairshoe.keys import RoleKey
from fairshoe.messages import (
    Booted,
    DeckLoaded,
    DeckRefused,
    DeckVerified,
    Event,
    PowerLost,
    RemainderReleased,
    RoundEnded,
    RoundVoided,
    ShuffleStarted,
    StackOffered,
    StackStarted,
    StackTaken,
    WarningCleared,
    WarningLatched,
)
from fairshoe.session import HostSession
from fairshoe.shoe import Shoe
from firmware.protocol.ids import UNKNOWN_U16

CARDS = 12  # two stacks of five and a remainder of two
STACK = 5
SHUFFLE_REPORT_MS = 9000
DARK_MS = 1500
Step = tuple[str, int, str, str]  # an event to wait for, or none; so many milliseconds; then an action, its argument


class StoryError(Exception):
    """What did not happen as it must."""


class Board(Protocol):
    """A machine on a table. Reading `port` lets its time go on."""

    port: Any
    plant: Any

    def hand(self, action: str, argument: str = "") -> None: ...

    def power_off(self, dark_ms: int) -> None: ...

    def power_on(self) -> None: ...


def small(config: dict[str, Any]) -> dict[str, Any]:
    """A board for few cards: everything as it is but the deck, and the moment at which a shuffle is reported."""
    mechanism = {**config["mechanism"]}
    if "shuffle_report_ms" in mechanism and mechanism["kind"] == "carousel":
        mechanism["shuffle_report_ms"] = SHUFFLE_REPORT_MS
    changed = {**config, "mechanism": mechanism}
    if isinstance(config.get("game"), dict):
        changed["game"] = {**config["game"], "deck_cards": CARDS}
    return changed


def small_game(game: dict[str, Any]) -> dict[str, Any]:
    return {**game, "deck_cards": CARDS, "positions_max": 1}


@dataclass
class Player:
    """A dealer and a host at one board."""

    board: Board
    note: Callable[[str], None] = print
    events: list[Event] = field(default_factory=list[Event])
    seen: int = 0
    watch: Callable[[], None] | None = None  # asked every moment
    key: RoleKey | None = None  # without one the session is in clear

    def __post_init__(self) -> None:
        port = self.board.port
        self.shoe = Shoe(port, "the board", HostSession(self.key), clock=port.clock)

    def greet(self, answer_s: float = 30.0) -> None:
        self.shoe.greet(answer_s)

    def poll(self) -> None:
        """A moment of the board's time; each event goes into the list as it comes, once."""
        for message in self.shoe.messages(quiet_s=0.0):
            if isinstance(message, Event):
                self.events.append(message)
                self.note(f"  event {message.seq}: {message.NAME}")
        if self.watch is not None:
            self.watch()

    def run(self, ms: int) -> None:
        until = self.now() + ms / 1000
        while self.now() < until:
            self.poll()

    def now(self) -> float:
        return self.board.port.clock()

    def until(self, name: str, wait_s: float = 60.0) -> Event:
        """The next event of that name that nobody has waited for yet."""
        end = self.now() + wait_s
        while True:
            while self.seen < len(self.events):
                self.seen += 1
                event = self.events[self.seen - 1]
                if name == event.NAME:
                    return event
            if self.now() >= end:
                last = self.events[-1].NAME if self.events else "none"
                raise StoryError(f"no {name} within {wait_s:.0f} s; the last event was {last}")
            self.poll()

    def play(self, steps: list[Step]) -> None:
        for name, delay_ms, action, argument in steps:
            if name:
                self.until(name)
            self.run(delay_ms)
            if action != "wait":
                self.note(f"  {action} {argument}".rstrip())
                self.board.hand(action, argument)

    def since(self, first: int) -> list[Event]:
        return self.events[first:]

    def check(self) -> None:
        """Every event once, in order, none missing; and nothing broken in the machine."""
        numbers = [event.seq for event in self.events]
        expect(numbers == list(range(1, len(numbers) + 1)), f"event numbers {numbers}")
        expect(self.board.plant.crashes == 0, f"the machine was harmed {self.board.plant.crashes} times")


def expect(ok: bool, what: str) -> None:
    if not ok:
        raise StoryError(what)


def one(events: list[Event], kind: type[Any]) -> Any:
    found = [event for event in events if isinstance(event, kind)]
    expect(len(found) == 1, f"{len(found)} events {kind.NAME}, and there must be one")
    return found[0]


# -- rounds ---------------------------------------------------------------------------------------


def put_in(cards: int) -> list[Step]:
    return [("", 500, "load", str(cards)), ("", 300, "press", "green")]


def stacks(lockout: bool) -> list[Step]:
    steps = [("", 200, "press", "seat"), ("", 500, "press", "close")]
    if lockout:
        steps.append(("round_started", 500, "press", "lock"))
    return steps + [("stack_offered", 500, "take", "")] * 2


FINISH: list[Step] = [
    ("stack_taken", 500, "press", "green"),
    ("remainder_released", 500, "take", ""),
    ("remainder_taken", 500, "press", "green"),
    ("round_ended", 100, "wait", ""),
]


def carousel_round(player: Player) -> None:
    """Shuffled and counted twice, one player's stack and the dealer's, each taken; green, the remainder, the end."""
    first = len(player.events)
    player.play([*put_in(CARDS), ("deck_verified", 300, "wait", ""), *stacks(True), *FINISH])
    check_round(player.since(first), True)


def shoe_round(player: Player) -> None:
    first = len(player.events)
    player.play([*put_in(CARDS), ("deck_loaded", 500, "wait", ""), *stacks(True), *FINISH])
    check_round(player.since(first), False)


def check_round(events: list[Event], verified: bool) -> None:
    if verified:
        deck = one(events, DeckVerified)
        expect((deck.counted, deck.swept) == (CARDS, CARDS), f"counted {deck.counted}, swept {deck.swept}")
    offered = [event.cards for event in events if isinstance(event, StackOffered)]
    taken = [event.cards for event in events if isinstance(event, StackTaken)]
    expect(offered == taken == [STACK, STACK], f"stacks offered {offered}, taken {taken}")
    rest = one(events, RemainderReleased)
    expect(rest.counted == CARDS - 2 * STACK, f"a remainder of {rest.counted}")
    ended = one(events, RoundEnded)
    expect((ended.dealt, ended.remainder) == (2 * STACK, rest.counted), f"dealt {ended.dealt} of {CARDS}")


def shelves_round(player: Player) -> None:
    """A machine that does not deal: shuffled, counted, handed out."""
    first = len(player.events)
    hand_out = [
        ("deck_verified", 500, "press", "green"),
        ("remainder_released", 500, "take", ""),
        ("remainder_taken", 100, "wait", ""),
    ]
    player.play([*put_in(CARDS), *hand_out])
    deck = one(player.since(first), DeckVerified)
    expect((deck.counted, deck.swept) == (CARDS, CARDS), f"counted {deck.counted}, again {deck.swept}")


def draw_round(player: Player) -> None:
    """A shoe in a hand: four cards drawn, the round ended. The deck stays for the next one."""
    if not any(isinstance(event, DeckLoaded) for event in player.events):
        player.play([*put_in(CARDS), ("deck_loaded", 500, "wait", "")])
    player.play([("", 500, "press", "close"), ("round_started", 300, "wait", "")])
    player.play([("", 500, "draw", "150")] * 4)
    player.play([("", 800, "press", "green"), ("round_ended", 100, "wait", "")])
    ended = player.events[player.seen - 1]
    expect(isinstance(ended, RoundEnded) and ended.dealt == 4, f"four cards were drawn, and told is {ended}")


ROUNDS: dict[str, Callable[[Player], None]] = {
    "carousel": carousel_round,
    "shelves": shelves_round,
    "shoe": shoe_round,
    "draw": draw_round,
}


# -- what goes wrong ------------------------------------------------------------------------------

BY_HAND: list[Step] = [
    ("", 500, "repair", ""),
    ("", 200, "open", ""),
    ("", 800, "clear", ""),
    ("", 500, "close", ""),
    ("", 500, "press", "ack"),
    ("warning_cleared", 100, "wait", ""),
]


def jam(player: Player) -> None:
    """The fourth card stops in the throat and is not freed: the shuffle is none, and an operator clears it."""
    first = len(player.events)
    player.board.hand("jam", "throat:3:60000")
    player.play([*put_in(CARDS), ("warning_latched", 300, "wait", ""), *BY_HAND])
    events = player.since(first)
    expect(one(events, WarningLatched).warning.name == "JAM_THROAT", "the warning is not that of a jam")
    expect(not any(isinstance(event, DeckVerified) for event in events), "a jammed deck was verified")
    one(events, WarningCleared)


def short_deck(player: Player) -> None:
    """One card is missing: refused, put out, taken away."""
    first = len(player.events)
    player.play([
        *put_in(CARDS - 1),
        ("warning_latched", 500, "press", "ack"),
        ("deck_removed", 500, "take", ""),
        ("warning_cleared", 100, "wait", ""),
    ])  # fmt: skip
    refused = one(player.since(first), DeckRefused)
    expect((refused.expected, refused.counted) == (CARDS, CARDS - 1), f"counted {refused.counted}")


def power_cut(player: Player) -> None:
    """In the middle of a shuffle. The board that starts again knows that it was one, and trusts no count."""
    player.play([*put_in(CARDS), ("shuffle_committed", 2500, "wait", "")])
    events = cut(player)
    expect(one(events, PowerLost).during == ShuffleStarted.ID, "not told to have been in a shuffle")
    expect(not any(isinstance(event, DeckVerified) for event in events), "a cut shuffle was a shuffle")
    player.play(BY_HAND)


def power_cut_dealing(player: Player) -> None:
    """While a stack is dealt: the round is void, and how many cards are inside is not known."""
    player.play([*put_in(CARDS), ("deck_verified", 300, "wait", ""), *stacks(True)[:3]])
    player.play([("stack_started", 400, "wait", "")])
    events = cut(player)
    lost = one(events, PowerLost)
    expect((lost.during, lost.round_open) == (StackStarted.ID, 1), "not told to have been in a stack of an open round")
    player.until("round_voided")
    void = one(player.events, RoundVoided)
    expect(void.cards_inside == UNKNOWN_U16, f"{void.cards_inside} cards inside, and nobody can know")
    player.play(BY_HAND)


def cut(player: Player) -> list[Event]:
    """Power fails and comes back; what the board says about it when it has started again."""
    first = len(player.events)
    player.note("  the plug is pulled, and put in again")
    player.board.power_off(DARK_MS)
    player.board.power_on()
    player.until("power_lost")
    events = player.since(first)
    expect(one(events, Booted).boot == 2, "not the second boot")
    expect(one(events, WarningLatched).warning.name == "POWER", "the warning is not that of lost power")
    return events


FAULTS: dict[str, Callable[[Player], None]] = {
    "jam": jam,
    "short": short_deck,
    "power": power_cut,
    "power-deal": power_cut_dealing,
}
