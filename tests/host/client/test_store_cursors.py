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
