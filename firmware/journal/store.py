"""A ring of 64-byte event records with CRC, and two alternating marks that hold the acknowledged sequence number.

    0    key     see keys.py
    64   marks   u8 magic, u8 warning, 2 zeros, u32 acknowledged, u32 generation, u32 round, u16 boot, lanes 42, u32 CRC
    192  meters  see meters.py
    320  seeds   see seeds.py
    448  records u8 magic, u8 payload size, u16 message, payload (event prefix, body), zeros, u32 CRC

The record of event n lies at index n modulo the capacity, so nothing has to be searched for. A torn record fails
its CRC and was never reported: the event did not happen. Unacknowledged records are never overwritten. Marks repeat
the highest round and boot numbers and the last command of every lane, so that those survive the recycling of every
record that carried them.
"""

from binascii import crc32
from struct import pack_into

from micropython import const

from firmware.fault import FAULT_JOURNAL, require
from firmware.journal.lanes import Lanes
from firmware.protocol import ids
from firmware.protocol.codec import pack, unpack
from firmware.protocol.frame import CRC_RESIDUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

RECORD_SIZE = const(64)
PAYLOAD_AT = const(4)
PAYLOAD_MAX = const(56)
CRC_AT = const(60)
MARK_FIRST = const(1)  # in records; the key comes before
MARK_COUNT = const(2)
RECORD_FIRST = const(7)  # meters (3, 4) and seeds (5, 6) come before
RECORD_MAGIC = const(0xE5)
MARK_MAGIC = const(0xA5)
PREFIX_VALUES = const(7)
BOOT_AT = const(8)  # in a record: prefix fields that recovery looks for
ROUND_AT = const(20)
BODY_AT = const(25)
LANES_AT = const(18)  # in a mark
_LANE_CODES = b"\x04\x02\x04\x01\x01\x02"  # op, command, digest, outcome, reason, detail


