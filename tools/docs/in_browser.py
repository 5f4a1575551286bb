"""Uses the site as people do, in Chromium: a word is searched and the first hit followed, on a desk and on a phone; no
page is wider than its window, and the console complains of nothing."""

from __future__ import annotations

import importlib.util
import re
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from web.browser import Bench, browser, find_chromium

WORD, HIT = "retention", "SCALE.html"
WINDOWS = {"desk": (1280, 800), "phone": (390, 844)}
# The front page with the machine, wide tables, long code, pictures.
PAGES = ("index", "CLI", "FLOOR", "PROTOCOL", "TOUR", "UPDATE", "WIRING", "reference/help", "reference/metrics")


def can_browse() -> bool:
    return bool(find_chromium()) and importlib.util.find_spec("playwright") is not None


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes on to another page closes what it was loading."""


@contextmanager
def served(site: Path) -> Generator[str]:
    with _Server(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def complaints(site: Path, pictures: Path | None = None) -> Iterator[str]:
    """What is wrong; with a folder for pictures, also how it looks."""
    with served(site) as url, browser() as chromium:
        for name, (width, height) in WINDOWS.items():
            tab = chromium.new_page(viewport={"width": width, "height": height}, has_touch=name == "phone")
            heard = Bench(tab, url)
            for page in PAGES:
                tab.goto(f"{url}{page}.html")
                wide = tab.evaluate("document.documentElement.scrollWidth") - width
                if wide > 0:
                    yield f"{page}.html is {wide} pixels too wide on a {name}"
                if pictures:
                    tab.screenshot(path=pictures / f"{name}-{page.replace('/', '-')}.png")
            yield from _search(tab, url, name, pictures)
            yield from (f"{name}: {error}" for error in heard.errors)
            tab.close()


def _search(tab: Any, url: str, name: str, pictures: Path | None) -> Iterator[str]:
    tab.goto(f"{url}index.html")
    if name == "phone":
        tab.click("header label[for=__search]")
    tab.click("input.md-search__input")
    tab.keyboard.type(WORD)
    hits = tab.locator(f"a.md-search-result__link[href*='h={WORD}']")
    hits.first.wait_for()
    found = [hits.nth(number).get_attribute("href") for number in range(hits.count())]
    if pictures:
        tab.screenshot(path=pictures / f"{name}-search.png")
    if not any(HIT in it for it in found) or "/decisions/" in found[0]:
        yield f"{name}: a search for {WORD!r} finds {found[:5]}, and {HIT} late or not at all"
    hits.first.click()
    try:
        tab.locator("article mark", has_text=re.compile(WORD, re.IGNORECASE)).first.wait_for()
    except Exception as error:
        yield f"{name}: the first hit for {WORD!r}, {tab.url}, does not show the word: {error}"
