"""Noise between the limits: rates at which no limit on edges stops the machine at once.

`make sweep KIND=storms` plays all rates on simulated machines. The emulated board plays a sample: cases that went
wrong once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hil.faults import BY_HAND, mid_card
from hil.player import Player, expect
from hil.rounds import begin_deal, put_in, ready_to_deal
from hil.storms import WINDOW_MS, off_in_time

NOISE_MS = 1500
EVENTS_MAX = 24  # until it is over: those of a round, and eight of the line
DOOR_MS = 50  # from the begin of the noise to the door that opens under it
DOOR_OPEN_US = 300_000  # motors off within: a door line that shows one opening in 10 ms
DOUBLE = 3  # the card that comes with another one, counted from 0


@dataclass(frozen=True)
class Noise:
    """A line that is pulled, or toggled, for a share of the time."""

    line: str
    edges_per_s: int
    percent: int
    pull: str

    def begin(self, player: Player) -> None:
        player.note(f"  {self}")
        fault = {"fault": "storm", "line": self.line, "edges_per_s": self.edges_per_s}
        player.board.plant.add_fault({**fault, "percent": self.percent, "pull": self.pull})


def _two_cards(player: Player, noise: Noise) -> None:
    """Two cards come at once, under a sensor that shows a clear path every other millisecond: no deck, and no stack."""
    first = len(player.events)
    player.board.plant.add_fault({"fault": "double_feed", "card": DOUBLE, "offset_um": 0})
    if player.kind == "shoe":
        player.play([*ready_to_deal(player), *begin_deal()])
    else:
        player.play(put_in(player.deck + 1))
    plant = player.board.plant
    player.until_true("two cards have passed", lambda: plant.throat.passed >= DOUBLE - 1, step_us=1000)
    noise.begin(player)
    _warned(player, "NOISE", "DOUBLE_FEED", "JAM_THROAT")
    wrong = {"deck_verified", "stack_offered"} & {event.NAME for event in player.since(first)}
    expect(not wrong, f"two cards at once, and then {', '.join(wrong)}")
    _over(player, first)


def _open_door(player: Player, noise: Noise) -> None:
    """The door opens under a line that shows it closed every other millisecond."""
    first = len(player.events)
    mid_card(player)
    noise.begin(player)
    player.run(DOOR_MS)
    player.do("open")
    player.board.run_us(DOOR_OPEN_US)
    expect(not any(player.motors()), f"motors {player.motors()} {DOOR_OPEN_US // 1000} ms after the door was opened")
    _over(player, first)


def _chatter(player: Player, noise: Noise) -> None:
    """A door switch with a bad contact: a few events, not one for each change."""
    first = len(player.events)
    mid_card(player)
    noise.begin(player)
    _over(player, first)


def _fast(player: Player, noise: Noise) -> None:
    """Just above the limit of the port: as fast as it stops a storm."""
    first = len(player.events)
    mid_card(player)
    noise.begin(player)
    edges = int(player.board.config["mechanism"]["edges_per_s_max"]) * WINDOW_MS // 1000 + 1
    off_in_time(player, edges * 1_000_000 // noise.edges_per_s, f"{edges} edges on {noise.line}")
    _warned(player, "NOISE")
    _over(player, first)


def _warned(player: Player, *names: str) -> None:
    event: Any = player.until("warning_latched", 20.0)
    expect(event.warning.name in names, f"the warning is {event.warning.name}, not {' or '.join(names)}")


def _over(player: Player, first: int) -> None:
    """The noise goes on and nothing moves; then it ends, and a person clears the machine."""
    player.run(NOISE_MS)
    expect(not any(player.motors()), f"motors run in the noise: {player.motors()}")
    events = len(player.since(first))
    expect(events <= EVENTS_MAX, f"{events} events until the noise was over")
    player.play(BY_HAND)


_SAMPLE: dict[str, tuple[Callable[[Player, Noise], None], Noise]] = {
    "noise-two-cards": (_two_cards, Noise("opacity", 1000, 55, "low")),
    "noise-open-door": (_open_door, Noise("door", 1000, 55, "low")),
    "noise-door-100": (_chatter, Noise("door", 100, 50, "toggled")),
    "noise-throat_a-3200": (_fast, Noise("throat_a", 3200, 50, "toggled")),
}


def noise(name: str) -> Callable[[Player], None]:
    """The story of that name."""
    play, what = _SAMPLE[name]
    return lambda player: play(player, what)


NAMES = tuple(_SAMPLE)
