"""A serial server with a simulated shoe behind it: one client at a time, over a real socket."""

import contextlib
import select
import socket
import threading
from collections.abc import Callable
from typing import Any

import serial
from serial.rfc2217 import PortManager

import fairshoe.serial_urls
from fairshoe.sim.port import SimPort

SPEED = 20


class TcpShoe:
    """`drop` throws the client out, as a server does that is restarted. With rfc2217 pyserial's own end of that
    protocol stands between, which sets up a port that it takes for a serial one."""

    def __init__(self, query: str = "", rfc2217: bool = False) -> None:
        assert fairshoe.serial_urls.__name__ in serial.protocol_handler_packages
        self._serial: Any = serial.serial_for_url(f"sim://?speed={SPEED}{query}", timeout=0)
        self.port: SimPort = self._serial.sim
        self._rfc2217 = rfc2217
        self._server = socket.create_server(("127.0.0.1", 0))
        scheme = "rfc2217" if rfc2217 else "tcp"
        self.url = f"{scheme}://127.0.0.1:{self._server.getsockname()[1]}"
        self.clients = 0
        self.refuse = 0
        self._todo: list[Callable[[], object]] = []
        self._ending = threading.Event()
        self._drop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def drop(self) -> None:
        self._drop.set()

    def do(self, function: Callable[[], object]) -> None:
        """In the thread that the simulated shoe lives in."""
        self._todo.append(function)

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self._server.close()
        self.port.close()

    def __enter__(self) -> "TcpShoe":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            self._step()
            if not select.select([self._server], [], [], 0.005)[0]:
                continue
            client, _address = self._server.accept()
            with client, contextlib.suppress(OSError):
                if self.refuse:
                    self.refuse -= 1
                    continue
                self.clients += 1
                self._talk(client)

    def _talk(self, client: socket.socket) -> None:
        writer: Any = _Writer(client)
        manager: Any = PortManager(self._serial, writer) if self._rfc2217 else None
        while not self._ending.is_set():
            if self._drop.is_set():
                self._drop.clear()
                return
            if select.select([client], [], [], 0.005)[0]:
                data = client.recv(4096)
                if not data:
                    return
                self.port.write(b"".join(manager.filter(data)) if manager else data)
            arrived = self._step()
            client.sendall(b"".join(manager.escape(arrived)) if manager else arrived)

    def _step(self) -> bytes:
        while self._todo:
            self._todo.pop(0)()
        return self.port.poll()


class _Writer:
    """What a PortManager answers through."""

    def __init__(self, client: socket.socket) -> None:
        self.write = client.sendall
