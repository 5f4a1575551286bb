"""Tests beside the game: every row of its table, and its return counted over every deal."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import pytest
from house_three import GAME, PAYS, Fold, Go, HouseThreeOptions, plays

from fairshoe_table.play.game import ALL_OUT, Play
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.round import apply, asks, rebuild, settle
from fairshoe_table.rules.cards import DECK, cards
from fairshoe_table.rules.ledger import net
from fairshoe_table.rules.money import To
from fairshoe_table.rules.poker import hand3

OPTIONS = HouseThreeOptions()


def dealt(*answers: str, seats: int = 1) -> Play:
    """A round in which seats wager $10 and the answers come in turn: choices, and cards joined with commas."""
    fact = [wager(seat, {"ante": 1000}) for seat in range(1, seats + 1)]
    play = rebuild(GAME.new(OPTIONS), [*fact, Input("closed", "closed", {"round": 1})])
    for word in answers:
        ask = asks(play, ALL_OUT)[0]
        if ask.kind == "cards":
            play = apply(play, ask.answer(cards=list(cards(word.replace(",", " "))), source="dealer"))
        else:
            play = apply(play, ask.answer(choice=word))
    return play


@pytest.mark.parametrize(
    ("own", "middle", "odds"),
    [
        ("4h,5h", "6h", 25),
        ("9c,9d", "9s", 20),
        ("Qc,Kd", "Ah", 4),
        ("2c,9c", "Kc", 3),
        ("8c,8d", "3h", 1),
        ("Kc,Ad", "2h", -1),
    ],
)
def test_every_row_pays_ante_and_play_wager(own: str, middle: str, odds: int) -> None:
    play = dealt("play", middle, own)
    lines = settle(play, {}).lines
    assert [(line.wager, line.net) for line in lines] == [("ante", 1000 * odds), ("play", 1000 * odds)]
    assert asks(play, ALL_OUT) == [] and sum(cents for _, _, cents in play.stakes) == 2000


def test_a_fold_loses_the_ante_and_a_void_returns_everything() -> None:
    play = dealt("fold", "play", seats=2)
    assert [(line.seat, line.net) for line in settle(play, {}).lines] == [(1, -1000)]
    assert [hand.choice for hand in play.round.hands] == [Fold, Go]
    play = apply(play, Input("void", "void", {"clause": "H3-6b", "kept": []}))
    lines = settle(play, {}).lines
    assert net(lines) == 0 and sum(line.returned for line in lines) == 3000 and asks(play, ALL_OUT) == []


def nets() -> Iterator[int]:
    """Of one unit, for every two own cards and every third one."""
    for own in combinations(DECK, 2):
        for middle in DECK:
            if middle not in own:
                row = PAYS.row3(hand3(*own, middle))
                odds = row.odds.wins if row is not None and isinstance(row.odds, To) else -1
                yield 2 * odds if plays(*own) else -1


def test_the_return_is_counted_over_every_deal() -> None:
    """66,300 deals. A first draft of the table (40, 30, 6, 4, 1) would have paid 112.8 %."""
    found = list(nets())
    assert len(found) == 1326 * 50
    assert round(float(1 + Fraction(sum(found), len(found))), 6) == GAME.known["game"]
