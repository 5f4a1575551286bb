"""What a shot of the diagnostic mode may move. Only bench images and files on a stock MicroPython have this module."""

from firmware import image

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Outputs
    from hal.api import Hal


def switch(out: "Outputs", outputs: int) -> None:
    """A bit for each of the first outputs."""
    for i in range(image.MACHINE_COUNT):
        image.output_set(out, i, outputs >> i & 1)


def arm(hal: "Hal", output: int, line: int, delay_us: int) -> None:
    hal.stop_after(output, line, delay_us)


def turn(hal: "Hal", out: "Outputs", steps: int, pace: int) -> None:
    """The port must watch the slot beam before the axis starts, and outputs are driven only at the end of a scan."""
    hal.drive(out.level, out.watch_slot)
    hal.step(steps, pace)
