"""The workbench: drawing, panel and time stay in view, hands reach parts on the drawing, findings name their step."""

from collections.abc import Iterator
from typing import Any

import pytest
from web.browser import Bench

DESK, TABLET, PHONE = (1280, 800), (820, 1180), (390, 844)
# Whether an element, or the half of it that matters, can be seen without scrolling.
SEEN = """(ids) => ids.filter((id) => {
  const { top, bottom, height } = document.getElementById(id).getBoundingClientRect();
  return height > 0 && top > -2 && bottom < innerHeight + 2;
})"""

# A point in the middle of the door as it is drawn.
ON_DOOR = """(() => {
  const door = document.querySelector('svg .door');
  const { x, y } = door.getPointAtLength(door.getTotalLength() / 2).matrixTransform(door.getScreenCTM());
  return [x, y];
})()"""


@pytest.fixture(scope="module")
def sized(chromium: Any, url: str) -> Iterator[Bench]:
    """A tab of its own, since these tests change its size."""
    bench = Bench(chromium.new_page(viewport={"width": DESK[0], "height": DESK[1]}), url)
    bench.open()
    yield bench
    assert bench.errors == []
    bench.tab.close()


def at_size(bench: Bench, size: tuple[int, int]) -> None:
    bench.tab.set_viewport_size({"width": size[0], "height": size[1]})
    bench.ask("for (const fold of document.querySelectorAll('details.group')) fold.open = true")
    bench.ask("scrollTo(0, 0)")


def to_wire(bench: Bench) -> None:
    """As far down as the page goes."""
    bench.tab.locator("#capture").scroll_into_view_if_needed()
    bench.ask("document.getElementById('wire-list').scrollIntoView({ block: 'end' })")


