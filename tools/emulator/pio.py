"""PIO and the DMA that it asks for, in step with the emulated clock.

The emulator gives PIO one instruction for each of the core's and writes off the rest, so that it all but stands still
while the core sleeps; and asking both blocks takes a quarter of its time. Here they run up to the present when it
matters: before an input pin changes, before the core looks at PIO or DMA, and whenever `sync` is called. A transfer
that PIO asks for happens at once, as in silicon within a few cycles. A joined receive queue is eight words deep; if it
is full the state machine waits, and FDEBUG says so. Not modelled: DMA that other bus masters hold up, and the two
cycles by which inputs are synchronised.
"""

from collections.abc import Callable
from typing import Any

_CLOCK_MHZ = 125
_PIO_REQUESTS = 16  # DMA requests of both blocks, the first of all
_SHIFT_CONTROL = 0x0D0  # of the first state machine of a block; 24 bytes each
_MACHINE_BYTES = 0x18
_JOIN_RX = 1 << 31
_TURN = 10  # cycles, of hal/rp2/changes.py
_FIRST = 0xA047  # its first instruction, mov y, osr
_SHAKEN = 4  # which of its instructions takes the pins in


class Unasked(dict[int, Any]):
    """Can be indexed, as pins do, and is empty for the loop over instructions, which asks it after each one: an empty
    dict takes a fifth off the time of a run."""

    def __init__(self, blocks: list[Any]) -> None:
        super().__init__()
        self._blocks = blocks

    def __missing__(self, number: int) -> Any:
        return self._blocks[number]


class Registers:
    """What the core sees of a block: up to date whenever it looks."""

    def __init__(self, pio: Any, sync: Callable[[], None], written: Callable[[Any], None]) -> None:
        self.pio = pio
        self._sync = sync
        self._written = written

    def read_uint32(self, offset: int) -> int:
        self._sync()
        return int(self.pio.read_uint32(offset))

    def write_uint32(self, offset: int, value: int) -> None:
        self._sync()
        self.pio.write_uint32(offset, value)
        self._join(offset)
        self._written(self.pio)

    def write_uint32_atomic(self, offset: int, value: int, kind: Any) -> None:
        self._sync()
        self.pio.write_uint32_atomic(offset, value, kind)
        self._join(offset)
        self._written(self.pio)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pio, name)

    def _join(self, offset: int) -> None:
        """Eight words for a queue that is joined, and nothing in one that changes."""
        number, rest = divmod(offset - _SHIFT_CONTROL, _MACHINE_BYTES)
        if rest == 0 and 0 <= number < 4:
            machine = self.pio.machines[number]
            words = 8 if machine.shift_ctrl & _JOIN_RX else 4
            if machine.rx_fifo.size != words:
                machine.rx_fifo = type(machine.rx_fifo)(words)


class PioClock:
    """Both blocks of a chip, from when this is made."""

    def __init__(self, mcu: Any, clock: Any) -> None:
        self.blocks = list(mcu.pio)
        self._mcu = mcu
        self._clock = clock
        self._busy = False
        self._on_write: dict[int, Callable[[], None]] = {}
        mcu.pio = Unasked(self.blocks)
        for key, part in list(mcu.peripherals.items()):
            if part in self.blocks:
                mcu.peripherals[key] = Registers(part, self.sync, self._written)
        dma = mcu.dma
        dma.read_uint32 = self._after_sync(dma.read_uint32)
        dma.write_uint32 = self._after_sync(dma.write_uint32)
        for channel in dma.channels:
            channel.schedule_transfer = self._at_once(dma, channel, channel.schedule_transfer)

    def works(self, number: int) -> bool:
        """Whether a state machine of this block executes instructions, or has a word to go on with."""
        return any(
            machine.enabled and (not machine.waiting or not machine.tx_fifo.empty)
            for machine in self.blocks[number].machines
        )

    def sync(self) -> None:
        """Run up to the present. What that sets off asks again, and is answered by the run that is under way."""
        if self._busy:
            return
        self._busy = True
        target = int(self._clock.nanos * 256 * _CLOCK_MHZ // 1000)
        for pio in self.blocks:
            while not pio.stopped and pio.next_due_fp <= target:
                if not self._skip_turns(pio, target):
                    pio.advance(max((pio.next_due_fp - pio.cycle_fp + 255) >> 8, 0))
            pio.cycle_fp = max(pio.cycle_fp, target)
        self._busy = False

    def on_write(self, number: int, action: Callable[[], None]) -> None:
        """Call when the core or DMA has written a register of this block."""
        self._on_write[number] = action

    def _written(self, pio: Any) -> None:
        action = self._on_write.get(self.blocks.index(pio))
        if action is not None:
            action()

    def _skip_turns(self, pio: Any, target: int) -> bool:
        """Whole turns in which the program that watches the beams sees nothing new: only its count falls."""
        machine = pio.machines[0]
        bottom = (machine.exec_ctrl >> 7) & 31
        if machine.pc != bottom or pio.instructions[bottom] != _FIRST or machine.next_due_fp != pio.next_due_fp:
            return False
        if any(other.enabled and not other.waiting for other in pio.machines[1:]):
            return False
        mask = (1 << (pio.instructions[bottom + _SHAKEN] & 31)) - 1
        turn = _TURN * machine.div_fp
        turns = (target - machine.next_due_fp) // turn - 1
        if turns <= 0 or machine.x != (self._mcu.gpio_values >> machine.in_base) & mask:
            return False
        machine.output_shift_reg = (machine.output_shift_reg - turns) & 0xFFFFFFFF
        machine.next_due_fp += turns * turn
        pio.recompute_due()
        return True

    def _after_sync(self, access: Callable[..., Any]) -> Callable[..., Any]:
        def synced(*arguments: int) -> Any:
            self.sync()
            return access(*arguments)

        return synced

    def _at_once(self, dma: Any, channel: Any, later: Callable[[], None]) -> Callable[[], None]:
        def schedule() -> None:
            if channel.treq >= _PIO_REQUESTS:
                later()
            elif dma.dreq.get(channel.treq, False):
                channel.transfer()

        return schedule
