"""Takes the pictures of the pages for the documentation: stops of the bench page's tour, at the moment they are about,
the dealer's page while a hand is entered, and the floor page with 200 tables.

make page-pictures
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from web.browser import ROOT, Bench, browser, served
from web.dealer import dealer, setup

FOLDER = ROOT / "docs" / "captures"


@dataclass(frozen=True)
class Picture:
    """One stop of the tour, when the expression is true in the page."""

    name: str
    stop: int
    when: str
    scheme: str = "light"
    width: int = 1180
    height: int = 760


PICTURES = (
    Picture("bench-page-jam", 3, "bench.warnings.includes('jam_throat') && bench.picture.display[3]"),
    Picture("bench-page-power", 5, "bench.warnings.includes('power') && bench.picture.display[3]", "dark", 390, 900),
)


def take(chromium: Any, url: str, picture: Picture) -> None:
    tab = chromium.new_page(viewport={"width": picture.width, "height": picture.height}, color_scheme=picture.scheme)
    bench = Bench(tab, url)
    bench.open()
    tab.click(f"#tour-{picture.stop}")
    bench.until(picture.when)
    tab.click("#pause")
    tab.wait_for_timeout(700)
    tab.evaluate("scrollTo(0, 0)")
    tab.screenshot(path=str(FOLDER / f"{picture.name}.png"))
    tab.close()


def take_dealer(chromium: Any, folder: Path, name: str) -> None:
    """Two hands are decided and one is entered, two cards of five."""
    with dealer(chromium, setup("caribbean-stud", folder), viewport={"width": 1180, "height": 1010}) as it:
        it.bets()
        for seat in (1, 3, 4):
            it.tap(f"area-{seat}-ante")
        it.tap("area-3-progressive")
        it.tap("go")
        it.until("table.known.table.ask?.kind === 'count'")
        it.tab.fill("#count", "1")
        it.tap("counted")
        for choice in ("raise", "fold", "raise"):
            while not it.due()["ask"]:
                it.tap("go")  # the rest of the deck
            it.tap(f"choose-{choice}")
            while it.table["now"]["action"].get("do") == "done":
                it.tap("go")
        for rank, suit in (("A", "spades"), ("K", "diamonds"), ("9", "hearts"), ("8", "clubs"), ("5", "hearts")):
            it.card(rank, suit)
        it.tap("enter")
        it.card("Q", "hearts")
        it.card("Q", "clubs")
        it.tab.click("#rank-7")
        it.tab.mouse.move(0, 0)
        it.tab.wait_for_timeout(300)
        it.tab.screenshot(path=str(FOLDER / f"{name}.png"))


def take_floor(chromium: Any) -> None:
    """200 tables, some of them in trouble, at a desk; one in detail; and on a phone in the dark."""
    sys.path.append(str(ROOT / "tests" / "floor"))  # the reader in memory of the tests
    from fairshoe.messages import Fault
    from fairshoe_floor.reader import Link
    from web.floor import DESK, PHONE, floor

    for name, size, scheme in (("floor-page", DESK, "light"), ("floor-page-phone", PHONE, "dark")):
        with floor(chromium, size, scheme) as (bench, reader):
            now = time.time()
            reader.warn(118, now - 900)
            reader.warn(42, now - 75, Fault.JAM_THROAT)
            reader.links[60] = Link.LOST
            reader.silent |= {60: 700.0, 71: 45.0, 155: 200.0}
            reader.alarm(93, "journal", "critical", "the device found its journal broken at record 1204")
            reader.alarm(118, "warning-unattended", "major", "warning jam_exit is not attended to for 300 s")
            reader.alarm(17, "deck-refused-twice", "major", "2 decks in a row were refused")
            reader.alarm(133, "feed-time", "minor", "a card takes 160 ms to feed, 100 ms when new")
            bench.until("document.querySelectorAll('#alarm-list li').length === 4")
            bench.until("document.querySelectorAll('.cell.stale').length === 2")
            if size is DESK:
                bench.tab.click("#alarm-list button:text-is('T-118')")
                bench.until("document.querySelectorAll('#shoe-plots polyline').length === 4")
            bench.tab.mouse.move(0, 0)
            bench.tab.wait_for_timeout(300)
            bench.tab.screenshot(path=str(FOLDER / f"{name}.png"))
            print(f"docs/captures/{name}.png")


def main() -> int:
    with browser() as chromium:
        take_floor(chromium)
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        take_dealer(chromium, Path(folder), "dealer-page")
        print("docs/captures/dealer-page.png")
    with served() as url, browser() as chromium:
        for picture in PICTURES:
            take(chromium, url, picture)
            print(f"docs/captures/{picture.name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
