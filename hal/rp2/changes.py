"""The PIO program that watches the beams: a word for each change, the levels above and a falling count below.

Every turn of its loop takes ten cycles, at 10 MHz one microsecond, whether or not it pushes: the count is a clock.
Alone in its file, because its names belong to the PIO assembler and not to Python.
"""
# ruff: noqa: F403, F405

from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rp2.asm_pio import *

CHANGES_HZ = 10000000


def changes_program(lines: int) -> "Any":
    """For so many pins in a row. X holds their levels, OSR the count."""

    @asm_pio(in_shiftdir=PIO.SHIFT_LEFT, autopush=True, push_thresh=32, fifo_join=PIO.JOIN_RX)
    def changes() -> None:
        mov(x, invert(null))  # levels that no pins have: the first turn pushes
        mov(osr, invert(null))
        wrap_target()
        label("same")
        mov(y, osr)
        jmp(y_dec, "counted")
        label("counted")
        mov(osr, y)
        mov(isr, null)
        in_(pins, lines)
        mov(y, isr)
        jmp(x_not_y, "changed")
        jmp("same")[2]
        label("changed")
        mov(x, y)
        in_(osr, 32 - lines)[1]  # 32 bits are in: it is pushed
        wrap()

    return changes
