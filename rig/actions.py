"""Actions of people on a machine, by name, for stories, scenarios and the simulator.

Arguments are a dict; numbers and words as a scenario file has them.
"""

from hal.sim.chassis import TRAIT_BACK
from rig.rig import CUT_CRASH, CUT_POWER, CUT_STUCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.sim.plant import Plant
    from rig.rig import Rig

    Arguments = dict[str, Any]

_NEEDED = None
FACES = 13  # of a suit; the tenth, from 0, is the ten
TEN = 9
DECK_2_FIRST = 416  # cards of a second deck: no others have these numbers, and the faces are the same

# Arguments of each action with their defaults; None means that it must be given.
ACTIONS: "dict[str, dict[str, Any]]" = {
    # Deck 2 has the other back. With a list of tens the decks have none but there, counted as the cards come out.
    "load": {"cards": _NEEDED, "cut_at": -1, "deck": 1, "tens": -1},
    "press": {"button": _NEEDED},
    "take": {"cards": -1},
    "lift": {},
    "open": {},
    "close": {},
    "clear": {},
    "key": {"to": _NEEDED},  # on or off
    "cover": {"line": _NEEDED},  # a hand in a beam, or on a switch
    "uncover": {"line": _NEEDED},
    "place": {},  # a card into the slot, or onto the shelf, at the mouth
    "litter": {"cards": 1},
    "draw": {"ms": 200},
    "draw_two": {"ms": 200, "offset_um": 0},
    "draw_back": {"um": 60000, "ms": 200},
    "hold": {"um": 60000, "ms": 100},
    "let_go": {"ms": 100},
    "peek": {"rank": _NEEDED},  # the hole card into the reader, 1 ace to 13 king
    "peek_end": {},
    "fault": {"fault": _NEEDED},  # and whatever that fault takes: hal/sim/faults.py
    "stop_card": {"way": 0},  # the card that moves there, 0 in or 1 out, stays where it is
    "repair": {"line": ""},  # everything, or what is wrong with one line
    "cut": {},
    "cut_at_write": {"write": 0, "bytes": 0},  # the nth storage write from now on gets so many bytes through, then dark
    "cut_at_time": {"us": 0},  # so many microseconds from now on
    "cut_at_frame": {"frame": 0, "bytes": 0},  # the nth frame from now on, of which so many bytes reach the host
    "crash_at_time": {"us": 0},  # the firmware halts then
    "stuck_at_time": {"us": 0},  # or hangs
    "boot": {},
    "watchdog": {},  # wait for it
    "crash": {"name": "MemoryError"},  # the next scan raises it
    "stuck": {"ms": 700},  # no scan ends for so long
    "wait": {},
}

# What a person types after the action's name: `load 52`, `jam throat:10:60000`.
TYPED = (
    "load N[:CUT], press close|lock|seat|green|ack, take [N], lift, open, clear, close, key on|off, litter N, draw MS, "
    "cover|uncover LINE, place, "
    "peek RANK, peek_end, jam throat|exit:NTH:UM, misfeed NTH:TIMES"
)


def check_action(action: str, arguments: "Arguments") -> None:
    """Raise ValueError for an action that does not exist, or arguments that do not fit it."""
    if action not in ACTIONS:
        raise ValueError("no action %r; known: %s" % (action, ", ".join(sorted(ACTIONS))))
    known = ACTIONS[action]
    for key in known:
        if known[key] is _NEEDED and key not in arguments:
            raise ValueError("%s needs %s" % (action, key))
    if action == "fault":
        return  # the plant checks these
    if action == "load" and not (isinstance(arguments["cards"], int) and 0 <= arguments["cards"] <= DECK_2_FIRST):
        raise ValueError("load: cards is 0 to %d" % DECK_2_FIRST)
    if action == "key" and arguments["to"] not in ("on", "off"):
        raise ValueError("key: to is on or off")
    for key in arguments:
        if key not in known:
            raise ValueError("%s has no %r; known: %s" % (action, key, ", ".join(sorted(known)) or "nothing"))
        if "_at_" in action and (not isinstance(arguments[key], int) or arguments[key] < 0):
            raise ValueError("%s: %s is a whole number, not below 0" % (action, key))


def do(rig: "Rig", action: str, arguments: "Arguments") -> "list[int]":
    """Do it; returns the cards a hand now holds."""
    check_action(action, arguments)
    if action == "cut":
        rig.cut_power()
    elif action == "cut_at_write":
        rig.nv.cut_at = rig.nv.writes + arguments.get("write", 0)
        rig.nv.cut_bytes = arguments.get("bytes", 0)
    elif action in _CUTS:
        rig.cut_us = rig.plant.now_us + arguments.get("us", 0)
        rig.cut_how = _CUTS[action]
    elif action == "cut_at_frame":
        rig.cut_frame = rig.frames_sent + arguments.get("frame", 0)
        rig.cut_frame_bytes = arguments.get("bytes", 0)
    elif action == "boot":
        rig.boot()
    elif action == "crash":
        rig.crash_name = str(arguments.get("name", ACTIONS[action]["name"]))
    elif action == "stuck":
        rig.get_stuck(arguments.get("ms", ACTIONS[action]["ms"]))
    elif action not in ("wait", "watchdog"):
        given = dict(ACTIONS[action])
        given.update(arguments)
        cards = _HANDS[action](rig.plant, given)
        return cards if isinstance(cards, list) else []
    return []


