"""Shelves: an elevator of shelves that hold packets. A deck is distributed over them, pushed back into a pile and
carried to the hopper again, pass by pass, until it lies in exactly the order drawn; then all of it is handed out."""

from array import array

from micropython import const

from firmware.deck.ledger import HOPPER, STORE, TRAY
from firmware.digest import wipe
from firmware.fault import FAULT_COMPOSITION, FAULT_CONFIG, FAULT_JAM_EXIT, FAULT_MISMATCH
from firmware.image import IN_ARRIVAL, IN_HOPPER, IN_SLOT, IN_TRAY, OUT_OUTFEED, output_set
from firmware.machines.axis import (
    ANSWER_MS,
    AXIS_REST,
    Axis,
    axis_goto,
    axis_ready,
    axis_scan,
    axis_stop,
    phase_home,
    phase_park,
)
from firmware.machines.beam_test import phase_dark, phase_light
from firmware.machines.feed import (
    FEED_ALL,
    FEED_DONE,
    FEED_FAILED,
    FEED_IDLE,
    FEED_SCANS,
    Feed,
    feed_forget,
    feed_start,
    feed_stop,
)
from firmware.machines.machine import Machine
from firmware.machines.measure import figures
from firmware.machines.meters import METER_CYCLES
from firmware.machines.push import (
    PUSH_DONE,
    PUSH_FAILED,
    PUSH_FOUND,
    PUSH_HOMING,
    PUSH_IDLE,
    PUSH_KNOWN,
    PUSH_LOOK,
    Push,
    push_scan,
    push_start,
    push_stop,
)
from firmware.machines.radix import Radix
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec
    from firmware.machines.tray import Tray


_OTHER_FEEDS = const(40)  # what homing, pushing and lifting take, in times of feeding a card
_FULL_FEEDS = const(808)  # 384 cards, two passes, and those


