"""Fixtures that tests of the table system share."""

from collections.abc import Generator
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from running_tables import start_meters

from fairshoe.client import share_store
from fairshoe_table.books.books import Books


@pytest.fixture(autouse=True)
def share_of_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same share in each run: else a hand that a test enters may be one that was dealt."""
    monkeypatch.setattr(share_store, "secrets", SimpleNamespace(token_bytes=Random(3).randbytes))


@pytest.fixture
def books(tmp_path: Path) -> Generator[Books]:
    """Books with meters."""
    with Books(tmp_path / "books.db") as it:
        start_meters(it)
        yield it
