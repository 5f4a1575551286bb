"""`fairshoe floor` over a real PostgreSQL: what it prints, and what it says when there is nothing to use."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import psycopg
import pytest
from one_floor import Site, kept

from fairshoe.cli.command_line import main
from fairshoe.ship import signing
from fairshoe.ship.errors import SignatureError
from fairshoe.ship.manifest import FORMAT, canonical, sha256
from fairshoe_floor.alarms.rules import Rule
from fairshoe_floor.history.schema import STEPS
from fairshoe_floor.journals import JournalFile, journals_path

BOOTED = '{"cause": 1, "board_crc": 305419896, "firmware": "0.9", "halted_boot": 0, "halted": ""}'


def call(capsys: pytest.CaptureFixture[str], site: Site, *words: str) -> tuple[int, str]:
    status = main(["floor", *words, "--database", site.database])
    said = capsys.readouterr()
    return status, said.out + said.err


def put(site: Site, seq: int, name: str, fields: str = "{}") -> None:
    with psycopg.connect(site.database) as db:
        db.execute(
            "INSERT INTO logs (device, log, began, gateway) VALUES (5308417, '\\x01', 0, 'pit-1')"
            " ON CONFLICT DO NOTHING"
        )
        db.execute(
            "INSERT INTO events (device, log, seq, message, name, boot, uptime_s, utc_s, round, deck, fields, body,"
            " received, gateway) VALUES (5308417, '\\x01', %s, 1, %s, 1, 0, 0, 0, 0, %s,"
            " '', extract(epoch FROM now()) - 60, 'pit-1')",
            (seq, name, fields),
        )


def test_migrate_history_versions_keys_and_alarms(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    with psycopg.connect(site.database) as db:
        db.execute("DROP SCHEMA public CASCADE")
        db.execute("CREATE SCHEMA public")
    assert "fairshoe floor migrate" in call(capsys, site, "history")[1]
    status, said = call(capsys, site, "migrate")
    assert status == 0 and said.endswith(f"schema {len(STEPS)}: {len(STEPS)} steps done\n")
    assert [f"step {number} of {len(STEPS)}" in said for number in range(1, len(STEPS) + 1)] == [True] * len(STEPS)
    put(site, 1, "booted", BOOTED)
    put(site, 2, "key_changed", '{"generation": 3, "how": 1}')
    put(site, 3, "deck_refused")
    put(site, 4, "deck_refused")
    said = call(capsys, site, "history", "--device", "00510001", "--kind", "booted")[1]
    assert "00510001        1  booted" in said and "0.9" in said and "deck_refused" not in said
    assert "00510001  0.9       board config 12345678\n" in call(capsys, site, "versions")[1]
    with psycopg.connect(site.database) as db:
        db.execute(
            "INSERT INTO logs (device, log, began, gateway)"
            " VALUES (5308418, '\\x02', extract(epoch FROM now()) - 864000, 'pit-1')"
        )
    said = call(capsys, site, "keys")[1]
    assert "00510001  generation   3       0 days old" in said
    assert "00510002  no change on record      10 days old or older" in said
    assert "deck-refused-twice: 2 decks in a row were refused" in call(capsys, site, "alarms", "--dry-run")[1]
    assert call(capsys, site, "alarms") == (0, "")
    rule = Rule("deck-refused-twice", "refused", "major")
    with psycopg.connect(site.database) as db:
        db.execute(
            "INSERT INTO alarms (rule, severity, device, text, raised_at) VALUES (%s, %s, 5308417, 'two decks', 0)",
            (rule.name, rule.severity),
        )
    assert "NOT SEEN" in call(capsys, site, "alarms")[1]
    assert call(capsys, site, "acknowledge", "1", "--by", "Ines")[0] == 0
    assert "seen by Ines" in call(capsys, site, "alarms")[1]
    status, said = call(capsys, site, "acknowledge", "1", "--by", "Otto")
    assert status == 1 and "Ines has acknowledged alarm 1 already" in said


def test_no_database_is_said_with_what_to_do(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["floor", "history", "--database", "postgresql://127.0.0.1:1/floor"])
    assert status == 1 and "Check --database" in capsys.readouterr().err


def test_a_floor_that_is_served_before_its_database_runs_waits_for_it(site: Site, tmp_path: Path) -> None:
    """As after a power cut: it says what is missing, refuses requests, and answers when PostgreSQL does."""
    inventory = tmp_path / "pit-1.toml"
    inventory.write_text('[[shoe]]\ndevice = "00510001"\ntable = "BJ-07"\nurl = "/dev/ttyACM0"\n')
    command = [sys.executable, "-m", "fairshoe", "floor", "serve", str(inventory), "--database", site.database]
    site.postgres.kill()
    with subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None and run.stderr is not None
            try:
                assert "the database does not answer" in run.stderr.readline()
                url, _, token = run.stdout.readline().strip().split(" page: ")[1].partition("#")
                with pytest.raises(urllib.error.HTTPError, match="503"):
                    urllib.request.urlopen(f"{url}healthz", timeout=60)
            finally:
                site.postgres.start()
            with urllib.request.urlopen(f"{url}healthz", timeout=60) as answer:
                assert answer.status == 200
            with psycopg.connect(site.database) as db:  # an alarm is acknowledged under the name of the token
                db.execute(
                    "INSERT INTO alarms (rule, severity, device, text, raised_at) VALUES ('a', 'major', 5308417, '', 5)"
                )
            post = f"{url}api/v1/alarms/1/acknowledge"
            asked = urllib.request.Request(post, b"", {"Authorization": f"Bearer {token}"}, method="POST")
            with urllib.request.urlopen(asked, timeout=60) as answer:
                assert json.loads(answer.read())["acknowledged_by"] == "this run"
            with pytest.raises(urllib.error.HTTPError, match="409"):
                urllib.request.urlopen(asked, timeout=60)
            assert site.rows("SELECT acknowledged_by FROM alarms") == [("this run",)]
        finally:
            run.terminate()
    assert run.returncode == 0


def test_versions_are_held_against_a_signed_release(
    site: Site, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    board = b'{"name": "small-board"}\n'
    files = {"board.json": board, "main.py": b"pass\n", "words.txt": b"words\n"}
    boards = {
        "small-board": {
            "mcu": {"port": "rp2", "board": "RPI_PICO"},
            "files": {name: {"size": len(data), "sha256": sha256(data)} for name, data in files.items()},
        }
    }
    folder = tmp_path / "release"
    (folder / "small-board").mkdir(parents=True)
    for name, data in files.items():
        (folder / "small-board" / name).write_bytes(data)
    words = {"format": FORMAT, "version": "1.0", "firmware": "0.9", "source": "a" * 64, "compiler": "6.3"}
    (folder / "manifest.json").write_bytes(canonical({**words, "micropython": ["1.28.0"], "boards": boards}))
    public = signing.make_key(tmp_path / "signing.key")
    signing.sign(folder, signing.read_signing_key(tmp_path / "signing.key"))
    asked = ("versions", "--release", str(folder), "--key", str(tmp_path / "signing.key.pub"))

    put(site, 1, "booted", BOOTED.replace("305419896", str(crc32(board))))
    status, said = call(capsys, site, *asked)
    assert status == 0 and f"release 1.0, firmware 0.9, signed by {public[:16]}..." in said
    assert f"00510001  0.9       board config {crc32(board):08x} small-board       as the release" in said
    assert "Each shoe reports this of itself" in said
    put(site, 2, "booted", BOOTED.replace("0.9", "1.1"))
    status, said = call(capsys, site, *asked)
    assert status == 1
    assert "NOT THE RELEASE: firmware 1.1, the release has 0.9; no board config of the release" in said
    rule = {
        "name": "release",
        "kind": "version",
        "severity": "major",
        "release": "release",
        "keys": ["signing.key.pub"],
    }
    (tmp_path / "rules.json").write_text(json.dumps({"rules": [rule]}))
    dry_run = ("alarms", "--dry-run", "--rules", str(tmp_path / "rules.json"))
    wrong = "00510001  release: firmware 1.1, the release has 0.9; no board config of the release; by its own word"
    assert wrong in call(capsys, site, *dry_run)[1]
    (folder / "manifest.json").write_bytes((folder / "manifest.json").read_bytes().replace(b'"0.9"', b'"1.1"'))
    status, said = call(capsys, site, *asked)
    assert status == SignatureError.exit_code and "is not one of this manifest" in said
    assert call(capsys, site, *dry_run)[0] == SignatureError.exit_code
    assert "public key of its maker" in call(capsys, site, "versions", "--release", str(folder))[1]


def test_journals_are_listed_and_written_as_files(
    site: Site, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    now = time.time()
    with psycopg.connect(site.database) as db:
        for number, (it, problem) in enumerate(
            ((kept(1, 1, 9, now - 60), ""), (kept(2, 1, 5, now - 50), "it shrinks"))
        ):
            db.execute(
                "INSERT INTO journals (device, log, kept_at, first, last, sha256, content, problem, gateway)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 'pit-1')",
                (it.device, it.log, it.kept_at, it.first, it.last, bytes([number]), it.content, problem),
            )
    status, said = call(capsys, site, "journals", "--out", str(tmp_path))
    assert status == 1 and "00000002  records 1 to 5  WRONG: it shrinks" in said
    status, said = call(capsys, site, "journals", "--device", "00000001")
    assert status == 0 and "00000001  records 1 to 9  whole, and continues the one before" in said
    assert (tmp_path / "00000001-1-9.journal").read_bytes() == kept(1, 1, 9, now).content


def test_journals_of_one_gateway_are_listed_without_a_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now, store = time.time(), tmp_path / "pit-1.db"
    assert main(["floor", "journals", "--store", str(store)]) != 0 and "pit-1.journals.db" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    file = JournalFile(journals_path(store))
    for it in (
        kept(1, 1, 5, now - 90),
        kept(1, 5, 9, now - 60),
        replace(kept(2, 1, 5, now - 50), problem="it shrinks"),
    ):
        file.add(it)
    file.close()
    assert main(["floor", "journals", "--store", str(store), "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "00000001  records 5 to 9  whole" in said and "records 1 to 5  WRONG: it shrinks" in said
    assert (tmp_path / "00000001-5-9.journal").read_bytes() == kept(1, 5, 9, now).content
    assert main(["floor", "journals", "--store", str(store), "--device", "00000001"]) == 0
    assert [line.split("records ")[1][:6] for line in capsys.readouterr().out.splitlines()] == ["5 to 9", "1 to 5"]
