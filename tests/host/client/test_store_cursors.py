"""Named cursors, and retention that never takes what a reader has not passed."""

from pathlib import Path

import pytest
from test_store_writer import opened

from fairshoe import Store
from fairshoe.client import store_cursors


def filled(path: Path, events: int = 20) -> Store:
    store = Store(path)
    for device in (1, 2):
        log = store.resume(device, bytes((device,)) * 16, events, 1)
        store.add(log.id, [opened(seq) for seq in range(1, events + 1)])
        store.handled(log.id, events)
    return store


def seqs(store: Store, device: int) -> list[int]:
    return [it.seq for it in store.events(device)]


def test_a_cursor_goes_on_behind_what_it_has_passed_and_never_back(tmp_path: Path) -> None:
    with filled(tmp_path / "store.db") as store:
        first = list(store.cursor_events("booking"))
        assert [(it.device, it.seq) for it in first] == [(d, s) for d in (1, 2) for s in range(1, 21)]
        store.cursor_passed("booking", first[14])
        store.cursor_passed("booking", first[3])
    with Store(tmp_path / "store.db") as store:
        assert [it.seq for it in store.cursor_events("booking", 1)] == [16, 17, 18, 19, 20]
        assert len(list(store.cursor_events("booking", 2))) == 20
        assert len(list(store.cursor_events("other"))) == 40


def test_a_cursor_passes_many_logs_at_once_and_is_made_by_it(tmp_path: Path) -> None:
    with filled(tmp_path / "store.db") as store:
        store.pass_cursor("floor", {})
        assert store.prune(rows=1) == 0  # it exists, and has passed nothing
        store.pass_cursor("floor", {(1, b"\1" * 16): 7, (2, b"\2" * 16): 20, (9, b"unknown"): 5})
        store.pass_cursor("floor", {(1, b"\1" * 16): 3})
        assert [it.seq for it in store.cursor_events("floor")] == list(range(8, 21))


def test_events_that_are_filled_in_late_are_before_every_cursor(tmp_path: Path) -> None:
    """Readers get them, and retention waits for that."""
    with Store(tmp_path / "store.db") as store:
        log = store.resume(1, b"\1" * 16, 20, 1)
        store.add(log.id, [opened(seq) for seq in (*range(1, 5), *range(8, 21))])
        store.handled(log.id, 20)
        store.pass_cursor("floor", {(1, b"\1" * 16): 20})
        late = [(seq, it.message.ID, it.body) for seq in (5, 6, 7) if (it := opened(seq))]
        assert store.fill(1, b"\1" * 16, late) == 3
        assert [it.seq for it in store.cursor_events("floor")] == list(range(5, 21))
        assert store.prune(rows=1) == 4
        assert store.fill(1, b"\1" * 16, late) == 0
        store.pass_cursor("floor", {(1, b"\1" * 16): 20})
        assert store.fill(1, b"\1" * 16, late) == 0, "what is on file turns no cursor back"
        assert list(store.cursor_events("floor")) == []


def test_retention_keeps_what_a_reader_has_not_passed_and_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_cursors, "PRUNED", 3)  # in many small transactions
    with filled(tmp_path / "store.db") as store:
        tenth = list(store.cursor_events("booking", 1))[9]
        store.cursor_passed("booking", tenth)
        assert store.prune(age_s=3600) == 0
        assert store.prune(rows=5) == 10  # of device 1 what the cursor has passed; of device 2 it has passed nothing
        assert (seqs(store, 1), seqs(store, 2)) == (list(range(11, 21)), list(range(1, 21)))
        store.drop_cursor("booking")
        assert store.prune(rows=5) == 5 + 15
        assert seqs(store, 1) == seqs(store, 2) == [16, 17, 18, 19, 20]
        assert store.prune(age_s=-1) == 8
        assert seqs(store, 1) == seqs(store, 2) == [20]
        assert store.resume(1, b"\x01" * 16, 20, 1).last == 20


def test_retention_keeps_what_the_program_has_not_handled(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        log = store.resume(1, b"a" * 16, 9, 1)
        store.add(log.id, [opened(seq) for seq in range(1, 10)])
        store.handled(log.id, 4)
        assert store.prune(age_s=-1) == 4
        assert seqs(store, 1) == [5, 6, 7, 8, 9]


DAY_S = 86400.0


def test_retention_counts_days_and_believes_no_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [2e9]
    monkeypatch.setattr("time.time", lambda: now[0])
    with Store(tmp_path / "store.db") as store:
        log = store.resume(1, b"a" * 16, 30, 1)
        now[0] -= 3650 * DAY_S  # ten years behind
        store.add(log.id, [opened(seq) for seq in range(1, 16)])
        now[0] += 3650 * DAY_S
        store.add(log.id, [opened(seq) for seq in range(16, 31)])
        store.handled(log.id, 30)
        assert store.prune(age_s=90 * DAY_S) == 0
        for jump in (3650, -3650):  # ahead, and right again
            now[0] += jump * DAY_S
            assert store.prune(age_s=90 * DAY_S) == 0
        kept: list[int] = []
        for day in range(100):
            now[0] += DAY_S
            store.add(log.id, [opened(31 + day)])
            store.handled(log.id, 31 + day)
            store.prune(age_s=90 * DAY_S)
            kept.append(seqs(store, 1)[0])
        assert kept[79] == 1, "the jump ahead has counted nine days, and no more"
        assert 31 <= kept[99] <= 40, "one mark in nine days"


def test_events_that_are_filled_in_late_lie_before_every_cursor_of_their_log(tmp_path: Path) -> None:
    bodies = [(it.seq, it.message.ID, it.body) for it in map(opened, (8, 7))]
    with filled(tmp_path / "store.db") as store:
        with store.transaction("") as db:
            db.execute("DELETE FROM events WHERE log = 1 AND seq IN (7, 8)")
        store.pass_cursor("all", {(1, b"\1" * 16): 20, (2, b"\2" * 16): 20})
        store.pass_cursor("slow", {(1, b"\1" * 16): 3, (2, b"\2" * 16): 3})
        assert store.fill(1, b"\1" * 16, bodies) == 2
        assert [(it.device, it.seq) for it in store.cursor_events("all")] == [(1, seq) for seq in range(7, 21)]
        assert [it.seq for it in store.cursor_events("slow")] == [*range(4, 21)] * 2
