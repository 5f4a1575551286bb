"""The file system in a Pico's flash, as an image: littlefs with the geometry of the RPI_PICO build of MicroPython."""

import importlib
from collections.abc import Mapping
from typing import Any

FS_OFFSET = 0xA0000
BLOCK_SIZE = 4096
BLOCK_COUNT = 352
_PROG_SIZE = 256
_DISK_VERSION = 0x00020000  # what this MicroPython mounts; it reformats anything newer


def build_image(files: Mapping[str, bytes]) -> bytes:
    """A littlefs image that holds these files."""
    littlefs: Any = importlib.import_module("littlefs")
    context = littlefs.UserContext(buffsize=BLOCK_SIZE * BLOCK_COUNT)
    system = littlefs.LittleFS(
        context=context,
        block_size=BLOCK_SIZE,
        block_count=BLOCK_COUNT,
        prog_size=_PROG_SIZE,
        disk_version=_DISK_VERSION,
    )
    for name, data in files.items():
        folder = name.rpartition("/")[0]
        if folder:
            system.makedirs(folder, exist_ok=True)
        with system.open(name, "wb") as file:
            file.write(data)
    system.unmount()
    return bytes(context.buffer)


def erased_image() -> bytes:
    """The same place in a flash that holds no file system."""
    return b"\xff" * BLOCK_SIZE * BLOCK_COUNT
