"""A used device that starts with bits flipped in reads of its storage, on their way from the chip or the file.

It has events that no host has, in a ring that went round, a refused command, a key that was changed, meters, facts, and
the reason of a halt. A start with flipped bits is right if it ends as one without any: it knows the same, and its
storage holds the same cells.
"""

import os

from services import KEY, NEW_KEY, device
from support import act

from firmware.app import App
from firmware.image import INPUTS
from firmware.journal.cells import CELL_SIZE, RECORD_CELL
from firmware.journal.halts import halt_store
from firmware.journal.keys import Keys
from firmware.protocol import ids
from hal.disk import Disk
from hal.flash import Flash, blocks_min
from hal.sim.nor import Nor
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import SimHal
from rig.games import load_profile
from rig.rig import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Flips = Callable[[int, int], tuple[int, ...]]

RECORDS = 48
SIZE = (RECORD_CELL + RECORDS) * CELL_SIZE
KINDS = ("fram", "flash", "file")
PATH = "wrong_bits.%d.tmp" % (os.getpid() if hasattr(os, "getpid") else 0)  # tests may run side by side
# Where fields begin, in bytes: of a cell, and of a page of flash.
CELL_FIELDS = (0, 1, 2, 4, 8, 25, 60, 92, 96)
PAGE_FIELDS = (0, 1, 2, 4, 8, 12, 108, 112)


class Bits:
    """`flips` says which bits are wrong in a read, by its number, counted from 0, and its size."""

    def __init__(self, flips: "Flips") -> None:
        self.flips = flips
        self.sizes: "list[int]" = []

    def spoil(self, buf):
        for bit in self.flips(len(self.sizes), len(buf)):
            buf[bit >> 3] ^= 1 << (bit & 7)
        self.sizes.append(len(buf))


def none(_read: int, _size: int) -> "tuple[int, ...]":
    return ()


def at_reads(wrong: "dict[int, tuple[int, ...]]") -> "Flips":
    """These bits in these reads."""
    return lambda read, _size: wrong.get(read, ())


