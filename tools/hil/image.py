"""Tell what a .uf2 file is: a stock MicroPython, or an image of ours with the firmware frozen in.

Nearly any file starts on the emulated Pico and is then silent, so that one which cannot work is refused first.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fairshoe.ship.errors import ImageError
from fairshoe.ship.flash_image import flash_of_uf2, read_bytes
from fairshoe.ship.identity import find_identity

MACHINE = b"Raspberry Pi Pico with RP2040"  # what a stock image calls its board
STOCK, BENCH, RELEASE = "stock", "bench", "release"


@dataclass(frozen=True)
class Image:
    """A file that the emulated Pico can start, or the reason why it cannot."""

    kind: str = ""
    identity: str = ""  # of an image of ours: fairshoe/ship/identity.py
    board: str = ""
    flash_bytes: int = 0
    problem: str = ""

    @property
    def frozen(self) -> bool:
        """Whether the firmware is in the image, not on its file system."""
        return self.kind in (BENCH, RELEASE)

    @property
    def content(self) -> str:
        """The begin of the hash of all that is frozen, the same for images of the same sources."""
        return self.identity.partition("content=")[2][:12] or self.kind

    def is_for(self, board: str) -> bool:
        return self.kind == STOCK or board == self.board


def read_image(path: Path) -> Image:
    try:
        data = read_bytes(path)
        if data[:8] != b"UF2\n\x57\x51\x5d\x9e":
            return Image(problem="is no UF2 file")
        flash = flash_of_uf2(data)
        identity = find_identity(flash)
    except ImageError as error:
        return Image(problem=f"is no whole UF2 file: {error.what.rstrip('.')}")
    if identity is not None:
        line = identity.line().decode().strip()
        return Image(RELEASE if identity.release else BENCH, line, identity.board, len(flash))
    if MACHINE in flash:
        return Image(STOCK, flash_bytes=len(flash))
    return Image(problem="is no MicroPython for the Raspberry Pi Pico, and no image of ours")
