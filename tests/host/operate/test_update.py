"""The update of a device at a table: refused unless everything is collected and proved, and nothing may get lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flash_image import uf2_of
from in_process import output, refusal
from journals import KEY, NEW_KEY, Stage, opened, play_round, pulled, small_stage
from rig_port import STEP_MS, RigPorts
from support import act

import fairshoe.commands.update as command
from fairshoe.cli.command_line import main
from fairshoe.client.shoe import Shoe
from fairshoe.client.store import Store
from fairshoe.errors import FairshoeError
from fairshoe.journal.export import Export, JournalAltered, NothingToVerify, OtherJournal
from fairshoe.keys import role_key, seal_key, write_key
from fairshoe.link.framing import encode
from fairshoe.link.session import HostSession
from fairshoe.messages import Halted, Role
from fairshoe.operate import update
from fairshoe.operate.driver import Driver
from fairshoe.ship.identity import Identity
from fairshoe.ship.signing import make_key
from firmware.journal.keys import Keys as DeviceKeys

TABLE = role_key(KEY, Role.TABLE)
KEYS = update.Keys([seal_key(KEY)])
NEW = "0.3.0"


@pytest.fixture
def stage() -> Stage:
    """A keyed device whose host has every event of a round."""
    found = small_stage()
    play_round(found)
    found.run(2000)
    return found


def first_part(stage: Stage, keys: update.Keys = KEYS) -> tuple[update.DeviceState, Export]:
    with opened(stage.rig, TABLE) as shoe:
        return update.before(shoe, keys)


def second_part(stage: Stage, was: update.DeviceState, known: Export, keys: update.Keys = KEYS) -> update.DeviceState:
    with opened(stage.rig, TABLE) as shoe:
        return update.after(shoe, was, NEW, keys, known)[0]


def install(stage: Stage, monkeypatch: pytest.MonkeyPatch, version: str = NEW) -> None:
    """Another image, and power on."""
    for name in ("firmware.app.VERSION_TEXT", "firmware.recorder.VERSION_TEXT"):
        monkeypatch.setattr(name, version.encode())
    stage.rig.boot()
    stage.run(8000)


def test_a_device_keeps_log_key_and_records_over_an_update(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    was, known = first_part(stage)
    assert (was.last, was.key) == (stage.rig.app.journal.seq_last, known.attested[-1].key)
    install(stage, monkeypatch)
    now = second_part(stage, was, known)
    assert (now.firmware, now.log, now.key, now.device) == (NEW, was.log, was.key, was.device)
    assert now.boot > was.boot and now.last > was.last


def test_a_device_with_cards_in_it_is_not_updated(stage: Stage) -> None:
    stage.play([("", 300, "load", 8), ("", 300, "press", "green"), ("deck_verified", 500, "wait", 0)])
    with pytest.raises(update.NotReady, match="not empty and at rest"):
        first_part(stage)


def test_a_device_whose_host_has_not_collected_every_event_is_not_updated(stage: Stage) -> None:
    stage.peer.acknowledges = False
    for action in ("open", "close"):
        act(stage, 1500, action)
    stage.run(12000)
    with pytest.raises(update.NotReady, match="events that its host has not acknowledged"):
        first_part(stage)


@pytest.mark.parametrize(
    ("keys", "error"),
    [(update.Keys(), NothingToVerify), (update.Keys([seal_key(NEW_KEY)]), JournalAltered)],
)
def test_a_journal_that_is_not_proved_is_no_ground_for_an_update(
    stage: Stage, keys: update.Keys, error: type[FairshoeError]
) -> None:
    with pytest.raises(error):
        first_part(stage, keys)


def test_an_altered_record_is_evidence_and_stops_the_update(stage: Stage) -> None:
    record = pulled(stage.rig).records[5]
    at = stage.rig.nv.data.find(record.data[:60])
    stage.rig.nv.data[at + 30] ^= 1
    with pytest.raises(JournalAltered, match="altered or incomplete"):
        first_part(stage)


@pytest.mark.parametrize(("version", "words"), [("0.2.0", "still runs"), ("0.2.9", "runs 0.2.9, not 0.3.0")])
def test_a_device_that_runs_another_version_than_the_image_is_noticed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, version: str, words: str
) -> None:
    monkeypatch.setattr("firmware.app.VERSION_TEXT", b"0.2.0")
    was, known = first_part(stage)
    install(stage, monkeypatch, version)
    with pytest.raises(update.NotUpdated, match=words if version != was.firmware else "still runs"):
        second_part(stage, was, known)


def test_the_second_part_waits_for_a_restart(stage: Stage) -> None:
    was, known = first_part(stage)
    with opened(stage.rig, TABLE) as shoe, pytest.raises(update.NotUpdated, match="has not restarted"):
        update.after(shoe, was, was.firmware, KEYS, known)


def test_another_key_is_noticed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    was, known = first_part(stage)
    assert DeviceKeys(stage.rig.hal).store(NEW_KEY)
    install(stage, monkeypatch)
    with (
        opened(stage.rig, role_key(NEW_KEY, Role.TABLE)) as shoe,
        pytest.raises(FairshoeError, match="its key was changed"),
    ):
        update.after(shoe, was, NEW, update.Keys([seal_key(KEY), seal_key(NEW_KEY)]), known)


def test_another_log_is_noticed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    was, known = first_part(stage)
    other = small_stage(seed=8)
    play_round(other)
    install(other, monkeypatch)
    with pytest.raises((OtherJournal, update.NotUpdated)):
        second_part(other, was, known)
    empty = small_stage()
    install(empty, monkeypatch)
    with pytest.raises(OtherJournal):
        second_part(empty, was, known)


def test_records_that_went_back_are_noticed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    older = bytes(stage.rig.nv.data)
    play_round(stage)
    stage.run(2000)
    was, known = first_part(stage)
    stage.rig.nv.data[:] = older
    install(stage, monkeypatch)
    with pytest.raises((OtherJournal, update.NotUpdated)):
        second_part(stage, was, known)


@pytest.mark.parametrize(
    ("name", "value"), [("device", "00000001"), ("game", "XX"), ("log", "00"), ("key", 9), ("public", "ab")]
)
def test_whatever_must_be_kept_is_compared(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str, value: Any
) -> None:
    was, known = first_part(stage)
    install(stage, monkeypatch)
    with pytest.raises(update.NotUpdated, match=update.KEPT[name]):
        second_part(stage, update.DeviceState(**{**vars_of(was), name: value}), known)


def vars_of(was: update.DeviceState) -> dict[str, Any]:
    return {name: getattr(was, name) for name in was.__dataclass_fields__}


# --- the command -------------------------------------------------------------------------------


@pytest.fixture
def desk(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Arguments of a technician: an image, keys and a record, with the rig as the port."""

    def open_rig(_connection: object) -> Shoe:
        rig = stage.rig
        operations = Store(tmp_path / "operations")
        shoe = Shoe(RigPorts(rig), "rig", HostSession(TABLE), operations, clock=lambda: rig.plant.now_us / 1e6)
        shoe.greet()
        return shoe

    monkeypatch.setattr(command, "open_shoe", open_rig)
    write_key(tmp_path / "seal.key", "seal", seal_key(KEY))
    image(tmp_path / "new.uf2", NEW)
    return ["rig", "--record", tmp_path / "u.json", "--seal-key", tmp_path / "seal.key"]


