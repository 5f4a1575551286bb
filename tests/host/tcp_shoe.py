"""A serial server with a simulated shoe behind it: one client at a time, over a real socket."""

import contextlib
import select
import socket
import threading
from collections.abc import Callable

from fairshoe.sim_port import SimPort

SPEED = 20


class TcpShoe:
    """`drop` throws the client out, as a server does that is restarted; `stall` lets it hang without a word."""

    def __init__(self, query: str = "") -> None:
        self.port = SimPort.from_url(f"sim://?speed={SPEED}{query}", timeout=0)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
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
        self._thread.join(30)
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
        while not self._ending.is_set():
            if self._drop.is_set():
                self._drop.clear()
                return
            if select.select([client], [], [], 0.005)[0]:
                data = client.recv(4096)
                if not data:
                    return
                self.port.write(data)
            client.sendall(self._step())

    def _step(self) -> bytes:
        while self._todo:
            self._todo.pop(0)()
        return self.port.poll()
