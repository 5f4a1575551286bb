"""The gateway with shoes of our own session code over TCP: what it records, what it sends, and how it goes on."""

import ast
import contextlib
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bench.fake_shoe import BOOT, FakeShoe, Server
from floor_case import request, served
from prometheus_client.parser import text_string_to_metric_families
from waits import until
from websockets.asyncio.client import connect

from fairshoe import Store, StoreError
from fairshoe.client import fleet as fleet_module
from fairshoe.client import store as store_module
from fairshoe.client.store import Arrived
from fairshoe.keys import write_key
from fairshoe.link import framing
from fairshoe.messages import ALL, Command, Message, RoundEnded, RoundStarted
from fairshoe_floor.api.server import Binding
from fairshoe_floor.api.tokens import new_token
from fairshoe_floor.gateway import process as process_module
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.gateway.metrics import METRICS, OF_SHOES
from fairshoe_floor.gateway.process import Gateway, Settings
from fairshoe_floor.inventory import Entry, Inventory, Profile
from fairshoe_floor.journals import journals_path
from fairshoe_floor.reader import Link, Sample
from fairshoe_floor.samples import SampleFile, samples_path
from fairshoe_floor.seen_time import seen_path

ROOT = Path(__file__).resolve().parents[2]
TOKEN, GRANT = new_token("test", ["metrics", "table"])


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "RETRY_S", 0.02)
    monkeypatch.setattr(fleet_module, "RETRY_S_MAX", 0.1)


class HeardShoe(FakeShoe):
    """Remembers what it was sent."""

    def __init__(self, device: int, secret: bytes) -> None:
        super().__init__(device, secret)
        self.heard: Counter[str] = Counter()
        self._listening = framing.Decoder()

    def receive(self, data: bytes) -> None:
        self.heard.update(frame.message.NAME for frame in self._listening.feed(data))
        super().receive(data)


def secret(device: int) -> bytes:
    return device.to_bytes(32, "big")


def pit(tmp_path: Path, servers: list[Server], numbers: list[int] | None = None) -> Inventory:
    keys = tmp_path / "keys"
    keys.mkdir(exist_ok=True)
    entries: list[Entry] = []
    for number, server in enumerate(servers, 1):
        device = numbers[number - 1] if numbers else server.shoe.device
        if not (keys / f"{device:08x}.key").exists():
            write_key(keys / f"{device:08x}.key", "recorder", secret(device))
        entries.append(Entry(device, f"T-{number}", "1", server.url))
    return Inventory("pit", tmp_path / "pit.db", keys, tuple(entries))


@contextlib.asynccontextmanager
async def running(inventory: Inventory, new_logs: tuple[int, ...] = ()):  # type: ignore[no-untyped-def]
    settings = Settings(Binding(), [GRANT], new_logs=new_logs, sample_s=0.05)
    async with Gateway(inventory, settings) as gateway, served(gateway):
        yield gateway


@contextlib.asynccontextmanager
async def shoes(count: int) -> AsyncGenerator[list[Server]]:
    async with contextlib.AsyncExitStack() as stack:
        heard = [HeardShoe(device, secret(device)) for device in range(1, count + 1)]
        yield [await stack.enter_async_context(Server(shoe)) for shoe in heard]


def link(gateway: Gateway, device: int) -> Link:
    shoe = gateway.live.shoe(device)
    assert shoe is not None
    return shoe.sample.link


async def test_a_second_gateway_with_the_same_store_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with shoes(1) as servers:
        inventory = pit(tmp_path, servers)
        async with running(inventory) as gateway:
            await until(lambda: link(gateway, 1) is Link.OPEN)
            with pytest.raises(StoreError, match="another gateway records into"):
                async with running(inventory):
                    pass
            server = servers[0]
            server.record(3)
            await until(lambda: server.shoe.seq_acked == 3)
            assert link(gateway, 1) is Link.OPEN
        async with running(inventory) as gateway:  # the lock ends with its gateway
            await until(lambda: link(gateway, 1) is Link.OPEN)


