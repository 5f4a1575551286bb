"""Carousel: single-card slots. One pass puts every card into the slot that the order names, a sweep counts them again,
and stacks come out slot by slot past the exit beam."""

from firmware.deck.ledger import STORE
from firmware.digest import wipe
from firmware.fault import FAULT_COMPOSITION, FAULT_CONFIG, FIGURE_SLOT_BEAM
from firmware.image import IN_EXIT, IN_SLOT
from firmware.machines.axis import (
    ANSWER_MS,
    AXIS_REST,
    Axis,
    axis_goto,
    axis_ready,
    axis_scan,
    axis_stop,
    axis_survey,
    axis_sweep,
    phase_home,
    phase_park,
    until_at_rest,
)
from firmware.machines.beam_test import phase_dark, phase_light
from firmware.machines.eject import (
    EJECT_DONE,
    EJECT_FAILED,
    EJECT_IDLE,
    EJECT_LEAVING,
    Eject,
    eject_purge,
    eject_scan,
    eject_start,
    eject_stop,
)
from firmware.machines.feed import (
    FEED_ALL,
    FEED_DONE,
    FEED_FAILED,
    FEED_IDLE,
    FEED_SCANS,
    NO_LINE,
    Feed,
    feed_forget,
    feed_start,
    feed_stop,
)
from firmware.machines.machine import Machine
from firmware.machines.measure import figures
from firmware.machines.meters import METER_CYCLES
from firmware.machines.tray import phase_land
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec
    from firmware.machines.tray import Tray


