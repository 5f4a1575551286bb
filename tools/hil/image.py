"""Tell what a .uf2 file is: a stock MicroPython, or an image of ours with the firmware frozen in.

Nearly any file starts on the emulated Pico and is then silent, so that one which cannot work is refused first.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fairshoe.ship.faults import ImageError
from fairshoe.ship.image import flash_of_uf2, read_bytes

MACHINE = b"Raspberry Pi Pico with RP2040"  # what a stock image calls its board
IDENTITY = b"fairshoe-image "  # what ours begins its identity with; the words that follow say board and kind
STOCK, BENCH, RELEASE = "stock", "bench", "release"


@dataclass(frozen=True)
class Image:
    """A file that the emulated Pico can start, or the reason why it cannot."""

    kind: str = ""
    identity: str = ""  # of an image of ours
    flash_bytes: int = 0
    problem: str = ""

    @property
    def frozen(self) -> bool:
        """Whether the firmware is in the image, not on its file system."""
        return self.kind in (BENCH, RELEASE)

    def is_for(self, board: str) -> bool:
        return self.kind == STOCK or board in self.identity.split()


def read_image(path: Path) -> Image:
    try:
        data = read_bytes(path)
        if data[:8] != b"UF2\n\x57\x51\x5d\x9e":
            return Image(problem="is no UF2 file")
        flash = flash_of_uf2(data)
    except ImageError as error:
        return Image(problem=f"is no whole UF2 file: {error.what.rstrip('.')}")
    if IDENTITY in flash:
        identity = _printable(flash, flash.index(IDENTITY))
        return Image(RELEASE if RELEASE in identity.split() else BENCH, identity, len(flash))
    if MACHINE in flash:
        return Image(STOCK, "", len(flash))
    return Image(problem="is no MicroPython for the Raspberry Pi Pico, and no image of ours")


def _printable(data: bytes, at: int) -> str:
    end = at
    while end < len(data) and 0x20 <= data[end] < 0x7F:
        end += 1
    return data[at:end].decode("ascii")
