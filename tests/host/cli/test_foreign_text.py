"""What others wrote reaches a terminal as text only: names, versions and keys cannot move its cursor or hide a line."""

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from flash_image import flash_image
from flashed_board import FakeBoard
from pty_board import PtyBoard
from test_release import FILES, changed, folder_of, image, release, verifying

from fairshoe.cli import command_line
from fairshoe.errors import FairshoeError
from fairshoe.link.dictionary import Dictionary
from fairshoe.link.framing import unpack
from fairshoe.messages import RoundStarted
from fairshoe.printable import LogLines, device_text, printable, say
from fairshoe.ship.errors import ManifestError
from fairshoe.ship.manifest import parse_manifest
from fairshoe.text.progress import Progress
from fairshoe.text.screen import Screen

__all__ = ["release"]
PREFIX = 21  # bytes of an event before its own fields
EVIL = "x\x1b[1A\x1b[2K  3 of 3 files are right: THE SAME\x1b[8m"
SHOWN = "x?[1A?[2K  3 of 3 files are right: THE SAME?[8m"


def obeyed(text: str) -> list[str]:
    """What a terminal would do something about."""
    return [sign for sign in text if not sign.isprintable() and sign != "\n"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("main.py", "main.py"),
        ("Größe 日本", "Größe 日本"),
        (EVIL, SHOWN),
        ("a\nb\tc\r\x00\x7f\x9b2J", "a?b?c????2J"),
        ("exe.\u202eyp.niam \u200b\ud800", "exe.?yp.niam ??"),
    ],
)
def test_plain_leaves_what_can_be_read(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("source", ["image", "folder"])
def test_names_in_an_image_or_a_folder(
    release: Path, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**FILES, EVIL.replace("/", ""): b"evil"}
    if source == "image":
        place = image(release, flash_image(files))
    else:
        place = str(folder_of(tmp_path / "copied", files))
    capsys.readouterr()
    assert command_line.main(verifying(release, f"--{source}", place)) == 6
    out, err = capsys.readouterr()
    assert SHOWN in out and not obeyed(out + err)
    assert out.rstrip().splitlines()[-2].endswith("3 of 3 files are right: DIFFERENT")
    assert command_line.main(verifying(release, f"--{source}", place, "--json")) == 6
    assert json.loads(capsys.readouterr().out)["extra"] == [EVIL]


def test_names_on_a_device(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = FakeBoard({**FILES, EVIL: b"evil"})
    board.window_s = 1e9
    board.machine = EVIL
    capsys.readouterr()
    with PtyBoard(board) as port:
        assert command_line.main(verifying(release, port, "--wait-s", "20")) == 6
    out, err = capsys.readouterr()
    assert SHOWN in out and SHOWN in err and not obeyed(out + err)


def test_a_key_in_a_signature_file(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not a key, so it is not repeated at all."""
    line = f"ed25519 \x1b[2J\x1b[31mEVIL {'0' * 128}\n"
    (release / "manifest.json.sig").write_text(line + f"ed25519 {'ab' * 32} {'0' * 128}\n")
    capsys.readouterr()
    assert command_line.main(verifying(release, "--folder", str(release))) == 6
    err = capsys.readouterr().err
    assert "signed by abababababababab..., not by a key" in err and "EVIL" not in err and not obeyed(err)


@pytest.mark.parametrize("word", ["version", "firmware", "source", "compiler"])
@pytest.mark.parametrize("value", ["\x1b[2JEVIL", "é", "", "a\nb", "x" * 201, 7])
def test_texts_of_a_manifest_are_printable_ascii(word: str, value: object) -> None:
    parse_manifest(changed(**{word: "1.0 (of today)"}))
    with pytest.raises(ManifestError, match="not a release manifest"):
        parse_manifest(changed(**{word: value}))


def test_every_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from fairshoe.commands import demo

    def fails(error: Exception) -> Callable[[object], int]:
        def run(_options: object) -> int:
            raise error

        return run

    for error in (FairshoeError(f"{EVIL}\nfairshoe: all is well", EVIL), OSError(2, EVIL, EVIL), ValueError(EVIL)):
        for debug in ([], ["--debug"]):
            monkeypatch.setattr(demo, "run", fails(error))
            assert command_line.main(["demo", *debug])
            err = capsys.readouterr().err
            assert SHOWN in err and not obeyed(err)
            assert debug or len(err.splitlines()) == 2


def test_a_file_name_in_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    board = tmp_path / "board.json"
    board.write_text(json.dumps({EVIL: 1}))
    assert command_line.main(["config", "check", str(board)]) == 3
    out, err = capsys.readouterr()
    assert SHOWN in out and not obeyed(out + err)
    assert (
        command_line.main(["firmware", "verify", "--release", f"/nowhere/{EVIL}", "--unsigned", "--folder", "."]) == 3
    )
    assert not obeyed(capsys.readouterr().err)


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """A line break of our own stays one."""
    progress = Progress()
    progress.say(f"one\ntwo {EVIL}")
    progress.at(EVIL, 1, 1)
    assert capsys.readouterr().err == f"one\ntwo {SHOWN}\n  100%  {SHOWN}\n"


def test_every_way_to_the_terminal_makes_text_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """The monitor, the self-test, alarms and the history of a floor print through these."""
    say(f"alarm: {EVIL}")
    say(f"\r{EVIL}", file=sys.stderr)
    screen = Screen()
    screen.line(f"looking at {EVIL}", "dim")
    record = logging.LogRecord("fairshoe", logging.INFO, "", 0, "device says %s", (EVIL,), None)
    text = LogLines("%(message)s").format(record)
    out, err = capsys.readouterr()
    assert obeyed(out + err + text) == ["\r"] and text == f"device says {SHOWN}"
    assert f"alarm: {SHOWN}" in out and f"looking at {SHOWN}" in out


def test_a_colour_of_our_own_stays_and_no_other_sequence(capsys: pytest.CaptureFixture[str]) -> None:
    for code in range(110):
        say(f"\x1b[{code}mtext")
    shown = capsys.readouterr().out.splitlines()
    assert [at for at, line in enumerate(shown) if "\x1b" in line] == [0, 1, 2, 7, 31, 32, 33, 36]


@pytest.mark.parametrize("raw", [b"a\x1b[2J", b"a\nb", b"a\rb", b"\x9b2J", b"ok\0\0"])
def test_bytes_of_a_device_become_one_line_of_text_wherever_they_are_read(raw: bytes) -> None:
    text = device_text(raw)
    assert text.isprintable() and (text == "ok") == (raw == b"ok\0\0")
    field = raw.ljust(8, b"\0")
    started = unpack(RoundStarted.ID, bytes(PREFIX) + field + bytes(1))
    assert isinstance(started, RoundStarted) and started.game == text
    assert Dictionary(["message 7 0 odd text:t8"]).messages[7].read(field)["text"] == text
