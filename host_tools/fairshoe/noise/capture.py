"""Raw samples of a noise source: of a device at its prompt, or of the simulated board.

At a device the HAL's own function for the source is pasted at MicroPython's prompt and run there, with no firmware
loaded: nothing that was captured can become a seed, no card can move, and a release image, which has no prompt, can
give its noise to no host (docs/decisions/0089-raw-noise-is-captured-at-the-prompt.md).
"""

from __future__ import annotations

import ast
import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fairshoe import _device
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.ship.errors import DeviceFailed, NotForDevice
from fairshoe.ship.prompt import Prompt, Raised, reach
from fairshoe.transport.urls import Port
from firmware.deck.entropy import ONE_BIT
from firmware.image import INPUTS
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import SimHal

_CHUNK = 512  # bytes in one line of the prompt
_PIECE_S = 60.0
# Where the HAL reads each source.
SOURCES = {
    "rp2040_rosc": ("hal/rp2/rosc.py", "noise_into"),
    "rp2350_trng": ("hal/rp2/trng.py", "noise_into"),
}
_READ = """
import binascii
_buf = bytearray(%d)
for _ in range(%d):
    _good = %s(_buf)
    print(binascii.hexlify(_buf).decode(), _good)
"""

Advance = Callable[[str, int, int], None]
Read = Callable[[int], "tuple[bytes, bool]"]  # so many raw bytes, and whether the source calls itself sound


def width_of(source: str) -> int:
    """Bits of a sample. A source of single bits packs eight of them into a byte, the first highest."""
    return 1 if source in ONE_BIT else 8


def samples_of(raw: bytes, width: int) -> bytes:
    """One sample a byte."""
    if width == 8:
        return raw
    return bytes(byte >> shift & 1 for byte in raw for shift in range(7, -1, -1))


def raw_bytes(samples: int, width: int) -> int:
    return (samples * width + 7) // 8


class Simulated:
    """The noise of the simulated board, good or with a fault. Each restart has a seed of its own."""

    def __init__(self, config: Mapping[str, Any], kind: str, seed: int) -> None:
        self._config, self._kind, self._seed = config, kind, seed
        self.restart()

    def restart(self) -> None:
        plant = Plant(dict(self._config), INPUTS, self._seed)
        if self._kind != "good":
            plant.add_fault({"fault": "entropy", "kind": self._kind})
        self._hal = SimHal(plant, Nv(64))
        self._seed += 1

    def read(self, size: int) -> tuple[bytes, bool]:
        buf = bytearray(size)
        good = self._hal.entropy_into(buf)
        return bytes(buf), good

    def close(self) -> None:
        """Nothing is open."""


class AtPrompt:
    """The noise of a device. A restart is the chip's own reset, or whatever `power` does to the machine's supply."""

    def __init__(
        self,
        source: str,
        open_port: Callable[[], Port],
        name: str,
        wait_s: float,
        say: Callable[[str], None],
        power: Callable[[], None] | None = None,
    ) -> None:
        if source not in SOURCES:
            raise UsageError(f"no device has the source {source}.", "Give the board of the device with --board.")
        self._reach: Callable[[], Prompt] = lambda: reach(open_port, name, wait_s, say)
        self._source, self._function = source, SOURCES[source][1]
        self._power = power
        self._prompt = self._reach()
        self._load()

    def _load(self) -> None:
        try:
            self._prompt.run(code_of(self._source))
        except Raised as raised:
            raise NotForDevice(
                f"{self._prompt.name}: the device has no {self._source} ({raised.last}).",
                "Choose the board of this device with --board.",
            ) from raised

    def restart(self) -> None:
        if self._power is None:
            self._prompt.reset()
        self._prompt.close()
        if self._power is not None:
            self._power()
        self._prompt = self._reach()
        self._load()

    def read(self, size: int) -> tuple[bytes, bool]:
        chunk = min(size, _CHUNK)
        lines = (size + chunk - 1) // chunk
        raw, good = b"", True
        try:
            for line in self._prompt.run(_READ % (chunk, lines, self._function), _PIECE_S).splitlines():
                digits, word = line.split()
                raw += binascii.unhexlify(digits)
                good &= word == "True"
        except (Raised, ValueError) as error:
            raise DeviceFailed(
                f"{self._prompt.name}: the device did not give its noise ({error}).", "Reset it and try again."
            ) from error
        if len(raw) < size:
            raise DeviceFailed(f"{self._prompt.name}: {len(raw)} bytes of {size} came.", "Reset it and try again.")
        return raw[:size], good

    def close(self) -> None:
        self._prompt.close()


def take(read: Read, size: int, advance: Advance, piece: int = 8 * _CHUNK) -> tuple[bytes, bool]:
    """So many raw bytes, in pieces that show how far it is."""
    raw, good = bytearray(), True
    while len(raw) < size:
        advance("reading noise", len(raw), size)
        more, sound = read(min(piece, size - len(raw)))
        raw += more
        good &= sound
    return bytes(raw), good


def take_restarts(source: Simulated | AtPrompt, rows: int, size: int, advance: Advance) -> Iterator[tuple[bytes, bool]]:
    """The first raw bytes after each restart, and whether the source calls itself sound."""
    for row in range(rows):
        advance("restarting", row, rows)
        source.restart()
        yield source.read(size)


def code_of(source: str) -> str:
    """The HAL's function for a source, to be run at a prompt."""
    path, name = SOURCES[source]
    return _function_source((_device.root() / path).read_text("utf-8"), name)


def _function_source(text: str, name: str) -> str:
    """A function of a module and what it needs of the module's top, as source: the module itself may import drivers
    that a bare MicroPython has not."""
    tree = ast.parse(text)
    defines: dict[str, ast.stmt] = {}
    for node in tree.body:
        for bound in _bound(node):
            defines[bound] = node
    needed: set[ast.stmt] = set()
    todo = [name]
    while todo:
        node = defines.get(todo.pop())
        if node is not None and node not in needed:
            needed.add(node)
            todo += [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
    if not needed:
        raise FairshoeError(f"there is no {name} to read noise with.", "Install fairshoe again.")
    return "\n".join(ast.unparse(node) for node in tree.body if node in needed) + "\n"


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module gives meaning to."""
    for each in ast.walk(node):
        if isinstance(each, ast.alias):
            yield each.asname or each.name
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and not isinstance(node, ast.FunctionDef):
            yield each.id
    if isinstance(node, ast.FunctionDef):
        yield node.name
