"""A second host on a shoe's TCP port learns that the port is busy. A host that had the port before waits for it."""

import asyncio
import socket
import threading
import time

import pytest
from in_process import refusal
from waits import LIMIT_S, wait_until

from fairshoe import AsyncShoe, LinkBack, LinkLost, Shoe
from fairshoe.errors import PortBusy
from fairshoe.observe import discovery
from fairshoe.sim.port import SimPort
from fairshoe.sim.tcp_server import TcpDoor, address
from fairshoe.transport.busy_line import BUSY_LINE, FirstBytes, HostConnected

TRIES = 3
TRIES_S = 0.1 + 0.2 + 0.4  # at least, with patience that doubles


class Door(TcpDoor):
    """The simulator's TCP port with a simulated shoe behind it, in a thread of its own."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1", 0)
        self.refusals = 0
        self.drops = 0
        self.handed: socket.socket | None = None
        self._shoe = SimPort.from_url("sim://?speed=20&dealer=none")
        self._ending = threading.Event()
        self._swap = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Door":
        return self

    def __exit__(self, *_error: object) -> None:
        self._ending.set()
        self._thread.join()
        self.close()
        self._shoe.close()

    def give_to_another(self) -> None:
        """Drop the client; another host is connected before it comes back."""
        self._swap.set()

    def _run(self) -> None:
        while not self._ending.is_set():
            self._shoe.write(self.read())
            self.write(self._shoe.poll())
            if self._swap.is_set():
                self._swap.clear()
                self._hang_up()
                self._client, self.handed = socket.socketpair()
                self._client.setblocking(False)
            time.sleep(0.003)

    def _hang_up(self) -> None:
        self.drops += 1
        super()._hang_up()

    def _refuse(self, caller: socket.socket) -> None:
        self.refusals += 1
        super()._refuse(caller)


def test_a_second_client_gets_the_busy_line_and_the_end_of_the_stream_although_it_talks_first() -> None:
    with Door() as door:
        where = address(door.url.removeprefix("tcp://"))
        with socket.create_connection(where), socket.create_connection(where) as second:
            second.sendall(b"hello" * 500)
            wait_until(lambda: door.refusals == 1)
            second.sendall(b"hello" * 500)
            second.settimeout(LIMIT_S)
            assert b"".join(iter(lambda: second.recv(7), b"")) == BUSY_LINE
    assert 0 not in BUSY_LINE and BUSY_LINE.isascii()


def test_only_the_busy_line_alone_and_whole_means_busy() -> None:
    def closed_after(*pieces: bytes) -> bool:
        first = FirstBytes()
        for piece in pieces:
            first.feed(piece)
        return isinstance(first.closed(), HostConnected)

    assert closed_after(BUSY_LINE)
    assert closed_after(*(bytes([byte]) for byte in BUSY_LINE))
    for other in ((), (BUSY_LINE[:-1],), (BUSY_LINE, b"\0"), (b"\0", BUSY_LINE), (BUSY_LINE, BUSY_LINE)):
        assert not closed_after(*other)


def test_a_second_host_is_refused_in_words_and_the_first_goes_on() -> None:
    async def open_async(url: str) -> None:
        await AsyncShoe.open(url)

    with Door() as door, Shoe.open(door.url, answer_s=60) as first:
        words = f"another host is connected to {door.url}. Disconnect it"
        for reconnect in (True, False):
            with pytest.raises(PortBusy, match=words):
                Shoe.open(door.url, reconnect=reconnect, answer_s=60)
        with pytest.raises(PortBusy, match=words):
            asyncio.run(open_async(door.url))
        first.dictionary()
        assert door.refusals == 3 and door.drops == 0


def test_the_command_line_says_that_the_port_is_busy() -> None:
    with Door() as door, Shoe.open(door.url, answer_s=60):
        assert discovery.probe(door.url, seconds=LIMIT_S).kind == "busy"
        for command in (["status", door.url], ["monitor", door.url, "--once", "--plain"]):
            assert f"another host is connected to {door.url}" in refusal(PortBusy.exit_code, *command)


def test_a_shoe_whose_port_another_host_took_waits_until_it_is_free() -> None:
    lost: list[LinkLost] = []
    with Door() as door, Shoe.open(door.url, answer_s=60) as shoe:
        shoe.on(LinkLost, lost.append)
        started = time.monotonic()
        door.give_to_another()
        while door.refusals < TRIES and time.monotonic() < started + LIMIT_S:
            shoe.run(timeout_s=0.02)
        assert time.monotonic() > started + TRIES_S and len(lost) == 1  # one notice, however many tries
        assert door.handed is not None
        door.handed.close()
        back: list[LinkBack] = []
        shoe.on(LinkBack, back.append)
        shoe.run(until=lambda _message: bool(back), timeout_s=LIMIT_S)


async def test_an_async_shoe_whose_port_another_host_took_waits_until_it_is_free() -> None:
    lost: list[LinkLost] = []
    back = asyncio.Event()
    with Door() as door:
        async with AsyncShoe.open(door.url, answer_s=60) as shoe:
            shoe.on(LinkLost, lost.append)
            shoe.on(LinkBack, lambda _notice: back.set())
            started = time.monotonic()
            door.give_to_another()
            while door.refusals < TRIES and time.monotonic() < started + LIMIT_S:
                await asyncio.sleep(0.01)
            assert time.monotonic() > started + TRIES_S and len(lost) == 1
            assert door.handed is not None
            door.handed.close()
            await asyncio.wait_for(back.wait(), LIMIT_S)
