"""The bench page plays rounds: every mechanism, by buttons and by its own dealer."""

import pytest
from web.browser import Bench

from fairshoe.boards.configs import board_names, load_board

ROUND_S = 120
ENDS = {"carousel": "round_ended", "shelves": "remainder_taken", "shoe": "round_ended", "draw": "round_ended"}
SLICE = ("pico-carousel", "pico-shelves", "pico-shoe", "pico-draw")  # one of each mechanism


@pytest.mark.slice
def test_buttons_and_hands_play_the_beginning_of_a_round(bench: Bench) -> None:
    bench.start("pico-carousel")
    bench.event("empty_proved")
    bench.tab.fill("#cards", "52")
    bench.tab.click("#load")
    bench.tab.click("#press-green")
    bench.event("deck_verified")
    bench.tab.click("#press-close")
    bench.event("round_started")
    bench.tab.click("#press-lock")
    bench.event("stack_offered")
    bench.until("bench.picture.tray === 5")
    assert bench.ask("document.getElementById('display').textContent").split("\n")[0].strip()
    bench.tab.click("#take")
    bench.event("stack_taken")


@pytest.mark.parametrize(
    "board", [pytest.param(name, marks=pytest.mark.slice if name in SLICE else ()) for name in board_names()]
)
def test_each_board_plays_a_round(bench: Bench, board: str) -> None:
    end = ENDS[load_board(board)[0]["mechanism"]["kind"]]
    bench.start(board)
    bench.tab.check("#dealer")
    bench.until(f"bench.names.includes({end!r})", ROUND_S)
    assert "warning_latched" not in bench.ask("bench.names")
    assert bench.ask("bench.picture.crashes") == 0


@pytest.mark.slice
def test_a_paused_machine_goes_on_one_scan_at_a_time(bench: Bench) -> None:
    bench.start("pico-shoe", speed="1")
    bench.event("empty_proved")
    bench.tab.click("#pause")
    bench.tab.wait_for_timeout(150)
    before = bench.ask("[bench.picture.t, bench.picture.scans]")
    bench.tab.wait_for_timeout(150)
    assert bench.ask("[bench.picture.t, bench.picture.scans]") == before
    bench.tab.click("#scan")
    bench.until(f"bench.picture.scans === {before[1] + 1}")
