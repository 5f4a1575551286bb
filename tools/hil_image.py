"""Whether a file is an image that the emulated Pico can start: nearly anything starts there, and is silent."""

from __future__ import annotations

from pathlib import Path

from fairshoe.ship.faults import ImageError
from fairshoe.ship.image import flash_of_uf2, read_bytes

MACHINE = b"Raspberry Pi Pico with RP2040"  # what such an image calls its board


def image_problem(path: Path) -> str:
    """What is wrong with a .uf2 file; empty if nothing is."""
    try:
        data = read_bytes(path)
        if data[:8] != b"UF2\n\x57\x51\x5d\x9e":
            return "is no UF2 file"
        flash = flash_of_uf2(data)
    except ImageError as error:
        return f"is no whole UF2 file: {error.what.rstrip('.')}"
    return "" if MACHINE in flash else "is no MicroPython for the Raspberry Pi Pico"
