"""Helpers for tests that run on both VMs."""

import json
import sys

import micropython

from firmware.image import IN_ARRIVAL
from rig import stories
from rig.event_fields import TEXTS
from rig.story import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GAME = "caribbean-stud"
SLOW = sys.implementation.name != "cpython"  # the other VM plays fewer of the cases that take long


def board(kind: str = "carousel", **sections: "dict[str, Any]") -> "dict[str, Any]":
    """The Pico with a machine of this kind, and other values in some sections; None takes a value out."""
    with open("board_configs/pico-%s.json" % kind) as file:
        config = json.load(file)
    for section, values in sections.items():
        config.setdefault(section, {}).update(values)
        for name in [name for name in values if values[name] is None]:
            del config[section][name]
    return config


def ideal_board():
    """The carousel without what blurs times: no bounce, no slip."""
    return board(mechanism={"bounce_us": 0, "slip_percent_max": 0})


def raises(kind, function, *arguments):
    """Whether the call raises this kind of exception; pytest.raises does not exist on the device's VM."""
    try:
        function(*arguments)
    except kind:
        return True
    return False


def refusal(kind, function, *arguments):
    """The text of this kind of exception, which the call raises; empty if it does not."""
    try:
        function(*arguments)
    except kind as error:
        return str(error)
    return ""


class replaced:
    """Other values under some names of a module or a class, as long as the block lasts."""

    blocks = 0  # that are open

    def __init__(self, holder, **values):
        self.holder = holder
        self.values = values

    def __enter__(self):
        replaced.blocks += 1
        self._exchange()

    def _exchange(self):
        for name in list(self.values):
            kept = getattr(self.holder, name)
            setattr(self.holder, name, self.values[name])
            self.values[name] = kept

    def __exit__(self, *_error):
        self._exchange()  # what was kept is put back the same way
        replaced.blocks -= 1


def without_heap(function, *arguments):
    """Call with the heap locked: on MicroPython an allocation raises MemoryError. Returns the result."""
    micropython.heap_lock()
    try:
        return function(*arguments)
    finally:
        micropython.heap_unlock()


def lock_decide(app):
    """From here on every decide of this app runs with the heap locked."""
    decide = app.decide

    def locked(now_ms):
        micropython.heap_lock()
        try:
            return decide(now_ms)
        finally:
            micropython.heap_unlock()

    app.decide = locked


def act(stage: Stage, run_ms: int, action: str, **argument: "Any") -> None:
    """Something is done at the machine, and it goes on for so long."""
    stage.act(action, argument)
    stage.run(run_ms)


def to_device(stage: Stage, data: bytes, run_ms: int) -> None:
    """Bytes reach the device, and it goes on for so long."""
    stage._to_device(data)
    stage.run(run_ms)


def started():
    """A carousel that has booted and proved itself empty."""
    stage = Stage(board(), GAME, 7)
    stage.play(stories.start())
    return stage


def play(steps, seed=7, locked=False):
    """Play a story to its end on a fresh device, and check what must hold after any story."""
    stage = Stage(board(), GAME, seed)
    if locked:
        lock_decide(stage.rig.app)
    stage.play(steps)
    check_stage(stage)
    return stage


def check_stage(stage):
    assert stage.rig.plant.crashes == 0, "the firmware broke the machine"
    assert stage.peer.gaps == 0, "an event was lost"
    stage.rig.app.flow.ledger.check()
    assert stage.peer.altered == 0, "an event was sent again with another content"
    journal = stage.rig.app.journal
    assert stage.peer.seq_last <= journal.seq_last, "the device does not know of an event the host has"


def restless(app):
    """From here on a beam never comes to rest: in every scan its last change is too young to be one."""
    decide = app.decide

    def decide_restlessly(now_ms):
        app.inp.waiting |= 1 << IN_ARRIVAL
        app.inp._held_us[IN_ARRIVAL] = app.inp.now_us
        return decide(now_ms)

    app.decide = decide_restlessly


# So many fields at the end say what the rules make of it: consequence, hands kept, stub. Tests of games look at those.
# Of a warning they are lengths, which test_jams.py looks at.
RULED = {
    "warning_latched": 2,
    "round_voided": 2,
    "round_ended": 2,
    "lockout_confirmed": 2,
    "shuffle_failed": 1,
    "deck_refused": 1,
    "deck_removed": 1,
    "deck_loaded": 1,
    "cut_reached": 3,
}


def fields_of(stage, name):
    """Fields of every event of that name, in order of arrival: what the machine counted and saw."""
    ruled = RULED.get(name, 0)
    return [event.fields[: len(event.fields) - ruled] for event in stage.peer.events if event.name == name]


def all_fields_of(stage, name):
    """The same, with what the rules make of it."""
    return [event.fields for event in stage.peer.events if event.name == name]


def clauses_of(stage, name):
    """The clause that every event of that name carries."""
    found = []
    for event in stage.peer.events:
        if event.name == name:
            at = 2 + TEXTS[name]["clause"]
            found.append(bytes(stage.peer.payloads[event.seq][at : at + 8]).rstrip(b"\0"))
    return found


def read_frames(reader, data, piece=0):
    """Feed a frame reader in pieces of so many bytes, or all at once; the good frames."""
    found = []
    piece = piece or max(1, len(data))
    for start in range(0, len(data), piece):
        chunk = bytearray(data[start : start + piece])
        at = 0
        while at < len(chunk):
            at = reader.push(chunk, at, len(chunk))
            if reader.size:
                found.append(bytes(reader.buf[: reader.size]))
    return found
