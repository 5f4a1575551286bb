"""Open a port from a URL, and open the same one again after it was lost.

/dev/ttyACM0, COM7            a serial device; on POSIX for one program at a time
tcp://host:port               a serial server's raw socket (socket:// means the same)
rfc2217://host:port           a serial server that speaks RFC 2217
sim://BOARD?seed=3            a simulated shoe in this process: sim/setup.py
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import serial

from fairshoe.errors import PortBusy, PortError, UsageError
from fairshoe.transport.busy_line import FirstBytes

if TYPE_CHECKING:
    from fairshoe.sim.port import SimPort

BAUD = 115200
READ_S = 0.05
WRITE_S = 5.0
CONNECT_S = 5.0
CHUNK = 4096
KNOWN = "a serial device, tcp://HOST:PORT, rfc2217://HOST:PORT or sim://BOARD"
_TCP = ("tcp", "socket")
_NETWORK = (*_TCP, "rfc2217")
_REFUSED = {
    "loop": "It only says back what you say: use sim://pico-carousel for a shoe without hardware.",
    "http": "A shoe talks over a serial line, not over HTTP.",
    "https": "A shoe talks over a serial line, not over HTTP.",
}


class Port(Protocol):
    """What the library needs of a port; pyserial's have it."""

    @property
    def in_waiting(self) -> int: ...

    def read(self, size: int, /) -> bytes: ...

    def write(self, data: bytes, /) -> Any: ...

    def close(self) -> None: ...


class TcpPort:
    """A raw socket as a port. `read` gives what there is, up to `size`, and waits at most `timeout` for the first."""

    def __init__(self, host: str, port: int, timeout: float = READ_S) -> None:
        self.timeout = timeout
        self._socket = socket.create_connection((host, port), CONNECT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._socket.settimeout(WRITE_S)
        self._arrived = bytearray()
        self._first = FirstBytes()

    @property
    def in_waiting(self) -> int:
        self._fill(0)
        return len(self._arrived)

    def read(self, size: int = 1) -> bytes:
        if not self._arrived:
            self._fill(self.timeout)
        data = bytes(self._arrived[:size])
        del self._arrived[:size]
        return data

    def write(self, data: bytes) -> int:
        self._socket.sendall(data)
        return len(data)

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def _fill(self, seconds: float) -> None:
        if self._socket.fileno() < 0:
            raise OSError(errno.EBADF, "the port is closed")
        if select.select([self._socket], [], [], seconds)[0]:
            data = self._socket.recv(CHUNK)
            if not data and not self._arrived:
                raise self._first.closed()
            self._arrived += data
            self._first.feed(data)


class PortAddress:
    """Where one port is. `open` may be called again when the port was lost: the same URL, the same simulated shoe."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.scheme = scheme_of(url)
        self._sim: SimPort | None = None

    @property
    def network(self) -> bool:
        """Whether a peer can disappear without notice."""
        return self.scheme in _NETWORK

    def open(self) -> Port:
        """PortError says why not, and PortBusy that another program has it."""
        try:
            return self._open()
        except (OSError, ValueError, NotImplementedError) as error:
            raise self.cannot_open(error) from error

    def cannot_open(self, error: Exception) -> PortError:
        if _is_busy(error):
            return PortBusy(
                f"another program has {self.url} open.",
                "End that program: two on one port take each other's bytes away.",
            )
        return PortError(f"cannot open {self.url}: {_reason(error)}.", self._advice())

    def lost(self, port: Port) -> None:
        """The port failed; what is left of it is let go."""
        if port is not self._sim:
            with contextlib.suppress(OSError, TypeError):
                port.close()

    def close(self) -> None:
        """A simulated shoe whose cable is out has to be let go of, too."""
        if self._sim is not None:
            self._sim.close()

    def _open(self) -> Port:
        if self.scheme == "sim":
            return self._open_sim()
        if self.scheme in _TCP:
            return TcpPort(*tcp_address(self.url))
        settings: dict[str, Any] = {"baudrate": BAUD, "timeout": READ_S}
        if not self.scheme:
            settings["write_timeout"] = WRITE_S  # which pyserial's RFC 2217 refuses
            if os.name == "posix":
                settings["exclusive"] = True
        return serial.serial_for_url(self.url, **settings)

    def _open_sim(self) -> Port:
        from fairshoe.sim.port import SimPort  # only who asks for a simulation loads one

        if self._sim is not None:
            return self._sim.reopen()
        self._sim = SimPort.from_url(self.url)
        return self._sim

    def _advice(self) -> str:
        if self.network:
            return "Check host and port, and that the serial server is there and has no other client."
        return "Check the name, the cable and your permission; `fairshoe ports` lists what is there."


def scheme_of(url: str) -> str:
    """`tcp`, `sim`, ...; empty for a serial device. UsageError for what can be no shoe."""
    scheme, sign, _rest = url.partition("://")
    if not sign:
        if not url:
            raise UsageError("no port was named.", f"Name {KNOWN}.")
        return ""
    scheme = scheme.lower()
    if scheme in _REFUSED:
        raise UsageError(f"{url} is no shoe.", _REFUSED[scheme])
    if scheme in _NETWORK:
        tcp_address(url)
    elif scheme != "sim" and not _pyserial_has(scheme):
        raise UsageError(f"{url}: there are no ports of the kind {scheme!r}.", f"Name {KNOWN}.")
    return scheme


def _pyserial_has(scheme: str) -> bool:
    handlers: list[str] = serial.protocol_handler_packages
    return scheme.isidentifier() and any(find_spec(f"{package}.protocol_{scheme}") for package in handlers)


def tcp_address(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise UsageError(
            f"{url} does not name a host and a port.", f"For example {url.partition(':')[0]}://10.0.0.7:4001."
        )
    return host, port


def _is_busy(error: Exception) -> bool:
    # pyserial passes the lock's errno on as text only.
    code = getattr(error, "errno", None)
    return code in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error)


def _reason(error: Exception) -> str:
    text = str(getattr(error, "strerror", None) or error) or "no answer in time"
    if isinstance(error, OSError) and error.errno and text.startswith("could not open port"):
        return os.strerror(error.errno)  # pyserial names the port twice
    return text.split("] ", 1)[-1].rstrip(".")
