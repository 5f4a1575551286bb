"""Journals pulled by the gateway: exports continue each other over a ring that overwrites, and faults are noticed."""

import asyncio
import contextlib
import shutil
import sqlite3
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from bench.fake_shoe import BOOT, FakeShoe, Server
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from floor_case import served
from waits import until

from fairshoe import Store, StoreError
from fairshoe.cli.command_line import main
from fairshoe.client import fleet as fleet_module
from fairshoe.journal.export import GENESIS, Attestation, Record, export_text, parse_export
from fairshoe.journal.signatures import SIGNED_TEXT, PublicKey
from fairshoe.keys import write_key
from fairshoe.messages import DoorOpened, JournalGet, JournalIs, JournalRecord, JournalSign, JournalSigned, Message
from fairshoe_floor.api.server import Binding
from fairshoe_floor.api.tokens import new_token
from fairshoe_floor.gateway import journal_pull
from fairshoe_floor.gateway.process import Gateway, Settings
from fairshoe_floor.inventory import Entry, Inventory, Profile
from fairshoe_floor.journals import JournalFile, JournalPull, journals_path, problem_of
from fairshoe_floor.side_file import SideFile

SIGNING = Ed25519PrivateKey.from_private_bytes(bytes(32))
_TOKEN, GRANT = new_token("test", ["table"])


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "RETRY_S", 0.02)
    monkeypatch.setattr(fleet_module, "RETRY_S_MAX", 0.1)
    monkeypatch.setattr(journal_pull, "LOOK_S", 0.02)


class JournalShoe(FakeShoe):
    """Keeps a journal: a ring of the last `ring` records, chained as a device does it."""

    def __init__(self, ring: int = 1000) -> None:
        super().__init__(1, bytes(32))
        self.ring = ring
        self.asked: list[int] = []
        self.shown_last: int | None = None  # what it says instead of its last number
        self.signatures = 0
        self.altered = 0  # a record that it shows with another content
        self.journal = {0: Record(0, GENESIS + self.log)}

    def chain(self) -> dict[int, Record]:
        for seq in range(len(self.journal), self.seq_last + 1):
            body = DoorOpened.LAYOUT.pack(seq, BOOT, 100, 5, 0, 0, 1)
            self.journal[seq] = Record.of_event(seq, DoorOpened.ID, body, self.journal[seq - 1].digest)
        return self.journal

    def answer(self, message: Message) -> Message | None:
        if isinstance(message, JournalSign):
            return self.signed()
        if not isinstance(message, JournalGet):
            return None
        self.asked.append(message.seq)
        last = self.seq_last if self.shown_last is None else self.shown_last
        first = max(1, last - self.ring + 1)
        if not message.seq:
            return JournalIs(first, last, 0, 1, self.log, self.chain()[last].digest, bytes(16))
        data = self.chain()[message.seq].data if first <= message.seq <= last else b""
        return JournalRecord(message.seq, data[:20] + b"\x01" + data[21:] if message.seq == self.altered else data)

    def signed(self) -> JournalSigned:
        """One more event meanwhile, as when a table goes on."""
        self.signatures += 1
        self.record(1)
        head = self.chain()[self.seq_last].digest
        attested = Attestation(1, self.seq_last, 0, 0, head, bytes(16))
        signature = SIGNING.sign(SIGNED_TEXT + attested.signed(self.device, self.log))
        public = SIGNING.public_key().public_bytes_raw()
        return JournalSigned(1, self.seq_last, 0, 0, self.log, head, bytes(16), public, signature)


async def nothing_due() -> list[Entry]:
    return []


@contextlib.asynccontextmanager
async def recording(
    folder: Path, server: Server, profile: Profile = Profile.TABLE, schedule: bool = False
) -> AsyncGenerator[Gateway]:
    """Without `schedule` the test alone pulls."""
    keys = folder / "keys"
    if not keys.exists():
        keys.mkdir()
        write_key(keys / "00000001.key", "recorder", bytes(32))
    entry = Entry(1, "T-1", "1", server.url, None, profile, "letter 7")
    inventory = Inventory("pit", folder / "pit.db", keys, (entry,))
    if (folder / "signing.pub").exists():
        inventory = replace(inventory, public_keys=folder / "signing.pub")
    async with Gateway(inventory, Settings(Binding(), [GRANT])) as gateway:
        if not schedule:
            gateway.puller.due = nothing_due
        async with served(gateway):
            yield gateway


async def play(gateway: Gateway, server: Server, count: int) -> None:
    """Events happen, and the gateway stores them."""
    server.record(count)
    await until(lambda: server.shoe.seq_acked == server.shoe.seq_last)


async def pulled(gateway: Gateway) -> JournalPull:
    """A pull now, beside those of the schedule."""
    kept = await gateway.puller.pull(gateway.inventory.shoes[0])
    assert kept is not None
    return kept


