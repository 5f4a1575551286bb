"""What several test files of the host share."""

from pathlib import Path

import pytest

from fairshoe.keys import write_key


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A device key of 32 bytes, 0 to 31."""
    path = tmp_path / "device.key"
    write_key(path, "device", bytes(range(32)))
    return path
