"""The USB serial port as the service link. No prompt is there while the firmware runs: bytes in, bytes out.

A byte at a time, and only when there is room for it: a write of more would wait for a host that does not read, half a
second, which is as long as the watchdog waits.
"""

import select
import sys

from micropython import const

_POLLIN = const(1)  # select.POLLIN
_POLLOUT = const(4)
_WRITE_MAX = const(32)  # bytes a call: each is a question to the driver


class UsbPort:
    """The three verbs of a UART that the link uses."""

    def __init__(self) -> None:
        self._in = select.poll()
        self._in.register(sys.stdin, _POLLIN)
        self._out = select.poll()
        self._out.register(sys.stdout, _POLLOUT)
        self._one = bytearray(1)

    def any(self) -> int:
        return len(self._in.poll(0))

    def readinto(self, buf: bytearray, size: int) -> int:
        """As many bytes as are there; size is the caller's guess, and too small."""
        taken = 0
        while taken < len(buf) and self._in.poll(0):
            sys.stdin.buffer.readinto(self._one)  # pyright: ignore[reportAttributeAccessIssue]
            buf[taken] = self._one[0]
            taken += 1
        return taken

    def write(self, buf: memoryview, start: int, size: int) -> int:
        sent = 0
        while sent < min(size, _WRITE_MAX) and self._out.poll(0):
            sys.stdout.buffer.write(buf[start + sent : start + sent + 1])
            sent += 1
        return sent
