"""What a soak draws: a board with its changes, a game, bad luck, and hands that make sense or do not."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fairshoe.boards import configs
from firmware.image import INPUTS
from rig.operator import next_moves
from rig.scenario import SCAN_US_MAX
from rig.story import Stage

Data = dict[str, Any]

BOARDS = tuple(filter(configs.is_reference, configs.board_names()))  # a simulated machine has no pins
BUTTONS = tuple(name.removeprefix("button_") for name in INPUTS if name.startswith("button_"))
BASIC: Data = {"mechanism.count_assurance": "basic", "inputs.opacity": None, "outputs.dark": None}
CARELESS = 0.3  # how often the dealer acknowledges a warning without clearing anything


@lru_cache
def _load(board: str) -> Data:
    return configs.load_board(board)[0]


def board_config(board: str) -> Data:
    """A copy that a scenario may change; checking the file each time would take longer than a short run."""
    return copy.deepcopy(_load(board))


def draw_scenario(draw: random.Random, seed: int, board: str = "") -> Data:
    """Everything but the script."""
    board = board or draw.choice(BOARDS)
    kind = board_config(board)["mechanism"]["kind"]
    role: Data = {"role": draw.choice(("recorder", "table"))} if draw.random() < 0.15 else {}
    return {
        **role,
        "title": f"Soak, seed {seed}",
        "board": board,
        "changes": _draw_changes(draw, kind),
        "game": _draw_game(draw, kind),
        "seed": draw.randrange(1, 100000),
        # Not drawn: a simulated scan takes no time, a real one does, and both must be good.
        "scan_us": (0, 1500, SCAN_US_MAX)[seed // len(BOARDS) % 3],
        "faults": [],
        "script": [],
        "expect": {"invariants": True},
    }


def _draw_changes(draw: random.Random, kind: str) -> Data:
    changes: Data = {}
    if draw.random() < 0.2:
        changes.update(BASIC)
    if draw.random() < 0.15:
        changes.update({"inputs.back": {"expander": 5}, "inputs.face": {"expander": 6}})
    if draw.random() < 0.1:
        changes["sensors.recognition"] = True
    if draw.random() < 0.2:
        changes["nv.bytes"] = 18912
    if kind == "draw":
        return changes
    if draw.random() < 0.2:
        changes["mechanism.jog_max"] = 0
    if draw.random() < 0.2:
        changes["mechanism.feed"] = draw.choice(("top", "bottom"))
    if draw.random() < 0.2:
        changes["mechanism.pick_retry_max"] = draw.randrange(4)
    if kind == "shelves" and draw.random() < 0.6:
        changes["mechanism.shelf_count"] = draw.choice((4, 7, 12))
    return changes


def _draw_game(draw: random.Random, kind: str) -> Any:
    if kind != "shelves" and draw.random() < 0.15:
        return "caribbean-stud"
    game: Data = {
        "deck_cards": draw.choice((52, draw.randrange(8, 20), draw.randrange(8, 20), draw.randrange(8, 53))),
        "stack_cards": draw.randrange(1, 8),
        "positions_max": draw.randrange(1, 10),
        "lockout": draw.random() < 0.3,
    }
    if draw.random() < 0.3:
        game["last_cards"] = draw.randrange(1, 8)
    if draw.random() < 0.2:
        plan = [draw.randrange(1, 8) for _ in range(draw.randrange(1, 5))]
        while sum(plan) > game["deck_cards"]:
            plan.pop()  # a deck that cannot serve it is refused
        game["plan"] = plan
    return game


class Hands:
    """All the people around one machine."""

    def __init__(self, draw: random.Random, stage: Stage) -> None:
        self.draw = draw
        self.stage = stage
        self.plant = stage.rig.plant
        self.kind = self.plant.kind
        self.deck_cards = stage.rig.app.flow.profile.deck_cards
        wired = self.plant.beams.wired
        self.lines = [name for i, name in enumerate(self.plant.lines) if wired[i] and not name.startswith("button_")]

    def sensible(self) -> list[Data]:
        """What a dealer would do next, in a hurry and not always with care."""
        draw = self.draw
        moves = next_moves(self.stage, plays=True)
        if not moves:
            return [{"do": "wait", "after_ms": draw.choice((50, 500, 5000, 30000))}]
        if moves[-1][2].get("button") == "ack" and draw.random() < CARELESS:
            moves = draw.choice((moves[-1:], [moves[0], *moves[2:]]))
        steps: list[Data] = []
        for delay_ms, action, arguments in moves:
            given = dict(arguments)
            if action == "load" and draw.random() < 0.2:
                given["cards"] += draw.choice((-1, 1))
            elif action == "draw":
                given["ms"] = draw.randrange(50, 500)
            if given.get("button") == "close" and draw.random() < 0.5:
                seats = draw.randrange(1, 4)
                steps += [{"do": "press", "button": "seat", "after_ms": 200} for _ in range(seats)]
            steps.append({"do": action, **given, "after_ms": delay_ms + draw.randrange(300)})
        if draw.random() < 0.8:
            steps.append({"do": "wait", "after_ms": 400})  # who looks up too soon does the same thing twice
        return steps

    def senseless(self) -> list[Data]:
        draw = self.draw
        after_ms = draw.choice((0, 1, draw.randrange(40), draw.randrange(300), draw.randrange(3000)))
        made = draw.choice(_SENSELESS)(self)
        made[0]["after_ms"] = after_ms
        return made

    def fault(self) -> Data:
        """One that this machine can have, by card, by chance or by time."""
        draw = self.draw
        names = _FAULTS[self.kind]
        name = draw.choice(names)
        fault: Data = {"do": "fault", "fault": name}
        fault.update(_FAULT_KEYS[name](self) if name in _FAULT_KEYS else {})
        if name in _BY_CARD:
            if draw.random() < 0.7:
                fault["card"] = self._nth(fault.get("place", "")) + draw.randrange(draw.choice((8, self.deck_cards)))
            else:
                fault["ppm"] = draw.choice((20000, 100000, 400000))
        elif name in _BY_MOVE:
            # Two slips of a whole place, one in each direction, cancel: docs/LIMITS.md. One alone must be noticed.
            if draw.random() < 0.6 or fault.get("thousandths", 0) >= 1000:
                fault["move"] = getattr(self.plant.axis, "moves", 0) + draw.randrange(10)
            else:
                fault["ppm"] = draw.choice((20000, 100000))
        else:
            fault["from_ms"] = self.plant.now_us // 1000 + draw.choice((0, draw.randrange(500), draw.randrange(8000)))
            fault["for_ms"] = draw.choice((draw.randrange(1, 50), draw.randrange(1, 1000), 20000))
        return fault

    def line(self) -> str:
        return self.draw.choice(self.lines)

    def _nth(self, place: str) -> int:
        if self.kind == "draw":
            return self.plant.hand.picked
        if place == "exit":
            return self.plant.outlet.ejected if self.kind == "carousel" else self.plant.throat.passed
        return self.plant.throat.picked

    # -- single acts -----------------------------------------------------------------------------------------------

    def press(self) -> list[Data]:
        return [{"do": "press", "button": self.draw.choice(BUTTONS)}]

    def door(self) -> list[Data]:
        if self.draw.random() < 0.5:
            return [{"do": self.draw.choice(("open", "close"))}]
        ms = self.draw.choice((5, 300, 2000))
        return [{"do": "open"}, {"do": "close", "after_ms": ms}]

    def take(self) -> list[Data]:
        if self.draw.random() < 0.3:
            return [{"do": "take", "cards": self.draw.randrange(1, 4)}]
        return [{"do": "take"}]

    def load(self) -> list[Data]:
        cards = self.draw.choice((1, 2, self.deck_cards, self.draw.randrange(self.deck_cards + 9)))
        return [{"do": "load", "cards": cards}]

    def lift(self) -> list[Data]:
        return [{"do": "lift"}]

    def litter(self) -> list[Data]:
        return [{"do": "litter", "cards": self.draw.randrange(1, 4)}]

    def cut(self) -> list[Data]:
        return [{"do": "cut"}, {"do": "boot", "after_ms": self.draw.choice((0, 5, 2000))}]

    def cut_at_write(self) -> list[Data]:
        return [{"do": "cut_at_write", "write": self.draw.randrange(8), "bytes": self.draw.randrange(97)}]

    def host(self) -> list[Data]:
        return [{"do": "host", "acknowledges": not self.stage.peer.acknowledges}]

    def link(self) -> list[Data]:
        if self.stage.to_host is not None or self.draw.random() < 0.5:
            return [{"do": "link"}]
        rates = {"bit_ppm": 200, "lose_ppm": 500, "piece_ppm": 30000}
        name = self.draw.choice(list(rates))
        return [{"do": "link", name: rates[name]}]

    def add_fault(self) -> list[Data]:
        return [self.fault()]

    def repair(self) -> list[Data]:
        return [{"do": "repair"}]

    def fingers(self) -> list[Data]:
        """At a shoe without motors."""
        if self.kind != "draw":
            return self.press()
        draw = self.draw
        ms = draw.randrange(50, 500)
        return [
            draw.choice(
                (
                    {"do": "draw", "ms": ms},
                    {"do": "draw_two", "ms": ms, "offset_um": draw.choice((0, draw.randrange(80000)))},
                    {"do": "draw_back", "um": draw.randrange(5000, 110000), "ms": ms},
                    {"do": "hold", "um": draw.randrange(5000, 110000), "ms": ms},
                    {"do": "let_go", "ms": ms},
                )
            )
        ]


_SENSELESS = (
    Hands.press,
    Hands.press,
    Hands.door,
    Hands.take,
    Hands.load,
    Hands.lift,
    Hands.litter,
    Hands.cut,
    Hands.cut_at_write,
    Hands.host,
    Hands.link,
    Hands.add_fault,
    Hands.add_fault,
    Hands.add_fault,
    Hands.repair,
    Hands.fingers,
    Hands.fingers,
)

_BY_CARD = ("misfeed", "double_feed", "jam", "stall", "card_lost", "foreign", "wrong_back", "face_up", "tray_slow")
_BY_MOVE = ("axis_stall", "axis_slip")
_ANY = ("foreign", "wrong_back", "face_up", "beam_stuck", "beam_blind", "beam_noise", "storm", "entropy", "nv")
_ROLLERS = (*_ANY, "misfeed", "double_feed", "double_feed", "jam", "jam", "stall", "stall", "card_lost", "card_lost",
            "wear", "roller_dead", "beam_dust", "litter", "tray_slow")  # fmt: skip
_FAULTS = {
    "carousel": (*_ROLLERS, "ejector_stuck", "axis_stall", "axis_slip", "home_lost"),
    "shelves": (*_ROLLERS, "ejector_stuck", "axis_stall", "axis_slip", "home_lost"),
    "shoe": _ROLLERS,
    "draw": _ANY,
}


def _stop_keys(hands: Hands) -> Data:
    places = {"carousel": ("throat", "exit", "mouth"), "shelves": ("throat", "mouth"), "shoe": ("throat", "exit")}
    place = hands.draw.choice(places[hands.kind])
    longest = {"throat": 130000, "mouth": 88000, "exit": hands.plant.exit_um + hands.plant.card_um}
    return {"place": place, "at_um": hands.draw.randrange(1, longest[place])}


def _lost_keys(hands: Hands) -> Data:
    return {"place": "exit" if hands.kind == "carousel" and hands.draw.random() < 0.3 else "rail"}


def _noise_keys(hands: Hands) -> Data:
    every_us = hands.draw.choice((3000, 20000, 300000))
    return {"line": hands.line(), "every_us": every_us, "width_us": hands.draw.choice((100, 900, 2000))}


def _storm_keys(hands: Hands) -> Data:
    polled = hands.plant.beams.polled
    lines = [name for name in hands.lines if not polled[hands.plant.lines.index(name)]]
    rate = hands.draw.choice((50, 500, 2000, 3100, 20000, 199999))
    return {"line": hands.draw.choice(lines), "edges_per_s": rate}


def _dust_keys(hands: Hands) -> Data:
    lines = [name for name in ("throat_a", "throat_b", "exit", "arrival") if name in hands.lines]
    return {"line": hands.draw.choice(lines), "um": hands.draw.choice((500, 3000, 20000))}


_FAULT_KEYS: dict[str, Callable[[Hands], Data]] = {
    "misfeed": lambda hands: {"times": hands.draw.randrange(1, 6)},
    "double_feed": lambda hands: {"offset_um": hands.draw.choice((0, 0, hands.draw.randrange(80000)))},
    "jam": _stop_keys,
    "stall": lambda hands: {**_stop_keys(hands), "jogs": hands.draw.randrange(1, 4)},
    "card_lost": _lost_keys,
    "foreign": lambda hands: {"length_um": hands.draw.choice((50000, 88900, 95000, 120000))},
    "tray_slow": lambda hands: {"us": hands.draw.choice((10000, 50000, 500000))},
    "wear": lambda hands: {"us_per_thousand_cards": hands.draw.choice((10000, 1000000))},
    "roller_dead": lambda hands: {"roller": hands.draw.choice(("pick", "transport"))},
    "beam_stuck": lambda hands: {"line": hands.line(), "level": hands.draw.randrange(2)},
    "beam_blind": lambda hands: {"line": hands.line()},
    "beam_noise": _noise_keys,
    "beam_dust": _dust_keys,
    "storm": _storm_keys,
    "axis_slip": lambda hands: {"thousandths": hands.draw.choice((50, 400, 1000, 3000))},
    "litter": lambda hands: {"cards": hands.draw.randrange(1, 3)},
    "entropy": lambda hands: {"kind": hands.draw.choice(("dead", "stuck", "biased"))},
    "nv": lambda hands: {"kind": "broken"},
}
