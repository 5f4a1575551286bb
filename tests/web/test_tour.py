"""Every stop of the guided tour plays to the moment it is about, and the machine then is as the stop's text says."""

from typing import Any

import pytest
from web.browser import Bench

# How many cards lie where, which warnings came, and an event that must be there, with words of its line in the list.
STOPS: dict[int, dict[str, Any]] = {
    1: {"warnings": [], "hopper": 0, "slots": 0, "event": "round_ended", "words": "stacks 10, dealt 50"},
    2: {"warnings": ["mismatch"], "hopper": 0, "slots": 0, "tray": 51, "event": "deck_refused", "words": "counted 51"},
    3: {"warnings": ["jam_throat"], "hopper": 41, "slots": 10, "bodies": 1, "event": "shuffle_failed", "words": "CS"},
    4: {"warnings": ["double_feed"], "hopper": 42, "slots": 10, "event": "shuffle_failed", "words": "CS-13e"},
    5: {"warnings": ["power"], "hopper": 34, "slots": 17, "bodies": 1, "event": "power_lost", "words": "shuffle"},
    6: {"warnings": [], "hopper": 52, "slots": 0, "event": "empty_proved", "words": "54"},
}
FOUND = """(() => {
  const { hopper, slots, tray, bodies } = bench.picture;
  const stored = slots.match(/../g).reduce((sum, count) => sum + parseInt(count, 16), 0);
  return { warnings: bench.warnings, hopper, slots: stored, tray, bodies: bodies.length };
})()"""


def play(bench: Bench, number: int) -> None:
    """Start a stop, as fast as it goes, and wait for its moment."""
    bench.ask("bench.about = null")
    bench.tab.click(f"#tour-{number}")
    bench.until("bench.about")
    bench.tab.select_option("#speed", "max")
    bench.until("document.getElementById('tour-end').textContent")


@pytest.mark.parametrize("number", STOPS)
def test_each_stop_reaches_its_moment(bench: Bench, number: int) -> None:
    wanted = {"tray": 0, "bodies": 0, **STOPS[number]}
    event, words = wanted.pop("event"), wanted.pop("words")
    play(bench, number)
    bench.until(f"bench.names.includes({event!r})")
    assert bench.ask(FOUND) == wanted
    assert words in bench.tab.locator(f"#news-list [data-event={event}]").first.text_content()


def test_the_text_of_a_stop_is_beside_the_machine_and_goes_with_it(bench: Bench) -> None:
    play(bench, 3)
    assert bench.tab.locator("#machine #tour-text").text_content().startswith("3. A jam.")
    assert bench.tab.locator("#tour [aria-pressed=true]").text_content() == "3. A jam"
    bench.start("pico-carousel")
    assert bench.ask("document.getElementById('tour-text').textContent") == ""
    assert bench.tab.locator("#tour [aria-pressed=true]").count() == 0


def test_the_dealer_of_the_good_round_plays_one_round(bench: Bench) -> None:
    play(bench, 1)
    assert not bench.tab.locator("#dealer").is_checked()
    bench.until("bench.picture.t > 60e6")
    assert bench.ask("bench.names").count("shuffle_started") == 1


def test_the_forged_command_is_refused_by_its_mac(bench: Bench) -> None:
    play(bench, 6)
    frames = bench.ask("bench.wire.frames.map(({ way, name, text }) => [way, name, text])")
    assert [name for way, name, _text in frames if way == 1 and name == "shuffle"] == ["shuffle"]
    counted = next(text for _way, name, text in frames if name == "link_counters")
    assert "bad_mac 1," in counted
    assert "shuffle_started" not in bench.ask("bench.names")
