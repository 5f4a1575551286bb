"""The command line as people meet it: through a pseudo-terminal and through pipes, with good and with bad input."""

import json
import os
import random
import re
import select
import subprocess
import sys
import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import in_process
import pytest
import serial
from waits import LIMIT_S

from fairshoe import __version__

FAIRSHOE = [sys.executable, "-m", "fairshoe"]


def run(*arguments: str, timeout: float = 600) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*FAIRSHOE, *arguments], capture_output=True, text=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL
    )


@contextmanager
def simulator(*arguments: str) -> Generator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    process = subprocess.Popen(
        [*FAIRSHOE, "sim", "--hands", "--json", "--speed", "20", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin and process.stdout
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def hand(process: "subprocess.Popen[bytes]", action: str) -> None:
    """Act at a simulator, and wait until its shoe has felt it."""
    assert process.stdin and process.stdout
    process.stdin.write(action.encode() + b"\n")
    process.stdin.flush()
    while b'"did"' not in process.stdout.readline():
        assert process.poll() is None


def one_message(done: subprocess.CompletedProcess[str], code: int) -> str:
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("fairshoe: ")
    assert len(done.stderr.strip().splitlines()) == 2, done.stderr
    return done.stderr


@pytest.mark.parametrize("command", ["demo", "sim"])
def test_an_unknown_board_or_game_names_the_known_ones(command: str) -> None:
    assert "Known boards: pico-carousel" in one_message(run(command, "--board", "nope"), 3)
    assert "caribbean-stud, double-attack" in one_message(run(command, "--game", "snap"), 3)


def test_config_check_says_of_every_board_what_it_is_or_all_that_is_wrong(tmp_path: Path) -> None:
    from fairshoe.boards import configs

    config = configs.load_board("pico-carousel")[0]
    config["inputs"]["exit"] = config["inputs"]["throat_a"]
    config["mechanism"]["slot_count"] = 50
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(config))
    done = in_process.run("config", "check", str(path), "pico-carousel", "pico-draw", "nope")
    assert "2 of 4 board configs cannot work" in one_message(done, 3)
    lines = done.stdout.splitlines()
    assert lines[0] == f"{path}: cannot work"
    assert "used twice, for inputs.throat_a and for inputs.exit" in lines[1]
    assert "slot_count 50" in lines[2]
    assert lines[3].startswith("pico-carousel: good (carousel on Raspberry Pi Pico, crc ")
    assert "count assurance full: two cards at once are noticed" in lines[3]
    assert lines[4].startswith("pico-draw: good (draw on ")
    assert lines[5] == "nope: cannot work"
    assert "Known boards: pico-carousel" in lines[6]
    assert len(lines) == 7


def test_config_check_tells_a_program_the_same() -> None:
    done = in_process.run("config", "check", "--json", "pico-shoe", "nope")
    one_message(done, 3)
    good, bad = (json.loads(line) for line in done.stdout.splitlines())
    assert (good["board"], good["good"], good["kind"], good["problems"]) == ("pico-shoe", True, "shoe", [])
    assert good["count_assurance"] == "full"
    assert re.fullmatch("[0-9a-f]{8}", good["crc"])
    assert not bad["good"]
    assert "no board 'nope'" in bad["problems"][0]


def test_a_shoe_that_disappears_in_the_middle_ends_the_monitor_with_a_message() -> None:
    with simulator() as (process, ready):
        monitor = subprocess.Popen(
            [*FAIRSHOE, "monitor", "--host", "--once", ready["port"]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert monitor.stdout and monitor.stderr
        while "empty proved" not in monitor.stdout.readline():
            pass
        process.kill()
        errors = monitor.communicate(timeout=600)[1]
    assert monitor.returncode == 4
    assert f"{ready['port']} disappeared." in errors
    assert "Traceback" not in errors


def test_the_tap_repeats_what_the_shoe_sends_to_a_second_tool() -> None:
    with simulator() as (_process, ready):
        tap = subprocess.Popen(
            [*FAIRSHOE, "monitor", "--json", "--quiet-s", "2", ready["tap"]], stdout=subprocess.PIPE, text=True
        )
        with serial.Serial(ready["port"], timeout=0.2) as port:
            data = b""
            end = time.monotonic() + LIMIT_S
            while __version__.encode() not in data and time.monotonic() < end:
                data += port.read(256)
        assert tap.stdout
        first = json.loads(tap.stdout.readline())
        tap.kill()
        tap.communicate()
    assert first["message"] == "booted"
    assert first["firmware"] == __version__


def test_a_storage_file_that_is_not_this_shoes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "shoe.nv"
    file.write_bytes(bytes(32000))
    message = one_message(run("sim", "--hands", "--storage", str(file)), 5)
    assert f"storage {file} has 32000 bytes, and this storage 32768." in message
    assert "cut short" in message and file.stat().st_size == 32000
    message = one_message(run("sim", "--hands", "--storage", str(tmp_path)), 5)
    assert "Name a file that can be written." in message
    newer = bytearray(32768)
    newer[8 * 96 : 8 * 96 + 4] = b"\x96\x00\x00\x02"
    newer[8 * 96 + 92 : 9 * 96] = zlib.crc32(newer[8 * 96 : 8 * 96 + 92]).to_bytes(4, "little")
    file.write_bytes(newer)
    message = one_message(run("sim", "--hands", "--storage", str(file)), 5)
    assert "storage layout 2, firmware knows 1." in message and file.read_bytes() == newer
    with simulator("--storage", str(tmp_path / "other")):
        message = one_message(run("sim", "--hands", "--storage", str(tmp_path / "other")), 5)
    assert "another simulator has it" in message


def test_a_hand_that_does_something_impossible_gets_a_hint_and_the_shoe_goes_on() -> None:
    done = subprocess.run(
        [*FAIRSHOE, "sim", "--hands", "--speed", "20"],
        input="dance\npress nose\nload many\nquit\n",
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0
    assert "no action 'dance'" in done.stderr
    assert "no button nose" in done.stderr
    assert "load many:" in done.stderr
    assert "table port" in done.stdout


def a_seed() -> str:
    return str(random.randrange(1 << 30))


def test_any_deal_of_the_house_game_can_be_named() -> None:
    from fairshoe.errors import GameError
    from fairshoe.sim.pty_server import check_game

    assert check_game("house:deck_cards=384,plan=1+1+4") == {"deck_cards": 384, "plan": [1, 1, 4]}
    for text in ("house:cards=3", "house:deck_cards=many", "caribbean-stud:deck_cards=3", "nope"):
        with pytest.raises(GameError):
            check_game(text)


def test_the_demo_tells_its_story_in_plain_text() -> None:
    done = run("demo", "--speed", "20", "--seed", a_seed(), timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "\x1b" not in done.stdout
    for words in (
        "tap  /dev/",
        "cards refused: progressive wagers and chips must be reported and agree, rule CS-9c",
        "| Progressive chips    |",
        "rest put out: 32 cards, 32 expected",
        "deck refused by rule CS-9g: 51 cards counted, 52 expected; the deck is removed from the table",
        "void by rule CS-13f (jam exit): all hands void; cards are pulled and reshuffled with those dealt",
        "rounds        2 ended, 1 void",
        " received, 0 missing",
    ):
        assert words in done.stdout, words


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("b5-jam-in-the-third-stack",), "void by rule B5-12f (jam exit): all hands void, but complete hands stand"),
        (("deck-of-51:b5-51-cards",), "deck refused by rule B5-9f: 51 cards counted"),
        (("--game", "boston-5-stud"), "recorded: final deal: 2 positions; by rule B5-10c"),
        (("--game", "double-down-stud"), "| Double down wagers   |"),
        (("--game", "double-cross-poker"), "| Deal the cross: five |"),
        (("--game", "double-attack-blackjack"), "recorded: burned"),
        (("--board", "pico-shelves"), "deck refused by house policy: 51 cards counted"),
        (("--board", "pico-shoe"), "round ended: 3 stacks, 15 cards dealt"),
        (("--board", "pico-draw"), "void by house policy (door)"),
        (("--board", "pico2-draw"), "rounds        2 ended, 0 void"),
        (("--game", "boston-5-stud", "--board", "pico-shoe"), "round started: 3 positions"),
        (("--table", "cover_all=with_dealer", "--table", "progressive=false"), "Cover All, rule CS-12e: 4 hands"),
    ],
)
def test_the_demo_plays_a_scenario_that_is_named_or_fits_and_else_two_good_rounds(
    arguments: tuple[str, ...], words: str
) -> None:
    done = run("demo", *arguments, "--speed", "50", "--seed", a_seed(), timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert words in done.stdout
    assert " received, 0 missing" in done.stdout


def test_the_demo_says_what_it_cannot_play() -> None:
    assert "fairshoe demo cs-progressive" in one_message(run("demo", "--table", "records=true"), 2)
    assert "60 cards does not fit 54 slots" in one_message(run("demo", "--game", "house:deck_cards=60"), 3)
    assert "fairshoe scenario list" in one_message(run("demo", "no-such-scenario"), 3)


def test_the_demo_tells_what_was_not_as_the_scenario_expects(tmp_path: Path) -> None:
    story: dict[str, object] = {
        "title": "A deck that never comes",
        "steps": [],
        "expect": {"events": ["deck_verified"]},
    }
    (tmp_path / "story.json").write_text(json.dumps(story))
    done = run("demo", "--speed", "50", str(tmp_path / "story.json"), timeout=600)
    assert done.returncode == 1
    assert "not as the story should go: " in done.stdout and "deck_verified" in done.stdout


def read_terminal(near: int, word: str = "") -> str:
    """What is written there until the word comes, or until the other end is closed."""
    text = ""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end and not (word and word in text):
        if select.select([near], [], [], 0.2)[0]:
            try:
                text += os.read(near, 65536).decode(errors="replace")
            except OSError:
                break
    return text


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_on_a_terminal_there_is_a_live_line_and_ctrl_c_ends_it_cleanly(no_color: str, coloured: bool) -> None:
    near, far = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": no_color}
    process = subprocess.Popen(
        [*FAIRSHOE, "demo", "--speed", "10", "--seed", a_seed()],
        stdin=far,
        stdout=far,
        stderr=far,
        env=environment,
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
    )
    os.close(far)
    try:
        text = read_terminal(near, "deck verified")
        os.write(near, b"\x03")
        text += read_terminal(near)  # until it has ended
        assert process.wait() == 130
    finally:
        process.kill()
    os.close(near)
    assert "shuffling [#" in text
    assert ("\x1b[32m" in text) == coloured
    assert "Traceback" not in text
    assert "interrupted" in text
