"""MicroPython's prompt through mpremote: code in, output out, and every way in which no answer comes."""

import sys

import pytest
from flashed_board import TICK_S, FakeBoard

from fairshoe.errors import PortLost
from fairshoe.ship.errors import DeviceFailed, ShipError
from fairshoe.ship.prompt import ANSWER_S, Prompt, Raised


class Passing(FakeBoard):
    """One that has always something to say, and whose time passes all the same."""

    def clock(self) -> float:
        self.now += TICK_S / 10
        self._say(b"garbage " * 50)
        return self.now


def at_prompt(board: FakeBoard) -> Prompt:
    prompt = Prompt(board.open_line, "fake")
    assert prompt.knock(1.0)
    prompt.soft_reset()
    return prompt


def test_code_goes_in_and_what_it_prints_comes_out() -> None:
    board = FakeBoard()
    text = "x" * 5000
    assert at_prompt(board).run(f"print('one')\nprint('{text}')") == f"one\n{text}\n"
    assert not board.overrun


def test_an_exception_on_the_device_is_one_here_with_its_traceback() -> None:
    prompt = at_prompt(FakeBoard())
    with pytest.raises(Raised) as raised:
        prompt.run("print('before')\n1 / 0")
    assert raised.value.last == "ZeroDivisionError: division by zero"
    assert prompt.run("print('still there')") == "still there\n"
    with pytest.raises(Raised, match="the device says OSError: ENOENT, /no"):
        prompt.delete("/no", folder=False)


def test_names_go_with_a_soft_reset() -> None:
    prompt = at_prompt(FakeBoard())
    prompt.run("a = 5")
    assert prompt.run("print(a)") == "5\n"
    prompt.soft_reset()
    with pytest.raises(Raised, match="name 'a' is not defined"):
        prompt.run("print(a)")


@pytest.mark.parametrize("noise", [b"\x00\xff\x04\x01>>> R\x01", b"raw REPL; CTRL-B to ex\r\n>", b"?" * 5_000])
def test_rubbish_before_the_banner_is_passed_over(noise: bytes) -> None:
    board = FakeBoard()
    board.noise = noise
    assert at_prompt(board).run("print(1)") == "1\n"


def test_a_session_that_was_cut_in_the_middle_of_code_is_taken_over() -> None:
    board = FakeBoard()
    at_prompt(board)
    board.feed(b"\x05A\x01print('half")
    assert at_prompt(board).run("print('whole')") == "whole\n"
    assert not any("half" in code for code in board.ran)


def test_a_port_where_nobody_answers_gives_up_in_time() -> None:
    board = FakeBoard()
    board.has_prompt = False
    assert not Prompt(board.open_line, "fake").knock(3.0)
    assert 3.0 <= board.now < 3.5


def test_a_port_that_talks_without_end_gives_up_in_time() -> None:
    board = Passing()
    board.has_prompt = False
    assert not Prompt(board.open_line, "fake").knock(3.0)
    assert board.now < 4.0


def test_a_device_that_dies_in_the_middle_of_code_is_told_apart_from_a_pulled_cable() -> None:
    board = FakeBoard()
    prompt = at_prompt(board)
    board.has_prompt = False
    began = board.now
    with pytest.raises(DeviceFailed, match="stopped answering"):
        prompt.run("print(1)")
    assert board.now - began < ANSWER_S + 1
    board.plugged = False
    with pytest.raises(PortLost, match="fake is gone"):
        prompt.run("print(1)")


def test_what_mpremote_prints_does_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    board = FakeBoard()
    board.has_prompt = False
    Prompt(board.open_line, "fake").knock(1.0)
    assert capsys.readouterr().out == ""


def test_without_mpremote_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpremote.transport_serial", None)
    with pytest.raises(ShipError, match=r"mpremote is not installed.*pip install 'fairshoe\[flash\]'"):
        Prompt(FakeBoard().open_line, "fake")
