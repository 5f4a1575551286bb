"""Shoe: a loaded deck, dealt from the hopper by motor. Nothing is shuffled here, and nothing is counted before it is
dealt: every card passes both throat beams and the exit beam on its way out, and the sum is known when the last is."""

from firmware.deck.ledger import TRAY
from firmware.image import IN_EXIT
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
from firmware.machines.tray import phase_land
from firmware.ticks import FOREVER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec
    from firmware.machines.tray import Tray


class Shoe(Machine):
    """Sole owner of the feed."""

    deals = True

    def __init__(self, spec: "Spec", ledger: "Ledger", meters: "Meters", tray: "Tray", order: "array[int]") -> None:
        super().__init__(spec, ledger, meters)
        self.tray = tray
        self.feed = Feed(spec, ledger, meters, self, IN_EXIT)
        self.feed.follows = True
        self.wanted = 0
        self.guards = False

    def prove(self, now_ms: int) -> None:
        self.begin(_PROVE, now_ms)

    def load(self, expected: int, now_ms: int) -> None:
        self.expected = expected
        self.meters.add(METER_CYCLES)
        feed_forget(self.feed)
        self.begin(_PROVE, now_ms)

    def deal(self, wanted: int, now_ms: int) -> None:
        self._run(wanted, True, now_ms)

    def release(self, now_ms: int) -> None:
        self._run(FEED_ALL, True, now_ms)

    def purge(self, now_ms: int) -> None:
        self._run(FEED_ALL, False, now_ms)

    def _run(self, wanted: int, guards: bool, now_ms: int) -> None:
        self.wanted = wanted
        self.guards = guards
        self.begin(_DEAL, now_ms)

    def aim(self, index: int, now_ms: int) -> bool:
        return True

    def clear(self) -> int:
        return 1

    def scan(self, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
        wake_ms = self.phases[self.phase](self, inp, out, now_ms)
        if self.feed.state != FEED_IDLE:
            next_ms = FEED_SCANS[self.feed.state](self.feed, inp, out, now_ms)
            if next_ms < wake_ms:
                wake_ms = next_ms
        return wake_ms

    def stop(self, out: "Outputs") -> None:
        super().stop(out)
        feed_stop(self.feed, out)


def _start_deal(machine: Shoe, inp: "Inputs", out: "Outputs", now_ms: int) -> None:
    machine.tray.guard(inp)
    machine.feed.counting = machine.ledger.counting
    # What lies face up matters only in stacks that are dealt.
    machine.feed.rejects = machine.rejects or machine.wanted == FEED_ALL
    machine.feed.misfeeds = machine.feed.stalls = 0  # the sums go on: a stack has too few cards
    feed_start(machine.feed, inp, out, machine.wanted, TRAY, now_ms)


def _deal(machine: Shoe, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    feed = machine.feed
    if machine.fresh and machine.enter():
        machine.busy = True  # until the last card has landed: nothing drives it on its fall
        _start_deal(machine, inp, out, now_ms)
    fault = _guard(machine, inp) if machine.guards else 0
    if feed.state == FEED_FAILED:
        fault = feed.fault
    elif feed.state == FEED_DONE and not fault:
        fault = figures(feed)
    if fault:
        return machine.fail(out, fault)
    if feed.state != FEED_DONE:
        return FOREVER_MS
    machine.count = feed.count
    machine.second = feed.confirmed(inp)
    return machine.advance(now_ms)


def _guard(machine: Shoe, inp: "Inputs") -> int:
    """A fault code if a hand was in the tray."""
    fault = machine.tray.trouble(inp, machine.feed.count)
    if fault or machine.second or machine.feed.confirmed(inp) <= 0:
        return fault
    # The first card falls only now; it has been counted since it left the mouth.
    machine.second = 1
    return machine.tray.first(inp, IN_EXIT)


_PROVE = (phase_dark, phase_light)
_DEAL = (phase_dark, phase_light, _deal, phase_land)
