"""The stories of `make hil`, on simulated boards of all kinds: what they ask of the firmware is what it does."""

import json
from pathlib import Path
from typing import Any

import hil_stories as hil
import pytest

from hal.sim.plant import Plant
from rig.actions import act
from rig.games import device_game
from rig.rig import Rig

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("carousel", "shelves", "shoe", "draw")
STEP_MS = 20


class RigBoard:
    """A simulated device with the same handles as the emulated one."""

    def __init__(self, kind: str) -> None:
        config = json.loads((ROOT / f"board_configs/pico-{kind}.json").read_text())
        config = hil.small(config)
        game: Any = config.get("game")
        if game is None:
            game = hil.small_game(device_game(json.loads((ROOT / "game_profiles/caribbean-stud.json").read_text())))
        self.rig = Rig(config, game, 7, 0)
        self.plant: Plant = self.rig.plant
        self.port = self
        self.arrived = bytearray()

    @property
    def in_waiting(self) -> int:
        return len(self.arrived)

    def clock(self) -> float:
        return self.plant.now_us / 1e6

    def read(self, size: int) -> bytes:
        limit_us = self.plant.now_us + STEP_MS * 1000
        while not self.arrived and self.plant.now_us < limit_us:
            self.rig.step(limit_us)
            self.arrived += self.rig.hal.sent
            self.rig.hal.sent = bytearray()
        data = bytes(self.arrived[:size])
        del self.arrived[:size]
        return data

    def write(self, data: bytes) -> None:
        self.rig.hal.received.extend(data)
        self.plant.changed = True

    def hand(self, action: str, argument: str = "") -> None:
        act(self.rig, action, argument)

    def power_off(self, dark_ms: int) -> None:
        self.rig.cut_power()
        self.rig.step(self.plant.now_us + dark_ms * 1000)

    def power_on(self) -> None:
        self.rig.boot()


def at_table(kind: str) -> hil.Player:
    player = hil.Player(RigBoard(kind), note=lambda _text: None)
    player.greet()
    player.until("empty_proved")
    return player


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_plays_two_rounds(kind: str) -> None:
    player = at_table(kind)
    for _ in range(2):
        hil.ROUNDS[kind](player)
        player.run(500)
    player.check()


@pytest.mark.parametrize("name", sorted(hil.FAULTS))
def test_what_goes_wrong_is_told_and_a_good_round_follows(name: str) -> None:
    player = at_table("carousel")
    hil.FAULTS[name](player)
    player.run(500)
    hil.ROUNDS["carousel"](player)
    player.check()


def test_a_story_that_does_not_happen_is_found_out() -> None:
    player = at_table("carousel")
    with pytest.raises(hil.StoryError, match="no warning_latched within 60 s"):
        player.play([("warning_latched", 0, "wait", "")])


def test_an_event_that_is_missing_or_comes_twice_is_found_out() -> None:
    player = at_table("carousel")
    player.check()
    player.events.append(player.events[-1])
    with pytest.raises(hil.StoryError, match="event numbers"):
        player.check()
    del player.events[-1]
    player.check()
    del player.events[0]
    with pytest.raises(hil.StoryError, match="event numbers"):
        player.check()


def test_a_harmed_machine_is_found_out() -> None:
    player = at_table("carousel")
    player.board.plant.crashes = 1
    with pytest.raises(hil.StoryError, match="harmed"):
        player.check()
