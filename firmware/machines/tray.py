"""The output tray: whether it is empty, believed only after the beam has been clear for a while; and whether a stack in
it is nothing but what the machine has put there."""

from micropython import const

from firmware.deck.ledger import TRAY
from firmware.fault import FAULT_JAM_EXIT, FAULT_NONE, FAULT_STACK
from firmware.image import IN_EXIT, IN_TRAY, OUT_OUTFEED, OUT_TRANSPORT, output_set
from firmware.ticks import FOREVER_MS, ticks_add, ticks_diff

EARLY_US = const(1000)  # the bounce of the beam that the card has left: firmware/image.py, SETTLE_US

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.spec import Spec


class Tray:
    """Sole writer of empty. A hand that lifts part of a stack and puts it back must not look like a taken stack."""

    def __init__(self, spec: "Spec", ledger: "Ledger") -> None:
        self.spec = spec
        self.ledger = ledger
        self.empty = False
        self.blocked = True
        self.clear_ms = 0
        self.free = True  # nothing of ours lay there when cards began to come
        self.seen = 0  # times it was emptied, as of then
        self.falls = False  # the first of our cards is on its way from the last beam
        self.fell_us = 0  # when it can have blocked the tray's beam at the earliest

    def guard(self, inp: "Inputs") -> None:
        """From here on only the machine may change what lies in the tray."""
        self.seen = inp.leaves[IN_TRAY]
        self.falls = False
        self.free = self.ledger.zone[TRAY] == 0
        if not self.free and not inp.level[IN_TRAY]:
            self.seen -= 1  # the cards that the ledger has there were taken before we looked

    def trouble(self, inp: "Inputs", count: int) -> int:
        """A fault code if cards were taken out, or if something lies there that the machine did not put there."""
        if inp.leaves[IN_TRAY] != self.seen or (self.free and count == 0 and inp.level[IN_TRAY]):
            return FAULT_STACK
        return FAULT_NONE

    def first(self, inp: "Inputs", line: int) -> int:
        """The first of our cards has left the last beam, and falls: a fault code."""
        self.falls = True
        self.fell_us = ticks_add(inp.leave_us[line], self.spec.fall_us)
        return self.early(inp)

    def early(self, inp: "Inputs") -> int:
        """What blocked the beam before our first card can have is not ours: a fault code."""
        blocked = self.free and self.falls and inp.level[IN_TRAY]
        return FAULT_STACK if blocked and ticks_diff(self.fell_us, inp.enter_us[IN_TRAY]) > EARLY_US else FAULT_NONE

    def landed(self, inp: "Inputs", count: int) -> int:
        """All cards should lie there now, and none at the exit: a fault code."""
        return FAULT_JAM_EXIT if count and (inp.level[IN_EXIT] or not inp.level[IN_TRAY]) else FAULT_NONE


def tray_scan(tray: Tray, inp: "Inputs", now_ms: int) -> int:
    """Returns when to come back."""
    if inp.level[IN_TRAY]:
        tray.blocked = True
        tray.empty = False
        return FOREVER_MS
    if tray.blocked:
        tray.blocked = False
        tray.clear_ms = now_ms
    if tray.empty:
        return FOREVER_MS
    left_ms = tray.spec.tray_settle_ms - ticks_diff(now_ms, tray.clear_ms)
    if left_ms > 0:
        return left_ms
    tray.empty = True
    return 0


def phase_land(machine: "Any", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The tray beam may have been blocked by the first card long ago: wait out the last card's flight.

    Rollers turn until then: a pulse on the exit beam's line must not stop the card.
    """
    fault = machine.tray.trouble(inp, machine.count) if machine.guards else 0
    if fault:
        return machine.fail(out, fault)
    left_ms = machine.spec.land_ms_max - ticks_diff(now_ms, machine.entered_ms)
    if left_ms > 0:
        return left_ms
    fault = machine.tray.landed(inp, machine.count)
    if machine.guards and not fault:
        fault = machine.tray.early(inp)  # only now the first card has certainly come
    if fault:
        return machine.fail(out, fault)
    output_set(out, OUT_OUTFEED, 0)
    output_set(out, OUT_TRANSPORT, 0)
    machine.busy = False
    return machine.advance(now_ms)
