"""Workloads on a simulated flash chip, and the chip as it was at any operation of one, cut."""

from hal.flash import Flash
from hal.sim.nor import AFTER, BEFORE, MIDDLE, Nor
from hal.sim.nv import PowerCut
from hal.sim.rng import mix

CELLS = 20
BLOCKS = 18
CELL = 96
BLANK = b"\xff" * CELL


def content(seed, number, turn):
    """Bytes that tell which write of which cell they come from."""
    data = bytearray(CELL)
    for i in range(CELL):
        data[i] = mix(seed + number, turn, i) & 0xFF
    return bytes(data)


def start(chip):
    return Flash(chip, chip.blocks, CELLS * CELL)


def read(flash, number):
    buf = bytearray(CELL)
    assert flash.nv_read(number * CELL, buf)
    return bytes(buf)


class Workload:
    """Random programs, mostly of few cells and seldom of some, and calls of nv_erase in between; remembers what was
    done at which operation of the chip."""

    def __init__(self, chip, flash, seed, known=None):
        self.chip = chip
        self.flash = flash
        self.seed = seed
        self.known = dict(known or {})  # cell: content, as of the last program that returned
        self.steps = []  # operations before it, cell or -1, its new content, what was known
        self.turn = 0

    def run(self, turns):
        for _ in range(turns):
            self.step()

    def step(self):
        self.turn += 1
        luck = mix(self.seed, 77, self.turn)
        if luck % 5 == 0:
            self.steps.append((self.chip.operations, -1, b"", dict(self.known)))
            self.flash.nv_erase(0, (luck >> 8) % 30 * CELL)
            return
        number = (luck >> 8) % (12 if luck >> 16 & 1 else 3)
        if luck % 23 == 0:
            number = 12 + (luck >> 8) % (CELLS - 12)
        self.prog(number)

    def prog(self, number):
        data = content(self.seed, number, self.turn)
        self.steps.append((self.chip.operations, number, data, dict(self.known)))
        assert self.flash.nv_prog(number * CELL, bytearray(data)) and self.flash.nv_sync()
        self.known[number] = data

    def at(self, operation):
        """The step during which this operation was done."""
        found = self.steps[0]
        for step in self.steps:
            if step[0] > operation:
                break
            found = step
        return found


def cuts(base, log, first, hows=(BEFORE, MIDDLE, AFTER)):
    """For every operation of a log: its number, and the chip cut before, in and after it."""
    chip = base.copy()
    for i in range(len(log)):
        for how in hows:
            cut = chip.copy()
            cut.cut_at = first + i
            cut.cut_how = how
            try:
                repeat(cut, log[i])
            except PowerCut:
                pass
            yield first + i, how, cut
        repeat(chip, log[i])


def repeat(chip, operation):
    block, page, data = operation
    if page < 0:
        chip.ioctl(6, block)
    else:
        chip.writeblocks(block, data, page * 256)


def check(flash, step, where):
    """Every cell is as it was when its last program returned; the one in the making may be the new one. What it was."""
    _, number, data, known = step
    took = False
    for cell in range(CELLS):
        found = read(flash, cell)
        if cell == number and found == data:
            took = True
        else:
            assert found == known.get(cell, BLANK), "%s: cell %d is neither old nor new" % (where, cell)
    return took


def recorded(seed, before, turns):
    """A chip on which a workload ran, with a log of its last turns; the workload; the chip as it was before them."""
    chip = Nor(BLOCKS, seed)
    work = Workload(chip, start(chip), seed)
    for number in range(CELLS):
        work.prog(number)
    work.run(before)
    base = chip.copy()
    chip.log = []
    work.steps = []
    work.run(turns)
    # All that can happen is in there: erases, and cells that are moved.
    assert {"erase" if page < 0 else data[0] for _, page, data in chip.log} == {"erase", 0xF4, 0xF5}
    return chip, work, base
