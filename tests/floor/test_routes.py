"""Notices of alarms: a route that is down, or is none, holds up nothing and gets its notices later."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from fairshoe.cli.floor_options import run_until_stopped
from fairshoe_floor.alarms.routes import AGAIN_S, WAITING_MAX, Sender, notice
from fairshoe_floor.alarms.rules import Route, RuleBook


class Hook:
    """A webhook that answers with these bytes, and keeps the bodies that it was sent."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.bodies: list[bytes] = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.server.getsockname()[1]}/"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self.server.accept()[0]
                said = client.recv(65536)
                while not said.endswith(b"}"):
                    said += client.recv(65536)
                self.bodies.append(said)
                client.sendall(self.answer)
                client.close()


@pytest.fixture
def hook() -> Iterator[Hook]:
    made = Hook(b"HTTP/1.1 204 No Content\r\n\r\n")
    yield made
    made.server.close()


def said(number: int) -> dict[str, object]:
    return notice("raised", "silent", "major", number, 0.0, "nothing was heard")


@pytest.mark.parametrize("answer", [b"SSH-2.0-other\r\n\r\n", b"HTTP/1.1 500 Broken\r\n\r\n", b""])
def test_a_webhook_that_is_down_gets_its_notices_in_order_when_it_is_back(hook: Hook, answer: bytes) -> None:
    well, hook.answer = hook.answer, answer
    sender = Sender(RuleBook((), (Route(hook.url),)))
    sender.add("major", said(1))
    sender.add("major", said(2))
    sender.deliver(1000.0)
    sender.deliver(1000.0 + AGAIN_S - 1)  # it is left alone
    assert len(hook.bodies) == 1
    hook.bodies.clear()
    hook.answer = well
    sender.deliver(1000.0 + AGAIN_S)
    sender.deliver(1000.0 + AGAIN_S)
    assert [b'"0000000%d"' % number in body for number, body in enumerate(hook.bodies, 1)] == [True, True]


def test_a_route_that_is_down_or_cannot_be_one_does_not_hold_up_another(hook: Hook) -> None:
    down = socket.create_server(("127.0.0.1", 0))
    port = down.getsockname()[1]
    down.close()
    wrong = (f"http://127.0.0.1:{port}/", "http://127.0.0.1:port/", "http://a b/", "syslog://127.0.0.1:many")
    sender = Sender(RuleBook((), (*(Route(url) for url in wrong), Route(hook.url, "major"))))
    sender.add("minor", said(1))
    sender.add("major", said(2))
    sender.deliver(1000.0)
    assert len(hook.bodies) == 1 and b'"00000002"' in hook.bodies[0]


def test_what_waits_for_a_route_has_a_limit(hook: Hook) -> None:
    sender = Sender(RuleBook((), (Route(hook.url),)))
    for number in range(WAITING_MAX + 1):
        sender.add("major", said(number))
    sender.deliver(1000.0)
    assert b'"00000001"' in hook.bodies[0]


class Program:
    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.stopped = False

    async def run(self) -> None:
        if self.error is not None:
            raise self.error
        while not self.stopped:
            await asyncio.sleep(0.01)

    def stop(self) -> None:
        self.stopped = True


def test_a_part_that_fails_ends_the_process() -> None:
    well = Program(None)
    with pytest.raises(ValueError, match="broken"):
        run_until_stopped(well, Program(ValueError("broken")))
    assert well.stopped
