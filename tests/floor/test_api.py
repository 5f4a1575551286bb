"""The read API over a reader in memory: who may read what, cursors, documents, and that nothing but reading exists."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
from floor_case import LOG, MemoryReader, entry, made, request
from waits import LIMIT_S
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.connection import Connection
from websockets.exceptions import ConnectionClosed

from fairshoe import StoredEvent
from fairshoe.errors import StoreError, UsageError
from fairshoe.messages import BettingClosed, DoorOpened, Fault, RoundEnded, RoundStarted, WarningLatched
from fairshoe_floor.api import live_socket
from fairshoe_floor.api import server as server_module
from fairshoe_floor.api.app import Service
from fairshoe_floor.api.documents import openapi
from fairshoe_floor.api.route_table import LIVE, ROUTES
from fairshoe_floor.api.server import ApiServer, Binding, page_files
from fairshoe_floor.api.tokens import Tokens, new_token
from fairshoe_floor.inventory import Profile
from fairshoe_floor.reader import PAGE_MAX, Alarm, Shoe

ROOT = Path(__file__).resolve().parents[2]
TABLE, TABLE_GRANT = new_token("page", ["table", "metrics"])
METERS, METERS_GRANT = new_token("report", ["meters"])
PIT_2, PIT_2_GRANT = new_token("pit 2", ["table"], ["2"])
METRICS, METRICS_GRANT = new_token("prometheus", ["metrics"])
SHOES = "/api/v1/shoes"


def reader() -> MemoryReader:
    made_up = MemoryReader([entry(1), entry(2, Profile.METERS), entry(3, pit="2")])
    for seq in range(1, 8):
        made_up.record(1, made(DoorOpened if seq % 2 else BettingClosed, seq=seq), seq)
    made_up.record(2, made(WarningLatched, seq=1), 1)
    made_up.record(2, made(RoundStarted, seq=2), 2)
    return made_up


@contextlib.asynccontextmanager
async def serve(made_up: MemoryReader | None = None) -> AsyncGenerator[tuple[str, MemoryReader]]:
    over = made_up or reader()
    grants = (TABLE_GRANT, METERS_GRANT, PIT_2_GRANT, METRICS_GRANT)
    about = {"status": "ok"}
    service = Service(over, Tokens(grants), lambda: (True, about), lambda _: "up 1\n", page_files())
    async with ApiServer(service, Binding()) as server:
        yield server.url, over


def checker(schema: str) -> Callable[[Any], Any]:
    """Validates an answer against OpenAPI."""
    return fastjsonschema.compile({"$ref": f"#/components/schemas/{schema}", "components": openapi()["components"]})


async def test_every_answer_is_as_openapi_says() -> None:
    async with serve() as (url, _reader):
        for route in ROUTES:
            answer = await request(url, route.path.replace("{device}", "00000001"), TABLE)
            assert answer.status == 200, route.path
            if route.schema != "Text":
                checker(route.schema)(answer.json)
        listed = (await request(url, SHOES, TABLE)).json["shoes"]
        assert [(it["device"], it["profile"]) for it in listed] == [
            ("00000001", "table"),
            ("00000002", "meters"),
            ("00000003", "table"),
        ]


def test_a_wrong_answer_would_be_noticed() -> None:
    with pytest.raises(fastjsonschema.JsonSchemaException):
        checker("ShoeAnswer")({"at": 1, "shoe": {"device": "xyz"}})


async def test_no_route_answers_to_anything_but_reading() -> None:
    async with serve() as (url, _reader):
        for path in (*(route.path.replace("{device}", "00000001") for route in ROUTES), "/", "/anything"):
            for method in ("POST", "PUT", "PATCH", "DELETE"):
                answer = await request(url, path, TABLE, method)
                assert answer.status == 405, (method, path)


async def test_every_route_with_a_scope_wants_a_token_that_has_it() -> None:
    async with serve() as (url, _reader):
        for route in ROUTES:
            path = route.path.replace("{device}", "00000001")
            open_to_all = not route.scope
            assert (await request(url, path)).status == (200 if open_to_all else 401), path
            assert (await request(url, path, "guess")).status == (200 if open_to_all else 401), path
        assert (await request(url, "/metrics", METERS)).status == 403
        assert (await request(url, "/metrics", METRICS)).text == "up 1\n"
        assert (await request(url, f"{SHOES}/00000001", METRICS)).status == 404
        assert (await request(url, SHOES, METRICS)).json["shoes"] == []


async def test_profile_and_scope_bound_what_a_token_sees() -> None:
    async with serve() as (url, _reader):
        less = await request(url, f"{SHOES}/00000001/events", METERS)
        assert [it["event"]["message"] for it in less.json["events"]] == ["door_opened"] * 4
        assert (less.json["after"], less.json["more"]) == (7, False)
        whole = await request(url, f"{SHOES}/00000001/events", TABLE)
        assert len(whole.json["events"]) == 7
        assert (await request(url, f"{SHOES}/00000001/rounds", METERS)).status == 403
        assert (await request(url, f"{SHOES}/00000002/rounds", TABLE)).status == 403  # its profile is meters
        under = await request(url, f"{SHOES}/00000002/events", TABLE)
        assert [it["event"]["message"] for it in under.json["events"]] == ["warning_latched"]
        assert under.json["after"] == 1  # event 2 is of a round: that it is there is not reported either
        assert [it["device"] for it in (await request(url, SHOES, PIT_2)).json["shoes"]] == ["00000003"]
        assert (await request(url, f"{SHOES}/00000001", PIT_2)).status == 404
        assert (await request(url, "/api/v1/warnings", PIT_2)).json["warnings"] == []
        warned = (await request(url, "/api/v1/warnings", TABLE)).json["warnings"]
        assert [(it["table"], it["fault"], "round" in it) for it in warned] == [("T-02", "jam_exit", False)]


async def test_a_token_sees_the_alarms_of_its_own_pits() -> None:
    async with serve() as (url, over):
        over.raised += [Alarm(3, "journal", "critical", "broken", 5.0), Alarm(1, "clock", "minor", "off", 4.0, "Ines")]
        over.raised.append(Alarm(99, "clock", "minor", "a shoe that the inventory does not have", 4.0))
        seen = {
            token: [(it["table"], it["rule"], it["acknowledged_by"]) for it in answer.json["alarms"]]
            for token in (TABLE, METERS, PIT_2, METRICS)
            for answer in [await request(url, "/api/v1/alarms", token)]
        }
        both = [("T-03", "journal", None), ("T-01", "clock", "Ines")]
        assert seen == {TABLE: both, METERS: both, PIT_2: both[:1], METRICS: []}
        checker("AlarmsAnswer")((await request(url, "/api/v1/alarms", TABLE)).json)


async def test_events_are_read_after_a_cursor_and_rounds_before_one() -> None:
    async with serve() as (url, _reader):
        seqs: list[int] = []
        after, more = 0, True
        while more:
            page = (await request(url, f"{SHOES}/00000001/events?after={after}&limit=3&log={LOG.hex()}", TABLE)).json
            seqs += [it["seq"] for it in page["events"]]
            after, more = page["after"], page["more"]
        assert seqs == list(range(1, 8))
        first = (await request(url, f"{SHOES}/00000001/rounds?limit=5", TABLE)).json
        then = (await request(url, f"{SHOES}/00000001/rounds?limit=5&before={first['before']}", TABLE)).json
        assert [it["number"] for it in first["rounds"] + then["rounds"]] == list(range(99, 90, -1))
        assert then["before"] is None


WRONG = (
    *("", "%20", "null", "-1", "1.5.0", "1_0", "%2B5", "0x1", "nan", "inf", "1e999", "xyz", "[]", "{}", "%00", "5%0A"),
    *("%D9%A5", "9" * 5000),
)


async def test_every_wrong_value_of_every_parameter_is_refused_by_name() -> None:
    async with serve() as (url, _reader):
        for route in ROUTES:
            for it in route.parameters:
                for value in WRONG:
                    path = f"{route.path.replace('{device}', '00000001')}?{it.name}={value}"
                    answer = await request(url, path, TABLE)
                    if (it.name, value) != ("log", ""):  # a shoe that was never heard has no log
                        assert answer.status == 400 and it.name in answer.json["error"], path
        for query in ("after=99999999999", "limit=0", "limit=1001", f"log={'00' * 17}", "log=0A"):
            assert (await request(url, f"{SHOES}/00000001/events?{query}", TABLE)).status == 400, query
        for before in (f"{LOG.hex()}:x", f"{LOG.hex()[2:]}:7"):
            assert (await request(url, f"{SHOES}/00000001/rounds?before={before}", TABLE)).status == 400, before
        for device in (*WRONG[1:], "1", "0000000A", "+0000001", "0x000001", "0000_001", "0" * 4000, "00000001%00"):
            assert (await request(url, f"{SHOES}/{device}", TABLE)).status in (400, 404), device
        assert (await request(url, "/../inventory.py", TABLE)).status == 404


async def test_names_and_origins_of_others_are_refused() -> None:
    async with serve() as (url, _reader):
        for host in ("evil.example", "127.0.0.1:80; script-src *", "localhost:80 evil.example", "[::1]:x"):
            assert (await request(url, "/", Host=host)).status == 403, host
        port = url.rstrip("/").rpartition(":")[2]
        for host in ("localhost", f"[::1]:{port}", f"127.0.0.1:{port}"):
            assert (await request(url, "/", Host=host)).status == 200, host
        assert (await request(url, SHOES, TABLE, Origin="https://evil.example")).status == 403
        page = await request(url, "/")
        assert page.status == 200 and "default-src 'self'" in page.headers["content-security-policy"]
        with pytest.raises(Exception, match="403"):
            await connect(url.replace("http", "ws") + LIVE[1:], origin="https://evil.example")  # type: ignore[arg-type]


def test_a_network_address_needs_tls_and_tokens() -> None:
    with pytest.raises(UsageError):
        Binding("0.0.0.0").check(True)
    Binding("127.0.0.1").check(False)


def test_the_document_has_every_route() -> None:
    assert set(openapi()["paths"]) == {route.path for route in ROUTES}
    assert all(set(methods) == {"get"} for methods in openapi()["paths"].values())


# --- the socket --------------------------------------------------------------------------------


async def hello(url: str, **wanted: Any) -> ClientConnection:
    socket = await connect(url.replace("http", "ws") + LIVE[1:])
    await socket.send(json.dumps({"token": TABLE, **wanted}))
    return socket


async def texts(socket: Connection, until: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while not found or not until(found[-1]):
        found.append(json.loads(await asyncio.wait_for(socket.recv(), LIMIT_S)))
    return found


async def test_a_socket_replays_from_a_cursor_and_goes_on_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_socket, "EVENTS_MAX", 2)
    events = {"00000001": {"log": LOG.hex(), "after": 2}}
    async with serve() as (url, over), await hello(url, events=events) as socket:
        told = await texts(socket, lambda it: it["kind"] == "live")
        assert told[0]["kind"] == "shoes" and len(told[0]["shoes"]) == 3
        pages = [it for it in told if it["kind"] == "events"]
        assert [[it["seq"] for it in page["events"]] for page in pages] == [[3, 4], [5, 6], [7]]
        over.record(1, made(DoorOpened, seq=8), 8)
        told += await texts(socket, lambda it: it["kind"] == "events")
        assert [it["seq"] for it in told[-1]["events"]] == [8]
        for schema, word in (("Shoe", "shoes"), ("StoredEvent", "events")):
            assert all(checker(schema)(it) for text in told for it in text.get(word, ()))
        assert {it["kind"] for it in told} <= {"shoes", "shoe", "events", "live", "beat"}


async def test_a_live_client_hears_each_event_once_when_a_storage_leaves_and_comes_back() -> None:
    async with serve() as (url, over), await hello(url, events="all") as socket:
        await texts(socket, lambda it: it["kind"] == "live" and it["device"] == "00000001")
        other, told = bytes(16), list[tuple[str, int]]()
        for order, seq in (([LOG, other], 1), ([other, LOG], 8), ([LOG, other], 2), ([other, LOG], 9)):
            over.order = order
            over.record(1, made(DoorOpened, seq=seq), seq)
            page = (await texts(socket, lambda it: it["kind"] == "events"))[-1]
            told += [(it["log"], it["seq"]) for it in page["events"]]
        assert told == [(other.hex(), 1), (LOG.hex(), 8), (other.hex(), 2), (LOG.hex(), 9)]


async def test_a_token_of_meters_hears_nothing_of_a_round_live() -> None:
    async with serve() as (url, over), await hello(url, token=METERS, events="all") as socket:
        first = await texts(socket, lambda it: it["kind"] == "beat")
        over.record(1, made(RoundStarted, seq=8), 8)
        over.record(1, made(DoorOpened, seq=9), 9)
        page = (await request(url, f"{SHOES}/00000001/events?after=7", METERS)).json
        assert (page["after"], page["more"], page["events"]) == (7, False, [])
        over.record(1, made(RoundEnded, seq=10), 10)
        told = await texts(socket, lambda it: it.get("after") == 10)
        pages = [text for text in told if text["kind"] == "events"]
        heard = [it["event"] for text in pages for it in text["events"]]
        assert len(pages) == 1  # none while the round was under way: the number of the door tells how far it was
        assert [it["message"] for it in heard] == ["door_opened"] and "round" not in heard[0]
        assert first[-1]["heard"]["00000001"] == 1000.0
        page = (await request(url, f"{SHOES}/00000001/events?after=7", METERS)).json
        assert (page["after"], [it["seq"] for it in page["events"]]) == (10, [9])


ODD: tuple[Any, ...] = (0, 1.5, True, [], {"x": 1}, "", " ", "x" * 10_000, "\x00", "\ud800")
FOLLOW = {"log": LOG.hex(), "after": 1}
STRANGE = (
    ('{"token": "guess"}', 4401),
    *((text, 1008) for text in ("[]", "null", "5", "{}", "no json", "[" * 10_000)),
    *((json.dumps({"token": odd}), 4401 if odd in ("", " ") else 1008) for odd in (None, *ODD)),
    *((json.dumps({"token": TABLE, "shoes": odd}), 1008) for odd in ODD if odd is not True),
    *((json.dumps({"token": TABLE, "events": odd}), 1008) for odd in ODD),
    *((json.dumps({"token": TABLE, "events": {odd: FOLLOW}}), 1008) for odd in ("", "x", "1", "0x000001", "-0000001")),
    *((json.dumps({"token": TABLE, "events": {"00000001": odd}}), 1008) for odd in (None, *ODD) if odd != {"x": 1}),
    *((json.dumps({"token": TABLE, "events": {"00000001": {**FOLLOW, "log": odd}}}), 1008) for odd in ODD if odd != ""),
    *(
        (json.dumps({"token": TABLE, "events": {"00000001": {**FOLLOW, "after": odd}}}), 1008)
        for odd in (*ODD[1:], -1, 1 << 70, float("inf"), "1")
    ),
    (json.dumps({"token": METRICS}), 4401),  # it may read no shoe, and would take a place of those who may
)


async def test_a_socket_without_a_token_or_with_a_strange_request_is_closed() -> None:
    async with serve() as (url, _reader):
        for text, code in STRANGE:
            socket = await connect(url.replace("http", "ws") + LIVE[1:])
            await socket.send(text)
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(socket.recv(), LIMIT_S)
            assert socket.close_code == code, text[:80]


async def test_a_client_that_says_more_than_hello_is_closed() -> None:
    async with serve() as (url, _reader):
        socket = await hello(url)
        await socket.send('{"command": "shuffle"}')
        with pytest.raises(ConnectionClosed):
            while True:
                await asyncio.wait_for(socket.recv(), LIMIT_S)
        assert socket.close_code == 1008


class Endless(MemoryReader):
    """As many events as anyone reads."""

    def shoes(self) -> list[Shoe]:
        return [replace(it, seq=1 << 30) for it in super().shoes()]

    def events(self, device: int, log: bytes | None, after: int, limit: int = PAGE_MAX) -> list[StoredEvent]:
        self.reads += 1
        return [StoredEvent(1, LOG, seq, DOOR.NAME, 5.0, DOOR, b"") for seq in range(after + 1, after + 1 + limit)]


DOOR: DoorOpened = made(DoorOpened)


async def test_a_client_that_does_not_read_is_disconnected_and_holds_few_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_socket, "SEND_S", 0.3)

    gone = asyncio.Event()
    listen = live_socket._listen  # pyright: ignore[reportPrivateUsage]

    async def noted(*arguments: Any) -> None:
        await listen(*arguments)
        gone.set()

    monkeypatch.setattr(live_socket, "_listen", noted)

    async with serve(Endless([entry(1)])) as (url, over):
        socket = await hello(url, events={"00000001": {"log": LOG.hex(), "after": 0}})
        await texts(socket, lambda it: it["kind"] == "events")
        socket.transport.pause_reading()
        await asyncio.wait_for(gone.wait(), LIMIT_S)
        assert over.reads < 400  # what the buffers of two kernels hold: nothing more was read for it
        socket.transport.resume_reading()
        with pytest.raises(ConnectionClosed):
            while True:
                await asyncio.wait_for(socket.recv(), LIMIT_S)
        assert socket.close_code == 1006


async def test_a_request_that_does_not_end_is_ended_by_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head that never ends, and a client that says nothing: each would keep a place of the server for ever."""
    monkeypatch.setattr(server_module, "REQUEST_S", 0.2)

    async with serve() as (url, _reader):
        host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
        for sent in (b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\nSlow: "):
            there, back = await asyncio.open_connection(host, int(port))
            back.write(sent)
            with contextlib.suppress(ConnectionResetError):
                assert await asyncio.wait_for(there.read(), LIMIT_S) == b""
            back.close()


async def test_connections_beyond_twice_the_places_are_ended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes a file descriptor, which the process needs for its shoes."""
    monkeypatch.setattr(server_module, "CONNECTIONS_MAX", 2)

    async with serve() as (url, _reader):
        host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
        opened = [await asyncio.open_connection(host, int(port)) for _ in range(5)]
        with contextlib.suppress(ConnectionResetError):
            assert await asyncio.wait_for(opened[4][0].read(), LIMIT_S) == b""
        opened[0][1].write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 503 " in await asyncio.wait_for(opened[0][0].readline(), LIMIT_S)  # it was kept, and gets an answer
        for _there, back in opened:
            back.close()


class Failing(MemoryReader):
    """Its database does not answer."""

    def shoes(self) -> list[Shoe]:
        raise StoreError("the database does not answer.", "Try again.")


async def test_a_live_client_is_ended_without_a_traceback_when_the_database_fails(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serve(Failing([entry(1)])) as (url, _reader):
        socket = await hello(url)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(socket.recv(), LIMIT_S)
    assert [record for record in caplog.records if record.exc_info] == []


async def test_clients_without_a_token_do_not_take_the_places_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_socket, "CLIENTS_MAX", 2)

    async with serve() as (url, _reader):
        silent = [await connect(url.replace("http", "ws") + LIVE[1:]) for _ in range(5)]
        full = [await hello(url), await hello(url)]
        for socket in full:
            await texts(socket, lambda it: it["kind"] == "shoes")
        third = await hello(url)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(third.recv(), LIMIT_S)
        assert third.close_code == 1013
        for socket in (*silent, *full):
            await socket.close()


async def test_a_round_under_way_cannot_be_counted_under_meters() -> None:
    """Neither by the newest number of a shoe, nor by cursors, nor by pages without events."""

    async def look(url: str) -> list[Any]:
        shoe = (await request(url, f"{SHOES}/00000001", METERS)).json["shoe"]
        page = (await request(url, f"{SHOES}/00000001/events", METERS)).json
        async with await hello(url, token=METERS, shoes=False, events={"00000001": {}}) as socket:
            told = await texts(socket, lambda it: it["kind"] == "live")
        beats = [text for text in told if text["kind"] != "beat"]
        return [shoe["seq"], page, beats]

    async with serve() as (url, over):
        before = await look(url)
        for seq in range(8, 30):
            over.record(1, made(BettingClosed if seq > 8 else RoundStarted, seq=seq), seq)
        assert await look(url) == before
        over.record(1, made(RoundEnded, seq=30), 30)
        assert (await request(url, f"{SHOES}/00000001/events", METERS)).json["after"] == 30


def test_the_page_says_what_to_do_about_every_rule_and_every_warning() -> None:
    files = page_files()
    rules = json.loads((ROOT / "host_tools/fairshoe_floor/alarms/default_rules.json").read_text(encoding="utf-8"))
    known = re.findall(r"^  '?([a-z-]+)'?: '[A-Z]", files["condition.js"].decode(), re.MULTILINE)
    assert sorted(known) == sorted(rule["name"] for rule in rules["rules"])
    assert set(json.loads(files["warnings.json"])) >= {fault.name.lower() for fault in Fault if fault > 0}
