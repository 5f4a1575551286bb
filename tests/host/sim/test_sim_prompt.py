"""`fairshoe sim` for a person: a prompt with help and history, questions about incomplete lines, a dealer who plays."""

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from in_process import refusal
from pty_screen import on_a_terminal
from waits import LIMIT_S

from fairshoe.boards.configs import load_board
from fairshoe.errors import UsageError
from fairshoe.sim import pseudo_terminal, pty_server
from fairshoe.sim.port import SimPort
from fairshoe.sim.typed_actions import TYPED, PromptedLines, obey
from firmware.image import OUT_LAMP_GREEN
from rig.actions import ACTIONS
from rig.rig import Rig


@pytest.fixture
def rig() -> Iterator[Rig]:
    with SimPort.from_url("sim://pico-carousel?dealer=none") as port:
        yield port.rig


def said(rig: Rig, line: str) -> list[str]:
    texts: list[str] = []
    assert obey(rig, line.split(), texts.append)
    return texts


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("press", "press what? close, lock, seat, green, ack"),
        ("load", "load how many cards? For example: load 52"),
        ("key", "key on or off?"),
        ("jam", "jam where? For example: jam throat:10:60000 (card 10, after 60 mm)"),
        ("dance", "there is no action 'dance'; type help for the list"),
    ],
)
def test_an_incomplete_line_says_what_it_lacks(rig: Rig, line: str, question: str) -> None:
    assert said(rig, line) == [question]


def test_a_wrong_argument_says_what_would_be_right(rig: Rig) -> None:
    assert "no button nose" in said(rig, "press nose")[0] and "press what? close" in said(rig, "press nose")[0]
    assert said(rig, "press nose")[0].count("close") == 1
    assert said(rig, "key sideways")
    assert said(rig, "load many")[0].startswith("load many: many is not a whole number; load how many cards?")
    assert said(rig, "load 52") == [] and len(rig.plant.hopper) == 52


def test_help_lists_every_action_and_every_listed_action_exists(rig: Rig) -> None:
    text = said(rig, "help")[0]
    assert all(f"\n  {name} " in text for name in TYPED) and max(map(len, text.splitlines())) < 80
    assert set(TYPED) <= {*ACTIONS, "jam", "misfeed"}
    assert said(rig, "lamps") == ["lit: no lamp"]
    rig.app.out.level[OUT_LAMP_GREEN] = 1
    assert said(rig, "lamps") == ["lit: green"]
    assert not obey(rig, ["quit"], print)


def test_at_a_terminal_there_is_a_prompt_with_history_and_the_display_stays_above_it() -> None:
    with on_a_terminal("sim", "--speed", "20", "--display", rows=50) as screen:
        screen.until("| press GREEN          |\n+----------------------+\n")  # as lines, not as one
        screen.press("press\n")
        screen.until("press what? close, lock, seat, green, ack")
        screen.press("lo\t52\n")
        screen.until("sim> load 52")
        screen.press("\x1b[A\x1b[A")  # up twice: the line before
        screen.until(lambda text: text.rstrip().endswith("sim> press"))
        screen.press(" green\n")
        screen.until("Deck verified")
        screen.press("quit\n")
        assert screen.end() == 0
        assert screen.settings() == screen.before


def test_an_answer_never_cuts_through_the_prompt() -> None:
    question = "press what? close, lock, seat, green, ack"
    with on_a_terminal("sim", "--speed", "20", rows=60) as screen:
        screen.until("sim>")
        for count in range(1, 21):
            screen.press("press\n")
            screen.until(lambda text, count=count: text.count(question) == count and text.rstrip().endswith("im>"))
        lines = screen.text.splitlines()
    asked = [line.rstrip() for line in lines[lines.index(next(line for line in lines if "sim> press" in line)) :]]
    assert [line for line in asked if line] == ["sim> press", question] * 20 + ["sim>"]


def test_ctrl_c_in_the_middle_of_a_line_gives_the_terminal_back() -> None:
    with on_a_terminal("sim", "--speed", "20") as screen:
        screen.until("sim>")
        screen.press("load 5\x03")
        assert screen.end() == 0
        assert screen.settings() == screen.before


