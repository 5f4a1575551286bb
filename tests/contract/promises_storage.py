"""What every port promises of storage: cells that keep their content, whatever back end."""

from promises import ROLLERS, promise

from hal.sim.rng import mix

CELL = 96
CELLS = 40
BLANKS = (bytes(CELL), b"\xff" * CELL)


class Cells:
    """The storage of a board, cell by cell."""

    def __init__(self, board):
        self.board = board

    @property
    def verbs(self):
        return self.board.hal

    def read(self, number):
        buf = bytearray(CELL)
        assert self.verbs.nv_read(number * CELL, buf)
        return bytes(buf)

    def prog(self, number, data):
        return self.verbs.nv_prog(number * CELL, bytearray(data))


def _cells(driver, kind):
    return Cells(driver.with_cells(kind, CELLS * CELL))


def _refused(verb, *arguments):
    """The simulated storage raises, so that a mistake of the firmware does not pass for a failing chip."""
    try:
        return not verb(*arguments)
    except IndexError:
        return True


@promise(ROLLERS, "storage")
def a_cell_never_written_reads_as_no_record(driver, kind):
    cells = _cells(driver, kind)
    for number in range(CELLS):
        assert cells.read(number) in BLANKS


@promise(ROLLERS, "storage")
def cells_are_written_in_any_order_over_anything_and_stay(driver, kind):
    seed = 20260
    print("seed", seed)
    cells = _cells(driver, kind)
    known = {}
    for turn in range(60):
        number = mix(seed, 2, turn) % (CELLS if turn % 2 else 3)
        known[number] = bytes([mix(seed, turn, i) & 0xFF for i in range(CELL)])
        assert cells.prog(number, known[number]) and cells.verbs.nv_sync()
        if turn % 20 == 19:
            cells.board.restart()
            for cell in range(CELLS):
                assert cells.read(cell) == known[cell] if cell in known else cells.read(cell) in BLANKS
    both = bytearray(2 * CELL)
    assert cells.verbs.nv_read(0, both) and bytes(both) == known[0] + known[1]


@promise(ROLLERS, "storage")
def zeros_and_ones_are_content_like_any_other(driver, kind):
    cells = _cells(driver, kind)
    for data in BLANKS + (bytes(range(CELL)),) + BLANKS:
        assert cells.prog(5, data) and cells.verbs.nv_sync()
        assert cells.read(5) == data


@promise(ROLLERS, "storage")
def what_is_not_there_is_refused(driver, kind):
    cells = _cells(driver, kind)
    verbs, cell = cells.verbs, bytearray(CELL)
    for address in (-CELL, CELLS * CELL, CELLS * CELL - 1, 10 * CELLS * CELL):
        assert _refused(verbs.nv_prog, address, cell)
        assert _refused(verbs.nv_read, address, cell)
    assert _refused(verbs.nv_read, (CELLS - 1) * CELL, bytearray(2 * CELL))
    for number in range(CELLS):
        assert cells.read(number) in BLANKS


@promise(ROLLERS, "storage")
def it_gets_ready_when_asked_often_enough_and_loses_nothing_by_it(driver, kind):
    cells = _cells(driver, kind)
    for number in range(CELLS):
        assert cells.prog(number, bytes((number,)) * CELL)
    assert any(cells.verbs.nv_erase(0, CELLS * CELL) for _ in range(12))
    for number in range(CELLS):
        assert cells.read(number)[0] == number


@promise(ROLLERS, "storage")
def what_cannot_be_written_is_said_and_what_was_there_is_kept(driver, kind):
    cells = _cells(driver, kind)
    assert cells.prog(2, b"a" * CELL) and cells.verbs.nv_sync()
    cells.board.fail_storage()
    for data in (b"b" * CELL,) + BLANKS:
        assert not (cells.prog(2, data) and cells.verbs.nv_sync())
    cells.board.restart()
    assert cells.read(2) == b"a" * CELL
