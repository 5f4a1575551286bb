"""Every fault of the page leads to its warning; the page says what was noticed, how fast, by which rule, what to do."""

from typing import Any

import pytest
from web.browser import Bench

# Which warning each button leads to while a deck is shuffled, or dealt, or drawn by hand.
EVERYWHERE = {
    "wrong_back": "back",
    "panel_lost": "panel",
    "nv": "journal",
    "beam_stuck": "beam",
    "beam_blind": "beam",
    "beam_noise": "noise",
    "storm": "noise",
}
MOTORS = EVERYWHERE | {
    "misfeed": "misfeed",
    "double_feed": "double_feed",
    "jam-throat": "jam_throat",
    "foreign": "card_length",
    "roller-pick": "misfeed",
    "roller-transport": "jam_throat",
    "roller-slow": "double_feed",  # every card is measured too long
}
STORES = MOTORS | {
    "jam-mouth": "jam_throat",
    "face_up": "face_up",
    "ejector_stuck": "jam_exit",
    "axis_slip": "jam_throat",  # the next card finds its slot taken
    "home_lost": "axis",
    "entropy": "entropy",
}
WARNINGS = {
    "carousel": STORES
    | {
        "jam-exit": "jam_exit",
        "card_lost-rail": "mismatch",
        "card_lost-exit": "jam_exit",
        "axis_stall": "jam_throat",
        "beam_dust": "jam_throat",
        "tray_slow": "stack",  # the late card lands in the tray when its stack was taken
    },
    "shelves": STORES | {"card_lost-rail": "jam_exit", "axis_stall": "axis", "beam_dust": "double_feed"},
    "shoe": MOTORS | {"beam_dust": "double_feed"},
    "draw": EVERYWHERE | {"face_up": "face_up"},
}
# What a machine helps itself with, and what it cannot see: no warning by the end of the round.
HARMLESS = {
    "carousel": ["stall"],
    "shelves": ["stall", "tray_slow"],
    "shoe": ["stall", "tray_slow"],
    "draw": ["foreign", "beam_dust"],
}
# Buttons whose effect depends on the moment, and an event without a warning: tests of their own.
ELSEWHERE = {"carousel": ["litter"], "shelves": ["litter"], "shoe": ["litter", "face_up"], "draw": []}
ENDS = {"carousel": "round_ended", "shelves": "remainder_taken", "shoe": "round_ended", "draw": "round_ended"}
BROKEN_MS = 4000  # when each fault is ordered: the machine is proved empty
SLICE = ("jam-throat", "double_feed", "storm")


def proved(bench: Bench, kind: str) -> None:
    """A machine of that kind with every sensor, proved empty, paused at the same moment in each test."""
    bench.ask("document.getElementById('sensors').checked = true")
    bench.start(f"pico-{kind}")
    bench.event("empty_proved")
    bench.go_to(BROKEN_MS)


def break_it(bench: Bench, button: str, kind: str = "carousel") -> None:
    proved(bench, kind)
    bench.tab.click(f"#fault-{button}")
    bench.tab.check("#dealer")
    bench.tab.click("#pause")


def _each_button() -> list[Any]:
    found: list[Any] = []
    for kind, warnings in WARNINGS.items():
        for button in warnings:
            marks = pytest.mark.slice if kind == "carousel" and button in SLICE else ()
            found.append(pytest.param(kind, button, marks=marks, id=f"{kind}-{button}"))
    return found


@pytest.mark.parametrize(("kind", "button"), _each_button())
def test_each_fault_leads_to_its_warning(bench: Bench, kind: str, button: str) -> None:
    break_it(bench, button, kind)
    bench.until("bench.warnings.length")
    assert bench.ask("bench.warnings[0]") == WARNINGS[kind][button]
    said = bench.until(
        "document.querySelector('#finding q')?.textContent && document.getElementById('finding').textContent"
    )
    assert "Dealer: " in said


@pytest.mark.parametrize(
    ("kind", "button"), [(kind, button) for kind, buttons in HARMLESS.items() for button in buttons]
)
def test_what_a_machine_helps_itself_with_or_cannot_see_ends_in_no_warning(
    bench: Bench, kind: str, button: str
) -> None:
    break_it(bench, button, kind)
    bench.until(f"bench.names.includes({ENDS[kind]!r}) || bench.warnings.length")
    assert bench.ask("bench.warnings") == []
    assert bench.ask("bench.picture.struck") > 0  # it did happen
    text = bench.tab.inner_text(f"#fault-{button}")
    assert (text in bench.tab.inner_text("#faults-unseen")) == (button != "stall")


