"""The live page's server: who may open its socket, what reaches a browser, and that no browser reaches the shoe."""

import asyncio
import contextlib
import copy
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from tcp_shoe import TcpShoe
from waits import LIMIT_S, until
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.keys import RoleKey, role_key
from fairshoe.messages import EmptyProved, Health, Meters, Mode, Part, Role, RoundEnded, Serviced, Wear, Welcome
from fairshoe.web import live_shoe
from fairshoe.web.live_server import BROWSERS_MAX, BYE_READ_ONLY, HEARD_MAX, QUEUE_MAX, Browser, LiveServer
from fairshoe.web.live_shoe import COMMANDS, Host, Observer
from fairshoe.web.live_view import LiveView

PAGE = Path(__file__).resolve().parents[3] / "host_tools" / "fairshoe" / "web" / "page"
FILES = {"live.html": b"<p>page</p>"}
HOSTILE = "<b>x</b>"  # a device has eight characters for its game


def welcome(game: str) -> Welcome:
    return Welcome(1, Role.CLEAR, bytes(16), bytes(16), 7, 1, Mode.TABLE, 0, bytes(8), "1.0", game, 1, 0, 0)


@contextlib.asynccontextmanager
async def live(view: LiveView | None = None, **more: Any) -> AsyncGenerator[tuple[LiveServer, str]]:
    async with LiveServer(FILES, view or LiveView("tcp://shoe:1"), **more) as server:
        yield server, urlsplit(server.url).netloc


def socket(server: LiveServer, host: str, token: str | None = None, origin: str | None = "") -> connect:
    """A client that says it is the page; each part can be something else."""
    address = f"ws://{host}/live?token={server.token if token is None else token}"
    return connect(address, origin=cast(Any, f"http://{host}" if origin == "" else origin))


async def status_of(attempt: connect) -> int:
    try:
        async with attempt:
            return 101
    except InvalidStatus as error:
        return error.response.status_code


async def get(host: str, path: str, headers: str) -> str:
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\n{headers}\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer.decode()


async def test_the_socket_wants_the_token() -> None:
    async with live() as (server, host):
        assert len(server.token) >= 32 and server.url.endswith(f"#{server.token}")
        assert await status_of(socket(server, host)) == 101
        for wrong in ("", "x", server.token[:-1], server.token + "x", "%C3%A4"):
            assert await status_of(socket(server, host, wrong)) == 403, wrong


async def test_the_socket_wants_its_own_origin() -> None:
    async with live() as (server, host):
        for origin in (
            None,
            "null",
            "http://evil.example",
            "http://127.0.0.1:1",
            f"https://{host}",
            f"http://{host}.evil",
        ):
            assert await status_of(socket(server, host, origin=origin)) == 403, origin


async def test_a_name_that_is_not_this_machine_is_refused() -> None:
    async with live() as (server, host):
        port = host.partition(":")[2]
        for wrong in (f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "", f"{host}\r\nHost: {host}"):
            for path in ("/live.html", f"/live?token={server.token}"):
                answer = await get(host, path, f"Host: {wrong}\r\nOrigin: http://{wrong}\r\n")
                assert answer.startswith("HTTP/1.1 403 "), (wrong, path)
        assert (await get(host, "/live.html", f"Host: localhost:{port}\r\n")).startswith("HTTP/1.1 200 ")


async def test_the_page_has_a_policy_and_nothing_else_is_served() -> None:
    async with live() as (_server, host):
        answer = await get(host, "/live.html", f"Host: {host}\r\n")
        assert "default-src 'self'" in answer and f"connect-src 'self' ws://{host}" in answer
        assert "nosniff" in answer and "no-referrer" in answer and "'unsafe-inline'" not in answer
        for path in ("/../pyproject.toml", "/%2e%2e/x", "/live.html/", "/nothing"):
            assert (await get(host, path, f"Host: {host}\r\n")).startswith("HTTP/1.1 404 "), path


async def test_a_browser_that_sends_anything_to_a_read_only_page_is_disconnected() -> None:
    async with live() as (server, host):
        async with socket(server, host) as client:
            await client.recv()
            await client.send('{"command": "release"}')
            with pytest.raises(ConnectionClosed) as closed:
                await client.recv()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == BYE_READ_ONLY


async def test_without_control_a_host_gives_no_command() -> None:
    host = Host("sim://pico-carousel")
    for name in (*COMMANDS, "record"):
        with pytest.raises(UsageError, match="gives no command"):
            await host.give(name, 1 if name == "set_positions" else None)


def test_control_wants_a_key_that_may_command(tmp_path: Path) -> None:
    for key in (None, RoleKey(Role.OBSERVER, bytes(32)), RoleKey(Role.AUDITOR, bytes(32))):
        with pytest.raises(UsageError, match="need the table's key"):
            Host("tcp://127.0.0.1:1", key, tmp_path / "store")


