"""Every game on the dealer's page by mouse, by finger and by keyboard: each card entered by hand, errors included."""

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from sitting import house_three
from web.dealer import Dealer, dealer, setup

from fairshoe_table.play import registry

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WAYS: dict[str, dict[str, Any]] = {"mouse": {}, "finger": PHONE, "keys": {}}
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("clubs", "diamonds", "hearts", "spades")
GAMES = (*registry.OURS, "house-three")
WHOLE = [(game, way) for game in GAMES for way in WAYS]
SLICE = ("house-three", "finger")  # the shortest
STEPS_MAX = 300
# Every state of the line, and every problem that was shown, in their order.
WATCH = """() => {
  globalThis.states = [];
  globalThis.problems = [];
  const problem = document.getElementById('problem');
  const look = () => {
    if (states.at(-1) !== document.body.dataset.state) states.push(document.body.dataset.state);
    if (!problem.hidden && problems.at(-1) !== problem.textContent) problems.push(problem.textContent);
  };
  new MutationObserver(look).observe(document, { subtree: true, attributes: true, childList: true });
}"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setattr(sys, "path", [*house_three(tmp_path), *sys.path])
    registry.find.cache_clear()
    yield
    registry.find.cache_clear()


def face(card: int) -> tuple[str, str]:
    return RANKS[card >> 2], SUITS[card & 3]


def answer(it: Dealer) -> str:
    return it.tab.inner_text("#answer")


def wagers(it: Dealer) -> None:
    """One chip is too little and refused; it is taken back. Seat 2 has every wager of the game, seat 4 one."""
    areas = [area["wager"].replace(" ", "-") for area in it.table["areas"] if not area["fixed"]]
    first = areas[0]
    least = it.table["limits"][0]
    it.press(f"chip-{it.table['chips'][0]}")
    it.tap(f"area-2-{first}")
    it.tap("go")
    assert "outside the limits" in answer(it) and it.table["open"]
    it.press("chip-take")
    it.tap(f"area-2-{first}")
    assert it.table["seats"][1]["wagers"] == {}
    it.press(f"chip-{least}")
    for place in (*(f"2-{area}" for area in areas), f"4-{first}"):
        it.tap(f"area-{place}")
    it.tap("go")
    assert answer(it) == "" and not it.table["open"]


def enter(it: Dealer, cards: list[int]) -> None:
    for card in cards:
        it.card(*face(card))
        assert answer(it) == ""
    it.tap("enter")


def entered_twice(it: Dealer) -> None:
    """A card of a hand that was entered before is refused: the page names both and corrects either."""
    hand = before(it)[0]
    place, there = len(hand["cards"]) - 1, len(it.table["ask"]["entry"])
    number = it.table["entered"].index(hand)
    card, unused = hand["cards"][place], next(it_ for it_ in range(52) if it_ not in known(it))
    it.card(*face(card))
    shown = it.tab.inner_text("#twice").lower()
    assert "was entered twice" in shown and f"first: {hand['who']}, card {place + 1}" in shown
    assert f"again: {it.table['ask']['who']}, card {there + 1}" in shown
    it.tap("twice-again")  # it was another card
    assert not it.tab.is_visible("#twice")
    it.card(*face(card))
    correct(it, "twice-first", unused)  # the card of the hand before was wrong
    assert not it.tab.is_visible("#twice") and it.table["entered"][number]["cards"][place] == unused
    it.card(*face(card))
    assert it.table["ask"]["entry"][there:] == [[card, "dealer"]]
    it.tap("back")
    it.press("correct")  # and now it is right again
    it.press(f"hand-{number}")
    if place:
        it.press(f"wrong-{place}")
    chosen(it, card)


def before(it: Dealer) -> list[Any]:
    """Hands that were entered, of others than the one that is asked for."""
    return [hand for hand in it.table["entered"] if hand["who"] != it.table["ask"]["who"]]


def correct(it: Dealer, button: str, card: int) -> None:
    it.press(button)
    assert it.tab.is_disabled("#dialog-record")  # nothing is changed yet
    chosen(it, card)


def chosen(it: Dealer, card: int) -> None:
    for part in face(card):
        it.press(f"right-{part}")
    it.write("supervisor", "J. Doe")
    it.tap("dialog-record")
    assert "approved by J. Doe" in answer(it)


def known(it: Dealer) -> set[int]:
    return {card for hand in it.table["entered"] for card in hand["cards"]} | set(it.table["lie"])


def step(it: Dealer, tried: set[str]) -> None:
    """What is next, by hand."""
    table = it.due()
    ask, action = table["ask"], table["now"]["action"]
    if action.get("do") == "done" or not ask:
        for number, _ in enumerate(action.get("checks", ())):
            it.press(f"check-{number}")
            it.write("validated", "J. Doe")
        it.tap("go")
    elif ask["kind"] == "cards":
        if before(it) and "twice" not in tried and not registry.find(table["game"]).drawn:
            tried.add("twice")
            entered_twice(it)
        there = [card for card, _ in it.table["ask"]["entry"]]
        enter(it, [card for card in it.table["lie"] if card not in there])
    elif ask["kind"] in ("decide", "expose", "confirm"):
        choice = "expose" if ask["kind"] == "expose" else ask["choices"][0].replace(" ", "-")
        it.tap(f"choose-{choice}")
    else:
        it.tap("by-plant")
    assert ask is None or ask["kind"] == "cards" or answer(it) == ""


@pytest.mark.parametrize(
    ("game", "way"), [pytest.param(*it, marks=[pytest.mark.slice] if it == SLICE else []) for it in WHOLE]
)
def test_a_round_is_played_by_hand_with_its_errors(chromium: Any, tmp_path: Path, game: str, way: str) -> None:
    """The cards that were entered are those that the seed gives, and the page never says that the shoe is lost."""
    with dealer(chromium, setup(game, tmp_path / "table"), way, **WAYS[way]) as it:
        it.bets()
        it.ask(WATCH)
        wagers(it)
        tried: set[str] = set()
        for _ in range(STEPS_MAX):
            it.until("table.known.table.round > 1 || table.known.table.ask || table.known.table.now.action.do")
            if it.table["round"] > 1 and it.table["now"]["action"].get("do") != "done":
                break
            step(it, tried)
        lines = it.table["lines"]
        assert it.table["lines_of"] == 1 and lines and all(line["done"] for line in lines)
        it.bets()
        assert it.table["calls"] == [] and it.errors == [] and it.ask("problems") == []
        if not registry.find(game).drawn:
            assert it.table["check"] == "the cards agree with the disclosed seed"
            assert set(it.ask("states")) == {"live", "reading"}
