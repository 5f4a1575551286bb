"""The line with which a TCP server that has a host turns the next one away: sent once, then the connection is closed.

It contains no zero byte, so no receiver takes it for a frame: a host that does not know the line sees a connection that
closes.
"""

from __future__ import annotations

import errno

from fairshoe.errors import PortBusy

BUSY_LINE = b"fairshoe: busy, another host is connected\r\n"


class HostConnected(OSError):
    """The peer sent the busy line and closed the connection."""


class FirstBytes:
    """The first bytes of a connection, as many as it takes to tell why the peer closed it."""

    def __init__(self) -> None:
        self._bytes = b""

    def feed(self, data: bytes) -> None:
        if len(self._bytes) <= len(BUSY_LINE):
            self._bytes = (self._bytes + data)[: len(BUSY_LINE) + 1]

    def closed(self) -> OSError:
        """The error for a connection that the peer has closed."""
        if self._bytes == BUSY_LINE:
            return HostConnected(errno.EBUSY, "another host is connected")
        return ConnectionResetError(errno.ECONNRESET, "the other side closed the connection")


def port_busy(url: str) -> PortBusy:
    return PortBusy(
        f"another host is connected to {url}.", "Disconnect it, or use another port: a port serves one host at a time."
    )
