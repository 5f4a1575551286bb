"""The page itself: what it shows first, what it weighs, the keyboard, the wire, and that texts stay texts."""

import gzip
import re
from typing import Any

import pytest
from dissector.tshark import dissect
from web.browser import ROOT, Bench

from fairshoe import __version__
from fairshoe.messages import ALL, EmptyProved, ShuffleStarted
from fairshoe.text.describe import describe_event
from fairshoe.web.assets import page_files

DISSECTOR = ROOT / "docs" / "protocol" / "fairshoe.lua"
SIZE_MAX = 700_000  # compressed, with the VM, the firmware and all scenarios


def test_all_of_the_page_weighs_no_more_than_it_may() -> None:
    sizes = {name: len(gzip.compress(data, 9)) for name, data in page_files().items()}
    assert sum(sizes.values()) <= SIZE_MAX, sizes


@pytest.mark.slice
def test_the_page_names_every_module_that_it_will_load() -> None:
    """So that they are fetched together, and not one level of imports after another."""
    files = {name: data.decode() for name, data in page_files().items() if name.endswith((".js", ".html"))}
    found: list[str] = ["main.js"]
    for name in found:  # grows meanwhile
        folder = name.rpartition("/")[0] + "/" if "/" in name else ""
        imported = [folder + path for path in re.findall(r"^import [^;]*from '\./([^']+)';", files[name], re.MULTILINE)]
        found += [path for path in imported if path not in found]
    named = re.findall(r'<link rel="modulepreload" href="([^"]+)">', files["index.html"])
    assert sorted(named) == sorted(found[1:])


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
    bench.tab.select_option("#speed", "4")  # a display that changes at once is not read out
    bench.tab.focus("#press-green")
    bench.tab.keyboard.press("Enter")
    bench.event("shuffle_started")
    bench.until("document.getElementById('spoken').textContent.includes('Shuffling')")


def test_events_read_as_in_the_monitor(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.click("#load")
    bench.tab.click("#press-green")
    bench.event("shuffle_committed")
    lines = bench.ask("[...document.querySelectorAll('#news-list li')].reverse().map((line) => line.textContent)")
    prefix = (1, 1, 0, 0, 0, 0, 1)
    said = [line.partition(" s ")[2] for line in lines]
    assert said[0] == f"booted: power-on, firmware {__version__}"
    assert said[1:3] == [describe_event(EmptyProved(*prefix, 54)), describe_event(ShuffleStarted(*prefix, 52, 230))]


def test_a_picture_of_the_machine_before_is_not_shown(bench: Bench) -> None:
    bench.start("pico-carousel")
    late = "{ run: bench.source.run - 1, picture: JSON.stringify({ ...bench.picture, news: [{ warning: 'power' }] }) }"
    bench.ask(f"bench.source.heard({late})")
    assert bench.ask("bench.warnings") == []


def test_hostile_texts_stay_texts(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.click("#pause")
    bench.tab.wait_for_timeout(200)  # for the last picture that is still on its way
    evil = "<img src=x onerror=bench.evil=1>"
    bench.ask(
        f"""bench.show({{...bench.picture, display: [{evil!r}, '<b>', '', ''], faults: [{evil!r}], wire: [],
        news: [{{at: 1, event: {evil!r}, fields: {{clause: {evil!r}, warning: 'x'}}}},
               {{at: 1, warning: {evil!r}, cause: {{step: {{do: {evil!r}}}, number: 1, acted: 0, struck: 0}}}}]}})"""
    )
    bench.tab.wait_for_timeout(100)
    assert bench.ask("document.querySelectorAll('main img').length") == 0
    assert bench.ask("bench.evil") is None
    assert evil[:20] in bench.ask("document.getElementById('display').textContent")


def test_the_wire_shows_frames_and_saves_a_capture_that_tshark_reads(bench: Bench) -> None:
    """The real tshark with our dissector finds in the file what the page has shown."""
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.click("#pause")
    bench.tab.fill("#wire-filter", "empty_proved")
    bench.until("document.querySelectorAll('#wire-list li').length === 1")
    bench.ask("bench.source.save()")  # answered after the last picture
    shown = bench.ask("bench.wire.frames.map(({ name }) => name).reverse()")
    with bench.tab.expect_download() as download:
        bench.tab.click("#capture")
    packets = dissect(DISSECTOR, download.value.path().read_bytes())
    assert [layer.value("fairshoe.bad") for packet in packets for layer in packet if layer.get("fairshoe.bad")] == []
    numbers = [layer.value("fairshoe.message") for packet in packets for layer in packet]
    names = {str(message.ID): message.NAME for message in ALL}
    assert [names[number] for number in numbers if number in names] == shown
    swept = [layer.value("fairshoe.empty_proved.slots_swept") for packet in packets for layer in packet]
    assert "54" in swept
    bench.tab.fill("#wire-filter", "")


def test_a_cut_cable_carries_nothing(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.select_option("#cable-kind", "cut through")
    bench.go_on(1000)
    before = bench.ask("[bench.wire.pieces.length, bench.wire.frames.length]")
    bench.go_on(3000)
    assert bench.ask("[bench.wire.pieces.length, bench.wire.frames.length]") == before


def test_a_slow_cable_answers_after_twice_its_delay(bench: Bench) -> None:
    """Events and acknowledgements: an answer arrives one delay after the event that it answers has arrived."""
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.fill("#cable-delay", "150")
    bench.tab.click("#load")
    bench.until("bench.picture.cable[3] === 150")
    bench.tab.click("#press-green")
    bench.event("shuffle_committed")
    bench.go_on(1000)
    frames = bench.ask("bench.wire.frames.map(({ t, way, name, text }) => [t, way, name, text]).reverse()")
    at = next(t for t, way, name, _text in frames if (way, name) == (0, "shuffle_started"))
    acknowledged = [t for t, way, name, _text in frames if (way, name) == (1, "event_ack") and t >= at]
    assert acknowledged[0] - at == 150_000
    bench.tab.click("#cable")
    bench.until("document.getElementById('cable-kind').value === 'cut through'")
    bench.tab.click("#cable")
    bench.until("document.getElementById('cable-kind').value === 'good'")
    assert bench.tab.input_value("#cable-delay") == "0"


def test_a_hole_card_reader_answers_where_there_is_one(bench: Bench) -> None:
    for box in ("#with-reader", "#keyed"):
        bench.tab.check(box)
    bench.start("pico-draw", "double-attack-blackjack")
    bench.event("empty_proved")
    bench.tab.click("#load")
    bench.tab.click("#press-green")
    bench.event("deck_loaded")
    for count in range(1, 6):  # a card to burn, two for the player, two for the dealer
        bench.tab.click("#draw")
        bench.until(f"bench.picture.hopper === bench.about.deck - {count} && !bench.picture.bodies.length")
        bench.go_on(300)
    bench.tab.select_option("#rank", label="king")
    bench.tab.click("#up-card")
    bench.tab.select_option("#rank", label="7")
    bench.tab.click("#peek")
    bench.until("document.getElementById('reader').textContent.startsWith('a card lies in it')")
    bench.event("hole_card_read")
    bench.tab.click("#peek-end")
    bench.until("document.getElementById('reader').textContent === 'the reader is empty'")
    for box in ("#with-reader", "#keyed"):
        bench.tab.uncheck(box)
    bench.start("pico-draw")
    assert bench.tab.locator("#peek").count() == 0
