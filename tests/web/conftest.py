"""One browser and one server for all tests of the bench page; they share a tab, since a VM takes its time to start."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest
from web.browser import Bench, browser, find_chromium, served


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slice: part of the gate")
    if importlib.util.find_spec("playwright") is None or not find_chromium():
        raise pytest.UsageError("tests/web needs Playwright and Chromium: run `make test-web`")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def shared(chromium: Any, url: str) -> Iterator[Bench]:
    bench = Bench(chromium.new_page(viewport={"width": 1280, "height": 900}), url)
    bench.open()
    yield bench
    bench.tab.close()


@pytest.fixture
def bench(shared: Bench) -> Iterator[Bench]:
    """The shared tab; a test fails if the console complained meanwhile."""
    shared.errors.clear()
    yield shared
    assert shared.errors == []
