"""The stories of the demonstration: one for every mechanism, and one for each game with its own procedure."""

from __future__ import annotations

from typing import Any

from fairshoe import messages
from fairshoe.demo import hand_shoe
from fairshoe.demo.table import PLAYERS, Expected, Facts, Play, Story, Table
from fairshoe.games.profiles import load_game
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.text.screen import Screen
from firmware.protocol.ids import HOUSE_VOID

# What is played on a board by default: small decks, so that a demonstration stays one.
DEFAULTS = {"shelves": "house:deck_cards=52", "draw": "house:deck_cards=30"}
BOARDS = {hand_shoe.GAME: hand_shoe.BOARD}  # where a game is played by default


def story_for(kind: str, name: str, game: str | dict[str, Any]) -> Story:
    """By the mechanism, and for a device that shuffles and deals by the game."""
    facts = facts_of(game)
    if kind == "carousel" and name in _POKER:
        play, expected, table = _POKER[name]
        return Story(play, expected, facts, table)
    if kind == "draw" and name == hand_shoe.GAME:
        return Story(hand_shoe.play, (3, 0, 0, []), facts)
    play, expected = _MECHANISMS[kind]
    return Story(play, expected, facts)


def facts_of(game: str | dict[str, Any]) -> Facts:
    data: dict[str, Any] = game if isinstance(game, dict) else {} if game == "house" else load_game(game)
    deck = data.get("deck_cards", 52)
    return Facts(
        deck,
        data.get("stack_cards", min(5, deck)),
        data.get("lockout", False),
        data.get("closings", 1),
        data.get("final_each", 0),
    )


# -- any game, by mechanism ---------------------------------------------------------------------------------------


def _carousel(table: Table, screen: Screen) -> None:
    screen.heading(f"Act 1: a round for {PLAYERS} players and the dealer")
    table.play_round(PLAYERS)
    screen.heading("Act 2: a deck with one card too few")
    table.short_deck()
    screen.heading("Act 3: a card jams while a stack is dealt")
    table.jam_while_dealing(2 * table.facts.deck - 1)
    screen.heading("Act 4: the next round is a good one again")
    table.play_round(1)


def _shoe(table: Table, screen: Screen) -> None:
    screen.heading(f"Act 1: a round for {PLAYERS} players and the dealer")
    table.play_round(PLAYERS)
    screen.heading("Act 2: a deck with one card too few, found out when the rest is released")
    table.short_shoe()
    screen.heading("Act 3: the next round is a good one again")
    table.play_round(1)


def _shelves(table: Table, screen: Screen) -> None:
    screen.heading("Act 1: a deck is shuffled in two passes and handed out")
    table.hand_out()
    screen.heading("Act 2: a deck with one card too few")
    table.short_deck()
    screen.heading("Act 3: the next deck is a good one again")
    table.hand_out()


def _draw(table: Table, screen: Screen) -> None:
    screen.heading("Act 1: two rounds, drawn by hand")
    table.shuffle()
    table.draw_round(6)
    table.draw_round(5)
    screen.heading("Act 2: two cards at once")
    table.two_at_once()


_MECHANISMS = {
    "carousel": (_carousel, (2, 1, 1, ["mismatch", "jam_exit"])),
    "shoe": (_shoe, (2, 1, 1, ["mismatch"])),
    "shelves": (_shelves, (0, 0, 1, ["mismatch"])),
    "draw": (_draw, (2, 1, 0, ["double_feed"])),
}


# -- the poker games ----------------------------------------------------------------------------------------------


def _open(table: Table, players: int, look: bool = False) -> None:
    table.shuffle()
    if look:
        table.look("Press CLOSE")
    table.order(messages.SetPositions, positions=players)
    table.order(messages.CloseBetting)


def _extra_card(table: Table) -> None:
    """A rule makes one more card due, and the shoe gives it."""
    table.look("One card more is due")
    table.order(messages.GiveCard)
    table.do("take")
    table.wait(messages.StackTaken)


def _void_deck_out(table: Table) -> None:
    table.look("Round is void")
    table.release()


