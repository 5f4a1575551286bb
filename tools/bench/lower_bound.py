"""How fast a mechanism could be: the shortest time in which any controller could do the same job, worked out from the
board config, the plant's seed and the order alone. No firmware is asked, and no plant is run.

What no controller can avoid is counted, and nothing else:
- the pick roller takes a while to get hold of a card, another while for each card; it can take the next one when the
  card before is wholly out of the hopper, and everything up to the mouth may overlap with whatever else goes on;
- a card's leading edge passes the mouth beam when its place is there and the axis at rest, not earlier, and the axis
  moves when its trailing edge has left the last beam before the store, not earlier;
- a carousel is swept once, a turn from rest to rest; shelves are pushed out one by one, and the pile is lifted.

Left out, since another controller might do without: beams that need time to settle, scans, stopping a card at throat A
and starting it again, the test of the beams, homing and parking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

from fairshoe import _device

_device.load()

from hal.sim.rng import mix  # noqa: E402

SLIP_KEY = 0x51  # as hal/sim/throat.py: slip is drawn apart from latency
TRIES = 32  # and numbered by load and try
FIRST_TRY = 1

LAST_BEAM = {"carousel": "throat_b_um", "shelves": "arrival_um", "shoe": "exit_um"}

Mechanism = dict[str, Any]


@dataclass
class Throat:
    """Cards on their way, and when pick roller and mouth are free again; all times in microseconds."""

    mech: Mechanism
    seed: int
    load: int = 1  # decks and lifted piles put into the hopper so far
    roller_us: int = 0  # the pick roller can reach for the next card
    mouth_us: int = 0  # the last card has left the last beam

    def feed(self, card: int, open_us: int) -> None:
        """One card through the mouth, which is open from open_us on."""
        mech = self.mech
        spread_us = mech["pick_latency_us_max"] - mech["pick_latency_us_min"] + 1
        latency_us = mech["pick_latency_us_min"] + mix(self.seed, card, FIRST_TRY) % spread_us
        slip = mix(self.seed ^ SLIP_KEY, card, self.load * TRIES + FIRST_TRY) % (mech["slip_percent_max"] + 1)
        speed = mech["transport_um_per_ms"] * (100 - slip) // 100
        mouth_um = mech["throat_b_um"]
        enters_us = max(self.roller_us + latency_us + mouth_um * 1000 // speed, open_us)
        self.roller_us = enters_us + (mech["card_um"] - mouth_um) * 1000 // speed
        last_um = mech[LAST_BEAM[mech["kind"]]]
        self.mouth_us = enters_us + (last_um - mouth_um + mech["card_um"]) * 1000 // speed


def move_us(places: int, speed: int, accel: int) -> int:
    """From rest to rest; speed and acceleration in thousandths of a place."""
    way = abs(places) * 1000
    if way * accel >= speed * speed:
        return way * 1000000 // speed + speed * 1000000 // accel
    return 2 * isqrt(way * 10**12 // accel)


def carousel_us(mech: Mechanism, seed: int, order: Sequence[int], place: int = 0) -> int:
    """A deck 0 .. n - 1 into the slots that the order names, the first card fed first, and one sweep. The axis stands
    at `place`."""
    slots = mech["slot_count"]
    speed, accel = mech["axis_mrev_per_s"] * slots, mech["axis_mrev_per_s2"] * slots
    throat = Throat(mech, seed)
    for card, slot in zip(fed(mech, list(range(len(order)))), order, strict=True):
        ahead = (slot - place) % slots
        throat.feed(card, throat.mouth_us + move_us(min(ahead, slots - ahead), speed, accel))
        place = slot
    return throat.mouth_us + move_us(slots, speed, accel)


def shelves_us(mech: Mechanism, seed: int, order: Sequence[int], place: int = 0) -> int:
    """A deck 0 .. n - 1 to the shelves by the digits of its ranks, the first card fed first, pass by pass, until all
    lie where the last pass puts them. The elevator stands at `place`."""
    passes, base = radix(len(order), mech["shelf_count"])
    throat = Throat(mech, seed)
    pile = list(range(len(order)))
    ranks = dict(zip(fed(mech, pile), order, strict=True))
    rest_us = 0  # the axis may move
    for number in range(passes):
        mirrored = mech["feed"] == "top" and (passes - 1 - number) % 2 == 1
        weight: int = base**number
        shelves: list[list[int]] = [[] for _ in range(base)]
        for card in fed(mech, pile):
            digit = ranks[card] // weight % base
            shelf = base - 1 - digit if mirrored else digit
            throat.feed(card, rest_us + _shelf_us(mech, place, shelf))
            shelves[shelf].append(card)
            rest_us = throat.mouth_us
            place = shelf
        if number < passes - 1:
            pile = [card for packet in shelves for card in packet]
            place, rest_us = _unload(mech, throat, shelves, place)
    return throat.mouth_us


def _unload(mech: Mechanism, throat: Throat, shelves: list[list[int]], place: int) -> tuple[int, int]:
    """Push every packet out and lift the pile; the axis goes on as soon as the pusher is back."""
    now_us = throat.mouth_us
    dropped_us = now_us
    for shelf, packet in enumerate(shelves):
        if packet:
            dropped_us = now_us + _shelf_us(mech, place, shelf) + mech["ejector_us"]
            now_us = dropped_us + mech["ejector_us"]
            place = shelf
    throat.load += 1
    throat.roller_us = throat.mouth_us = dropped_us + mech["lift_us"]
    return place, now_us


def _shelf_us(mech: Mechanism, place: int, shelf: int) -> int:
    return move_us(shelf - place, mech["axis_mshelf_per_s"], mech["axis_mshelf_per_s2"])


def shoe_us(mech: Mechanism, seed: int, cards: Sequence[int]) -> int:
    """One motion of a shoe: these cards, in the order in which they are fed, out of the hopper and into the tray."""
    throat = Throat(mech, seed)
    for card in cards:
        throat.feed(card, 0)
    # The tray's lip is so near that the fastest card's time will do.
    return throat.mouth_us + mech["tray_um"] * 1000 // mech["transport_um_per_ms"]


def fed(mech: Mechanism, pile: list[int]) -> list[int]:
    """The cards of a pile, bottom to top, in the order in which they are picked."""
    return pile[::-1] if mech["feed"] == "top" else pile


def radix(cards: int, shelves: int) -> tuple[int, int]:
    """As few passes as possible, and with them as few shelves: the shortest ways."""
    passes = 1
    while shelves**passes < cards:
        passes += 1
    base = 1
    while base**passes < cards:
        base += 1
    return passes, base
