"""Whether a device that was reset runs: no prompt at its own port, the right words at its table port."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flashed_board import FakeBoard
from rig_port import RigPort

from fairshoe.link.framing import Decoder, encode
from fairshoe.messages import EventAck, Halted
from fairshoe.ship import start_check
from fairshoe.ship.errors import NotUp
from firmware.protocol.dictionary import dictionary_hash, dictionary_text
from firmware.version import VERSION_TEXT

MAIN = {"main.py": b"run()\n"}
RIGHT = start_check.Expected(VERSION_TEXT.decode(), dictionary_hash(), "CS", 0)


def silent(board: FakeBoard) -> None:
    start_check.stays_silent(board.open_line, "fake", board.clock, board.sleep)


def test_a_shoe_that_runs_says_nothing() -> None:
    board = FakeBoard(MAIN)
    silent(board)
    assert board.runs
    assert board.now >= start_check.SETTLE_S


def test_a_port_that_comes_back_late_is_waited_for() -> None:
    board = FakeBoard(MAIN)
    board.absent_until = 9.0
    silent(board)
    assert board.now >= 9.0 + start_check.SETTLE_S


def test_a_port_that_never_comes_back_is_told() -> None:
    board = FakeBoard(MAIN)
    board.plugged = False
    with pytest.raises(NotUp, match="did not come back"):
        silent(board)
    assert board.now < start_check.BACK_S + 2


def test_firmware_that_ends_is_told_with_its_last_words() -> None:
    board = FakeBoard(MAIN)
    board.main_ends = 'Traceback (most recent call last):\n  File "main.py"\nValueError: no port called x\n'
    board.power_on()
    with pytest.raises(NotUp, match=r"at its prompt \(ValueError: no port called x\)"):
        silent(board)
    assert board.now < start_check.SETTLE_S


def test_a_device_that_cannot_start_and_says_so_is_told_in_its_words() -> None:
    board = FakeBoard(MAIN)
    board.on_tick = lambda: board._say(b"fairshoe halted: files: ValueError('8faf69bd',)\r\n")  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(NotUp, match=r"says why: files: ValueError\('8faf69bd',\)\."):
        silent(board)


def test_words_that_nobody_heard_are_asked_for_again() -> None:
    board = FakeBoard(MAIN)
    board.main_ends = 'Traceback (most recent call last):\n  File "main.py"\nMemoryError: 5 bytes\n'
    board.power_on()
    board.take(10_000)
    with pytest.raises(NotUp, match=r"at its prompt \(MemoryError: 5 bytes\)"):
        silent(board)


def test_a_prompt_without_a_reason_is_still_one() -> None:
    with pytest.raises(NotUp, match=r"at its prompt\."):
        silent(FakeBoard())


# --- the table port ----------------------------------------------------------------------------


def greet(port: Any, wanted: start_check.Expected = RIGHT) -> start_check.Answer:
    return start_check.greet(lambda: port, "table", wanted, 5.0, clock_of(port))


def clock_of(port: Any) -> Callable[[], float]:
    return lambda: port.rig.plant.now_us / 1e6


def test_the_answer_at_the_table_port_is_that_of_what_was_written() -> None:
    port = RigPort()
    answer = greet(port)
    assert (answer.firmware, answer.game, answer.board_crc) == (RIGHT.firmware, "CS", 0)
    assert port.closed


def test_no_event_is_acknowledged() -> None:
    """They belong to the table system, and would be lost to it."""
    port = RigPort()
    greet(port)
    sent = [frame.message for frame in Decoder().feed(bytes(port.written))]
    assert sent
    assert not [message for message in sent if isinstance(message, EventAck)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"firmware": "9.9.9"}, f"firmware {RIGHT.firmware}, not 9.9.9"),
        ({"dictionary": bytes(8)}, "dictionary .* not 0000"),
        ({"game": "DAB"}, "game CS, not DAB"),
        ({"board_crc": 5}, "board config 00000000, not 00000005"),
    ],
)
def test_any_other_answer_is_told(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(NotUp, match=message):
        greet(RigPort(), replace(RIGHT, **changes))


class Silent:
    """A table port at which only a device speaks that cannot start."""

    in_waiting = 0

    def __init__(self, said: bytes) -> None:
        self.said = said
        self.now = 0.0

    def read(self, _size: int) -> bytes:
        self.now += 0.05
        said, self.said = self.said, b""
        return said

    def write(self, _data: bytes) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_device_that_says_at_the_table_port_that_it_cannot_start_is_told() -> None:
    port = Silent(encode(Halted(b"start: KeyError('nv',)")))
    with pytest.raises(NotUp, match=r"says why: start: KeyError\('nv',\)"):
        start_check.greet(lambda: port, "table", RIGHT, 5.0, lambda: port.now)


def test_no_answer_is_told() -> None:
    port = RigPort()

    def lose(data: bytes) -> None:
        pass

    port.write = lose
    with pytest.raises(NotUp, match="no answer to hello within 5 s"):
        greet(port)


def test_what_is_expected_comes_from_the_files() -> None:
    files = {"board.json": b'{"game":"caribbean-stud"}', "game.json": b'{"code":"CS"}', "words.txt": dictionary_text()}
    wanted = start_check.expected(files, "1")
    assert (wanted.game, wanted.dictionary, wanted.board_crc) == ("CS", dictionary_hash(), 0xFFCAA4B)
    assert start_check.expected({"board.json": b'{"game":"house"}', "words.txt": b""}, "1").game == "HOUSE"
    assert start_check.expected({"board.json": b'{"game":{"code":"X"}}', "words.txt": b""}, "1").game == "X"
    assert start_check.expected({"board.json": b'{"game":{"deck_cards":52}}', "words.txt": b""}, "1").game == "HOUSE"
