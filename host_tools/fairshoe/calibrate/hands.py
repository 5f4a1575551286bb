"""Hands for calibration: a technician who is prompted and watched by sensors, and simulated ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol

from fairshoe.errors import Exit, FairshoeError

PATIENCE_S = 300.0
MOMENT_S = 0.3
LOOK_S = 0.1
LOOKS = 3  # of a simulated technician, who is quick
HAND_AWAY_S = 2.0  # after cards were put in
SEEN = "  seen: "  # begins what a sensor has seen; anything else that is said asks for something
CLOSE = "then close the door"
Say = Callable[[str], None]
LAMPS = ("green", "amber", "red")
MORE = "more"
# The button that a person holds for the lamp that is lit.
LAMP_BUTTONS = {
    "green": "button_green",
    "amber": "button_lock",
    "red": "button_ack",
    MORE: "button_seat",
    "": "button_close",
}
SAY_LAMP = "hold GREEN if the green lamp alone is lit, LOCK if amber, ACK if red, SEAT if more than one, CLOSE if none"
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


class NotCalibrated(FairshoeError):
    """The machine cannot be measured, or what was measured cannot be believed."""

    exit_code = Exit.FAILED


class Sensors(Protocol):
    """The machine, as hands are watched by it. `going` may raise, to stop all."""

    going: Callable[[], None]

    def level(self, line: str) -> int: ...


class Actor(Protocol):
    """A simulated machine that can be touched."""

    def act(self, action: str, argument: str = "") -> list[int]: ...

    def sleep(self, seconds: float) -> None: ...

    def lit(self) -> list[str]: ...


class Hands:
    """What a person is asked for: in words, as actions of a simulated person, and by the level that shows it."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def load(self, cards: int) -> None:
        words = f"put {cards} card{'s' if cards > 1 else ''} into the empty hopper"
        self._ask(words, [f"load {cards}"], "hopper", 1)

    def take(self) -> None:
        self._ask("take the cards out of the tray", ["take"], "tray", 0)

    def clear(self) -> None:
        self._ask("open the door, take out every card, also from the hopper", ["open", "clear"], "door", 1)
        self.shut()

    def shut(self) -> None:
        self._ask(CLOSE, ["close"], "door", 0)

    def cover(self, line: str, on: bool) -> None:
        """Touch an input: cover a beam, hold a button, open the door; or let go. It is for the caller to see it."""
        if line == "door" and not on:
            self._ask(CLOSE, ["close"])
        elif on:
            words = TOUCH.get(line, f"hold the {' '.join(reversed(line.split('_')))}")
            self._ask(words, ["open" if line == "door" else f"cover {line}"])
        else:
            self._ask("let go, and take it away", [f"uncover {line}"])

    def leave(self) -> None:
        self._ask("close the door, and take hands and cards out of the machine", ["close"])

    def key(self, on: bool) -> None:
        to = "on" if on else "off"
        self._ask(f"turn the key switch {to}", [f"key {to}"])

    def place(self) -> None:
        self._ask("open the door, and put one card into the slot at the mouth", ["open", "place"], "door", 1)
        self.shut()

    def press(self, button: str) -> None:
        self._ask(f"press {button.upper()}", [f"press {button}"])

    def draw(self, cards: int = 1) -> None:
        words = "draw one card" if cards == 1 else "draw two cards at once, one exactly on the other"
        self._ask(words, ["draw 800" if cards == 1 else "draw_two 800"])

    def say_lamp(self) -> None:
        """Hold the button that says which lamp is lit."""
        self._ask(SAY_LAMP, [f"cover {LAMP_BUTTONS[self._lit()]}"])

    def _lit(self) -> str:
        """What a simulated person sees."""
        return ""

    def show(self, text: str) -> None:
        """What a sensor has just seen."""
        self._say(f"{SEEN}{text}")

    def pause(self, seconds: float) -> None:
        """Let so much time pass."""
        raise NotImplementedError

    def waits(self) -> Iterator[None]:
        """One round for each look at the sensors, as long as hands may take."""
        raise NotImplementedError

    def _ask(self, words: str, actions: list[str], line: str = "", level: int = 0) -> None:
        """Until `line` has this level, if one is named; else it is for the caller to see it."""
        raise NotImplementedError

    def _tell(self, words: str) -> None:
        self._say(f"{words[0].upper()}{words[1:]}.")


class SimHands(Hands):
    """A simulated technician."""

    def __init__(self, actor: Actor, say: Say = lambda _text: None) -> None:
        super().__init__(say)
        self._actor = actor

    def waits(self) -> Iterator[None]:
        for _ in range(LOOKS):
            self._actor.sleep(LOOK_S)
            yield

    def pause(self, seconds: float) -> None:
        self._actor.sleep(seconds)

    def _lit(self) -> str:
        lit = self._actor.lit()
        return MORE if len(lit) > 1 else "".join(lit)

    def _ask(self, words: str, actions: list[str], line: str = "", level: int = 0) -> None:
        self._tell(words)
        for action in actions:
            self._actor.act(*action.split())
            if not action.startswith("draw"):  # it is to be seen from its beginning
                self._actor.sleep(MOMENT_S)


class Technician(Hands):
    """Says what is to be done, and goes on when a sensor has seen it."""

    def __init__(self, say: Say, patience_s: float = PATIENCE_S) -> None:
        super().__init__(say)
        self._patience_s = patience_s
        self.machine: Sensors | None = None  # set when it is open

    def waits(self) -> Iterator[None]:
        end = time.monotonic() + self._patience_s
        while time.monotonic() < end:
            time.sleep(LOOK_S)
            if self.machine is not None:
                self.machine.going()
            yield

    def load(self, cards: int) -> None:
        super().load(cards)
        self.pause(HAND_AWAY_S)

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def _ask(self, words: str, actions: list[str], line: str = "", level: int = 0) -> None:
        assert self.machine is not None
        self._tell(words)
        if not line:
            return
        for _ in self.waits():
            if self.machine.level(line) == level:
                return
        raise NotCalibrated(f"not seen: {words}.", f"Start again; look at the sensor {line} if it was done.")
