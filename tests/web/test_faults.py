"""Every fault of the page leads to its warning; the page says what was noticed, how fast, by which rule, what to do."""

import pytest
from web.browser import Bench

# Which warning each button leads to while a deck is shuffled, or dealt.
CAROUSEL = {
    "misfeed": "misfeed",
    "double_feed": "double_feed",
    "jam-throat": "jam_throat",
    "jam-mouth": "jam_throat",
    "jam-exit": "jam_exit",
    "card_lost-rail": "mismatch",
    "card_lost-exit": "jam_exit",
    "foreign": "card_length",
    "wrong_back": "back",
    "face_up": "face_up",
    "roller-pick": "misfeed",
    "roller-transport": "jam_throat",
    "ejector_stuck": "jam_exit",
    "axis_stall": "jam_throat",  # the next card finds its slot taken
    "axis_slip": "jam_throat",
    "home_lost": "axis",
    "panel_lost": "panel",
    "entropy": "entropy",
    "nv": "journal",
    "beam_stuck": "beam",
    "beam_blind": "beam",
    "beam_noise": "noise",
    "storm": "noise",
    "beam_dust": "jam_throat",
}
HARMLESS = ("stall", "tray_slow")
SLICE = ("jam-throat", "double_feed", "storm")


def break_it(bench: Bench, button: str) -> None:
    bench.ask("document.getElementById('sensors').checked = true")
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.click(f"#fault-{button}")
    bench.tab.check("#dealer")


@pytest.mark.parametrize(
    "button", [pytest.param(name, marks=pytest.mark.slice if name in SLICE else ()) for name in CAROUSEL]
)
def test_each_fault_leads_to_its_warning(bench: Bench, button: str) -> None:
    break_it(bench, button)
    bench.until("bench.warnings.length")
    assert bench.ask("bench.warnings[0]") == CAROUSEL[button]
    said = bench.until(
        "document.querySelector('#finding q')?.textContent && document.getElementById('finding').textContent"
    )
    assert "Dealer: " in said


@pytest.mark.parametrize("button", HARMLESS)
def test_what_a_machine_helps_itself_with_ends_in_no_warning(bench: Bench, button: str) -> None:
    break_it(bench, button)
    bench.event("stack_taken")
    assert bench.ask("bench.warnings") == []


def test_cards_dropped_into_the_tray_spoil_the_stack(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.tab.check("#dealer")
    bench.event("deck_verified")
    bench.tab.select_option("#speed", "0.25")
    bench.until("bench.picture.state === 'dispensing' && bench.picture.tray === 0")
    bench.tab.click("#fault-litter")
    bench.tab.select_option("#speed", "max")
    bench.until("bench.warnings.length")
    assert bench.ask("bench.warnings[0]") == "stack"


def test_every_fault_of_the_simulator_has_its_button_or_slider(bench: Bench) -> None:
    bench.start("pico-carousel")
    offered = bench.ask("import('./fault_list.js').then((list) => list.FAULT_LIST.map(({ fault }) => fault.fault))")
    assert set(bench.ask("Object.keys(bench.about.faults)")) == {*offered, "wear"}


def test_a_jam_in_the_deal_names_time_and_rule(bench: Bench) -> None:
    break_it(bench, "jam-exit")
    bench.event("round_voided")
    said = bench.until("document.querySelector('#finding p:nth-child(2)').textContent")
    assert "CS-13f" in said
    assert "ms after the fault struck" in bench.ask("document.getElementById('finding').textContent")
