"""Where meters live: two cells that take turns, so that a torn write costs one job's worth and never all of them."""

from struct import pack_into, unpack_from

from firmware.digest import wipe
from firmware.journal.cells import BODY_AT, CELL_SIZE, MAGIC_METERS, METERS_CELL, Pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

_LAYOUT = "<IIIIHHHIIHHHHHHHHHI"  # 52 bytes, in the order of METER_; older firmware left zeros behind its last one


class MeterStore:
    """Loads the newest good cell, and overwrites the other one."""

    def __init__(self, storage: "Storage") -> None:
        self._pair = Pair(storage, METERS_CELL, MAGIC_METERS, bytearray(CELL_SIZE))

    def load(self, values: "list[int]") -> None:
        if self._pair.load():
            found = unpack_from(_LAYOUT, self._pair.buf, BODY_AT)
            for i in range(len(values)):
                values[i] = found[i]

    def save(self, values: "list[int]") -> bool:
        wipe(self._pair.buf)
        pack_into(_LAYOUT, self._pair.buf, BODY_AT, *values)
        return self._pair.save()
