"""A TCP port for a simulated shoe: one client at a time, as on a serial cable. A second one gets the busy line."""

from __future__ import annotations

import contextlib
import math
import socket
import time

from fairshoe.errors import UsageError, cannot_listen
from fairshoe.transport.busy_line import BUSY_LINE

LOOPBACK = "127.0.0.1"
SPEECHLESS_S = 10.0  # a host says hello at once: what has said nothing for so long gives way to one that calls
REFUSED_MAX = 8  # connections that were refused and not closed by their client yet


def address(text: str) -> tuple[str, int]:
    """`4001`, `10.0.0.7:4001`, `[::1]:4001`; this machine alone unless a host is named. Port 0 takes any."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535 or (":" in text and not host):
        raise UsageError(f"{text!r} is no [HOST:]PORT.", "For example --tcp 4001, or --tcp 0.0.0.0:4001.")
    return host.strip("[]") or LOOPBACK, int(port)


class TcpDoor:
    """Has what a port of the simulator has: read and write that never wait, and descriptors to wait for."""

    def __init__(self, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._listener = socket.create_server((host, port), family=family, backlog=4)
        except (OSError, OverflowError) as error:
            raise cannot_listen(host, port, error, "--tcp") from error
        self._listener.setblocking(False)
        self._client: socket.socket | None = None
        self._speechless_at = 0.0  # from when on the client gives way; of one that has spoken: never
        self._refused: list[socket.socket] = []
        bound = self._listener.getsockname()
        self.url = f"tcp://[{bound[0]}]:{bound[1]}" if ":" in bound[0] else f"tcp://{bound[0]}:{bound[1]}"

    def descriptors(self) -> list[int]:
        return [self._listener.fileno(), *([self._client.fileno()] if self._client else [])]

    def write(self, data: bytes | bytearray) -> None:
        if self._client is None:
            return
        try:
            self._client.send(data)  # as a UART does: what is not taken now is gone
        except BlockingIOError:
            pass
        except OSError:
            self._hang_up()

    def read(self) -> bytes:
        """What the client has sent. A caller is answered once the client is known to be there or gone: a program that
        is started again at once must not be refused because of its own last connection."""
        data = self._receive()
        if not data:
            self._answer()
            self._drain()
        return data

    def _receive(self) -> bytes:
        if self._client is None:
            return b""
        try:
            data = self._client.recv(4096)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._hang_up()
        self._speechless_at = math.inf
        return data

    def close(self) -> None:
        self._hang_up()
        for refused in self._refused:
            refused.close()
        self._listener.close()

    def _answer(self) -> None:
        with contextlib.suppress(BlockingIOError):
            caller = self._listener.accept()[0]
            caller.setblocking(False)
            if self._client is not None:
                if time.monotonic() < self._speechless_at:
                    self._refuse(caller)
                    return
                self._hang_up()
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._client = caller
            self._speechless_at = time.monotonic() + SPEECHLESS_S

    def _refuse(self, caller: socket.socket) -> None:
        """Send the busy line and the end of the stream. Closing now, with the caller's hello unread, would reset the
        connection, and the line could be lost."""
        self._refused.append(caller)
        with contextlib.suppress(OSError):
            caller.send(BUSY_LINE)
            caller.shutdown(socket.SHUT_WR)
        if len(self._refused) > REFUSED_MAX:
            self._refused.pop(0).close()

    def _drain(self) -> None:
        """Throw away what refused callers send, until they close."""
        for refused in list(self._refused):
            try:
                ended = not refused.recv(4096)
            except BlockingIOError:
                continue
            except OSError:
                ended = True
            if ended:
                self._refused.remove(refused)
                refused.close()

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None
