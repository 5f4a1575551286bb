"""Boston 5 Stud: both pay tables, win, loss and tie with and without an ante bonus, folds, voids."""

from dataclasses import replace

import pytest
from hands import paid, settled

from fairshoe.messages import What
from fairshoe_table.games.boston5 import GAME, BostonOptions, Hand, Round
from fairshoe_table.play.game import ALL_OUT, Play
from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import Line, net
from fairshoe_table.rules.line_shapes import Void

OPTIONS = BostonOptions()


def settle(round: Round, options: BostonOptions) -> list[Line]:
    return list(GAME.settled(round, options).lines)


LOW = "2h 3s 4d 5c 7h"  # a dealer that loses to nearly everything

# B5 11(c) with an ante of $10: what the ante pays.
ANTE_BONUS = {
    "As Ks Qs Js Ts": 1_000_000,
    "9h 8h 7h 6h 5h": 200_000,
    "Kc Kd Kh Ks 2c": 100_000,
    "8c 8d 8h 3d 3c": 25_000,
    "Ad Jd 9d 6d 2d": 15_000,
    "9c 8d 7s 6s 5s": 8_000,
    "Qc Qd Qh Ks 2c": 4_000,
    "Jc Jd 4h 4s 9c": 2_000,
    "Jc Jd 9h 5s 2c": 0,
    "Ac Qd 9h 5s 2c": 0,
}
# B5 11(d) with a wager of $3.
OPTIONAL = {
    "4h 5h 6h": 12_000,
    "9c 9d 9s": 7_500,
    "Ac 2d 3h": 1_800,
    "2c 9c Kc": 900,
    "8c 8d 3h": 300,
    "Kc Ad 2h": -300,
}


def hand(text: str, second: int | None = 2000, **more: object) -> Hand:
    return Hand(1, 1000, 2000, cards=cards(text), second=second, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "bonus"), ANTE_BONUS.items())
def test_every_row_of_the_ante_bonus_pays_as_printed(text: str, bonus: int) -> None:
    lines = settle(Round((hand(text),), cards(LOW)), OPTIONS)
    assert [line.wager for line in lines] == ["first", "second", "ante"]
    assert [line.net for line in lines] == [2000, 2000, bonus]
    settled({1: 5000}, lines)


@pytest.mark.parametrize(("text", "cents"), OPTIONAL.items())
def test_every_row_of_the_optional_bonus_pays_as_printed(text: str, cents: int) -> None:
    lines = settle(Round((hand(text, None, bonus=300, exposed=True),)), OPTIONS)
    assert [(line.wager, line.net) for line in lines] == [("bonus", cents)]


def test_a_hand_that_is_not_exposed_loses_the_optional_bonus() -> None:
    lines = settle(Round((hand("9c 9d 9s", None, bonus=300, exposed=False),)), OPTIONS)
    assert paid(lines) == [("bonus", "lose", -300)]


def test_a_losing_bonus_hand_loses_its_ante_and_is_paid_the_bonus() -> None:
    losing = Round((hand("Jc Jd 4h 4s 9c"),), cards("Ac Ad 2h 2s 9d"))
    lines = settle(losing, OPTIONS)
    assert paid(lines) == [("first", "lose", -2000), ("second", "lose", -2000), ("ante", "bonus", 1000)]
    settled({1: 5000}, lines)
    kept = settle(losing, BostonOptions(ante_stays_on_bonus=True))
    assert paid(kept)[2] == ("ante", "win", 2000)
    settled({1: 5000}, kept)
    on_win = BostonOptions(bonus_on_win_only=True)
    for dealer, ante in (("Ac Ad 2h 2s 9d", ("lose", -1000)), ("Js Jh 4c 4d 9d", ("push", 0)), (LOW, ("win", 2000))):
        lines = settle(Round((hand("Jc Jd 4h 4s 9c"),), cards(dealer)), on_win)
        assert paid(lines)[2] == ("ante", *ante)
        settled({1: 5000}, lines)


def test_a_tie_pays_the_ante_bonus_and_returns_the_rest() -> None:
    lines = settle(Round((hand("9c 8d 7h 6s 5c"),), cards("9d 8h 7s 6c 5d")), OPTIONS)
    assert paid(lines) == [("first", "push", 0), ("second", "push", 0), ("ante", "win", 8000)]
    plain = settle(Round((hand("Ac Qd 9h 5s 2c"),), cards("As Qh 9d 5c 2d")), OPTIONS)
    assert {line.net for line in plain} == {0}
    settled({1: 5000}, plain)