class Journal:
    """Event records by sequence number. seq_last 0 means nothing was ever recorded."""

    def __init__(self, storage: "Storage", size: int, codes: "dict[int, bytes]", prefix: bytes) -> None:
        self.storage = storage
        self.capacity = size // RECORD_SIZE - RECORD_FIRST
        self.codes = codes
        self.prefix = prefix
        self.buf = bytearray(RECORD_SIZE)
        self.crc_view = memoryview(self.buf)[:CRC_AT]
        self.seq_last = 0
        self.seq_acked = 0
        self.mark_generation = 0
        self.round_last = 0
        self.boot_last = 0
        self.warning = 0  # latched, by the newest record or mark that says
        self.lanes = Lanes()  # as recorded: what a command's lane says before that is the desk's own business
        self.values = [0] * 8
        require(self.capacity > 0, FAULT_JOURNAL)

    def room(self) -> int:
        """How many events can be recorded before one would overwrite an unacknowledged one."""
        return self.capacity - (self.seq_last - self.seq_acked)

    def append(self, message: int, prefix_values: "list[int]", values: "list[int]", text: bytes) -> bool:
        """Record the next event durably; prefix_values[0] becomes its sequence number. False: storage failed."""
        require(self.room() > 0, FAULT_JOURNAL)
        seq = self.seq_last + 1
        prefix_values[0] = seq
        buf = self.buf
        for i in range(RECORD_SIZE):
            buf[i] = 0
        at = pack(buf, PAYLOAD_AT, self.prefix, prefix_values, b"")
        at = pack(buf, at, self.codes[message], values, text)
        buf[0] = RECORD_MAGIC
        buf[1] = at - PAYLOAD_AT
        buf[2] = message & 0xFF
        buf[3] = message >> 8
        if not self._commit(self._address(seq)):
            return False
        self.seq_last = seq
        self._note_warning(message)
        self._restore_record_lane()
        self._remember(prefix_values[5], prefix_values[1])
        return True

    def acknowledge(self, seq: int) -> bool:
        """Everything up to seq is safe elsewhere. Older or impossible acknowledgements change nothing."""
        if seq <= self.seq_acked or seq > self.seq_last:
            return False
        buf = self.buf
        for i in range(RECORD_SIZE):
            buf[i] = 0
        buf[0] = MARK_MAGIC
        buf[1] = self.warning
        pack_into("<IIIH", buf, 4, seq, self.mark_generation + 1, self.round_last, self.boot_last)
        self.lanes.pack(buf, LANES_AT)
        if not self._commit((MARK_FIRST + (self.mark_generation + 1) % MARK_COUNT) * RECORD_SIZE):
            return False
        self.mark_generation += 1
        self.seq_acked = seq
        return True

    def load(self, seq: int) -> int:
        """Read event seq into buf; returns its message id, or 0 if it is not there or damaged."""
        return self._message() if self._read(self._address(seq), RECORD_MAGIC) and self._seq() == seq else 0

    def blank(self, seq: int) -> None:
        """Fill buf as an event of which nothing but its number is known."""
        buf = self.buf
        for i in range(RECORD_SIZE):
            buf[i] = 0
        self.values[0] = seq
        for i in range(1, PREFIX_VALUES):
            self.values[i] = 0
        buf[1] = pack(buf, PAYLOAD_AT, self.prefix, self.values, b"") - PAYLOAD_AT

    def payload_size(self) -> int:
        return min(self.buf[1], PAYLOAD_MAX)

    def recover(self) -> None:
        """Find the last acknowledged and the last recorded event after a boot."""
        for mark in range(MARK_COUNT):
            if self._read((MARK_FIRST + mark) * RECORD_SIZE, MARK_MAGIC):
                acked = self._u32(4)
                generation = self._u32(8)
                if generation > self.mark_generation:
                    self.mark_generation = generation
                    self.seq_acked = acked
                    self.warning = self.buf[1]
                self._remember(self._u32(12), self._u16(16))
                self._restore_mark_lanes()
        last = self.seq_acked
        for index in range(self.capacity):
            if self._read((RECORD_FIRST + index) * RECORD_SIZE, RECORD_MAGIC):
                seq = self._seq()
                if seq % self.capacity == index:
                    self._remember(self._u32(ROUND_AT), self._u16(BOOT_AT))
                    last = max(last, seq)
                    self._restore_record_lane()
        self.seq_last = last
        if self.last_of((ids.EV_WARNING_LATCHED,), (ids.EV_WARNING_CLEARED,)):
            self._note_warning(self._message())

    def last_of(self, first: "tuple[int, ...]", second: "tuple[int, ...]") -> int:
        """The newest recorded message that is in either set; 0 if none is left in the ring."""
        seq = self.seq_last
        for _ in range(self.capacity):
            if seq <= 0:
                break
            message = self.load(seq)
            if message in first or message in second:
                return message
            seq -= 1
        return 0

    def _address(self, seq: int) -> int:
        return (RECORD_FIRST + seq % self.capacity) * RECORD_SIZE

    def _commit(self, address: int) -> bool:
        pack_into("<I", self.buf, CRC_AT, crc32(self.crc_view))
        return self.storage.nv_prog(address, self.buf) and self.storage.nv_sync()

    def _read(self, address: int, magic: int) -> bool:
        ok = self.storage.nv_read(address, self.buf)
        return ok and self.buf[0] == magic and crc32(self.buf) == CRC_RESIDUE

    def _note_warning(self, message: int) -> None:
        """From the record in buf."""
        if message == ids.EV_WARNING_LATCHED:
            self.warning = self.buf[BODY_AT]
        elif message == ids.EV_WARNING_CLEARED:
            self.warning = 0

    def _restore_mark_lanes(self) -> None:
        values = self.values
        at = LANES_AT
        for role in range(1, ids.LANE_COUNT):
            at = unpack(self.buf, at, _LANE_CODES, values)
            self.lanes.restore(role, values)

    def _restore_record_lane(self) -> None:
        """Events come in any order here; the ledger keeps the latest of each lane."""
        message = self._message()
        if message == ids.EV_COMMAND_ACCEPTED or message == ids.EV_COMMAND_ENDED:
            values = self.values
            values[4] = ids.OUTCOME_ACCEPTED
            values[5] = values[6] = 0
            unpack(self.buf, BODY_AT, self.codes[message], values)
            self.lanes.restore(values[0], values[1:])

    def _seq(self) -> int:
        return self._u32(PAYLOAD_AT)

    def _message(self) -> int:
        return self._u16(2)

    def _remember(self, round_number: int, boot: int) -> None:
        self.round_last = max(self.round_last, round_number)
        self.boot_last = max(self.boot_last, boot)

    def _u16(self, at: int) -> int:
        return self.buf[at] | self.buf[at + 1] << 8

    def _u32(self, at: int) -> int:
        buf = self.buf
        return buf[at] | buf[at + 1] << 8 | buf[at + 2] << 16 | buf[at + 3] << 24
