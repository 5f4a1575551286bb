"""Events on file before they are acknowledged: over crashes, full disks, locked files and replaced memories."""

import os
import signal
import sqlite3
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from fairshoe import Shoe, messages
from fairshoe.client import store_file
from fairshoe.client.notices import EventsElsewhere, LogStarted, Notice
from fairshoe.client.store import Arrived, Store
from fairshoe.errors import HelloRefused, StorageReplaced, StoreError, UsageError
from fairshoe.journal.expectation import Expected, expected_of
from fairshoe.keys import write_key
from fairshoe.link import framing
from fairshoe.link.session import HostSession, event_seq
from fairshoe.messages import EmptyProved, RoundEnded
from fairshoe.sim.port import SimPort

KEY = bytes(range(32))
DEVICE = 0x510001  # of seed 1


def sim(tmp_path: Path, more: str = "") -> str:
    return f"sim://pico-carousel?storage={tmp_path / 'shoe.nv'}{more}"


def opened(seq: int, boot: int = 1) -> Arrived:
    values = (seq, boot, 3, 250, 0, 0, 0)
    return Arrived(seq, messages.DoorOpened(*values), messages.DoorOpened.LAYOUT.pack(*values))


def acknowledged(shoe: Shoe) -> int:
    return shoe.sim.rig.app.journal.seq_acked


