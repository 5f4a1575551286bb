"""How much room each function's frame takes on the device: read from what mpy-cross makes of it.

MicroPython keeps a frame of up to eleven words on the C stack. A larger one is allocated on the heap at every call, and
how long it takes to find room there depends on what is in use and where the holes are (docs/BUDGETS.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairshoe.ship.build import folded_sources, ship_names
from fairshoe.ship.import_closure import find_module
from fairshoe.ship.machine_code import COMPILED
from fairshoe.ship.mpy_compile import compile_mpy

ROOT = Path(__file__).resolve().parents[1]
WORDS_MAX = 11
_EXCEPTION_WORDS = 3  # what each nested handler takes in addition, on a 32-bit board
_STATIC_NAMES = {7: "<module>", 17: "__init__"}  # the interpreter's own strings have numbers instead; those we need
_BYTECODE = 0
_VERSION = 6


@dataclass(frozen=True)
class Frame:
    """One function: its qualified name in its module, and the words of its frame."""

    module: str
    name: str
    words: int


def frames_of_board(board: str) -> list[Frame]:
    """Every function that a board ships, as it ships them: with constants as numbers."""
    names = ship_names(board, ROOT)
    sources = folded_sources(names, ROOT)
    found: list[Frame] = []
    for name in names:
        place = find_module(name, ROOT).relative_to(ROOT).as_posix()
        frames = frames_of(compile_mpy(sources[name], place, "-O2", "-march=armv6m"), place)
        found += [frame for frame in frames if frame.name not in COMPILED.get(name, ())]  # those use the C stack alone
    return found


def frames_of(mpy: bytes, module: str) -> list[Frame]:
    reader = _Reader(mpy)
    if reader.take(2)[1] != _VERSION:
        raise ValueError(f"{module}: not an .mpy of version {_VERSION}")
    reader.take(2)
    strings, objects = reader.number(), reader.number()
    names = [reader.string() for _ in range(strings)]
    for _ in range(objects):
        reader.skip_object()
    return [Frame(module, name, words) for name, words in _code(reader, names, "")]


def _code(reader: "_Reader", names: list[str], outer: str) -> Iterator[tuple[str, int]]:
    head = reader.number()
    kind, has_children, size = head & 3, head & 4, head >> 3
    data = _Reader(reader.take(size))
    name = outer
    if kind == _BYTECODE:
        words, simple = data.prelude()
        name = f"{outer}.{names[simple]}" if outer else names[simple]
        yield name, words
    elif not has_children:
        raise ValueError("native code: its frames are its own")
    if has_children:
        inner = "" if name == "<module>" else name
        for _ in range(reader.number()):
            yield from _code(reader, names, inner)


class _Reader:
    """Numbers and strings of an .mpy file, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self) -> int:
        value = 0
        while True:
            byte = self.take(1)[0]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value

    def string(self) -> str:
        size = self.number()
        if size & 1:
            return _STATIC_NAMES.get(size >> 1, f"<{size >> 1}>")
        return self.take((size >> 1) + 1)[:-1].decode()

    def skip_object(self) -> None:
        kind = self.take(1)[0]
        if kind == 10:  # a tuple
            for _ in range(self.number()):
                self.skip_object()
        elif kind in (5, 6):  # text, bytes: with a zero behind
            self.take(self.number() + 1)
        elif kind > 6:
            self.take(self.number())

    def prelude(self) -> tuple[int, int]:
        """The words of the frame, and which of the strings is the function's name (MicroPython's py/bc.h)."""
        byte = self.take(1)[0]
        state, tries = byte >> 3 & 0xF, byte >> 2 & 1
        shift = 0
        while byte & 0x80:
            byte = self.take(1)[0]
            state |= (byte & 0x30) << 2 * shift
            tries |= (byte & 0x02) << shift
            shift += 1
        while self.take(1)[0] & 0x80:  # the sizes of what follows
            pass
        return state + 1 + _EXCEPTION_WORDS * tries, self.number()
