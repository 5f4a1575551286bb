"""The dealer's page in a browser: rounds by taps, cards by two taps, an irregularity, a page that comes back."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from web.dealer import Dealer, Serving, dealer, setup

from fairshoe_table.games.caribbean.game import CaribbeanStud

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}


@contextmanager
def quiet(chromium: Any, folder: Path, game: str) -> Generator[Dealer]:
    """A table whose page makes no complaint in the console."""
    with dealer(chromium, setup(game, folder)) as it:
        it.bets()
        yield it
        assert it.errors == []


@pytest.mark.slice
def test_a_round_by_taps_with_a_misdeal_and_its_settlement(
    chromium: Any, tmp_path: Path, readable: Callable[[Any, int], None]
) -> None:
    with quiet(chromium, tmp_path, "caribbean-stud") as it:
        for seat in (2, 5):
            it.tap(f"area-{seat}-ante")
        it.tap("area-5-progressive")
        assert it.table["seats"][4]["wagers"] == {"ante": 1000, "progressive": 100}
        it.tap("go")  # No more bets
        it.until("table.known.table.ask?.kind === 'count'")  # the progressive chips (CS 7(c))
        it.tab.fill("#count", "1")
        it.tap("counted")
        it.until("table.known.table.now.action.command === 'release'")
        it.tap("go")
        it.until("table.known.table.ask")
        it.card("A", "spades")  # the dealer's up-card comes before all decisions (CS 9(h))
        it.tap("enter")
        assert it.table["ask"]["seat"] == 2 and it.tab.inner_text("#now-say") == "Say Bet or fold?"
        # A wrong number of cards at seat 5: the device voids that hand by the clause on the button.
        it.tab.click("#irregular-misdeal")
        assert "wrong number of cards: that hand is void" in it.tab.inner_text("#dialog")
        assert it.tab.inner_text("#dialog a") == "CS-13d"
        it.tab.click("#who-5")
        it.tab.fill("#dialog-cards", "6")
        it.tap("dialog-record")
        it.until("table.known.table.seats[4].says === 'void (CS-13d)'")
        it.until("table.known.table.lines.length === 2")
        for _ in range(2):
            it.tap("go")
        # The dealer enters the cards of the dealer's hand: two taps each, by finger and by key.
        it.tap("choose-raise")
        it.tab.keyboard.type("kc")
        it.until("table.known.table.ask.entry.length === 2")
        it.card("A", "spades")
        assert "First: dealer, card 1 of this hand. Again: dealer, card 3" in it.tab.inner_text("#twice")
        for rank, suit in (("9", "hearts"), ("7", "diamonds"), ("2", "clubs")):
            it.card(rank, suit)
        for size, scheme in ((PHONE, "dark"), (TABLET, "light")):
            it.tab.emulate_media(color_scheme=scheme)
            it.tab.set_viewport_size(size)
            readable(it.tab, 40)
        it.tap("enter")
        assert it.table["dealer"]["source"] == "dealer"
        for rank, suit in (("3", "spades"), ("3", "hearts"), ("10", "clubs"), ("J", "diamonds"), ("6", "spades")):
            it.card(rank, suit)
        it.tap("enter")
        assert [line["net"] for line in it.table["lines"]] == [0, 0, 1000, 2000]  # void; a pair beats ace-king
        it.tap("go")  # the ante is paid; then a supervisor sees that the three of hearts is a four
        for control in ("#correct", "#dialog button:has-text('seat 2')", "#wrong-1", "#right-4"):
            it.tab.click(control)
        readable(it.tab, 10)
        it.tab.fill("#supervisor", "J. Doe")
        it.tap("dialog-record")
        assert "approved by J. Doe" in it.tab.inner_text("#answer")
        assert it.tab.inner_text("#now-do").startswith("Correction: take $20 back from seat 2")
        it.finish()
        lines = it.table["lines"]
        assert [line["seat"] for line in lines] == [5, 5, 2, 2] and all(line["done"] for line in lines)
        assert [line["net"] for line in lines] == [0, 0, -1000, -2000]
        assert it.ask("document.querySelectorAll('#lines .done').length") == 4


def test_the_page_can_be_closed_and_opened_in_mid_round(chromium: Any, tmp_path: Path) -> None:
    with quiet(chromium, tmp_path, "boston-5-stud") as it:
        rack(it, "opening", "25000", "")
        rack(it, "fill", "1,500.50", "slip 17")
        rack(it, "fill", "1,500.50", "slip 17")  # the same slip again
        assert [(entry["kind"], entry["cents"]) for entry in it.table["rack"]["entries"]] == [
            *(("opening", 2_500_000), ("fill", 150_050))
        ]
        it.tap("area-3-ante")
        it.tap("area-3-bonus")
        it.tab.reload()
        it.until("globalThis.table?.known.table?.now.action.do === 'close'")
        assert it.table["seats"][2]["wagers"] == {"ante": 1000, "first": 2000, "bonus": 1000}
        it.tap("go")
        it.due()
        it.tap("choose-expose")
        it.card("Q", "hearts")
        it.tab.reload()
        it.until("globalThis.table?.known.table?.ask?.entry.length === 1")
        it.press("rack-closing")
        it.write("rack-dollars", "12.5.0")
        it.press("dialog-record")
        assert "Enter dollars" in it.tab.inner_text("#rack-wrong")
        it.press("dialog-leave")
        rack(it, "closing", "26500.50", "")
        assert "Finish the round first" in it.tab.inner_text("#answer")
        it.finish()
        it.bets()
        rack(it, "closing", "26500.50", "")
        won = sum(-line["net"] for line in it.table["lines"])
        sheet = dict(it.table["rack"]["sheet"])  # shown after the count, not before it
        assert (sheet["win, by the lines"], sheet["difference"]) == (won, -won)


def rack(it: Dealer, kind: str, dollars: str, slip: str) -> None:
    it.press(f"rack-{kind}")
    it.write("rack-dollars", dollars)
    it.write("rack-by", "J. Doe")
    it.write("rack-slip", slip)
    it.tap("dialog-record")


def test_a_jam_is_shown_voids_the_round_and_a_person_clears_it(chromium: Any, tmp_path: Path) -> None:
    with quiet(chromium, tmp_path, "double-cross-poker") as it:
        it.tap("area-1-ante")
        it.tap("jam")
        it.tap("go")
        it.until("!document.getElementById('warning').hidden && table.known.table.calls.length")
        assert "jam" in it.tab.inner_text("#warning") and "jam" in it.tab.inner_text("#calls")
        it.until("table.known.table.void === 'DCP-12e'")
        assert it.tab.inner_text("#now-do").lower().startswith("give ante $10 back to seat 1")
        it.tap("go")
        it.tab.set_viewport_size(PHONE)
        seen = f"seen-{it.table['calls'][0]['call']}"
        width, height = (it.tab.locator(f"#{seen}").bounding_box()[side] for side in ("width", "height"))
        assert width > height >= 40  # one line, as wide as a finger
        it.tap(seen)
        it.tap("hand")
        it.until("document.getElementById('warning').hidden")


def test_without_the_server_the_page_is_stale_and_takes_no_tap(chromium: Any, tmp_path: Path) -> None:
    serving = Serving(setup("double-down-stud", tmp_path))
    it = Dealer(chromium.new_page(viewport=PHONE), serving.server.url)
    it.tab.goto(it.url)
    it.bets()
    serving.close()
    it.until("table.stale && table.down")
    assert "fairshoe table serve" in it.tab.inner_text("#problem") and it.ask("document.querySelector('main').inert")
    assert it.tab.inner_text("#link") == "lost"
    it.until("document.getElementById('age').textContent.includes('next try in')")
    it.tab.close()


def test_a_coupon_is_a_part_of_a_wager(chromium: Any, tmp_path: Path) -> None:
    options = CaribbeanStud().demo()
    approvals = {**options.approvals, "coupons": "C-7"}
    options = replace(options, coupons=("ante", "progressive"), approvals=approvals)
    with dealer(chromium, replace(setup("caribbean-stud", tmp_path), options=options)) as it:
        it.bets()
        it.tap("area-2-ante")
        it.press("coupon")
        for area in ("ante", "progressive"):
            it.tap(f"area-2-{area}")
        it.tap("area-2-bonus")  # no clause
        assert "no coupon" in it.tab.inner_text("#answer").lower()
        seat = it.table["seats"][1]
        assert seat["wagers"] == {"ante": 2000, "progressive": 100}
        assert seat["coupons"] == [{"ante": 1000, "progressive": 100}]
        assert it.tab.inner_text("#area-2-ante b") == "$20, coupon $10"
        it.tap("go")
        assert it.tab.inner_text("#seat-2").count("coupon") == 2 and it.errors == []
