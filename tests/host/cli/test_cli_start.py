"""`fairshoe` alone, in a terminal: nothing is opened and nothing is sent before a yes."""

import sys

import pytest
from in_process import refusal

from fairshoe.cli import command_line
from fairshoe.commands import start
from fairshoe.errors import Exit
from fairshoe.observe import discovery

SERIAL = discovery.FoundPort("/dev/ttyACM0", discovery.NOT_ASKED, "Pico E661")
SIMULATED = discovery.FoundPort("/dev/pts/7", discovery.SIMULATED, "pico-carousel, seed 1")
RUNS = {
    "": [],
    "d": [["demo"]],
    "h": [["help"]],
    "1": [],
    "1 s n": [],
    "1 s": [],
    "1 s y": [["status", "/dev/ttyACM0"]],
    "1 m y": [["monitor", "/dev/ttyACM0"]],
    "2 t": [["selftest", "/dev/pts/7"]],
    "9 x s": [["sim", "--display"]],
}


@pytest.mark.parametrize("typed", RUNS)
def test_what_a_person_types_is_run_and_shown_and_a_port_is_opened_after_a_yes(
    typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, ran = iter(typed.split()), list[list[str]]()

    def answer(_question: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    def run(words: list[str]) -> int:
        ran.append(words)
        return Exit.DONE

    def listed(ask: bool = True) -> list[discovery.FoundPort]:
        assert not ask
        return [SERIAL, SIMULATED]

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr(discovery, "find", listed)
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(start, "main", run)
    assert command_line.main([]) == Exit.DONE
    out = capsys.readouterr().out
    assert ran == RUNS[typed] and "none was opened" in out and "/dev/ttyACM0  Pico E661" in out
    for words in ran:
        assert f"$ fairshoe {' '.join(words)}\n" in out


def test_without_a_terminal_it_asks_nothing() -> None:
    assert "no terminal" in refusal(Exit.USAGE, "start")


def test_a_far_word_is_met_with_the_list_and_a_near_one_with_a_hint() -> None:
    for word, hint in (("monitr", "did you mean monitor?"), ("dog", "known: ")):
        assert hint in refusal(Exit.USAGE, word)
