"""Pictures of the pages in Chromium, each with data that a person would see: for `make captures`."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from web.browser import ROOT, Bench, browser, served
from web.dealer import dealer, setup

FOLDER = ROOT / "docs" / "captures"
SHOWN_MS = 300  # so that a page has drawn what was changed last
GAME = "caribbean-stud"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("clubs", "diamonds", "hearts", "spades")
DESK, PHONE = {"width": 1180, "height": 760}, {"width": 390, "height": 900}


def shoot(tab: Any, name: str) -> None:
    tab.mouse.move(0, 0)
    tab.wait_for_timeout(SHOWN_MS)
    tab.screenshot(path=str(FOLDER / f"{name}.png"))


def _stop_of_the_tour(stop: int, warning: str, size: dict[str, int], scheme: str) -> Callable[[Any, str], None]:
    """The bench page at the moment that a stop of its tour is about."""

    def take(chromium: Any, name: str) -> None:
        with served() as url:
            bench = Bench(chromium.new_page(viewport=size, color_scheme=scheme), url)
            bench.open()
            bench.tab.click(f"#tour-{stop}")
            bench.until(f"bench.warnings.includes({warning!r}) && bench.picture.display[3]")
            bench.tab.click("#pause")
            bench.tab.evaluate("scrollTo(0, 0)")
            shoot(bench.tab, name)
            bench.tab.close()

    return take


def live_page(chromium: Any, name: str) -> None:
    """A simulated shoe in its third round."""
    from web.live import live

    from fairshoe.web.live_shoe import Host
    from fairshoe.web.live_view import LiveView

    url = "sim://pico-carousel?speed=20"
    with live(chromium, Host(url), LiveView("pit 1, table 7", board="pico-carousel")) as (bench, _serving):
        bench.until("live.known.status?.round === 3 && live.known.status.state === 'stack offered'")
        shoot(bench.tab, name)


def dealer_page(chromium: Any, name: str) -> None:
    """The rack is open, two hands are decided, and the third is entered: two cards of five."""
    size = {"width": 1180, "height": 1010}
    with tempfile.TemporaryDirectory() as made, dealer(chromium, setup(GAME, Path(made)), viewport=size) as it:
        it.bets()
        for kind, dollars, by, slip in (("opening", "25,000", "M. Ito", ""), ("fill", "1,500", "R. Sand", "F-0117")):
            it.press(f"rack-{kind}")
            for field, text in (("dollars", dollars), ("by", by), ("slip", slip)):
                it.write(f"rack-{field}", text)
            it.tap("dialog-record")
        it.tap("chip-2500")
        for seat in (1, 3, 4):
            it.tap(f"area-{seat}-ante")
        it.tap("area-3-progressive")
        it.tap("go")
        it.until("table.known.table.ask?.kind === 'count'")
        it.write("count", "1")
        it.tap("counted")
        for choice in ("raise", "fold", "raise"):
            while (due := it.due())["ask"] is None or due["ask"]["kind"] == "cards":
                it.tap("by-plant" if due["ask"] else "go")  # the up-card, the rest of the deck
            it.tap(f"choose-{choice}")
            while it.table["now"]["action"].get("do") == "done":
                it.tap("go")
        it.tap("by-plant")
        cards: list[int] = it.due()["lie"][:2]
        for card in cards:
            it.card(RANKS[card >> 2], SUITS[card & 3])
        shoot(it.tab, name)


def _floor_page(scheme: str, phone: bool) -> Callable[[Any, str], None]:
    """200 tables, seven of them in trouble; at a desk one of these in detail."""

    def take(chromium: Any, name: str) -> None:
        # The tests have a reader in memory.
        sys.path += [str(ROOT / "tests" / folder) for folder in ("floor", "host/kit")]
        from web import floor as floors

        from fairshoe.messages import Fault
        from fairshoe_floor.reader import Link

        with floors.floor(chromium, floors.PHONE if phone else floors.DESK, scheme) as (bench, reader):
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
            if not phone:
                bench.tab.click("#alarm-list button:text-is('T-118')")
                bench.until("document.querySelectorAll('#shoe-plots polyline').length === 4")
            shoot(bench.tab, name)

    return take


def report_page(chromium: Any, name: str) -> None:
    """The first page of a shuffle test."""
    from fairshoe.cli.command_line import main

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "shuffle.html"
        main(["proof", "shuffle-test", "--shuffles", "20000", "--full", "20", "--seed", "20", "--html", str(page)])
        tab = chromium.new_page(viewport=DESK)
        tab.goto(page.as_uri())
        shoot(tab, name)
        tab.close()


PAGES: dict[str, Callable[[Any, str], None]] = {
    "bench-page-jam": _stop_of_the_tour(3, "jam_throat", DESK, "light"),
    "bench-page-power": _stop_of_the_tour(5, "power", PHONE, "dark"),
    "live-page": live_page,
    "dealer-page": dealer_page,
    "floor-page": _floor_page("light", False),
    "floor-page-phone": _floor_page("dark", True),
    "report-page": report_page,
}


def take(names: list[str]) -> None:
    """Take pictures of these pages, and start no browser for none."""
    if not names:
        return
    with browser() as chromium:
        for name in names:
            print(f"captures: {name} ...", end=" ", flush=True)
            PAGES[name](chromium, name)
            print("taken", flush=True)
