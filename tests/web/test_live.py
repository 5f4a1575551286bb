"""The live view in a browser: a round of a simulated shoe, a shoe that goes away and returns, texts that stay texts."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tcp_shoe import TcpShoe
from web.browser import Bench
from web.live import Live, live

from fairshoe.messages import Meters, Mode, Role, Wear, Welcome
from fairshoe.web.live_shoe import Host, Observer
from fairshoe.web.live_view import LiveView

SIM = "sim://pico-carousel?speed=20"


def seen(bench: Bench, name: str) -> str:
    return bench.ask(f"document.getElementById({name!r}).textContent")


@pytest.mark.slice
def test_the_live_view_shows_a_round_without_slots(chromium: Any, readable: Callable[[Any, int], None]) -> None:
    with live(chromium, Host(SIM), LiveView(SIM, board="pico-carousel")) as (bench, _serving):
        bench.until("live.known.status?.state === 'stack offered' && !live.stale")
        bench.until("live.machine && live.stored.textContent.endsWith('cards')")
        assert seen(bench, "next") and seen(bench, "who") and seen(bench, "link") == "live"
        drawn = (
            "[...document.querySelectorAll('.slot, .beam')].filter((part) => getComputedStyle(part).display !== 'none')"
        )
        assert bench.ask(f"{drawn}.length") == 0
        bench.until("document.getElementById('news-list').textContent.includes('round ended')")
        assert bench.until("live.plots.points.length") and "ms" in seen(bench, "plots")
        assert bench.ask("document.getElementById('control').hidden")
        for scheme, width in (("light", 360), ("dark", 1280)):
            bench.tab.emulate_media(color_scheme=scheme)
            bench.tab.set_viewport_size({"width": width, "height": 800})
            readable(bench.tab, 30)


@pytest.mark.slice
def test_a_shoe_that_goes_away_is_stale_and_comes_back_by_itself(chromium: Any) -> None:
    with TcpShoe() as shoe, live(chromium, Observer(shoe.url), LiveView(shoe.url)) as (bench, _serving):
        bench.until("!live.stale && live.seq > 4")
        shoe.refuse = 3
        shoe.drop()
        lost = "live.known.link.live === false && live.down === '' && [live.stale, live.age_s < 3]"
        assert bench.until(lost) == [True, True]  # at once, not only when it has grown old
        assert seen(bench, "link") == "lost" and not bench.ask("document.getElementById('problem').hidden")
        assert bench.ask("getComputedStyle(document.getElementById('step')).display") == "none"
        bench.until("/last heard [1-9].*, trying again/.test(document.getElementById('age').textContent)")
        before = bench.ask("live.seq")
        bench.until(f"!live.stale && live.seq > {before}")
        assert seen(bench, "age") == "" and bench.ask("document.getElementById('problem').hidden")


def test_a_server_that_was_started_again_is_followed_by_its_new_url(chromium: Any) -> None:
    """On the same port, and with another token. The browser only sees another fragment of the page it is on."""
    with live(chromium, None, LiveView("the first")) as (bench, serving):
        serving.close()
        bench.until("live.down.includes('does not answer') && live.down.includes('token is new')")
        again = Live(None, LiveView("the second"), urlsplit(serving.server.url).port or 0)
        bench.errors.clear()  # sockets that failed
        with bench.tab.expect_event("load", timeout=60_000):  # the page loads itself again
            bench.ask(f"location.href = {again.server.url!r}")
        bench.until("globalThis.live?.known.url === 'the second' && live.down === ''")
        bench.tab.goto("about:blank")
        again.close()
        bench.errors.clear()


def test_trends_of_wear_are_curves_beside_their_figures(
    chromium: Any, tmp_path: Path, readable: Callable[[Any, int], None]
) -> None:
    view = LiveView("shoe")
    view.wear_folder = tmp_path

    def say() -> None:
        view.welcome(Welcome(1, Role.CLEAR, b"", b"", 7, 1, Mode.TABLE, 0, b"", "f", "CS", 1, 0, 0))
        for deck in range(1, 301):
            meters = replace(Meters(*[0] * 18), cycles=deck, cards=52 * deck, feed_us=31000 + 45 * deck)
            view.take([meters, Wear(deck, 7700)])

    with live(chromium, None, view) as (bench, serving):
        serving.call(say)
        bench.until("live.known.wear?.length")
        curves = bench.ask(
            "[...document.querySelectorAll('#wear polyline')].map((it) => [...it.points].map(({ x, y }) => [x, y]))"
        )
        latency, _misfeeds, throat = curves[:3]
        assert latency[0][0] == 0 and latency[-1][0] == 100 and all(a[1] >= b[1] for a, b in pairwise(latency))
        assert latency[0][1] > 12 and latency[-1][1] == 1 and len({y for _x, y in throat}) == 1
        assert bench.ask("document.querySelector('#wear .warn').textContent").endswith("ms in 300 decks: pick roller")
        readable(bench.tab, 10)


@pytest.mark.slice
def test_texts_of_a_device_stay_texts(chromium: Any) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    view = LiveView(hostile)

    def say() -> None:
        view.welcome(Welcome(1, Role.CLEAR, b"", b"", 7, 1, Mode.TABLE, 0, b"", "<i>f</i>", "<b>x</b>", 1, 0, 0))
        view.link(hostile, False, hostile, hostile)

    with live(chromium, None, view) as (bench, serving):
        serving.call(say)
        bench.until("live.known.shoe && live.known.link")
        assert hostile in seen(bench, "title") and hostile in seen(bench, "problem")
        assert "<b>x</b>" in seen(bench, "about") and "<i>f</i>" in seen(bench, "about")
        assert bench.ask("document.querySelectorAll('img, i, #about b').length") == 0


@pytest.mark.slice
def test_without_a_server_the_page_says_what_to_run(chromium: Any, url: str) -> None:
    bench = Bench(chromium.new_page(), f"{url}live.html")
    bench.tab.goto(bench.url)
    bench.until("globalThis.live")
    assert "fairshoe web PORT" in seen(bench, "problem") and bench.ask("live.stale") and bench.errors == []
    bench.tab.close()
