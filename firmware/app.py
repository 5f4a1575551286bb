"""The composition of a device: one scan samples inputs, lets every machine decide, drives outputs, records events.

`decide` runs while cards move, and promises not to allocate. Recording events, drawing an order and acting on
acknowledgements is quiet work, done only while nothing moves: it can take longer than a roller may run on.
"""

from array import array

from micropython import const

from firmware.fault import FAULT_INTERNAL, FAULT_JOURNAL, FAULT_NONE, Broken, BrokenJournal
from firmware.games.flow import (
    DECK_SPENT,
    DRAW_READY,
    DRAWING,
    ORDER_WANTED,
    PREPARING,
    SHUFFLING,
    WAITING_FOR_DECK,
    WARNING,
    Flow,
    flow_warn,
)
from firmware.games.next_need import need_next
from firmware.games.pages import page_lines
from firmware.games.procedure import procedure_scan
from firmware.games.table_facts import COMMITTED
from firmware.image import IN_KEY, IN_THROAT_A, IN_THROAT_B, IN_TRAY, Inputs, Outputs, motors_on, motors_running
from firmware.journal.keys import Keys
from firmware.journal.meter_cells import MeterStore
from firmware.journal.outbox import Outbox
from firmware.journal.seals import Sealer
from firmware.journal.store import Journal
from firmware.link.admission import Link
from firmware.link.commands import CommandRunner
from firmware.link.dispatch import dispatch_receive
from firmware.link.handshake import Handshake, noise_pool
from firmware.link.queries import Queries
from firmware.link.report import Reporter, report_acknowledge, report_due, report_send
from firmware.link.service import Service
from firmware.link.status import STATUS_NEED, STATUS_STATE, status_fill
from firmware.machines.machine import JOB_FAILED, JOB_RUNNING
from firmware.machines.meters import METER_COUNT
from firmware.machines.panel import panel_scan
from firmware.machines.spec import Spec
from firmware.machines.tray import tray_scan
from firmware.protocol import ids
from firmware.protocol.codec import codec_table, prefix_codes
from firmware.recorder import Recorder, make_signer
from firmware.ticks import FOREVER_MS, ticks_diff
from firmware.version import VERSION_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.games.profile import Profile
    from firmware.link.queries import Words
    from hal.api import Config, Hal

# No motor runs longer without a new order: what a job forgets is switched off, as the watchdog ends a scan that hangs.
# Longer than a shot (firmware/diagnosis.py) and than any wait of a mechanism (tests/unit/machines).
MOTOR_MS_MAX = const(6000)
COAST_MS = const(100)  # for cards to come to rest after all motors were switched off in mid-motion
HAND_MS = const(1000)
SIGN_MS = const(1)  # between two steps of a signature
PUT_OFF_MAX = const(3)  # scans: one that sees an edge, one that settles it, and one that takes a message
_HAND_STATES = (PREPARING, DRAW_READY, DRAWING, DECK_SPENT)  # a hand moves cards; one that stays is a warning


def _make_drawing(app: "App", config: "Config") -> "Any":
    from firmware.drawing import Drawing

    return Drawing(app.hal, config, app.boot, app.flow, app.journal)


