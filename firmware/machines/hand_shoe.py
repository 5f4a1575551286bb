"""Draw: a dealer's hand pulls cards out past two beams. Nothing turns here; every card is counted, a card that goes
back is not, two at once stop the game, and the cut card tells that the shoe is nearly done."""

from micropython import const

from firmware.deck.ledger import DISCARDED, HOPPER, PATH, REMOVED
from firmware.fault import FAULT_BACK, FAULT_BEAM, FAULT_DOUBLE_FEED, FAULT_FACE_UP, FAULT_JAM_THROAT, FAULT_NONE
from firmware.image import (
    IN_BACK,
    IN_CUT,
    IN_FACE,
    IN_HOPPER,
    IN_OPACITY,
    IN_THROAT_A,
    IN_THROAT_B,
    OUT_READ_ACE,
    OUT_READ_COURT,
    SUIT_FACES,
    TEN,
    output_set,
)
from firmware.machines.beam_test import phase_dark, phase_light
from firmware.machines.machine import JOB_RUNNING, Machine
from firmware.machines.measure import pulses
from firmware.machines.meters import METER_CARDS, METER_CYCLES
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec
    from firmware.machines.tray import Tray

_ODD_LINES = (IN_FACE, IN_BACK, IN_OPACITY)
_ODD_COUNT = const(3)
PASSING_MS = const(250)  # of a card from the first beam on: in less than that a hand has it out
LIFTED_MS = const(300)  # longer than a hand takes with a card from the hopper to the first beam


class Draw(Machine):
    """Counts what a hand takes."""

    draws = True
    counts_out = False  # a person takes the rest out

    def __init__(self, spec: "Spec", ledger: "Ledger", meters: "Meters", tray: "Tray", order: "array[int]") -> None:
        super().__init__(spec, ledger, meters)
        self.other_back = False  # of two decks, the one that the back sensor identifies: every card must show it
        self.zone = DISCARDED  # where a card drawn now goes: dealt in a round, burned outside of one
        self.tens_out = False  # a ten is taken out, and play goes on
        self.face_ups = 0  # of this shoe
        self.tens = 0
        self.seen_codes = 0
        self.cut_seen = False  # the cut card is out
        self.busy_ms = 0
        self.empty = False  # neither hopper nor throat holds anything
        self.empty_ms = 0
        self.drained = False  # and has not for longer than a hand takes from one to the other
        self.seen_a = 0
        self.seen_b = 0
        self.entered_b = 0
        self.left_a = 0  # how often A had been left when the card at B got there
        self.seen_cut = 0
        self.seen_odd = [0] * _ODD_COUNT
        self.seen_pulses = 0

    def prove(self, now_ms: int) -> None:
        self.begin(_PROVE, now_ms)

    def load(self, expected: int, now_ms: int) -> None:
        """A shoe of so many cards is in: test the beams, then watch until it is stopped."""
        self.expected = expected
        self.cut_seen = False
        self.drained = False
        self.face_ups = 0
        self.tens = 0
        self.zone = DISCARDED
        self.meters.add(METER_CYCLES)
        self.begin(_WATCH, now_ms)

    def stop(self, out: "Outputs") -> None:
        super().stop(out)
        output_set(out, OUT_READ_ACE, 0)
        output_set(out, OUT_READ_COURT, 0)

    def passing_ms(self, now_ms: int) -> int:
        """How much longer a card in the throat may take that a hand moves; 0 if there is none, or it does not move."""
        if not self.busy or self.state != JOB_RUNNING:
            return 0
        return PASSING_MS - ticks_diff(now_ms, self.busy_ms)

    def purge(self, now_ms: int) -> None:
        """The operator who clears the warning takes the cards out by hand."""
        self.begin(_PROVE, now_ms)


