"""The stories of `make hil`, on simulated boards of all kinds: what they ask of the firmware is what it does.

The simulated board has no UART and no I2C. A receive line that is low loses what the host sends: a break reaches the
firmware as lost bytes, as MicroPython drops the character of a break. A bus that hangs leaves the buttons unread; that
scans keep their time then shows on the emulated board alone.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hil.broken import BROKEN
from hil.player import Player, StoryError
from hil.rounds import check_display_round, deck_of, game_with_deck, good_round, round_by_display, with_deck
from hil.stories import STORIES, by_default, stories_of
from hil.storms import HOME

from fairshoe.keys import Role, role_key
from hal.sim.plant import Plant
from rig.actions import act
from rig.games import device_game
from rig.rig import Rig

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("carousel", "shelves", "shoe", "draw")
KEY = bytes(range(32))
STEP_US = 20_000
PANEL_LOST_MS = 3000


class RigBoard:
    """A simulated device with the same handles as the emulated one."""

    def __init__(self, kind: str, quick: bool = False, key: bytes = b"") -> None:
        config = json.loads((ROOT / f"board_configs/pico-{kind}.json").read_text())
        self.deck = deck_of(config, quick)
        self.config = with_deck(config, self.deck)
        if key:
            self.config["link"] = {**config["link"], "mode": "table"}
        game: Any = self.config.get("game")
        if game is None:
            profile = device_game(json.loads((ROOT / "game_profiles/caribbean-stud.json").read_text()))
            game = game_with_deck(profile, self.deck)
        self.rig = Rig(self.config, game, 7, 0, key)
        self.plant: Plant = self.rig.plant
        self.port = self
        self.arrived = bytearray()
        self.low = False
        self.hung = False

    @property
    def in_waiting(self) -> int:
        return len(self.arrived)

    def clock(self) -> float:
        return self.plant.now_us / 1e6

    def read(self, size: int) -> bytes:
        limit_us = self.plant.now_us + STEP_US
        while not self.arrived and self.plant.now_us < limit_us:
            self._step(limit_us)
        data = bytes(self.arrived[:size])
        del self.arrived[:size]
        return data

    def write(self, data: bytes) -> None:
        if not self.low:
            self.rig.hal.received.extend(data)
            self.plant.changed = True

    def run_us(self, us: int) -> None:
        limit_us = self.plant.now_us + us
        while self.plant.now_us < limit_us:
            self._step(limit_us)

    def _step(self, limit_us: int) -> None:
        self.rig.step(limit_us)
        self.arrived += self.rig.hal.sent
        self.rig.hal.sent = bytearray()

    def hand(self, action: str, argument: str = "") -> None:
        if not (self.hung and action == "press"):
            act(self.rig, action, argument)

    def display(self) -> tuple[str, ...]:
        return self.rig.hal.lines

    def rx_low(self, low: bool) -> None:
        self.low = low

    def hang_bus(self, clocks: int) -> None:
        """Without an answer for so long a port says that the panel is lost."""
        self.hung = not clocks
        if self.hung:
            lost_ms = self.plant.now_us // 1000 + PANEL_LOST_MS
            self.plant.add_fault({"fault": "panel_lost", "from_ms": lost_ms})

    def free_bus(self) -> None:
        self.hung = False
        self.plant.repair()

    def storm(self, lines: tuple[str, ...], hz: int) -> None:
        """The simulated port has no home line: it says of its axis at once what a port says of one that storms."""
        for line in lines:
            if line == HOME:
                axis: Any = self.plant.axis
                axis.halt(self.plant.now_us)
                axis.lost = self.plant.changed = True
            else:
                self.plant.add_fault({"fault": "storm", "line": line, "edges_per_s": 2 * hz})

    def calm(self) -> None:
        self.plant.repair()

    def power_off(self, dark_ms: int) -> None:
        self.rig.cut_power()
        self.rig.step(self.plant.now_us + dark_ms * 1000)

    def power_on(self) -> None:
        self.rig.boot()


def at_table(kind: str, quick: bool = False, keyed: bool = False) -> Player:
    board = RigBoard(kind, quick, KEY if keyed else b"")
    player = Player(board, note=lambda _text: None, key=role_key(KEY, Role.TABLE) if keyed else None)
    player.greet()
    player.until("empty_proved")
    return player


def told(kind: str) -> list[str]:
    config = json.loads((ROOT / f"board_configs/pico-{kind}.json").read_text())
    return by_default(config, deck_of(config, False))


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_plays_two_rounds(kind: str, quick: bool) -> None:
    player = at_table(kind, quick)
    for _ in range(2):
        good_round(player)
        player.run(500)
    player.check()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_plays_a_round_by_its_display(kind: str) -> None:
    player = at_table(kind)
    first = len(player.events)
    round_by_display(player, listening=True)
    check_display_round(player, first)
    player.check()


CASES = [(kind, name) for kind in KINDS for name in told(kind)]


@pytest.mark.parametrize("keyed", [False, True], ids=["clear", "keyed"])
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_what_goes_wrong_is_told_and_a_good_round_follows(kind: str, name: str, keyed: bool) -> None:
    player = at_table(kind, keyed=keyed)
    stories_of(player.board.config, player.deck)[name].play(player)
    player.run(500)
    player.check()


def test_the_documentation_lists_every_story() -> None:
    text = (ROOT / "docs/HIL.md").read_text(encoding="utf-8")
    listed = {name for line in text.splitlines() if line.startswith("| `") for name in _names(line)}
    assert listed == {"rounds", *STORIES, "storm-LINE-KHZk-MOMENT", "locked", "resets", "product", *BROKEN}


def _names(line: str) -> list[str]:
    return [name.strip(" `") for name in line.split("|")[1].split(",")]


def test_a_story_that_does_not_happen_is_found_out() -> None:
    player = at_table("carousel")
    with pytest.raises(StoryError, match="no warning_latched within 5 s"):
        player.until("warning_latched", 5.0)


def by_display(player: Player) -> None:
    round_by_display(player, listening=True)


@pytest.mark.parametrize(
    ("play", "words"), [(good_round, "JAM_THROAT instead of deck_verified"), (by_display, "STOP: jam_throat")]
)
def test_a_warning_ends_a_good_round_at_once(play: Callable[[Player], None], words: str) -> None:
    player = at_table("carousel")
    player.board.hand("jam", "throat:3:60000")
    began_s = player.now()
    with pytest.raises(StoryError, match=words):
        play(player)
    assert player.now() - began_s < 10


def test_an_event_that_is_missing_or_comes_twice_is_found_out() -> None:
    player = at_table("carousel")
    player.check()
    player.events.append(player.events[-1])
    with pytest.raises(StoryError, match="event numbers"):
        player.check()
    del player.events[-1]
    player.check()
    del player.events[0]
    with pytest.raises(StoryError, match="event numbers"):
        player.check()


def test_a_harmed_machine_is_found_out() -> None:
    player = at_table("carousel")
    player.board.plant.crashes = 1
    with pytest.raises(StoryError, match="harmed"):
        player.check()