@pytest.mark.parametrize("path_of", [samples_path, journals_path, seen_path])
async def test_a_damaged_file_beside_the_store_is_set_aside_and_events_are_recorded(
    tmp_path: Path, path_of: Callable[[Path], Path]
) -> None:
    damaged = path_of(tmp_path / "pit.db")
    damaged.write_bytes(b"no database" * 1000)
    async with shoes(1) as servers, running(pit(tmp_path, servers)):
        servers[0].record(3)
        await until(lambda: servers[0].shoe.seq_acked == 3)
    (kept,) = tmp_path.glob(f"{damaged.name}.damaged-*")
    assert kept.read_bytes() == b"no database" * 1000


async def test_samples_go_on_when_the_clock_is_set_back(tmp_path: Path) -> None:
    async with shoes(1) as servers, running(pit(tmp_path, servers)) as gateway:
        await until(lambda: link(gateway, 1) is Link.OPEN)
        sampled = gateway._sampled  # pyright: ignore[reportPrivateUsage]
        ahead = sampled[1] = replace(gateway.live.shoes()[0].sample, at=time.time() + 3600)
        await until(lambda: sampled[1].at < ahead.at)


async def test_events_are_recorded_acknowledged_and_served(tmp_path: Path) -> None:
    async with shoes(3) as servers, running(pit(tmp_path, servers)) as gateway:
        for server in servers:
            server.record(40)
        await until(lambda: all(server.shoe.seq_acked == 40 for server in servers))
        with Store(tmp_path / "pit.db") as store:
            assert [it.seq for it in store.events(2)] == list(range(1, 41))
        await until(lambda: gateway.live.shoe(1).sample.seq == 40)  # type: ignore[union-attr]
        await until(lambda: all(link(gateway, device) is Link.OPEN for device in (1, 2, 3)))
        await until(lambda: sum(gateway.measures.stored.counts) == 3 * 40)
        page = await request(gateway.url, "/api/v1/shoes/00000001/events?after=38", TOKEN)
        assert [it["seq"] for it in page.json["events"]] == [39, 40]
        health = await request(gateway.url, "/healthz")
        assert (health.status, health.json["shoes"]["open"]) == (200, 3)
        metrics = (await request(gateway.url, "/metrics", TOKEN)).text
        assert 'fairshoe_shoe_up{device="00000003",pit="1",table="T-3"} 1' in metrics
        assert f"fairshoe_gateway_stored_seconds_count {3 * 40}" in metrics
        assert not [it.name for it in text_string_to_metric_families(metrics) if not it.documentation]
        assert (await request(gateway.url, "/readyz")).status == 200


