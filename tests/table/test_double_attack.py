"""Double Attack Blackjack: every row of the settlement, Bust-It, insurance, surrender, splits, shared boxes, voids."""

from dataclasses import replace

import pytest
from hands import paid, settled

from fairshoe.errors import UsageError
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.games.double_attack.settlement import (
    Bettor,
    Box,
    Peek,
    PlayerHand,
    Round,
    Stakes,
    bust_it_row,
    dealer_draws,
    may_double,
    may_draw,
    may_split,
    may_surrender,
    settle,
)
from fairshoe_table.rules.cards import card, cards
from fairshoe_table.rules.ledger import net
from fairshoe_table.rules.line_shapes import Void
from fairshoe_table.rules.money import Rounding

OPTIONS = DoubleAttackOptions()
STAKES = Stakes(1000, 500)


def hand(text: str, surrendered: bool = False, doubled: bool = False, split: bool = False) -> PlayerHand:
    dealt = tuple(card(word) for word in text.split())
    return PlayerHand(dealt, done=True, surrendered=surrendered, doubled=doubled, split=split)


def box(*hands: PlayerHand, stakes: tuple[Stakes, ...] = (STAKES,), bonus: int = 0, insurance: int = 0) -> Box:
    return Box(1, (Bettor(1, stakes, bonus, insurance),), hands)


def play(own: Box, dealer: str, options: DoubleAttackOptions = OPTIONS) -> list[tuple[str, str, int]]:
    lines = settle(Round((own,), tuple(card(word) for word in dealer.split()), finished=True), options)
    bettor = own.bettors[0]
    total = sum(cents for stakes in bettor.stakes for _, cents in stakes.by_wager()) + bettor.bonus + bettor.insurance
    settled({1: total}, lines)
    return paid(lines)


@pytest.mark.parametrize(
    ("own", "dealer", "initial", "attack"),
    [
        ("Ks 9d", "Kd 8c", "win", "win"),  # 5(a)(2)
        ("Ks 2d", "6d 9c Kh", "win", "win"),  # 5(a)(1): the dealer is over 21
        ("As Kd", "7d 5c 9h", "win", "win"),  # 5(a)(3): blackjack against 21 in three cards
        ("7s 5d 9c", "7d 5c 9h", "push", "push"),
        ("As Kd", "Ad Kc", "push", "push"),
        ("Ks 9d", "Ad Kc", "lose", "void"),  # 5(b): the attack wager is void
        ("7s 5d 9c", "Kd Ac", "lose", "void"),  # 21 is no blackjack
        ("Ks 9d 5c", "Kd 8c", "lose", "lose"),
        ("Ks 7d", "Kd 8c", "lose", "lose"),
    ],
)
def test_every_row_of_the_settlement(own: str, dealer: str, initial: str, attack: str) -> None:
    sign = {"win": 1, "lose": -1}
    expected = [
        ("initial", initial, 1000 * sign.get(initial, 0)),
        ("double attack", attack, 500 * sign.get(attack, 0)),
    ]
    assert play(box(hand(own)), dealer) == expected


def test_all_wins_pay_even_money_a_blackjack_too() -> None:
    assert play(box(hand("As Kd")), "Kd 8c") == [("initial", "win", 1000), ("double attack", "win", 500)]


BUST = [
    ("Ks 4d Kc", 3),
    ("Ks 6d Jc", 3),
    ("Ks 6d 9c", 6),
    ("Ks 6d 8c", 8),
    ("Ks 6d 7c", 10),
    ("Ks 6d 6c", 15),
    ("8s 8d 8c", 8),
    ("8s 8s 8c", 50),
    ("8d 8h 8d", 50),
    ("8s 8s 8s", 200),
]


@pytest.mark.parametrize(("dealer", "odds"), BUST)
def test_every_row_of_bust_it_pays_as_printed(dealer: str, odds: int) -> None:
    lines = play(box(hand("Ks 9d"), bonus=300), dealer)
    assert lines[0] == ("bonus", "win", 300 * odds)


@pytest.mark.parametrize("dealer", ["Ks 7d", "As Kd", "As 5d Kc Ks", "7s 5d 9c", "6s 5d 2c Kd"])
def test_bust_it_loses_unless_the_dealer_busts_with_exactly_three_cards(dealer: str) -> None:
    assert ("bonus", "lose", -300) in play(box(hand("Ks 9d"), bonus=300), dealer)


