"""A device that answers unreadable bytes, or talks all the time, is reported in plain words without delay."""

from typing import Any

import pytest
from flashed_board import FakeBoard, at_prompt, put

from fairshoe.ship.errors import DeviceFailed, NotForDevice
from fairshoe.ship.file_plan import make_plan
from fairshoe.ship.flash import FlashPermissions
from fairshoe.ship.prompt import Prompt

BYTE_S, TALK_S = 1e-4, 5e-4
FILES = {"hal/a.mpy": b"M\x06\x00\x1f" + bytes(500), "board.json": b"{}", "main.py": b"from hal.a import b\nb()\n"}


class Talker(FakeBoard):
    """Something prints unasked: a timer of a program that was stopped, until a soft reset, or for ever."""

    for_ever = False
    ended = False
    next_tick = 0.0

    def _raw_byte(self, byte: int) -> None:
        self.ended |= byte == 4 and not self._buf
        super()._raw_byte(byte)

    def clock(self) -> float:
        self.now += BYTE_S
        if self.now > self.next_tick and (self.for_ever or not self.ended):
            self.next_tick = self.now + TALK_S
            self._say(b"tick\r\n")
        return self.now


class Liar(FakeBoard):
    """What it prints from the `first` answer on is this, with the true answer in place of ALL, or the half of it."""

    def __init__(self, answer: bytes, first: int) -> None:
        self.answer, self.left = answer, first
        super().__init__()

    def _say(self, data: bytes) -> None:
        if data.endswith(b"\x04\x04>"):
            self.left -= 1
            if self.left < 0:
                true = data[:-3]
                data = self.answer.replace(b"ALL", true).replace(b"HALF", true[: len(true) // 2]) + data[-3:]
        super()._say(data)


def test_a_program_that_goes_on_printing_at_the_prompt_is_ended_and_the_device_filled() -> None:
    board = Talker()
    put(board, FILES)
    assert board.files == FILES


def test_a_device_that_never_stops_talking_is_given_up_in_time() -> None:
    board = Talker()
    board.for_ever = True
    with pytest.raises(DeviceFailed, match="stopped answering as a prompt does: nothing that fits within 20 s"):
        at_prompt(board, 20.0)
    assert board.now < 120


def test_silence_after_several_answers_is_not_waited_for_without_end() -> None:
    board = Talker()
    assert Prompt(board.open_line, "fake").knock(5.0)
    assert board.now < 10


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize(
    "answer",
    [
        b"hello\r\nALL",
        b"(1, 2)\r\n",
        b"\xff\xfeALL",
        b"[" * 9000,
        b"HALF",
        b"__import__('os')\r\n",
        b"(None, None, None)\r\n",
        b"7\r\n",
    ],
)
def test_answers_that_cannot_be_read_are_told(answer: bytes, first: int) -> None:
    board = Liar(answer, first)
    board.files, board.folders = dict(FILES), {"hal"}
    with pytest.raises(DeviceFailed, match="cannot be understood"):
        put(board, FILES)
    assert board.history == []


@pytest.mark.parametrize("words", [{"_mpy": None}, {"_mpy": "6"}, {"version": 5}, {"_machine": 7}, {"name": None}])
def test_an_identity_of_the_wrong_kinds_is_told(words: dict[str, Any]) -> None:
    board = FakeBoard()
    system = board._sys()  # pyright: ignore[reportPrivateUsage]
    for name, value in words.items():
        setattr(system.implementation, name, value)
    board._sys = lambda: system  # pyright: ignore[reportPrivateUsage]
    with pytest.raises((DeviceFailed, NotForDevice)):
        put(board, FILES)


@pytest.mark.parametrize("name", ["board.json", "main.py"])
def test_a_folder_with_the_name_of_a_file_of_ours_is_refused_or_cleaned(name: str) -> None:
    board = FakeBoard({f"{name}/old.txt": b"x"})
    board.folders = {name}
    with pytest.raises(NotForDevice, match=f"in its place: {name}"):
        put(board, FILES)
    assert board.history == []
    put(board, FILES, FlashPermissions(clean=True))
    assert board.files == FILES and board.folders == {"hal"}


def test_such_a_folder_is_no_main() -> None:
    board = FakeBoard()
    board.folders = {"main.py"}
    there = at_prompt(board).files()
    assert not make_plan(FILES, there, False, 4096).has_main