def test_a_fold_loses_ante_and_first() -> None:
    lines = settle(Round((hand("Ac Qd 9h", 0),)), OPTIONS)
    assert paid(lines) == [("ante", "lose", -1000), ("first", "lose", -2000)]
    assert settled({1: 3000}, lines)["tray"] == 3000


def test_bonuses_are_settled_first_losers_before_winners_then_hands_from_the_far_right() -> None:
    hands = (
        Hand(1, 1000, 2000, 300, cards("9c 9d 9s 2c 3d"), True, 2000),
        Hand(2, 1000, 2000, 300, cards("Kc Ad 2h 4c 6d"), True, 0),
        Hand(3, 1000, 2000, 300, cards("8c 8d 3h Qd Js"), True, 2000),
    )
    lines = settle(Round(hands, cards(LOW)), OPTIONS)
    order = [(line.seat, line.wager) for line in lines]
    assert order[:3] == [(2, "bonus"), (3, "bonus"), (1, "bonus")]
    assert order[3:5] == [(2, "ante"), (2, "first")]
    assert [seat for seat, _ in order[5:]] == [3, 3, 3, 1, 1, 1]
    settled({1: 5300, 2: 3300, 3: 5300}, lines)


def test_nothing_but_bonuses_is_settled_before_all_have_decided() -> None:
    known, undecided = hand("Jc Jd 9h 5s 2c"), Hand(2, 1000, 2000, 0, cards("Kc Ad 2h"))
    assert settle(Round((known, undecided), cards(LOW)), OPTIONS) == []
    assert settle(Round((known, replace(undecided, second=2000)), cards(LOW)), OPTIONS) == []  # three of five cards
    assert settle(Round((known,)), OPTIONS) == []  # the dealer's cards


def test_a_void_keeps_the_optional_bonus_of_hands_that_the_device_lists() -> None:
    hands = (
        Hand(1, 1000, 2000, 300, cards("9c 9d 9s")),
        Hand(2, 1000, 2000, 300, cards("8c 8d 3h")),
        Hand(3, 1000, 2000, 300, cards("Kc Ad 2h")),
    )
    lines = settle(Round(hands, void=Void("B5-12f", frozenset({1, 3}))), OPTIONS)
    bonus = {line.seat: line.net for line in lines if line.wager == "bonus"}
    assert bonus == {1: 7500, 2: 0, 3: 0}
    assert net(lines) == 7500
    settled({1: 3300, 2: 3300, 3: 3300}, lines)


def test_a_bonus_that_was_settled_before_the_void_stands() -> None:
    shown = Hand(1, 1000, 2000, 300, cards("Kc Ad 2h"), exposed=True)
    lines = settle(Round((shown,), void=Void("B5-12a")), OPTIONS)
    assert net(lines) == -300
    settled({1: 3300}, lines)


def test_one_void_hand_does_not_touch_the_others() -> None:
    hands = (hand("Jc Jd 9h 5s 2c"), Hand(2, 1000, 2000, 300, cards("Kc Ad 2h"), void="B5-12d"))
    lines = settle(Round(hands, cards(LOW)), OPTIONS)
    assert net(line for line in lines if line.seat == 2) == 0
    assert net(line for line in lines if line.seat == 1) == 4000
    settled({1: 5000, 2: 3300}, lines)


def test_the_limit_leaves_the_optional_bonus_alone() -> None:
    options = BostonOptions(cap=10_040_000, approvals={"cap": "x"}, maximum=1_000_000)
    rich = Hand(1, 20_000, 40_000, 10_000_000, cards("As Ks Qs Js Ts"), True, 40_000)
    lines = settle(Round((rich,), cards(LOW)), options)
    assert sum(line.paid for line in lines if line.wager != "bonus") == 10_040_000
    assert [line.paid for line in lines if line.wager == "bonus"] == [400_000_000]


@pytest.mark.parametrize(
    ("hands", "count"),
    [([hand("", 0)], 0), ([hand("", 2000), hand("", 0)], 1), ([hand("", 2000), hand("", 2000, void="B5-12c")], 1)],
)
def test_the_final_deal_counts_hands_with_a_second_wager_that_stand(hands: list[Hand], count: int) -> None:
    """Also when all have folded: without the record the shoe does not know its stub (B5 7(f), ruling `b5-all-fold`)."""
    seated = tuple(replace(one, seat=seat) for seat, one in enumerate(hands, 1))
    reports = list(GAME.reports(Play(GAME, OPTIONS, Round(seated, final=True), closed=True), ALL_OUT))
    assert [(it.what, it.a) for it in reports] == [(What.FINAL_DEAL, count)]
