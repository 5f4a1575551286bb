"""Storage in a file, and a simulated one that is kept there."""

import os

from support import raises, refusal

from hal.disk import Disk
from hal.sim.nv import Nv, PowerCut
from hal.sim.persistent_nv import PersistentNv

PATH = "test_disk.tmp"
CELL = bytes(range(96))


def _gone():
    try:
        os.remove(PATH)
    except OSError:
        pass


def _size():
    return os.stat(PATH)[6]


def test_what_was_written_is_there_when_it_is_opened_again():
    _gone()
    disk = Disk(PATH, 960)
    buf = bytearray(96)
    assert disk.nv_read(864, buf) and buf == bytes(96)
    assert disk.nv_erase(0, 960) and disk.nv_prog(864, bytearray(CELL)) and disk.nv_sync()
    disk.close()
    disk = Disk(PATH, 960)
    assert disk.nv_read(864, buf) and buf == CELL
    assert disk.nv_read(0, buf) and buf == bytes(96)
    disk.close()
    assert _size() == 960
    _gone()


def test_a_file_of_another_size_is_refused_and_left_alone():
    _gone()
    for size in (0, 959, 961):
        with open(PATH, "wb") as file:
            file.write(b"x" * size)
        said = refusal(ValueError, Disk, PATH, 960)
        assert said == "test_disk.tmp has %d bytes, and this storage 960" % size
        assert _size() == size
    _gone()


def test_a_folder_is_no_storage():
    assert raises(OSError, Disk, ".", 960)


def test_a_kept_storage_begins_where_the_last_one_ended():
    _gone()
    disk = Disk(PATH, 640, 32)
    nv = PersistentNv(640, disk)
    assert nv.prog(64, bytearray(CELL[:64])) and nv.prog(288, bytearray(CELL))
    assert isinstance(nv, Nv) and nv.writes == 2
    disk.close()
    disk = Disk(PATH, 640, 32)
    assert PersistentNv(640, disk).data == nv.data and nv.data[64:128] == CELL[:64] and nv.data[288:384] == CELL
    disk.close()
    _gone()


def test_a_cut_write_is_kept_as_far_as_it_came_and_a_broken_one_not_at_all():
    _gone()
    disk = Disk(PATH, 640, 32)
    nv = PersistentNv(640, disk)
    nv.cut_at = 0
    nv.cut_bytes = 50
    assert raises(PowerCut, nv.prog, 96, bytearray(CELL))
    nv.broken = True
    assert not nv.prog(0, bytearray(CELL))
    disk.close()
    disk = Disk(PATH, 640, 32)
    kept = PersistentNv(640, disk).data
    assert kept[96:146] == CELL[:50] and kept[146:] == bytes(494) and kept[:96] == bytes(96)
    disk.close()
    _gone()
