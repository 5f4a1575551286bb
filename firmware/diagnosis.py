"""Diagnostic mode: reads inputs and edges, and carries out shots; for bring-up and calibration. It cannot deal.

A shot is a list of steps: outputs, a time, and perhaps a level that ends the step early. The host sends it whole; it
runs without the link, ends by itself, and its edges are read afterwards. So no host, cable or computer can keep a
motor running, and the times in it are the device's. The alternative, outputs that a host switches, would need a frame
every few milliseconds and would measure the link.

It takes the place of App.decide: while it runs, the procedure is not asked, and no job can begin. It is
imported when a service host asks for the mode. What drives motors is firmware/motion.py, which a release image lacks.
"""

from array import array

from micropython import const

from firmware.image import (
    AXIS_IDLE,
    IN_DOOR,
    IN_EJECTOR,
    IN_EXIT,
    IN_KEY,
    IN_THROAT_B,
    INPUT_COUNT,
    NO_LINE,
    OUT_DARK,
    OUT_LAMP_GREEN,
    motors_off,
    output_set,
)
from firmware.link.admission import link_alive, link_send, link_send_text
from firmware.machines.meters import METER_CYCLES
from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE
from firmware.protocol.session import MAC_SIZE
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EDGES_KEPT = const(400)  # a card has 52 with their bounces
EDGES_SENT = const(40)  # five bytes each, in one frame
STEP_BYTES = const(4)  # outputs, until, ms
STEPS_MAX = const(12)
SHOT_MS_MAX = const(5000)  # of all steps: a turn at a quarter of the speed, and no motor longer than that
UNTIL_NONE = const(255)
UNTIL_AXIS = const(254)  # until it is at rest
SET_PACE = const(253)  # no step: its time is the pace of the axis from here on, in percent
SET_LAMPS = const(252)  # nor this: its outputs are the lamps
LAMP_COUNT = const(3)
PACE_MAX = const(200)  # a step pulse of 4 us becomes 2, and drivers take no shorter one
AXIS_BIT = const(0x40)  # of a step's outputs: the axis starts with it
DARK_ONLY = const(0x20)  # the bit of OUT_DARK
SWITCHED = const(0x80)  # an edge that is none: the outputs from here on
_PROGRAM_AT = HEADER_SIZE + 12  # behind the numbers of a shot
LOOK_MS = const(50)
_NOTHING = const(-1)


