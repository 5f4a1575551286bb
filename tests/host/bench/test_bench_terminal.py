"""A technician at a real terminal, and a simulated shoe behind a real serial device path."""

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from statuses import a_status

from fairshoe.bench.plan import load_plan
from fairshoe.bench.report_file import step_result
from fairshoe.bench.run_screen import BenchScreen

LIMIT_S = 600.0
PLAN = {
    "format": 1,
    "name": "door-only",
    "title": "Door switch",
    "about": "The door, once.",
    "needs": ["a door"],
    "steps": [
        {
            "id": "door",
            "kind": "door",
            "title": "Door switch",
            "does": ["Open and close it."],
            "measures": "That both are reported.",
            "limits": [{"figure": "opened", "equals": 1}, {"figure": "closed", "equals": 1}],
        }
    ],
}
Answer = Callable[[str, int], None]


@pytest.fixture
def shoe() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "fairshoe", "sim", "--board", "pico-shoe", "--game", "house"]
    simulator = subprocess.Popen(
        [*command, "--json", "--speed", "10", "--hands"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield simulator
    assert simulator.stdin is not None
    simulator.stdin.close()  # which ends it
    simulator.wait(LIMIT_S)


def at_terminal(shoe: "subprocess.Popen[str]", folder: Path, answer: Answer) -> tuple[int, str]:
    """Run the plan in a terminal; `answer` is given every prompt and the terminal's other end."""
    (folder / "door-only.json").write_text(json.dumps(PLAN))
    assert shoe.stdout is not None
    port = json.loads(shoe.stdout.readline())["port"]
    words = ["bench", port, str(folder / "door-only.json"), "--operator", "A. Moreau", "--out", str(folder)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", COLUMNS="100")
        os.environ.pop("NO_COLOR", None)
        os.execv(sys.executable, [sys.executable, "-m", "fairshoe", *words])
    shown, told = "", 0
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the other end is closed: it has ended
            break
        shown += data.decode("utf-8", "replace")
        prompts = re.findall(r">> ([^\x1b\r\n]+)\x1b", shown)
        for prompt in prompts[told:]:
            answer(prompt, terminal)
        told = len(prompts)
    else:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        raise AssertionError(f"no end within {LIMIT_S:.0f} s; shown so far:\n{shown}")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown


def test_a_technician_is_told_and_watched(shoe: "subprocess.Popen[str]", tmp_path: Path) -> None:
    told: list[str] = []

    def obey(prompt: str, _terminal: int) -> None:
        told.append(prompt)
        assert shoe.stdin is not None
        shoe.stdin.write("open\n" if "open" in prompt.lower() else "close\n")
        shoe.stdin.flush()

    code, shown = at_terminal(shoe, tmp_path, obey)
    assert code == 0, shown
    assert told[0] == "Open the door."
    assert "Close the door." in told
    assert "PASSED: The step passed." in shown
    assert "needed: a door" in shown
    (written,) = tmp_path.glob("bench-door-only-*[0-9].json")
    report = json.loads(written.read_text())
    assert (report["simulated"], report["operator"], report["device"]["board"]) == (False, "A. Moreau", "pico-shoe")


def test_ctrl_c_at_the_terminal_leaves_a_report(shoe: "subprocess.Popen[str]", tmp_path: Path) -> None:
    code, shown = at_terminal(shoe, tmp_path, lambda _prompt, terminal: void(os.write(terminal, b"\x03")))
    assert code == 130, shown
    assert "INCOMPLETE: Interrupted by the operator." in shown
    assert "The machine waits for a deck." in shown
    assert "Traceback" not in shown
    (written,) = tmp_path.glob("bench-door-only-*[0-9].json")
    assert json.loads(written.read_text())["steps"][0]["status"] == "stopped"


def void(_value: object) -> None:
    """For a function that must return nothing."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_live_line_is_on_terminals_only_and_colour_is_the_readers_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    step = load_plan("feed").steps[1]
    for out, no_color, live, colour in (
        (Terminal(), "", True, True),
        (Terminal(), "1", True, False),
        (io.StringIO(), "", False, False),
    ):
        monkeypatch.setenv("NO_COLOR", no_color)
        screen = BenchScreen(out)
        screen.begin(2, 2, step)
        screen.part("deck 1 of 10")
        screen.watch(a_status(elapsed_ds=30, expected_ds=230))
        screen.end(2, 2, step_result(step))
        screen.verdict("passed", "All of it.")
        text = out.getvalue()
        assert ("\r" in text) == live
        assert ("\x1b[3" in text) == colour
        assert ("[##########..........] Good decks" in text) == live
        assert ("shuffling 3 of 23 s" in text) == live
        assert text.endswith("All of it.\x1b[0m\n" if colour else "PASSED: All of it.\n")
        assert "deck 1 of 10" in text


def test_an_answered_question_leaves_no_live_line_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    screen = BenchScreen(out)
    screen.begin(1, 2, load_plan("feed").steps[0])
    screen.answered()
    assert "\x1b[A\r\x1b[K" in out.getvalue()


def test_times_of_a_simulated_shoe_are_marked_and_a_step_without_its_key_is_not_tested() -> None:
    step = load_plan("feed").steps[1]
    result = replace(step_result(step), seconds=23.0)
    out = io.StringIO()
    BenchScreen(out, simulated=True).end(1, 2, result)
    assert out.getvalue().endswith("  23 s simulated\n")
    out = io.StringIO()
    BenchScreen(out).end(1, 2, replace(result, status="not_tested", reason="Needs --key-file."))
    assert "1/2 not tested" in out.getvalue() and "23 s\n" in out.getvalue()
