"""Cut, replace and relabel exports that verify: no such file passes for the whole, current one.

Each file here keeps good seals and a good attestation: cutting it needs no key.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from journals import KEY, as_file, play_round, pulled, small_stage

from fairshoe.cli.command_line import main
from fairshoe.client.store import Arrived, Store
from fairshoe.errors import Exit
from fairshoe.journal.export import Export, Record
from fairshoe.keys import seal_key, write_key
from fairshoe.link import framing
from fairshoe.messages import DeckVerified

PROVED = 0
ALTERED = 6
PARTIAL = 10


@pytest.fixture(scope="module")
def pulls() -> tuple[Export, Export]:
    """An export pulled twice: after the start of the device, and after a round."""
    stage = small_stage()
    old = pulled(stage.rig)
    play_round(stage)
    return old, pulled(stage.rig, known=old)


def events_of(export: Export) -> list[Arrived]:
    """What a host has received and stored of these records."""
    found: list[Arrived] = []
    for record in export.records:
        message = framing.unpack(record.message, record.payload)
        assert message is not None
        found.append(Arrived(record.seq, message, record.payload))
    return found


def make_store(path: Path, export: Export, device: int = 0) -> Path:
    with Store(path) as store:
        log = store.resume(device or export.device, export.log, export.last, 1)
        store.add(log.id, events_of(export))
    return path


def verify(folder: Path, export: Export, *words: str) -> int:
    """The exit status of `fairshoe journal verify`, with the seal key in hand."""
    key, file = folder / "seal.key", folder / "attack.journal"
    if not key.exists():
        write_key(key, "seal", seal_key(KEY))
    file.write_bytes(as_file(export))
    return main(["journal", "verify", str(file), "--key-file", str(key), *words])


def test_the_whole_export_is_proved_against_every_expectation(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    _, new = pulls
    assert verify(tmp_path, new) == PROVED
    store = str(make_store(tmp_path / "store.db", new))
    assert verify(tmp_path, new, "--store", store) == PROVED
    device, log = f"{new.device:08x}", new.log.hex()
    words = ["--device", device, "--log", log, "--first", "1", "--last", str(new.last)]
    assert verify(tmp_path, new, *words) == PROVED


def test_a_cut_head_is_partial_whatever_the_header_says_was_asked_for(
    tmp_path: Path, pulls: tuple[Export, Export]
) -> None:
    _, new = pulls
    for keep in (1, 2, len(new.records) - 1):
        records = new.records[-keep:]
        assert verify(tmp_path, replace(new, start=records[0].seq, records=records)) == PARTIAL
        # A verifier who expects the file to begin there says so, and it is proved from there on.
        wanted = ["--first", str(records[0].seq)]
        assert verify(tmp_path, replace(new, start=records[0].seq, records=records), *wanted) == PROVED
        # Without the header's excuse it is a hole.
        assert verify(tmp_path, replace(new, records=records)) == ALTERED


def test_an_older_export_in_place_of_a_newer_one_is_noticed(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    old, new = pulls
    assert verify(tmp_path, old, "--store", str(make_store(tmp_path / "store.db", new))) == PARTIAL
    assert verify(tmp_path, old, "--last", str(new.last)) == PARTIAL
    # The store may be behind the device: that is no fault of the export.
    assert verify(tmp_path, new, "--store", str(make_store(tmp_path / "older.db", old))) == PROVED


def test_a_journal_relabelled_as_another_devices_is_noticed(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    _, new = pulls
    relabelled = replace(new, device=new.device ^ 1)
    assert verify(tmp_path, relabelled) == ALTERED
    assert verify(tmp_path, new, "--device", f"{new.device ^ 1:08x}") == ALTERED
    assert verify(tmp_path, new, "--log", bytes(16).hex()) == ALTERED


def test_another_devices_journal_is_noticed_by_the_store(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    """Both devices have one key, as after a careless provisioning."""
    _, new = pulls
    other = small_stage(seed=8)
    play_round(other)
    export = pulled(other.rig)
    assert export.log != new.log
    store = str(make_store(tmp_path / "store.db", new))
    assert verify(tmp_path, replace(export, device=new.device), "--store", store) == ALTERED
    assert verify(tmp_path, export, "--store", store) == ALTERED


def test_a_record_that_is_not_the_stored_event_is_noticed(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    """A device whose storage was put back, and that has recorded something else since."""
    _, new = pulls
    at = next(i for i, record in enumerate(new.records) if record.message == DeckVerified.ID)
    data = bytearray(new.records[at].data)
    data[4 + 21] ^= 1
    stored = replace(new, records=[*new.records[:at], Record(at + 1, bytes(data)), *new.records[at + 1 :]])
    assert verify(tmp_path, new, "--store", str(make_store(tmp_path / "store.db", stored))) == ALTERED


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    _, new = pulls
    assert verify(tmp_path, new, "--store", str(tmp_path / "typo.db")) == 2
    assert not (tmp_path / "typo.db").exists()


def test_a_store_of_two_devices_needs_the_device(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    _, new = pulls
    path = make_store(tmp_path / "store.db", new)
    make_store(path, replace(new, log=bytes(16)), new.device + 1)
    assert verify(tmp_path, new, "--store", str(path)) == 2
    assert verify(tmp_path, new, "--store", str(path), "--device", f"{new.device:08x}") == PROVED
    assert verify(tmp_path, new, "--store", str(path), "--device", "00000000") == 2
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize("depth", [50, 900, 990, 1000, 200_000])
@pytest.mark.parametrize("shape", ["[]", "{}"])
def test_nesting_in_an_export_is_refused_however_deep(
    depth: int, shape: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At some depths the reader accepts what the writer does not."""
    begin = "[" if shape == "[]" else '{"a": '
    line = '{"fairshoe_journal": ' + begin * depth + ("" if shape == "[]" else "1") + shape[1] * depth + "}"
    file = tmp_path / "deep.journal"
    file.write_text(line + "\n")
    for action in ("verify", "show"):
        assert main(["journal", action, str(file)]) in (Exit.PROOF, Exit.INPUT)
    assert "is no export of a journal" in capsys.readouterr().err
