"""Hands for calibration: a technician who is prompted and watched by sensors, and simulated ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol

from fairshoe.calibrate.machine import Machine, NotCalibrated

PATIENCE_S = 300.0
MOMENT_S = 0.3
LOOK_S = 0.1
LOOKS = 3  # of a simulated technician, who is quick
# How a person touches an input. Beams lie close together: what covers two of them says nothing.
TOUCH = {
    "hopper": "put a card into the hopper",
    "throat_a": "cover throat A alone, with a strip of paper",
    "throat_b": "cover throat B alone, with a strip of paper",
    "opacity": "hold two cards, one on the other, in throat A",
    "slot": "cover the slot beam with a card",
    "exit": "cover the exit beam with a card",
    "tray": "lay a card into the tray",
    "ejector": "push the ejector out by hand, and hold it",
    "door": "open the door, and leave it open",
    "arrival": "cover the beam at the shelf's mouth with a card",
    "cut": "hold the cut card in the throat",
    "back": "hold a card of another back in throat A",
    "face": "hold a card face up in throat A",
}


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

    def cover(self, line: str, on: bool) -> None:
        if line == "door":
            self._do("open" if on else "close")
        else:
            self._do("cover" if on else "uncover", line)

    def key(self, on: bool) -> None:
        self._do("key", "on" if on else "off")

    def place(self) -> None:
        for action in ("open", "place", "close"):
            self._do(action)

    def draw(self) -> None:
        self._actor.act("draw", "800")

    def show(self, text: str) -> None:
        """Simulated hands need no eyes."""

    def waits(self) -> Iterator[None]:
        for _ in range(LOOKS):
            self._actor.sleep(LOOK_S)
            yield

    def _do(self, action: str, argument: str = "") -> None:
        self._actor.act(action, argument)
        self._actor.sleep(MOMENT_S)


class Technician:
    """Says what is to be done, and goes on when a sensor has seen it."""

    def __init__(self, say: Callable[[str], None], patience_s: float = PATIENCE_S) -> None:
        self._say = say
        self._patience_s = patience_s
        self.machine: Machine | None = None  # set when it is open

    def load(self, cards: int) -> None:
        self._ask(f"put {cards} card{'s' if cards > 1 else ''} into the empty hopper", "hopper", 1)
        time.sleep(2)  # the hand is still there

    def take(self) -> None:
        self._ask("take the cards out of the tray", "tray", 0)

    def clear(self) -> None:
        self._ask("open the door, take out every card, also from the hopper", "door", 1)
        self._ask("then close the door", "door", 0)

    def cover(self, line: str, on: bool) -> None:
        words = TOUCH.get(line, f"hold the {' '.join(reversed(line.split('_')))}")
        self._tell(words if on else "then close the door" if line == "door" else "let go, and take it away")

    def key(self, on: bool) -> None:
        self._tell(f"turn the key switch {'on' if on else 'off'}")

    def place(self) -> None:
        self._ask("open the door, and put one card into the slot at the mouth", "door", 1)
        self._ask("then close the door", "door", 0)

    def draw(self) -> None:
        self._tell("draw one card")

    def show(self, text: str) -> None:
        self._say(f"  seen: {text}")

    def waits(self) -> Iterator[None]:
        end = time.monotonic() + self._patience_s
        while time.monotonic() < end:
            time.sleep(LOOK_S)
            yield

    def _tell(self, words: str) -> None:
        self._say(f"{words[0].upper()}{words[1:]}.")

    def _ask(self, words: str, line: str, level: int) -> None:
        assert self.machine is not None
        self._tell(words)
        for _ in self.waits():
            if self.machine.level(line) == level:
                return
        raise NotCalibrated(f"not seen: {words}.", f"Start again; look at the sensor {line} if it was done.")
