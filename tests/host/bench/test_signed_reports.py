"""Reports of the bench and of self-tests, signed by a bench key: every changed byte and every other key is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from in_process import run

from fairshoe.errors import Exit
from fairshoe.keys import write_key
from fairshoe.ship.signing import RELEASE, REPORT, make_key, read_signing_key, sign_file, signature_path

SIM = "sim://pico-shoe?seed=3"


def bench_report(folder: Path) -> Path:
    make_key(folder / "bench.key")
    done = run("bench", SIM, "sensors", "--out", folder, "--sign", folder / "bench.key", "--json")
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["report"])


def selftest_report(folder: Path) -> Path:
    make_key(folder / "bench.key")
    write_key(folder / "dev.key", "device", bytes(range(32)))
    url = f"sim://pico-carousel?seed=4&dealer=hands&key={folder / 'dev.key'}"
    words = ("--run", "--key-file", folder / "dev.key", "--report", folder / "t.json", "--sign", folder / "bench.key")
    done = run("selftest", url, *words)
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "t.json").read_text())
    assert report["device"] == "00510004" and report["checks"][0]["verdict"] == "good"
    assert str(folder) not in (folder / "t.json").read_text(), "where a key lies is nothing for a report"
    return folder / "t.json"


@pytest.mark.parametrize("made", [bench_report, selftest_report])
def test_a_signed_report_is_verified_and_a_changed_one_refused(made: Callable[[Path], Path], tmp_path: Path) -> None:
    report = made(tmp_path)
    public = tmp_path / "bench.key.pub"
    good = run("report", report, "--verify", public)
    assert (good.returncode, "signed by " in good.stdout) == (0, True), good.stderr
    said = {"bench": ("device: 00510003", "verdict: passed"), "t": ("device: 00510004", "kind: selftest")}
    assert all(f"  {line}\n" in good.stdout for line in said[report.stem[:5]]), good.stdout

    make_key(tmp_path / "other.key")
    other = run("report", report, "--verify", tmp_path / "other.key.pub")
    assert other.returncode == Exit.PROOF and "not by a key that you trust" in other.stderr

    raw = report.read_bytes()
    for at in range(0, len(raw), max(1, len(raw) // 40)):
        report.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        assert run("report", report, "--verify", public).returncode == Exit.PROOF, at
    report.write_bytes(raw)
    signature_path(report).unlink()
    bare = run("report", report, "--verify", public)
    assert bare.returncode == Exit.PROOF and "is not signed" in bare.stderr


def test_what_lies_beside_a_signed_report_is_checked_or_said_to_be_unsigned(tmp_path: Path) -> None:
    report = bench_report(tmp_path)
    good = run("report", report, "--verify", tmp_path / "bench.key.pub")
    events = report.with_name(f"{report.stem}.events.jsonl")
    assert f"{events}: as signed" in good.stdout and f"{report.with_suffix('.html')}: NOT signed" in good.stdout
    events.write_bytes(events.read_bytes()[:-2] + b" \n")
    altered = run("report", report, "--verify", tmp_path / "bench.key.pub")
    assert altered.returncode == Exit.PROOF and "is not the one that was signed" in altered.stderr
    events.unlink()
    alone = run("report", report, "--verify", tmp_path / "bench.key.pub")  # sent without its events
    assert alone.returncode == 0 and f"{events}: NOT here" in alone.stdout


def test_what_is_signed_and_no_report_is_said_to_be_none(tmp_path: Path) -> None:
    make_key(tmp_path / "k")
    report = tmp_path / "r.json"
    for raw in (b"[]", b"x", b"", b"\xff", b'{"a": NaN}', b'{"files": {"../x": ""}}', b'{"events": 1}'):
        report.write_bytes(raw)
        sign_file(report, raw, read_signing_key(tmp_path / "k"), REPORT)
        done = run("report", report, "--verify", tmp_path / "k.pub")
        assert done.returncode == Exit.INPUT and "is signed, and is no report" in done.stderr, raw


def test_a_signature_of_a_release_is_none_of_a_report(tmp_path: Path) -> None:
    make_key(tmp_path / "k")
    report = tmp_path / "r.json"
    report.write_bytes(b"{}")
    for kind, status in ((RELEASE, Exit.PROOF), (REPORT, 0)):
        sign_file(report, b"{}", read_signing_key(tmp_path / "k"), kind)
        assert run("report", report, "--verify", tmp_path / "k.pub").returncode == status


def test_a_signature_without_a_report_is_refused_before_the_shoe_is_asked(tmp_path: Path) -> None:
    make_key(tmp_path / "k")
    done = run("selftest", "tcp://127.0.0.1:1", "--sign", tmp_path / "k")
    assert done.returncode == Exit.USAGE and "--report" in done.stderr
