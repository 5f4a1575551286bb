"""Functions shipped as machine code are the same functions, and never do what machine code does not check."""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import size

from fairshoe.boards.ports import PORTS
from fairshoe.ship import machine_code
from fairshoe.ship.errors import ShipError
from fairshoe.ship.machine_code import COMPILED, DECORATOR, to_machine_code
from fairshoe.ship.mpy_compile import compile_mpy
from firmware.digest import differ
from firmware.image import BOUNCES, EDGES_MAX, FOLDED, FOLDED_BITS, INPUT_COUNT, fold_edges
from firmware.protocol.cobs import FRAME_MAX, cobs_decode, cobs_encode
from firmware.protocol.frame import WIRE_MAX
from hal.board.ring import RING, copy_edges
from hal.rp2 import fold as words

ShipOnce = Callable[[str], tuple[list[size.Shipped], Path]]
ROOT = Path(__file__).resolve().parents[2]
COBS = "firmware.protocol.cobs"


def source() -> str:
    return (ROOT / "firmware/protocol/cobs.py").read_text(encoding="utf-8")


@cache
def folded(board: str) -> dict[str, str]:
    """What a board ships, with constants as numbers: as names they would be no integers to viper."""
    return size.folded_sources(size.ship_names(board), ROOT)


def is_native(mpy: bytes) -> bool:
    """By the architecture in its header, which bytecode leaves open."""
    return mpy[2] >> 2 != 0


@pytest.mark.parametrize("module", COMPILED)
@pytest.mark.parametrize("march", sorted({port.march for port in PORTS.values()}))
def test_every_processor_gets_machine_code(march: str, module: str) -> None:
    plain = (folded("pico-shoe") | folded("stm32-shoe"))[module]
    assert is_native(compile_mpy(to_machine_code({module: plain})[module], "m", "-O3", f"-march={march}"))
    assert not is_native(compile_mpy(plain, "m", "-O3", f"-march={march}"))


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
    compiled = {name.replace(".", "/") + ".py" for name in COMPILED if name in folded("pico-shoe")}
    native = {item.source for item in shipped if is_native((folder / item.path).read_bytes()) and ".mpy" in item.path}
    assert native == compiled


class Watched(list[int]):
    """Bytes of which only those from `first` to `last` may be looked at or changed, and only into bytes."""

    first = 0
    last = 0
    top = 255

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        assert self.first <= at <= self.last, at
        return super().__getitem__(at)

    def __setitem__(self, at: int, value: int) -> None:  # type: ignore[override]
        assert self.first <= at <= self.last, at
        assert 0 <= value <= self.top, value
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
        buf: Any = Watched(bytes(before) + b"?" + plain + bytes(after))
        buf.first, buf.last = before, before + count
        cobs_encode(buf, before, before + 1 + count)
        stuffed = bytearray(bytes(buf)[before : before + 1 + count])
        assert 0 not in stuffed
        assert cobs_decode(stuffed, len(stuffed)) == count
        assert stuffed[:count] == plain


def test_comparing_never_leaves_its_bytes() -> None:
    mac: Any = Watched(range(100, 132))
    mac.last = 15
    frame: Any = Watched(bytes(20) + bytes(range(100, 116)) + bytes(4))
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
        buf: Any = Watched(noise.choice(fill) for _ in range(noise.randrange(WIRE_MAX + 1)))
        buf.last = len(buf) - 1
        size = cobs_decode(buf, len(buf))
        assert -1 <= size < max(len(buf), 1)
        good += size > 0
    assert good > 100, "too few of them can be taken apart to say anything"


class WatchedWords(Watched):
    """The same of words, and only into small integers."""

    top = (1 << 30) - 1


class WatchedState(WatchedWords):
    """Levels may have bits of pins that are no lines."""

    top = (1 << 32) - 1


def watched(kind: Any, values: list[int], first: int, last: int) -> Any:
    buf = kind(values)
    buf.first, buf.last = first, last
    return buf


def test_taking_edges_out_of_their_ring_never_leaves_it() -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    noise = random.Random(seed)
    for _ in range(2000):
        at, count = noise.randrange(RING), noise.randrange(RING)
        there = noise.randrange(EDGES_MAX + 1 - count)
        edges = [noise.randrange(2 * INPUT_COUNT) for _ in range(RING)]
        times = [noise.randrange(1 << 30) for _ in range(RING)]
        to = watched(Watched, [255] * EDGES_MAX, there, there + count - 1)
        to_us = watched(WatchedWords, [0] * EDGES_MAX, there, there + count - 1)
        raw = watched(Watched, [0] * INPUT_COUNT, 0, INPUT_COUNT - 1)
        ring = watched(Watched, edges, 0, RING - 1), watched(WatchedWords, times, 0, RING - 1)
        span = there << 10 | (at + count) % RING << 5 | at
        assert copy_edges(*ring, to, to_us, raw, span) == there + count
        order = [(at + i) % RING for i in range(count)]
        assert list(to)[there : there + count] == [edges[i] for i in order]
        assert list(to_us)[there : there + count] == [times[i] for i in order]
        levels = {edges[i] >> 1: edges[i] & 1 for i in order}
        assert list(raw) == [levels.get(line, 0) for line in range(INPUT_COUNT)]


class Registers:
    """The address space of hal/rp2/fold.py: DMA's count, the timer, a flag, and a ring of random words."""

    def __init__(self, noise: random.Random, left: int, now: int) -> None:
        self.noise = noise
        self.left = left
        self.now = now
        self.ring = [noise.randrange(1 << 32) for _ in range(words.RING)]

    def __getitem__(self, at: int) -> int:
        if 1000 <= at < 1000 + words.RING:
            # DMA goes on, and sometimes it is quick.
            self.left -= self.noise.choice((0, 0, 0, 1, 3))
            return self.ring[at - 1000]
        return {1: self.left, 2: self.now, 3: self.noise.choice((0, 0, 0, 1))}[at]