@pytest.mark.parametrize("kind", WARNINGS)
def test_no_button_is_left_out_of_these_tables(bench: Bench, kind: str) -> None:
    proved(bench, kind)
    buttons = bench.ask("[...document.querySelectorAll('button[id^=fault-]')].map(({ id }) => id.slice(6))")
    assert sorted(buttons) == sorted([*WARNINGS[kind], *HARMLESS[kind], *ELSEWHERE[kind]])


def test_a_face_up_card_of_a_shoe_is_told_with_its_rule_and_the_round_goes_on(bench: Bench) -> None:
    break_it(bench, "face_up", "shoe")
    bench.event("cards_odd")
    said = bench.ask("document.getElementById('finding').textContent")
    assert "CS-13b" in said and "ms after step 1, “a card face up” struck." in said
    bench.event("round_ended")
    assert bench.ask("bench.warnings") == []


@pytest.mark.parametrize("kind", ["carousel", "shoe", "shelves"])
def test_cards_dropped_into_the_tray_spoil_the_stack(bench: Bench, kind: str) -> None:
    """With a card on its way out: before it the device waits for an empty tray, after it the tray beam is blocked.
    Shelves use the tray while they shuffle."""
    proved(bench, kind)
    bench.tab.click("#load")
    shelves = kind == "shelves"
    if not shelves:
        bench.tab.click("#press-green")
        bench.tab.click("#pause")
        bench.event("deck_verified" if kind == "carousel" else "deck_loaded")
        bench.tab.click("#press-close")
        bench.event("round_started")
        bench.tab.click("#pause")
    bench.tab.click("#press-green" if shelves else "#press-lock")
    # Scan by scan: the moment is short, and a machine that runs would be past it on a slow computer.
    track = 1 if kind == "carousel" else 0
    bench.scan_until(f"bench.picture.tray === 0 && bench.picture.bodies.some(([track]) => track === {track})")
    bench.tab.click("#fault-litter")
    bench.tab.click("#pause")
    bench.until("bench.warnings.length")
    assert bench.ask("bench.warnings[0]") == "stack"


def test_every_fault_of_the_simulator_has_its_button_or_slider(bench: Bench) -> None:
    bench.start("pico-carousel")
    offered = bench.ask("import('./fault_list.js').then((list) => list.FAULT_LIST.map(({ fault }) => fault.fault))")
    assert set(bench.ask("Object.keys(bench.about.faults)")) == {*offered, "wear"}


@pytest.mark.parametrize("board", ["pico-carousel", "pico-shelves", "pico-shoe", "pico-draw"])
def test_every_button_is_for_something_that_this_machine_can_have(bench: Bench, board: str) -> None:
    bench.ask("document.getElementById('sensors').checked = true")
    bench.start(board)
    bench.tab.click("#pause")
    buttons = bench.ask("[...document.querySelectorAll('button[id^=fault-]')].map(({ id }) => id)")
    assert len(buttons) >= 10
    for button in buttons:
        bench.tab.click(f"#{button}")
    bench.ask("bench.source.save()")  # answered after all of them
    assert "Not possible" not in bench.ask("document.getElementById('loading').textContent")
    assert len(bench.ask("bench.picture.faults")) >= len(buttons) - 1  # cards are dropped at once


def test_a_worn_roller_misfeeds_until_it_is_repaired(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.go_to(BROKEN_MS)
    bench.tab.focus("#wear")
    bench.tab.keyboard.press("End")
    bench.until("bench.picture.faults.includes('wear')")
    bench.tab.check("#dealer")
    bench.tab.click("#pause")
    bench.until("bench.warnings.length")
    assert bench.ask("bench.warnings[0]") == "misfeed"
    bench.tab.click("#repair")
    bench.until("document.getElementById('faults-now').textContent === 'No fault in the machine.'")
    assert bench.ask("bench.faults.wear.value") == "0"


def test_a_jam_in_the_deal_names_time_and_rule(bench: Bench) -> None:
    break_it(bench, "jam-exit")
    bench.event("round_voided")
    assert "CS-13f" in bench.until("document.querySelector('#finding .rule').textContent")
    said = bench.ask("document.getElementById('finding').textContent")
    assert "ms after step 1, “a card jams at the exit” struck." in said