def image(path: Path, version: str, release: bool = True) -> Path:
    line = Identity("pico-carousel", "caribbean-stud", version, 0, release, "0" * 64).line()
    path.write_bytes(uf2_of(line.ljust(4096, b"\xff")))
    return path


def test_both_parts_and_the_record_of_them(
    stage: Stage, desk: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = output("firmware", "update", "before", *desk, "--image", tmp_path / "new.uf2")
    assert "proved; its host has acknowledged all" in told and "Hold BOOTSEL" in told
    assert json.loads((tmp_path / "u.json").read_text())["after"] is None
    assert "still runs" in refusal(6, "firmware", "update", "after", *desk)
    install(stage, monkeypatch)
    told = output("firmware", "update", "after", *desk)
    assert "log, key and game are the same" in told and "self-test passed" in told
    record = json.loads((tmp_path / "u.json").read_text())
    assert (record["before"]["firmware"], record["after"]["firmware"]) == ("0.2.0", NEW)
    assert record["after"]["self_test_record"] > record["before"]["last"] and record["image"]["uf2_sha256"]
    assert "an update that ended" in refusal(2, "firmware", "update", "before", *desk, "--image", tmp_path / "new.uf2")
    assert json.loads(output("firmware", "update", "after", *desk, "--json"))["to"] == NEW


def test_an_older_image_is_written_only_if_it_is_named(desk: list[Any], tmp_path: Path) -> None:
    words = ["firmware", "update", "before", *desk, "--image", image(tmp_path / "old.uf2", "0.1.0")]
    assert "--older 0.1.0" in refusal(6, *words) and "--older 0.1.0" in refusal(6, *words, "--older", "0.1.1")
    assert not (tmp_path / "u.json").exists()
    output(*words, "--older", "0.1.0")


def test_a_signed_record_covers_both_parts_and_the_journal(
    stage: Stage, desk: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public, other = (make_key(tmp_path / name) for name in ("bench.key", "other.key"))
    record, journal = tmp_path / "u.json", tmp_path / "u.journal"
    check = ["report", record, "--verify", tmp_path / "bench.key.pub"]
    output("firmware", "update", "before", *desk, "--image", tmp_path / "new.uf2", "--sign", tmp_path / "bench.key")
    install(stage, monkeypatch)
    after = ["firmware", "update", "after", *desk, "--sign", tmp_path / "bench.key"]
    assert "is signed" in refusal(2, *after[:-2])
    assert other and "not by a key that you trust" in refusal(6, *after[:-1], tmp_path / "other.key")
    good = record.read_text()
    record.write_text(good.replace(NEW, "0.2.9"))
    assert "altered after it was signed" in refusal(6, *after)
    record.write_text(good)
    output(*after)
    told = output(*check)
    assert f"signed by {public}" in told and "u.journal: as signed" in told
    journal.write_text(journal.read_text().replace("a", "b", 1))
    assert "is not the one that was signed" in refusal(6, *check)
    journal.unlink()
    assert "keep it beside" in refusal(3, *check)


def test_a_long_pull_shows_how_far_it_is(
    desk: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["firmware", "update", "before", *map(str, desk), "--image", str(tmp_path / "new.uf2"), "--json"]
    monkeypatch.setattr("fairshoe.text.progress.QUIET_S", 1000.0)
    assert main(words) == 0 and capsys.readouterr().err == ""
    monkeypatch.setattr("fairshoe.text.progress.QUIET_S", 0.0)
    assert main(words) == 0
    last = json.loads((tmp_path / "u.json").read_text())["before"]["last"]
    assert f"100%  record {last} of {last}\n" in capsys.readouterr().err


def test_a_storage_layout_that_the_new_version_does_not_know_is_no_return_to_service(
    desk: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output("firmware", "update", "before", *desk, "--image", tmp_path / "new.uf2")
    before = (tmp_path / "u.json").read_text()

    class Stopped(RigPorts):
        """The table port of a device that did not start, which says why."""

        def read(self, size: int) -> bytes:
            self.run(STEP_MS)
            return encode(Halted(b"start: storage layout 1, firmware knows 0. ...: another storage layout"))

    def open_stopped(_connection: object) -> Shoe:
        ports = Stopped(small_stage().rig)
        shoe = Shoe(ports, "rig", HostSession(TABLE), clock=lambda: ports.rig.plant.now_us / 1e6)
        shoe.greet()
        return shoe

    monkeypatch.setattr(command, "open_shoe", open_stopped)
    told = refusal(5, "firmware", "update", "after", *desk)
    assert "storage layout 1, firmware knows 0" in told and "install the firmware" in told
    assert (tmp_path / "u.json").read_text() == before


def test_a_failed_self_test_keeps_the_device_out_of_service(
    stage: Stage, desk: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output("firmware", "update", "before", *desk, "--image", tmp_path / "new.uf2")
    install(stage, monkeypatch)
    act(stage, 2000, "open")
    refusal(1, "firmware", "update", "after", *desk)
    assert json.loads((tmp_path / "u.json").read_text())["after"] is None


def test_files_that_are_no_image_or_no_record_are_refused(desk: list[Any], tmp_path: Path) -> None:
    bench = image(tmp_path / "bench.uf2", NEW, release=False)
    assert "no release image" in refusal(3, "firmware", "update", "before", *desk, "--image", bench)
    for text in ("{", "[]", '{"format": 1, "kind": "update", "to": "1", "before": {}}'):
        (tmp_path / "u.json").write_text(text)
        assert "no record of an update" in refusal(2, "firmware", "update", "after", *desk)


def test_the_self_test_is_recorded(stage: Stage, tmp_path: Path) -> None:
    rig = stage.rig
    shoe = Shoe(RigPorts(rig), "rig", HostSession(TABLE), Store(tmp_path / "o"), clock=lambda: rig.plant.now_us / 1e6)
    shoe.greet()
    op, seq = update.run_self_test(Driver(shoe))
    assert op == 1 and seq == rig.app.journal.seq_last - 1  # the outcome of the command comes last
