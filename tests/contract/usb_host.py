"""A USB host at the other end of a board's console: `sys.stdin`, `sys.stdout` and `select` for hal/board/usb.py.

Whatever would make the device wait is an error here: a read without a byte, a write without room, a poll with patience.
"""

from types import SimpleNamespace
from typing import Any


class UsbHost:
    """Bytes on their way in, bytes that arrived, and how many more the host's buffer takes."""

    POLLIN = 1
    POLLOUT = 4

    def __init__(self, room: int = 64) -> None:
        self.received = bytearray()
        self.sent = bytearray()
        self.room = room
        self.stdin = SimpleNamespace(buffer=SimpleNamespace(readinto=self._readinto))
        self.stdout = SimpleNamespace(buffer=SimpleNamespace(write=self._write))

    def poll(self) -> "Poll":
        return Poll(self)

    def take(self) -> bytes:
        """The host reads."""
        data = bytes(self.sent)
        self.room += len(data)
        self.sent.clear()
        return data

    def _readinto(self, buf: bytearray) -> int:
        assert len(buf) <= len(self.received), "the device would wait for a byte"
        buf[:] = self.received[: len(buf)]
        del self.received[: len(buf)]
        return len(buf)

    def _write(self, data: Any) -> int:
        assert len(data) <= self.room, "the device would wait for its host"
        self.sent += bytes(data)
        self.room -= len(data)
        return len(data)


class Poll:
    """`select.poll()`."""

    def __init__(self, host: UsbHost) -> None:
        self.host = host
        self.watched: list[tuple[Any, int]] = []

    def register(self, stream: Any, flags: int) -> None:
        self.watched.append((stream, flags))

    def poll(self, timeout: int) -> list[tuple[Any, int]]:
        assert timeout == 0, "the device would wait"
        host = self.host
        ready = {id(host.stdin): bool(host.received), id(host.stdout): host.room > 0}
        return [(stream, flags) for stream, flags in self.watched if ready[id(stream)]]
