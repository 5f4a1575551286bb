"""axe-core finds nothing on pages and reports, light and dark; contrast that it leaves open is measured by pixels."""

import contextlib
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bench_case import Case, only
from web.browser import Bench
from web.dealer import dealer, setup
from web.floor import floor
from web.live import live

from fairshoe.bench import report_page
from fairshoe.bench.plan import load_plan
from fairshoe.cli.command_line import main
from fairshoe.web.live_shoe import Host
from fairshoe.web.live_view import LiveView
from fairshoe_floor.reader import Link
from fairshoe_table.books import rack
from fairshoe_table.books.books import Books

SIM = "sim://pico-carousel?speed=20"


@contextmanager
def bench_page(chromium: Any, url: str, scheme: str, folder: Path) -> Generator[Any]:
    """With a warning, events and a stop of the tour."""
    it = Bench(chromium.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme), url)
    it.open()
    it.tab.click("#tour-3")
    it.tab.select_option("#speed", "max")
    it.until("document.getElementById('tour-end').textContent")
    yield it.tab
    it.tab.close()


@contextmanager
def live_page(chromium: Any, url: str, scheme: str, folder: Path) -> Generator[Any]:
    with live(chromium, Host(SIM), LiveView(SIM, board="pico-carousel")) as (it, _serving):
        it.tab.emulate_media(color_scheme=scheme)
        it.until("live.known.status?.state === 'stack offered' && live.plots.points.length")
        yield it.tab
        it.errors.clear()  # as on the floor page


@contextmanager
def dealers_page(chromium: Any, url: str, scheme: str, folder: Path) -> Generator[Any]:
    """A card that was entered twice, and a call."""
    with dealer(chromium, setup("boston-5-stud", folder), color_scheme=scheme) as it:
        it.bets()
        for name in ("area-2-ante", "area-2-bonus", "go"):
            it.tap(name)
        it.due()
        it.tap("choose-expose")
        it.due()
        it.card("A", "spades")
        it.card("A", "spades")
        it.ask("table.calls([{ call: 1, text: 'the reader does not answer' }])")
        yield it.tab


@contextmanager
def floor_page(chromium: Any, url: str, scheme: str, folder: Path) -> Generator[Any]:
    with floor(chromium, scheme=scheme) as (it, reader):
        reader.warn(40, time.time() - 90)
        reader.links[60], reader.silent[70], reader.waiting[21] = Link.LOST, 300.0, 271
        reader.alarm(30, "journal", "critical", "the device found its journal broken at record 7")
        it.until("document.querySelectorAll('.cell.alarmed').length === 1")
        it.tab.click("#grid b:text-is('T-30')")
        it.until("document.querySelectorAll('#shoe-plots polyline').length >= 4")
        yield it.tab
        it.errors.clear()  # axe tries inline styles, which the policy of the page forbids


def bench_report(folder: Path) -> str:
    case = Case("sim://pico-carousel?seed=3", folder)
    plan = only(load_plan("acceptance"), "identity", "decks", "counts", decks=1)
    return report_page.page(case.report(case.run(plan)))


def shuffle_report(folder: Path) -> str:
    words = ("proof", "shuffle-test", "--shuffles", "1000", "--full", "2", "--seed", "20", "--processes", "1", "--html")
    main([*words, str(folder / "shuffle.html")])
    return (folder / "shuffle.html").read_text(encoding="utf-8")


def returns_report(folder: Path) -> str:
    words = ("table", "simulate", "--game", "caribbean-stud", "--rounds", "2000", "--out")
    assert main([*words, str(folder / "returns.html")]) == 0
    return (folder / "returns.html").read_text(encoding="utf-8")


def shift_sheet(folder: Path) -> str:
    with Books(folder / "books.db") as books:
        books.rack.add("opening", 2_500_000, "J. Doe")
        books.rack.add("closing", 2_400_000, "J. Doe")
        return rack.page(books.rack.shift(1))


def written(report: Callable[[Path], str]) -> Callable[..., contextlib.AbstractContextManager[Any]]:
    @contextmanager
    def shown(chromium: Any, url: str, scheme: str, folder: Path) -> Generator[Any]:
        (folder / "page.html").write_text(report(folder), encoding="utf-8")
        tab = chromium.new_page(viewport={"width": 1180, "height": 900}, color_scheme=scheme)
        tab.goto((folder / "page.html").as_uri())
        yield tab
        tab.close()

    return shown


PAGES = {
    **{"bench": bench_page, "live": live_page},
    **{"dealer": dealers_page, "floor": floor_page},
    **{"bench report": written(bench_report), "shuffle report": written(shuffle_report)},
    **{"returns report": written(returns_report), "shift sheet": written(shift_sheet)},
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_and_what_it_leaves_open_has_contrast(
    chromium: Any, url: str, axe: Callable[[Any], None], tmp_path: Path, name: str, scheme: str
) -> None:
    with PAGES[name](chromium, url, scheme, tmp_path) as tab:
        axe(tab)
