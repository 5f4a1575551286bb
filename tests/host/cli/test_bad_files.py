"""Files that a user names and that are none: folders, pipes, devices without an end, and JSON that breaks readers."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from bench_case import Case, only
from test_bench_report import leaves, with_value
from test_release import FILES, changed, folder_of, release, verify

from fairshoe.bench.plan import load_plan
from fairshoe.bench.report_file import ReportError, check_report
from fairshoe.bench.report_page import page
from fairshoe.cli import command_line
from fairshoe.files import parse_json, read_regular
from fairshoe.ship.errors import ManifestError
from fairshoe.ship.manifest import parse_manifest

__all__ = ["release"]
# What takes a file, and the exit status if it is none.
READERS = [
    (["report", "{}"], 3),
    (["bench", "show", "{}.json"], 3),
    (["config", "check", "{}.json"], 3),
    (["config", "show", "--config", "{}"], 2),
    (["game", "check", "{}.json"], 3),
    (["journal", "verify", "{}"], 2),
    (["journal", "show", "{}"], 2),
    (["firmware", "verify", "--release", "{}", "--unsigned", "--folder", "."], 3),
    (["firmware", "flash", "--board", "b", "--release", "{}", "--unsigned"], 3),
]
IDS = [" ".join(words[:2]) for words, _code in READERS]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = command_line.main(list(words))
    out, err = capsys.readouterr()
    assert "a mistake inside" not in err and (err.startswith("fairshoe: ") or words[0] == "game"), err
    return code, out + err


@pytest.mark.parametrize("kind", ["pipe", "endless", "folder"])
@pytest.mark.parametrize(("words", "code"), READERS, ids=IDS)
def test_what_is_no_file_is_told_at_once(
    words: list[str], code: int, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "one"
    for name in (place, tmp_path / "one.json"):
        if kind == "pipe":
            os.mkfifo(name)
        elif kind == "endless":
            name.symlink_to("/dev/zero")
        else:
            name.mkdir()
    got, text = told(capsys, *(word.format(place) for word in words))
    assert got == code
    if words[:2] != ["firmware", "verify"] or kind != "folder":
        assert ("it is a folder" if kind == "folder" else "it is a pipe or a device") in text or "flash" in words


def test_a_pipe_among_the_files_of_a_device_or_a_release(release: Path, tmp_path: Path) -> None:
    copied = folder_of(tmp_path / "copied", FILES)
    os.mkfifo(copied / "pipe")
    assert "pipe: it is a pipe or a device" in verify(release, "--folder", str(copied), code=3)
    verify(release, "--image", str(copied / "pipe"), code=3)
    (release / "manifest.json.sig").unlink()
    os.mkfifo(release / "manifest.json.sig")
    verify(release, "--folder", str(copied), code=6)


@pytest.mark.parametrize("words", [row[0] for row in READERS[:3]] + [["game", "check", "{}.json"]])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "NaN", "\x00", ""])
def test_json_that_is_none(words: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep"
    path.write_text(text)
    path.with_suffix(".json").write_text(text)
    code, _text = told(capsys, *(word.format(path) for word in words))
    assert code in (1, 3)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b"[NaN]", b"-Infinity", b"\xff"])
def test_parse_json_has_one_error(raw: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(raw)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\xef\xbb\xbf{}", "byte order mark"),
        ("{}".encode("utf-16"), "not UTF-8"),
        ('{"a": "\u00e9"}'.encode("latin-1"), "not UTF-8"),
        (b'{"a": 1, "b": {"c": 1, "d": 2, "c": 1}}', "'c' stands there twice"),
    ],
)
def test_json_that_a_device_would_read_otherwise_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_json(raw)


def test_a_file_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert read_regular(tmp_path / "x", 5) == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes"):
        read_regular(tmp_path / "x", 4)


@pytest.mark.parametrize("size", [10**18, (64 << 20) + 1, 1e3])
def test_a_size_that_no_file_has_is_refused(size: object) -> None:
    entry = {"size": size, "sha256": "0" * 64}
    with pytest.raises(ManifestError, match="not a release manifest"):
        parse_manifest(changed(boards={"b": {"mcu": {"port": "rp2", "board": "Pico"}, "files": {"a": entry}}}))


def test_a_folder_where_a_file_is_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "report", ".")[0] == 3
    assert told(capsys, "report", "")[0] == 3
    assert told(capsys, "firmware", "release", "keygen", ".")[0] == 3
    assert told(capsys, "firmware", "release", "keygen", str(tmp_path))[0] == 3
    code, text = told(capsys, "config", "check", str(tmp_path))
    assert code == 3 and "is no board config" in text
    (tmp_path / "notes.txt").write_text("hello")
    code, text = told(capsys, "config", "check", str(tmp_path / "notes.txt"))
    assert code == 3 and "is no board config" in text


def test_whatever_a_report_says_it_has_a_page_or_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)
    report: dict[str, Any] = case.report(case.run(only(load_plan("acceptance"), "identity", "decks", decks=2)))
    values: tuple[Any, ...] = ("yesterday", None, -1, 1.0, 1e308, 10**400, [], {}, True)
    for place in leaves(report).values():
        for value in values:
            changed_report = with_value(report, place, value)
            try:
                check_report(changed_report)
            except ReportError:
                continue
            assert page(changed_report).endswith("</html>\n"), (place, value)
    source = tmp_path / "one.json"
    source.write_text(json.dumps(report))
    assert told(capsys, "report", str(source), "-o", str(tmp_path))[0] == 9
