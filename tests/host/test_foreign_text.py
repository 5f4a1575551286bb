"""What others wrote reaches a terminal as text only: names, versions and keys cannot move its cursor or hide a line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from flash_image import flash_image
from flashed_board import FakeBoard
from pty_board import PtyBoard
from test_release import FILES, changed, folder_of, image, release, verify

from fairshoe.cli import command_line
from fairshoe.errors import FairshoeError
from fairshoe.printable import printable
from fairshoe.ship.errors import ManifestError
from fairshoe.ship.manifest import parse_manifest
from fairshoe.text.progress import Progress

__all__ = ["release"]
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
    assert verify(release, f"--{source}", place) == 6
    out, err = capsys.readouterr()
    assert SHOWN in out and not obeyed(out + err)
    assert out.rstrip().splitlines()[-2].endswith("3 of 3 files are right: DIFFERENT")
    assert verify(release, f"--{source}", place, "--json") == 6
    assert json.loads(capsys.readouterr().out)["extra"] == [EVIL]


def test_names_on_a_device(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = FakeBoard({**FILES, EVIL: b"evil"})
    board.window_s = 1e9
    board.machine = EVIL
    capsys.readouterr()
    with PtyBoard(board) as port:
        assert verify(release, port, "--wait-s", "20") == 6
    out, err = capsys.readouterr()
    assert SHOWN in out and SHOWN in err and not obeyed(out + err)


def test_a_key_in_a_signature_file(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not a key, so it is not repeated at all."""
    line = f"ed25519 \x1b[2J\x1b[31mEVIL {'0' * 128}\n"
    (release / "manifest.json.sig").write_text(line + f"ed25519 {'ab' * 32} {'0' * 128}\n")
    capsys.readouterr()
    assert verify(release, "--folder", str(release)) == 6
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
    assert command_line.main(["verify", "--release", f"/nowhere/{EVIL}", "--unsigned", "--folder", "."]) == 3
    assert not obeyed(capsys.readouterr().err)


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """A line break of our own stays one."""
    progress = Progress()
    progress.say(f"one\ntwo {EVIL}")
    progress.at(EVIL, 1, 1)
    assert capsys.readouterr().err == f"one\ntwo {SHOWN}\n  100%  {SHOWN}\n"
