"""The linker script of an image: the checkout's own with one line changed, so that hot code runs from RAM.

MicroPython 1.28 means its interpreter loop to lie in RAM, and names objects that the SDK no longer builds under these
names: all of it runs from flash, through a cache of 16 KB. A script of our own would have to follow
every release of MicroPython. So the one line is replaced at build time, and a checkout in which it does not stand
exactly once is refused (decision 0140).
"""

from __future__ import annotations

from pathlib import Path

from fairshoe.ship.errors import NoImage

SCRIPT = "memmap.ld"  # in the board folder; mpconfigboard.cmake names it
_RELEASED = "Use MicroPython 1.28 as it was released."
_LEFT_OUT = "*gc.c.obj *vm.c.obj *parse.c.obj)"
# Sources whose code runs from RAM, by the misses that each byte saves while cards move: docs/BUDGETS.md.
IN_RAM = ("py/cstack", "py/bc", "py/obj", "py/objtype", "py/map", "py/runtime", "py/vm", "extmod/modtime")


def linker_script(port: Path, platform: str) -> bytes:
    """The script of the checkout for this chip, with IN_RAM in place of what it leaves out of flash."""
    path = port / f"memmap_mp_{platform.partition('-')[0]}.ld"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise NoImage(f"{path} cannot be read: {error.strerror}.", _RELEASED) from error
    if text.count(_LEFT_OUT) != 1:
        raise NoImage(
            f"{path} has {text.count(_LEFT_OUT)} lines that end with {_LEFT_OUT!r}, and one is replaced.",
            _RELEASED,
        )
    return text.replace(_LEFT_OUT, " ".join(f"*/{name}.c.o" for name in IN_RAM) + ")").encode()