def test_folding_words_of_any_content_never_leaves_its_buffers() -> None:
    """Whatever the lines do, and whatever DMA does meanwhile: edges fit, lines exist, the loop ends with the ring."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    noise = random.Random(seed)
    seen: set[int] = set()
    for _ in range(4000):
        pins = noise.randrange(1, words.LINES_MAX + 1)
        s = watched(WatchedState, [0] * words.S_SIZE, 0, words.S_SIZE - 1)
        there, room = noise.randrange(EDGES_MAX + 1), EDGES_MAX
        todo = noise.randrange(words.RING + 1)
        memory: Any = Registers(
            noise,
            noise.choice((words.COUNT_LOW - 1, words.COUNT_LOW + 99, words.COUNT - 200)),
            noise.randrange(1 << 32),
        )
        s[words.S_LEFT] = memory.left + todo
        s[words.S_AT] = noise.randrange(words.RING)
        s[words.S_LEVELS] = noise.randrange(1 << pins)
        s[words.S_LINES] = noise.randrange(1 << pins)
        s[words.S_WATCHED] = s[words.S_LINES] & noise.randrange(1 << pins)
        s[words.S_SHIFT] = 32 - pins
        s[words.S_MODE] = noise.randrange(3)
        s[words.S_ROOM] = room
        s[words.S_LIMIT] = noise.choice((1, 24, 100))
        s[words.S_WINDOW_US] = noise.randrange(1 << 30)
        s[words.S_SEEN_US] = (memory.now - noise.randrange(1100000)) & ((1 << 30) - 1)
        s[words.S_EDGES] = there
        for name, at in (("S_DMA", 1), ("S_TIMER", 2), ("S_FDEBUG", 3), ("S_RING", 1000), ("S_MACHINE", 1)):
            s[getattr(words, name)] = at
        for bit in range(pins):
            s[words.S_NAMES + bit] = noise.randrange(INPUT_COUNT)
        edge = watched(Watched, [0] * EDGES_MAX, there, EDGES_MAX - 1)
        edge_us = watched(WatchedWords, [0] * EDGES_MAX, there, EDGES_MAX - 1)
        raw = watched(Watched, [0] * INPUT_COUNT, 0, INPUT_COUNT - 1)
        found = words.look(memory, s)
        assert found in (words.LOST, words.SPENT, words.BUSY) or 0 <= found <= words.RING
        if found > 0:
            found = words.fold(memory, s, edge, edge_us, raw)
            assert found >= words.NOISE and (found <= 0 or s[words.S_MODE] == words.PEEK)
        assert there <= s[words.S_EDGES] <= EDGES_MAX
        words.loudest(memory, s)
        words.skip(memory, s)
        words.show(s, raw)
        assert s[words.S_LEFT] == memory.left or memory.left < s[words.S_LEFT]
        seen.add(min(found, 1))
    assert seen == {words.SPENT, words.NOISE, words.LOST, 0, 1}, "too little was tried to say anything"


def test_folding_edges_never_leaves_them_nor_their_lines() -> None:
    """Any edges, in any state: what has to be so for that is INPUT_COUNT lines, EDGES_MAX edges and times that wrap."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    noise = random.Random(seed)
    ended = 0
    for _ in range(2000):
        count = noise.randrange(EDGES_MAX + 1)
        first = noise.randrange(count + 1)
        now_us = noise.randrange(1 << 30)
        times = [(now_us + noise.randrange(3000) * noise.choice((1, 1, 100000))) % (1 << 30) for _ in range(EDGES_MAX)]
        edges = [noise.randrange(2 * INPUT_COUNT) for _ in range(EDGES_MAX)]
        held = watched(Watched, [noise.randrange(BOUNCES + 2) for _ in range(INPUT_COUNT)], 0, INPUT_COUNT - 1)
        held_us = watched(WatchedWords, [now_us] * INPUT_COUNT, 0, INPUT_COUNT - 1)
        glitches = watched(WatchedWords, [noise.randrange(1000) for _ in range(INPUT_COUNT)], 0, INPUT_COUNT - 1)
        what = watched(Watched, edges, first, count - 1), watched(WatchedWords, times, first, count - 1)
        waiting = noise.randrange(1 << INPUT_COUNT)
        done = fold_edges(*what, held, held_us, glitches, count << FOLDED_BITS | first, waiting)
        assert 0 <= done < 1 << 30 and first <= done & FOLDED <= count
        assert 0 <= done >> FOLDED_BITS < 1 << INPUT_COUNT
        ended += done & FOLDED < count
    assert ended > 100, "too few changes that lasted to say anything"


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
def test_a_function_that_cannot_be_compiled_so_is_refused(text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "COMPILED", {COBS: ("cobs_encode",)})
    with pytest.raises(ShipError, match=why):
        to_machine_code({COBS: text})


def test_a_heading_over_several_lines_becomes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "COMPILED", {COBS: ("cobs_encode",)})
    text = '\n\ndef cobs_encode(\n    buf: bytearray,\n    us: "array[int]",\n) -> int:\n    return us[0]\n'
    marked = to_machine_code({COBS: text})[COBS]
    assert marked == "\n@micropython.viper\ndef cobs_encode(buf: ptr8, us: ptr32) -> int:\n\n\n\n    return us[0]\n"
    assert is_native(compile_mpy(marked, "m", "-O3", "-march=armv6m"))


def test_modules_that_a_board_does_not_get_are_not_missed() -> None:
    assert to_machine_code({"other": "X = 1\n"}) == {"other": "X = 1\n"}
