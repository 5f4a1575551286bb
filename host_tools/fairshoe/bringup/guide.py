"""The steps of bring-up in their order, what each needs, and the file that lets a technician go on the next day.

A step that failed, or that could not be tested yet, runs again; one that passed does not, unless it is asked for or the
device or its config is another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairshoe.bringup import inputs, motion
from fairshoe.bringup.checks import (
    BENCH,
    FAILED,
    LASTING,
    MEND,
    NOT_TESTED,
    PASSED,
    Bringup,
    Check,
    cured,
    failed,
    untested,
)
from fairshoe.bringup.lamps import lamps
from fairshoe.bringup.speed import speed
from fairshoe.calibrate.machine import LINE, NONE, NotCalibrated
from fairshoe.errors import NoAnswer, WrongKey
from fairshoe.files import parse_json, write_whole
from firmware.image import INPUTS


@dataclass(frozen=True)
class Stage:
    """One step. `after`: the steps that must not have failed; `kinds` of machines that have it; `moves`: it runs
    motors."""

    about: str
    run: Callable[[Bringup], Iterator[Check]]
    after: tuple[str, ...] = ()
    moves: bool = False
    kinds: tuple[str, ...] = ("carousel", "shelves", "shoe", "draw")


CLEARINGS = 3  # times that a person is asked to take every card out
CARD_LINES = ("hopper", "throat_a", "throat_b", "arrival", "exit", "tray")
READ = ("noise", "inputs", "dark")
STORES = ("carousel", "shelves")
STEPS = {
    "start": Stage("reset cause, image, storage, expander, display", inputs.start),
    "key": Stage("key switch", inputs.key_switch),
    "noise": Stage("every line at rest", inputs.noise),
    "inputs": Stage("every input, touched by hand; door interlock", inputs.inputs),
    "lamps": Stage("every lamp, as a button says", lamps),
    "dark": Stage("every beam, with its light off", inputs.dark),
    "axis": Stage("home mark, steps, direction", motion.axis, READ, True, STORES),
    "ejector": Stage("out and back", motion.ejector, (*READ, "axis"), True, STORES),
    "feed": Stage("direction of pick and transport", motion.feed, READ, True, (*STORES, "shoe")),
    "card": Stage("one card all the way", motion.card, (*READ, "axis", "ejector", "feed"), True),
    "cards": Stage("ten cards", motion.cards, ("card",), True),
    "lift": Stage("the lift of a shelf machine", motion.lift, ("card",), True, ("shelves",)),
    "speed": Stage("the highest speed that the axis follows", speed, ("axis", "cards"), True, STORES),
}


@dataclass(frozen=True)
class Turn:
    """A step, and its checks; None: it begins. `before`: it had passed before, and did not run."""

    step: str
    checks: list[Check] | None
    before: bool = False


def steps_of(config: dict[str, Any]) -> dict[str, Stage]:
    """Those that a machine of this kind has."""
    return {name: step for name, step in STEPS.items() if config["mechanism"]["kind"] in step.kinds}


class State:
    """What has passed: a small file beside the config."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.who: list[int] = []
        self.done: dict[str, list[Check]] = {}
        self.line_of: dict[str, str] = {}
        self.moving = False  # a step that moves cards has begun and not ended: some may lie in the machine
        if path.exists():
            self._load(path.read_bytes())

    def _load(self, text: bytes) -> None:
        """What is damaged counts for nothing: its steps run again."""
        try:
            data: Any = parse_json(text)
            self.who = list(data["who"])
            self.line_of = dict(data["line_of"])
            self.moving = bool(data.get("moving"))
            self.done = {
                step: [Check(**check) for check in checks] for step, checks in data["done"].items() if step in STEPS
            }
        except (KeyError, TypeError, AttributeError, ValueError):
            self.who, self.done, self.line_of = [], {}, {}

    def belong_to(self, *who: int) -> bool:
        """False if what it had was of another device or config, and is forgotten."""
        same = not self.who or self.who == list(who)
        if not same:
            self.done, self.line_of, self.moving = {}, {}, False
        self.who = list(who)
        return same

    def forget_from(self, step: str) -> None:
        names = list(STEPS)
        for name in names[names.index(step) :]:
            self.done.pop(name, None)

    def note(self, step: str, checks: list[Check], line_of: dict[str, str]) -> None:
        """Keep a step that need not run again."""
        if all(check.result == PASSED or check.why in LASTING for check in checks):
            self.done[step] = checks
            self.line_of = dict(line_of)
            self.save(self.moving)

    def save(self, moving: bool) -> None:
        self.moving = moving
        done = {name: [check.to_json() for check in found] for name, found in self.done.items()}
        data = {"who": self.who, "line_of": self.line_of, "moving": moving, "done": done}
        write_whole(self.path, json.dumps(data, indent=1) + "\n")


def guide(bringup: Bringup, state: State, first: str = "") -> Iterator[Turn]:
    """Each step as it begins, and its checks when it has ended. A fault is named once."""
    yield Turn("start", None)
    fault = inputs.reach(bringup)
    if fault is not None:
        yield Turn("key", [fault])
        return
    try:
        inputs.confirm_config(bringup.machine, bringup.config)
    except NotCalibrated as error:
        yield Turn("start", [failed("other config", error.what, error.advice)])
        return
    welcome = bringup.machine.shoe.welcome
    if not state.belong_to(welcome.device if welcome else 0, bringup.crc):
        yield Turn("start", [untested("state", f"{state.path} is of another machine or config", "begun again")])
    if first:
        state.forget_from(first)
    bringup.line_of = dict(state.line_of)
    named: set[str] = set()
    for name, step in steps_of(bringup.config).items():
        before = state.done.get(name)
        if before is not None:
            yield Turn(name, before, before=True)
            continue
        yield Turn(name, None)
        checks: list[Check] = []
        for check in _run(bringup, state, name, step):
            if not check.key or check.key not in named:
                named.add(check.key)
                checks.append(check)
        if name not in bringup.open:
            state.note(name, checks, bringup.line_of)
        yield Turn(name, checks)
    bringup.leave()


