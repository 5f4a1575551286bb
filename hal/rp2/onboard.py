"""Cells in the flash that also holds program and files, for boards whose config says so; docs/STORAGE.md says how."""

import os

import rp2
from micropython import const

from hal.flash import Flash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config

_BLOCK = const(4096)


def onboard(config: "Config") -> Flash:
    """Refused where the mounted file system may write: a stock MicroPython gives it all that rp2.Flash reaches."""
    start, blocks = config["start"], config["blocks"]
    used = os.statvfs("/")
    if used[1] * used[2] > start:
        raise ValueError("nv.start %d: the file system has %d bytes" % (start, used[1] * used[2]))
    device: "Any" = rp2.Flash(start=start, len=blocks * _BLOCK)  # the stubs know neither argument
    return Flash(device, blocks, config["bytes"])
