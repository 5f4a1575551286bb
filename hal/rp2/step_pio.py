"""The PIO program that turns the carousel: one step for each word, the word being the pause after it.

Alone in its file, because its names belong to the PIO assembler and not to Python.
"""
# ruff: noqa: F403, F405

from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *

STEP_CYCLES = 9  # from one step to the next when the word is 0, at one cycle per microsecond


@asm_pio(set_init=PIO.OUT_LOW)
def step_program() -> None:
    wrap_target()
    label("next")
    pull(block)
    mov(x, osr)
    jmp(not_x, "rest")
    set(pins, 1)[3]
    set(pins, 0)
    label("wait")
    jmp(x_dec, "wait")
    wrap()
    # A word of zero ends the move and says so.
    label("rest")
    irq(rel(0))
    jmp("next")
