"""MicroPython's raw prompt: flow control, exceptions, and every way in which no answer comes."""

import pytest
from flashed_board import TICK_S, FakeBoard

from fairshoe.errors import PortLost
from fairshoe.ship.errors import DeviceFailed, NoPrompt
from fairshoe.ship.repl import ANSWER_S, Raised, Repl


def at_prompt(board: FakeBoard) -> Repl:
    repl = Repl(board.open_line(), "fake", board.clock)
    assert repl.knock(1.0)
    repl.soft_reset()
    return repl


def test_code_goes_in_and_what_it_prints_comes_out() -> None:
    assert at_prompt(FakeBoard()).run("print('one')\nprint(2)") == "one\n2\n"


def test_code_longer_than_the_window_waits_for_the_device() -> None:
    board = FakeBoard()
    text = "x" * 5000
    assert at_prompt(board).run(f"print('{text}')") == text + "\n"
    assert not board.overrun


def test_a_slow_device_is_given_no_more_than_it_asked_for() -> None:
    board = FakeBoard()
    board.slow = True
    text = "x" * 2000
    assert at_prompt(board).run(f"print('{text}')") == text + "\n"
    assert not board.overrun


def test_the_board_notices_a_host_that_does_not_wait() -> None:
    """What the test before this one relies on."""
    board = FakeBoard()
    at_prompt(board)
    board.feed(b"\x05A\x01" + b"#" * 193)
    assert not board.overrun  # a window is given back for each that was taken
    board._room = 1  # pyright: ignore[reportPrivateUsage]
    board.feed(b"##")
    assert board.overrun


def test_an_exception_on_the_device_is_one_here_with_its_traceback() -> None:
    repl = at_prompt(FakeBoard())
    with pytest.raises(Raised) as raised:
        repl.run("print('before')\n1 / 0")
    assert raised.value.last == "ZeroDivisionError: division by zero"
    assert repl.run("print('still there')") == "still there\n"


def test_names_stay_from_one_statement_to_the_next_and_go_with_a_soft_reset() -> None:
    repl = at_prompt(FakeBoard())
    repl.run("a = 5")
    assert repl.run("print(a)") == "5\n"
    repl.soft_reset()
    with pytest.raises(Raised, match="name 'a' is not defined"):
        repl.run("print(a)")


@pytest.mark.parametrize("noise", [b"\x00\xff\x04\x01>>> R\x01", b"raw REPL; CTRL-B to ex\r\n>", b"?" * 20_000])
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
    assert not Repl(board.open_line(), "fake", board.clock).knock(3.0)
    assert 3.0 <= board.now < 3.5


def test_a_port_that_talks_without_end_gives_up_in_time() -> None:
    board = FakeBoard()
    board.has_prompt = False
    board.on_tick = lambda: board._say(b"garbage " * 50)  # pyright: ignore[reportPrivateUsage]

    def passing() -> float:
        board.now += TICK_S / 10
        return board.now

    assert not Repl(board.open_line(), "fake", passing).knock(3.0)


def test_a_device_that_dies_in_the_middle_of_code_is_told_apart_from_a_pulled_cable() -> None:
    board = FakeBoard()
    repl = at_prompt(board)
    board.has_prompt = False
    began = board.now
    with pytest.raises(DeviceFailed, match="stopped answering"):
        repl.run("print(1)")
    assert board.now - began < ANSWER_S + 1
    board.plugged = False
    with pytest.raises(PortLost, match="fake is gone"):
        repl.run("print(1)")


def test_a_prompt_without_raw_paste_is_refused_with_a_reason() -> None:
    board = FakeBoard()
    repl = at_prompt(board)
    board._raw_byte = lambda byte: board._say(b"ra")  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(NoPrompt, match="raw paste"):
        repl.run("print(1)")
