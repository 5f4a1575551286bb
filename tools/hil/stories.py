"""Every story of `make hil`: by name, the machines it suits, the smallest deck it needs, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hil import bus, faults, line, noise, storms
from hil.player import Player
from hil.rounds import STACK

EVERY = ("carousel", "shelves", "shoe", "draw")
_STORE = ("carousel", "shelves")
_MOTORS = ("carousel", "shelves", "shoe")
_DEALS = ("carousel", "shoe")


@dataclass(frozen=True)
class Story:
    """What happens, on which machines. docs/TESTING.md says what must come of it."""

    play: Callable[[Player], None]
    kinds: tuple[str, ...] = EVERY
    cards_min: int = 0


STORIES: dict[str, Story] = {
    "jam": Story(faults.jam_throat, _MOTORS),
    "jam-mouth": Story(faults.jam_mouth, _STORE),
    "jam-exit": Story(faults.jam_exit, _DEALS),
    "short": Story(faults.short_deck, ("carousel",)),
    "door": Story(faults.door),
    "door-3ms": Story(faults.door_short),
    "power": Story(faults.power_shuffling, _STORE),
    "power-deal": Story(faults.power_dealing, _DEALS),
    "power-third": Story(faults.power_third_stack, _DEALS, 4 * STACK),
    "deaf": Story(line.deaf),
    "rx-low": Story(line.rx_stuck),
    "breaks": Story(line.breaks),
    "replay": Story(line.replay),
    "zeros": Story(line.zeros),
    "i2c": Story(bus.held),
    "i2c-clocks": Story(bus.clocked),
    "i2c-lost": Story(bus.lost),
    "contact": Story(bus.contact),
    **{name: Story(noise.noise(name), _MOTORS) for name in noise.NAMES},
}


def stories_of(config: dict[str, Any], cards: int) -> dict[str, Story]:
    """Those that this board can play with so many cards, storms included."""
    kind = config["mechanism"]["kind"]
    known = {name: story for name, story in STORIES.items() if kind in story.kinds and story.cards_min <= cards}
    return known | {name: Story(storms.storm(name)) for name in storms.storm_names(config)}


def by_default(config: dict[str, Any], cards: int) -> list[str]:
    """What a whole run plays: of the storms a choice."""
    chosen = storms.storms_by_default(config)
    return [name for name in stories_of(config, cards) if not name.startswith("storm-") or name in chosen]