def _double_down_stud(table: Table, screen: Screen) -> None:
    screen.heading("Act 1: three players, a card each and four in the middle; betting closes twice")
    _open(table, 3, look=True)
    table.stacks(4)
    table.look("Double down wagers")
    table.order(messages.CloseBetting)
    table.look("Settle every hand")
    table.release()
    table.order(messages.EndRound)
    screen.heading("Act 2: a common card lies face up, and the next one takes its place before a player doubles down")
    _open(table, 2)
    table.stacks(3)
    table.record(messages.What.FACE_UP, 1)
    _extra_card(table)
    table.order(messages.CloseBetting)
    table.release()
    table.order(messages.EndRound)
    screen.heading("Act 3: the hole card is seen while wagers are open: all hands are void")
    _open(table, 2)
    table.stacks(3)
    table.record(messages.What.HOLE_CARD_SEEN)
    _void_deck_out(table)
    screen.heading("Act 4: a card jams; this game has no clause for it, and the house decides that the round is void")
    table.jam_while_dealing(3 * table.facts.deck, 2)
    table.record(messages.What.HOUSE_DECISION, HOUSE_VOID)


def _boston_5_stud(table: Table, screen: Screen) -> None:
    screen.heading("Act 1: four players; two raise, two fold, and the last two cards are dealt by hand")
    _open(table, 4, look=True)
    table.stacks(5)
    table.look("Second wagers")
    for position in (1, 2, 3):
        table.record(messages.What.SECOND_WAGER, position, 1)
    table.record(messages.What.FOLD, 4)
    table.release()
    table.record(messages.What.SECOND_WAGER, 2, 0)  # may be taken back until the last cards go out
    table.record(messages.What.FINAL_DEAL, 2)
    table.look("Deal two cards each")
    table.order(messages.EndRound)
    screen.heading("Act 2: the dealer has four cards of five, and one from the rest completes the hand")
    _open(table, 1)
    table.stacks(2)
    table.release()
    table.record(messages.What.FINAL_DEAL, 1)
    table.record(messages.What.MISDEAL, DEALER, 4)
    table.order(messages.EndRound)
    screen.heading("Act 3: a card jams in the third stack: the round is void, two complete hands stand")
    table.jam_while_dealing(2 * table.facts.deck, 2)
    screen.heading("Act 4: the next round is a good one again")
    table.play_round(1)


def _caribbean_stud(table: Table, screen: Screen) -> None:
    screen.heading(f"Act 1: {PLAYERS} players, progressive wagers and Cover All")
    _open(table, PLAYERS, look=True)
    table.record(messages.What.PROGRESSIVE, 3, 2)
    table.order(messages.ConfirmLockout)  # refused: a chip is missing
    table.look("Progressive chips")
    table.record(messages.What.PROGRESSIVE, 3, 3)
    table.look("lock-out: LOCK")
    table.order(messages.ConfirmLockout)
    table.stacks(PLAYERS + 1)
    table.release()
    table.look("GREEN end")  # the page of Cover All, once the rest is taken
    table.order(messages.EndRound)
    screen.heading("Act 2: a deck with 51 cards")
    table.short_deck()
    screen.heading("Act 3: a card jams while a stack is dealt")
    table.jam_while_dealing(2 * table.facts.deck - 1)
    screen.heading("Act 4: the dealer has four cards of five, and the shoe gives one more")
    _open(table, 1)
    table.lock_out()
    table.stacks(2)
    table.record(messages.What.MISDEAL, DEALER, 4)
    _extra_card(table)
    table.release()
    table.order(messages.EndRound)


def _double_cross_poker(table: Table, screen: Screen) -> None:
    screen.heading("Act 1: three players; the rest comes out at once, and the cross is dealt from it by hand")
    _open(table, 3, look=True)
    table.stacks(4)
    table.release()
    table.look("Deal the cross")
    table.order(messages.EndRound)
    screen.heading("Act 2: six cards in the cross: all hands are void")
    _open(table, 2)
    table.stacks(3)
    table.release()
    table.record(messages.What.MISDEAL, COMMUNITY, 6)
    screen.heading("Act 3: two more rounds")
    table.play_round(1)
    table.play_round(1)
    screen.heading("Act 4: the fifth round does not end before its stub was counted")
    _open(table, 1)
    table.stacks(2)
    table.release()
    table.order(messages.EndRound)  # refused
    table.look("Count the stub")
    table.record(messages.What.STUB_COUNTED, 43)
    table.order(messages.EndRound)


_POKER: dict[str, tuple[Play, Expected, list[str]]] = {
    "double-down-stud": (_double_down_stud, (2, 2, 0, ["jam_exit"]), []),
    "boston-5-stud": (_boston_5_stud, (3, 1, 0, ["jam_exit"]), []),
    "caribbean-stud": (_caribbean_stud, (2, 1, 1, ["mismatch", "jam_exit"]), ["cover_all=with_dealer"]),
    "double-cross-poker": (_double_cross_poker, (4, 1, 0, []), []),
}
