"""The page itself: what it shows first, what it weighs, the keyboard, the wire, and that texts stay texts."""

import gzip
from typing import Any

from web.browser import Bench

from fairshoe.web.assets import page_files

SIZE_MAX = 700_000  # compressed, with the VM, the firmware and all scenarios


def test_all_of_the_page_weighs_no_more_than_it_may() -> None:
    sizes = {name: len(gzip.compress(data, 9)) for name, data in page_files().items()}
    assert sum(sizes.values()) <= SIZE_MAX, sizes


def test_the_drawing_is_there_before_the_vm(chromium: Any, url: str) -> None:
    tab = chromium.new_page()
    tab.route("**/micropython.wasm", _abort)
    tab.goto(url)
    tab.wait_for_selector("svg.machine .slot", state="attached")
    assert tab.locator("#press-green").is_disabled()
    tab.close()


def _abort(route: Any) -> None:
    route.abort()


def test_a_keyboard_reaches_the_panel_and_presses_its_buttons(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.click("#load")
    bench.tab.focus("#press-green")
    bench.tab.keyboard.press("Enter")
    bench.event("shuffle_started")
    bench.until("document.getElementById('spoken').textContent.includes('Shuffling')")


def test_hostile_texts_stay_texts(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.click("#pause")
    bench.tab.wait_for_timeout(200)  # for the last picture that is still on its way
    evil = "<img src=x onerror=bench.evil=1>"
    bench.ask(
        f"""bench.show({{...bench.picture, display: [{evil!r}, '<b>', '', ''], faults: [{evil!r}], wire: [],
        news: [{{at: 1, event: {evil!r}, fields: {{clause: {evil!r}, warning: 'x'}}}},
               {{at: 1, warning: {evil!r}, struck: -1, acted: {evil!r}, acted_us: 0}}]}})"""
    )
    bench.tab.wait_for_timeout(100)
    assert bench.ask("document.querySelectorAll('main img').length") == 0
    assert bench.ask("bench.evil") is None
    assert evil[:20] in bench.ask("document.getElementById('display').textContent")


def test_the_wire_shows_frames_and_saves_a_capture(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.fill("#wire-filter", "empty_proved")
    bench.until("document.querySelectorAll('#wire-list li').length === 1")
    with bench.tab.expect_download() as download:
        bench.tab.click("#capture")
    data = download.value.path().read_bytes()
    assert data[:4] == bytes.fromhex("d4c3b2a1")
    assert data[20:24] == (147).to_bytes(4, "little")
    bench.tab.fill("#wire-filter", "")
    bench.tab.select_option("#cable-kind", "cut through")
    bench.until("bench.wire.frames.length")
