"""Where meters live: two records that take turns, so that a torn write costs one job's worth and never all of them."""

from binascii import crc32
from struct import pack_into, unpack_from

from micropython import const

from firmware.protocol.frame import CRC_RESIDUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

METERS_FIRST = const(3)  # in records; keys and marks come before
_RECORD_SIZE = const(64)
_MAGIC = const(0x3C)
_CRC_AT = const(60)
_LAYOUT = "<IIIIHHHIIHHHHHHHHH"  # 48 bytes, in the order of the message `meters`
_VALUES_AT = const(8)


class MeterStore:
    """Loads the newest good record, and overwrites the other one."""

    def __init__(self, storage: "Storage") -> None:
        self.storage = storage
        self.buf = bytearray(_RECORD_SIZE)
        self.generation = 0

    def load(self, values: "list[int]") -> None:
        buf = self.buf
        for turn in range(2):
            if not self.storage.nv_read((METERS_FIRST + turn) * _RECORD_SIZE, buf):
                continue
            if buf[0] != _MAGIC or crc32(buf) != CRC_RESIDUE:
                continue
            generation = unpack_from("<I", buf, 4)[0]
            if generation > self.generation:
                self.generation = generation
                found = unpack_from(_LAYOUT, buf, _VALUES_AT)
                for i in range(len(values)):
                    values[i] = found[i]

    def save(self, values: "list[int]") -> bool:
        buf = self.buf
        for i in range(_RECORD_SIZE):
            buf[i] = 0
        buf[0] = _MAGIC
        pack_into("<I", buf, 4, self.generation + 1)
        pack_into(_LAYOUT, buf, _VALUES_AT, *values)
        pack_into("<I", buf, _CRC_AT, crc32(memoryview(buf)[:_CRC_AT]))
        if not self.storage.nv_prog((METERS_FIRST + (self.generation + 1) % 2) * _RECORD_SIZE, buf):
            return False
        self.generation += 1
        return self.storage.nv_sync()