class Diagnosis:
    """The mode. `why` says how the last shot ended."""

    def __init__(self, app: "Any") -> None:
        self.app = app  # no type: it imports this module
        self.motion: "Any" = None
        try:
            from firmware import motion

            self.motion = motion
        except ImportError:
            pass  # a release image
        self.mode = app.runner.mode  # as it was
        self.leaving = False
        self.asked = _NOTHING  # the question that waits for its answer
        self.at = 0  # first edge that it asks for, or the part that was serviced
        self.serviced = 0  # the last of those
        self.number = 0  # of the last shot
        self.shots = 0
        self.why = ids.SHOT_DONE
        self.program = b""
        self.moves = False  # it does more than switch the light
        self.step = -1  # of the program; -1: no shot is running
        self.ended = 0  # the step at which the last one ended
        self.entered_ms = 0
        self.start_us = 0
        self.steps = 0  # of the axis
        self.pace = 0  # of the axis in this shot; 0: a quarter of its speed
        self.home = ids.UNKNOWN_U16
        self.kinds = bytearray(EDGES_KEPT)
        self.times = array("i", [0] * EDGES_KEPT)
        self.count = 0
        self.values = [0] * 12
        self.lamps = _bits(app.out.level[OUT_LAMP_GREEN : OUT_LAMP_GREEN + LAMP_COUNT])  # as they were
        app.runner.mode = ids.MODE_REPORT_ONLY  # takes no command
        app.outbox.post(ids.EV_DIAGNOSIS, 1, 0)

    # -- the link --------------------------------------------------------------------------------------------------

    def receive(self, message: int) -> None:
        """A question or a shot of the service host, in the link's frame."""
        link = self.app.link
        values = link.values
        if message == ids.SHOT:
            self.asked = ids.DIAGNOSE_READ
            self._load(values, link.reader)
            return
        self.asked = values[0]
        self.at = values[1]
        if self.asked == ids.DIAGNOSE_LEAVE:
            self.leaving = True
        elif self.asked == ids.DIAGNOSE_SERVICED:
            self._serviced()

    def _serviced(self) -> None:
        """Record that a part was cleaned or replaced: a host begins its trend again there. Once; a question that is
        repeated, because its answer was lost, records nothing more."""
        part = self.at & 0xFF
        app = self.app
        if self.at != self.serviced and 0 < part < ids.PART_COUNT and app.outbox.roomy():
            self.serviced = self.at
            app.outbox.post(ids.EV_SERVICED, part, self.at >> 8 & 1, app.flow.meters.values[METER_CYCLES])

    def _load(self, values: "list[int]", reader: "Any") -> None:
        """Take a shot, or say why not. It starts in the next scan, when the answer to it is not yet due."""
        if values[0] == self.number and self.shots:
            return  # repeated, because its answer was lost: once is enough
        self.number = values[0]
        end = reader.size - MAC_SIZE - CRC_SIZE
        program = bytes(reader.views.first(end))[_PROGRAM_AT:]
        self.count = 0
        self.home = ids.UNKNOWN_U16
        self.why = self._objection(values, program)
        if self.why:
            return
        self.program = program
        self.shots += 1
        app = self.app
        self.steps = -values[4] if values[5] else values[4]
        self.pace = 0
        app.out.watch_slot = values[6] != 0
        if values[1] != NO_LINE:
            self.motion.arm(app.hal, values[1], values[2], values[3])
        self.start_us = app.hal.ticks_us()
        self._enter(0)

    def _objection(self, values: "list[int]", program: bytes) -> int:
        size = len(program)
        used = total_ms = 0
        inp = self.app.inp
        for at in range(0, size - size % STEP_BYTES, STEP_BYTES):
            ms = program[at + 2] | program[at + 3] << 8
            if program[at + 1] == SET_LAMPS:
                continue
            if program[at + 1] == SET_PACE:
                if ms > PACE_MAX:
                    return ids.SHOT_MALFORMED
                continue
            used |= program[at]
            total_ms += ms
            if program[at + 1] < UNTIL_AXIS and program[at + 1] >> 1 >= INPUT_COUNT:
                return ids.SHOT_MALFORMED
        if not size or size % STEP_BYTES or size > STEPS_MAX * STEP_BYTES or total_ms > SHOT_MS_MAX:
            return ids.SHOT_MALFORMED
        self.moves = used & ~DARK_ONLY != 0 or values[1] != NO_LINE
        if self.motion is None and self.moves:
            return ids.SHOT_NOT_BENCH
        if inp.level[IN_DOOR] and self.moves:
            return ids.SHOT_DOOR
        if used & AXIS_BIT and (inp.level[IN_THROAT_B] or inp.level[IN_EJECTOR] or inp.level[IN_EXIT]):
            return ids.SHOT_MOUTH
        return ids.SHOT_DONE if self.app.outbox.count == 0 and not self.leaving else ids.SHOT_NOT_NOW

    def answer(self, link: "Any") -> bool:
        """True if a frame was built."""
        asked = self.asked
        if asked == _NOTHING or self.step >= 0:
            return False
        self.asked = _NOTHING
        if link.session.role != ids.ROLE_SERVICE:
            return False  # another host has come meanwhile
        values = self.values
        if asked == ids.DIAGNOSE_EDGES:
            values[0] = self.at
            link_send_text(link, link.session, ids.CLASS_DIAGNOSTIC, ids.EDGES, values, self._page())
            return True
        inp = self.app.inp
        values[0] = 0 if self.leaving else 1
        values[1] = 0 if self.motion is None else 1
        values[2] = _bits(inp.raw)
        values[3] = _bits(inp.level)
        values[4] = inp.axis
        values[5] = inp.noisy
        values[6] = self.number
        values[7] = self.why
        values[8] = self.ended
        values[9] = self.count
        values[10] = self.home
        link_send(link, link.session, ids.CLASS_DIAGNOSTIC, ids.DIAGNOSIS, values)
        return True

    def _page(self) -> bytes:
        first = min(self.at, self.count)
        last = min(first + EDGES_SENT, self.count)
        page = bytearray()
        for i in range(first, last):
            page.append(self.kinds[i])
            for shift in range(0, 32, 8):
                page.append(self.times[i] >> shift & 0xFF)
        return bytes(page)

    # -- the scan --------------------------------------------------------------------------------------------------

    def decide(self, now_ms: int) -> int:
        """In the place of App.decide: no machine and no step of the procedure is asked."""
        app = self.app
        inp = app.inp
        if self.step >= 0:
            for i in range(inp.edge_count):
                self._note(inp.edge[i], inp.edge_us[i])  # raw: before bounces are taken out
        app.eventful = inp.unsettled()
        wake_ms = inp.settle() if app.eventful else FOREVER_MS
        app.turned = inp.level[IN_KEY] != app.service.on
        app.flow.door.watch(inp.level[IN_DOOR] != 0, app.outbox)
        next_ms = self._run(now_ms) if self.step >= 0 else self._rest(now_ms)
        inp.edge_lost = False
        return next_ms if next_ms < wake_ms else wake_ms

    def _rest(self, now_ms: int) -> int:
        """Between shots. The mode ends when the host asks for it, or is gone, or the switch is turned."""
        app = self.app
        if not self.leaving and app.service.on and link_alive(app.link, now_ms):
            return LOOK_MS
        self.leaving = True
        if app.outbox.count or self.asked != _NOTHING:
            return LOOK_MS
        if app.runner.mode != self.mode:
            app.runner.mode = self.mode
            app.outbox.post(ids.EV_DIAGNOSIS, 0, self.shots)
            return 0
        self._light(self.lamps)
        # The procedure proves the machine empty before anything else.
        app.flow.door.doubt()
        app.queries.diagnosis = None
        del app.decide
        return 0

    # -- a shot ----------------------------------------------------------------------------------------------------

    def _run(self, now_ms: int) -> int:
        inp = self.app.inp
        if (inp.level[IN_DOOR] and self.moves) or not inp.level[IN_KEY]:
            return self._end(ids.SHOT_DOOR)
        if inp.noisy != NO_LINE or inp.edge_lost or self.count == EDGES_KEPT:
            return self._end(ids.SHOT_NOISE)
        at = self.step * STEP_BYTES
        until = self.program[at + 1]
        if until == UNTIL_AXIS:
            reached = inp.axis == AXIS_IDLE
        elif until in (SET_PACE, SET_LAMPS):
            reached = True
        else:
            reached = until != UNTIL_NONE and inp.level[until >> 1] == until & 1
        left_ms = (self.program[at + 2] | self.program[at + 3] << 8) - ticks_diff(now_ms, self.entered_ms)
        if left_ms > 0 and not reached:
            return left_ms
        if until != UNTIL_NONE and not reached:
            return self._end(ids.SHOT_LATE)
        if at + STEP_BYTES == len(self.program):
            return self._end(ids.SHOT_DONE)
        self._enter(self.step + 1)
        return 0

    def _enter(self, step: int) -> None:
        app = self.app
        at = step * STEP_BYTES
        outputs = self.program[at]
        self.step = step
        self.entered_ms = app.scanned_ms
        if self.program[at + 1] == SET_PACE:
            self.pace = self.program[at + 2]
            return
        if self.program[at + 1] == SET_LAMPS:
            self._light(outputs)
            return
        self._note(SWITCHED | outputs, app.hal.ticks_us())
        output_set(app.out, OUT_DARK, outputs >> OUT_DARK & 1)
        if self.motion is not None:
            self.motion.switch(app.out, outputs)
            if outputs & AXIS_BIT:
                self.motion.turn(app.hal, app.out, self.steps, self.pace)
                app.inp.axis = 1  # until the next sample shows it
        app.out.dirty = True

    def _light(self, lamps: int) -> None:
        for i in range(LAMP_COUNT):
            output_set(self.app.out, OUT_LAMP_GREEN + i, lamps >> i & 1)

    def _end(self, why: int) -> int:
        """Everything off. The step at which it ended stays for the answer."""
        app = self.app
        self.why = why
        if self.motion is not None:
            self.home = app.hal.home_at()
        self._note(SWITCHED, app.hal.ticks_us())
        motors_off(app.out)
        app.out.watch_slot = False
        app.out.halt = app.out.dirty = True
        app.reporter.due_ms = app.scanned_ms  # its host waits for the answer
        self.ended = self.step
        self.step = -1
        return 0

    def _note(self, kind: int, at_us: int) -> None:
        if self.count < EDGES_KEPT:
            self.kinds[self.count] = kind
            self.times[self.count] = max(ticks_diff(at_us, self.start_us), 0)
            self.count += 1


def _bits(levels: bytearray) -> int:
    bits = 0
    for i in range(len(levels)):
        bits |= levels[i] << i
    return bits
