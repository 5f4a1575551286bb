"""Sign what the journal holds, when a host asks: a step a scan, while nothing moves.

    cell     u8 magic, 3 zeros, u16 generation, 2 zeros, seed 32, public key 32, zeros, u32 CRC
    signed   "fairshoe signed journal 1" | device u32 | journal_signed up to its mac

The seed is made here, of the board's noise, and never leaves: the host that provisions a device knows its key, and not
this one. A signing key belongs to one generation of the device key. It is made when it is first needed, and its public
key is on record before it signs: power that is lost between record and cell costs a key that has signed nothing.
"""

from struct import pack_into, unpack_from

from micropython import const

from firmware.deck.entropy import Entropy
from firmware.digest import wipe
from firmware.journal.cells import (
    BODY_AT,
    CELL_SILENT,
    CELL_SIZE,
    CELL_WHOLE,
    MAGIC_SIGNING,
    SIGNING_CELL,
    cell_read,
    cell_write,
)
from firmware.journal.seals import ATTESTED_SIZE
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generator

    from firmware.games.flow import Flow
    from firmware.journal.seals import Sealer
    from firmware.journal.store import Journal
    from hal.api import Config, Hal

ROOM_MIN = const(4)  # records: what is still posted, the key and a seal
_GENERATION_AT = const(4)
_PUBLIC_AT = const(40)
_PUBLIC_END = const(72)
_PUBLIC_SIZE = const(32)
_SEED_SIZE = const(32)
_LABEL = b"fairshoe signed journal 1"


class Signer:
    """`work` is under way while there is some; `answer` is the body of journal_signed after that."""

    def __init__(self, hal: "Hal", config: "Config", flow: "Flow", journal: "Journal", sealer: "Sealer") -> None:
        self.hal = hal
        self.noise: "Config" = config["entropy"]
        self.flow = flow
        self.journal = journal
        self.sealer = sealer
        self.label = _LABEL + hal.unique_id().to_bytes(4, "little")
        self.cell = bytearray(CELL_SIZE)
        self.work: "Generator[None, None, None] | None" = None
        self.utc_s = 0
        self.answer = b""
        self.given = False  # storage gave its cell at the last read

    def ask(self) -> None:
        if self.work is None:
            self.work = self._steps()

    def step(self, utc_s: int) -> bool:
        """Work on, once everything that happened is recorded. True: the answer is ready."""
        self.utc_s = utc_s
        try:
            if self.work is not None:
                next(self.work)
            return False
        except StopIteration:
            self.work = None
            return True

    def _steps(self) -> "Generator[None, None, None]":
        from firmware.signing.ed25519 import sign  # here, as it takes 3.6 KB of the heap from then on

        yield
        sealer = self.sealer
        generation = -1
        found = False
        while generation != sealer.keys.generation():  # the device key may change while this one is made
            generation = sealer.keys.generation()
            found = self._load(generation)
            # A read that failed is no missing key: a new one would take the place of the one on record.
            if not found and self.given and (yield from self._make(generation)):
                found = self._load(generation)
        attested = self.journal.attested(sealer, self.utc_s)
        cell = self.cell
        public = bytes(cell[_PUBLIC_AT:_PUBLIC_END]) if found else bytes(_PUBLIC_SIZE)
        signature = b""
        if found:
            message = self.label + attested[:ATTESTED_SIZE]
            signature = yield from sign(cell[BODY_AT:_PUBLIC_AT], public, message)
        wipe(cell)
        self.answer = attested + public + signature

    def _load(self, generation: int) -> bool:
        """The key of this generation of the device key into the cell."""
        found = cell_read(self.hal, SIGNING_CELL, MAGIC_SIGNING, self.cell)
        self.given = found != CELL_SILENT
        return found == CELL_WHOLE and unpack_from("<H", self.cell, _GENERATION_AT)[0] == generation

    def _make(self, generation: int) -> "Generator[None, None, bool]":
        """Make a key, record its public key, then store it. Only between rounds: the first of the steps tests the noise
        source again, 0.2 s on an RP2040. False: no key, for lack of noise, room or storage."""
        from firmware.signing.ed25519 import public_key

        cell = self.cell
        wipe(cell)
        if self.flow.round_open or self.flow.room < ROOM_MIN:
            return False
        entropy = Entropy(self.hal, self.noise)
        while not entropy.gather():
            yield
        seed = bytearray(_SEED_SIZE)
        if not entropy.seed_into(seed):
            return False
        public = yield from public_key(seed)
        if generation != self.sealer.keys.generation():
            return False
        self.flow.outbox.post(ids.EV_SIGNING_KEY, generation, text=public)
        yield
        pack_into("<H", cell, _GENERATION_AT, generation)
        cell[BODY_AT:_PUBLIC_AT] = seed
        cell[_PUBLIC_AT:_PUBLIC_END] = public
        wipe(seed)
        return cell_write(self.hal, SIGNING_CELL, MAGIC_SIGNING, cell)
