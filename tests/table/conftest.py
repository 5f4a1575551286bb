"""Fixtures that tests of the table system share."""

from collections.abc import Generator
from pathlib import Path

import pytest
from running_tables import start_meters

from fairshoe_table.books.books import Books


@pytest.fixture
def books(tmp_path: Path) -> Generator[Books]:
    """Books with meters."""
    with Books(tmp_path / "books.db") as it:
        start_meters(it)
        yield it
