"""What goes wrong in the machine, at its door and with its power, and what must come of it."""

from __future__ import annotations

from fairshoe import messages
from firmware.protocol.ids import UNKNOWN_U16
from hil.player import Player, Step, expect, one
from hil.rounds import TAKE, begin_deal, begin_draw, put_in, ready_to_deal

DARK_MS = 1500
STOP_MS = 20  # from an open door to motors off: docs/FAULTS.md
SHORT_MS = 3  # how long a door that is only jarred stays open

CLEAR: list[Step] = [
    ("", 200, "open", ""),
    ("", 800, "clear", ""),
    ("", 500, "close", ""),
    ("", 500, "press", "ack"),
    ("warning_cleared", 100, "wait", ""),
]
BY_HAND: list[Step] = [("", 500, "repair", ""), *CLEAR]


def warned(player: Player, first: int, name: str) -> None:
    """Exactly one warning, this one; and no deck or round came out well."""
    events = player.since(first)
    warning = one(events, messages.WarningLatched).warning.name
    expect(warning == name, f"the warning is {warning}, not {name}")


# -- cards ----------------------------------------------------------------------------------------


def jam_throat(player: Player) -> None:
    """The fourth card stops in the throat and is not freed. An operator clears the path."""
    _jam_at_intake(player, "throat:3:60000")


def jam_mouth(player: Player) -> None:
    """The fourth card stops across the mouth of the store, which must not move."""
    _jam_at_intake(player, "mouth:3:20000" if player.kind == "carousel" else "mouth:3:30000")


def _jam_at_intake(player: Player, where: str) -> None:
    first = len(player.events)
    player.board.hand("jam", where)
    player.play(put_in(player.deck))
    if player.kind == "shoe":
        player.play([("deck_loaded", 500, "wait", ""), *begin_deal()])
    player.play([("warning_latched", 300, "wait", ""), *BY_HAND])
    warned(player, first, "JAM_THROAT")
    events = player.since(first)
    expect(
        not any(isinstance(event, (messages.DeckVerified, messages.StackTaken)) for event in events),
        "a jammed deck was played",
    )
    one(events, messages.WarningCleared)


def jam_exit(player: Player) -> None:
    """The third card of the first stack stops at the exit. The round is void."""
    first = len(player.events)
    player.play(ready_to_deal(player))
    player.board.hand("jam", "exit:2:40000" if player.kind == "carousel" else "exit:2:140000")
    player.play([*begin_deal(), ("warning_latched", 300, "wait", ""), *BY_HAND])
    warned(player, first, "JAM_EXIT")
    one(player.since(first), messages.RoundVoided)


def short_deck(player: Player) -> None:
    """One card is missing: refused, put out, taken away."""
    first = len(player.events)
    player.play([
        *put_in(player.deck - 1),
        ("warning_latched", 500, "press", "ack"),
        ("deck_removed", 500, "take", ""),
        ("warning_cleared", 100, "wait", ""),
    ])  # fmt: skip
    refused = one(player.since(first), messages.DeckRefused)
    expect((refused.expected, refused.counted) == (player.deck, player.deck - 1), f"counted {refused.counted}")


# -- the door -------------------------------------------------------------------------------------


def mid_card(player: Player) -> None:
    """Cards in motion, one of them between throat A and the next beam, or in a dealer's hand."""
    plant = player.board.plant
    if player.kind == "draw":
        begin_draw(player)
        player.play([("", 500, "draw", "150"), ("", 500, "draw", "400")])
    elif player.kind == "shoe":
        player.play([*ready_to_deal(player), *begin_deal()])
    else:
        player.play(put_in(player.deck))
    line = plant.line_a
    if player.kind != "draw":
        player.until_true("three cards have passed", lambda: plant.throat.passed >= 3, step_us=1000)
    player.until_true("a card at throat A", lambda: plant.level[line] != 0, step_us=500)


def door(player: Player) -> None:
    """Opened in mid-card: motors off in 20 ms, a latched warning, cleared by hand."""
    first = len(player.events)
    mid_card(player)
    player.do("open")
    player.board.run_us(STOP_MS * 1000)
    expect(not any(player.motors()), f"motors run with the door open: {player.motors()}")
    player.until("warning_latched", 5.0)
    expect(not any(player.motors()), "motors run again with the door open")
    player.play([("", 800, "clear", ""), ("", 500, "close", ""), *CLEAR[3:]])
    warned(player, first, "DOOR")


def door_short(player: Player) -> None:
    """Opened for 3 ms in mid-card, as by a blow: the same, for a hand may have been inside."""
    first = len(player.events)
    mid_card(player)
    player.do("open")
    player.board.run_us(SHORT_MS * 1000)
    player.do("close")
    player.board.run_us((STOP_MS - SHORT_MS) * 1000)
    expect(not any(player.motors()), f"motors run after the door was open: {player.motors()}")
    player.until("warning_latched", 5.0)
    player.play(BY_HAND)
    events = player.since(first)
    warned(player, first, "DOOR")
    opened, closed = (
        sum(isinstance(event, kind) for event in events) for kind in (messages.DoorOpened, messages.DoorClosed)
    )
    expect(opened == closed == 2, f"told of {opened} openings and {closed} closings, and there were two")


# -- power ----------------------------------------------------------------------------------------


def power_shuffling(player: Player) -> None:
    """Cut in the middle of a shuffle. The board that starts again says so and trusts no count."""
    player.play([*put_in(player.deck), ("shuffle_committed", 2500, "wait", "")])
    events = cut(player)
    expect(one(events, messages.PowerLost).during == messages.ShuffleStarted.ID, "not reported as lost in a shuffle")
    expect(not any(isinstance(event, messages.DeckVerified) for event in events), "a cut shuffle counted")
    player.play(BY_HAND)


def power_dealing(player: Player) -> None:
    """Cut while the first stack is dealt: the round is void, and how many cards are inside is not known."""
    player.play([*ready_to_deal(player), *begin_deal()])
    _cut_in_stack(player, 0)


def power_third_stack(player: Player) -> None:
    """Cut while the third stack is dealt, two having been taken: the board still knows of those."""
    player.play([*ready_to_deal(player), *begin_deal(3), TAKE, TAKE])
    _cut_in_stack(player, 2)


def _cut_in_stack(player: Player, taken: int) -> None:
    player.play([("stack_started", 400, "wait", "")])
    lost = one(cut(player), messages.PowerLost)
    expect(
        (lost.during, lost.round_open) == (messages.StackStarted.ID, 1),
        "not reported as lost in a stack of an open round",
    )
    player.until("round_voided")
    void = one(player.events, messages.RoundVoided)
    expect(void.stacks_taken == taken, f"{void.stacks_taken} stacks taken, and there were {taken}")
    expect(void.cards_inside == UNKNOWN_U16, f"{void.cards_inside} cards inside, which cannot be known")
    player.play(BY_HAND)


def cut(player: Player) -> list[messages.Event]:
    """Pull the plug and put it back; what the board reports when it has started again."""
    first = len(player.events)
    player.note("  power off, power on")
    player.board.power_off(DARK_MS)
    player.board.power_on()
    player.until("power_lost")
    events = player.since(first)
    expect(one(events, messages.Booted).boot == 2, "not the second boot")
    expect(one(events, messages.WarningLatched).warning.name == "POWER", "the warning is not that of lost power")
    return events
