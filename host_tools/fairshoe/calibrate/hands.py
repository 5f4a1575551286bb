"""Hands for calibration: a technician who is prompted and watched by sensors, and simulated ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from fairshoe.calibrate.machine import Machine, NotCalibrated

PATIENCE_S = 300.0
MOMENT_S = 0.3


class Actor(Protocol):
    """A simulated machine that can be touched."""

    def act(self, action: str, argument: str = "") -> list[int]: ...

    def sleep(self, seconds: float) -> None: ...


class SimHands:
    """A simulated technician."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    def load(self, cards: int) -> None:
        self._do("load", str(cards))

    def take(self) -> None:
        self._do("take")

    def clear(self) -> None:
        for action in ("open", "clear", "close"):
            self._do(action)

    def _do(self, action: str, argument: str = "") -> None:
        self._actor.act(action, argument)
        self._actor.sleep(MOMENT_S)


class Technician:
    """Says what is to be done, and goes on when a sensor has seen it."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.machine: Machine | None = None  # set when it is open

    def load(self, cards: int) -> None:
        self._ask(f"put {cards} card{'s' if cards > 1 else ''} into the empty hopper", "hopper", 1)
        time.sleep(2)  # the hand is still there

    def take(self) -> None:
        self._ask("take the cards out of the tray", "tray", 0)

    def clear(self) -> None:
        self._ask("open the door, take out every card, also from the hopper", "door", 1)
        self._ask("then close the door", "door", 0)

    def _ask(self, words: str, line: str, level: int) -> None:
        assert self.machine is not None
        self._say(f"{words[0].upper()}{words[1:]}.")
        end = time.monotonic() + PATIENCE_S
        while self.machine.level(line) != level:
            if time.monotonic() > end:
                raise NotCalibrated(f"not seen: {words}.", f"Start again; look at the sensor {line} if it was done.")
            time.sleep(0.2)