def test_an_event_is_on_file_before_it_is_acknowledged_and_the_program_sees_it_once(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store, Shoe.open(sim(tmp_path), store=store) as shoe:
        for event in shoe.events(quiet_s=60):
            assert acknowledged(shoe) <= store.logs(DEVICE)[0].last
            assert next(iter(store.events(DEVICE, event.seq - 1))).event == event
            if isinstance(event, RoundEnded):
                break
        shoe.acknowledge()
        last = shoe.seq_last
    with Store(tmp_path / "store.db") as store, Shoe.open(sim(tmp_path), store=store) as shoe:
        assert next(shoe.events(quiet_s=60)).seq == last + 1


def test_what_a_program_was_at_when_it_died_comes_first_again_though_it_was_acknowledged(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Shoe.open(sim(tmp_path), store=tmp_path / "store.db") as shoe:
        for event in shoe.events(quiet_s=60):
            if event.seq == 5:
                shoe.sim.sleep(0.5)
                assert acknowledged(shoe) >= 5
                raise RuntimeError("a bug")
    with Shoe.open(sim(tmp_path, "&dealer=none"), store=tmp_path / "store.db") as shoe:
        seqs = [event.seq for event in islice(shoe.events(quiet_s=60), 3)]
        assert seqs == [5, 6, 7]


def test_a_program_that_only_gives_commands_keeps_events_all_the_same(tmp_path: Path) -> None:
    write_key(tmp_path / "device.key", "device", KEY)
    url = sim(tmp_path, f"&dealer=none&key={tmp_path / 'device.key'}")
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(url, tmp_path / "device.key", store=store) as shoe:
            shoe.run(timeout_s=3)
            assert shoe.records.out_of_service(True).op == 1
            shoe.run(timeout_s=3)
        assert [it.name for it in store.events(DEVICE)][-1] == "command_ended"
        with Shoe.open(url, tmp_path / "device.key", store=store) as shoe:
            shoe.run(timeout_s=3)
            assert shoe.command(messages.CloseBetting).op == 2


def test_a_backlog_on_file_is_handed_out_in_pieces_and_in_order(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store, Shoe.open("sim://", store=store) as shoe:
        while shoe.seq_last < 150:
            shoe._pump()  # pyright: ignore[reportPrivateUsage]  # time goes by, and no event is taken
        assert acknowledged(shoe) >= 150 - 8
        assert [event.seq for event in islice(shoe.events(), 150)] == list(range(1, 151))


# --- asking the store ---------------------------------------------------------------------------


def test_what_is_on_file_can_be_asked_for(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        for seed in (1, 2):
            with Shoe.open(f"sim://?seed={seed}", store=store) as shoe:
                shoe.run(until=RoundEnded)
        everything = list(store.events())
        assert {it.device for it in everything} == {DEVICE, DEVICE + 1}
        one = list(store.events(DEVICE))
        assert [it.seq for it in one] == list(range(1, len(one) + 1))
        assert all(event_seq(it.event) == it.seq and it.name == it.event.NAME for it in one)
        assert [it.seq for it in store.events(DEVICE, since_seq=5)] == list(range(6, len(one) + 1))
        taken = list(store.events(DEVICE, kinds=[messages.StackTaken, "empty_proved"]))
        assert {type(it.event) for it in taken} == {messages.StackTaken, EmptyProved}
        assert list(store.events(DEVICE, log=b"another")) == []
        assert {it.log for it in one} == {store.logs(DEVICE)[0].identity}
        assert len(store.logs(DEVICE)[0].identity) == 16
        rows = sqlite3.connect(store.path).execute("SELECT fields FROM events WHERE name = 'stack_taken'").fetchall()
        assert rows and '"cards"' in rows[0][0]  # fields are there for other tools


def test_more_than_a_page_is_read_whole_and_nobody_is_held_up(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store, Store(tmp_path / "store.db") as other:
        log = store.resume(7, b"i" * 16, 700, 1)
        store.add(log.id, [opened(seq) for seq in range(1, 601)])
        seqs: list[int] = []
        for stored in store.events(7):
            seqs.append(stored.seq)
            if stored.seq == 300:
                other.add(log.id, [opened(601)])
        assert seqs == list(range(1, 602))


def test_an_event_of_a_newer_device_is_kept_as_it_came(tmp_path: Path) -> None:
    body = (9).to_bytes(4, "little") + b"\x02\0" + bytes(15) + b"new"
    message = messages.UnknownMessage(400, 2, body)
    with Store(tmp_path / "store.db") as store:
        log = store.resume(7, b"", 9, 2)
        store.add(log.id, [Arrived(9, message, body)])
        assert [it.event for it in store.events()] == [message]
        assert store.logs()[0].boot == 2


# --- a device that is not what it was -----------------------------------------------------------


def test_a_replaced_memory_stops_the_program_and_nothing_is_acknowledged(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(sim(tmp_path), store=store) as shoe:
            shoe.run(until=EmptyProved)
        (tmp_path / "shoe.nv").unlink()
        # The same number, and other noise: the new storage gets another identity.
        other = sim(tmp_path, f"&dealer=none&seed={1 + 0x10000}")
        with Shoe.open(other, store=store) as shoe:
            with pytest.raises(StorageReplaced, match=r"it keeps log .*, on file is log ") as caught:
                shoe.run(timeout_s=30)
            assert "new_log=True" in caught.value.advice
            with pytest.raises(StorageReplaced):
                next(shoe.events())
            shoe.sim.sleep(5)
            assert acknowledged(shoe) == 0
        told: list[Notice] = []
        with Shoe.open(other, store=store, new_log=True) as shoe:
            shoe.on(Notice, told.append)
            assert [event.seq for event in islice(shoe.events(quiet_s=60), 2)] == [1, 2]
        old, new = store.logs(DEVICE)
        assert old.identity != new.identity and old.last == 2
        assert told == [LogStarted(DEVICE, new.identity)]
        assert len(list(store.events(DEVICE))) == old.events + new.events


def swap(shoe: Shoe, url: str) -> None:
    """Another simulated machine on the same cable, as when a device's storage is exchanged under a program."""
    other = SimPort.from_url(url)
    shoe._port.close()  # pyright: ignore
    shoe._address._sim = shoe._port = shoe._line = other  # pyright: ignore
    shoe._clock, shoe._sleep = other.clock, other.sleep  # pyright: ignore
    shoe._core.link_lost("the cable is out", 0.0)  # pyright: ignore
    shoe._core.relink()  # pyright: ignore


def test_a_memory_replaced_under_a_running_program_gets_no_acknowledgement_as_a_sign_of_life(tmp_path: Path) -> None:
    key = tmp_path / "device.key"
    write_key(key, "device", KEY)
    url = f"sim://?dealer=none&key={key}&storage={tmp_path}/"
    with Store(tmp_path / "store.db") as store, Shoe.open(url + "old.nv", key, store=store) as shoe:
        shoe.run(until=EmptyProved)
        swap(shoe, f"{url}new.nv&seed={1 + 0x10000}")
        shoe.sim.sleep(3)
        shoe.sim.act("open")
        shoe.sim.sleep(1)
        end = shoe.sim.clock() + 15
        while shoe.sim.clock() < end:
            with pytest.raises(StorageReplaced):
                shoe.run(timeout_s=5)
        (log,) = store.logs()
        assert shoe.sim.rig.app.journal.seq_last >= log.last >= 2
        assert acknowledged(shoe) == 0


def test_what_is_stored_late_is_not_acknowledged_to_a_log_that_is_not_known_yet() -> None:
    """A store that was locked takes the last events of a session when the next one has begun."""
    session = HostSession(asks_log=True)
    session.connected = session.log_due = True
    session.acknowledge(4)
    assert session.take_output() == b""
    assert list(session.resume_after(4)) == []
    session.acknowledge(5)
    assert session.take_output()


def test_a_repetition_is_acknowledged_only_as_far_as_events_are_on_file() -> None:
    """Events 5 to 7 were taken, and are not committed yet. The device may drop what is acknowledged."""
    session = HostSession()
    session.connected = True
    session.seq_last, session.acknowledged = 7, 4
    for seq, answer in ((3, [3]), (4, [4]), (5, []), (7, [])):
        assert not session._in_order(seq)  # pyright: ignore[reportPrivateUsage]
        said = framing.decode_messages(session.take_output())
        assert [message.seq for message in said if isinstance(message, messages.EventAck)] == answer


@pytest.mark.parametrize(
    ("identity", "seq_last", "boot", "words"),
    [
        (b"b" * 16, 9, 3, "keeps log"),
        (b"a" * 16, 2, 3, "has recorded 2 events, 3 are on file"),
        (b"a" * 16, 9, 1, "in its boot 1, on file is boot 2"),
        (b"", 2, 3, "has recorded 2 events"),
    ],
)
def test_what_does_not_continue_what_is_on_file_is_refused(
    tmp_path: Path, identity: bytes, seq_last: int, boot: int, words: str
) -> None:
    with Store(tmp_path / "store.db") as store:
        log = store.resume(7, b"a" * 16, 3, 2)
        store.add(log.id, [opened(seq, 2) for seq in (1, 2, 3)])
        with pytest.raises(StorageReplaced, match=words):
            store.resume(7, identity, seq_last, boot)
        assert store.resume(7, b"a" * 16, 3, 2).last == 3
        assert store.resume(7, b"", 3, 2).identity == b"a" * 16
        assert store.resume(7, identity, seq_last, boot, new_log=True).last == 0


def test_a_storage_that_comes_back_goes_on_with_its_log_and_no_command_of_another_acts(tmp_path: Path) -> None:
    """Whatever the clock says meanwhile: the log that a device went on with last is the one that is expected."""
    with Store(tmp_path / "store.db") as store:
        old = store.resume(7, b"a" * 16, 3, 2)
        store.add(old.id, [opened(seq, 2) for seq in (1, 2, 3)])
        store.begin(7, 2, 0, "close_betting", {})
        with sqlite3.connect(tmp_path / "store.db") as db:
            db.execute("UPDATE logs SET began = began + 1e6")
        new = store.resume(7, b"b" * 16, 1, 1, new_log=True)
        assert store.unfinished(7, 2) is None and store.begin(7, 2, 0, "release", {}) == 2
        assert (new.last, store.resume(7, b"b" * 16, 1, 1).id) == (0, new.id)
        with pytest.raises(StorageReplaced):
            store.resume(7, b"a" * 16, 4, 3)
        assert store.resume(7, b"a" * 16, 4, 3, new_log=True) == store.resume(7, b"a" * 16, 4, 3)
        found = store.newest_log(7)
        assert found is not None and (found.id, found.last) == (old.id, 3)
        assert [log.id for log in store.logs(7)] == [new.id, old.id]
        assert expected_of(tmp_path / "store.db", Expected()).log == b"a" * 16


def test_a_cursor_passes_the_events_of_a_copy_that_was_put_back_once_each(tmp_path: Path) -> None:
    """It has the name of the log that it is a copy of, and numbers again from where it was made."""
    with Store(tmp_path / "store.db") as store:
        for last, first in ((3, 1), (2, 3)):
            log = store.resume(7, b"a" * 16, last, 2, new_log=True)
            store.add(log.id, [opened(seq, 2) for seq in range(first, 5 - (first == 1))])
            store.handled(log.id, 9)
        told: list[int] = []
        for stored in store.cursor_events("audit"):
            told.append(stored.seq)
            store.cursor_passed("audit", stored)
        assert told == [1, 2, 3, 3, 4] and list(store.cursor_events("audit")) == []
        assert store.prune(rows=1) == 3


def test_a_log_that_nobody_named_gets_its_name_when_it_is_told(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        first = store.resume(7, b"", 3, 1)
        assert store.resume(7, b"a" * 16, 3, 1).id == first.id
        assert store.logs(7)[0].identity == b"a" * 16


def test_what_a_clear_host_stored_of_a_keyed_device_goes_on_under_the_key(tmp_path: Path) -> None:
    """Without the key neither the log is known nor is an acknowledgement taken: the host hears why. What it has stored
    until then is kept, and the keyed host goes on behind it."""
    write_key(tmp_path / "device.key", "device", KEY)
    url = sim(tmp_path, f"&dealer=none&key={tmp_path / 'device.key'}")
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(url, store=store) as shoe, pytest.raises(HelloRefused, match="holds a key"):
            shoe.run(until=EmptyProved, timeout_s=60)
        assert [log.identity for log in store.logs()] == [b""]
        last = store.logs()[0].last
        assert last >= 1
        with Shoe.open(url, tmp_path / "device.key", store=store) as shoe:
            taken = [event.seq for event in islice(shoe.events(quiet_s=60), last + 2)]
        assert taken == list(range(1, last + 3))
        assert [len(log.identity) for log in store.logs()] == [16]


def test_events_that_another_host_has_are_told(tmp_path: Path) -> None:
    with Shoe.open(sim(tmp_path)) as shoe:
        shoe.run(until=EmptyProved)
        shoe.sim.sleep(1)
    told: list[EventsElsewhere] = []
    with Shoe.open(sim(tmp_path, "&dealer=none"), store=tmp_path / "store.db") as shoe:
        shoe.on(EventsElsewhere, told.append)
        assert next(shoe.events(quiet_s=60)).seq == 3
    assert told == [EventsElsewhere(1, 2)]


# --- when nothing can be written ----------------------------------------------------------------


def test_a_locked_file_is_told_nothing_is_acknowledged_and_nothing_is_missing_later(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db", busy_s=0.01)
    with Shoe.open(sim(tmp_path), store=store) as shoe:
        shoe.run(until=EmptyProved)
        other = sqlite3.connect(store.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for _ in range(3):
            with pytest.raises(StoreError, match="another program keeps it locked") as caught:
                shoe.run(until=RoundEnded)
            assert "No event was acknowledged" in caught.value.advice
        assert acknowledged(shoe) == 2
        other.close()
        seqs: list[int] = []
        shoe.on(messages.Event, lambda event: seqs.append(event.seq))
        shoe.run(until=RoundEnded)
    assert seqs == list(range(3, 3 + len(seqs)))
    assert [it.seq for it in store.events()] == list(range(1, 3 + len(seqs)))


FULL = """
import resource, sys
from fairshoe import Shoe
from fairshoe.errors import StoreError
from fairshoe.messages import EmptyProved, RoundEnded
url, path = sys.argv[1:]
with Shoe.open(url, store=path) as shoe:
    shoe.run(until=EmptyProved)
    on_file = shoe.store.logs()[0].last
    size = __import__("os").path.getsize(path + "-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 5000, resource.RLIM_INFINITY))
    try:
        shoe.run(until=RoundEnded)
        print("no error")
    except StoreError as error:
        shoe.sim.sleep(5)
        print(error.what)
        print(shoe.sim.rig.app.journal.seq_acked, shoe.store.logs()[0].last)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    seqs = []
    for event in shoe.events():
        seqs.append(event.seq)
        if isinstance(event, RoundEnded):
            break
    print(seqs[0], seqs == list(range(seqs[0], seqs[0] + len(seqs))), len(list(shoe.store.events())) >= seqs[-1])
"""


def test_a_full_disk_is_told_and_play_goes_on_when_there_is_space_again(tmp_path: Path) -> None:
    """The file's size is limited for real, in a process of its own."""
    command = [sys.executable, "-c", FULL, sim(tmp_path), str(tmp_path / "store.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    what, numbers, after = done.stdout.splitlines()
    assert "store.db" in what and ("disk" in what or "space" in what)
    acked, last = map(int, numbers.split())
    assert 2 <= acked <= last
    first, in_order, stored = after.split()
    assert (int(first) <= last + 1, in_order, stored) == (True, "True", "True")


@pytest.mark.parametrize("place", ["/proc/fairshoe/store.db", "{file}/store.db", "{folder}"])
def test_a_place_where_nothing_can_be_written_is_told_before_a_port_is_opened(tmp_path: Path, place: str) -> None:
    file = tmp_path / "file"
    file.write_text("")
    path = place.format(file=file, folder=tmp_path)
    with pytest.raises(StoreError) as caught:
        Shoe.open("/dev/does-not-exist", store=path)
    assert "place that can be written" in caught.value.advice


@pytest.mark.parametrize("text", [b"not a database, but something longer than a header " * 20, b"{}"])
def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(text)
    with pytest.raises(StoreError, match="no store"):
        Store(path)
    assert path.read_bytes() == text


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
@pytest.mark.parametrize("mark", ["user_version = 1", "application_id = 7", "user_version = 0"])
def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path, journal: str, mark: str) -> None:
    path = tmp_path / "a b%.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA journal_mode = {journal}")
    db.execute(f"PRAGMA {mark}")
    db.execute("CREATE TABLE mine (a)")
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreError, match="a database of another program") as caught:
            Store(path)
        assert "does not exist" in caught.value.advice
        assert path.read_bytes() == before
        db.close()  # and again when its program is gone
        before = path.read_bytes()


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"another version \(99, this is 1\). Update this tool"):
        Store(path)
    assert path.read_bytes() == before


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "older.db"
    with Store(path) as store:
        store.begin(DEVICE, 2, 0, "shuffle", {})
    tables = "SELECT name FROM sqlite_master ORDER BY name"
    with sqlite3.connect(path) as db:
        before = db.execute(tables).fetchall()
    db.close()
    monkeypatch.setattr(store_file, "STEPS", (*store_file.STEPS, "CREATE TABLE half (a); SELECT a FROM lacking"))
    monkeypatch.setattr(store_file, "SCHEMA", len(store_file.STEPS))
    with pytest.raises(StoreError, match="no such table: lacking"):
        Store(path)
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(store_file.STEPS) - 1,)
        assert db.execute(tables).fetchall() == before
    db.close()


def test_a_file_that_is_empty_or_was_only_begun_becomes_a_store(tmp_path: Path) -> None:
    empty, begun = tmp_path / "empty.db", tmp_path / "begun.db"
    empty.touch()
    with sqlite3.connect(begun) as db:
        db.execute("PRAGMA journal_mode = WAL")
    db.close()
    assert begun.stat().st_size
    for path in (empty, begun):
        for op in (1, 2):
            with Store(path) as store:
                assert store.begin(1, 2, 0, "shuffle", {}) == op
                store.finish(1, 2, op)


def test_a_store_is_a_file_and_a_home_folder_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with Store("~/table.db") as store:
        assert store.path == tmp_path / "table.db"
    for name in (":memory:", "", "."):
        with pytest.raises(UsageError, match="is no file"):
            Store(name)
    with pytest.raises(UsageError, match="not by 5"):
        Store(5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(StoreError, match="cannot find ~no-user-of-this-name/x"):
        Store("~no-user-of-this-name/x")
    assert sorted(it.name for it in tmp_path.iterdir()) == ["table.db"]


KILLED = """
import os, signal, sys
from fairshoe.client.store import Store
from test_store import opened
store = Store(sys.argv[1])
log = store.resume(7, b"i" * 16, 10**6, 1)
for seq in range(1, 10**6):
    store.begin(7, 2, 0, "shuffle", {})
    store.add(log.id, [opened(seq)])
    store.finish(7, 2, seq)
    print(seq, flush=True)
"""


def test_what_add_and_begin_returned_from_is_there_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    folders = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=folders)
    assert process.stdout
    said = 0
    for line in process.stdout:
        said = int(line)
        if said == 25:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.wait()
    with Store(path) as store:
        seqs = [it.seq for it in store.events(7)]
        assert seqs == list(range(1, len(seqs) + 1)) and len(seqs) >= said == 25
        unfinished = store.unfinished(7, 2)
        assert unfinished is None or unfinished.op >= said
    process.stdout.close()
