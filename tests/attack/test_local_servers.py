"""Hold a server of this machine with requests that never end, upset it with ones that are none, or read its files as
another user. Loopback only."""

import asyncio
import contextlib
import http.client
import os
import socket
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from waits import LIMIT_S, wait_until

from fairshoe import Shoe, Store
from fairshoe.files import WINDOWS
from fairshoe.web import live_server, server
from fairshoe.web.live_server import LiveServer
from fairshoe.web.live_view import LiveView
from fairshoe.web.server import PageServer
from fairshoe_table.books.books import Books

HALVES = 100
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "
BAD = [
    b"\0\1\2\3\r\n\r\n",
    b"GET http://[ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET " + b"a" * 70000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 300 + b"\r\n",
    b"GET /%ff%00 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: -5\r\n\r\n",
]


@contextlib.contextmanager
def page() -> Generator[int]:
    files = PageServer({"index.html": b"hello"})
    thread = threading.Thread(target=files.serve_forever, daemon=True)
    thread.start()
    try:
        yield files.server_address[1]
    finally:
        files.shutdown()
        files.server_close()


@contextlib.contextmanager
def live() -> Generator[int]:
    """In a loop of a thread of its own."""
    started: list[int] = []
    ending = threading.Event()

    async def run() -> None:
        async with LiveServer({"live.html": b"hello"}, LiveView("shoe")) as it:
            started.append(int(it.url.split(":")[2].split("/")[0]))
            while not ending.is_set():
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    wait_until(lambda: started)
    try:
        yield started[0]
    finally:
        ending.set()
        thread.join()


SERVERS = {"page": (page, "/"), "live": (live, "/live.html")}


def answered(port: int, path: str) -> bool:
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    with contextlib.closing(asking), contextlib.suppress(ConnectionError, http.client.HTTPException):
        asking.request("GET", path)
        return asking.getresponse().read() == b"hello"
    return False


def half_requests(port: int, count: int) -> list[socket.socket]:
    found: list[socket.socket] = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            it = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)
            found.append(it)
            it.sendall(HALF)
    return found


def until_closed(sockets: list[socket.socket]) -> None:
    """By the server."""
    for it in sockets:
        with contextlib.closing(it), contextlib.suppress(ConnectionError):
            while it.recv(4096):
                pass


def test_half_requests_hold_a_bounded_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    handler = server._Handler  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(handler, "timeout", LIMIT_S)
    with page() as port:
        before = threading.active_count()
        held = half_requests(port, HALVES)
        until_closed(held[: -server.CONNECTIONS_MAX])
        wait_until(lambda: threading.active_count() - before <= server.CONNECTIONS_MAX + 2)
        assert answered(port, "/"), "the oldest made room"
        monkeypatch.setattr(handler, "timeout", 0.2)
        until_closed(half_requests(port, 5))
        for it in held:
            it.close()


def test_half_requests_hold_a_bounded_number_of_connections_for_a_bounded_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_server, "REQUEST_S", 1.0)
    with live() as port:
        held = half_requests(port, HALVES)
        until_closed(held)
        wait_until(lambda: answered(port, "/live.html"))


@pytest.mark.parametrize("name", SERVERS)
def test_bad_requests_leave_no_traceback_and_the_server_answers_on(
    name: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    serve, path = SERVERS[name]
    with serve() as port:
        for request in BAD:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as it:
                it.sendall(request)
                it.shutdown(socket.SHUT_WR)
                while it.recv(4096):
                    pass
        assert answered(port, path)
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err + caplog.text and err == ""


@pytest.mark.skipif(WINDOWS, reason="access lists there, not modes")
@pytest.mark.parametrize("before", [None, 0o644])
def test_files_with_keys_money_or_secrets_are_their_owners_alone(tmp_path: Path, before: int | None) -> None:
    """The store has the secret of nonces, the books money, and the storage of a simulated shoe its keys."""
    old = os.umask(0o022)
    try:
        names = ("store.db", "books.db", "shoe.nv")
        for _ in range(2):
            with Store(tmp_path / names[0]) as store, Books(tmp_path / names[1]):
                store.share_secret()
                with Shoe.open(f"sim://?dealer=none&storage={tmp_path / names[2]}"):
                    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
            assert {*names, "store.db-wal", "books.db-wal"} <= set(modes)
            assert set(modes.values()) == {0o600}, modes
            if before is not None:
                for path in tmp_path.iterdir():
                    path.chmod(before)
    finally:
        os.umask(old)