class App:
    """One device. Everything it will ever need is made here."""

    def __init__(self, hal: "Hal", config: "Config", profile: "Profile", board_crc: int, words: "Words") -> None:
        spec = Spec(config)
        if spec.kind == "carousel" and profile.deck_cards > spec.place_count:
            raise ValueError("a deck of %d cards does not fit %d slots" % (profile.deck_cards, spec.place_count))
        if spec.kind == "shoe" and profile.deck_cards > 255 * profile.stack_cards:
            raise ValueError("a deck of %d cards has too many stacks" % profile.deck_cards)
        codes = codec_table()
        self.hal = hal
        self.inp = Inputs()
        self.out = Outputs()
        self.outbox = Outbox()
        self.order = array("H", [0] * max(spec.place_count, profile.deck_cards))
        self.flow = Flow(spec, profile.at_table(config), self.outbox, self.order)
        self.journal = Journal(hal, config["nv"]["bytes"], codes, prefix_codes())
        self.journal.recover(hal)
        if self.journal.capacity < profile.round_events:
            raise ValueError("storage for %d events, a round takes %d" % (self.journal.capacity, profile.round_events))
        self.meter_store = MeterStore(hal)
        self.meter_store.load(self.flow.meters.values)
        self.boot = self.journal.boot_last + 1
        self._connect(config, codes, words)
        self.scanned_ms = hal.ticks_ms()
        self.flow.set_entered(self.scanned_ms)
        self.driven_ms = self.scanned_ms  # the last order
        self.motors = False  # whether it left a motor on
        self.wake_ms = 0  # when the machines want the next scan
        self.scan_ms_max = config["mechanism"]["scan_ms_max"]
        self.healthy = True
        self.hold_shown = FAULT_NONE
        self.turned = False  # the key switch
        self.eventful = False  # an input changed or is still being debounced, or an output was switched
        self.put_off = 0  # scans that a frame which is due has waited
        self.silent = True  # until this boot is on record: the last event before it may be torn
        # Everything was switched off in mid-motion, as a power cut does: cards need a moment to come to rest.
        self.coasting = True
        self.halted_ms = self.scanned_ms
        self.recorder.announce(self.out, board_crc, self.scanned_ms)
        if self.flow.facts.row[COMMITTED] and self.drawing:
            self.drawing.abort()

    def _connect(self, config: "Config", codes: "dict[int, bytes]", words: "Words") -> None:
        """Make the link, and what draws orders, reports, runs commands and records."""
        hal = self.hal
        flow = self.flow
        journal = self.journal
        self.drawing: "Any" = _make_drawing(self, config) if flow.machine.shuffles else None
        self.shuffler: "Any" = self.drawing and self.drawing.shuffler
        mode = ids.MODE_NAMES.split().index(config["link"]["mode"])
        keys = Keys(hal)
        journal.sealer = Sealer(keys, hal.unique_id())
        self.link = Link(hal, codes, keys.key, config["link"]["clear_ack"])
        self.service = Service(self.link, flow, self.inp, keys, journal.sealer)
        self.runner = CommandRunner(flow, self.inp, journal.lanes, mode)
        text = words.hash + VERSION_TEXT + bytes(8 - len(VERSION_TEXT)) + flow.profile.code
        pool = self.shuffler.entropy.pool if self.shuffler else noise_pool(hal)
        handshake = Handshake(self.link, journal, mode, self.boot, text, pool)
        seeds = self.drawing and self.drawing.seeds
        queries = Queries(journal, seeds, self.service, words)
        queries.signer = make_signer(hal, config, flow, journal, journal.sealer)
        self.queries = queries
        self.reporter = Reporter(self.link, journal, self.runner, handshake, queries)
        self.reporter.fill_status = self._status
        self.reporter.diagnose = self._diagnose
        if self.drawing:
            self.drawing.attach(self, mode)
        self.reporter.meters[:METER_COUNT] = flow.meters.values
        self.recorder = Recorder(hal, flow, journal, seeds, self.service, self.runner, self.boot)

    def scan(self, now_ms: int) -> int:
        """One scan. Returns in how many milliseconds the next is needed if no input changes."""
        hal = self.hal
        self.outbox.uptime_ms += ticks_diff(now_ms, self.scanned_ms)
        if self.outbox.uptime_ms >= 1000:
            self.outbox.carry()
        self.scanned_ms = now_ms
        hal.sample(self.inp)
        self.inp.now_us = hal.ticks_us()
        self._decide()
        out = self.out
        if out.dirty or out.axis_go or out.stop_armed or out.halt:  # most often none, and a call costs more
            self._drive()
        elif self.motors and ticks_diff(now_ms, self.driven_ms) > MOTOR_MS_MAX:
            self._broke(FAULT_INTERNAL)
            self._drive()
        if self.flow.state == SHUFFLING:
            next_ms = self.drawing.answers.scan(now_ms)
        else:
            next_ms = self.talk(now_ms)
            if self._quiet_due() and self._still(now_ms) and self._quiet():
                next_ms = 0
            elif self.coasting and self.wake_ms > COAST_MS:
                self.wake_ms = COAST_MS
        if self.healthy:
            hal.watchdog_feed()  # once the scan has ended and no invariant is broken
        return next_ms if next_ms < self.wake_ms else self.wake_ms

    def _decide(self) -> None:
        """Separate from `scan`, and without naming the exceptions: handlers there would take room on the stack."""
        self.healthy = True
        try:
            self.wake_ms = self.decide(self.scanned_ms)
        except BrokenJournal:
            self._broke(FAULT_JOURNAL)
        except Broken:
            self._broke(FAULT_INTERNAL)

    def _broke(self, fault: int) -> None:
        """An invariant is broken: switch the motors off, the only safe action."""
        self.healthy = False
        self.wake_ms = flow_warn(self.flow, self.out, fault, self.scanned_ms)

    def talk(self, now_ms: int, due_ms: int = 0) -> int:
        """The link's share of a scan: what came in, what a command does next, one frame out. `due_ms`: in how many
        milliseconds a frame is due, where that is known; no message, no change."""
        reporter = self.reporter
        next_ms = FOREVER_MS
        if self.turned and self.resting():  # opening a port takes longer than a moving card can wait
            next_ms = self.service.watch()
            self.turned = next_ms < FOREVER_MS
        wake_ms = dispatch_receive(reporter, now_ms, self.put_off != 0)
        if next_ms < wake_ms:
            wake_ms = next_ms
        if (self.runner.role or self.runner.result_role) and self.flow.state != SHUFFLING:  # in it: answers.py
            next_ms = self.runner.scan(now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        if reporter.time_set:
            self._set_time()
        if self.silent:
            return wake_ms
        next_ms = due_ms if due_ms and wake_ms else report_due(reporter, self.flow.shown, now_ms)
        if next_ms <= 0 and (self.put_off or not reporter.left):
            # A message that was left for the sake of this frame does not keep it from going out.
            next_ms = self.frame(now_ms, self.eventful or (wake_ms == 0 and not reporter.left))
        return next_ms if next_ms < wake_ms else wake_ms

    def frame(self, now_ms: int, busy: bool) -> int:
        """A frame is due, now or soon: in how many milliseconds."""
        machine = self.flow.machine
        if machine.draws:
            # No frame goes out over a card that a hand moves, and a hand is soon done.
            passing_ms = machine.passing_ms(now_ms)
            if passing_ms > 0:
                return passing_ms
        # After an edge or a message a frame would make this the longest of scans. While something moves it waits for
        # the next one that has neither, which comes at once; but not for long: lines may never come to rest.
        if busy and self.put_off < PUT_OFF_MAX and (machine.draws or not self.resting()):
            self.put_off += 1
            return 0
        self.put_off = 0
        return self._send(now_ms)

    def _send(self, now_ms: int) -> int:
        reporter = self.reporter
        state = self.flow.shown
        if reporter.status[STATUS_STATE] != state:
            reporter.status[STATUS_STATE] = state
            reporter.status_due = reporter.host_seen
        reporter.utc_s = self.recorder.utc_s()
        return report_send(reporter, now_ms)

    def decide(self, now_ms: int) -> int:
        """Every machine takes at most one transition. Allocates nothing."""
        inp = self.inp
        flow = self.flow
        wake_ms = FOREVER_MS
        self.eventful = inp.edge_count != 0 or inp.waiting != 0 or inp.stale or inp.edge_lost
        if self.eventful:
            wake_ms = inp.settle()
            if inp.presses != flow.panel.presses:
                panel_scan(flow.panel, inp)
            self.turned = inp.level[IN_KEY] != self.service.on
        # Most scans see no press and no change at the tray: this test costs half as much as the call.
        if not (flow.tray.blocked if inp.level[IN_TRAY] else flow.tray.empty):
            next_ms = tray_scan(flow.tray, inp, now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        next_ms = procedure_scan(flow, inp, self.out, now_ms)
        if next_ms < wake_ms:
            wake_ms = next_ms
        if flow.machine.state == JOB_RUNNING:
            next_ms = flow.machine.scan(inp, self.out, now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        return wake_ms

    def _drive(self) -> None:
        self.eventful = True  # driving takes as long as an edge: no frame goes out on top of it
        out = self.out
        hal = self.hal
        if out.halt:
            out.halt = False
            hal.all_off()
            if self.drawing:
                self.drawing.halt()
            self.inp.axis = 0
            self.halted_ms = self.scanned_ms
            self.coasting = True
        if out.stop_armed:
            out.stop_armed = False  # before `drive`: no roller runs without its order to stop
            hal.stop_after(out.stop_output, out.stop_line, out.stop_us)
        if out.dirty:
            out.dirty = False
            hal.drive(out.level, out.watch_slot)
        if out.axis_go:
            out.axis_go = False
            hal.move(out.axis_slots, out.axis_home)
            # It moves from here on, and quiet work must not begin before the next sample shows that.
            self.inp.axis = 1
        self.driven_ms = self.scanned_ms
        self.motors = motors_on(out)

    def overran(self, took_ms: int) -> None:
        """Count a late scan if motors ran meanwhile: it should have stopped them in time."""
        overruns = self.reporter.overruns
        if motors_running(self.inp, self.out):
            overruns[0] += 1
            overruns[1] = max(overruns[1], took_ms)

    def resting(self) -> bool:
        """Whether memory may be collected: nothing moves, and the pause would not reveal how a shuffle goes."""
        return self.flow.state != SHUFFLING and not motors_running(self.inp, self.out)

    def _quiet_due(self) -> bool:
        """Whether there is quiet work: a cheap test in every scan, before the expensive one of _still."""
        flow = self.flow
        machine = flow.machine
        if machine.busy and machine.state == JOB_RUNNING and flow.state != PREPARING:
            return False  # a card moves: _still would say so
        return (
            self.outbox.count != 0
            or self.reporter.seq_received > self.journal.seq_acked
            or flow.order_state == ORDER_WANTED
            or flow.page_due
            or self.hold_shown != flow.hold
            or flow.meters.dirty
            or self.service.how >= 0
            or self.recorder.readying
            or self.runner.refused != 0
            or self.queries.signing
        )

    def _still(self, now_ms: int) -> bool:
        """Whether no card moves."""
        if self.coasting and ticks_diff(now_ms, self.halted_ms) >= COAST_MS:
            self.coasting = False
        machine = self.flow.machine
        if machine.state == JOB_FAILED or self.coasting or motors_running(self.inp, self.out):
            return False
        # Cards also move by gravity, by what is left of a motion, and by hand.
        if machine.draws and self.flow.state in _HAND_STATES:
            return self._hand_still(now_ms)
        return not (machine.state == JOB_RUNNING and machine.busy)

    def _hand_still(self, now_ms: int) -> bool:
        inp = self.inp
        if not (inp.level[IN_THROAT_A] or inp.level[IN_THROAT_B] or inp.raw[IN_THROAT_A] or inp.raw[IN_THROAT_B]):
            return not self.eventful or self.wake_ms != 0  # the next scan judges an edge first
        # Cards are not counted yet. What blocks a beam for so long is no hand: the beam test has to find it.
        return self.flow.state == PREPARING and ticks_diff(now_ms, self.flow.entered_ms) >= HAND_MS

    def _quiet(self) -> bool:
        """Record, acknowledge, draw: what must not happen while a card moves. True if anything was done."""
        flow = self.flow
        if flow.page_due or self.hold_shown != flow.hold:
            flow.redraw(False)
            self.hold_shown = flow.hold
            self.hal.show(page_lines(flow))
        busy = report_acknowledge(self.reporter)  # first: it makes room for what is recorded next
        busy = self.recorder.record_all() or self.silent or busy
        if self.reporter.status[STATUS_NEED] != need_next(flow, self.inp):
            self.reporter.status_due = self.reporter.host_seen
        self.silent = False
        if self.outbox.count == 0:
            if flow.state == WARNING:
                flow.set_hold(FAULT_NONE)  # storage works again; the waiting states look for room by themselves
            if self.drawing and self.drawing.step(self.scanned_ms):
                busy = True
            busy = self.recorder.keep_house() or busy
            if self.queries.signing and self.outbox.count == 0:
                if self.queries.step(self.recorder.utc_s()):
                    self.reporter.due_ms = self.scanned_ms
                self.wake_ms = min(self.wake_ms, SIGN_MS)
        if flow.meters.dirty:
            self._store_meters()
        return busy

    def _store_meters(self) -> None:
        """Between jobs only. A failed write is tried again after the next one: meters stop no game."""
        meters = self.flow.meters
        if self.flow.state == WAITING_FOR_DECK or self.flow.warning:
            # Where noise meets a card depends on when the card comes, and so on the order: reported when the deck is
            # out of play.
            meters.gather(self.inp.glitches)
        meters.dirty = False
        self.meter_store.save(meters.values)
        self.reporter.meters[:METER_COUNT] = meters.values
        self.reporter.meters_due = 1

    def _set_time(self) -> None:
        """Set the clock as an authorised host asked. The event says the old time, since later records depend on it."""
        reporter = self.reporter
        reporter.time_set = False
        values = reporter.time_values
        old_s = self.recorder.utc_s()
        if not self.outbox.roomy():
            return  # the clock must not change without a record; without an answer the host asks again
        values[1] = self.outbox.uptime_s
        values[2] = self.outbox.uptime_ms
        reporter.time_due = True
        if old_s != values[0]:
            self.recorder.utc_offset_next = values[0] - self.outbox.uptime_s
            self.outbox.post(ids.EV_CLOCK_SET, self.link.session.role, old_s)

    def _diagnose(self, message: int) -> bool:
        """A service host asks for the diagnostic mode, or in it. Its code is loaded now, at rest. False: refused."""
        if self.queries.diagnosis is None:
            if not self.service.may_diagnose(message):
                return False
            from firmware.diagnosis import Diagnosis

            self.queries.diagnosis = Diagnosis(self)
            self.decide = self.queries.diagnosis.decide
        self.queries.diagnosis.receive(message)
        return True

    def _status(self, now_ms: int) -> None:
        waiting = self.journal.seq_last - self.reporter.seq_received
        status_fill(self.reporter.status, self.flow, self.inp, waiting, sum(self.link.reader.drops), now_ms)
