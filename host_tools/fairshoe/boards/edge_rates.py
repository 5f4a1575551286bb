"""Compute the highest edge rate that each input line can have in normal operation, from a board config.

A port counts edges in windows of WINDOW_US, so a rate here is that of the fullest window: the changes that fit into it,
each with its bounces. `mechanism.edges_per_s_max` must lie between the fastest line's rate and what the port follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fairshoe.boards.shuffle_time import gap_us, outfeed_um_per_ms
from fairshoe.wear import BEAMS

Config = dict[str, Any]

WINDOW_US = 8000  # hal/api.py: over which a port counts the edges of a line
BOUNCE_EDGES = 7  # assumed: a change of a beam and three pulses after it, all within bounce_us
CONTACT_EDGES = 13  # assumed: a switch behind an RC filter, six pulses
DARK_US = 5000  # firmware/machines/beam_test.py: the light of all beams goes off and on again
HAND_GAP_US = 4000  # assumed: between two cards that a fast hand draws
HAND_UM_PER_MS = 3000  # assumed: the fastest hand
SHADE_PERCENT = 60  # assumed: of a slot's pitch a card shades the slot beam
EDGES_PER_SCAN = 32  # firmware/image.py, EDGES_MAX: more in one scan are lost

_CONTACTS = ("ejector", "door", "key_switch")


@dataclass(frozen=True)
class Rate:
    """Of one line: edges a second in its fullest window, and how they come about."""

    edges_per_s: int
    why: str


def honest_rates(config: Config) -> dict[str, Rate]:
    """By name of the line, for all that are wired to the chip: those on an expander are polled."""
    return {name: _rate(config, name) for name, pin in config["inputs"].items() if not isinstance(pin, dict)}


def followed_per_s(config: Config) -> int:
    """What the port can follow on one line."""
    return EDGES_PER_SCAN * 1000 // config["mechanism"]["scan_ms_max"]


def rate_problems(config: Config) -> Iterator[str]:
    limit: int = config["mechanism"]["edges_per_s_max"]
    rates = honest_rates(config)
    name = max(rates, key=lambda each: rates[each].edges_per_s)
    fastest = rates[name]
    if limit < fastest.edges_per_s:
        yield (
            f"mechanism.edges_per_s_max {limit}: inputs.{name} can honestly have {fastest.edges_per_s} edges a second"
            f" ({fastest.why}), and would be taken for noise; state at least {fastest.edges_per_s}, or slow the machine"
        )
    followed = followed_per_s(config)
    if limit > followed:
        yield (
            f"mechanism.edges_per_s_max {limit}: port {config['mcu']['port']} follows {followed} edges a second on a"
            f" line; state at most {followed}"
        )


def _rate(config: Config, name: str) -> Rate:
    mech = config["mechanism"]
    if name in _CONTACTS or name.startswith("button_"):
        changes, each, what = 1, CONTACT_EDGES, "a switch"
    else:
        changes, what = _changes(mech, name), "cards"
        each = BOUNCE_EDGES if mech["bounce_us"] else 1
        dark = _in_window(DARK_US, WINDOW_US)
        if name in BEAMS and "dark" in config["outputs"] and dark > changes:
            changes, what = dark, "the test of beams in the dark"
    many = f"{changes} change{'s' if changes > 1 else ''}"
    per_s = changes * each * 1000000 // WINDOW_US
    return Rate(per_s, f"{what}: {many} in {WINDOW_US // 1000} ms, {each} edges each with bounces")


def _changes(mech: Config, name: str) -> int:
    """Changes by passing cards in one window."""
    if name == "slot" and mech["kind"] in ("carousel", "shelves"):
        return _in_window(*_slot_us(mech))
    if mech["kind"] == "draw":
        return _in_window(mech["card_um"] * 1000 // HAND_UM_PER_MS, HAND_GAP_US)
    speed = outfeed_um_per_ms(mech) if name == "exit" else mech["transport_um_per_ms"]
    return _in_window(mech["card_um"] * 1000 // speed, gap_us(mech))


def _slot_us(mech: Config) -> tuple[int, int]:
    """How long a full place shades the slot beam in a sweep, and how long it is clear between two."""
    speed = mech["axis_mrev_per_s"] * mech["slot_count"] if mech["kind"] == "carousel" else mech["axis_mshelf_per_s"]
    pitch_us = max(10**9 // speed, 2)
    shade_us = pitch_us * SHADE_PERCENT // 100
    return shade_us, pitch_us - shade_us


def _in_window(one_us: int, other_us: int) -> int:
    """The most changes of a line in a window whose two levels last so long in turn."""
    short_us, long_us = sorted((max(one_us, 1), max(other_us, 1)))
    whole, rest_us = divmod(WINDOW_US - 1, short_us + long_us)
    return 1 + 2 * whole + (1 if rest_us >= short_us else 0)
