"""The options that every command on the emulated board has, and the image that they name."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from stages import NOT_RUN, ROOT

from hil.image import Image, read_image

BOARD = "pico-carousel"
IMAGES = ROOT / "build" / "image"
BUDGETS = ROOT / "docs" / "BUDGETS.md"
FAIRSHOE = str(Path(sys.executable).with_name("fairshoe"))

NEEDED = """make hil needs a .uf2 file for the Raspberry Pi Pico (RP2040), one of these:

    make image BENCH=1 BOARD=pico-carousel MICROPYTHON=path/to/checkout    an image of ours with a prompt
    a MicroPython 1.28 for the board RPI_PICO, from its download pages or built from its sources

    make hil UF2=path/to/file.uf2

None is kept in this repository."""


def not_run(what: str) -> str:
    """What a full set says without an image, and when it was played last."""
    last = re.search(r"^Measured on [0-9].*", BUDGETS.read_text(encoding="utf-8"), re.MULTILINE)
    return (
        f"{NOT_RUN}: {what}: UF2= names an image, MICROPYTHON= a checkout of 1.28.0, which no package index has."
        f" {last[0] if last else 'It was never measured.'}"
    )


def add_uf2(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--uf2", default=os.environ.get("UF2") or None, help="an image of ours, or a stock MicroPython")
    parser.add_argument("--jobs", type=int, default=2, help="emulated boards at a time (default %(default)s)")


def images_in(uf2: str | None, board: str | None = None) -> list[str | None]:
    """The file that was named; of a folder, all bench images in it, or the one of the board. With no file, but a
    checkout in MICROPYTHON, an image that is built now."""
    checkout = os.environ.get("MICROPYTHON")
    if uf2 is None and checkout:
        source = ["--board", board or BOARD, "--micropython", checkout]
        build = [FAIRSHOE, "firmware", "image", "--bench", *source, "-o", str(IMAGES)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        uf2, board = str(IMAGES), board or BOARD
    if uf2 is None or not Path(uf2).is_dir():
        return [uf2]
    return [str(path) for path in sorted(Path(uf2).glob(f"*-{board or '*'}-bench.uf2"))] or [uf2]


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
    return (None, "hil: --jobs is at least 1") if options.jobs < 1 else (image, "")
