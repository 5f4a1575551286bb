"""Compute how long a shuffle can take, and the gap between cards, from a board config.

`shuffle_report_ms` must cover a shuffle. The order decides how far the axis moves between two cards, so there is no
single figure. Used here: the mean over all orders plus DEVIATIONS standard deviations, with the slowest rollers, the
most slip and the worst scan at every card.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any

SETTLE_US = 1000  # firmware/image.py: how long a change must last to be one
DECK_CARDS = {"carousel": 52, "shelves": 384}  # the largest deck that each is built for
SHELF_PASSES = 2
LAST_BEAM = {"carousel": "throat_b_um", "shelves": "arrival_um", "shoe": "exit_um"}  # of those that rollers pass
DEVIATIONS = 4  # one order in 30,000 takes longer; its result waits for the next report instant


def shuffle_us(mech: dict[str, Any]) -> int:
    """A shuffle with its counting, in microseconds."""
    return _carousel_us(mech) if mech["kind"] == "carousel" else _shelves_us(mech)


def notice_us(mech: dict[str, Any]) -> int:
    """From a beam's first edge to the scan that acts on it, at worst."""
    return mech["bounce_us"] + SETTLE_US + mech["scan_ms_max"] * 1000


def throat_us(mech: dict[str, Any]) -> int:
    """From one throat beam to the other, the chatter of both included."""
    return (mech["throat_b_um"] - mech["throat_a_um"]) * 1000 // mech["transport_um_per_ms"] + 2 * mech["bounce_us"]


def outfeed_um_per_ms(mech: dict[str, Any]) -> int:
    """Of the rollers at the exit beam."""
    speed: int = mech.get("outfeed_um_per_ms", mech["transport_um_per_ms"])
    return speed


def gap_us(mech: dict[str, Any], beam: str = "") -> int:
    """Between two cards at a beam, or the last one, the first card slipping most and the next one not at all."""
    last_um = mech[beam or LAST_BEAM[mech["kind"]]]
    slip = mech["slip_percent_max"]
    lost_us = last_um * 1000 * slip // (mech["transport_um_per_ms"] * (100 - slip))
    return mech["pick_latency_us_min"] - lost_us


def move_us(places: float, speed: float, accel: float) -> float:
    """A trapezoidal move from rest to rest; places, places/s, places/s2."""
    if places * accel >= speed * speed:
        return (places / speed + speed / accel) * 1e6
    return 2e6 * sqrt(places / accel)


def _carousel_us(mech: dict[str, Any]) -> int:
    slots = mech["slot_count"]
    speed = mech["axis_mrev_per_s"] * slots / 1000
    accel = mech["axis_mrev_per_s2"] * slots / 1000
    # From a slot to any other one, the shorter way round.
    moves = [move_us(min(ahead, slots - ahead), speed, accel) for ahead in range(1, slots)]
    cards_us = _cards_us(mech, DECK_CARDS["carousel"], moves, mech["throat_b_um"])
    sweep_us = move_us(slots, speed, accel) + notice_us(mech)
    return round(cards_us + sweep_us)


def _shelves_us(mech: dict[str, Any]) -> int:
    shelves = range(mech["shelf_count"])
    speed = mech["axis_mshelf_per_s"] / 1000
    accel = mech["axis_mshelf_per_s2"] / 1000
    moves = [move_us(abs(here - there), speed, accel) for here in shelves for there in shelves]
    cards_us = _cards_us(mech, DECK_CARDS["shelves"] * SHELF_PASSES, moves, mech["arrival_um"])
    # Out, back, and on to the next shelf; each is waited for.
    unload_us = 2 * mech["ejector_us"] + move_us(1, speed, accel) + 3 * notice_us(mech)
    pass_us = len(shelves) * unload_us + mech["tray_settle_ms"] * 1000 + move_us(len(shelves) - 1, speed, accel)
    lift_us = mech["lift_us"] + notice_us(mech)
    return round(cards_us + SHELF_PASSES * pass_us + (SHELF_PASSES - 1) * lift_us)


def _cards_us(mech: dict[str, Any], cards: int, moves: list[float], last_beam_um: int) -> float:
    """The next card is picked and staged at throat A while the axis moves; then it passes the last beam."""
    staged_us = mech["pick_latency_us_max"] + _travel_us(mech, mech["throat_a_um"]) + notice_us(mech)
    way_um = last_beam_um - mech["throat_a_um"] + mech["card_um"]
    passed_us = mech["roller_start_us"] + _travel_us(mech, way_um) + notice_us(mech)
    times = list(_at_least(staged_us, moves))
    mean = sum(times) / len(times)
    variance = sum((time - mean) ** 2 for time in times) / len(times)
    return cards * (mean + passed_us) + DEVIATIONS * sqrt(cards * variance)


def _at_least(least: float, moves: list[float]) -> Iterator[float]:
    return (max(least, move) for move in moves)


def _travel_us(mech: dict[str, Any], way_um: int) -> float:
    return way_um * 1000 / mech["transport_um_per_ms"] * 100 / (100 - mech["slip_percent_max"])
