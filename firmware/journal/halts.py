"""Why the firmware stopped, written down by its last breath and told at the next boot.

    halt  u8 magic, zero, u16 boot, name of the exception 8, zeros, CRC

It stays until the boot that tells of it has been recorded; its boot number shows that two tellings are of one halt.
"""

from struct import pack_into, unpack_from

from micropython import const

from firmware.digest import wipe
from firmware.journal.cells import CELL_SIZE, CELL_WHOLE, HALT_CELL, MAGIC_HALT, cell_require, cell_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

NAME_SIZE = const(8)
_NAME_AT = const(4)


def halt_store(storage: "Storage", boot: int, name: str) -> None:
    """The motors are off. Whether this works or not, a reset comes next."""
    buf = bytearray(CELL_SIZE)
    pack_into("<H", buf, 2, boot)
    text = name.encode()[:NAME_SIZE]
    buf[_NAME_AT : _NAME_AT + len(text)] = text
    cell_write(storage, HALT_CELL, MAGIC_HALT, buf)


def halt_load(storage: "Storage") -> "tuple[int, bytes]":
    """The boot that was halted and why; zeros if none was."""
    buf = bytearray(CELL_SIZE)
    if cell_require(storage, HALT_CELL, MAGIC_HALT, buf) != CELL_WHOLE:
        wipe(buf)
    return unpack_from("<H", buf, 2)[0], bytes(buf[_NAME_AT : _NAME_AT + NAME_SIZE])


def halt_forget(storage: "Storage") -> bool:
    """Erase the stored halt reason once it is journalled."""
    return storage.nv_prog(HALT_CELL * CELL_SIZE, bytearray(CELL_SIZE)) and storage.nv_sync()