def _run(bringup: Bringup, state: State, name: str, step: Stage) -> list[Check]:
    checks: list[Check] = []
    try:
        if step.moves:
            why = _waits_for(bringup, name, step)
            if why:
                bringup.open.add(name)
                return [untested(name, step.about, why)]
            _make_ready(bringup, state)
        checks.extend(step.run(bringup))
        if step.moves:
            state.save(moving=False)
    except NotCalibrated as error:
        checks.append(_broken(bringup, name, error))
    if any(check.result == FAILED for check in checks):
        bringup.open.add(name)
    return checks


def _make_ready(bringup: Bringup, state: State) -> None:
    """The door is shut, no card lies where another run or a step that was broken off has left it, and a place of the
    store is at the mouth: where the axis was found in an earlier run, it may have turned since."""
    if state.moving or not bringup.homed:
        _empty(bringup)
    elif bringup.machine.level("door"):
        bringup.machine.hands.shut()
    state.save(moving=True)
    if "axis" in state.done and not bringup.homed:
        motion.axis_of(bringup).prepare()
    bringup.homed = True


def _empty(bringup: Bringup) -> None:
    """Every card is taken out. In a store at rest no sensor sees one; those on the way must see none after that."""
    lines, left = bringup.wired(*CARD_LINES), list[str]()
    for _ in range(CLEARINGS):
        bringup.machine.hands.clear()
        level = bringup.machine.read().level
        left = [line for line in lines if level >> LINE[line] & 1]
        if not left:
            return
        bringup.machine.hands.show(f"a card at {', '.join(left)}")
    cure = "Take it out; if none lies there clean the sensor, and start again with --from inputs."
    raise NotCalibrated(f"{left[0]} sees a card, and all were taken out.", cure)


def _waits_for(bringup: Bringup, name: str, step: Stage) -> str:
    """Why it cannot run yet."""
    bringup.enter()
    if not bringup.machine.bench and not (name in ("card", "cards") and bringup.mech["kind"] == "draw"):
        return BENCH
    return MEND if bringup.open.intersection(step.after) else ""


def _broken(bringup: Bringup, name: str, error: NotCalibrated) -> Check:
    """A step that could not end."""
    line = bringup.machine.read().noisy if bringup.inside else NONE
    if line != NONE:
        return failed(f"noisy {INPUTS[line]}", f"{INPUTS[line]} is noisy.", "Look at its shield, ground and supply.")
    return failed(f"step {name}", error.what, error.advice)


def summary(checks: list[Check]) -> str:
    """`passed, 3 not tested: needs a bench image`."""
    count = {result: sum(check.result == result for check in checks) for result in (PASSED, FAILED, NOT_TESTED)}
    reasons = dict.fromkeys(check.why for check in checks if check.result == NOT_TESTED)
    text = f"{count[FAILED]} FAILED, {count[PASSED]} passed" if count[FAILED] else f"passed: {count[PASSED]} checks"
    return text + (f", {count[NOT_TESTED]} not tested: {'; '.join(reasons)}" if reasons else "")


class Course:
    """One bring-up, for a terminal or a page to show: the steps, what was found, the cure and what to do next."""

    def __init__(self, bringup: Bringup, board: str, state: str = "") -> None:
        self.bringup = bringup
        self.board = board
        self.state = State(state_path(board, state))
        self.found: dict[str, list[Check]] = {}

    def run(self, first: str = "") -> Iterator[Turn]:
        """A step that found only what was said before is not shown."""
        try:
            for turn in guide(self.bringup, self.state, first):
                if turn.checks:
                    self.found.setdefault(turn.step, []).extend(turn.checks)
                yield turn
        except WrongKey:
            raise
        except NoAnswer as error:
            advice = "Are device and key switch on, and the cable in? Then go on: what passed is kept."
            raise NoAnswer(error.what, advice) from error

    @property
    def every(self) -> list[Check]:
        return [check for checks in self.found.values() for check in checks]

    @property
    def bad(self) -> bool:
        return any(check.result == FAILED for check in self.every)

    @property
    def cure(self) -> dict[str, Any] | None:
        return cured(self.bringup.config, self.every)

    def write_cure(self, path: str) -> None:
        write_whole(Path(path), json.dumps(self.cure, indent=2) + "\n")

    def next(self, written: str = "") -> str:
        """What to do now; `written` is the config with the cure."""
        if written:
            return f"install a bench image of {written}, then start again with --board {written}."
        if self.bad:
            return "mend what failed, and run it again: it goes on there."
        if any(check.why == BENCH for check in self.every):
            return "install a bench image (fairshoe firmware image --bench), and run it again: it goes on there."
        return f"fairshoe calibrate PORT --board {self.board} --out my-board.json, then acceptance (docs/BUILD.md)."


def state_path(board: str, given: str = "") -> Path:
    return Path(given or Path(board).with_suffix(".bringup.json"))


def cure_path(board: str) -> str:
    """Where a cured config is proposed to be written."""
    return str(Path(board).with_suffix(".rewired.json"))