def test_bust_it_is_settled_at_the_third_card_before_other_wagers() -> None:
    own = box(hand("Ks 9d"), bonus=300)
    third = Round((own,), cards("Kd 2c 3h"))
    assert paid(settle(third, OPTIONS)) == [("bonus", "lose", -300)]
    assert paid(settle(Round((own,), cards("Ad 2c 3h")), OPTIONS)) == [("bonus", "lose", -300)]  # soft, and below 17
    assert settle(Round((own,), cards("Kd 2c")), OPTIONS) == []
    row = bust_it_row(cards("Kd 6c 9h"))
    assert row is not None and row.text == "Nine"


def test_insurance_pays_five_to_two_and_loses_without_blackjack() -> None:
    insured = box(hand("Ks 9d"), insurance=500)
    assert play(insured, "As Kd")[0] == ("insurance", "win", 1250)
    assert play(insured, "As 9c")[0] == ("insurance", "lose", -500)
    with pytest.raises(UsageError, match="insurance"):
        box(hand("Ks 9d"), insurance=600).check(OPTIONS)
    odd = Box(1, (Bettor(1, (Stakes(1500),), insurance=800),))
    odd.check(OPTIONS)  # half of $15 needs a half dollar: up to the next chip


@pytest.mark.parametrize(
    ("up", "second", "initial", "attack", "doubled"),
    [
        ("5d", "", -500, -250, -100),
        ("Kd", "8c", -500, -250, -100),
        ("Kd", "Ac", -1000, 0, 0),  # ruling dab-dealer-blackjack
        ("Ad", "Kc", -1000, 0, 0),
    ],
)
def test_surrender_halves_every_wager_of_the_hand(
    up: str, second: str, initial: int, attack: int, doubled: int
) -> None:
    own = box(hand("Ks 6d", surrendered=True), stakes=(Stakes(1000, 500, doubled=200),))
    lines = settle(Round((own,), cards(f"{up} {second}")), OPTIONS)
    assert [line.net for line in lines] == [initial, attack, doubled]
    settled({1: 1700}, lines)


def test_a_surrender_waits_for_the_second_card_against_an_ace_or_ten() -> None:
    own = box(hand("Ks 6d", surrendered=True))
    assert settle(Round((own,), cards("Kd")), OPTIONS) == []
    assert settle(Round((own,), cards("Kd"), peek=Peek.NO), OPTIONS) == []  # the house does not settle at once
    at_once = DoubleAttackOptions(surrender_at_once=True)
    assert settle(Round((own,), cards("Kd"), peek=Peek.OFF), at_once) == []  # the reader has not said no
    assert [line.net for line in settle(Round((own,), cards("Kd"), peek=Peek.NO), at_once)] == [-500, -250]


@pytest.mark.parametrize(("rounding", "cent"), [(Rounding.PLAYER, 1), (Rounding.HOUSE, 0)])
def test_an_odd_cent_of_a_surrender_and_of_insurance_goes_where_the_option_says(rounding: Rounding, cent: int) -> None:
    options = DoubleAttackOptions(rounding=rounding)
    own = box(hand("Ks 6d", surrendered=True), stakes=(Stakes(1001),))
    assert [line.returned for line in settle(Round((own,), cards("5d")), options)] == [500 + cent]
    waits = settle(Round((own,), cards("Kd 8c")), options)
    assert [line.returned for line in waits] == [500 + cent]
    insured = settle(Round((box(hand("Ks 9d"), insurance=301),), cards("As Kd"), finished=True), options)
    assert insured[0].paid == 752 + cent


def test_insurance_and_surrender_do_not_depend_on_each_other() -> None:
    """DAB 8(b): both are settled after the dealer's second card."""
    own = box(hand("Ks 6d", surrendered=True), insurance=500)
    assert play(own, "Ad Kc") == [("insurance", "win", 1250), ("initial", "lose", -1000), ("double attack", "void", 0)]
    assert play(own, "Ad 9c") == [
        *(("insurance", "lose", -500), ("initial", "half", -500), ("double attack", "half", -250))
    ]


