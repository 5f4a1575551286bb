"""One browser and one server for all tests of the bench page; they share a tab, since a VM takes its time to start."""

from __future__ import annotations

import base64
import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from web.browser import ROOT, Bench, browser, find_chromium, served

READ = (Path(__file__).parent / "access.js").read_text(encoding="utf-8")
AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
OPEN, MEASURE = (
    (Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("axe_open.js", "axe_measure.js")
)
RATIO_MIN, RATIO_MIN_LARGE = 4.5, 3.0
CONTROLS = {"button", "link", "textbox", "searchbox", "spinbutton", "combobox", "checkbox", "slider", "image"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slice: part of the full set")
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


@pytest.fixture
def readable() -> Callable[[Any, int], None]:
    """Fails for texts without contrast, cut texts, a page wider than its window, and controls without a name."""
    return _readable


def _readable(tab: Any, looked_min: int) -> None:
    found = tab.evaluate(READ)
    assert found["problems"] == []
    assert found["looked"] >= looked_min  # fewer would mean that the script looks past them
    # As Chromium tells them to a screen reader.
    nodes = tab.context.new_cdp_session(tab).send("Accessibility.getFullAXTree")["nodes"]
    controls = [node for node in nodes if not node["ignored"] and node["role"]["value"] in CONTROLS]
    assert [node for node in controls if not node.get("name", {}).get("value", "").strip()] == []


@pytest.fixture
def axe(chromium: Any) -> Callable[[Any], None]:
    """Fails for anything that axe finds, and for texts with too little contrast among those that it leaves open."""
    return partial(_axe, chromium)


def _axe(chromium: Any, tab: Any) -> None:
    tab.evaluate(AXE)
    found = tab.evaluate(OPEN)
    assert found["violations"] == []
    texts = [one for one in found["texts"] if one["text"]]
    if not texts:
        return
    picture = base64.b64encode(tab.screenshot(full_page=True)).decode()
    blank = chromium.new_page()
    ratios = blank.evaluate(MEASURE, [picture, texts])
    blank.close()
    poor = [
        f"{one['name']} {one['text']!r}: {ratio:.2f}"
        for one, ratio in zip(texts, ratios, strict=True)
        if ratio < (RATIO_MIN_LARGE if one["large"] else RATIO_MIN)
    ]
    print(f"{len(texts)} texts left open by axe-core, least contrast {min(ratios):.2f}")
    assert poor == []