@pytest.mark.slice
def test_drawing_panel_and_time_stay_in_view_wherever_one_works(sized: Bench) -> None:
    at_size(sized, DESK)
    for button in ("#fault-misfeed", "#fault-jam-exit", "#plug", "#watch", "#capture"):
        sized.tab.locator(button).scroll_into_view_if_needed()
        assert sized.tab.evaluate(SEEN, ["drawing", "display", "buttons", "clock", "moments", "news"]) == [
            "drawing",
            "display",
            "buttons",
            "clock",
            "moments",
            "news",
        ], button
    # A text about the machine takes room from the drawing, and does not lie over it.
    sized.ask("document.getElementById('tour-text').textContent = 'a long text about a stop. '.repeat(20)")
    edge = "document.querySelector('{}').getBoundingClientRect().{}"
    assert sized.ask(edge.format("svg.machine", "bottom")) <= sized.ask(edge.format("#tour-text", "top"))
    assert sized.ask(edge.format("#tour-text", "bottom")) <= sized.ask(edge.format("#panel", "top"))
    sized.ask("document.getElementById('tour-text').textContent = ''")
    assert sized.ask("document.documentElement.scrollHeight <= innerHeight")
    assert sized.ask("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_one_column_keeps_the_drawing_and_what_the_display_says(sized: Bench, size: tuple[int, int]) -> None:
    at_size(sized, size)
    sized.ask("document.getElementById('tour-text').textContent = 'a long text about a stop. '.repeat(40)")
    to_wire(sized)
    assert sized.ask("scrollY") > 500
    assert sized.tab.evaluate(SEEN, ["drawing", "brief"]) == ["drawing", "brief"]
    assert sized.ask("document.getElementById('pinned').getBoundingClientRect().height") < 0.45 * size[1]
    assert sized.ask("document.documentElement.scrollWidth <= innerWidth")


def test_a_phone_begins_with_its_groups_closed(chromium: Any, url: str) -> None:
    bench = Bench(chromium.new_page(viewport={"width": PHONE[0], "height": PHONE[1]}), url)
    bench.open()
    assert bench.tab.locator("details.group[open]").count() == 0
    assert bench.ask("document.documentElement.scrollHeight") < 3000
    bench.tab.close()


@pytest.mark.parametrize("how", ["click", "Enter", " "])
def test_a_beam_on_the_drawing_is_blocked_and_freed(bench: Bench, how: str) -> None:
    bench.start("pico-carousel")
    bench.tab.click("#pause")
    for line in ("throat_b", "slot", "tray"):
        part = bench.tab.locator(f"svg [aria-label^='{line.replace('_', ' ')} beam']")
        for wanted in ([f"beam_stuck {line}"], []):
            if how == "click":
                part.dispatch_event("click")
            else:
                part.focus()
                bench.tab.keyboard.press(how)
            bench.ask("bench.source.save()")
            assert bench.ask("bench.picture.faults") == wanted
    assert bench.tab.inner_text("#faults-now") == "No fault in the machine."


def test_a_beam_is_where_the_pointer_finds_it(bench: Bench) -> None:
    """A real click, a little beside the thin line that is drawn."""
    bench.start("pico-shoe")
    bench.tab.click("#pause")
    box = bench.tab.locator("svg [aria-label^='throat a beam'] .ray").bounding_box()
    bench.tab.mouse.click(box["x"] + box["width"] / 2 + 4, box["y"] + box["height"] / 3)
    bench.ask("bench.source.save()")
    assert bench.ask("bench.picture.faults") == ["beam_stuck throat_a"]


def test_the_door_the_hopper_and_the_tray_on_the_drawing_are_hands(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.locator("svg [aria-label^=hopper]").first.focus()
    bench.tab.keyboard.press("Enter")
    bench.until("bench.picture.hopper === 52")
    bench.tab.mouse.click(*bench.ask(ON_DOOR))
    bench.until("document.getElementById('door').textContent === 'Close the door'")
    bench.tab.focus("svg .door")
    bench.tab.keyboard.press("Enter")
    bench.until("document.getElementById('door').textContent === 'Open the door'")
    bench.tab.click("#put")
    bench.until("bench.picture.tray === 1")
    bench.tab.locator("svg [aria-label^='tray: take']").dispatch_event("click")
    bench.until("bench.picture.tray === 0")


@pytest.mark.slice
def test_a_card_that_is_stopped_on_the_drawing_jams_and_the_finding_names_the_step(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.go_to(4000)
    bench.tab.click("#load")
    bench.tab.click("#press-green")
    bench.scan_until("bench.picture.bodies.some(([track, um, , , , , moves]) => track === 0 && um > 50000 && moves)")
    bench.tab.locator("svg .card:not(.away)").first.dispatch_event("click")
    bench.tab.click("#pause")
    bench.until("bench.warnings.length")
    assert bench.ask("bench.warnings[0]") == "jam_throat"
    assert "ms after step 3, “a card is stopped by hand”." in bench.tab.inner_text("#finding")


def test_a_door_after_a_jam_is_measured_from_the_door(bench: Bench) -> None:
    """It was measured from the jam, which had been noticed and cleared a minute before."""
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.go_to(4000)
    bench.tab.click("#fault-jam-throat")
    bench.tab.check("#dealer")
    bench.tab.click("#pause")
    bench.event("warning_cleared")
    bench.tab.select_option("#speed", "4")
    bench.until("bench.names.lastIndexOf('shuffle_started') > bench.names.indexOf('warning_cleared')")
    bench.tab.uncheck("#dealer")
    bench.tab.click("#door")
    bench.until("bench.warnings.includes('door')")
    said = bench.tab.inner_text("#finding")
    took, _, rest = said.partition("Noticed ")[2].partition(" ms after step ")
    assert 0 <= float(took) < 200
    assert "“the door is opened”." in rest
    link = int(bench.tab.locator("#finding .moment").inner_text())
    assert bench.ask("bench.source.save()")["script"][link - 1]["do"] == "open"


OUT_OF_RANGE = {
    "#cards": ("99999", "#load", "Cards: a whole number from 1 to 416, not 99999."),
    "#fault-later": ("401", "#fault-misfeed", "More cards or moves: a whole number from 0 to 400, not 401."),
    "#fault-delay": ("-1", "#fault-home_lost", "Milliseconds: a whole number from 0 to 60000, not -1."),
    "#cable-delay": ("1001", "#wire-filter", "Delay of the cable: a whole number from 0 to 1000, not 1001."),
    "#seed": ("0", "#restart", "Seed: a whole number from 1 to 65535, not 0."),
}


@pytest.mark.slice
def test_numbers_out_of_range_are_refused_with_a_word(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.tab.click("#pause")
    for field, (value, button, word) in OUT_OF_RANGE.items():
        before = bench.tab.input_value(field)
        bench.tab.fill(field, value)
        bench.tab.click(button)
        assert word in bench.tab.inner_text("#loading"), field
        assert bench.tab.get_attribute(field, "aria-invalid") == "true"
        bench.tab.fill(field, before)
    saved = bench.ask("bench.source.save()")
    assert [step["do"] for step in saved["script"]] in (["wait"], ["link", "wait"])  # the delay that was put right


PLACED = {
    "hopper": "load fault-misfeed wear",
    "throat": "stop-in fault-jam-throat",
    "case": "door clear key fault-panel_lost",
}


def test_hands_and_faults_stand_in_the_group_of_their_place(bench: Bench) -> None:
    for board, groups in (("pico-carousel", 7), ("pico-shoe", 6), ("pico-draw", 5)):
        bench.start(board)
        assert bench.tab.locator("details.group:not([hidden])").count() == groups, board
    bench.start("pico-shelves")
    assert bench.tab.inner_text("#group-store summary") == "Shelves"
    for place, controls in PLACED.items():
        for control in controls.split():
            assert bench.tab.locator(f"#group-{place} #{control}").count() == 1, control
