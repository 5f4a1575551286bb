"""Pulling a journal: everything there is, in one go or two, without taking anything from the host it waits for."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from in_process import run
from journals import KEY, Stage, as_file, opened, play_round, pulled, small_stage
from support import act
from test_cli import one_message, simulator

from fairshoe.errors import HelloRefused, UsageError
from fairshoe.journal import export as exports
from fairshoe.journal.verify import verify
from fairshoe.keys import role_key, seal_key, write_key
from fairshoe.link import framing
from fairshoe.messages import EventAck, Role

SEAL = seal_key(KEY)
ROUNDS = 3


def test_everything_that_was_recorded_is_pulled_and_proved() -> None:
    stage = small_stage()
    for _ in range(ROUNDS):
        play_round(stage)
    export = pulled(stage.rig)
    assert (export.first, export.last) == (1, stage.rig.app.journal.seq_last)
    names = [event.NAME if (event := record.event()) else "" for record in export.records]
    assert names == stage.names()
    assert names.count("round_ended") == ROUNDS
    assert verify(export, [SEAL]).whole


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.TABLE, Role.AUDITOR])
def test_any_role_may_pull(role: Role) -> None:
    stage = small_stage()
    with opened(stage.rig, role_key(KEY, role)) as shoe:
        assert verify(exports.pull(shoe), [SEAL]).whole


def test_a_device_without_a_key_shows_its_journal_to_anybody_and_one_with_a_key_to_nobody() -> None:
    stage = small_stage(b"")
    assert pulled(stage.rig, b"").last == stage.rig.app.journal.seq_last
    stage = small_stage()
    stage.rig.boot()  # no host is on the line
    stage.run(1)
    with opened(stage.rig) as shoe, pytest.raises(HelloRefused, match="reading its journal needs one"):
        exports.pull(shoe)


def test_pulling_acknowledges_nothing() -> None:
    stage = small_stage()
    stage.peer.acknowledges = False
    play_round_unheard(stage)
    acked = stage.rig.app.journal.seq_acked
    for key in (role_key(KEY, Role.TABLE), role_key(KEY, Role.OBSERVER)):
        with opened(stage.rig, key) as shoe:
            export = exports.pull(shoe)
            port: Any = shoe._port  # pyright: ignore[reportPrivateUsage]
            sent = framing.decode_messages(bytes(port.written))
            port.run(9000)
        assert export.last >= acked + 5
        assert all(message.seq <= acked for message in sent if isinstance(message, EventAck))
        assert stage.rig.app.journal.seq_acked == acked
        assert stage.rig.app.reporter.seq_received == acked


def play_round_unheard(stage: Stage) -> None:
    for action in ("open", "close", "open", "close"):
        stage.run(1500)
        stage.act(action, {})
    stage.run(3000)


def test_a_second_pull_adds_what_is_new_and_keeps_both_attestations() -> None:
    stage = small_stage()
    play_round(stage)
    first = pulled(stage.rig)
    play_round(stage)
    stage.act("cut", {})
    act(stage, 3000, "boot")
    both = pulled(stage.rig, known=first)
    assert both.records[: len(first.records)] == first.records
    assert len(both.records) > len(first.records) + 10
    assert len(both.attested) == 2
    assert verify(both, [SEAL]).whole
    with opened(stage.rig, role_key(KEY, Role.OBSERVER)) as shoe:
        again = exports.pull(shoe, both)
    assert [record.seq for record in again.records] == [record.seq for record in both.records]


def test_two_pulls_prove_more_than_the_ring_holds() -> None:
    stage = small_stage(cells=60)
    export: exports.Export | None = None
    for _ in range(5):
        play_round(stage)
        export = pulled(stage.rig, known=export)
    assert export is not None
    assert export.first == 1
    assert export.last > 60 + 20
    verdict = verify(export, [SEAL])
    assert verdict.whole, [problem.text() for problem in verdict.problems]


def test_what_happens_while_it_is_pulled_is_pulled_too() -> None:
    stage = small_stage()
    play_round(stage)
    with opened(stage.rig, role_key(KEY, Role.OBSERVER)) as shoe:
        opens = iter((True, False, True, False))

        def meddle(done: int, of: int) -> None:
            if done % 7 == 0:
                stage.rig.plant.door(next(opens, False))

        before = stage.rig.app.journal.seq_last
        export = exports.pull(shoe, progress=meddle)
    assert export.last > before
    assert export.attested[-1].last == export.last
    assert verify(export, [SEAL]).whole


def test_a_table_that_never_stands_still_gives_an_export_that_is_covered_all_the_same() -> None:
    stage = small_stage()
    with opened(stage.rig, role_key(KEY, Role.OBSERVER)) as shoe:
        told = shoe.journal_is
        state = [False]

        def busy(timeout_s: float = 4.0) -> Any:
            state[0] = not state[0]
            stage.rig.plant.door(state[0])
            port: Any = shoe._port  # pyright: ignore[reportPrivateUsage]
            port.run(1500)
            return told(timeout_s)

        shoe.journal_is = busy
        export = exports.pull(shoe)
    assert export.attested[-1].last == export.last
    assert verify(export, [SEAL]).whole


def test_from_a_number_on_leaves_out_what_was_before_and_says_so() -> None:
    stage = small_stage()
    play_round(stage)
    export = pulled(stage.rig, start=6)
    assert export.first == 6
    verdict = verify(export, [SEAL])
    assert verdict.sound and verdict.partial == ["it begins with record 6, and should begin with 1"]
    assert "records before 6 were not asked for" in verdict.notes[0]
    with pytest.raises(UsageError, match="has no record 9999 yet"):
        pulled(stage.rig, start=9999)


def test_a_device_with_another_log_is_refused() -> None:
    first = pulled(small_stage().rig)
    with pytest.raises(exports.OtherJournal, match="keeps log"):
        pulled(small_stage(seed=8).rig, known=first)
    with pytest.raises(exports.OtherJournal, match="keeps log"):
        pulled(small_stage().rig, known=replace(first, log=bytes(16)))


def test_storage_that_was_put_back_to_an_older_state_is_refused() -> None:
    stage = small_stage()
    older = bytes(stage.rig.nv.data)
    play_round(stage)
    known = pulled(stage.rig)
    stage.act("cut", {})
    stage.rig.nv.data[:] = older
    act(stage, 3000, "boot")
    with pytest.raises(exports.OtherJournal, match="older state of its storage was put back"):
        pulled(stage.rig, known=known)
    while stage.rig.app.journal.seq_last < known.last:  # it has caught up by numbers, with another story
        stage.run(1200)
        act(stage, 1200, "open")
        stage.act("close", {})
    stage.run(3000)
    with pytest.raises(exports.OtherJournal, match="is not the one in the file"):
        pulled(stage.rig, known=known)


def test_a_file_that_ends_before_the_ring_begins_is_not_continued() -> None:
    stage = small_stage(cells=60)
    known = pulled(stage.rig)
    for _ in range(5):
        play_round(stage)
    with pytest.raises(exports.OtherJournal, match=f"records {known.last + 1} to [0-9]+ were overwritten"):
        pulled(stage.rig, known=known)


def test_a_damaged_file_is_not_added_to() -> None:
    stage = small_stage()
    data = as_file(pulled(stage.rig)).replace(b'"seq": 2', b'"seq": 3')
    with pytest.raises(exports.JournalAltered, match="damaged at line"):
        pulled(stage.rig, known=exports.parse_export(data))


def test_a_record_that_the_device_cannot_read_is_told() -> None:
    stage = small_stage()
    play_round(stage)
    at = (12 + 6 % stage.rig.app.journal.capacity) * 96
    stage.rig.nv.data[at + 30] ^= 1
    export = pulled(stage.rig)
    verdict = verify(export, [SEAL])
    assert "the device could not read it" in verdict.problems[0].text()
    assert verdict.problems[0].seq == 6


def test_the_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export = pulled(small_stage().rig)
    path = tmp_path / "shift.journal"
    exports.write_export(path, export)
    assert exports.read_export(path) == export

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        exports.write_export(path, replace(export, records=[]))
    assert exports.read_export(path) == export
    assert list(tmp_path.iterdir()) == [path]


def test_the_example_of_the_page_is_an_export(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "JOURNAL.md").read_text(encoding="utf-8")
    header, _end = json.JSONDecoder().raw_decode(page, page.index('{"fairshoe_journal": 1'))  # over several lines
    record, _end = json.JSONDecoder().raw_decode(page, page.index('{"seq": 1, '))
    last, _end = json.JSONDecoder().raw_decode(page, page.index('{"records": 212'))
    lines = [json.loads(line) for line in as_file(pulled(small_stage().rig)).splitlines()]
    assert [list(line) for line in (header, record, last)] == [list(line) for line in (lines[0], lines[1], lines[-1])]
    assert list(header["attested"][0]) == list(lines[0]["attested"][0])


# -- the command line -------------------------------------------------------------------------------------------------


def test_pull_show_and_verify_by_command(tmp_path: Path) -> None:
    device, seal, observer = tmp_path / "device.key", tmp_path / "seal.key", tmp_path / "observer.key"
    write_key(device, "device", KEY)
    write_key(seal, "seal", SEAL)
    write_key(observer, "observer", role_key(KEY, Role.OBSERVER).secret)
    out = tmp_path / "shift.journal"
    with simulator("--key-file", str(device)) as (process, ready):
        assert process.stdin
        done = run("journal", "pull", ready["port"], "-o", str(out), "--key-file", str(observer))
        said = [line for line in done.stderr.splitlines() if "%  record " not in line]  # progress, on a busy machine
        assert (done.returncode, said) == (0, [])
        assert "records 1 to" in done.stdout and "attested under key 1" in done.stdout
        process.stdin.write(b"open\nclose\n")
        process.stdin.flush()
        again = run("journal", "pull", ready["port"], "-o", str(out), "--key-file", str(observer))
        assert again.returncode == 0
        assert "reading its journal needs one" in one_message(run("journal", "pull", ready["port"], "-o", str(out)), 5)
    proved = run("journal", "verify", str(out), "--key-file", str(seal))
    assert (proved.returncode, proved.stderr) == (0, "")
    assert "are what the device wrote, and none is missing" in proved.stdout
    answer = json.loads(run("journal", "verify", str(out), "--key-file", str(device), "--json").stdout)
    assert answer["whole"] and answer["problems"] == []
    assert "nothing is proved without the seal key" in one_message(run("journal", "verify", str(out)), 7)
    shown = run("journal", "show", str(out))
    assert "sealed under key 1" in shown.stdout and "booted: power-on" in shown.stdout
    events = [json.loads(line) for line in run("journal", "show", str(out), "--json", "--to", "2").stdout.splitlines()]
    assert [event["message"] for event in events] == ["booted", "sealed"]
    assert "verifies no journal" in one_message(run("journal", "verify", str(out), "--key-file", str(observer)), 3)
    altered = out.read_bytes().replace(b'"seq": 2', b'"seq": 1')
    out.write_bytes(altered)
    message = one_message(run("journal", "verify", str(out), "--key-file", str(seal)), 6)
    assert "altered or incomplete" in message
    assert KEY.hex() not in proved.stdout + message and SEAL.hex() not in proved.stdout + message


def test_show_marks_breaks_and_chooses_rounds(tmp_path: Path) -> None:
    stage = small_stage()
    play_round(stage)
    export = pulled(stage.rig)
    records = list(export.records)
    data = bytearray(records[6].data)
    data[30] ^= 1
    records[6] = exports.Record(7, bytes(data), records[6].line)
    path = tmp_path / "shift.journal"
    exports.write_export(path, replace(export, records=records))
    shown = run("journal", "show", str(path), "--from", "6", "--to", "9").stdout.splitlines()
    assert [line.split()[0] for line in shown[1:]] == ["#6", "#7", "----", "#8", "#9"]
    only = run("journal", "show", str(path), "--round", "1", "--json").stdout.splitlines()
    assert {json.loads(line)["round"] for line in only} == {1}


def test_verify_of_something_else_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("dear sir\n")
    assert "letter.txt is no export of a journal" in one_message(run("journal", "verify", str(path)), 3)
    assert "cannot read" in one_message(run("journal", "verify", str(tmp_path / "none")), 2)
    clear = pulled(small_stage(b"").rig, b"")
    exports.write_export(path, clear)
    assert "had no key" in one_message(run("journal", "verify", str(path)), 7)


def test_a_pull_that_is_not_this_log_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.journal"
    exports.write_export(path, pulled(small_stage(b"", seed=3).rig, b""))
    before = path.read_bytes()
    with simulator("--seed", "5") as (_process, ready):
        assert "keeps log" in one_message(run("journal", "pull", ready["port"], "-o", str(path)), 6)
    assert path.read_bytes() == before
