"""The journal: a ring of event records in a hash chain, and marks that hold how far it was acknowledged.

    marks    u8 magic, warning, sensor, layout, u32 generation, acknowledged, round, u16 boot, lanes 42, head 32, CRC
    log      u8 magic, 2 zeros, layout, identity 16, u16 cells (0: not written yet by this version), zeros, CRC
    records  u8 magic, u8 payload size, u16 message, payload (event prefix, body; zeros up to 56), previous 32, CRC

The record of event n lies at index n modulo the capacity, so nothing has to be searched for. Its hash is the SHA-256 of
all of it but the CRC, and every record carries the hash of the one before: none can be altered, left out or moved
without breaking what follows. The first carries the hash of the log's identity. A torn record fails its CRC and was
never reported: the event did not happen. Unacknowledged records are never overwritten. Marks repeat the highest round
and boot numbers and the last command of every lane, so that those survive the recycling of every record that carried
them, and the hash of the acknowledged record.
"""

from hashlib import sha256
from struct import pack as pack_numbers
from struct import pack_into

from micropython import const

from firmware.digest import DIGEST_SIZE, wipe
from firmware.fault import FAULT_JOURNAL, require
from firmware.journal.cells import (
    CELL_SILENT,
    CELL_SIZE,
    CELL_WHOLE,
    CRC_AT,
    LAYOUT,
    LAYOUT_AT,
    LOG_CELL,
    MAGIC_LOG,
    MAGIC_MARK,
    MAGIC_RECORD,
    MARK_CELL,
    RECORD_CELL,
    Pair,
    cell_read,
    cell_require,
    cell_write,
    cells_clear,
    cells_require,
    cells_require_room,
    refuse,
    refuse_unreadable,
)
from firmware.journal.lanes import Lanes
from firmware.protocol import ids
from firmware.protocol.codec import pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.lanes import Lane
    from firmware.journal.seals import Sealer
    from hal.api import Hal, Storage

PAYLOAD_AT = const(4)
PAYLOAD_MAX = const(56)
PREVIOUS_AT = const(60)
LOG_SIZE = const(16)
CELLS_AT = const(20)  # in the log
PREFIX_VALUES = const(7)
BOOT_AT = const(8)  # in a record: prefix fields that recovery looks for
ROUND_AT = const(20)
DECK_AT = const(24)
BODY_AT = const(25)
SENSOR_AT = const(28)  # of a latched warning, behind its code and the cards seen
ACKED_AT = const(8)  # in a mark
LANES_AT = const(18)
HEAD_AT = const(60)
_LANE_CODES = b"\x04\x02\x04\x01\x01\x02"  # op, command, digest, outcome, reason, detail
_GENESIS = b"fairshoe log 1"

WHOLE = const(0)  # the chain is good
BROKEN_RECORD = const(1)  # a record that has to be there cannot be read
BROKEN_HASH = const(2)  # a record is not followed by its hash


def log_identity(hal: "Hal") -> bytes:
    """For a log that begins now: never that of another, whatever was in this storage before."""
    noise = bytearray(2 * DIGEST_SIZE)
    hal.entropy_into(noise)
    return sha256(noise + b"%d" % hal.unique_id()).digest()[:LOG_SIZE]