def _watch(machine: Draw, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.fresh and machine.enter():
        machine.busy = False
        machine.empty = False
        machine.seen_a = inp.leaves[IN_THROAT_A]
        machine.seen_b = inp.leaves[IN_THROAT_B]
        machine.entered_b = inp.enters[IN_THROAT_B]
        machine.left_a = machine.seen_a
        machine.seen_cut = inp.enters[IN_CUT]
        machine.seen_codes = inp.card_codes
        for i in range(_ODD_COUNT):
            machine.seen_odd[i] = inp.enters[_ODD_LINES[i]] - inp.level[_ODD_LINES[i]]
        machine.seen_pulses = pulses(inp) + inp.glitches[IN_CUT]
    fault = _odd_fault(machine, inp.enters, machine.seen_odd)
    if fault:
        return machine.fail(out, fault)
    if inp.enters[IN_THROAT_B] != machine.entered_b:
        machine.entered_b = inp.enters[IN_THROAT_B]
        machine.left_a = inp.leaves[IN_THROAT_A]
    if inp.leaves[IN_THROAT_B] != machine.seen_b:
        machine.seen_b = inp.leaves[IN_THROAT_B]
        fault = _passed(machine, inp)
        if fault:
            return machine.fail(out, fault)
        _hold(machine, inp, out, now_ms)
        return 0  # scan again at once: the procedure checks it
    return _hold(machine, inp, out, now_ms)


def _passed(machine: Draw, inp: "Inputs") -> int:
    """B is clear again. A card on its way out has left A before; one that goes back leaves B first. Returns a fault."""
    if inp.level[IN_THROAT_A]:
        # By this card, on its way back: A has seen it all the time. Otherwise by the next one, close behind, or by one
        # that was nearly out and went back: the number of drawn cards is unknown.
        return FAULT_DOUBLE_FEED if inp.leaves[IN_THROAT_A] != machine.left_a else FAULT_NONE
    # Before any times: those of a beam that saw nothing may be older than the clock takes to wrap.
    if inp.leaves[IN_THROAT_A] == machine.seen_a:
        return FAULT_BEAM  # no card gets to B past A unseen
    if pulses(inp) + inp.glitches[IN_CUT] != machine.seen_pulses:
        return FAULT_BEAM  # pulses too short for a reading: what the sensors saw under it is not known
    if ticks_diff(inp.leave_us[IN_THROAT_A], inp.leave_us[IN_THROAT_B]) < 0:
        return _drawn(machine, inp)
    return FAULT_NONE


def _drawn(machine: Draw, inp: "Inputs") -> int:
    """Count the card that is out. Returns a fault."""
    if inp.enters[IN_CUT] != machine.seen_cut:
        machine.seen_cut = inp.enters[IN_CUT]
        machine.cut_seen = True
        return FAULT_NONE
    if machine.other_back and inp.enters[IN_BACK] == machine.seen_odd[1]:
        return FAULT_BACK
    machine.ledger.arrive()
    machine.meters.add(METER_CARDS)
    zone = machine.zone
    if _face_up(machine, inp):
        machine.face_ups += 1
        zone = DISCARDED
    elif _ten(machine, inp):
        machine.tens += 1
        zone = REMOVED
    else:
        machine.count += 1
    _forget(machine, inp)
    machine.ledger.move(PATH, zone, 1)
    return FAULT_NONE


def _face_up(machine: Draw, inp: "Inputs") -> bool:
    return machine.rejects and inp.enters[IN_FACE] != machine.seen_odd[0]


def _ten(machine: Draw, inp: "Inputs") -> bool:
    read = machine.tens_out and inp.card_codes != machine.seen_codes
    return read and inp.card_code % SUIT_FACES == TEN


def _forget(machine: Draw, inp: "Inputs") -> None:
    """Forget the measurements of the card in the throat."""
    machine.seen_codes = inp.card_codes
    if machine.rejects:
        machine.seen_odd[0] = inp.enters[IN_FACE]
    if machine.other_back:
        machine.seen_odd[1] = inp.enters[IN_BACK] - inp.level[IN_BACK]


def _hold(machine: Draw, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """A card that stays in the throat becomes a fault after draw_ms_max."""
    level = inp.level
    if not (level[IN_THROAT_A] or level[IN_THROAT_B]):
        gone = machine.busy
        machine.busy = False
        machine.seen_a = inp.leaves[IN_THROAT_A]
        if not level[IN_CUT]:
            machine.seen_cut = inp.enters[IN_CUT]  # shown and put back is not drawn
        if not level[IN_FACE]:
            _forget(machine, inp)
        if not inp.waiting:
            machine.seen_pulses = pulses(inp) + inp.glitches[IN_CUT]
        left_ms = _drain(machine, inp, now_ms)
        return 0 if gone else left_ms  # scan again at once: the procedure waits for a clear throat
    machine.empty = False
    if not machine.busy:
        machine.busy = True
        machine.busy_ms = now_ms
    left_ms = machine.spec.hold_ms_max - ticks_diff(now_ms, machine.busy_ms)
    return left_ms if left_ms > 0 else machine.fail(out, FAULT_JAM_THROAT)


def _drain(machine: Draw, inp: "Inputs", now_ms: int) -> int:
    """The last card is out of the hopper before it is in the throat: the shoe is empty when it stays empty for a
    while."""
    if inp.level[IN_HOPPER]:
        machine.empty = False
        machine.drained = False
    elif not machine.empty:
        machine.empty = True
        machine.empty_ms = now_ms
    if not machine.empty or machine.drained:
        return FOREVER_MS
    # Many cards missing at once: the pile was lifted out, and the one that comes back may be another.
    limit_ms = machine.spec.hold_ms_max if machine.ledger.zone[HOPPER] <= 1 else LIFTED_MS
    left_ms = limit_ms - ticks_diff(now_ms, machine.empty_ms)
    if left_ms > 0:
        return left_ms
    machine.drained = True
    return 0


def _odd_fault(machine: Draw, enters: "list[int]", seen: "list[int]") -> int:
    if enters[IN_FACE] != seen[0] and not machine.rejects:
        return FAULT_FACE_UP
    if enters[IN_BACK] != seen[1] and not machine.other_back:
        return FAULT_BACK
    return FAULT_DOUBLE_FEED if enters[IN_OPACITY] != seen[2] else FAULT_NONE


_PROVE = (phase_dark, phase_light)
_WATCH = (phase_dark, phase_light, _watch)
