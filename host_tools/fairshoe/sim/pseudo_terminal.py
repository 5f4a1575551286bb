"""Pseudo-terminals for the ports of a simulated shoe. They exist on Linux and macOS only; elsewhere there is TCP."""

from __future__ import annotations

import os

from fairshoe.errors import UsageError

try:
    import tty
except ImportError:  # Windows
    tty = None


def available() -> bool:
    return tty is not None and hasattr(os, "openpty")


class PseudoTerminal:
    """One port. Its far end stays open here, so that programs may come and go."""

    def __init__(self) -> None:
        if tty is None or not available():
            raise UsageError(
                "this system has no pseudo-terminals.",
                "Use TCP: fairshoe sim --tcp 4001, and tcp://127.0.0.1:4001 as PORT of other commands.",
            )
        self.near, self._far = os.openpty()
        tty.setraw(self._far)
        os.set_blocking(self.near, False)
        self.path = os.ttyname(self._far)

    def descriptors(self) -> list[int]:
        return [self.near]

    def write(self, data: bytes | bytearray) -> int:
        """How many bytes were written: none if the buffer is full because no program reads."""
        try:
            return os.write(self.near, data)
        except BlockingIOError:
            return 0

    def read(self) -> bytes:
        try:
            return os.read(self.near, 4096)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self.near)
        os.close(self._far)


class NoPort:
    """In place of a pseudo-terminal, where there are none and TCP is used."""

    path = ""

    def descriptors(self) -> list[int]:
        return []

    def write(self, data: bytes | bytearray) -> int:
        return len(data)

    def read(self) -> bytes:
        return b""

    def close(self) -> None:
        pass