def test_a_line_that_begins_as_the_program_ends_does_not_change_the_terminal_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The thread asks for the next line as soon as it has `quit`: readline prepares the terminal, then draws."""
    terminal, begun, closed, over = [""], threading.Event(), threading.Event(), threading.Event()
    answers = iter(["quit"])

    def read(_prompt: str) -> str:
        for line in answers:
            lines._drawn()  # pyright: ignore[reportPrivateUsage]
            return line
        begun.set()
        closed.wait(0.1)  # it waits for the prompt: if not, it has closed before the terminal is changed
        terminal.append("raw")
        lines._drawn()  # pyright: ignore[reportPrivateUsage]
        over.set()
        threading.Event().wait()
        return ""

    def give_back(*_given: object) -> None:
        terminal.append("as before")

    monkeypatch.setattr("builtins.input", read)
    monkeypatch.setattr("termios.tcsetattr", give_back)
    lines = PromptedLines()
    lines._hooked, lines._before = True, []  # pyright: ignore[reportPrivateUsage]
    lines.begin()
    assert lines.take() == ["quit"] and begun.wait(LIMIT_S)
    lines.close()
    closed.set()
    assert over.wait(LIMIT_S)
    assert terminal[-1] == "as before"


def test_a_simulated_dealer_plays_round_after_round(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(pty_server, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    config, crc = load_board("pico-shoe")
    simulator = pty_server.Simulator(config, crc, "house", 7, 10.0, dealer="auto")
    rounds: set[int] = set()
    while clock[0] < 60 and len(rounds) < 3:
        clock[0] += 1.0
        simulator._catch_up()  # pyright: ignore[reportPrivateUsage]
        rounds.add(simulator.rig.app.flow.round_last)
    simulator.close()
    assert len(rounds) >= 3


def test_every_page_of_the_display_is_shown_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of the second stack is that of the first: the page between them must not be left out."""
    clock = [0.0]
    monkeypatch.setattr(pty_server, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    config, crc = load_board("pico-shoe")

    def pages(step_s: float) -> list[list[str]]:
        clock[0] = 0.0
        simulator = pty_server.Simulator(config, crc, "house", 7, 10.0, dealer="auto")
        shown: list[list[str]] = []
        simulator.shown = shown.append
        while clock[0] < 6:
            clock[0] += step_s
            simulator._catch_up()  # pyright: ignore[reportPrivateUsage]
        simulator.close()
        return shown

    assert len(pages(3.0)) > 10 and pages(3.0) == pages(0.02)


def test_a_simulated_dealer_tells_when_a_full_journal_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No host stores the events: some rounds later the journal is full, and no round begins."""
    clock = [0.0]
    monkeypatch.setattr(pty_server, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    config, crc = load_board("pico-shoe")
    simulator = pty_server.Simulator(config, crc, "house", 7, 100.0, dealer="auto")
    told: list[bool] = []
    simulator.waits = told.append
    while clock[0] < 60 and not told:
        clock[0] += 1.0
        simulator._catch_up()  # pyright: ignore[reportPrivateUsage]
        simulator.tell_waiting()
    for _ in range(3):
        clock[0] += 1.0
        simulator._catch_up()  # pyright: ignore[reportPrivateUsage]
        simulator.tell_waiting()
    simulator.close()
    assert told == [True]  # once


def test_a_machine_may_differ_from_its_config_and_a_truth_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "truth.json"
    path.write_text('{"brake_um": 8000}')
    config, crc = load_board("pico-shoe")
    simulator = pty_server.Simulator(config, crc, "house", 7, 10.0, truth=str(path))
    assert simulator.rig.plant.true.mech["brake_um"] == 8000 != config["mechanism"]["brake_um"]
    simulator.close()
    for text, code in (("[1]", 2), ("{", 2), ('{"brake_um": null}', 3), ('{"swapped": 5}', 3)):
        path.write_text(text)
        assert "truth" in refusal(code, "sim", "--truth", str(path)), text


def test_without_pseudo_terminals_it_says_so_and_tcp_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pseudo_terminal, "tty", None)
    config, crc = load_board("pico-shoe")
    with pytest.raises(UsageError, match=r"no pseudo-terminals\. Use TCP: fairshoe sim --tcp 4001"):
        pty_server.Simulator(config, crc, "house", 7, 10.0)
    simulator = pty_server.Simulator(config, crc, "house", 7, 10.0, tcp=("127.0.0.1", 0))
    assert simulator.door and simulator.door.url.startswith("tcp://127.0.0.1:") and simulator.table.path == ""
    simulator.close()
