"""Hands: what a person does to a machine in a test, done by a technician who is prompted, or by a simulated one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from fairshoe.bench.device import Device
from fairshoe.errors import PortLost

PATIENCE_S = 300.0  # a technician who has to fetch a deck


@dataclass(frozen=True)
class Task:
    """One thing to do, in a technician's words; `blind` if no sensor sees that it was done."""

    action: str
    argument: str
    words: str
    blind: bool = False


def load(cards: int, cut_at: int = -1, which: str = "") -> Task:
    words = f"put {cards} cards into the hopper" + (f": {which}" if which else "")
    if cut_at >= 0:
        words += f", the cut card behind the first {cut_at}"
    return Task("load", f"{cards}:{cut_at}" if cut_at >= 0 else str(cards), words, blind=True)


def press(button: str) -> Task:
    return Task("press", button, f"press {button.upper()}")


TAKE = Task("take", "", "take the cards out of the tray")
LIFT = Task("lift", "", "lift the cards that are left out of the shoe")
OPEN = Task("open", "", "open the door")
CLEAR = Task("clear", "", "take out every card that lies inside, also under the rails", blind=True)
CLOSE = Task("close", "", "close the door")
DRAW = Task("draw", "200", "draw one card")
KEY_ON = Task("key", "on", "turn the key switch on", blind=True)
KEY_OFF = Task("key", "off", "turn the key switch off", blind=True)
OFF = Task("cut", "", "switch the machine off")
ON = Task("boot", "", "switch it on again")
CUT = Task("cut", "", "pull the plug, now")
BOOT = Task("boot", "", "plug it in again")
UNJAM = Task("", "", "take the jam strip out of the machine", blind=True)


def jam(place: str, at_um: int) -> Task:
    """A card that is going to stop; the technician's way to bring it about is a strip of card glued to a handle."""
    fault: dict[str, object] = {"fault": "jam", "place": place, "at_um": at_um, "times": 1}
    where = {"throat": "the throat, behind the first beam", "exit": "the exit, in front of its beam"}[place]
    return Task(
        "fault", json.dumps(fault), f"slide the jam strip into {where}, so that the next card stops there", True
    )


class Hands(Protocol):
    """`patience_s` is how long these hands may take for one thing."""

    unattended: bool
    patience_s: float

    def do(self, task: Task) -> None:
        """Do it, or prompt for it; where no sensor sees it, ask whether it was done."""
        ...

    def again(self, task: Task) -> None:
        """Prompt again: the device has not seen it."""
        ...


class Actor(Protocol):
    """A simulated machine that can be touched."""

    def act(self, action: str, argument: str = "") -> Any: ...


class SimHands:
    """A simulated dealer, a moment after being asked."""

    unattended = True
    patience_s = 20.0

    def __init__(self, device: Device, actor: Actor, delay_s: float = 0.4) -> None:
        self._device = device
        self._actor = actor
        self._delay_s = delay_s

    def do(self, task: Task) -> None:
        if task != CUT:
            self._take_time()
        if task.action:
            self._actor.act(task.action, task.argument)

    def again(self, task: Task) -> None:
        if task.action == "press":
            self.do(task)

    def _take_time(self) -> None:
        try:
            self._device.rest(self._delay_s)
        except PortLost:
            self._device.line.sleep(self._delay_s)  # a hand at the plug has no use for the port


class Technician:
    """Says what is to be done and watches for it. `entered` tells whether Enter was pressed since it was last asked."""

    unattended = False
    patience_s = PATIENCE_S

    def __init__(
        self,
        device: Device,
        say: Callable[[str], None],
        entered: Callable[[], bool] | None = None,
        answered: Callable[[], None] | None = None,
    ) -> None:
        self._device = device
        self._say = say
        self._entered = entered or enter_pressed
        self._answered = answered

    def do(self, task: Task) -> None:
        if not task.blind:
            self._say(f"{task.words[0].upper()}{task.words[1:]}.")
            return
        self._entered()  # what was typed before the question is no answer to it
        self._say(f"{task.words[0].upper()}{task.words[1:]}; then press Enter.")
        while not self._entered():
            self._device.pump()
        if self._answered is not None:
            self._answered()

    def again(self, task: Task) -> None:
        self._say(f"Not seen yet: {task.words}.")


def enter_pressed() -> bool:
    """Whether a line came from the keyboard; never waits."""
    if sys.platform == "win32":
        import msvcrt

        found = False
        while msvcrt.kbhit():
            found = msvcrt.getwch() in "\r\n" or found
        return found
    import select

    if not select.select([sys.stdin], [], [], 0)[0]:
        return False
    if sys.stdin.readline():
        return True
    raise EOFError
