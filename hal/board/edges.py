"""Beams on a chip that has an interrupt for each edge: stamped there, handed to the scan through a ring.

A handler takes some microseconds of Python, so a line that changes fast enough would leave no time for scans. Each
handler notes the time; the line that exceeds its limit in any 8 ms ends it: its handler switches the motors off and
masks every line for 50 ms. Then all of them are heard again on trial, for another 50 ms.

A pulse that is over before the handler reads the pin is not reported, for no card is so short; but it stops a roller
that waits for this beam, since many an edge begins so. Nothing here allocates once made; handlers may not.
"""

from array import array

from machine import Pin
from micropython import const

from hal.board.ring import RING, Edges, copy_edges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import InputImage
    from hal.board.clock import ticks_us
    from hal.board.stop import Stop
else:
    from time import ticks_us

NO_LINE = const(255)
WINDOW_US = const(8000)
QUIET_US = const(50000)
_MASK = const(0x3FFFFFFF)


class Beam:
    """One input pin whose edges are stamped. A broken wire reads 1: blocked, open, away from home."""

    def __init__(self, beams: "IrqBeams", line: int, pin: Pin) -> None:
        self.beams = beams
        self.line = line
        self.pin = pin
        self.level = 0
        self._last_us = array("i", [0] * beams.limit)  # the times of its last interrupts
        self._at = 0
        self._count = 0  # how many of them count, up to all
        self._handler = self.on_edge  # bound once: binding allocates
        self.unmask()

    def unmask(self) -> None:
        self._count = 0
        self._listen(self._handler)
        # Only now: a change before this point would stay unseen until the line changes back.
        while self.level != self.pin.value():
            self.level = self.pin.value()

    def mask(self) -> None:
        self._listen(None)

    def _listen(self, handler: "Callable[[Pin], None] | None") -> None:
        """Use a hard interrupt: it runs between any two instructions of the VM."""
        self.pin.irq(handler, Pin.IRQ_RISING | Pin.IRQ_FALLING, hard=True)

    def on_edge(self, pin: Pin) -> None:
        """Interrupt side, or in its stead."""
        try:
            self._edge(pin, ticks_us())
        except BaseException:
            self.beams.stop.failed = True

    def _edge(self, pin: Pin, now_us: int) -> None:
        level = pin.value()
        stop = self.beams.stop
        # Stop first, book-keeping later: only the stop affects the card. Whatever the pin reads, a line that was clear
        # has become blocked, if only for a pulse.
        if stop.line == self.line and not self.level:
            stop.blocked()
        at = self._at
        gone_us = (now_us - self._last_us[at]) & _MASK
        self._last_us[at] = now_us
        self._at = (at + 1) % self.beams.limit
        if self._count < self.beams.limit:
            self._count += 1
            gone_us = WINDOW_US
        if gone_us < WINDOW_US:
            self.beams.storm(self.line, now_us)
        elif level != self.level:
            self.level = level
            self.beams.edges.push(self.line, level, now_us)


class IrqBeams:
    """The beams of a board. `limit` is how many edges a line may have in 8 ms."""

    def __init__(self, kind: "Any", stop: "Stop", lines: "list[tuple[int, Pin]]", limit: int) -> None:
        self.stop = stop
        self.limit = limit
        self.edges = Edges()
        self.noisy = NO_LINE
        self.masked = False
        self._begun = False  # before the first sample nothing counts: an overflow is no loss
        self._loud = NO_LINE
        self._noisy_before = NO_LINE  # what noisy was at the last sample
        self._since_us = 0  # when the lines were masked, or heard again
        self.all: "list[Beam]" = []
        for line, pin in lines:
            self.all.append(kind(self, line, pin))

    def storm(self, line: int, now_us: int) -> None:
        """Interrupt side: more edges than cards can cause on this line."""
        self.stop.motors_off()
        for beam in self.all:
            beam.mask()
        self._loud = line
        self._since_us = now_us
        self.masked = True
        self.noisy = line

    # -- the scan's side -------------------------------------------------------------------------------------------

    def news(self) -> bool:
        if self.noisy != NO_LINE:
            return self.noisy != self._noisy_before or (ticks_us() - self._since_us) & _MASK >= QUIET_US
        edges = self.edges
        return edges.head != edges.tail or edges.stale

    def take(self, inp: "InputImage") -> bool:
        """Levels and edges into the image. False: nothing is new."""
        edges = self.edges
        if self.noisy != NO_LINE:
            self._wait_for_quiet()
            self._noisy_before = self.noisy
            edges.lost = edges.stale = True
        news = edges.stale
        if news:
            edges.stale = False
            if edges.lost:
                edges.lost = False
                edges.tail = edges.head  # what was kept is older than what was lost, and would undo the levels
                inp.edge_lost = inp.edge_lost or self._begun
            self._begun = True
            self._show(inp)
        # After the levels: an edge that came in between is newer.
        if edges.head != edges.tail:
            news = True
            self._drain(inp)
        return news

    def _drain(self, inp: "InputImage") -> None:
        """What is in the ring now; an edge that comes meanwhile is for the next sample."""
        edges = self.edges
        span = edges.head << 5 | edges.tail
        if inp.edge_count + ((span >> 5) - span) % RING > len(inp.edge_us):
            inp.edge_lost = True
            self._show(inp)
        else:
            span |= inp.edge_count << 10
            inp.edge_count = copy_edges(edges.edge, edges.us, inp.edge, inp.edge_us, inp.raw, span)
        edges.tail = (span >> 5) % RING

    def _show(self, inp: "InputImage") -> None:
        """Levels from the beams themselves."""
        for beam in self.all:
            if self.masked:
                beam.level = beam.pin.value()
            inp.raw[beam.line] = beam.level

    def _wait_for_quiet(self) -> None:
        now_us = ticks_us()
        if (now_us - self._since_us) & _MASK < QUIET_US:
            return
        if self.masked:
            self.masked = False
            self._since_us = now_us
            for beam in self.all:
                beam.unmask()
        else:
            self.noisy = NO_LINE
            if self.masked:
                self.noisy = self._loud  # a storm came since the question
