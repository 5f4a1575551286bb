"""The archive for a report: what a maintainer needs is in it, and each kind of secret, planted once, is not."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from fairshoe import __version__
from fairshoe.cli import command_line
from fairshoe.journal.export import Export, Record, write_export
from fairshoe.messages import DoorOpened, RoundStarted, ShuffleNonce
from fairshoe.observe import support

KEY = "9f3c" * 16
TOKEN = "hT7-kQ2vXw9ZbN4mRs1uYc"
NONCE = bytes(range(200, 216))
SECRETS = {
    "a key in a URL": f"opening sim://pico-shoe?dealer=none&key={KEY}&mode=table",
    "a key in words": f"key {KEY}",
    "a key in pieces": "loaded " + ":".join(KEY[at : at + 2] for at in range(0, 64, 2)),
    "a seed": "seed=ab12cd34 was disclosed",
    "a token in a URL": f"the floor page: http://127.0.0.1:8443/#{TOKEN}",
    "a token in a header": f"Authorization: Bearer {TOKEN}",
    "a token alone": f"refused {TOKEN} from 10.0.0.7",
    "a password in a URL": "nats://floor:hunter2@10.0.0.9:4222 went away",
    "a password in words": 'password: "hunter2"',
    "a password of a database": "postgresql:///floor?user=a&password=hunter2",
}
PLANTED = (KEY, KEY[:32], "9f:3c:9f", TOKEN, "hunter2", "ab12cd34", NONCE.hex())


@pytest.mark.parametrize("where", SECRETS)
def test_each_kind_of_secret_is_taken_out_of_a_text(where: str) -> None:
    text = support.cleaned(SECRETS[where])
    assert support.REMOVED in text and not [secret for secret in PLANTED if secret in text], text


@pytest.mark.parametrize(
    "text",
    [
        "12:00:01 WARNING shoe 00510001 at /dev/ttyACM0: 3 frames dropped, crc 0x8f2a, sequence 120 after 118",
        "keyed session with 00510001, role table, firmware 0.2.0",
        "tcp://10.0.0.7:4001 refused: another program has the port open",
    ],
)
def test_what_a_maintainer_needs_stays(text: str) -> None:
    assert support.cleaned(text) == text


def members(path: Path) -> dict[str, str]:
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as tar:
        return {it.name.partition("/")[2]: file.read().decode() for it in tar if (file := tar.extractfile(it))}


def journal(path: Path) -> Path:
    """An export with an event about the machine, one with a nonce, and one about a round."""
    head = (5, 0, 0, 0, 77, 4)
    bodies = (
        (DoorOpened, DoorOpened.LAYOUT.pack(1, *head)),
        (ShuffleNonce, ShuffleNonce.LAYOUT.pack(2, *head, 1, 0, NONCE)),
        (RoundStarted, RoundStarted.LAYOUT.pack(3, *head, b"CS", 6)),
    )
    records = [Record.of_event(seq, kind.ID, body, bytes(32)) for seq, (kind, body) in enumerate(bodies, 1)]
    write_export(path, Export(0x510001, bytes(16), 0, [], records))
    return path


@pytest.mark.parametrize("rounds", [False, True])
def test_no_planted_secret_is_in_the_archive_and_rounds_only_when_asked_for(
    rounds: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "table.key"
    key.write_text(f"table {KEY}\n")
    key.chmod(0o600)
    log = tmp_path / "gateway.log"
    log.write_text("".join(f"{line}\n" for line in ("a line about the link", *SECRETS.values())))
    monkeypatch.setenv("FAIRSHOE_KEY_FILE", str(key))
    monkeypatch.setenv("FAIRSHOE_PORT", f"sim://pico-shoe?key={KEY}")
    out = tmp_path / "support.tar.gz"
    words = ["support", "--journal", str(journal(tmp_path / "a.journal")), "--log", str(log), "--board", "pico-shoe"]
    assert command_line.main([*words, "-o", str(out), *["--rounds"] * rounds]) == 0
    said = capsys.readouterr().out
    found = members(out)
    assert {"versions.json", "settings.json", "board.json", "journal.jsonl", "log.txt"} == set(found)
    assert all(name in said for name in found) and "No key, seed, token or password" in said
    whole = out.read_bytes().decode("latin-1") + "".join(found.values())
    assert not [secret for secret in (*PLANTED, str(key)) if secret in whole]
    assert __version__ in found["versions.json"] and "a line about the link" in found["log.txt"]
    assert "door_opened" in found["journal.jsonl"]
    assert ("round_started" in found["journal.jsonl"]) is rounds is ("77" in found["journal.jsonl"])
    assert command_line.main([*words, "-o", str(out)]) == 2  # never overwritten


def test_the_device_is_asked_only_where_a_port_is_named(tmp_path: Path) -> None:
    out = tmp_path / "support.tar.gz"
    assert command_line.main(["support", "sim://pico-shoe?dealer=none&seed=3", "-o", str(out)]) == 0
    device = json.loads(members(out)["device.json"])
    assert device["welcome"]["firmware"] == __version__ and device["link"]["frames"] > 0
    assert set(device["status"]) == {"state", "warning", "events_waiting"} and "seed=3" not in device["port"]


def test_nothing_is_written_if_the_key_in_force_would_be_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "table.key"
    key.write_text(f"table {KEY}\n")
    monkeypatch.setenv("FAIRSHOE_KEY_FILE", str(key))
    monkeypatch.setattr(support, "cleaned", str)  # as if it had missed one
    (tmp_path / "log").write_text(KEY)
    out = tmp_path / "support.tar.gz"
    assert command_line.main(["support", "--log", str(tmp_path / "log"), "-o", str(out)]) != 0
    assert "nothing was written" in capsys.readouterr().err and not out.exists()
