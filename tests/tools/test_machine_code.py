"""Functions shipped as machine code are the same functions, and never do what machine code does not check."""

import random
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from draws import seeded

from fairshoe.boards.ports import PORTS
from fairshoe.ship import machine_code
from fairshoe.ship.build import NOT_STOCK_RP2040, Shipped, folded_sources, ship_names
from fairshoe.ship.errors import ShipError
from fairshoe.ship.machine_code import COMPILED, DECORATOR, to_machine_code
from fairshoe.ship.mpy_compile import compile_mpy
from firmware.digest import differ
from firmware.image import BOUNCES, EDGES_MAX, FOLDED, FOLDED_BITS, FULL, INPUT_COUNT, fold_edges
from firmware.protocol.cobs import FILL_BITS, FRAME_MAX, WIRE_MAX, cobs_decode, cobs_encode, cobs_gather
from firmware.signing import field, sha512
from firmware.signing.constants import ROUND_CONSTANTS, START_STATE
from hal.rp2 import fold as words

ShipOnce = Callable[[str], tuple[list[Shipped], Path]]
ROOT = Path(__file__).resolve().parents[2]
COBS = "firmware.protocol.cobs"


def source() -> str:
    return (ROOT / "firmware/protocol/cobs.py").read_text(encoding="utf-8")


@cache
def folded(board: str) -> dict[str, str]:
    """What a board ships, with constants as numbers: as names they would be no integers to viper."""
    return folded_sources(ship_names(board), ROOT)


def is_native(mpy: bytes) -> bool:
    """By the architecture in its header, which bytecode leaves open."""
    return mpy[2] >> 2 != 0


@pytest.mark.parametrize("module", COMPILED)
@pytest.mark.parametrize("march", sorted({port.march for port in PORTS.values()}))
def test_every_processor_gets_machine_code(march: str, module: str) -> None:
    plain = folded("pico-shoe")[module]
    assert is_native(compile_mpy(to_machine_code({module: plain})[module], "m", "-O3", f"-march={march}"))
    assert not is_native(compile_mpy(plain, "m", "-O3", f"-march={march}"))


