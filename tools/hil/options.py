"""The options that every command on the emulated board has, and the image that they name."""

from __future__ import annotations

import argparse
import importlib.util
import os
from pathlib import Path

from hil.image import Image, read_image

NEEDED = """make hil needs a .uf2 file for the Raspberry Pi Pico (RP2040), one of these:

    make image BENCH=1 BOARD=pico-carousel MICROPYTHON=path/to/checkout    an image of ours with a prompt
    a MicroPython 1.28 for the board RPI_PICO, from its download pages or built from its sources

    make hil UF2=path/to/file.uf2

None is kept in this repository."""


def add_uf2(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--uf2", default=os.environ.get("UF2") or None, help="an image of ours, or a stock MicroPython")
    parser.add_argument("--jobs", type=int, default=2, help="emulated boards at a time (default %(default)s)")


def find_image(options: argparse.Namespace) -> tuple[Image | None, str]:
    """The image, or none and the reason."""
    if options.uf2 is None:
        return None, NEEDED
    path = Path(options.uf2)
    if not path.is_file():
        return None, f"hil: there is no file {path}\n\n{NEEDED}"
    image = read_image(path)
    if image.problem:
        return None, f"hil: {path} {image.problem}\n\n{NEEDED}"
    if importlib.util.find_spec("rp2040py") is None:
        return None, "hil: the emulator is not installed; `make hil` installs it first"
    return (None, "hil: --jobs is at least 1") if options.jobs < 1 else (image, "")
