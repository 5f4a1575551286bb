"""The ports of the firmware, by the name of `mcu.port` in a board config. firmware/main.py picks among the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Port:
    """A family of chips that one folder of hal/ serves."""

    march: str  # of mpy-cross, for functions that are shipped as machine code
    platform: str  # what MicroPython on the chip says of itself
    service: str  # where the service port is found


PORTS = {
    "rp2": Port("armv6m", "rp2", "the board's USB connector"),
}
