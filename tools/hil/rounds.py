"""Good rounds: what each kind of machine plays from a loaded deck to an empty machine, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairshoe.messages import (
    DeckLoaded,
    DeckVerified,
    Event,
    RemainderReleased,
    RoundEnded,
    StackOffered,
    StackTaken,
    StubDue,
)
from hil.player import Player, Step, expect, one

QUICK_CARDS = 12  # two stacks of five and a remainder of two
DECK_CARDS = 52
STACK = 5
DRAWN = 4
SHUFFLE_REPORT_MS = 9000  # for QUICK_CARDS on a carousel


def deck_of(config: dict[str, Any], quick: bool) -> int:
    """How many cards to play with.

    The shipped deck: 52 cards on carousel and shoe, 288 in the draw shoe, of which a round draws four. The 384 cards
    of the shelves take 255 s a shuffle, an hour of emulation: they get one deck of 52, which needs two passes as well.
    """
    if quick:
        return QUICK_CARDS
    game: dict[str, int] | str = config.get("game", "")
    shipped = game["deck_cards"] if isinstance(game, dict) else DECK_CARDS
    return DECK_CARDS if config["mechanism"]["kind"] == "shelves" else shipped


def with_deck(config: dict[str, Any], cards: int) -> dict[str, Any]:
    """The same board for so many cards."""
    mechanism = {**config["mechanism"]}
    if mechanism["kind"] == "carousel" and cards == QUICK_CARDS:
        mechanism["shuffle_report_ms"] = SHUFFLE_REPORT_MS
    changed = {**config, "mechanism": mechanism}
    if isinstance(config.get("game"), dict):
        changed["game"] = {**config["game"], "deck_cards": cards}
    return changed


def game_with_deck(game: dict[str, Any], cards: int) -> dict[str, Any]:
    if cards == game["deck_cards"]:
        return game
    return {**game, "deck_cards": cards, "positions_max": max(1, min(game["positions_max"], cards // STACK - 1))}


# -- rounds by events -----------------------------------------------------------------------------


def put_in(cards: int) -> list[Step]:
    return [("", 500, "load", str(cards)), ("", 300, "press", "green")]


def ready_to_deal(player: Player) -> list[Step]:
    """A deck in the machine, counted where it counts."""
    name = {"carousel": "deck_verified", "shelves": "deck_verified"}.get(player.kind, "deck_loaded")
    return [*put_in(player.deck), (name, 500, "wait", "")]


def begin_deal(seats: int = 1) -> list[Step]:
    """Seats, betting closed, lock-out: the first stack comes."""
    steps: list[Step] = [("", 200, "press", "seat")] * seats
    return [*steps, ("", 500, "press", "close"), ("round_started", 500, "press", "lock")]


TAKE: Step = ("stack_offered", 500, "take", "")
FINISH: list[Step] = [
    ("stack_taken", 500, "press", "green"),
    ("remainder_released", 500, "take", ""),
    ("remainder_taken", 500, "press", "green"),
]
COUNT_STUB: list[Step] = [("held_back", 500, "press", "lock"), ("recorded", 500, "press", "green")]


def dealt_round(player: Player) -> None:
    """Carousel and shoe: one player's stack and the dealer's, each taken; green, the remainder, the end."""
    first = len(player.events)
    player.play([*ready_to_deal(player), *begin_deal(), TAKE, TAKE, *FINISH])
    if any(isinstance(event, StubDue) for event in player.since(first)):
        player.play(COUNT_STUB)
    player.until("round_ended")
    check_dealt(player, first)


def check_dealt(player: Player, first: int) -> None:
    events = player.since(first)
    cards = player.deck
    if player.kind == "carousel":
        check_deck(events, cards)
    offered = [event.cards for event in events if isinstance(event, StackOffered)]
    taken = [event.cards for event in events if isinstance(event, StackTaken)]
    expect(offered == taken == [STACK, STACK], f"stacks offered {offered}, taken {taken}")
    rest = one(events, RemainderReleased)
    expect(rest.counted == cards - 2 * STACK, f"a remainder of {rest.counted}")
    ended = one(events, RoundEnded)
    expect((ended.dealt, ended.remainder) == (2 * STACK, rest.counted), f"dealt {ended.dealt} of {cards}")


def check_deck(events: list[Event], cards: int) -> None:
    deck = one(events, DeckVerified)
    expect((deck.counted, deck.swept) == (cards, cards), f"counted {deck.counted}, again {deck.swept}")


def shelves_round(player: Player) -> None:
    """A machine that does not deal: shuffled, counted, handed out."""
    first = len(player.events)
    hand_out: list[Step] = [
        ("", 0, "press", "green"),
        ("remainder_released", 500, "take", ""),
        ("remainder_taken", 100, "wait", ""),
    ]
    player.play([*ready_to_deal(player), *hand_out])
    check_deck(player.since(first), player.deck)


def draw_round(player: Player) -> None:
    """A shoe in a hand: four cards drawn, the round ended. The deck stays for the next round."""
    begin_draw(player)
    player.play([("", 500, "draw", "150")] * DRAWN)
    player.play([("", 800, "press", "green"), ("round_ended", 100, "wait", "")])
    check_drawn(player)


def begin_draw(player: Player) -> None:
    if not any(isinstance(event, DeckLoaded) for event in player.events):
        player.play(ready_to_deal(player))
    player.play([("", 500, "press", "close"), ("round_started", 300, "wait", "")])


def check_drawn(player: Player) -> None:
    ended = [event for event in player.events if isinstance(event, RoundEnded)]
    expect(bool(ended) and ended[-1].dealt == DRAWN, f"{DRAWN} cards were drawn; the last round is {ended[-1:]}")


ROUNDS: dict[str, Callable[[Player], None]] = {
    "carousel": dealt_round,
    "shelves": shelves_round,
    "shoe": dealt_round,
    "draw": draw_round,
}


def good_round(player: Player) -> None:
    """A round with no warning."""
    player.smooth = True
    ROUNDS[player.kind](player)
    player.smooth = False


# -- rounds by the display ------------------------------------------------------------------------

Page = tuple[str, tuple[tuple[str, str], ...]]  # what the display begins with, and what the dealer then does
_LOAD: Page = ("Ready for a deck", (("load", "DECK"), ("press", "green")))
_DEAL: tuple[Page, ...] = (
    ("Betting closed", (("press", "lock"),)),
    ("Stack ready", (("take", ""),)),
    ("Dealing a stack", ()),
    ("Stack ready", (("take", ""),)),
    ("All stacks dealt", (("press", "green"),)),
    ("Remainder in tray", (("take", ""),)),
    ("Settle the round", (("press", "green"),)),
    ("Ready for a deck", ()),
)
_SEATS = (("press", "seat"), ("press", "close"))
_DEALT: tuple[Page, ...] = (_LOAD, ("Deck verified", _SEATS), *_DEAL)
PAGES: dict[str, tuple[Page, ...]] = {
    "carousel": _DEALT,
    "shoe": _DEALT,
    "shelves": (
        _LOAD,
        ("Deck verified", (("press", "green"),)),
        ("Remainder in tray", (("take", ""),)),
        ("Ready for a deck", ()),
    ),
    "draw": (
        _LOAD,
        ("Shoe ready", (("press", "close"),)),
        ("Draw cards", (*[("draw", "150")] * DRAWN, ("press", "green"))),
        ("Shoe ready", ()),
    ),
}


def round_by_display(player: Player, listening: bool) -> None:
    """The same round by a dealer who has nothing but the display; without listening there is no host."""
    for page, actions in PAGES[player.kind]:
        player.read(page, listening)
        for action, argument in actions:
            player.do(action, str(player.deck) if argument == "DECK" else argument)
            player.pause(500, listening)


def check_display_round(player: Player, first: int) -> None:
    """What the host has in the end is the whole round."""
    if player.kind == "draw":
        check_drawn(player)
    elif player.kind == "shelves":
        check_deck(player.since(first), player.deck)
    else:
        check_dealt(player, first)
