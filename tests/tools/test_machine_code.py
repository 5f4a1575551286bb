"""Functions shipped as machine code are the same functions, and never do what machine code does not check."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import size

from fairshoe.ship import machine_code
from fairshoe.ship.build import MARCH
from fairshoe.ship.faults import ShipError
from fairshoe.ship.machine_code import COMPILED, DECORATOR, to_machine_code
from fairshoe.ship.mpy_compile import compile_mpy
from firmware.digest import differ
from firmware.protocol.cobs import FRAME_MAX, cobs_decode, cobs_encode
from firmware.protocol.frame import WIRE_MAX

ShipOnce = Callable[[str], tuple[list[size.Shipped], Path]]
ROOT = Path(__file__).resolve().parents[2]
COBS = "firmware.protocol.cobs"


def source() -> str:
    return (ROOT / "firmware/protocol/cobs.py").read_text(encoding="utf-8")


def is_native(mpy: bytes) -> bool:
    """By the architecture in its header, which bytecode leaves open."""
    return mpy[2] >> 2 != 0


@pytest.mark.parametrize("march", sorted(MARCH.values()))
def test_every_processor_gets_machine_code(march: str) -> None:
    assert is_native(compile_mpy(to_machine_code({COBS: source()})[COBS], "m", "-O3", f"-march={march}"))
    assert not is_native(compile_mpy(source(), "m", "-O3", f"-march={march}"))


def test_nothing_but_the_heading_is_another_one_and_lines_stay_where_they_are() -> None:
    plain = source().split("\n")
    marked = to_machine_code({COBS: source()})[COBS].split("\n")
    changed = [(one, other) for one, other in zip(plain, marked, strict=True) if one != other]
    assert changed == [
        ("", DECORATOR),
        ("def cobs_decode(buf: bytearray, size: int) -> int:", "def cobs_decode(buf: ptr8, size: int) -> int:"),
        ("", DECORATOR),
        (
            "def cobs_encode(buf: bytearray, at: int, end: int) -> None:",
            "def cobs_encode(buf: ptr8, at: int, end: int):",
        ),
    ]


def test_files_with_one_of_them_are_shipped_so_and_all_others_as_bytecode(ship_once: ShipOnce) -> None:
    shipped, folder = ship_once("pico-shoe")
    compiled = {name.replace(".", "/") + ".py" for name in COMPILED}
    found: set[str] = set()
    for item in shipped:
        if item.path.endswith(".mpy"):
            inside = compiled & {item.source, *(source for source, _bytes in item.joined)}
            assert is_native((folder / item.path).read_bytes()) == bool(inside), item.source
            found |= inside
    assert found == compiled


class Watched(bytearray):
    """Bytes of which only those from `first` to `last` may be looked at or changed, and only into bytes."""

    first = 0
    last = 0

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        assert self.first <= at <= self.last, at
        return super().__getitem__(at)

    def __setitem__(self, at: int, value: int) -> None:  # type: ignore[override]
        assert self.first <= at <= self.last, at
        assert 0 <= value <= 255, value
        super().__setitem__(at, value)


@pytest.mark.parametrize("count", [0, 1, 2, 12, 41, FRAME_MAX])
def test_stuffing_never_leaves_its_bytes(count: int) -> None:
    """Viper checks no bounds and cuts what is no byte: here both would be seen."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    noise = random.Random(seed)
    for fill in ((0,), (1,), (0, 255), range(256)):
        plain = bytes(noise.choice(fill) for _ in range(count))
        before, after = noise.randrange(4), noise.randrange(4)
        buf = Watched(bytes(before) + b"?" + plain + bytes(after))
        buf.first, buf.last = before, before + count
        cobs_encode(buf, before, before + 1 + count)
        stuffed = bytearray(bytes(buf)[before : before + 1 + count])
        assert 0 not in stuffed
        assert cobs_decode(stuffed, len(stuffed)) == count
        assert stuffed[:count] == plain


def test_comparing_never_leaves_its_bytes() -> None:
    mac: Any = Watched(range(100, 132))
    mac.last = 15
    frame = Watched(bytes(20) + bytes(range(100, 116)) + bytes(4))
    frame.first, frame.last = 20, 35
    assert differ(mac, frame, 20, 16) == 0
    for at in range(16):
        frame[20 + at] ^= 0x80
        assert differ(mac, frame, 20, 16) != 0
        frame[20 + at] ^= 0x80


def test_taking_any_bytes_apart_never_leaves_them() -> None:
    """Whatever a cable brings, longer than a frame too: the one place where a stranger's bytes meet machine code."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    noise = random.Random(seed)
    good = 0
    for _ in range(3000):
        fill = noise.choice(((0, 1, 2, 3), (1, 255), (1, 2, 3), (254, 255), range(1, 9), range(256)))
        buf = Watched(bytes(noise.choice(fill) for _ in range(noise.randrange(WIRE_MAX + 1))))
        buf.last = len(buf) - 1
        size = cobs_decode(buf, len(buf))
        assert -1 <= size < max(len(buf), 1)
        good += size > 0
    assert good > 100, "too few of them can be taken apart to say anything"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("X = 1\n", "no function cobs_encode"),
        ("\n\ndef cobs_encode(buf: list, at: int) -> int:\n    return at\n", "only take and return int and bytearray"),
        ("\n\ndef cobs_encode(buf, at: int) -> int:\n    return at\n", "only take and return int and bytearray"),
        ("\n\ndef cobs_encode(at: int) -> bool:\n    return at\n", "only take and return int and bytearray"),
        ("X = 1\ndef cobs_encode(at: int) -> int:\n    return at\n", "an empty one before it"),
        ("\n\ndef cobs_encode(at: int) -> int: return at\n", "a line of its own"),
    ],
)
def test_a_function_that_cannot_be_compiled_so_is_refused(
    text: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "COMPILED", {COBS: ("cobs_encode",)})
    with pytest.raises(ShipError, match=why):
        to_machine_code({COBS: text})


def test_a_heading_over_several_lines_becomes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "COMPILED", {COBS: ("cobs_encode",)})
    text = "\n\ndef cobs_encode(\n    buf: bytearray,\n    at: int,\n) -> int:\n    return at\n"
    marked = to_machine_code({COBS: text})[COBS]
    assert marked == "\n@micropython.viper\ndef cobs_encode(buf: ptr8, at: int) -> int:\n\n\n\n    return at\n"
    assert is_native(compile_mpy(marked, "m", "-O3", "-march=armv6m"))


def test_modules_that_a_board_does_not_get_are_not_missed() -> None:
    assert to_machine_code({"other": "X = 1\n"}) == {"other": "X = 1\n"}
