"""The dealer's panel: button presses kept until someone acts on them, and the lamps."""

from micropython import const

from firmware.image import (
    IN_ACK,
    IN_CLOSE,
    IN_GREEN,
    IN_LOCK,
    IN_SEAT,
    OUT_LAMP_AMBER,
    OUT_LAMP_GREEN,
    OUT_LAMP_RED,
    output_set,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs, Outputs

PRESS_CLOSE = const(0)
PRESS_LOCK = const(1)
PRESS_SEAT = const(2)
PRESS_GREEN = const(3)
PRESS_ACK = const(4)
PRESS_COUNT = const(5)  # as many as there are buttons
PRESS_END = const(5)  # no button: a command that ends the round, wherever a button would mean something else
PRESS_TEST = const(6)  # no button either: the self-test
PRESS_KINDS = const(7)

_LINES = (IN_CLOSE, IN_LOCK, IN_SEAT, IN_GREEN, IN_ACK)


class Panel:
    """Counts presses per button; the step that acts on them takes them."""

    def __init__(self) -> None:
        self.seen = [0] * PRESS_COUNT
        self.pressed = [0] * PRESS_KINDS
        self.presses = 0  # of any button, as last looked at

    def take(self, button: int) -> int:
        """How often the button was pressed since the last take or clear."""
        presses = self.pressed[button]
        self.pressed[button] = 0
        return presses

    def clear(self) -> None:
        """Forget all presses: those made before a step do not count for it."""
        for i in range(PRESS_KINDS):
            self.pressed[i] = 0


def panel_scan(panel: Panel, inp: "Inputs") -> None:
    """Something was pressed."""
    panel.presses = inp.presses
    for i in range(PRESS_COUNT):
        presses = inp.enters[_LINES[i]]
        if presses != panel.seen[i]:
            panel.pressed[i] += presses - panel.seen[i]
            panel.seen[i] = presses


def panel_lamps(out: "Outputs", green: int, amber: int, red: int) -> None:
    output_set(out, OUT_LAMP_GREEN, green)
    output_set(out, OUT_LAMP_AMBER, amber)
    output_set(out, OUT_LAMP_RED, red)