async def test_with_control_only_known_commands_of_the_right_form_are_given(tmp_path: Path) -> None:
    host = Host("tcp://127.0.0.1:1", RoleKey(Role.TABLE, bytes(32)), tmp_path / "store")
    for name, argument in (("record", None), ("key_install", None), ("release", 1), ("set_positions", None)):
        with pytest.raises(UsageError, match="gives no command"):
            await host.give(name, argument)
    given: list[tuple[str, int | None]] = []

    async def give(name: str, argument: int | None) -> str:
        given.append((name, argument))
        return "done"

    async def answer(client: ClientConnection, text: str) -> str:
        await client.send(text)
        while True:
            message = json.loads(await client.recv())
            if "answer" in message:
                return message["answer"]

    async with live(give=give) as (server, address), socket(server, address) as client:
        assert await answer(client, '{"command": "set_positions", "argument": 3}') == "set positions: done"
        for wrong in ("", "[]", "7", '{"command": 7}', '{"command": "x", "argument": true}', '"release"'):
            assert "no command" in await answer(client, wrong), wrong
        with pytest.raises(ConnectionClosed):
            await answer(client, " " * (HEARD_MAX + 1))
    assert given == [("set_positions", 3)]


async def test_with_control_the_page_is_a_host_that_commands_and_stores(
    tmp_path: Path, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_shoe, "COMMAND_S", LIMIT_S)
    store = tmp_path / "store.db"
    view = LiveView("sim://")

    host = Host(f"sim://?dealer=hands&speed=50&key={key_file}", role_key(bytes(range(32)), Role.TABLE), store)
    await host.open()
    task = asyncio.create_task(host.run(view, lambda: None))

    def due() -> bool:
        status: dict[str, Any] = view.snapshot()["snapshot"].get("status") or {}
        return status.get("command") == "shuffle"

    await until(due)
    assert await host.give("shuffle", None) == "done"
    assert (await host.give("confirm_lockout", None)).startswith("rejected")
    assert await host.give("set_positions", 2) == "done"
    task.cancel()
    await asyncio.wait([task])
    told = view.snapshot()["snapshot"]
    assert told["commands"] == list(COMMANDS) and "shuffle" in told["commands"] and "record" not in told["commands"]
    assert "command_ended" in [event["name"] for event in told["events"]] and store.exists()


class Deaf:
    """A connection whose browser reads nothing."""

    def __init__(self) -> None:
        self.transport = self
        self.aborted = 0

    def abort(self) -> None:
        self.aborted += 1


async def test_a_browser_that_does_not_read_is_disconnected_and_holds_no_more_than_its_queue() -> None:
    deaf = Deaf()
    browser = Browser(cast(ServerConnection, deaf))
    assert all(browser.put("text") for _ in range(QUEUE_MAX))
    assert not deaf.aborted and not browser.put("one more") and deaf.aborted == 1


async def test_a_slow_browser_costs_the_others_nothing_and_returns_to_a_snapshot() -> None:
    view = LiveView("tcp://shoe:1")

    async with live(view) as (server, host):
        reader, writer = await asyncio.open_connection(*host.split(":"), limit=1024)
        key = (
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
            + "A" * 22
            + "=="
        )
        request = f"GET /live?token={server.token} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{key}\r\n\r\n"
        writer.write(request.encode())
        await reader.readuntil(b"snapshot")  # and nothing more
        async with socket(server, host) as client:
            await client.recv()
            for number in range(400):
                view.link("x" * 60000, True, str(number))
                server.publish()
                while json.loads(await client.recv()).get("delta", {}).get("link", {}).get("problem") != str(number):
                    pass
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            while True:
                await reader.readexactly(1000)
        writer.close()
        async with socket(server, host) as again:
            assert json.loads(await again.recv())["snapshot"]["link"]["problem"] == "399"


async def test_more_browsers_than_allowed_are_turned_away() -> None:
    async with live() as (server, host):
        clients = [await socket(server, host) for _ in range(BROWSERS_MAX)]
        assert all([await client.recv() for client in clients])
        async with socket(server, host) as extra:
            with pytest.raises(ConnectionClosed):
                await extra.recv()
        for client in clients:
            await client.close()


def test_hostile_texts_arrive_as_they_are_and_the_page_never_makes_markup_of_text() -> None:
    view = LiveView("tcp://shoe:1")
    view.welcome(welcome(HOSTILE))
    assert json.loads(json.dumps(view.snapshot()))["snapshot"]["shoe"]["game"] == HOSTILE
    for module in PAGE.glob("*.js"):
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"):
            assert word not in module.read_text(), (module.name, word)


