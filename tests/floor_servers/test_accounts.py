"""The accounts that `fairshoe floor accounts` makes, at a real broker: what each may do works, all else is refused."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from floor import servers
from nats.errors import Error as NatsError
from one_floor import Site, identity

from fairshoe import Store
from fairshoe.cli.command_line import main
from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.stream import broker
from fairshoe_floor.stream import publisher as publisher_module
from fairshoe_floor.stream.beat import Beat, to_beat
from fairshoe_floor.stream.names import EXPECTED, FLOOR, LAST, Names

N = Names()


def write_inventory(folder: Path, name: str, *devices: int) -> Path:
    path = folder / f"{name}.toml"
    shoes = "".join(f'[[shoe]]\ndevice = "{it:08x}"\ntable = "T-{it}"\nurl = "/dev/tty{it}"\n' for it in devices)
    path.write_text(f'[gateway]\nname = "{name}"\n{shoes}')
    return path


def accounts(folder: Path, pits: dict[str, tuple[int, ...]]) -> int:
    paths = [str(write_inventory(folder, name, *devices)) for name, devices in pits.items()]
    return main(["floor", "accounts", *paths, "--out", str(folder / "accounts")])


@pytest.fixture
def closed(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A floor whose broker knows pit-1 with shoe 1 and pit-2 with shoe 2."""
    monkeypatch.setattr(broker, "ANSWER_S", 1.0)
    monkeypatch.setattr(publisher_module, "BEAT_S", 0.5)
    folder = tmp_path / "nats"
    folder.mkdir()
    assert accounts(folder, {"pit-1": (1,), "pit-2": (2,)}) == 0
    assert main(["floor", "migrate", "--database", site.database]) == 0
    nats = servers.Nats(folder, more='include "accounts/accounts.conf"')
    nats.start()
    yield replace(site, nats=nats, url=nats.url, names=N)
    nats.kill()


def options(site: Site, name: str) -> dict[str, Any]:
    return {"options": {"key": site.nats.folder / "accounts" / f"{name}.nkey"}}


def floor(site: Site) -> Consumer:
    return Consumer(site.database, site.url, N, journals_s=0.1, idle_s=0.1, **options(site, FLOOR))


def state(site: Site) -> list[tuple[int, int]]:
    """Messages and last sequence of each stream."""

    async def ask() -> list[tuple[int, int]]:
        async with broker.connected(site.url, "test", **options(site, "admin")["options"]) as (_client, stream):
            infos = [await stream.stream_info(name) for name in (N.stream, N.latest, N.journals)]
            return [(it.state.messages, it.state.last_seq) for it in infos]

    return asyncio.run(ask())


FORGED = Beat("pit-1", "0" * 32, 1, 1.0)
CLAIMS: list[tuple[str, bytes, dict[str, str]]] = [
    (N.events(1, identity(1)), b"{}", {}),
    (N.events(1, identity(1)), b"", {LAST: "4000000000"}),
    (N.refill(1, identity(1)), b"{}", {}),
    (N.committed(1, identity(1)), b"[[1,99]]", {}),
    (N.committed(2, identity(2)), b"[[1,99]]", {}),
    (N.samples(1), b"{}", {}),
    (N.exports("pit-1"), b"{}", {EXPECTED: "0"}),
    (N.gateways("pit-1"), to_beat(FORGED), {}),
    *(
        (f"$JS.API.{word}", body, {})
        for word, body in (
            *((f"STREAM.{verb}.{N.stream}", b"{}") for verb in ("INFO", "PURGE", "DELETE", "UPDATE")),
            (f"STREAM.MSG.GET.{N.stream}", b'{"seq":1}'),
            (f"STREAM.MSG.DELETE.{N.stream}", b'{"seq":1}'),
            (f"DIRECT.GET.{N.stream}", b'{"seq":1}'),
            (f"DIRECT.GET.{N.stream}.{N.events(1, identity(1))}", b""),
            (f"DIRECT.GET.{N.latest}.{N.committed(1, identity(1))}", b""),
            (f"CONSUMER.CREATE.{N.stream}", b'{"stream_name":"fairshoe","config":{"ack_policy":"none"}}'),
            ("STREAM.CREATE.other", b'{"name":"other","subjects":["other"]}'),
            ("STREAM.NAMES", b""),
            ("INFO", b""),
        )
    ),
]