class Fram:
    """The four verbs over the bytes of a cell storage."""

    def __init__(self, nv, bits):
        self.nv = nv
        self.bits = bits
        self.silent = -1  # the read that is not answered

    def nv_read(self, address, buf):
        wrong, bit = self.strayed
        if wrong == len(self.bits.sizes):
            self.nv.read((address // CELL_SIZE ^ 1 << bit) % (RECORD_CELL + RECORDS) * CELL_SIZE, buf)
        if wrong != len(self.bits.sizes) or not any(buf):  # hal/board/fram.py reads again what begins like a blank cell
            self.nv.read(address, buf)
        self.bits.spoil(buf)
        return len(self.bits.sizes) - 1 != self.silent

    def nv_prog(self, address, buf):
        return self.nv.prog(address, buf)

    def nv_erase(self, address, size):
        return True

    def nv_sync(self):
        return True


class File(Disk):
    """What the medium does is not the point here, and takes its time."""

    def __init__(self, bits):
        Disk.__init__(self, PATH, SIZE)
        self.bits = bits

    def nv_sync(self):
        self._file.flush()
        return True

    def nv_read(self, address, buf):
        found = Disk.nv_read(self, address, buf)
        self.bits.spoil(buf)
        return found


class SpoiledChip:
    """Its programs and erases are those of the chip."""

    def __init__(self, chip, bits):
        self.chip = chip
        self.bits = bits
        self.writeblocks = chip.writeblocks
        self.ioctl = chip.ioctl

    def readblocks(self, block, buf, offset):
        self.chip.readblocks(block, buf, offset)
        self.bits.spoil(buf)


def fields_of(size):
    return PAGE_FIELDS if size > CELL_SIZE else CELL_FIELDS


def used_cells():
    """What such a device has in its storage."""
    stage = device(KEY, RECORDS)
    hal = stage.rig.hal
    assert Keys(hal).store(NEW_KEY)
    stage.act("boot", {})
    stage.peer.key = NEW_KEY
    app = stage.rig.app
    while app.journal.seq_last < RECORDS + RECORDS // 2:
        app.outbox.post(ids.EV_CLOCK_SET)
        stage.run(50)
        app.journal.acknowledge(app.journal.seq_last)
    stage.rig.deliver = None
    act(stage, 400, "open")
    act(stage, 400, "close")
    lane = app.journal.lanes.by_role[ids.ROLE_TABLE]
    lane.op, lane.command, lane.outcome = 77, 5, ids.OUTCOME_REJECTED
    assert app.journal.refuse(ids.ROLE_TABLE, lane)
    app.flow.facts.row[3] = 9
    assert app.recorder.book_store.save(app.flow.facts.row, app.journal.seq_last - 2)
    app.flow.meters.values[0] = 1234
    for _ in range(2):
        assert app.meter_store.save(app.flow.meters.values)
    halt_store(hal, app.boot, "MemoryError")
    assert app.journal.seq_last > app.journal.seq_acked + 1
    return bytes(stage.rig.nv.data)


class Used:
    """Starts of one such device, whose storage is of one kind. `profile` and `config` are made once."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.cells = used_cells()
        stage = device(KEY, RECORDS)
        self.config = stage.rig.config
        self.profile = load_profile(stage.rig.game)
        if kind == "flash":
            self.chip = Nor(blocks_min(SIZE // CELL_SIZE), 1)
            flash = Flash(self.chip, self.chip.blocks, SIZE)
            for address in range(0, SIZE, CELL_SIZE):
                cell = bytearray(self.cells[address : address + CELL_SIZE])
                assert not any(cell) or flash.nv_prog(address, cell)
        self.good: "Any" = self.start(none)
        self.sizes = list(self.bits.sizes)  # of the reads of a start without flipped bits

    def storage(self, bits):
        if self.kind == "flash":
            self.worked = self.chip.copy()
            return Flash(SpoiledChip(self.worked, bits), self.worked.blocks, SIZE)
        if self.kind == "file":
            with open(PATH, "wb") as file:
                file.write(self.cells)
            return File(bits)
        self.nv = Nv(SIZE)
        self.nv.data[:] = self.cells
        return Fram(self.nv, bits)

    def start(self, flips: "Flips") -> "Any":
        """What the device knows when it has started and when it has recorded that, and what its storage holds then."""
        return self.finish(*self.begin(flips))

    def finish(self, app: App, plant: Plant, hal: SimHal) -> "Any":
        knows = known(app)
        for _ in range(6):
            plant.advance(plant.now_us + 60000)
            app.scan(hal.ticks_ms())
        assert app.outbox.count == 0
        return knows, known(app), self.content()

    def begin(
        self, flips: "Flips", strayed: "tuple[int, int]" = (-1, 0), silent: int = -1
    ) -> "tuple[App, Plant, SimHal]":
        """`strayed`: of a read of cells, one bit of their number is wrong."""
        self.bits = Bits(flips)
        plant = Plant(self.config, INPUTS, 7)
        hal = SimHal(plant, Nv(0))
        storage = self.storage(self.bits)
        storage.strayed, storage.silent = strayed, silent
        hal.nv_read = storage.nv_read
        hal.nv_prog = storage.nv_prog
        hal.nv_erase = storage.nv_erase
        hal.nv_sync = storage.nv_sync
        return App(hal, self.config, self.profile, 0, WORDS), plant, hal

    def content(self):
        """All cells, after a start that reads well; those never written are zeros."""
        if self.kind == "fram":
            return bytes(self.nv.data)
        if self.kind == "file":
            with open(PATH, "rb") as file:
                return file.read()
        flash = Flash(self.worked, self.worked.blocks, SIZE)
        cells = bytearray(SIZE)
        flash.nv_read(0, cells)
        return bytes(cells)

    def close(self) -> None:
        if self.kind == "file":
            os.remove(PATH)


def known(app: App) -> "Any":
    journal = app.journal
    lanes = [(a.op, a.command, a.digest, a.outcome, a.reason, a.detail) for a in journal.lanes.by_role]
    return (
        (journal.log, journal.seq_last, journal.seq_acked, journal.head, journal.broken),
        (journal.round_last, journal.boot_last, journal.warning, journal.sensor, lanes),
        (app.link.key, app.service.keys.generation(), list(app.flow.meters.values), bytes(app.flow.facts.row)),
    )
