"""The contract of storage, held by the back ends that are no board's default: flash, and a file on a host."""

import sys

from drivers import DiskDriver, FlashDriver, Rp2Driver
from promises import hold

hold(FlashDriver, __name__, ("storage",))


def test_a_file_keeps_the_contract_too():
    """All of it in one test, since the names are taken."""
    held = Kept()
    sys.modules["kept"] = held
    hold(DiskDriver, "kept", ("storage",))
    names = [name for name in dir(held) if name.startswith("test_")]
    assert len(names) >= 6
    for name in names:
        getattr(held, name)()
    del sys.modules["kept"]
    import os

    for driver in DiskDriver.made:
        driver.close()
        os.remove(driver.path)
        folder = driver.path.rpartition("/")[0]
        if folder:  # none in the VM's own file system
            os.rmdir(folder)


class Kept:
    """Stands for a module."""


def test_a_board_with_fram_never_asks_for_flash_nor_the_other_way_round():
    for driver, other in ((Rp2Driver, "hal.rp2.onboard"), (FlashDriver, "hal.board.fram")):
        for name in list(sys.modules):
            if name.startswith(("hal.rp2", "hal.board")):
                del sys.modules[name]
        driver.with_cells("shoe", 3840)
        assert other not in sys.modules
