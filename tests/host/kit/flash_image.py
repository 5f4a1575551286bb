"""Flash images as picotool saves them, made here: MicroPython's part, then littlefs with files."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Mapping
from typing import Any

BLOCK, BLOCKS = 4096, 64
FRONT = bytes(range(256)) * 16 * 3 + b"\xff" * BLOCK  # an interpreter of three sectors, one more erased
DISK_VERSION = 0x00020000  # what MicroPython writes


def flash_image(files: Mapping[str, bytes], front: bytes = FRONT, behind: int = 0) -> bytes:
    littlefs: Any = importlib.import_module("littlefs")  # whose types are half there
    context = littlefs.UserContext(buffsize=BLOCK * BLOCKS)
    system = littlefs.LittleFS(
        context=context, block_size=BLOCK, block_count=BLOCKS, prog_size=256, disk_version=DISK_VERSION
    )
    for name, data in files.items():
        folder = name.rpartition("/")[0]
        if folder:
            system.makedirs(folder, exist_ok=True)
        if data or not name.endswith("/"):
            with system.open(name, "wb") as file:
                file.write(data)
    system.unmount()
    return front + bytes(context.buffer) + b"\xff" * behind


def uf2_of(flash: bytes, start: int = 0x10000000) -> bytes:
    """As picotool writes it: 256 bytes a block, and none that is erased from end to end left out."""
    count = len(flash) // 256
    block = struct.Struct("<8I476sI")
    return b"".join(
        block.pack(
            0x0A324655,
            0x9E5D5157,
            0x2000,
            start + 256 * number,
            256,
            number,
            count,
            0xE48BFF56,
            flash[256 * number : 256 * number + 256],
            0x0AB16F30,
        )
        for number in range(count)
    )