async def test_the_schedule_pulls_once_and_the_export_is_whole(tmp_path: Path) -> None:
    shoe = JournalShoe()
    async with Server(shoe) as server:
        shoe.record(30)
        async with recording(tmp_path, server, schedule=True) as gateway:
            await until(lambda: bool(gateway.journals.after(0, 9)))
            await until(lambda: shoe.seq_acked == 30)
        async with recording(tmp_path, server, schedule=True) as gateway:  # a day is not over: nothing is due
            await until(lambda: gateway.live.shoe(1).sample.link.value == "open")  # type: ignore[union-attr]
            assert await gateway.puller.due() == []
    file = JournalFile(journals_path(tmp_path / "pit.db"))
    (kept,) = file.after(0, 9)
    file.close()
    assert (kept.first, kept.last, kept.problem) == (1, 30, "")
    export = parse_export(kept.content)
    assert export.damage == [] and [it.seq for it in export.records] == list(range(1, 31))
    on_file = {it.seq: (it.message, it.payload) for it in export.records}
    assert kept.problem_with({}) == kept.problem_with(on_file) == ""
    for seq, other in ((1, (on_file[1][0] + 1, on_file[1][1])), (30, (on_file[30][0], on_file[30][1] + b"\0"))):
        problem = f"record {seq}: the event on file with this number is another one"
        assert kept.problem_with({**on_file, seq: other}) == problem


async def test_a_shoe_with_the_profile_meters_is_asked_for_no_record(tmp_path: Path) -> None:
    shoe = JournalShoe()

    async with Server(shoe) as server:
        async with recording(tmp_path, server, Profile.METERS, schedule=True) as gateway:
            await play(gateway, server, 5)
            assert await gateway.puller.due() == []
        assert set(shoe.asked) == {0}  # the session's own question: which log is this?


@pytest.mark.parametrize(
    ("device", "profile", "signatures"), [(1, Profile.TABLE, 1), (2, Profile.TABLE, 0), (1, Profile.METERS, 0)]
)
async def test_a_signature_is_asked_for_where_the_house_has_the_devices_key(
    tmp_path: Path, device: int, profile: Profile, signatures: int
) -> None:
    shoe = JournalShoe()
    public = SIGNING.public_key().public_bytes_raw()
    (tmp_path / "signing.pub").write_text(f"signing-public {device:08x} 0 {public.hex()} 1 -\n")

    async with Server(shoe) as server:
        async with recording(tmp_path, server, profile) as gateway:
            await play(gateway, server, 5)
            if profile is Profile.TABLE:
                kept = await pulled(gateway)
                trusted = [PublicKey(public, 1)] if signatures else []
                assert (kept.problem, kept.last) == ("", 5 + signatures)
                assert problem_of(parse_export(kept.content), {}, trusted) == ""
        assert shoe.signatures == signatures


async def test_each_export_begins_with_the_last_record_of_the_one_before(tmp_path: Path) -> None:
    async with Server(JournalShoe()) as server:
        async with recording(tmp_path, server) as gateway:
            await play(gateway, server, 10)
            first = await pulled(gateway)
            await play(gateway, server, 10)
            second = await pulled(gateway)
            idle = await pulled(gateway)
            gateway.alarms.judge(time.time())
            assert not gateway.alarms.current, "a pull without news is no alarm"
        assert (first.first, first.last, first.problem) == (1, 10, "")
        assert (second.first, second.last, second.problem) == (10, 20, "")
        assert (idle.first, idle.last, idle.problem) == (20, 20, "")


async def test_what_the_ring_has_overwritten_is_bridged_by_the_events_on_file(tmp_path: Path) -> None:
    async with Server(JournalShoe(ring=20)) as server, recording(tmp_path, server) as gateway:
        await play(gateway, server, 10)
        await pulled(gateway)
        await play(gateway, server, 100)
        kept = await pulled(gateway)
        assert (kept.first, kept.last, kept.problem) == (99, 110, "")  # 91 is the oldest of twenty, and 8 margin
        with gateway.store.transaction("") as db:
            db.execute("DELETE FROM events WHERE seq = 130")
        await play(gateway, server, 100)
        with gateway.store.transaction("") as db:
            db.execute("DELETE FROM events WHERE seq = 130")
        kept = await pulled(gateway)
        assert kept.problem == "records 130 to 198 were overwritten before a pull, and are not all on file"


async def test_events_on_file_that_are_not_the_journals_break_the_chain(tmp_path: Path) -> None:
    async with Server(JournalShoe(ring=20)) as server, recording(tmp_path, server) as gateway:
        await play(gateway, server, 10)
        await pulled(gateway)
        await play(gateway, server, 100)
        with gateway.store.transaction("") as db:
            db.execute("UPDATE events SET body = (SELECT body FROM events WHERE seq = 41) WHERE seq = 40")
        assert "its chain differs" in (await pulled(gateway)).problem


async def test_a_shrinking_journal_an_altered_record_and_a_missing_end_are_noticed(tmp_path: Path) -> None:
    shoe = JournalShoe()

    async with Server(shoe) as server:
        async with recording(tmp_path, server) as gateway:
            await play(gateway, server, 20)
            whole = await pulled(gateway)
            shoe.shown_last = 15
            shrunk = await pulled(gateway)
            assert "has records up to 15, the file up to 20" in shrunk.problem and not shrunk.content
            shoe.shown_last = None
            assert (await pulled(gateway)).problem == ""  # it goes on where the last whole export ended
            shoe.altered = 20
            assert "record 20 of device 00000001 is not the one in the file" in (await pulled(gateway)).problem
            shoe.altered = 25
            await play(gateway, server, 10)
            assert "the host has stored another event under this number" in (await pulled(gateway)).problem
        cut = parse_export(whole.content)
        cut = parse_export(export_text(replace(cut, records=cut.records[:-2])).encode())
        assert "the end is missing" in problem_of(cut, {})