class Shelves(Machine):
    """Sole owner of feed, elevator and pusher. order[i] is the rank of the i-th card fed in this pass."""

    shuffles = True
    counts_out = False  # packets: no sensor counts them

    def __init__(self, spec: "Spec", ledger: "Ledger", meters: "Meters", tray: "Tray", order: "array[int]") -> None:
        super().__init__(spec, ledger, meters)
        self.tray = tray
        self.order = order
        self.spare = array("H", [0] * len(order))  # the order of the next pass while it is worked out
        self.load = array("H", [0] * spec.place_count)  # cards by shelf
        self.axis = Axis(spec, False)
        self.feed = Feed(spec, ledger, meters, self, IN_ARRIVAL)
        self.push = Push(spec, self.axis, ledger, self.load)
        self.radix = Radix()
        self.number = 0  # of the pass, from 0
        self.answer_ms = ANSWER_MS + spec.lift_ms_max // 2  # a lift is not interrupted

    # -- jobs ------------------------------------------------------------------------------------------------------

    def prove(self, now_ms: int) -> None:
        self.begin(_PROVE, now_ms)

    def shuffle(self, expected: int, now_ms: int) -> None:
        self.expected = expected
        self.number = 0
        spec = self.spec
        fits = self.radix.plan(expected, spec.place_count, spec.shelf_cards_max, spec.top_feed)
        self.begin(_SHUFFLE if fits else _TOO_MANY, now_ms)

    def report_ms(self, cards: int) -> int:
        """The board's figure is for a full load; a smaller deck takes its share, and what does not depend on it."""
        spec = self.spec
        self.radix.plan(cards, spec.place_count, spec.shelf_cards_max, spec.top_feed)
        return spec.shuffle_report_ms * (cards * self.radix.passes + _OTHER_FEEDS) // _FULL_FEEDS

    def release(self, now_ms: int) -> None:
        self.begin(_RELEASE, now_ms)

    def purge(self, now_ms: int) -> None:
        self.begin(_PURGE, now_ms)

    def verified(self) -> None:
        """The deck is good, and lies where it has to: nothing to do."""

    # -- where cards go --------------------------------------------------------------------------------------------

    def aim(self, index: int, now_ms: int) -> bool:
        shelf = 0
        if index < self.expected:
            shelf = self.radix.shelf(self.order[index])
        else:
            # One too many is still counted, wherever there is room for it: this deck is refused.
            while self.load[shelf] >= self.spec.shelf_cards_max:
                shelf += 1
                if shelf == len(self.load):
                    return False
        self.load[shelf] += 1
        axis_goto(self.axis, shelf, now_ms)
        return True

    def clear(self) -> int:
        if self.axis.fault:
            return -self.axis.fault
        return 1 if axis_ready(self.axis) else 0

    def reorder(self) -> None:
        """From the order in which cards were fed to the order in which they will be: shelf by shelf as they lie there.

        A stable counting sort; load[] says how many lie on each shelf, so the places follow from it."""
        radix = self.radix
        start = 0
        for shelf in range(radix.base):
            count = self.load[shelf]
            self.load[shelf] = start
            start += count
        for i in range(self.expected):
            shelf = radix.shelf(self.order[i])
            at = self.load[shelf]
            self.load[shelf] = at + 1
            self.spare[self.expected - 1 - at if radix.top_feed else at] = self.order[i]
        # Each entry now holds where its shelf ends: back to how many there are.
        before = 0
        for shelf in range(radix.base):
            end = self.load[shelf]
            self.load[shelf] = end - before
            before = end
        for i in range(self.expected):
            self.order[i] = self.spare[i]
        wipe(self.spare)

    # -- scans -----------------------------------------------------------------------------------------------------

    def scan(self, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
        wake_ms = self.phases[self.phase](self, inp, out, now_ms)
        if self.feed.state != FEED_IDLE:
            next_ms = FEED_SCANS[self.feed.state](self.feed, inp, out, now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        if self.push.state != PUSH_IDLE:
            next_ms = push_scan(self.push, inp, out, now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        if self.axis.state != AXIS_REST:
            next_ms = axis_scan(self.axis, inp, out, now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        return wake_ms

    def stop(self, out: "Outputs") -> None:
        super().stop(out)
        feed_stop(self.feed, out)
        push_stop(self.push, out)
        axis_stop(self.axis, out)
        output_set(out, OUT_OUTFEED, 0)
        wipe(self.spare)


def _too_many(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """No plan can sort so many cards on these shelves: report it before the first one moves."""
    return machine.fail(out, FAULT_MISMATCH)


def _start_pass(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> None:
    machine.radix.begin(machine.number)
    for shelf in range(len(machine.load)):
        machine.load[shelf] = 0
    if machine.number == 0:
        feed_forget(machine.feed)
    machine.feed.counting = machine.number == 0
    feed_start(machine.feed, inp, out, FEED_ALL, STORE, now_ms)


def _take_in(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    feed = machine.feed
    if machine.fresh and machine.enter():
        machine.busy = True  # rollers also stop in between, and a card goes on a little
        _start_pass(machine, inp, out, now_ms)
    if machine.axis.fault:
        return machine.fail(out, machine.axis.fault)
    if feed.state == FEED_FAILED:
        return machine.fail(out, feed.fault)
    if feed.state != FEED_DONE:
        return FOREVER_MS
    left_us = machine.spec.run_on_us - ticks_diff(inp.now_us, inp.leave_us[IN_ARRIVAL])
    if left_us > 0:
        return left_us // 1000 + 1  # the transport still turns: all of the card goes in
    machine.second = feed.confirmed(inp)
    feed_stop(feed, out)
    machine.busy = False
    return _pass_over(machine, out, now_ms)


def _pass_over(machine: Shelves, out: "Outputs", now_ms: int) -> int:
    count = machine.feed.count
    if machine.number == 0:
        machine.count = count
        machine.ledger.settle()
        machine.meters.add(METER_CYCLES)
        if figures(machine.feed):
            return machine.fail(out, FAULT_CONFIG)
        if count == machine.expected and not machine.feed.faces.whole(count):
            return machine.fail(out, FAULT_COMPOSITION)
    elif count != machine.count:
        return machine.fail(out, FAULT_MISMATCH)
    machine.number += 1
    if count != machine.expected or machine.number == machine.radix.passes:
        wipe(machine.order)
        machine.phase = len(_SHUFFLE) - 2  # on to the last phase
    else:
        machine.reorder()
    return machine.advance(now_ms)


def _lift(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The pile goes back to the hopper, and the next pass begins."""
    if machine.enter():
        output_set(out, OUT_OUTFEED, 1)
    if inp.level[IN_HOPPER] and not inp.level[IN_TRAY]:
        output_set(out, OUT_OUTFEED, 0)
        machine.ledger.move(TRAY, HOPPER, machine.ledger.zone[TRAY])
        machine.phase = _FIRST_PASS - 1
        return machine.advance(now_ms)
    left_ms = machine.spec.lift_ms_max - ticks_diff(now_ms, machine.entered_ms)
    return left_ms if left_ms > 0 else machine.fail(out, FAULT_JAM_EXIT)


def _unload(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.enter():
        machine.tray.guard(inp)
        push_start(machine.push, PUSH_KNOWN, now_ms)
    fault = machine.tray.trouble(inp, machine.push.found)
    if not fault and machine.push.state == PUSH_HOMING and machine.push.found == 1:
        fault = machine.tray.first(inp, IN_SLOT)
    return machine.fail(out, fault) if fault else _until_pushed(machine, out, now_ms)


def _home_with_tray(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Check for lost steps at home. The pile in the tray is not offered yet, and must not be touched."""
    fault = machine.tray.trouble(inp, 1)
    return machine.fail(out, fault) if fault else phase_home(machine, inp, out, now_ms)


def _unload_found(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """After a fault the cards of each shelf are unknown: the ledger follows when all shelves are empty."""
    if machine.enter():
        push_start(machine.push, PUSH_FOUND, now_ms)
    if machine.push.state == PUSH_DONE:
        machine.ledger.move(STORE, TRAY, machine.ledger.zone[STORE])
    return _until_pushed(machine, out, now_ms)


def _look(machine: Shelves, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.enter():
        push_start(machine.push, PUSH_LOOK, now_ms)
    return _until_pushed(machine, out, now_ms)


def _until_pushed(machine: Shelves, out: "Outputs", now_ms: int) -> int:
    push = machine.push
    if push.state == PUSH_FAILED:
        return machine.fail(out, push.fault)
    if push.state != PUSH_DONE:
        return FOREVER_MS
    push.state = PUSH_IDLE
    machine.second = push.found
    machine.count = machine.ledger.zone[TRAY]
    return machine.advance(now_ms)


_PROVE = (phase_dark, phase_light, phase_home, _look)
_SHUFFLE = (phase_dark, phase_light, phase_home, _take_in, _unload, _lift, phase_park)
_FIRST_PASS = 3
_TOO_MANY = (_too_many,)
_RELEASE = (phase_dark, phase_light, _unload, _home_with_tray)
_PURGE = (phase_home, _unload_found)