def test_what_comes_after_the_dealers_second_card_is_settled_in_the_order_of_events() -> None:
    """Ruling dab-order: insurance, surrendered hands, the bonus, the rest, each from the far right."""
    one = box(hand("Ks 9d"), bonus=300, insurance=500)
    two = replace(box(hand("Ks 6d", surrendered=True), bonus=300, insurance=500), seat=2)
    lines = settle(Round((one, two), cards("Ad 9c"), finished=True), OPTIONS)
    assert [(line.seat, line.wager) for line in lines] == [
        *((2, "insurance"), (1, "insurance"), (2, "initial"), (2, "double attack")),
        *((2, "bonus"), (1, "bonus"), (1, "initial"), (1, "double attack")),
    ]
    settled({1: 2300, 2: 2300}, lines)


def test_the_bonus_stands_after_a_surrender() -> None:
    own = box(hand("Ks 6d", surrendered=True), bonus=300)
    lines = settle(Round((own,), cards("5d 9c Kh"), finished=True), OPTIONS)
    assert paid(lines)[-1] == ("bonus", "win", 900)


def test_dealer_blackjack_collects_only_the_original_wagers() -> None:
    split = box(
        hand("8s Kd", split=True),
        hand("8d 3c 9h", split=True, doubled=True),
        stakes=(Stakes(1000, 500), Stakes(split=1000, doubled=1000)),
    )
    assert play(split, "Ad Kc") == [
        ("initial", "lose", -1000),
        ("double attack", "void", 0),
        ("split", "void", 0),
        ("doubled", "void", 0),
    ]
    assert play(split, "6d Kc Qc")[2:] == [("split", "win", 1000), ("doubled", "win", 1000)]


def test_a_busted_hand_loses_only_the_original_wager_to_a_blackjack() -> None:
    doubled = box(hand("Ks 6d 8c", doubled=True), stakes=(Stakes(1000, 500, doubled=1500),))
    assert sum(line[2] for line in play(doubled, "Ad Kc")) == -1000
    assert sum(line[2] for line in play(doubled, "Ad 9c")) == -3000
    waiting = Round((doubled,), cards("Ad"))
    assert [(line.wager, line.net) for line in settle(waiting, OPTIONS)] == [("initial", -1000)]
    assert dealer_draws(waiting)  # DAB 12(c): a blackjack would return money
    plain = replace(waiting, boxes=(box(hand("Ks 6d 8c"), stakes=(Stakes(1000),)),))
    for round, draws in (
        (plain, False),  # nothing was added
        (replace(waiting, dealer=cards("9d")), False),  # no blackjack is possible
        (replace(waiting, peek=Peek.NO), False),  # or the reader has excluded it
        (replace(waiting, bust_is_final=True), False),
    ):
        assert dealer_draws(round) is draws
        assert net(settle(round, OPTIONS)) == (-1000 if round is plain else -3000)


def test_ace_and_ten_after_a_split_is_no_blackjack() -> None:
    split = box(hand("As Kd", split=True), stakes=(Stakes(1000),))
    assert play(split, "7d 5c 9h") == [("initial", "push", 0)]


def test_a_dead_hand_returns_every_wager() -> None:
    dead = box(replace(hand("Ks 6d"), dead="DAB-15j"), stakes=(Stakes(1000, 500, doubled=500),))
    lines = settle(Round((dead,), cards("5d")), OPTIONS)
    assert net(lines) == 0 and len(lines) == 3
    settled({1: 2000}, lines)


def test_a_void_round_returns_everything() -> None:
    own = box(hand("Ks 6d 9c"), stakes=(Stakes(1000, 500, doubled=500),), bonus=300, insurance=400)
    lines = settle(Round((own,), cards("Ad Kc"), True, Void("DAB-15e")), OPTIONS)
    assert net(lines) == 0
    settled({1: 2700}, lines)


def test_bettors_of_one_box_are_settled_apart_and_boxes_from_the_far_right() -> None:
    shared = Box(2, (Bettor(1, (Stakes(1000, 1000),)), Bettor(2, (Stakes(2000),), bonus=100)), (hand("Ks 9d"),))
    other = Box(1, (Bettor(1, (Stakes(1000),)),), (hand("Ks 7d"),))
    lines = settle(Round((other, shared), cards("Kd 8c"), True), OPTIONS)
    assert [(line.seat, line.bettor, line.net) for line in lines] == [
        *((2, 2, -100), (2, 1, 1000), (2, 1, 1000), (2, 2, 2000), (1, 1, -1000))
    ]
    settled({1: 1000, 2: 4100}, lines)