def test_nothing_but_the_heading_is_another_one_and_lines_stay_where_they_are() -> None:
    plain = source().split("\n")
    marked = to_machine_code({COBS: source()})[COBS].split("\n")
    changed = [(one, other) for one, other in zip(plain, marked, strict=True) if one != other]
    assert changed == [
        ("", DECORATOR),
        (
            "def cobs_gather(buf: bytearray, fill: int, chunk: bytearray, start: int, end: int) -> int:",
            "def cobs_gather(buf: ptr8, fill: int, chunk: ptr8, start: int, end: int) -> int:",
        ),
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
    names = [name for name in COMPILED if name in folded("pico-shoe") and not name.startswith(NOT_STOCK_RP2040)]
    compiled = {name.replace(".", "/") + ".py" for name in names}
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
    noise = seeded()
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


def test_gathering_any_bytes_never_leaves_its_buffers() -> None:
    """Pieces of a stranger's bytes, up to the delimiter and no further, however long the frame gets."""
    noise = seeded()
    for _ in range(3000):
        fill = noise.choice((0, 1, WIRE_MAX - 3, WIRE_MAX, WIRE_MAX + 1, noise.randrange(WIRE_MAX + 2)))
        buf: Any = Watched([7] * WIRE_MAX)
        buf.first, buf.last = fill, WIRE_MAX - 1
        data = bytes(noise.choice((0, 1, 255)) if noise.random() < 0.1 else 9 for _ in range(noise.randrange(65)))
        chunk: Any = Watched(data)
        chunk.first, chunk.last = noise.randrange(len(data) + 1), len(data) - 1
        gathered = cobs_gather(buf, fill, chunk, chunk.first, len(data))
        end, filled = gathered >> FILL_BITS, gathered & (1 << FILL_BITS) - 1
        taken = data[chunk.first : end] if fill else data[chunk.first : end].lstrip(b"\0")
        assert 0 not in taken and filled == min(fill + len(taken), WIRE_MAX + 1)
        assert end == len(data) or (data[end] == 0 and filled)
        assert bytes(list(buf)) == (b"\7" * fill + taken + b"\7" * WIRE_MAX)[:WIRE_MAX]


def test_taking_any_bytes_apart_never_leaves_them() -> None:
    """Whatever a cable brings, longer than a frame too: the one place where a stranger's bytes meet machine code."""
    noise = seeded()
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


@pytest.mark.full
def test_folding_words_of_any_content_never_leaves_its_buffers() -> None:
    """Whatever the lines do, and whatever DMA does meanwhile: edges fit, lines exist, the loop ends with the ring."""
    noise = seeded()
    seen: set[int] = set()
    for _ in range(4000):
        pins = noise.randrange(1, words.LINES_MAX + 1)
        limit = noise.choice((1, 24, 100))
        size = words.S_SIZE + words.LINES_MAX * limit
        s = watched(WatchedState, [noise.randrange(1 << 30) for _ in range(size)], 0, size - 1)
        for at in range(words.S_SIZE):
            s[at] = 0
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
        s[words.S_LIMIT] = limit
        s[words.S_STAMPS] = words.S_SIZE
        for bit in range(words.LINES_MAX):
            s[words.S_COUNTS + bit] = noise.randrange(2 * limit)
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
    noise = seeded()
    ended = 0
    for _ in range(2000):
        count = noise.randrange(EDGES_MAX + 1)
        first = noise.randrange(count + 1)
        now_us = noise.randrange(1 << 30)
        times = [(now_us + noise.randrange(3000) * noise.choice((1, 1, 100000))) % (1 << 30) for _ in range(EDGES_MAX)]
        edges = [noise.randrange(2 * INPUT_COUNT) for _ in range(EDGES_MAX)]
        held = watched(Watched, [noise.randrange(BOUNCES + 2) for _ in range(INPUT_COUNT)], 0, INPUT_COUNT - 1)
        held_us = watched(WatchedWords, [now_us] * INPUT_COUNT, 0, INPUT_COUNT - 1)
        counts = [noise.randrange(1000) for _ in range(2 * INPUT_COUNT + 1)]
        glitches = watched(WatchedWords, counts, 0, FULL)
        what = watched(Watched, edges, first, count - 1), watched(WatchedWords, times, first, count - 1)
        waiting = noise.randrange(1 << INPUT_COUNT)
        done = fold_edges(*what, held, held_us, glitches, count << FOLDED_BITS | first, waiting)
        assert 0 <= done < 1 << 30 and first <= done & FOLDED <= count
        assert 0 <= done >> FOLDED_BITS < 1 << INPUT_COUNT
        ended += done & FOLDED < count
    assert ended > 100, "too few changes that lasted to say anything"


class Word(int):
    """A machine word with a sign: arithmetic that leaves 32 bits is seen, on the way to a result too."""

    def __new__(cls, value: int) -> "Word":
        assert -(1 << 31) <= value < 1 << 31, value
        return super().__new__(cls, value)


def _checked(name: str) -> Callable[..., Word]:
    plain = getattr(int, name)
    return lambda *numbers: Word(plain(*numbers))


for operator in ("add", "sub", "mul", "and", "or", "xor", "lshift", "rshift"):
    for side in ("", "r"):
        setattr(Word, f"__{side}{operator}__", _checked(f"__{side}{operator}__"))


class WatchedLimbs(list[int]):
    """Words that no one looks at beyond their ends, and that hold nothing larger."""

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        assert at >= 0
        return super().__getitem__(at)

    def __setitem__(self, at: int, value: int) -> None:  # type: ignore[override]
        assert at >= 0
        super().__setitem__(at, Word(value))


LIMB_MAX = 4120  # of a result: half of 2**13, and what the last carry brings


def limbs(values: Iterable[int]) -> Any:
    return WatchedLimbs(Word(value) for value in values)


def number_of(values: list[int]) -> int:
    return sum(int(limb) << 13 * i for i, limb in enumerate(values)) % field.PRIME


def test_arithmetic_of_limbs_stays_within_words_for_the_largest_operands() -> None:
    """A result has limbs up to LIMB_MAX, and operands are sums of two at most: so it holds for every signature."""
    noise = seeded()
    for top in (2 * LIMB_MAX, 8191, 1):
        for signs in ((1,), (-1,), (1, -1), (0, 1, -1)):
            a, b = ([top * noise.choice(signs) for _ in range(field.LIMBS)] for _ in range(2))
            r = limbs([0] * field.LIMBS)
            t = limbs([0] * 2 * field.LIMBS)
            for i, j in ((0, 0), (0, 10), (10, 0), (10, 10)):
                part: Any = WatchedLimbs(list(t)[i + j : i + j + 19])
                field.add_product(part, limbs(a[i : i + 10]), limbs(b[j : j + 10]))
                for at, value in enumerate(part):
                    t[i + j + at] = value
            field.reduce(r, t)
            assert number_of(r) == number_of(a) * number_of(b) % field.PRIME
            assert all(abs(limb) <= LIMB_MAX for limb in list[int](r)) and not any(t)
            for sign in (1, -1):
                halves = limbs(limb // 2 for limb in a)
                field.double_add(r, halves, limbs(b), sign)
                assert number_of(r) == (2 * number_of(list(halves)) + sign * number_of(b)) % field.PRIME
                assert all(abs(limb) <= LIMB_MAX for limb in list[int](r))
            field.add_subtract(r, t, limbs(a), limbs(b))
            assert number_of(r) == (number_of(a) + number_of(b)) % field.PRIME
    data: Any = watched(Watched, [255] * 40, 4, 35)
    field.load(r, data, 4)
    assert number_of(r) == ((1 << 256) - 1) % field.PRIME


def test_a_block_of_sha_512_stays_within_words_and_its_buffers() -> None:
    for fill in (0, 255, 0x5A):
        block: Any = watched(Watched, [fill] * 130, 1, 128)
        state = limbs([0] * 32)
        w = limbs([0] * 64)
        start: Any = watched(Watched, list(START_STATE), 0, 63)
        sha512.load(state, start, 0, 8)
        v = limbs(state)
        sha512.load(w, block, 1, 16)
        constants: Any = watched(Watched, list(ROUND_CONSTANTS), 0, 639)
        for first in range(0, 80, 16):
            sha512.rounds(v, w, constants, first)
            sha512.schedule(w)
        sha512.add(state, v)
        out: Any = watched(Watched, [0] * 64, 0, 63)
        sha512.store(state, out)
        padded = bytes(block)[1:129]
        assert bytes(out) == _compressed(padded)


def _compressed(block: bytes) -> bytes:
    """One block of SHA-512 in Python's integers, as FIPS 180-4, 6.4.2, words it."""

    def turned(x: int, *by: int) -> int:
        found = 0
        for n in by:
            found ^= (x >> n | x << 64 - n) & mask
        return found

    mask = (1 << 64) - 1
    start = [int.from_bytes(START_STATE[i : i + 8], "big") for i in range(0, 64, 8)]
    w = [int.from_bytes(block[i : i + 8], "big") for i in range(0, 128, 8)]
    for i in range(16, 80):
        low, high = turned(w[i - 15], 1, 8) ^ w[i - 15] >> 7, turned(w[i - 2], 19, 61) ^ w[i - 2] >> 6
        w.append(w[i - 16] + low + w[i - 7] + high & mask)
    a, b, c, d, e, f, g, h = start
    for i in range(80):
        k = int.from_bytes(ROUND_CONSTANTS[8 * i : 8 * i + 8], "big")
        first = h + turned(e, 14, 18, 41) + (e & f ^ ~e & g) + k + w[i]
        second = turned(a, 28, 34, 39) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = first + second & mask, a, b, c, d + first & mask, e, f, g
    return b"".join((x + y & mask).to_bytes(8, "big") for x, y in zip(start, (a, b, c, d, e, f, g, h), strict=True))


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
