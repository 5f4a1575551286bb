"""A device whose firmware could not start: the library and the tools say what it says, and what to do."""

import io
from pathlib import Path

import pytest
from rig_port import RigPort

from fairshoe.client.shoe import Shoe
from fairshoe.errors import DeviceHalted, NoAnswer
from fairshoe.link import framing
from fairshoe.link.halt_report import HaltLine, halt_advice
from fairshoe.link.session import HELLO_S, SILENCE_S, HostSession
from fairshoe.messages import Halted, Welcome
from fairshoe.observe import capture_decoder
from fairshoe.text.describe import describe

WHY = b"start: KeyError('nv',)"
FRAME = framing.encode(Halted(WHY))
LINE = b"fairshoe halted: " + WHY + b"\r\n"


class DeadPort:
    """A device that only says what is wrong, once a second of a clock that reading moves."""

    def __init__(self, says: bytes) -> None:
        self.says = says
        self.now = 0.0
        self.told = 0
        self.in_waiting = 0

    def read(self, size: int) -> bytes:
        self.now += 0.05
        if self.now < self.told + 1:
            return b""
        self.told += 1
        return self.says

    def write(self, data: bytes) -> None:
        return

    def close(self) -> None:
        return


@pytest.mark.parametrize("says", [FRAME, LINE, b"MPY: soft reboot\r\n" + LINE, b"\0\0" + FRAME + FRAME])
def test_a_shoe_that_could_not_start_is_an_error_with_its_words(says: bytes) -> None:
    port = DeadPort(says)
    shoe = Shoe(port, "/dev/shoe", HostSession(), clock=lambda: port.now)
    with pytest.raises(DeviceHalted, match=r"KeyError\('nv',\).*config check") as caught:
        shoe.greet()
    assert caught.value.exit_code == 5
    assert "/dev/shoe" in caught.value.what
    assert port.now < 2, "it does not wait for an answer that cannot come"


@pytest.mark.parametrize("says", [FRAME, LINE])
def test_who_only_listens_is_told_too(says: bytes) -> None:
    with pytest.raises(DeviceHalted, match="KeyError"):
        next(Shoe(DeadPort(says), "tap", None).messages())


def test_words_that_arrive_in_pieces_are_one_line() -> None:
    for cut in range(len(LINE) - 1):
        line = HaltLine()
        assert [line.feed(LINE[:cut]), line.feed(LINE[cut:])] == [None, WHY.decode()]


def test_noise_is_no_device_that_halted() -> None:
    line = HaltLine()
    assert line.feed(b"fairshoe halt: x\r\n" * 1000) is None
    assert line.feed(b"fairshoe halted: and no end" * 1000) is None
    port = DeadPort(b"hello\r\n")
    with pytest.raises(NoAnswer):
        Shoe(port, "p", HostSession(), clock=lambda: port.now).greet()


def test_in_a_live_session_nobody_can_claim_it() -> None:
    port = RigPort()
    shoe = Shoe(port, "p", HostSession(), clock=lambda: port.rig.plant.now_us / 1e6)
    shoe.greet()
    for _ in range(20):
        port.arrived += FRAME + LINE
        list(shoe.messages(quiet_s=0.0))
    assert isinstance(shoe.welcome, Welcome)


def test_a_session_that_fell_silent_believes_it() -> None:
    port = RigPort()
    session = HostSession()
    shoe = Shoe(port, "p", session, clock=lambda: port.rig.plant.now_us / 1e6)
    shoe.greet()
    now = port.rig.plant.now_us / 1e6
    list(session.feed(FRAME, now))
    assert not session.halted
    session.tick(now + SILENCE_S + HELLO_S)
    list(session.feed(FRAME, now + SILENCE_S + HELLO_S))
    assert session.halted == WHY.decode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("board: ValueError('syntax error in JSON',)", "config check"),
        ("files: ValueError('1a2b3c4d',)", "fairshoe firmware flash"),
        ("import: ImportError(\"no module named 'bf'\",)", "fairshoe firmware flash"),
        ("start: MemoryError('memory allocation failed',)", "memory"),
        ("start: storage layout 2, firmware knows 1. ...: another storage layout", "install the firmware"),
        ("start: storage cell 8 unreadable. ...: see docs/FIRMWARE.md, unreadable storage", "off and on"),
        ("something: else", "fairshoe firmware flash"),
        ("", "fairshoe firmware flash"),
    ],
)
def test_every_reason_has_a_next_step(text: str, words: str) -> None:
    assert words in halt_advice(text)


def test_what_it_says_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in describe(Halted(b"start: \x1b[2J\x07"))
    assert HaltLine().feed(b"fairshoe halted: \x1b[2J\n") == "?[2J"


def test_decode_shows_the_frame_and_the_line(tmp_path: Path) -> None:
    capture = tmp_path / "capture.bin"
    capture.write_bytes(FRAME + LINE)
    out = io.StringIO()
    assert capture_decoder.run(str(capture), False, False, False, None, out) == 0
    assert "halted text=" in out.getvalue() and "could not start: start: KeyError" in out.getvalue()


def test_decode_of_a_console_ends_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capture = tmp_path / "capture.bin"
    capture.write_bytes(LINE * 3)
    with pytest.raises(DeviceHalted, match="KeyError"):
        capture_decoder.run(str(capture), False, False, True, None, io.StringIO())
    assert "0 frames" in capsys.readouterr().err
