"""Any moment is a link, the record is a scenario, and both give on CPython, byte for byte, what the page has played."""

import base64
import copy
import json
from typing import Any

from web.browser import Bench

from fairshoe.boards.configs import load_board
from rig.scenario import Scenario

SCENARIO = "carousel-jam-in-the-throat"


def on_cpython(data: dict[str, Any]) -> list[str]:
    config, _crc = load_board(data["board"])
    scenario = Scenario(copy.deepcopy(data), copy.deepcopy(config))
    scenario.play()
    return scenario.lines


def jammed(bench: Bench) -> None:
    """A shuffle over a slow cable that ends in a jam, with a pause and other speeds on the way."""
    bench.start("pico-carousel", seed=5)
    bench.event("empty_proved")
    bench.tab.fill("#cable-delay", "60")
    bench.tab.click("#load")
    bench.until("bench.picture.cable[3] === 60")
    bench.tab.click("#fault-jam-throat")
    bench.tab.click("#press-green")
    bench.event("shuffle_started")
    bench.tab.click("#scan")
    bench.tab.select_option("#speed", "20")
    bench.tab.click("#pause")
    bench.until("bench.warnings.includes('jam_throat')")
    bench.tab.click("#pause")


def test_a_link_leads_to_the_same_moment_and_to_the_transcript_of_cpython(bench: Bench) -> None:
    jammed(bench)
    bench.tab.click("#link")
    bench.until("location.hash.startsWith('#m=')")
    before = bench.ask("[bench.picture.t, bench.picture.scans, bench.picture.display, bench.picture.slots]")
    bench.ask("bench.about = null")
    bench.ask("bench.follow()")
    bench.until("bench.about && bench.picture.t")
    assert bench.ask("[bench.picture.t, bench.picture.scans, bench.picture.display, bench.picture.slots]") == before
    assert bench.tab.input_value("#cable-delay") == "60"
    saved = bench.ask("bench.source.save()")
    assert bench.ask("bench.source.transcript()") == on_cpython(saved)


def test_a_moment_in_the_list_of_events_is_one_to_go_back_to(bench: Bench) -> None:
    jammed(bench)
    now = bench.ask("bench.picture.t")
    bench.ask("bench.about = null")
    bench.tab.locator("#news-list [data-event=shuffle_started] .moment").click()
    bench.until("bench.about && bench.picture.t")
    assert 0 < bench.ask("bench.picture.t") < now
    assert bench.ask("bench.picture.warning") == "none"


def test_a_saved_scenario_is_a_file_that_scenario_run_plays(bench: Bench) -> None:
    jammed(bench)
    with bench.tab.expect_download() as download:
        bench.tab.click("#save")
    saved = json.loads(download.value.path().read_text(encoding="utf-8"))
    lines = on_cpython(saved)
    assert any("warning_latched" in line for line in lines)
    assert bench.ask("bench.source.transcript()") == lines


def test_a_scenario_can_be_watched_to_its_end(bench: Bench) -> None:
    bench.tab.focus("#scenario")
    bench.until(f"document.querySelector('#scenario option[value={SCENARIO}]') !== null")
    bench.tab.select_option("#scenario", SCENARIO)
    bench.tab.select_option("#speed", "max")
    bench.tab.click("#watch")
    bench.until("document.getElementById('scenario-result').textContent.startsWith('Everything')")
    bench.until("bench.names.includes('warning_cleared')")
    assert "jam_throat" in bench.ask("bench.warnings")


def fragment(**changed: Any) -> str:
    moment: dict[str, Any] = {"board": "pico-carousel", "game": "caribbean-stud", "seed": 1, "steps": [], "at": 100}
    return "#m=" + base64.urlsafe_b64encode(json.dumps(moment | changed).encode()).decode().rstrip("=")


BROKEN = {
    "no base64": "#m=%%%",
    "no JSON": "#m=aGVsbG8",
    "a board of the language": fragment(board="constructor"),
    "no seed": fragment(seed="x"),
    "no time": fragment(at=-1),
    "too late": fragment(at=10**12),
}


def test_a_broken_link_is_named_and_a_new_machine_starts(bench: Bench) -> None:
    for name, link in BROKEN.items():
        bench.ask("bench.about = null")
        bench.ask(f"location.hash = {link!r}")
        bench.until("bench.about")
        assert "This link is broken" in bench.tab.inner_text("#loading"), name
        bench.event("booted")
    bench.ask("history.replaceState(null, '', location.pathname)")


def test_a_link_with_a_step_that_cannot_be_done_says_which(bench: Bench) -> None:
    bench.ask(f"location.hash = {fragment(steps=[{'do': 'link', 'bit_ppm': 'x'}])!r}")
    bench.until("document.getElementById('loading').textContent.endsWith('step[0]: link: bit_ppm is 0 to 1000000')")
    bench.ask("history.replaceState(null, '', location.pathname)")
