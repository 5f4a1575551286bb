"""Steps that read: what the device is, its key switch, noise, every input touched by hand, and the light of the beams.

An input is tried by touching it and looking at all lines at once. So a swapped or inverted wire is named and not only
noticed. Several faults do not hide each other, because each sensor is tried by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from fairshoe.boards.configs import device_bytes, device_crcs
from fairshoe.bringup.checks import UNSEEN, Bringup, Check, failed, passed, untested
from fairshoe.bringup.lines import wire
from fairshoe.calibrate.machine import DARK, Machine, NotCalibrated, ShotRefused, Step
from fairshoe.errors import NoAnswer, WrongKey
from fairshoe.games.profiles import game_names
from fairshoe.journal.export import Record
from fairshoe.messages import Booted, Event
from fairshoe.text.describe import CAUSES
from fairshoe.wear import BEAMS
from firmware.image import INPUTS

# Their hand is at throat A, and covers that beam too.
BESIDE_THROAT_A = ("opacity", "cut", "back", "face")
KEY = "key_switch"
LOOK_MS = 100
REST_LOOKS = 80  # about 20 s
NOISE_MS = 2000
NOISE_PER_S = 60  # edges: the firmware takes more for noise, sooner or later
SILENT_S = 2.0
LOOK_BACK = 64  # records
BOOTED_WITHIN = 4  # of the first of a start
TRIES = 3  # each as long as the link waits for an answer: a hand needs its time
Levels = dict[str, int]


# -- the device --------------------------------------------------------------------------------------------------------


def reach(bringup: Bringup) -> Check | None:
    """Open the link; or say why the service port does not answer, as far as hands can find out."""
    hands = bringup.machine.hands
    if _answers(bringup):
        return None
    hands.key(True)
    if _answers(bringup, TRIES):
        return None  # it was off
    hands.key(False)
    inverted = _answers(bringup, TRIES)
    hands.key(True)
    if inverted:
        return failed(
            f"inverted {KEY}",
            "the key switch is inverted: the service port answers when it is off.",
            f"Use the other contact of the switch at inputs.{KEY}.",
        )
    for line in sorted((name for name in bringup.config["inputs"] if name != KEY), key=_by_reach):
        hands.cover(line, True)
        found = _answers(bringup, TRIES - 1)
        hands.cover(line, False)
        if found:
            return _swapped(line, KEY)
    return failed(
        f"dead {KEY}",
        "the service port does not answer, whatever the key switch does.",
        f"Check power, that PORT is the service port, its key, the expander, and the wire of inputs.{KEY}.",
    )


def _by_reach(line: str) -> bool:
    """Buttons first: they are at hand."""
    return not line.startswith("button")


def _answers(bringup: Bringup, tries: int = 1) -> bool:
    for _ in range(tries):
        bringup.machine.going()
        try:
            bringup.machine.shoe.greet()  # of no effect once there was a session
            bringup.machine.shoe.journal_is(SILENT_S)
            return True
        except WrongKey:
            raise  # the key switch is on
        except NoAnswer:
            pass
    return False


def confirm_config(machine: Machine, config: dict[str, Any]) -> None:
    """NotCalibrated if the device runs another config than this one, whatever its game: pins and figures would be
    those of another machine."""
    event = booted(machine)
    if event is not None and event.board_crc not in device_crcs(config, game_names()):
        given = f"{config['name']} ({crc32(device_bytes(config)):08x})"
        raise NotCalibrated(
            f"the device runs a config with CRC {event.board_crc:08x}, which is not this {given}.",
            "Pass the config that the device was built with as --board, or install an image of this one.",
        )


def booted(machine: Machine) -> Booted | None:
    """The record of its start. Each record has the number of its start; what is no longer kept is of one before."""
    shoe = machine.shoe
    assert shoe.welcome is not None
    older, newer = 0, shoe.journal_is().last
    while newer - older > 1:
        middle = (older + newer) // 2
        event = _event(machine, middle)
        older, newer = (older, middle) if event and event.boot == shoe.welcome.boot else (middle, newer)
    events = (_event(machine, seq) for seq in range(newer, newer + BOOTED_WITHIN))
    return next((event for event in events if isinstance(event, Booted)), None)


def _event(machine: Machine, seq: int) -> Event | None:
    data = machine.shoe.journal_record(seq)
    return Record(seq, data).event() if data else None


def start(bringup: Bringup) -> Iterator[Check]:
    """What the device is, and what it says about its parts."""
    shoe = bringup.machine.shoe
    last = shoe.journal_is().last
    event = booted(bringup.machine)
    if event is None:
        yield untested("reset cause", "its start is no longer in its journal", "start it again")
    else:
        cause = CAUSES.get(event.cause, f"cause {event.cause}")
        if event.cause == 1 or event.halted_boot:
            cure = "Look at the supply first, then send what `fairshoe support` writes."
            yield failed("reset watchdog", f"the last start was a {cause} {event.halted}".rstrip() + ".", cure)
        else:
            yield passed("reset cause", f"{cause}, firmware {event.firmware}")
        yield passed("board config", f"the device runs {bringup.config['name']}, CRC {event.board_crc:08x}")
    nv = bringup.config["nv"]
    if last and shoe.journal_record(last):
        yield passed("storage", f"{nv['kind']}, {nv['bytes']} bytes: record {last} was read back")
    else:
        yield failed("dead storage", "no record can be read back.", f"Check the wires of the {nv['kind']} in `nv`.")
    expander = bringup.config.get("expander")
    if expander and isinstance(bringup.config["inputs"].get(KEY), dict):
        yield passed("expander", f"at 0x{expander['address']:02x}: the key switch is read through it")
    display = bringup.config.get("display", {})
    if display.get("kind", "none") != "none":
        at = f" at 0x{display['address']:02x}" if "address" in display else ""
        yield untested("display", f"{display['kind']}{at}: it must show the state of the machine", UNSEEN)


def records(bringup: Bringup, last: int, before: int) -> Iterator[object]:
    """Events of the journal, the newest first."""
    for seq in range(last, max(before, last - LOOK_BACK), -1):
        yield _event(bringup.machine, seq)


def key_switch(bringup: Bringup) -> Iterator[Check]:
    """Before the diagnostic mode, which the switch ends."""
    hands = bringup.machine.hands
    shoe = bringup.machine.shoe
    hands.key(False)
    try:
        for _ in hands.waits():
            shoe.journal_is(SILENT_S)
        silent = False
    except NoAnswer:
        silent = True
    hands.key(True)
    if not silent:
        cure = f"Check the switch and the wire of inputs.{KEY}."
        yield failed(f"dead {KEY}", "the service port answers although the key switch is off.", cure)
        return
    for _ in hands.waits():
        if _answers(bringup):
            yield passed(KEY, "off: the service port is silent; on: it answers")
            return
    yield failed(f"dead {KEY}", "the service port is silent after the key switch was turned.", "Turn it on again.")


# -- lines -------------------------------------------------------------------------------------------------------------


def look(machine: Machine) -> Levels:
    """Levels of all lines. The slot beam is read only while it is watched, and so is looked at in a shot."""
    shot = machine.shoot(Step(0, LOOK_MS), watch=True)
    return {name: shot.level(name) for name in INPUTS} | {line: level for line, level, _us in shot.raw}


def watch(bringup: Bringup) -> str:
    """One look at all lines, for those who show `bringup.lines`; or which line is too noisy for one."""
    try:
        look(bringup.machine)
    except ShotRefused as refused:
        if not refused.line:
            raise
        return f"{refused.line} is noisy: more edges than the device can keep."
    return ""


def noise(bringup: Bringup) -> Iterator[Check]:
    bringup.enter()
    machine = bringup.machine
    lines = [name for name, pin in bringup.config["inputs"].items() if not isinstance(pin, dict)]
    try:
        shot = machine.shoot(Step(0, NOISE_MS))
    except ShotRefused as refused:
        if not refused.line:
            raise
        yield _noisy(refused.line, "more edges than the device can keep")
        return
    for name in lines:
        rate = sum(line == name for line, _level, _us in shot.raw) * 1000 / NOISE_MS
        if rate > NOISE_PER_S:
            yield _noisy(name, f"{rate:.0f} edges/s")
        else:
            yield passed(name, f"{rate:.0f} edges/s at rest")


def _noisy(line: str, what: str) -> Check:
    cure = f"Look at shield, ground and supply of inputs.{line}; keep it away from motor wires."
    return failed(f"noisy {line}", f"{line} has {what} while nothing moves.", cure)


def inputs(bringup: Bringup) -> Iterator[Check]:
    """Touch each input. The door first: it stays open, because the others are behind it."""
    bringup.enter()
    machine, hands = bringup.machine, bringup.machine.hands
    moved: dict[str, Levels] = {}
    rest_of: dict[str, Levels] = {}
    names = [name for name in bringup.config["inputs"] if name not in ("door", KEY)]
    closed = _untouched(bringup)
    hands.cover("door", True)
    rest_of["door"], moved["door"] = closed, _touched(bringup, closed)
    yield from _interlock(bringup, moved["door"])
    for name in names:
        rest = rest_of[name] = look(machine)
        hands.cover(name, True)
        moved[name] = _touched(bringup, rest)
        hands.cover(name, False)
        moved_lines(bringup, rest, back=True)
    hands.cover("door", False)
    moved_lines(bringup, closed, back=True)
    yield from judge(moved, rest_of, bringup.line_of, {name: pin_of(bringup, name) for name in moved})


def _untouched(bringup: Bringup) -> Levels:
    """The levels at rest. A line that shows 1 may be inverted; but a step that was stopped leaves an open door, and
    hands in it."""
    levels = look(bringup.machine)
    quiet = [name for name in bringup.config["inputs"] if name != KEY]
    if any(levels[name] for name in quiet):
        bringup.machine.hands.leave()
        for _ in itertools.islice(bringup.machine.hands.waits(), REST_LOOKS):
            levels = look(bringup.machine)
            if not any(levels[name] for name in quiet):
                break
    return levels


def _touched(bringup: Bringup, rest: Levels) -> Levels:
    moved = moved_lines(bringup, rest)
    seen = [f"{line} ({pin_of(bringup, line)}) is {level}" for line, level in moved.items()]
    bringup.machine.hands.show(", ".join(seen) or "nothing")
    return moved


def moved_lines(bringup: Bringup, rest: Levels, back: bool = False) -> Levels:
    """The lines that differ from `rest`, once they do so twice in a row; or, going back, once none does."""
    before: Levels | None = None
    for _ in bringup.machine.hands.waits():
        now = {line: level for line, level in look(bringup.machine).items() if level != rest[line]}
        if back and not now:
            return now
        if not back and now and now == before:
            return now
        before = now
    return before or {}


def _interlock(bringup: Bringup, moved: Levels) -> Iterator[Check]:
    if moved.get("door") != 1 or not bringup.machine.bench or "transport" not in bringup.config["outputs"]:
        return
    try:
        bringup.machine.shoot(Step(2, 1))
    except ShotRefused as refused:
        if refused.end == "door":
            yield passed("interlock", "with the door open the device refuses to run a motor")
            return
    yield failed("interlock", "a motor ran with the door open.", "Do not go on: flash the firmware again.")


def pin_of(bringup: Bringup, name: str) -> str:
    return wire(bringup.config["inputs"].get(name, "unknown"))


def judge(
    moved: dict[str, Levels], rest_of: dict[str, Levels], line_of: dict[str, str], pins: dict[str, str]
) -> Iterator[Check]:
    """What each input moved, as findings. Every input is judged by its own touch, so faults do not mask each other."""
    line_of.clear()
    touched: dict[str, list[str]] = {}
    for name, levels in moved.items():
        beside = line_of.get("throat_a") if name in BESIDE_THROAT_A else None
        touched[name] = sorted((line for line in levels if line != beside), key=lambda line: line != name)
        if touched[name]:
            line_of[name] = touched[name][0]
    for name, lines in touched.items():
        if not lines:
            level = "blocked" if rest_of[name][name] else "clear"
            cure = f"Check sensor, lamp and supply, and the wire of inputs.{name}."
            yield failed(f"dead {name}", f"{name} does not notice a hand: always {level}.", cure)
            continue
        line = lines[0]
        found = list(_wire(name, lines, line_of))
        if not moved[name][line]:
            found.append(
                failed(
                    f"inverted {name}",
                    f"{name} is inverted: it shows 1 at rest, and 0 when it is touched.",
                    f"Use a sensor of the other kind at inputs.{line}, or invert its output stage.",
                )
            )
        yield from found or [passed(name, f"{pins[name]}: 0 at rest, 1 when touched; no other line moved")]


def _wire(name: str, lines: list[str], line_of: dict[str, str]) -> Iterator[Check]:
    line = lines[0]
    if line != name and line_of.get(line) == name:
        yield _swapped(name, line)
    elif line != name:
        cure = f"Bring the wire of {name} to the pin of inputs.{name}: see also what is said of {line}."
        yield failed(f"moved {name}", f"{name} is wired to the pin of inputs.{line}.", cure)
    if len(lines) > 1:
        cure = f"Look for a short between the wires of {' and '.join(lines)}."
        yield failed(f"joined {name}", f"{name} moves {' and '.join(lines)} together.", cure)


def _swapped(*lines: str) -> Check:
    """The same check for both of them."""
    one, other = sorted(lines, key=INPUTS.index)
    return failed(
        f"swapped {one} {other}",
        f"{one} and {other} are swapped: each shows at the line of the other.",
        f"Swap inputs.{one} and inputs.{other} in the config, or the plugs.",
        (one, other),
    )


def dark(bringup: Bringup) -> Iterator[Check]:
    """Switch off the light of all beams: each must report it. A beam that reports a hand but not the dark is lit by a
    lamp that `dark` does not switch."""
    if "dark" not in bringup.config["outputs"]:
        yield untested("dark", "the config has no output `dark`", "not wired")
        return
    bringup.enter()
    rest = look(bringup.machine)
    shot = bringup.machine.shoot(Step(0, 8), Step(DARK, 20), Step(0, 8), watch=True)
    lit_us = shot.switches[2][1]  # again
    levels = rest | {line: level for line, level, us in shot.raw if us < lit_us}
    blind: list[str] = []
    lines = {name: bringup.line_of.get(name, name) for name in bringup.wired(*BEAMS)}
    for name, line in lines.items():
        if levels[line] == rest[line]:
            blind.append(name)
        elif not levels[line]:
            what = f"{name} is inverted: it shows a card when there is none, and none in the dark."
            yield failed(f"inverted {name}", what, f"Use a sensor of the other kind at inputs.{name}.")
        else:
            yield passed(name, "blocked in the dark")
    if len(blind) == len(lines):
        yield failed("dead dark", "no beam notices that its light is off.", "Check outputs.dark and what it switches.")
        return
    for name in blind:
        level = "blocked" if rest[lines[name]] else "clear"
        cure = f"Clear the path, then check lamp, sensor and the wire of inputs.{name}."
        yield failed(f"dead {name}", f"{name} does not notice the light: always {level}.", cure)
