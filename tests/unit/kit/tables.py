"""Devices of every kind at a table, in small: what tests of whole machines share."""

from support import board, check_stage

from firmware.games.flow import ORDER_READY
from rig.story import Stage

ALL_KINDS = ("carousel", "shelves", "shoe", "draw")


def small_board(kind, **changes):
    """A board with a small store, so that a whole job takes little time on the device's VM."""
    config = board(kind)
    mech = config["mechanism"]
    if kind == "carousel":
        mech.update({"slot_count": 12, "slot_beam_slots": 3})
    elif kind == "shelves":
        mech.update({"shelf_count": 4, "shelf_cards_max": 12})
    mech.update(changes)
    return config


def set_up(kind, cards, seed=7, config=None, **game):
    """A device that expects so many cards and has proved that it is empty."""
    game["deck_cards"] = cards
    stage = Stage(config or small_board(kind), game, seed)
    stage.until("empty_proved", 20000)
    return stage


def faults(stage, *specs):
    for spec in specs:
        stage.rig.plant.add_fault(spec)
    return stage


def insert(stage, cards):
    """A deck goes in and is started."""
    stage.play([("", 300, "load", cards), ("", 300, "press", "green")])
    return stage


def warned(stage, wait_ms_max=200000):
    """Wait for the warning; its code."""
    stage.until("warning_latched", wait_ms_max, then_ms=300)
    check_stage(stage)
    return stage.peer.events[stage.seen - 1].fields[0]


def clear_by_hand(stage):
    """Repair, take every card out, close and acknowledge, until the machine is proved empty again."""
    stage.rig.plant.repair()
    stage.play([("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack")])
    stage.until("warning_cleared", 60000)
    return stage


def drawn_order(stage):
    """The order as soon as it is drawn; the deck has just been started."""
    flow = stage.rig.app.flow
    while flow.order_state != ORDER_READY:
        stage.run(1)
    return list(flow.order[: flow.profile.deck_cards])


def fed_order(stage, cards):
    """Cards of a fresh deck in the order in which the hopper gives them."""
    deck = list(range(cards))
    return deck if stage.rig.config["mechanism"]["feed"] == "bottom" else deck[::-1]


def deck_in_order(stage, order):
    """The cards as they have to come out: by slot of a carousel, or from the bottom of the pile of shelves."""
    cards = [0] * len(order)
    fed = fed_order(stage, len(order))
    for i in range(len(order)):
        cards[order[i]] = fed[i]
    return cards


def deck_inside(stage):
    """The cards as they lie in the store, slot by slot or shelf by shelf."""
    return [card for slot in stage.rig.plant.slots for card in slot]
