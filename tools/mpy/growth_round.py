"""Rounds on a simulated carousel, one at a time, for tools/mpy/growth.mjs.

What the other end keeps (events, their bytes, cards in hands) is thrown away after every round: what is left that grows
is the device's, or the plant's.
"""

import gc
import json

from rig import stories
from rig.story import Stage

CARDS = 8
# The simulator keeps the times of the last edges of each line. From 2 to the 30 microseconds on such a time is an
# object on the heap of this VM: without a late start they would all grow by 32 bytes after 26 rounds.
LATE_US = 1 << 30


def make():
    with open("/fairshoe/board_configs/pico-carousel.json") as file:
        config = json.load(file)
    # A small store, so that a round takes little time.
    config["mechanism"].update({"slot_count": 12, "slot_beam_slots": 3})
    stage = Stage(config, {"deck_cards": CARDS, "stack_cards": 3}, 7)
    stage.rig.cut_power()
    stage.rig.plant.now_us = LATE_US
    stage.rig.boot()
    stage.until("empty_proved", 20000)
    return stage


def play(stage):
    """Two stacks and a remainder."""
    stage.play([("", 300, "load", CARDS), ("", 300, "press", "green")])
    stage.play(stories.stacks(1))
    stage.play(stories.finish())
    peer = stage.peer
    peer.events.clear()
    peer.payloads.clear()
    peer.messages.clear()
    stage.transcript = bytearray()
    stage.taken.clear()
    stage.seen = 0


def rounds(stage):
    return stage.rig.app.outbox.round


def in_use():
    return gc.mem_alloc()
