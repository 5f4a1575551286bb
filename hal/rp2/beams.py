"""Beams without an interrupt for each edge: PIO pushes a word for each change, DMA writes it into a ring, a sample
folds the ring into the image. Work is bounded by the ring, whatever the lines do.

PIO 1, state machine 0, and one DMA channel are this module's; PIO 0 is the axis's. The pins lie within 12 in a row:
a word has 32 bits, of which the other 20 are microseconds, 1.05 s. The watchdog ends a board that does not sample for
half as long. Stamps are exact to 2 us: PIO and timer run from one crystal, and the system clock must be a multiple of
10 MHz / 256, as 125 and 150 MHz are.

More edges of a line in any 8 ms than it may have, or a ring that has gone round faster than that: the line is noise.
Its edges, and all others, are dropped until no line has exceeded its rate for 50 ms.
"""

from array import array

from machine import Pin, disable_irq, enable_irq, freq, mem32
from micropython import const
from rp2 import DMA, StateMachine
from uctypes import addressof

from hal.board.stop import Stop
from hal.rp2.changes import CHANGES_HZ, changes_program
from hal.rp2.fold import (
    BUSY,
    COUNT,
    DROP,
    LINES_MAX,
    NOISE,
    PEEK,
    S_AT,
    S_DMA,
    S_EDGES,
    S_FDEBUG,
    S_HELD,
    S_LEFT,
    S_LEVELS,
    S_LIMIT,
    S_LINES,
    S_LOUD,
    S_MACHINE,
    S_MODE,
    S_NAMES,
    S_RING,
    S_ROOM,
    S_SEEN_US,
    S_SHIFT,
    S_SIZE,
    S_STAMPS,
    S_START,
    S_TIMER,
    S_UNTIL,
    S_WATCHED,
    S_WORDS,
    SPENT,
    TAKE,
    WINDOW_US,
    fold,
    look,
    loudest,
    show,
    skip,
    start,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import InputImage
    from hal.board.clock import ticks_us
else:
    from time import ticks_us

NO_LINE = const(255)
QUIET_US = const(50000)
_MASK = const(0x3FFFFFFF)
_HALF = const(0x20000000)
_RING_BYTES = const(256)
_RING_BITS = const(8)
_FIRST_TRIES = const(100)  # looks at a DMA channel whose first word comes within 2 us

# The same on both chips, but for the timer.
_MACHINE = const(4)  # state machine 0 of PIO 1, as MicroPython counts them
_PIO_SET = 0x50302000  # its control register; bits written there are set
_FDEBUG = 0x50300008  # the low bits say that a state machine had to wait for DMA; writing ones clears them
_RX_FIFO = 0x50300020
_RX_REQUEST = const(12)  # DREQ_PIO1_RX0
_DMA_COUNTS = 0x50000008  # the first channel's; 64 bytes each

MEMORY: "Any" = 0  # where the address space begins that the functions of fold.py look into


class PinStop(Stop):
    """A stop whose line interrupts once: the handler masks it first, so no rate of edges calls it again."""

    def __init__(self, pins: "list[Pin | None]", levels: bytearray, motors: "list[int]", timer: "Any") -> None:
        Stop.__init__(self, pins, levels, motors, timer)
        self._irqs: "dict[int, Any]" = {}
        self._irq: "Any" = None  # of the line that the order names

    def listen(self, line: int, pin: Pin) -> None:
        # On no edge: between two calls a storm would interrupt without end, and the start would not go on.
        self._irqs[line] = pin.irq(self._on_line, 0, hard=True)

    def arm(self, output: int, line: int, delay_us: int) -> None:
        Stop.arm(self, output, line, delay_us)
        self._irq = self._irqs[line]
        self._irq.trigger(Pin.IRQ_RISING)

    def cancel(self) -> None:
        if self._irq is not None:
            self._irq.trigger(0)
            self._irq = None
        Stop.cancel(self)

    def _on_line(self, pin: Pin) -> None:
        try:
            if self._irq is not None:
                self._irq.trigger(0)
                self._irq = None
                self.blocked()
        except BaseException:
            self.failed = True


class PioBeams:
    """The beams of a board. `limit` is how many edges a line may have in 8 ms; the slot beam's edges are reported only
    while it is watched, and its level is 0 otherwise."""

    def __init__(self, lines: "list[tuple[int, int]]", slot: int, limit: int, timer: int) -> None:
        self.noisy = NO_LINE
        self.watched = False
        self._fresh = False  # the image has had the levels
        self._quiet_us = 0  # since when no line is too fast
        self._watch_us = 0
        self._base = min([pin for _, pin in lines])
        self._count = max([pin for _, pin in lines]) - self._base + 1
        if self._count > LINES_MAX:
            raise ValueError("inputs: %d pins in a row, at most %d" % (self._count, LINES_MAX))
        if freq() * 256 % CHANGES_HZ:
            raise ValueError("system clock %d: no multiple of %d / 256" % (freq(), CHANGES_HZ))
        self._slot_bit = 0
        self._slot = slot
        self._store = bytearray(2 * _RING_BYTES)  # DMA needs a ring aligned to its size
        self._dma: "Any" = DMA()  # the stubs lack channel and count
        self._machine = StateMachine(_MACHINE)
        self._program = changes_program(self._count)
        self._s = self._state(lines, limit, timer)
        self._start()

    def _state(self, lines: "list[tuple[int, int]]", limit: int, timer: int) -> "array[int]":
        s = array("i", [0] * (S_SIZE + LINES_MAX * limit))
        s[S_STAMPS] = S_SIZE
        for line, pin in lines:
            bit = pin - self._base
            s[S_NAMES + bit] = line
            s[S_LINES] |= 1 << bit
            if line == self._slot:
                self._slot_bit = 1 << bit
        s[S_WATCHED] = s[S_LINES] & ~self._slot_bit
        s[S_SHIFT] = 32 - self._count
        s[S_LIMIT] = limit
        ring = (addressof(self._store) + _RING_BYTES - 1) & -_RING_BYTES
        s[S_RING] = ring >> 2
        s[S_DMA] = (_DMA_COUNTS >> 2) + 16 * self._dma.channel
        s[S_TIMER] = timer >> 2
        s[S_FDEBUG] = _FDEBUG >> 2
        s[S_START] = _PIO_SET >> 2
        s[S_MACHINE] = 1
        s[S_HELD] = 1
        return s

    def _start(self) -> None:
        """From the beginning, or again after the state machine had to wait: its clock stood still meanwhile."""
        s = self._s
        machine = self._machine
        dma = self._dma
        machine.active(0)
        dma.active(0)
        machine.init(self._program, freq=CHANGES_HZ, in_base=Pin(self._base, Pin.IN, Pin.PULL_UP))
        mem32[_FDEBUG] = 1
        ctrl = dma.pack_ctrl(inc_read=False, ring_sel=True, ring_size=_RING_BITS, treq_sel=_RX_REQUEST)
        dma.config(read=_RX_FIFO, write=s[S_RING] << 2, count=COUNT, ctrl=ctrl, trigger=True)
        held = disable_irq()
        start(MEMORY, s)
        enable_irq(held)
        s[S_AT] = 0
        s[S_LEFT] = COUNT
        for _ in range(_FIRST_TRIES):
            if dma.count != COUNT:
                break
        else:
            raise RuntimeError("PIO 1 does not run")
        skip(MEMORY, s)

    def watch(self, on: bool) -> None:
        """Report the slot beam's edges from this word on, or show 0. Either may itself be an edge."""
        self.watched = on
        s = self._s
        if s[S_UNTIL]:
            s[S_UNTIL] = 0  # cancelled before it was used
        else:
            self._watch_us = ticks_us()
            s[S_UNTIL] = self._dma.count

    # -- looks -----------------------------------------------------------------------------------------------------

    def news(self) -> bool:
        """Whether a sample would find anything. Words of no interest are taken here: a turning carousel makes many."""
        s = self._s
        if self.noisy != NO_LINE:
            return (ticks_us() - self._quiet_us) & _MASK >= QUIET_US
        if s[S_UNTIL] or not self._fresh:
            return True
        todo = look(MEMORY, s)
        if todo > 0:
            s[S_MODE] = PEEK
            todo = fold(MEMORY, s, self._store, s, self._store)
            s[S_MODE] = TAKE
        return todo != 0

    def take(self, inp: "InputImage") -> bool:
        """Levels and edges into the image. False: nothing is new, which is most often so and takes one look."""
        todo = look(MEMORY, self._s)
        return todo != 0 and self._take(inp, todo)

    def _take(self, inp: "InputImage", todo: int) -> bool:
        s = self._s
        if not self._fresh:
            return self._begin(inp)
        if self.noisy != NO_LINE:
            return self._wait_for_quiet(inp, todo)
        before = s[S_EDGES] = inp.edge_count
        if todo > 0:
            todo = fold(MEMORY, s, inp.edge, inp.edge_us, inp.raw)
        if todo == SPENT:
            self._start_dma()
            return self.take(inp)
        if todo < 0 and todo != BUSY:
            return self._lose(inp, todo)
        inp.edge_count = s[S_EDGES]
        if s[S_UNTIL]:
            self._watch_now(inp)
            return self.take(inp) or inp.edge_count != before
        return inp.edge_count != before

    def _begin(self, inp: "InputImage") -> bool:
        """Before the first sample only levels count; earlier edges are dropped."""
        self._fresh = True
        self._s[S_HELD] = 0
        self._s[S_ROOM] = len(inp.edge_us)
        self._recover()
        show(self._s, inp.raw)
        return True

    def _watch_now(self, inp: "InputImage") -> None:
        """All words before `watch` are folded."""
        s = self._s
        s[S_UNTIL] = 0
        s[S_WATCHED] ^= self._slot_bit
        if not s[S_LEVELS] & self._slot_bit:
            return
        inp.raw[self._slot] = 1 if self.watched else 0
        at = inp.edge_count
        if at == len(inp.edge_us):
            inp.edge_lost = True
            return
        us = self._watch_us
        if at and (inp.edge_us[at - 1] - us) & _MASK < _HALF:
            us = inp.edge_us[at - 1]  # a word came in while `watch` asked for the time
        inp.edge[at] = self._slot << 1 | inp.raw[self._slot]
        inp.edge_us[at] = us
        inp.edge_count = at + 1

    # -- too many --------------------------------------------------------------------------------------------------

    def _lose(self, inp: "InputImage", why: int) -> bool:
        self._name_noise(why)
        self._recover()
        inp.edge_lost = True
        show(self._s, inp.raw)
        return True

    def _name_noise(self, why: int) -> None:
        """If it is noise that took the edges: the line that makes it now, and a new wait for quiet. The ring still has
        its newest words."""
        s = self._s
        if why != NOISE:
            if not self._crowded():
                return
            loudest(MEMORY, s)
        self.noisy = s[S_NAMES + s[S_LOUD]]
        self._quiet_us = ticks_us()
        s[S_HELD] = 1

    def _crowded(self) -> bool:
        """Whether edges are gone because a line is noise, and not because no sample came for long. Words, or edges, of
        all lines together are held against the limit of one: where they do not fit, it is no card that made them.
        Words that came while others were read count too: an interrupt meanwhile can take as long as a ring of them."""
        s = self._s
        edges = s[S_LIMIT] * (((ticks_us() - s[S_SEEN_US]) & _MASK) // WINDOW_US + 1)
        return s[S_WORDS] > edges or s[S_EDGES] > edges or s[S_LEFT] - self._dma.count > edges

    def _wait_for_quiet(self, inp: "InputImage", todo: int) -> bool:
        s = self._s
        if todo > 0:
            s[S_MODE] = DROP
            todo = fold(MEMORY, s, inp.edge, inp.edge_us, inp.raw)
            s[S_MODE] = TAKE
        if todo < 0 and todo != BUSY:
            self._name_noise(todo)
            self._recover()
        elif (ticks_us() - self._quiet_us) & _MASK >= QUIET_US:
            self.noisy = NO_LINE
            s[S_HELD] = 0
        inp.edge_lost = True
        show(s, inp.raw)
        return True

    def _recover(self) -> None:
        """Go on from the newest word; with a new start where the clock cannot be trusted."""
        s = self._s
        s[S_EDGES] = 0
        if self._dma.count < COUNT // 2:
            self._start_dma()
        if s[S_UNTIL]:
            s[S_WATCHED] ^= self._slot_bit
        if mem32[_FDEBUG] & 1:
            self._start()
        else:
            skip(MEMORY, s)

    def _start_dma(self) -> None:
        """Give the channel its count again. It writes on where it was; up to eight words wait for it meanwhile."""
        s = self._s
        dma = self._dma
        dma.active(0)
        more = COUNT - dma.count
        dma.config(count=COUNT, trigger=True)
        s[S_LEFT] += more
        if s[S_UNTIL]:
            s[S_UNTIL] += more
