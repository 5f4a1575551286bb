"""A UART that sends by itself. MicroPython's write on this port waits until the last bit is on the wire: 22 ms for a
long frame, where a scan has four. So bytes go into a ring, and a timer's interrupt hands them to the chip's queue."""

import pyb
import stm
from machine import UART
from micropython import const

from hal.board.port import RX_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_RING = const(1024)  # a full window of events and a status
_PUMP_TIMER = const(4)
_PUMP_HZ = const(2000)
_PUMP_BYTES = const(8)  # 16 KB/s, more than 115,200 baud take; the chip's queue has room for 16
_ROOM = const(0x80)  # USART_ISR: the transmit queue is not full


class PumpedUart:
    """The verbs of a UART that the link uses. Nothing here allocates once made: the pump runs in an interrupt."""

    def __init__(self, number: int, baud: int) -> None:
        uart: "Any" = UART(number, baud, rxbuf=RX_BYTES)
        self.any = uart.any
        self.readinto = uart.readinto
        base = stm.USART2 if number == 2 else stm.USART6
        self._state = base + stm.USART_ISR
        self._data = base + stm.USART_TDR
        self._ring = bytearray(_RING)
        self._head = 0
        self._tail = 0
        self._timer: "Any" = pyb.Timer(_PUMP_TIMER, freq=_PUMP_HZ)
        self._pump = self._on_timer  # bound once: binding allocates
        self._pumping = False

    def write(self, buf: memoryview, start: int, size: int) -> int:
        """As much as the ring has room for."""
        head = self._head
        taken = 0
        while taken < size:
            after = (head + 1) % _RING
            if after == self._tail:
                break
            self._ring[head] = buf[start + taken]
            head = after
            taken += 1
        # At once, when all of it is there.
        self._head = head
        if taken and not self._pumping:
            self._pumping = True
            self._timer.callback(self._pump)
        return taken

    def _on_timer(self, timer: "Any") -> None:
        for _ in range(_PUMP_BYTES):
            tail = self._tail
            if tail == self._head:
                timer.callback(None)
                self._pumping = False
                return
            if not stm.mem32[self._state] & _ROOM:
                return
            stm.mem32[self._data] = self._ring[tail]
            self._tail = (tail + 1) % _RING