def test_what_a_hand_may_do() -> None:
    open_hand = PlayerHand(cards("8s 8d"))
    one = box(open_hand)
    assert may_split(one, 0, OPTIONS) and may_double(open_hand) and may_surrender(open_hand)
    assert may_split(box(PlayerHand(cards("Js Qd"))), 0, OPTIONS)  # equal value
    three = box(open_hand, open_hand, open_hand)
    assert not may_split(three, 0, OPTIONS) and may_split(three, 0, DoubleAttackOptions(positions=6))
    assert not may_split(box(PlayerHand(cards("As Ad"), split=True), open_hand), 0, OPTIONS)  # aces only once
    assert not may_double(PlayerHand(cards("As Kd"))) and not may_draw(PlayerHand(cards("As Kd")))
    assert not may_draw(PlayerHand(cards("As 9d Ac")))  # a soft 21
    assert may_double(PlayerHand(cards("2s 3d 4c")))  # any number of cards
    assert not may_surrender(replace(open_hand, done=True))
    assert not may_split(box(PlayerHand(cards("4s 4d 2c"))), 0, OPTIONS)  # the first two cards only
    doubled, twenty = PlayerHand(cards("2s 3d 4c"), doubled=True), PlayerHand(cards("Ks Kd"))
    assert not may_draw(doubled) and not may_double(doubled) and may_surrender(doubled)
    assert may_draw(twenty) and may_surrender(twenty)
    for out in (
        PlayerHand(cards("8s")),
        replace(open_hand, done=True),
        replace(open_hand, dead="DAB-15j"),
        replace(open_hand, surrendered=True, done=True),
        PlayerHand(cards("Ks 8d 9c"), done=True),
    ):
        assert not may_draw(out) and not may_double(out) and not may_surrender(out)


def test_the_dealer_draws_only_while_something_depends_on_it() -> None:
    stands = hand("Ks 9d")
    assert dealer_draws(Round((box(stands),), cards("Kd 6c")))
    assert not dealer_draws(Round((box(stands),), cards("Kd 7c")))
    assert not dealer_draws(Round((box(stands),), cards("Ad 6c")))  # a soft 17
    bust = hand("Ks 9d 5c")
    assert not dealer_draws(Round((box(bust),), cards("Kd 6c")))
    assert dealer_draws(Round((box(bust, bonus=100),), cards("Kd 6c")))
    assert not dealer_draws(Round((box(bust, bonus=100),), cards("Kd 2c 3c")))
    assert not dealer_draws(Round((box(hand("As Kd")),), cards("6d 5c")))  # a blackjack wins against any 21
    assert not dealer_draws(Round((box(bust),), cards("6d")))
    assert dealer_draws(Round((box(hand("Ks 6d", surrendered=True)),), cards("Kd")))


def test_wagers_that_do_not_fit_are_refused() -> None:
    box(PlayerHand(), bonus=1000).check(OPTIONS)
    for wrong in (
        box(PlayerHand(), stakes=(Stakes(500),)),
        box(PlayerHand(), stakes=(Stakes(1000, 1001),)),
        box(PlayerHand(), bonus=1001),
        box(PlayerHand(), bonus=50),
        Box(1, ()),
        Box(1, tuple(Bettor(number, (STAKES,)) for number in range(4))),
    ):
        with pytest.raises(UsageError, match="box 1"):
            wrong.check(OPTIONS)
    equal = DoubleAttackOptions(attack_equals_initial=True)
    with pytest.raises(UsageError, match="double attack"):
        box(PlayerHand()).check(equal)
    for attack in (0, 1000):
        box(PlayerHand(), stakes=(Stakes(1000, attack),)).check(equal)
    with pytest.raises(UsageError, match="bonus wager"):  # the posted maximum, below the initial wager (DAB 6(b))
        box(PlayerHand(), bonus=501).check(DoubleAttackOptions(bonus_maximum=500))
    box(PlayerHand(), bonus=500).check(DoubleAttackOptions(bonus_maximum=500))