async def test_nothing_is_acknowledged_that_is_not_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store cannot write for a while: the device keeps its events, the page says so, and then all of them come."""

    async with shoes(1) as servers, running(pit(tmp_path, servers)) as gateway:
        await until(lambda: link(gateway, 1) is Link.OPEN)
        real = Store.put_rows

        refused: list[bool] = []

        def full(*_arguments: object) -> None:
            refused.append(True)
            raise fleet_module.FairshoeError("no space left on device.", "Free some.")

        monkeypatch.setattr(Store, "put_rows", full)
        servers[0].record(5)
        await until(lambda: len(refused) >= 1)
        assert servers[0].shoe.seq_acked == 0
        monkeypatch.setattr(Store, "put_rows", real)
        await until(lambda: servers[0].shoe.seq_acked == 5)


async def test_a_restarted_gateway_goes_on_where_it_was(tmp_path: Path) -> None:
    async with shoes(1) as servers:
        inventory = pit(tmp_path, servers)
        for round_ in (1, 2):
            async with running(inventory) as gateway:
                servers[0].record(10)
                await until(lambda: servers[0].shoe.seq_acked == 10 * round_)  # noqa: B023
                await until(lambda: gateway.live.shoe(1).sample.seq == 10 * round_)  # type: ignore[union-attr] # noqa: B023
        with Store(tmp_path / "pit.db") as store:
            assert [it.seq for it in store.events(1)] == list(range(1, 21))


async def test_a_shoe_that_goes_away_is_lost_and_comes_back_by_itself(tmp_path: Path) -> None:
    async with shoes(2) as servers, running(pit(tmp_path, servers)) as gateway:
        await until(lambda: link(gateway, 1) is Link.OPEN and link(gateway, 2) is Link.OPEN)
        port = int(servers[0].url.rpartition(":")[2])
        await servers[0].__aexit__()
        await until(lambda: link(gateway, 1) is Link.LOST)
        assert link(gateway, 2) is Link.OPEN
        metrics = (await request(gateway.url, "/metrics", TOKEN)).text
        assert 'fairshoe_shoe_up{device="00000001",pit="1",table="T-1"} 0' in metrics
        await servers[0].listen(port)
        await until(lambda: link(gateway, 1) is Link.OPEN)


async def test_another_device_at_a_port_is_refused_and_named(tmp_path: Path) -> None:
    async with shoes(1) as servers:
        inventory = pit(tmp_path, servers, [9])
        write_key(tmp_path / "keys" / "00000001.key", "recorder", secret(1))
        servers[0].record(3)
        async with running(inventory) as gateway:
            await until(lambda: link(gateway, 9) is Link.FAILED)
            shoe = (await request(gateway.url, "/api/v1/shoes/00000009", TOKEN)).json["shoe"]
            assert "is device 00000001, and 00000009 was expected" in shoe["link_text"]
            assert servers[0].shoe.seq_acked == 0


async def test_replaced_storage_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    async with shoes(1) as servers:
        inventory = pit(tmp_path, servers)
        async with running(inventory) as gateway:
            servers[0].record(3)
            await until(lambda: servers[0].shoe.seq_acked == 3)
        shoe = servers[0].shoe
        shoe.log, shoe.seq_last, shoe.seq_sent, shoe.seq_acked = b"another log 1234", 0, 0, 0
        async with running(inventory) as gateway:
            await until(lambda: link(gateway, 1) is Link.FAILED)
        async with running(inventory, (1,)) as gateway:
            servers[0].record(2)
            await until(lambda: shoe.seq_acked == 2)
            await until(lambda: gateway.live.shoe(1).sample.log == shoe.log)  # type: ignore[union-attr]
            logs = (await request(gateway.url, "/api/v1/shoes/00000001", TOKEN)).json["shoe"]["logs"]
            assert logs == [(1).to_bytes(16, "big").hex(), shoe.log.hex()]


def ended(seq: int) -> Arrived:
    values = (seq, BOOT, 100, 5, 0, seq, 1, 3, 15, 37, 37, 1)
    return Arrived(seq, RoundEnded(*values), RoundEnded.LAYOUT.pack(*values))


class InRounds(FakeShoe):
    """Of two events one begins a round, and one ends it."""

    def event(self, seq: int) -> Message:
        head = (seq, BOOT, 100, 5, 0, (seq + 1) // 2, 1)
        return RoundStarted(*head, "CS", 2) if seq % 2 else RoundEnded(*head, 3, 15, 37, 37, 1)


async def test_a_storage_that_comes_back_is_the_newest_everywhere(tmp_path: Path) -> None:
    """In the list of logs, among rounds, for a live client and in the totals after a restart."""
    shoe = InRounds(1, secret(1))
    first, second = shoe.log, b"another log 1234"
    async with Server(shoe) as server:
        inventory = pit(tmp_path, [server])
        inventory = replace(inventory, shoes=(replace(inventory.shoes[0], profile=Profile.TABLE, approval="x"),))
        kept, seen, before = {first: 0, second: 0}, list[str](), first
        for log in (first, second, first, first):
            shoe.log, shoe.seq_last = log, kept[log]
            shoe.seq_sent = shoe.seq_acked = kept[log]
            async with running(inventory, (1,)) as gateway:
                for _ in range(2):
                    server.record(2)
                    await until(lambda: shoe.seq_acked == shoe.seq_last)
                await until(lambda: gateway.live.shoe(1).sample.seq == shoe.seq_last)  # type: ignore[union-attr]
                where = {"00000001": {"log": before.hex(), "after": kept[before]}}
                async with connect(gateway.url.replace("http", "ws") + "api/v1/live") as socket:
                    await socket.send(json.dumps({"token": TOKEN, "events": where}))
                    told = json.loads(await socket.recv())
                    while told["kind"] != "live":
                        told = json.loads(await socket.recv())
                    seen.append(f"{told['log'][:2]} {told['after']}")
                before, kept[log] = log, shoe.seq_last
                answer = (await request(gateway.url, "/api/v1/shoes/00000001", TOKEN)).json["shoe"]
                rounds = (await request(gateway.url, "/api/v1/shoes/00000001/rounds", TOKEN)).json["rounds"]
                assert answer["logs"][-1] == log.hex() == rounds[0]["log"]
                assert gateway.live.shoe(1).sample.totals.rounds == sum(kept.values()) // 2  # type: ignore[union-attr]
        assert seen == ["00 4", "61 4", "00 8", "00 12"]


def test_a_restart_counts_what_is_new_of_a_log_that_came_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway was killed between its store and its samples, and its clock was set back by a day each time."""
    clock = itertools.count(9e5, -1e5)
    monkeypatch.setattr(store_module.time, "time", lambda: next(clock))
    with Store(tmp_path / "pit.db") as store, contextlib.closing(SampleFile(tmp_path / "pit.samples.db")) as file:
        inventory = Inventory("pit", store.path, None, (Entry(1, "T-1", "1", "tcp://127.0.0.1:1"),))
        samples: dict[int, Sample] = {}
        for log, first in ((b"a" * 16, 1), (b"b" * 16, 1), (b"a" * 16, 3)):
            place = store.resume(1, log, first + 1, BOOT, new_log=True)
            store.add(place.id, [ended(seq) for seq in (first, first + 1)])
            live = Live(inventory, lambda _device, log=log: log)
            live.restore(samples, lambda device, log, after: store.events(device, after, log=log), file.counted)
            samples = {1: live.shoes()[0].sample}
            file.add(samples.values())
    assert samples[1].totals.rounds == 6