class Journal:
    """Event records by sequence number. seq_last is 0 before the first record."""

    def __init__(self, storage: "Storage", size: int, codes: "dict[int, bytes]", prefix: bytes) -> None:
        self.storage = storage
        self.capacity = size // CELL_SIZE - RECORD_CELL
        self.codes = codes
        self.prefix = prefix
        self.buf = bytearray(CELL_SIZE)
        self.hashed = memoryview(self.buf)[:CRC_AT]
        self.marks = Pair(storage, MARK_CELL, MAGIC_MARK, self.buf)
        self.log = b""  # identity
        self.head = b""  # hash of the last record
        self.sealer: "Sealer | None" = None
        self.broken = WHOLE  # what is wrong with the chain, as found at boot, and the first record it shows at
        self.broken_seq = 0
        self.seq_last = 0
        self.seq_acked = 0
        self.round_last = 0
        self.boot_last = 0
        self.warning = 0  # latched, by the newest record or mark about it; 0: none
        self.sensor = 0  # and the input it names
        self.lanes = Lanes()  # as recorded: the command runner keeps newer states itself
        self.values = [0] * 8
        self.given = True  # storage answered when a record was loaded last
        self.missed = False  # it once did not
        require(self.capacity > 0, FAULT_JOURNAL)

    def room(self) -> int:
        """How many events can be recorded before one would overwrite an unacknowledged one."""
        return self.capacity - (self.seq_last - self.seq_acked)

    def append(self, message: int, prefix_values: "list[int]", values: "list[int]", text: bytes) -> bool:
        """Record the next event durably; prefix_values[0] becomes its sequence number. False: storage failed, and the
        next try has the same number and the same hash before it."""
        require(self.room() > 0, FAULT_JOURNAL)
        prefix_values[0] = seq = self.seq_last + 1
        buf = self.buf
        wipe(buf)
        buf[0] = MAGIC_RECORD
        at = pack(buf, PAYLOAD_AT, self.prefix, prefix_values, b"")
        at = pack(buf, at, self.codes[message], values, text)
        buf[1] = at - PAYLOAD_AT
        buf[2] = message & 0xFF
        buf[3] = message >> 8
        buf[PREVIOUS_AT:CRC_AT] = self.head
        if message == ids.EV_SEALED and self.sealer is not None:
            self.sealer.sign(self.log + self.head, self.buf, at)
        if not cell_write(self.storage, self._cell(seq), MAGIC_RECORD, buf):
            return False
        self.seq_last = seq
        self.head = sha256(self.hashed).digest()
        self._note_warning(message)
        self._restore_record_lane()
        self._remember(prefix_values[5], prefix_values[1])
        return True

    def acknowledge(self, seq: int) -> bool:
        """Everything up to seq is stored by a host. Older or impossible acknowledgements change nothing. The mark
        comes first: a boot without it would send again, as damaged, what has been overwritten meanwhile."""
        done = self.seq_acked < seq <= self.seq_last and self._mark(seq)
        if done:
            self.seq_acked = seq
        return done

    def refuse(self, role: int, lane: "Lane") -> bool:
        """Store that the last number of this lane was refused: it never acts, and is answered the same way for
        ever. In the mark, since in a record each refusal would push an older event out (0029)."""
        self.lanes.by_role[role].copy(lane)
        return self._mark(self.seq_acked)

    def keep_boot(self, boot: int) -> bool:
        """Store the number of a boot that a full journal cannot record: a keyed session is offered only under a number
        that is never used again, and without a session no host could make room."""
        last = self.boot_last
        self.boot_last = max(last, boot)
        done = self._mark(self.seq_acked)
        if not done:
            self.boot_last = last
        return done

    def _mark(self, seq: int) -> bool:
        """Write a mark that says what was acknowledged up to seq."""
        head = self.head
        # The hash of a record is in the next one (0015), so seq itself need not be readable. Zeros: not known.
        if seq < self.seq_last:
            head = bytes(self.buf[PREVIOUS_AT:CRC_AT]) if self.load(seq + 1) else bytes(DIGEST_SIZE)
        buf = self.buf
        wipe(buf)
        buf[1] = self.warning
        buf[2] = self.sensor
        pack_into("<IIH", buf, ACKED_AT, seq, self.round_last, self.boot_last)
        self.lanes.pack(buf, LANES_AT)
        buf[HEAD_AT:CRC_AT] = head
        return self.marks.save()

    def load(self, seq: int) -> int:
        """Read event seq into buf; returns its message id, or 0: not there, damaged, or not `given`, which
        means that storage did not answer."""
        found = cell_read(self.storage, self._cell(seq), MAGIC_RECORD, self.buf, RECORD_CELL, self.capacity)
        self.given = found != CELL_SILENT
        self.missed = self.missed or not self.given
        return self._message() if found == CELL_WHOLE and self._seq() == seq else 0

    def blank(self, seq: int) -> None:
        """Fill buf as an event of which nothing but its number is known."""
        buf = self.buf
        wipe(buf)
        self.values[0] = seq
        for i in range(1, PREFIX_VALUES):
            self.values[i] = 0
        buf[1] = pack(buf, PAYLOAD_AT, self.prefix, self.values, b"") - PAYLOAD_AT

    def payload(self) -> memoryview:
        """Of the record in buf, as it is sent."""
        return self.hashed[PAYLOAD_AT : PAYLOAD_AT + min(self.buf[1], PAYLOAD_MAX)]

    def recover(self, hal: "Hal") -> None:
        """Find the last recorded and the last acknowledged event after a boot, and check the chain between them."""
        cells_require(self.storage)
        self._recover_records()
        identified = self._recover_log()
        if not identified and not self.seq_last:
            cells_clear(self.storage)
        head = self._recover_mark()
        if not identified:
            self._begin_log(hal)
        self._check_chain(head)
        if self.last_of((ids.EV_WARNING_LATCHED,), (ids.EV_WARNING_CLEARED,)):
            self._note_warning(self._message())

    def attested(self, sealer: "Sealer", utc_s: int) -> bytes:
        """What there is, under the seal key: the body of journal_is."""
        first = max(self.seq_last - self.capacity + 1, 1)
        return sealer.attest(pack_numbers("<III", first, self.seq_last, utc_s), self.log, self.head)

    def _recover_records(self) -> None:
        """One that cannot be read is where a torn write went if it is the next; elsewhere the chain shows it."""
        for cell in range(RECORD_CELL, RECORD_CELL + self.capacity):
            found = cell_require(self.storage, cell, MAGIC_RECORD, self.buf, RECORD_CELL, self.capacity)
            if found == CELL_WHOLE:
                self._remember(self._u32(ROUND_AT), self.u16(BOOT_AT))
                self.seq_last = max(self.seq_last, self._seq())
                self._restore_record_lane()

    def _recover_mark(self) -> bytes:
        """The hash of the last acknowledged record, if that is known."""
        head = b""
        if self.marks.load():
            self.seq_acked = self._u32(ACKED_AT)
            self.warning = self.buf[1]
            self.sensor = self.buf[2]
            self._remember(self._u32(ACKED_AT + 4), self.u16(ACKED_AT + 8))
            self._restore_mark_lanes()
            head = bytes(self.buf[HEAD_AT:CRC_AT])
        self.seq_last = max(self.seq_last, self.seq_acked)
        return head

    def _recover_log(self) -> bool:
        cells = RECORD_CELL + self.capacity
        if cell_require(self.storage, LOG_CELL, MAGIC_LOG, self.buf) != CELL_WHOLE:
            return False
        self.log = bytes(self.buf[4 : 4 + LOG_SIZE])
        made = self.u16(CELLS_AT)
        if made and made != cells:  # records lie at their number modulo the capacity
            refuse("storage of %d cells, nv.bytes gives %d" % (made, cells))
        cells_require_room(self.storage, cells * CELL_SIZE, LOG_CELL, self.buf)
        return True

    def _begin_log(self, hal: "Hal") -> None:
        """Only where nothing was ever recorded: an identity is written before the first record."""
        if self.seq_last:
            refuse_unreadable(LOG_CELL)
        cells = RECORD_CELL + self.capacity
        wipe(self.buf)
        self.log = log_identity(hal)
        self.buf[LAYOUT_AT] = LAYOUT
        self.buf[4 : 4 + LOG_SIZE] = self.log
        pack_into("<H", self.buf, CELLS_AT, cells)
        if not cell_write(self.storage, LOG_CELL, MAGIC_LOG, self.buf):
            raise OSError("no storage")  # records would lie in a log that the next start does not find

    def _check_chain(self, acked_head: bytes) -> None:
        """From the oldest record that is still there to the last: each must be followed by its hash.

        The oldest may be missing: its place is where a torn write would have gone."""
        seq = max(self.seq_last - self.capacity + 1, 1)
        head = b"" if seq > 1 else self.genesis()
        while seq <= self.seq_last:
            if not self.load(seq):
                if seq != self.seq_last - self.capacity + 1:
                    self._broke(BROKEN_RECORD, seq)
                head = acked_head if seq == self.seq_acked else b""
            else:
                if head and bytes(self.buf[PREVIOUS_AT:CRC_AT]) != head:
                    self._broke(BROKEN_HASH, seq)
                head = sha256(self.hashed).digest()
                if seq == self.seq_acked and any(acked_head) and head != acked_head:
                    self._broke(BROKEN_HASH, seq)  # the last one may have none after it that would show it
            seq += 1
        self.head = head or bytes(DIGEST_SIZE)

    def _broke(self, what: int, seq: int) -> None:
        if not self.broken:
            self.broken = what
            self.broken_seq = seq

    def genesis(self) -> bytes:
        """What the first record carries in place of a hash."""
        return sha256(_GENESIS + self.log).digest()

    def last_of(self, first: "tuple[int, ...]", second: "tuple[int, ...]", faulty: int = 0) -> int:
        """The newest recorded message that is in either set; 0 if none is left in the ring. One of `faulty` counts only
        if a warning is its cause."""
        for seq in range(self.seq_last, max(self.seq_last - self.capacity, 0), -1):
            message = self.load(seq)
            if (message in first or message in second) and (message != faulty or self.buf[BODY_AT]):
                return message
        return 0

    def _cell(self, seq: int) -> int:
        return RECORD_CELL + seq % self.capacity

    def _note_warning(self, message: int) -> None:
        """From the record in buf."""
        if message == ids.EV_WARNING_LATCHED:
            self.warning = self.buf[BODY_AT]
            self.sensor = self.buf[SENSOR_AT]
        elif message == ids.EV_WARNING_CLEARED:
            self.warning = self.sensor = 0

    def _restore_mark_lanes(self) -> None:
        values = self.values
        at = LANES_AT
        for role in range(1, ids.LANE_COUNT):
            at = unpack(self.buf, at, _LANE_CODES, values)
            self.lanes.restore(role, values)

    def _restore_record_lane(self) -> None:
        """At a boot events come in the order of their cells; the ledger keeps the latest of each lane."""
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
        return self.u16(2)

    def _remember(self, round_number: int, boot: int) -> None:
        self.round_last = max(self.round_last, round_number)
        self.boot_last = max(self.boot_last, boot)

    def u16(self, at: int) -> int:
        return self.buf[at] | self.buf[at + 1] << 8

    def _u32(self, at: int) -> int:
        buf = self.buf
        return buf[at] | buf[at + 1] << 8 | buf[at + 2] << 16 | buf[at + 3] << 24
