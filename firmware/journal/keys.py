"""Where the device key lives: one record of storage that nothing but the session code reads."""

from binascii import crc32
from struct import pack_into

from micropython import const

from firmware.protocol.frame import CRC_RESIDUE
from firmware.protocol.session import KEY_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

KEY_RECORD_SIZE = const(64)
_MAGIC = const(0xC3)
_KEY_AT = const(4)
_CRC_AT = const(60)


def key_load(storage: "Storage") -> bytes:
    """The device key, or no bytes if none was ever installed."""
    buf = bytearray(KEY_RECORD_SIZE)
    if not storage.nv_read(0, buf) or buf[0] != _MAGIC or crc32(buf) != CRC_RESIDUE:
        return b""
    return bytes(buf[_KEY_AT : _KEY_AT + KEY_SIZE])


def key_store(storage: "Storage", key: bytes) -> bool:
    """Install or replace the key. Who may do so is decided elsewhere."""
    buf = bytearray(KEY_RECORD_SIZE)
    buf[0] = _MAGIC
    buf[_KEY_AT : _KEY_AT + KEY_SIZE] = key
    pack_into("<I", buf, _CRC_AT, crc32(memoryview(buf)[:_CRC_AT]))
    return storage.nv_prog(0, buf) and storage.nv_sync()