# --- no command path ---------------------------------------------------------------------------

HEARD = {"hello", "journal_get", "event_ack", "time_set"}


async def test_a_device_hears_a_session_receipts_and_the_time_and_nothing_else(tmp_path: Path) -> None:
    """Whatever clients ask meanwhile."""

    async with shoes(1) as servers, running(pit(tmp_path, servers)) as gateway:
        servers[0].record(20)
        shoe = servers[0].shoe
        assert isinstance(shoe, HeardShoe)
        await until(lambda: shoe.seq_acked == 20 and set(shoe.heard) >= HEARD)
        for path in ("shoes", "shoes/00000001/events", "shoes/00000001/meters", "warnings"):
            await request(gateway.url, f"/api/v1/{path}", TOKEN)
            await request(gateway.url, f"/api/v1/{path}", TOKEN, "POST")
        assert set(shoe.heard) == HEARD


GATEWAY = ("gateway", "api", "inventory.py", "samples.py", "journals.py", "reader.py", "rounds.py")
NAMESAKES = ("fairshoe_floor.reader", "fairshoe.journal.export")  # have a Shoe and a Record that command nothing
FLEET = ("add", "journal_is", "journal_record", "journal_signed")  # all that the gateway may use of the open shoes


def gateway_sources() -> list[Path]:
    folder = ROOT / "host_tools" / "fairshoe_floor"
    return [path for name in GATEWAY for path in (sorted((folder / name).glob("*.py")) or [folder / name])]


