"""The demonstration as a new user sees it: sentences, one clock, nothing cut, and a shoe that stays at a terminal."""

import io
import os
import re
import subprocess

import pytest
from pty_screen import on_a_terminal

from fairshoe import messages
from fairshoe.text import screen as screen_module
from fairshoe.text.screen import Screen

PREFIX = (7, 1, 83, 450, 0, 2, 1)  # seq, boot, 83.450 s after power-up, no UTC, round 2, deck 1


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(*events: messages.Event, columns: int = 0, monkeypatch: pytest.MonkeyPatch | None = None) -> str:
    out = FakeTerminal() if columns else io.StringIO()
    if monkeypatch:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen(out, story=True, shoe_clock=True)
    for event in events:
        screen.show(event)
    return out.getvalue()


def test_a_story_has_the_shoes_time_the_round_and_a_sentence_and_no_event_number() -> None:
    assert (
        told(messages.StackOffered(*PREFIX, 2, 5, 1, 0))
        == "    1:23.4  round 2   stack 2 is ready: 5 cards, 1 misfeed\n"
    )
    assert told(messages.EmptyProved(*PREFIX, 54)).endswith("proved empty: 54 slots searched\n")
    assert told(messages.EmptyProved(*PREFIX, 0)).endswith("proved empty\n")


def test_a_story_leaves_out_what_only_auditors_and_programs_need() -> None:
    commitment = messages.ShuffleCommitted(*PREFIX, bytes(32), 0)
    assert (
        told(messages.ClockSet(*PREFIX, messages.Role.TABLE, 0), commitment, messages.StackStarted(*PREFIX, 1, 5)) == ""
    )


def test_a_warning_says_what_happened_and_what_to_do() -> None:
    text = told(messages.WarningLatched(*PREFIX, messages.Fault.JAM_EXIT, 52, messages.Sensor.NONE, 0, 0))
    assert "STOPPED, jam exit: a card stopped behind the store" in text and "To do: open the door" in text


def test_a_long_line_wraps_at_words_under_itself_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    void = messages.RoundVoided(
        *PREFIX, messages.Fault.JAM_EXIT, "CS-13f", 1, 5, 47, messages.Consequence.ALL_VOID_RESHUFFLE_WITH_DEALT, 0
    )
    text = told(void, columns=80, monkeypatch=monkeypatch)
    rows = text.splitlines()
    assert len(rows) == 3 and max(map(len, rows)) < 80
    assert all(row.startswith(" " * 22) for row in rows[1:])
    assert "rule CS-13f (jam exit): all hands void; cards are pulled and reshuffled" in " ".join(text.split())


def offered(seq: int, boot: int, uptime_s: int, utc_s: int = 0) -> messages.StackOffered:
    return messages.StackOffered(seq, boot, uptime_s, 450, utc_s, 2, 1, 2, 5, 0, 0)


def test_a_time_is_the_shoes_clock_where_a_host_has_set_it_else_its_boot_and_the_time_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    assert screen_module.shoe_time(offered(7, 1, 83, 3661)) == "01:01:01"
    assert screen_module.shoe_time(offered(7, 12, 3723)) == "b12 1:02:03"


def test_an_event_is_late_if_later_ones_of_its_boot_follow_sooner_than_they_happened() -> None:
    at_once = [(offered(n, 3, uptime_s), 100.0 + n / 50) for n, uptime_s in ((1, 0), (2, 30), (3, 60))]
    live = [(offered(n, 4, uptime_s), 200.0 + uptime_s / 8) for n, uptime_s in ((4, 2), (5, 60))]  # at 8 x real time
    assert screen_module.came_late(reversed(at_once + live)) == {1, 2}


def test_a_text_beside_its_head_wraps_at_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((40, 20)))
    out = io.StringIO()
    screen = Screen(out)
    screen.live = True
    screen.beside("state      ", "waiting for a deck, no round, and nothing else to tell")
    rows = out.getvalue().splitlines()
    assert rows[0].startswith("state      waiting") and rows[1].startswith(" " * 11 + "round")
    assert max(map(len, rows)) < 40 and len(rows) == 3


def test_at_a_terminal_the_shoe_stays_and_the_command_it_suggests_works_when_pasted() -> None:
    with on_a_terminal("demo", "--board", "pico-draw", "--speed", "50", columns=160, rows=70) as screen:
        screen.until("Press Enter here to stop it.")
        suggested = re.findall(r"^  (/.*fairshoe monitor /dev/\S+)$", screen.text, re.MULTILINE)
        assert len(suggested) == 2 and len(set(suggested)) == 1
        pasted = subprocess.Popen(f"exec {suggested[0]}", shell=True, cwd="/", stdout=subprocess.PIPE, text=True)
        assert pasted.stdout
        try:
            assert "listening only" in pasted.stdout.readline()
        finally:
            pasted.kill()
            pasted.communicate()
        assert screen.process.poll() is None
        assert not re.search(r"[0-9a-f]{64}|#\d|clock set", screen.text)
        screen.press("\n")
        assert screen.end() == 0
