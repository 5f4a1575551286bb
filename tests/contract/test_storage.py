"""What hal/api.py promises of storage, of every back end: simulated, FRAM and flash on a fake board, a file."""

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drivers import Rp2Driver, SimDriver
from fram_chip import BP_ALL
from test_hal import board

from hal.disk import Disk
from hal.sim.nor import Nor

CELL = 96
CELLS = 40
FLASH = {"kind": "flash", "start": 1 << 20, "blocks": 21, "bytes": CELLS * CELL}
BLANKS = (bytes(CELL), b"\xff" * CELL)


class Backend:
    """A storage that can be made again over what the last one left."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.patch = patch
        self.folder = folder
        self.driver: Any = None
        self.storage: Any = None
        self.restart()

    def config(self) -> dict[str, Any]:
        config = board("shoe")
        config["nv"]["bytes"] = CELLS * CELL
        return config

    def restart(self) -> None:
        if self.driver is None:
            self.driver = self.make()
        else:
            self.driver.restart()
        self.storage = self.driver.hal

    def make(self) -> Any:
        raise NotImplementedError

    def fail(self) -> None:
        """From now on nothing can be written."""
        raise NotImplementedError

    def read(self, number: int) -> bytes:
        buf = bytearray(CELL)
        assert self.storage.nv_read(number * CELL, buf)
        return bytes(buf)

    def prog(self, number: int, data: bytes) -> bool:
        return self.storage.nv_prog(number * CELL, bytearray(data))


class Simulated(Backend):
    def make(self) -> SimDriver:
        return SimDriver(self.config(), 7, self.patch)

    def fail(self) -> None:
        self.driver.nv.broken = True


class OnFram(Backend):
    def make(self) -> Rp2Driver:
        return Rp2Driver(self.config(), 7, self.patch)

    def fail(self) -> None:
        self.driver.world.fram.status |= BP_ALL


class OnFlash(OnFram):
    def config(self) -> dict[str, Any]:
        return {**super().config(), "nv": FLASH}

    @property
    def chip(self) -> Nor:
        return self.driver.world.nor

    def fail(self) -> None:
        self.chip.worn[:] = b"\1" * self.chip.blocks


class InAFile(Backend):
    def restart(self) -> None:
        if self.storage is not None:
            self.storage.close()
        self.storage = Disk(str(self.folder / "storage"), CELLS * CELL)

    def fail(self) -> None:
        # Any write to this device fails for want of space; what was read before stays open to nobody.
        self.storage._file = os.fdopen(os.open("/dev/full", os.O_RDWR), "r+b", buffering=0)


KINDS = (Simulated, OnFram, OnFlash, InAFile)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Backend:
    return request.param(monkeypatch, tmp_path)


def refused(call: Callable[[], bool]) -> bool:
    """The simulated storage raises, so that a mistake of the firmware does not pass for a failing chip."""
    try:
        return not call()
    except IndexError:
        return True


def test_a_cell_never_written_reads_as_no_record(backend: Backend) -> None:
    assert all(backend.read(number) in BLANKS for number in range(CELLS))


def test_cells_are_written_in_any_order_over_anything_and_stay(backend: Backend) -> None:
    rng = random.Random(20260)
    print("seed 20260")
    known: dict[int, bytes] = {}
    for turn in range(300):
        number = rng.randrange(CELLS) if turn % 2 else rng.randrange(3)
        known[number] = rng.randbytes(CELL)
        assert backend.prog(number, known[number]) and backend.storage.nv_sync()
        if turn % 70 == 69:
            backend.restart()
            for cell in range(CELLS):
                assert backend.read(cell) == known[cell] if cell in known else backend.read(cell) in BLANKS
    both = bytearray(2 * CELL)
    assert backend.storage.nv_read(0, both) and bytes(both) == known[0] + known[1]


def test_zeros_and_ones_are_content_like_any_other(backend: Backend) -> None:
    for data in (*BLANKS, bytes(range(CELL)), *BLANKS):
        assert backend.prog(5, data) and backend.storage.nv_sync()
        assert backend.read(5) == data


def test_what_is_not_there_is_refused(backend: Backend) -> None:
    storage, cell = backend.storage, bytearray(CELL)
    for address in (-CELL, CELLS * CELL, CELLS * CELL - 1, 10 * CELLS * CELL):
        assert refused(lambda address=address: storage.nv_prog(address, cell))
        assert refused(lambda address=address: storage.nv_read(address, cell))
    assert refused(lambda: storage.nv_read((CELLS - 1) * CELL, bytearray(2 * CELL)))
    assert all(backend.read(number) in BLANKS for number in range(CELLS))


def test_it_gets_ready_when_asked_often_enough_and_loses_nothing_by_it(backend: Backend) -> None:
    for number in range(CELLS):
        assert backend.prog(number, bytes((number,)) * CELL)
    assert any(backend.storage.nv_erase(0, CELLS * CELL) for _ in range(12))
    assert [backend.read(number)[0] for number in range(CELLS)] == list(range(CELLS))


def test_what_cannot_be_written_is_said_and_what_was_there_is_kept(backend: Backend) -> None:
    assert backend.prog(2, b"a" * CELL) and backend.storage.nv_sync()
    backend.fail()
    for data in (b"b" * CELL, *BLANKS):
        done = backend.prog(2, data) and backend.storage.nv_sync()
        assert not done
    backend.restart()
    assert backend.read(2) == b"a" * CELL


# -- FRAM --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def fram(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> OnFram:
    return OnFram(monkeypatch, tmp_path)


@pytest.mark.parametrize("floats", [0x00, 0xFF])
def test_a_bus_without_a_chip_keeps_nothing_and_is_no_empty_storage(fram: OnFram, floats: int) -> None:
    assert fram.prog(1, b"x" * CELL)
    world = fram.driver.world
    world.fram_there, world.fram_floats = False, floats
    for data in (*BLANKS, b"x" * CELL):
        assert not fram.prog(1, data)
        assert not fram.storage.nv_read(CELL, bytearray(CELL))
    fram.restart()
    assert not fram.storage.nv_read(CELL, bytearray(CELL))
    world.fram_there = True
    assert fram.prog(3, b"y" * CELL) and fram.read(1) == b"x" * CELL


def test_a_cut_leaves_a_prefix_of_the_new_cell_and_no_other_cell_changed(fram: OnFram) -> None:
    chip = fram.driver.world.fram
    for number in range(CELLS):
        assert fram.prog(number, b"o" * CELL)
    for size in (0, 1, 50, CELL - 1):
        chip.cut_after = size
        assert not fram.prog(7, b"n" * CELL)
        chip.cut_after = -1
        fram.restart()
        assert fram.read(7) == b"n" * size + b"o" * (CELL - size)
        assert all(fram.read(number) == b"o" * CELL for number in range(CELLS) if number != 7)
        assert fram.prog(7, b"o" * CELL)


@pytest.mark.parametrize("size", [32768, 65536, 131072])
def test_the_width_of_an_address_follows_the_size(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    config = board("shoe")
    config["nv"]["bytes"] = size
    driver = Rp2Driver(config, 7, monkeypatch)
    last = bytearray(b"last" * 24)
    assert driver.hal.nv_prog(size - CELL, last) and driver.world.fram.data[-CELL:] == last
    assert driver.hal.nv_prog(0, bytearray(CELL)) and driver.world.fram.data[-CELL:] == last


# -- flash -------------------------------------------------------------------------------------------------------------


def test_flash_that_the_file_system_reaches_into_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    flash = OnFlash(monkeypatch, tmp_path)
    flash.driver.world.files_bytes = FLASH["start"]
    flash.restart()
    flash.driver.world.files_bytes = 1408 * 1024  # what a stock MicroPython mounts
    with pytest.raises(ValueError, match=r"nv\.start 1048576: the file system has 1441792 bytes"):
        flash.restart()


def test_a_board_with_fram_never_asks_for_flash_nor_the_other_way_round(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for kind, other in ((OnFram, "hal.rp2.onboard"), (OnFlash, "hal.board.fram")):
        kind(monkeypatch, tmp_path)
        assert other not in sys.modules
