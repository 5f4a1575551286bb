"""The server of the dealer's page: taps reach the desk and are answered, values reach every browser, failures show."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from waits import LIMIT_S
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from fairshoe.errors import DeviceHalted, FairshoeError, PortError, StorageReplaced, UsageError
from fairshoe.messages import Message, Welcome
from fairshoe.web.desk_server import DeskServer

FILES = {"table.html": b"<p>table</p>"}
FAILURES: dict[str, FairshoeError] = {
    "alarm": StorageReplaced("the storage was replaced.", "Call service."),
    "halt": DeviceHalted("the device has halted.", "Restart it."),
}


class FakeDesk:
    """Shows what was tapped; "alarm" and "halt" end it."""

    def __init__(self) -> None:
        self.show: Callable[[dict[str, Any]], None] = lambda values: None
        self.heard: Callable[[Message], None] = lambda message: None
        self.linked: Callable[[bool, str], None] = lambda up, why: None
        self._ending = threading.Event()
        self._failure: FairshoeError | None = None

    @property
    def welcome(self) -> Welcome | None:
        return None

    def tap(self, tap: Any) -> Future[str]:
        answer: Future[str] = Future()
        if tap.get("do") in FAILURES:
            self._failure = FAILURES[tap["do"]]
            self._ending.set()
        if tap.get("do") == "refuse":
            answer.set_exception(UsageError("not now.", "Later."))
        else:
            self.show({"taps": tap})
            answer.set_result("done")
        return answer

    def run(self) -> None:
        self._ending.wait()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        self._ending.set()


@contextmanager
def fake() -> Generator[FakeDesk]:
    yield FakeDesk()


def serve(test: Callable[[DeskServer, str], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with DeskServer(fake, "a fake", FILES) as server:
            await asyncio.wait_for(test(server, urlsplit(server.url).netloc), LIMIT_S)

    asyncio.run(run())


def page(host: str, token: str) -> connect:
    return connect(f"ws://{host}/live?token={token}", origin=f"http://{host}")  # type: ignore[arg-type]


async def heard(client: ClientConnection, wanted: Callable[[dict[str, Any]], Any]) -> Any:
    while True:
        found = wanted(json.loads(await client.recv()))
        if found is not None:
            return found


def tap(message: dict[str, Any], name: str) -> Any:
    values: dict[str, Any] = message.get("delta") or message.get("snapshot") or {}
    return values.get(name)


def table(message: dict[str, Any]) -> Any:
    return tap(message, "table")


def stopped(message: dict[str, Any]) -> Any:
    link = tap(message, "link")
    return link if link and link["mode"] == "stopped" else None


def test_taps_are_answered_and_every_browser_sees_what_changes() -> None:
    async def test(server: DeskServer, host: str) -> None:
        token = urlsplit(server.url).fragment
        assert urlsplit(server.url).path == "/table.html" and len(token) >= 32
        with pytest.raises(InvalidStatus):
            await page(host, "wrong").__aenter__()
        async with page(host, token) as one, page(host, token) as two:
            await one.send('{"do": "close"}')
            assert await heard(one, lambda it: it.get("answer")) == "done"
            assert await heard(two, table) == {"taps": {"do": "close"}}
            for text, answer in (
                ('{"do": "refuse"}', "not now. Later."),
                ("[1]", "the page sent something that is no tap. Reload the page."),
                ("{", "the page sent something that is no command"),
            ):
                await one.send(text)
                assert await heard(one, lambda it: it.get("answer")) == answer
        async with page(host, token) as again:
            assert await heard(again, table) == {"taps": {"do": "close"}}

    serve(test)


def test_a_table_that_stops_says_so_on_the_page_and_ends_the_program_unless_it_is_an_alarm() -> None:
    async def halt(server: DeskServer, host: str) -> None:
        async with page(host, urlsplit(server.url).fragment) as client:
            await client.send('{"do": "halt"}')
            assert (await heard(client, stopped))["problem"] == "the device has halted."
            with pytest.raises(DeviceHalted):
                await server.alarm()

    async def test(server: DeskServer, host: str) -> None:
        async with page(host, urlsplit(server.url).fragment) as client:
            await client.send('{"do": "alarm"}')
            link = await heard(client, stopped)
            assert link["problem"] == "the storage was replaced." and link["advice"] == "Call service."
            assert await server.alarm() is FAILURES["alarm"]
            await client.send('{"do": "close"}')
            assert "has stopped" in await heard(
                client, lambda it: it["answer"] if "stopped" in it.get("answer", "") else None
            )

    serve(halt)
    serve(test)


def test_a_shoe_that_cannot_be_opened_is_an_error_of_the_command() -> None:
    @contextmanager
    def broken() -> Generator[FakeDesk]:
        raise PortError("no such port.", "Check it.")
        yield FakeDesk()

    async def run() -> None:
        async with DeskServer(broken, "broken", FILES):
            pass

    with pytest.raises(PortError, match="no such port"):
        asyncio.run(run())
