"""`fairshoe monitor`: the view as a person sees it on a real pseudo-terminal, and plain lines and JSON elsewhere."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pty_screen import PtyScreen, on_a_terminal
from statuses import a_status
from test_cli import FAIRSHOE, simulator
from test_observer import Bench, play_a_shuffle

from fairshoe import __version__
from fairshoe.messages import Fault, LinkCounters, Meters, Need, Sensor, State, WarningLatched
from fairshoe.observe.monitor_view import View

LEAVE = b"\x1b[?25h\x1b[?1049l"


def hand(process: subprocess.Popen[bytes], action: str) -> None:
    assert process.stdin
    process.stdin.write(action.encode() + b"\n")
    process.stdin.flush()


def shown(view: View, columns: int, rows: int) -> list[str]:
    return ["".join(text for text, _style in line) for line in view.lines(columns, rows)]


# --- the view as lines -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 30), (120, 40), (200, 60), (40, 10), (20, 3)])
def test_the_view_fits_its_terminal_whatever_the_size(columns: int, rows: int) -> None:
    bench = Bench(history=30)
    play_a_shuffle(bench)
    view = View(bench.watch)
    view.take(bench.seen)
    lines = shown(view, columns, rows)
    assert len(lines) <= rows
    if columns >= 60:
        assert max(map(len, lines)) < columns
        assert lines[-1].startswith("q quit") and len(lines) == rows


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 34), (120, 40)])
def test_everything_a_technician_asks_first_is_in_view(columns: int, rows: int) -> None:
    bench = Bench(history=30)
    play_a_shuffle(bench)
    bench.port.hand("open")
    bench.run(3)
    view = View(bench.watch)
    view.take(bench.seen)
    text = " ".join(" ".join(shown(view, columns, rows)).split())  # a narrow terminal breaks lines
    for words in (
        "device 00",
        f"firmware {__version__}",
        "watching",
        "warning door: the door was opened with cards inside",
        "to do close it, press ACK; the machine puts out all cards",
        "1 deck, 52 cards",
        "0 damaged",
        "0 reconnects",
        "deck verified: counted 52",
        "removed",
    ):
        assert words in text, words


def test_a_silent_shoe_and_damaged_frames_are_told() -> None:
    bench = Bench()
    bench.run(3)
    bench.port.arrived += b"\0garbage\0"
    bench.run(0.2)
    bench.port.hand("cut")
    bench.run(6)
    text = "\n".join(shown(View(bench.watch), 80, 24))
    assert "silent for" in text and "check its power" in text
    assert "it was   waiting for deck" in text and "insert the deck" not in text
    assert "1 damaged (bad" in text


def test_a_shuffle_is_shown_by_time_and_never_by_cards() -> None:
    bench = Bench()
    bench.run(3)
    bench.port.hand("load", "52")
    bench.port.hand("press", "green")
    bench.run(12)
    text = "\n".join(shown(View(bench.watch), 80, 24))
    assert "[####" in text and "by time" in text and "store 0" in text


def test_a_long_warning_wraps_and_pushes_nothing_but_events_aside() -> None:
    bench = Bench()
    bench.run(3)
    known = bench.watch.known
    known.status = a_status(State.WARNING, Fault.MISFEED, need=Need.OPEN_DOOR, round=3, deck=1, positions=2, stack=1)
    known.meters = Meters(*[9] * 18)
    known.counters = LinkCounters(*[9] * 15)
    lines = shown(View(bench.watch), 80, 24)
    text = " ".join(" ".join(lines).split())
    assert "check hopper and pick roller: worn, bent or sticky cards, a crooked pile; open the door" in text
    assert lines[-1].startswith("q quit") and len(lines) == 24


def test_a_warning_of_noise_names_its_sensor_as_long_as_it_is_that_warning() -> None:
    bench = Bench()
    bench.run(3)
    view = View(bench.watch)
    view.take([WarningLatched(9, 1, 0, 0, 0, 0, 0, Fault.NOISE, 12, Sensor.THROAT_A, 0, 0)])
    bench.watch.known.status = a_status(State.WARNING, Fault.NOISE, need=Need.OPEN_DOOR)
    text = " ".join(" ".join(shown(view, 120, 40)).split())
    assert "counts unknown; it is throat_a, the first throat beam to do check cable" in text
    bench.watch.known.status = a_status(State.WARNING, Fault.DOOR, need=Need.CLOSE_DOOR)
    assert "it is throat_a" not in " ".join(" ".join(shown(view, 120, 40)).split())


def a_view_of_a_shuffle() -> View:
    bench = Bench(history=30)
    play_a_shuffle(bench)
    view = View(bench.watch)
    view.take(bench.seen, heard_s=0.0)
    return view


def test_a_question_mark_lists_the_keys_and_escape_leads_back() -> None:
    view = a_view_of_a_shuffle()
    assert view.press("?")
    assert "list only events that contain a text" in "\n".join(shown(view, 80, 24))
    assert view.press("\x1b")
    assert "deck verified" in "\n".join(shown(view, 80, 24))
    assert not view.press("jq")


def test_events_scroll_back_and_stay_there_when_new_ones_come() -> None:
    view = a_view_of_a_shuffle()
    first = [line for line in shown(view, 80, 12) if line.startswith(" #")]
    assert view.press("\x1b[A")
    back = [line for line in shown(view, 80, 12) if line.startswith(" #")]
    assert back[-1] == first[-2] and "1 newer below" in "\n".join(shown(view, 80, 12))
    view.take([WarningLatched(9, 1, 0, 0, 0, 0, 0, Fault.DOOR, 12, Sensor.NONE, 0, 0)], heard_s=0.0)
    assert [line for line in shown(view, 80, 12) if line.startswith(" #")] == back
    assert view.press("G")
    assert "warning latched: door" in shown(view, 80, 12)[-2]
    assert view.press("g" + "k" * 50)
    assert "#1 " in "\n".join(shown(view, 80, 12))


def test_a_search_lists_the_events_with_a_text() -> None:
    view = a_view_of_a_shuffle()
    assert view.press("/Verifx\x7fiedq\x7f")  # a q in a search does not quit
    text = "\n".join(shown(view, 80, 24))
    assert "with 'Verified'_" in text and "deck verified" in text and "empty proved" not in text
    assert view.press("\r")
    assert not view.typing and "empty proved" not in "\n".join(shown(view, 80, 24))
    assert view.press("\x1b") and "empty proved" in "\n".join(shown(view, 80, 24))


def test_every_event_has_the_boot_and_the_uptime_of_the_shoe() -> None:
    lines = [line for line in shown(a_view_of_a_shuffle(), 80, 24) if line.startswith(" #")]
    assert lines and all(re.match(r" #\d+ +b\d+ 0:0\d:\d\d ", line) for line in lines)


def test_what_the_shoe_kept_of_an_earlier_boot_is_marked_as_late() -> None:
    view = a_view_of_a_shuffle()
    welcome = view.watch.known.welcome
    assert welcome is not None
    view.watch.known.welcome = replace(welcome, boot=welcome.boot + 1)
    view.take([WarningLatched(999, welcome.boot, 5, 0, 0, 0, 0, Fault.DOOR, 12, Sensor.NONE, 0, 0)], 0.0)
    (line,) = [line for line in shown(view, 100, 24) if line.startswith(" #999")]
    assert " late: warning latched: door" in line


def test_at_60_by_24_the_last_events_and_the_keys_are_in_view() -> None:
    bench = Bench(history=30)
    play_a_shuffle(bench)
    bench.port.hand("open")
    bench.run(3)
    view = View(bench.watch)
    view.take(bench.seen)
    lines = shown(view, 60, 24)
    assert len(lines) == 24 and lines[-1].startswith("q quit  ? help")
    events = lines[lines.index("events") + 1 : -1]
    assert len(events) >= 5 and "warning latched: door" in " ".join(events)


# --- on a terminal ---------------------------------------------------------------------------------------------------


def test_the_view_lives_on_a_terminal_follows_its_size_and_q_gives_it_back() -> None:
    # At this speed a shuffle takes four seconds: it cannot be missed, on a busy machine either.
    with simulator("--speed", "6") as (process, ready), on_a_terminal("monitor", ready["port"]) as screen:
        screen.until("insert the deck")
        hand(process, "load 52")
        hand(process, "press green")
        screen.until("[##")
        screen.resize(120, 40)
        screen.until(lambda text: "\n  store " in text and screen.lines[39] == "q quit  ? help")
        screen.until("deck verified: counted 52")
        screen.press("q")
        assert screen.end() == 0
        assert screen.raw.endswith(LEAVE)
        assert screen.settings() == screen.before
        assert "Traceback" not in screen.text


def test_a_view_that_is_ended_from_outside_gives_the_terminal_back() -> None:
    with on_a_terminal("monitor", "sim://pico-carousel?speed=1&dealer=none", NO_COLOR="1") as screen:
        screen.until("watching")
        os.kill(screen.process.pid, signal.SIGTERM)
        assert screen.end() == 128 + signal.SIGTERM
        assert LEAVE in screen.raw
        assert screen.settings() == screen.before
        assert b"\x1b[32m" not in screen.raw and b"Traceback" not in screen.raw


def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_again() -> None:
    screen = PtyScreen(["bash", "--norc", "-i"], 100, 24, {"PS1": "shell> "})
    try:
        screen.until("shell>")
        screen.press(f"{sys.executable} -m fairshoe monitor 'sim://pico-carousel?speed=5&dealer=none'\n")
        screen.until("watching")
        screen.press("\x1a")
        screen.until("Stopped")
        assert screen.raw.count(LEAVE) == 1
        screen.press("fg\n")
        screen.until(lambda _text: screen.raw.count(b"\x1b[?1049h") == 2)
        screen.press("\x03")
        screen.until("fairshoe: interrupted")
        screen.press("exit\n")
        assert screen.end() == 130 and screen.raw.count(LEAVE) == 2
    finally:
        screen.close()


def test_a_shoe_that_goes_away_is_told_and_comes_back_by_itself(tmp_path: Path) -> None:
    storage = str(tmp_path / "shoe.nv")
    with simulator("--tcp", "0", "--storage", storage) as (process, ready):
        url = ready["tcp"]
        with on_a_terminal("monitor", url) as screen:
            screen.until("empty proved")
            process.kill()
            process.wait()
            screen.until(lambda text: "disappeared" in text or "cannot open" in text)
            with simulator("--tcp", url.removeprefix("tcp://"), "--storage", storage):
                screen.until(lambda text: "boot 2" in text and "1 reconnect" in text)
                screen.until(lambda text: "disappeared" not in text and "waiting for deck" in text)
                screen.press("q")
                assert screen.end() == 0


# --- elsewhere -------------------------------------------------------------------------------------------------------


def test_without_a_terminal_there_are_plain_lines_until_it_is_interrupted() -> None:
    monitor = subprocess.Popen(
        [*FAIRSHOE, "monitor", "sim://pico-shoe?speed=5&dealer=none"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert monitor.stdout
    lines: list[str] = []
    for line in monitor.stdout:
        lines.append(line)
        if "empty proved" in line and sum("empty proved" in each for each in lines) == 1:
            monitor.send_signal(signal.SIGINT)  # once: a second one would meet Python on its way out
    errors = monitor.communicate(timeout=600)[1]
    assert monitor.returncode == 130 and errors == "\nfairshoe: interrupted\n"
    assert lines[0] == f"            device 00510001, firmware {__version__}, game CS\n"
    assert "\x1b" not in "".join(lines)


def test_json_is_one_object_a_line_and_tells_when_the_port_went(tmp_path: Path) -> None:
    with simulator() as (process, ready):
        monitor = subprocess.Popen(
            [*FAIRSHOE, "monitor", "--json", "--log", str(tmp_path / "shift.log"), ready["port"]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert monitor.stdout
        found: list[dict[str, Any]] = []
        for line in monitor.stdout:
            found.append(json.loads(line))
            if found[-1]["message"] == "empty_proved":
                process.kill()
            if found[-1]["message"] == "connection":
                break
        monitor.terminate()
        monitor.communicate(timeout=600)
    assert found[0]["message"] == "booted" or found[0]["message"] == "status"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", each["time"]) for each in found)
    assert all(isinstance(each["state"], str) for each in found if each["message"] == "status")
    log = (tmp_path / "shift.log").read_text("utf-8").splitlines()
    assert len(log) == 2 and re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*  #1  booted: power-on", log[0])
    assert [each["seq"] for each in found if "seq" in each] == [1, 2]
    assert found[-1]["state"] == "closed" and "disappeared" in found[-1]["what"]
