"""The UART as silicon has it. The one in rp2040py 0.3.6 sends in no time and asserts its TX interrupt for ever, on
which MicroPython's interrupt-driven driver hangs at the first write."""

# The emulator is installed only by `make hil` and has no types that could be relied on.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import importlib
from typing import Any

_module: Any = importlib.import_module("rp2040py.peripherals.uart")

_FIFO_SIZE = 32
_RX_LEVEL = 4
_TX_LEVEL = 16
_TXFF = 1 << 5
_BUSY = 1 << 3
_RT_INTERRUPT = 1 << 6
_RT_CHARS = 3.2  # 32 bit times without a byte
_BREAK = 1 << 10 | 1 << 8  # in the data register, with a byte of zeros: a break, and no stop bit


class Pl011(_module.RPUART):  # pyright: ignore[reportUntypedBaseClass]
    """A 32-deep transmit queue drained at the programmed rate; receive by level and by time-out."""

    tx_queue: bytearray
    tx_byte: int | None
    overruns: int
    held: bool  # the line stands still: what a chip can take on is then known to the byte

    @classmethod
    def replace(cls, uart: Any) -> None:
        """Make this UART of the emulator one of ours; before it runs."""
        uart.__class__ = cls
        uart.tx_queue = bytearray()
        uart.tx_byte = None
        uart.overruns = 0
        uart.held = False
        uart.tx_alarm = uart.rp2040.clock.create_alarm(uart.sent)
        uart.rx_alarm = uart.rp2040.clock.create_alarm(uart.rx_timeout)

    @property
    def flags(self) -> int:
        bits = _module.RXFF if self.rx_fifo.full else 0
        bits |= _module.RXFE if self.rx_fifo.empty else 0
        bits |= _TXFF if len(self.tx_queue) >= _FIFO_SIZE else 0
        if self.tx_queue:
            return bits | _BUSY
        return bits | _module.TXFE | (_BUSY if self.tx_byte is not None else 0)

    def byte_ns(self) -> float:
        bits = 1 + self.word_length + (1 if self._line_ctrl_register & 2 else 0)
        bits += 2 if self._line_ctrl_register & 8 else 1
        return bits * 1e9 / (self.baud_rate if self._int_divisor else 115200)

    def check_interrupts(self) -> None:
        self.rp2040.set_interrupt(self.irq, bool(self._interrupt_status & self._interrupt_mask))

    def sent(self) -> None:
        byte = self.tx_byte
        self.tx_byte = None
        if byte is not None and self.on_byte:
            self.on_byte(byte)
        self.load()

    def load(self) -> None:
        if self.held or self.tx_byte is not None or not self.tx_queue:
            return
        self.tx_byte = self.tx_queue.pop(0)
        self.tx_alarm.schedule(self.byte_ns())
        if len(self.tx_queue) in (0, _TX_LEVEL):
            self._interrupt_status |= _module.UARTTXINTR
            self.check_interrupts()

    def rx_timeout(self) -> None:
        if not self.rx_fifo.empty:
            self._interrupt_status |= _RT_INTERRUPT
            self.check_interrupts()

    def feed_byte(self, value: int) -> None:
        if self.rx_fifo.full:
            self.overruns += 1
            return
        self.rx_fifo.push(value)
        if self.rx_fifo.item_count >= _RX_LEVEL:
            self._interrupt_status |= _module.UARTRXINTR
        self.rx_alarm.schedule(self.byte_ns() * _RT_CHARS)
        self.check_interrupts()

    def feed_break(self) -> None:
        """The line has gone low and stays there. However long that lasts, the chip receives one character for it."""
        self.feed_byte(_BREAK)

    def read_uint32(self, offset: int) -> int:
        if offset != _module.UARTDR:
            return super().read_uint32(offset)
        value = 0 if self.rx_fifo.empty else self.rx_fifo.pull()
        if self.rx_fifo.item_count < _RX_LEVEL:
            self._interrupt_status &= ~_module.UARTRXINTR
        if self.rx_fifo.empty:
            self._interrupt_status &= ~_RT_INTERRUPT
        self.check_interrupts()
        return value

    def write_uint32(self, offset: int, value: int) -> None:
        if offset != _module.UARTDR:
            super().write_uint32(offset, value)
            return
        if len(self.tx_queue) < _FIFO_SIZE:
            self.tx_queue.append(value & 0xFF)
            if len(self.tx_queue) > _TX_LEVEL:
                self._interrupt_status &= ~_module.UARTTXINTR
        self.load()
        self.check_interrupts()

    def reset(self) -> None:
        self.tx_queue.clear()
        self.tx_byte = None
        self.tx_alarm.cancel()
        self.rx_alarm.cancel()
        super().reset()