async def test_a_problem_is_an_alarm_of_the_pit_also_after_a_restart(tmp_path: Path) -> None:
    shoe = JournalShoe()

    def raised(gateway: Gateway) -> list[str]:
        gateway.alarms.judge(time.time())
        return [alarm.text for alarm in gateway.alarms.current if alarm.rule == "journal"]

    async with Server(shoe) as server:
        async with recording(tmp_path, server) as gateway:
            await play(gateway, server, 20)
            await pulled(gateway)
            assert raised(gateway) == []
            shoe.shown_last = 15
            assert raised(gateway) == [] and (await pulled(gateway)).problem in raised(gateway)
        shoe.shown_last = None
        async with recording(tmp_path, server) as gateway:
            assert len(raised(gateway)) == 1
            await until(lambda: 1 in gateway.fleet.shoes)
            await pulled(gateway)
            assert raised(gateway) == []


def test_old_exports_are_deleted_but_never_the_newest_of_a_log(tmp_path: Path) -> None:
    file = JournalFile(tmp_path / "pit.journals.db")
    for at in (1.0, 2.0, 3.0):
        file.add(JournalPull(1, b"a", at, 1, 9, "", b"x"))
    file.add(JournalPull(1, b"a", 4.0, 0, 0, "it shrinks"))
    file.prune(4)
    assert [kept.kept_at for kept in file.after(0, 9)] == [3.0]
    file.close()


def test_a_file_beside_the_store_is_upgraded_by_steps_and_a_newer_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pit.side.db"
    first, second = "CREATE TABLE kept (a)", "ALTER TABLE kept ADD COLUMN b DEFAULT 7; CREATE INDEX b ON kept (b)"
    SideFile(path, True, first).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO kept VALUES (5)")
    with pytest.raises(StoreError, match="syntax error"):
        SideFile(path, True, first, second + "; no SQL")
    for _again in range(2):
        SideFile(path, True, first, second).close()
        with contextlib.closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT a, b FROM kept").fetchall() == [(5, 7)]
    with pytest.raises(StoreError, match=r"has schema 2, this program knows 1\. Update this program"):
        SideFile(path, True, first)


@pytest.mark.parametrize(
    ("profile", "wanted"), [(Profile.TABLE, [*range(1, 26)]), (Profile.METERS, [*range(1, 11), *range(21, 26)])]
)
async def test_events_that_a_restored_store_lacks_come_from_the_devices_journal(
    tmp_path: Path, profile: Profile, wanted: list[int]
) -> None:
    """Under the profile table; under meters no request is sent, and the store keeps its hole."""
    shoe = JournalShoe()
    store, copy = tmp_path / "pit.db", tmp_path / "copy.db"
    async with Server(shoe) as server:
        for first in (True, False):
            async with recording(tmp_path, server, profile) as gateway:
                await play(gateway, server, 10)
            if first:
                shutil.copy(store, copy)
        for path in tmp_path.glob("pit.db*"):
            path.unlink()
        shutil.copy(copy, store)
        async with recording(tmp_path, server, profile, schedule=True) as gateway:
            await play(gateway, server, 5)
            await until(lambda: [it.seq for it in gateway.store.events()] == wanted)
    assert any(shoe.asked) == (profile is Profile.TABLE)


def test_an_export_fills_holes_and_nothing_that_the_device_sends_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def record() -> None:
        async with Server(JournalShoe()) as server, recording(tmp_path, server) as gateway:
            await play(gateway, server, 20)
            (tmp_path / "bj.journal").write_bytes((await pulled(gateway)).content)

    asyncio.run(record())
    call = ["floor", "fill", str(tmp_path / "bj.journal"), "--store", str(tmp_path / "pit.db")]
    with Store(tmp_path / "pit.db") as store:
        bodies = {it.seq: it.body for it in store.events()}
        with store.transaction("") as db:
            db.execute("DELETE FROM events WHERE seq BETWEEN 7 AND 9 OR seq > 18")
        assert main(call) == 0 and "3 events of device 00000001 were added" in capsys.readouterr().out
        assert {it.seq: it.body for it in store.events()} == {seq: bodies[seq] for seq in range(1, 19)}
        with store.transaction("") as db:
            db.execute("DELETE FROM events WHERE seq = 8")
            db.execute("UPDATE events SET body = x'00' WHERE seq = 5")
        assert main(call) == 0 and "0 events" in capsys.readouterr().out  # not the same life of the device
    text = (tmp_path / "bj.journal").read_text().splitlines()
    (tmp_path / "bj.journal").write_text("\n".join(text[:-2]) + "\n")
    assert main(call) != 0 and "cannot be used" in capsys.readouterr().err