def test_no_code_of_the_gateway_can_name_a_command() -> None:
    """No class of a command is imported, no method that gives one is called, and no open shoe is taken hold of."""
    commands = {kind.__name__ for kind in ALL if issubclass(kind, Command)} | {"Command", "KeyInstall", "KeyRotate"}
    found: list[str] = []
    for path in gateway_sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fairshoe"):
                found += [
                    f"{path.name}: {it.name}"
                    for it in node.names
                    if it.name in commands | {"Shoe", "AsyncShoe"} and node.module not in NAMESAKES
                ]
            if isinstance(node, ast.Attribute):
                held = isinstance(node.value, ast.Attribute) and node.value.attr == "fleet" and node.attr not in FLEET
                held |= isinstance(node.value, ast.Name) and node.value.id == "fleet" and node.attr not in FLEET
                # An export has records, too.
                own = node.attr == "records" and path.name == "journals.py"
                if held or (node.attr in ("records", "command", "resume", "set_clock", "unfinished") and not own):
                    found.append(f"{path.name}:{node.lineno}: .{node.attr}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "__import__"), path
    assert found == []


def test_a_planted_command_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("from fairshoe.messages import Shuffle\nself.fleet.shoes[1].command(Shuffle)\n")
    monkeypatch.setitem(globals(), "gateway_sources", lambda: [planted])
    with pytest.raises(AssertionError, match="Shuffle"):
        test_no_code_of_the_gateway_can_name_a_command()


def test_logs_are_json_lines_when_not_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    import logging

    from fairshoe_floor.logs import JsonLines

    record = logging.LogRecord("fairshoe.fleet", logging.WARNING, "x", 1, "device %08x is lost", (7,), None)
    line = json.loads(JsonLines().format(record))
    assert (line["level"], line["logger"], line["text"]) == ("warning", "fairshoe.fleet", "device 00000007 is lost")


def cards(it: Sample) -> int:
    return it.meters.cards if it.meters is not None else 0


async def test_status_and_meters_of_the_real_firmware_reach_the_api(tmp_path: Path) -> None:
    """A simulated shoe, 30 times as fast: its rounds, meters and history."""

    url = f"sim://pico-carousel?seed=3&speed=30&storage={tmp_path / 'shoe.nv'}"
    entry = Entry(0x510003, "CS-03", "1", url, None, Profile.TABLE, "test")
    async with running(Inventory("pit", tmp_path / "pit.db", None, (entry,))) as gateway:
        shoe = gateway.live.shoe(0x510003)
        assert shoe is not None
        await until(lambda: shoe.sample.totals.rounds >= 1 and cards(shoe.sample) >= 52)
        view = (await request(gateway.url, "/api/v1/shoes/00510003", TOKEN)).json["shoe"]
        assert view["meters"]["cards"] >= 52 and view["status"]["state"] and view["game"]
        rounds = (await request(gateway.url, "/api/v1/shoes/00510003/rounds", TOKEN)).json["rounds"]
        ended = [it for it in rounds if it["stage"] == "ended"]
        assert [it["number"] for it in rounds] == list(range(rounds[0]["number"], 0, -1)) and ended
        assert all(it["dealt"] + it["remainder"] == 52 for it in ended)
        await until(lambda: any(cards(it) >= 52 for it in gateway.samples.of(0x510003, 0, 100)))
        readings = (await request(gateway.url, "/api/v1/shoes/00510003/meters", TOKEN)).json["readings"]
        assert readings[-1]["meters"]["cards"] >= 52
        metrics = (await request(gateway.url, "/metrics", TOKEN)).text
        assert 'fairshoe_shoe_rounds_total{device="00510003"' in metrics


def test_the_dashboard_asks_for_metrics_that_exist(tmp_path: Path) -> None:
    board = json.loads((ROOT / "host_tools/fairshoe_floor/kit/templates/grafana.json").read_text())
    asked = {
        name for panel in board["panels"] for it in panel["targets"] for name in re.findall(r"fairshoe_\w+", it["expr"])
    }
    own = {f"fairshoe_shoe_{name}" for name in OF_SHOES} | {f"fairshoe_gateway_{name}" for name in METRICS}
    assert len(board["panels"]) > 10 and len(asked) > 10
    assert {name.removesuffix("_bucket") for name in asked} <= own


async def test_health_fails_when_events_wait_and_nothing_is_committed(tmp_path: Path) -> None:
    async with shoes(1) as servers, running(pit(tmp_path, servers)) as gateway:
        await until(lambda: link(gateway, 1) is Link.OPEN)
        assert gateway.health()[0]
        shoe = gateway.live.shoe(1)
        assert shoe is not None
        shoe.sample = replace(shoe.sample, waiting=3, heard_at=time.time())
        gateway.measures.committed_at = gateway.started_at = 1.0
        healthy, about = gateway.health()  # at once: a commit of this shoe would change it
        assert not healthy and "nothing is committed" in about["status"]


async def test_a_gateway_that_is_not_well_answers_503(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with shoes(1) as servers, running(pit(tmp_path, servers)) as gateway:
        assert (await request(gateway.url, "/healthz")).status == 200
        monkeypatch.setattr(process_module, "FREE_BYTES_MIN", 1 << 62)
        answer = await request(gateway.url, "/healthz")
        assert answer.status == 503 and "MB are left on the disk" in answer.json["status"]
