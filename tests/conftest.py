"""Makes the device packages importable in every test, and builds what a board ships once for all of them."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from fairshoe import _device

_device.load()

# Whoever tests has a shoe of their own, perhaps.
for _name in [name for name in os.environ if name.startswith("FAIRSHOE_")]:
    del os.environ[_name]

# A shell that runs the tests in the background has Ctrl-C ignored, and every program they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from fairshoe.ship.build import Shipped  # noqa: E402


@pytest.fixture(scope="session")
def ship_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[Shipped], Path]]:
    """What a board ships, and the folder with its files: a build takes seconds. Leave the folder as it is."""
    import size

    built: dict[str, tuple[list[Shipped], Path]] = {}

    def once(board: str) -> tuple[list[Shipped], Path]:
        if board not in built:
            folder = tmp_path_factory.mktemp(board)
            built[board] = (size.ship(board, folder), folder)
        return built[board]

    return once