def act(rig: "Rig", action: str, argument: str) -> "list[int]":
    """The same with one argument as a person types it."""
    action, arguments = typed(action, argument)
    return do(rig, action, arguments)


def _number(text: "str") -> "int":
    if not text.lstrip("-").isdigit():
        raise ValueError("%s is not a whole number" % text)
    return int(text)


def typed(action: str, argument: str) -> "tuple[str, Arguments]":
    """The arguments of a typed action."""
    if (action == "jam" and argument.count(":") != 2) or (action == "misfeed" and argument.count(":") != 1):
        raise ValueError("%s needs %s" % (action, "PLACE:NTH:UM" if action == "jam" else "NTH:TIMES"))
    if action == "jam":
        place, nth, at_um = argument.split(":")
        return "fault", {"fault": "jam", "place": place, "card": _number(nth), "at_um": _number(at_um)}
    if action == "misfeed":
        nth, times = argument.split(":")
        return "fault", {"fault": "misfeed", "card": _number(nth), "times": _number(times)}
    arguments: "Arguments" = {}
    if action == "press":
        arguments["button"] = argument
    elif action == "key":
        arguments["to"] = argument
    elif action in ("cover", "uncover"):
        arguments["line"] = argument
    elif action == "crash" and argument not in ("", "0"):
        arguments["name"] = argument
    elif action == "load" and ":" in argument:
        cards, cut_at = argument.split(":", 1)
        arguments.update({"cards": _number(cards), "cut_at": _number(cut_at)})
    elif action in _NUMBER and argument not in ("", "0"):
        arguments[_NUMBER[action]] = _number(argument)
    elif action == "load":
        arguments["cards"] = 0
    return action, arguments


_CUTS = {"cut_at_time": CUT_POWER, "crash_at_time": CUT_CRASH, "stuck_at_time": CUT_STUCK}
_NUMBER = {
    "load": "cards",
    "take": "cards",
    "litter": "cards",
    "draw": "ms",
    "draw_two": "ms",
    "hold": "um",
    "peek": "rank",
    "stuck": "ms",
}


def _press(plant: "Plant", given: "Arguments") -> None:
    line = "button_" + str(given["button"])
    if line not in plant.lines:
        names = [name[7:] for name in plant.lines if name.startswith("button_")]
        raise ValueError("no button %s; known: %s" % (given["button"], ", ".join(names)))
    plant.press(plant.lines.index(line))


def _load(plant: "Plant", given: "Arguments") -> None:
    first = DECK_2_FIRST if given["deck"] == 2 else 0
    cards = list(range(first, first + given["cards"]))
    if isinstance(given["tens"], list):
        cards = without_tens(given["cards"])
        for i in range(len(given["tens"])):
            at = given["tens"][i]
            cards[len(cards) - 1 - at if plant.source.at_end else at] = FACES * i + TEN
    plant.load(cards, given["cut_at"])
    if first:
        for card in cards:
            plant.mark_card(card, 0, TRAIT_BACK)


def _key(plant: "Plant", given: "Arguments") -> None:
    plant.set_line(plant.lines.index("key_switch"), 1 if given["to"] == "on" else 0, plant.now_us)


def _cover(plant: "Plant", given: "Arguments", on: bool) -> None:
    if given["line"] not in plant.lines:
        raise ValueError("no line %s; known: %s" % (given["line"], ", ".join(plant.lines)))
    plant.beams.cover(plant.lines.index(given["line"]), on, plant.now_us)


def without_tens(count: int) -> "list[int]":
    """So many cards of decks of 48, as the recognition sensor tells them apart."""
    cards: "list[int]" = []
    card = 0
    while len(cards) < count:
        if card % FACES != TEN:
            cards.append(card)
        card += 1
    return cards


def _hand(plant: "Plant") -> "Any":
    if plant.kind != "draw":
        raise ValueError("cards are not drawn by hand from a " + plant.kind)
    return plant.hand


_HANDS: "dict[str, Callable[[Plant, Arguments], object]]" = {
    "load": lambda plant, given: _load(plant, given),
    "press": _press,
    "take": lambda plant, given: plant.take(given["cards"]),
    "lift": lambda plant, given: plant.lift(),
    "open": lambda plant, given: plant.door(True),
    "close": lambda plant, given: plant.door(False),
    "clear": lambda plant, given: plant.clear(),
    "key": _key,
    "cover": lambda plant, given: _cover(plant, given, True),
    "uncover": lambda plant, given: _cover(plant, given, False),
    "place": lambda plant, given: plant.place(),
    "litter": lambda plant, given: plant.litter(given["cards"]),
    "draw": lambda plant, given: _hand(plant).draw(given["ms"]),
    "draw_two": lambda plant, given: _hand(plant).draw_two(given["ms"], given["offset_um"]),
    "draw_back": lambda plant, given: _hand(plant).draw_back(given["um"], given["ms"]),
    "hold": lambda plant, given: _hand(plant).hold(given["um"], given["ms"]),
    "let_go": lambda plant, given: _hand(plant).let_go(given["ms"]),
    "peek": lambda plant, given: plant.reader.insert(given["rank"]),
    "peek_end": lambda plant, given: plant.reader.remove(),
    "fault": lambda plant, given: plant.add_fault(given),
    "stop_card": lambda plant, given: plant.stop_card(given["way"]),
    "repair": lambda plant, given: plant.repair(given["line"]),
}
