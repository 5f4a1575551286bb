"""The inputs and outputs of a device, in the order in which the firmware numbers them (firmware/image.py).

One row for each line: which mechanisms need it, where it may be connected, and what is connected to it. The checks of a
board config, the wiring page and its pictures come from here; a test holds the firmware and the schema against it.
"""

from __future__ import annotations

from dataclasses import dataclass

_ALL = ("carousel", "shelves", "shoe", "draw")
_STORES = ("carousel", "shelves")
_MOTORS = ("carousel", "shelves", "shoe")
_BLOCKED = "1: blocked"
_PRESSED = "1: pressed"
_OPTION: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """`needed_by` nothing: every mechanism may have it. `panel`: may be a pin of the port expander, and every board has
    it unless it is part of an option. `wired_to` and `level` are for the table, `label` is for the picture."""

    name: str
    needed_by: tuple[str, ...]
    label: str
    wired_to: str
    level: str = "1: on"
    panel: bool = False


INPUTS = (
    Line("hopper", _ALL, "hopper beam", "beam under the hopper: cards are in it", _BLOCKED),
    Line("throat_a", _ALL, "throat A beam", "first beam of the throat", _BLOCKED),
    Line("throat_b", _ALL, "throat B beam", "second beam of the throat, at the mouth", _BLOCKED),
    Line(
        "opacity",
        _OPTION,
        "opacity comparator",
        "comparator of the opacity sensor at throat A",
        "1: more than one card",
    ),
    Line("slot", _STORES, "slot beam", "beam at the slots, or across the shelf at the mouth", "1: a card is there"),
    Line("exit", ("carousel", "shoe"), "exit beam", "beam at the lip of the tray", _BLOCKED),
    Line("tray", _MOTORS, "tray beam", "beam across the tray", _BLOCKED),
    Line("ejector", _STORES, "ejector home switch", "home switch of the ejector or pusher", "1: away from home"),
    Line("door", _ALL, "door switch", "switch of the door", "1: open"),
    Line("arrival", ("shelves",), "arrival beam", "beam at the mouth of the shelf", _BLOCKED),
    Line("cut", ("draw",), "cut card sensor", "sensor of the cut card in the throat", "1: it is the cut card"),
    Line("back", _OPTION, "back colour sensor", "sensor of the back's colour at throat A", "1: another back"),
    Line("face", _OPTION, "face sensor", "sensor of a face at throat A", "1: face up"),
    Line("hole_card", _OPTION, "hole-card reader, card", "hole-card reader: a card lies in it", "1: a card"),
    Line("hole_match", _OPTION, "hole-card reader, answer", "hole-card reader: its answer", "1: yes"),
    Line("key_switch", _ALL, "key switch", "key switch", "1: turned", panel=True),
    Line("button_close", _ALL, "button CLOSE", "button: betting closed", _PRESSED, panel=True),
    Line("button_lock", _ALL, "button LOCK", "button: lock-out confirmed", _PRESSED, panel=True),
    Line("button_seat", _ALL, "button SEAT", "button: one more position", _PRESSED, panel=True),
    Line("button_green", _ALL, "button GREEN", "button: green", _PRESSED, panel=True),
    Line("button_ack", _ALL, "button ACK", "button: acknowledge", _PRESSED, panel=True),
)
OUTPUTS = (
    Line("pick", _MOTORS, "pick roller", "driver of the pick roller"),
    Line("transport", _MOTORS, "transport rollers", "driver of the transport rollers"),
    Line("ejector", _STORES, "ejector or pusher", "driver of the ejector or pusher"),
    Line("outfeed", _STORES, "outfeed or lift", "driver of the outfeed rollers or the lift"),
    Line("reverse", _MOTORS, "reverse, pick + transport", "direction of pick and transport", "1: backwards"),
    Line("dark", _OPTION, "beam light off", "light of all beams, off while this is on", "1: dark"),
    Line("lamp_green", _ALL, "green lamp", "green lamp", panel=True),
    Line("lamp_amber", _ALL, "amber lamp", "amber lamp", panel=True),
    Line("lamp_red", _ALL, "red lamp", "red lamp", panel=True),
    Line("read_ace", _OPTION, "reader light, ace", "light of the hole-card reader, question ace", panel=True),
    Line(
        "read_court",
        _OPTION,
        "reader light, court card",
        "light of the hole-card reader, question court card",
        panel=True,
    ),
)
GROUPS = {"inputs": INPUTS, "outputs": OUTPUTS}


def find(group: str, name: str) -> Line:
    return next(line for line in GROUPS[group] if line.name == name)


def needed(group: str, kind: str) -> tuple[str, ...]:
    """The lines of `inputs` or `outputs` that this mechanism must have, besides the panel."""
    return tuple(line.name for line in GROUPS[group] if kind in line.needed_by and not line.panel)


def optional(group: str) -> tuple[str, ...]:
    return tuple(line.name for line in GROUPS[group] if not line.needed_by)


def panel(group: str) -> tuple[str, ...]:
    return tuple(line.name for line in GROUPS[group] if line.panel)