def test_a_gateway_can_forge_nothing_of_another_pit(closed: Site) -> None:
    """Every forgery goes unanswered, and the broker says that it has refused it."""
    closed.record(1, 1, 5)
    pit_1 = closed.publisher(**options(closed, "pit-1"))
    closed.run(pit_1, floor(closed), until=lambda: len(closed.rows("SELECT FROM events")) == 5)
    before = state(closed)

    async def forge() -> list[str]:
        said: list[str] = []

        async def note(error: Exception) -> None:
            said.append(str(error))

        key = options(closed, "pit-2")["options"]["key"]
        async with broker.connected(closed.url, "rogue", N.inbox("pit-2"), key) as (client, _stream):
            client._error_cb = note  # pyright: ignore[reportPrivateUsage]
            for subject, data, headers in CLAIMS:
                await client.publish(subject, data, "_INBOX.answer", headers or None)
            for subject in (f"{N.stream}.>", "_INBOX.>", f"_INBOX.{FLOOR}.>", "$JS.>", ">"):
                await client.subscribe(subject)  # pyright: ignore[reportUnknownMemberType]
            await client.flush()
            await asyncio.sleep(0.2)
        return said

    said = asyncio.run(forge())
    assert len(said) == len(CLAIMS) + 5 and all("permissions violation" in text for text in said), said
    assert state(closed) == before
    assert closed.rows("SELECT seq FROM events") == [(seq,) for seq in range(1, 6)]


def test_no_account_and_a_wrong_key_are_refused(closed: Site, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    accounts(stranger, {"pit-1": (1,)})
    for key in (None, stranger / "accounts" / "pit-1.nkey"):

        async def enter(key: Any = key) -> None:
            async with broker.connected(closed.url, "stranger", key=key):
                pass

        with pytest.raises((NatsError, asyncio.TimeoutError, OSError)):
            asyncio.run(enter())


def test_a_moved_shoe_needs_new_accounts_and_a_reload(closed: Site, tmp_path: Path) -> None:
    """Before, its new gateway waits and the alarm says why; after, the old one may not go on."""
    trouble = "SELECT value FROM parts WHERE name = 'trouble publisher pit-2'"
    with Store(tmp_path / "pit-2.db") as other:
        moved = replace(closed, store=other)
        moved.record(2, 1, 3)
        moved.record(1, 1, 4)
        pit_2 = moved.publisher(gateway="pit-2", **options(closed, "pit-2"))

        def told() -> bool:
            return any("events of device 00000001 after 0 wait" in text for (text,) in closed.rows(trouble))

        site = closed
        site.run(pit_2, floor(site), until=told)
        assert site.seqs(1) == [] and site.seqs(2) == [1, 2, 3]
        assert accounts(site.nats.folder, {"pit-1": (), "pit-2": (1, 2)}) == 0
        site.nats.signal(signal.SIGHUP)
        time.sleep(0.5)
        again = moved.publisher(gateway="pit-2", **options(site, "pit-2"))
        site.run(again, floor(site), until=lambda: site.seqs(1) == [1, 2, 3, 4] and not told())


def test_a_name_and_a_shoe_have_one_gateway(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert accounts(tmp_path, {"pit-1": (1,), "pit-2": (1,)}) != 0
    assert "device 00000001 is in two inventories" in capsys.readouterr().err
    assert accounts(tmp_path, {"floor": (1,)}) != 0
    assert "two accounts would have the name floor" in capsys.readouterr().err
