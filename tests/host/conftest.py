"""What several test files of the host share."""

from pathlib import Path

import pytest

from fairshoe.keys import write_key
from fairshoe.observe import discovery
from fairshoe.sim import running_shoes


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A device key of 32 bytes, 0 to 31."""
    path = tmp_path / "device.key"
    write_key(path, "device", bytes(range(32)))
    return path


@pytest.fixture
def nothing_attached(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without serial devices and without simulated shoes, whatever runs on the real one."""
    monkeypatch.setattr(discovery, "find_serial", list)
    monkeypatch.setattr(running_shoes, "running", list)