def test_changes_add_up_to_the_snapshot_and_tell_no_slot_and_no_order() -> None:
    view = LiveView("sim://pico-carousel")
    view.clock = lambda: 0.0
    shown = copy.deepcopy(view.snapshot()["snapshot"])
    with Shoe.open("sim://pico-carousel") as shoe:
        for message in shoe.messages():
            view.welcome(shoe.welcome)
            view.take([message])
            delta = copy.deepcopy(view.changes().get("delta", {}))
            shown["events"] += delta.pop("events", [])
            shown["history"] = delta.pop("history", shown["history"])
            shown |= delta
            if isinstance(message, RoundEnded):
                break
    told = view.snapshot()["snapshot"]
    assert shown == told and told["status"]["round"] and told["history"]
    assert set(told) == {"url", "board", "shoe", "status", "meters", "events", "history"}
    assert set(told["status"]) & {"slots", "order", "cards", "seed"} == set()


def test_another_device_on_the_port_begins_with_a_snapshot() -> None:
    view = LiveView("tcp://shoe:1")
    view.welcome(welcome("CS"))
    assert "delta" in view.changes() and view.changes() == {}
    view.forget()
    assert view.changes()["snapshot"]["shoe"] is None
    view.welcome(welcome("CS"))
    view.take([EmptyProved(9, 1, 1, 0, 0, 0, 0, 54)] * 2)
    assert [event["seq"] for event in view.changes()["delta"]["events"]] == [9]
    view.welcome(replace(welcome("CS"), device=8))
    told = view.changes()["snapshot"]
    assert told["shoe"]["device"] == "00000008" and told["events"] == []
    view.take([EmptyProved(1, 1, 1, 0, 0, 0, 0, 54)])
    assert view.changes()["delta"]["events"][0]["seq"] == 1


async def test_an_observer_acknowledges_nothing_and_comes_back_by_itself() -> None:
    with TcpShoe() as shoe:
        view = LiveView(shoe.url)

        async def told_when(true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
            await until(lambda: true(view.snapshot()["snapshot"]))
            return view.snapshot()["snapshot"]

        observer = Observer(shoe.url)
        await observer.open()
        task = asyncio.create_task(observer.run(view, lambda: None))
        told = await told_when(lambda told: len(told["events"]) > 10 and told["status"]["events_waiting"] > 10)
        assert [event["seq"] for event in told["events"]] == list(range(1, len(told["events"]) + 1))
        shoe.refuse = 1
        shoe.drop()
        gone = await told_when(lambda told: not told["link"]["live"])
        assert gone["link"]["problem"] and gone["link"]["advice"] and gone["status"]
        back = await told_when(lambda told: told["link"]["live"])
        later = await told_when(lambda told: len(told["events"]) > len(back["events"]))
        assert [event["seq"] for event in later["events"]] == list(range(1, len(later["events"]) + 1))
        task.cancel()
        await asyncio.wait([task])


def test_trends_over_decks_are_shown_and_begin_again_with_a_service(tmp_path: Path) -> None:
    view = LiveView("tcp://shoe:1")
    view.wear_folder = tmp_path
    view.take([welcome("CS")])
    new = Meters(*[0] * 18)
    for deck in range(1, 301):
        view.take([replace(new, cycles=deck, cards=52 * deck, feed_us=31000 + 45 * deck), Wear(deck, 7700)])
    worn = ["pick latency 32 to 43 ms in 300 decks: pick roller", "warn"]
    even = ["time in the throat 7.7 to 7.7 ms in 300 decks", ""]
    shown = [it for it in view.snapshot()["snapshot"]["wear"] if "1,000" not in it[0]]
    assert [it[:2] for it in shown] == [worn, even]
    points = shown[0][2]  # neighbours are merged
    assert (
        64 <= len(points) <= 129
        and points[0][1] < 31.2
        and points[-1] == (300, 44.5)
        and points == tuple(sorted(points))
    )
    again = LiveView("tcp://shoe:1")
    again.wear_folder = tmp_path
    again.take([welcome("CS")])
    assert again.changes()["delta"]["wear"] == view.snapshot()["snapshot"]["wear"], "it is on file"
    again.take([Serviced(1, 1, 0, 0, 0, 0, 0, Part.PICK_ROLLER, 1, 300)])
    assert again.changes()["delta"]["wear"][0][:2] == even
    again.take([replace(welcome("CS"), device=8)])
    assert again.changes()["snapshot"]["wear"] == []
    for deck in range(1, 201):
        again.take([replace(new, cycles=deck, cards=52 * deck, feed_us=31000), Wear(deck, 7700)])
    assert again.changes()["delta"]["wear"], "the other device has trends of its own"


def test_what_the_meters_do_not_know_is_no_zero_in_the_history() -> None:
    view = LiveView("tcp://shoe:1")
    view.take([Meters(*[0] * 18)])
    assert view.changes()["delta"]["history"][0][1:5] == [None, 0, None, None]
    view.take([replace(Meters(*[0] * 18), feed_us=63200), Health(2, 7)])
    assert view.changes()["delta"]["history"][0][1:5] == [63.2, 0, 7, 2]