class Carousel(Machine):
    """Sole owner of feed, axis and ejector."""

    shuffles = True
    deals = True
    answer_ms = ANSWER_MS

    def __init__(self, spec: "Spec", ledger: "Ledger", meters: "Meters", tray: "Tray", order: "array[int]") -> None:
        super().__init__(spec, ledger, meters)
        self.tray = tray
        self.order = order
        self.axis = Axis(spec, True)
        self.feed = Feed(spec, ledger, meters, self, NO_LINE)
        self.eject = Eject(spec, self.axis, ledger)
        self.wanted = 0
        self.guards = False  # the tray is watched: what comes now is to be offered

    # -- jobs ------------------------------------------------------------------------------------------------------

    def prove(self, now_ms: int) -> None:
        self.begin(_PROVE, now_ms)

    def shuffle(self, expected: int, now_ms: int) -> None:
        self.expected = expected
        self.begin(_SHUFFLE, now_ms)

    def deal(self, wanted: int, now_ms: int) -> None:
        self.wanted = wanted
        self.begin(_DEAL, now_ms)

    def release(self, now_ms: int) -> None:
        self.deal(self.ledger.zone[STORE], now_ms)

    def purge(self, now_ms: int) -> None:
        self.begin(_PURGE, now_ms)

    def verified(self) -> None:
        """The deck is good: dealing begins with the first slot."""
        self.eject.slot_next = 0

    # -- where cards go --------------------------------------------------------------------------------------------

    def aim(self, index: int, now_ms: int) -> bool:
        if index >= self.spec.place_count:
            return False
        # Cards past the expected number are still counted, in the slots kept for them.
        axis_goto(self.axis, self.order[index] if index < self.expected else index, now_ms)
        return True

    def clear(self) -> int:
        if self.axis.fault:
            return -self.axis.fault
        return 1 if axis_ready(self.axis) else 0

    # -- scans -----------------------------------------------------------------------------------------------------

    def scan(self, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
        wake_ms = self.phases[self.phase](self, inp, out, now_ms)
        # A part at rest is not asked: a call costs 20 us on the device, and most are at rest most of the time.
        if self.feed.state != FEED_IDLE:
            next_ms = FEED_SCANS[self.feed.state](self.feed, inp, out, now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        if self.eject.state != EJECT_IDLE:
            next_ms = eject_scan(self.eject, inp, out, now_ms)
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
        eject_stop(self.eject, out)
        axis_stop(self.axis, out)


def _take_in(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.fresh and machine.enter():
        machine.busy = True  # rollers also stop in between, and a card goes on a little
        feed_forget(machine.feed)
        feed_start(machine.feed, inp, out, FEED_ALL, STORE, now_ms)
    if machine.axis.fault:
        return machine.fail(out, machine.axis.fault)
    if machine.feed.state == FEED_FAILED:
        return machine.fail(out, machine.feed.fault)
    if machine.feed.state != FEED_DONE:
        return FOREVER_MS
    feed_stop(machine.feed, out)
    machine.busy = False
    wipe(machine.order)
    machine.count = machine.feed.count
    machine.meters.add(METER_CYCLES)
    if figures(machine.feed):
        return machine.fail(out, FAULT_CONFIG)
    if machine.count == machine.expected and not machine.feed.faces.whole(machine.expected):
        return machine.fail(out, FAULT_COMPOSITION)
    return machine.advance(now_ms)


def _sweep(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Count what is in the slots. Of a deck, where its empty slots pass shows at which slot the beam looks."""
    if machine.enter():
        axis_sweep(machine.axis, now_ms)
        machine.axis.beam_slots = machine.spec.beam_slots
    elif inp.level[IN_SLOT]:
        _note_gap(machine.axis, inp, machine.expected)
    wake_ms = until_at_rest(machine, out, now_ms)
    machine.second = machine.axis.swept
    # The sweep is over if the next phase is fresh. Another count is a finding of its own.
    if machine.fresh and machine.second == machine.expected and machine.axis.beam_slots != machine.spec.beam_slots:
        fault = machine.spec.misfit(FIGURE_SLOT_BEAM, machine.axis.beam_slots, machine.spec.beam_slots)
        return machine.fail(out, fault)
    return wake_ms


def _note_gap(axis: Axis, inp: "Inputs", expected: int) -> None:
    """A card is at the beam. Two slots or more before it are empty, the first of them `expected`, if none was there for
    longer than two take at full speed. Among the first and last cards of a turn the axis may still be slow."""
    count = axis.spec.place_count
    before = inp.enters[IN_SLOT] - axis.sweep_base - 1
    if min(before, expected - before) <= count // 8:
        return
    if ticks_diff(inp.enter_us[IN_SLOT], inp.leave_us[IN_SLOT]) > (axis.spec.axis_ms_max - 1000) * 1000 // count:
        axis.beam_slots = (expected - before - axis.place - 1) % count


def _first_home(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    # Lost steps make the mark late. A mark that is early in the first turn from home is on another carousel.
    if machine.axis.fault and inp.axis_early:
        machine.axis.fault = machine.spec.turned(inp.axis_early)
    return phase_home(machine, inp, out, now_ms)


def _first_turn(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.axis.fault and inp.axis_early:
        machine.axis.fault = machine.spec.turned(inp.axis_early)
    return _sweep(machine, inp, out, now_ms)


def _survey(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.enter():
        axis_survey(machine.axis, now_ms)
    return until_at_rest(machine, out, now_ms)


def _deal(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.enter():
        machine.busy = True
        machine.guards = True
        machine.tray.guard(inp)
        if machine.wanted:
            eject_start(machine.eject, out, machine.wanted, now_ms)
    eject = machine.eject
    if machine.wanted and eject.count == 0 and eject.state == EJECT_LEAVING and inp.leaves[IN_EXIT] != eject.seen_exit:
        # The first card has left the exit, and is not counted yet; in a late scan it lies in the tray.
        fault = machine.tray.first(inp, IN_EXIT)
    else:
        fault = machine.tray.trouble(inp, eject.count if machine.wanted else 0)
    return machine.fail(out, fault) if fault else _until_ejected(machine, out, now_ms)


def _purge(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The cards are not offered as good, so the tray need not be empty."""
    if machine.enter():
        machine.busy = True
        machine.guards = False
        machine.wanted = machine.axis.swept
        if machine.wanted:
            eject_purge(machine.eject, out, now_ms)
    return _until_ejected(machine, out, now_ms)


def _at_next(machine: Carousel, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Nothing is offered while anything moves: the axis is at the next slot, or has failed to get there."""
    fault = machine.tray.trouble(inp, 1)
    return machine.fail(out, fault) if fault else until_at_rest(machine, out, now_ms)


def _until_ejected(machine: Carousel, out: "Outputs", now_ms: int) -> int:
    eject = machine.eject
    if not machine.wanted:
        return machine.advance(now_ms)
    if eject.state == EJECT_FAILED:
        return machine.fail(out, eject.fault)
    if eject.state != EJECT_DONE:
        return FOREVER_MS
    eject.state = EJECT_IDLE
    machine.count = eject.count
    return machine.advance(now_ms)


_PROVE = (phase_dark, phase_light, _first_home, _first_turn)
_SHUFFLE = (phase_dark, phase_light, _take_in, phase_park, _sweep)
_DEAL = (phase_dark, phase_light, _deal, phase_land, _at_next)
_PURGE = (phase_home, _survey, _purge, phase_land)
