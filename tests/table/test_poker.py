"""Evaluators of five and three cards and of blackjack, against frequencies that are known exactly."""

from collections import Counter
from itertools import combinations

import pytest
from hands import FIVE, THREE, five
from oracles import exact

from fairshoe.errors import UsageError
from fairshoe_table.rules import poker
from fairshoe_table.rules.cards import DECK, PACK_48, cards, name


def test_all_2598960_hands_have_the_known_frequencies() -> None:
    counted = exact.values()
    kinds: Counter[poker.Hand] = Counter()
    for value, number in counted.items():
        kinds[poker.hand_of(value)] += number
    assert len(counted) == poker.VALUES == 7462
    assert [kinds[hand] for hand in sorted(poker.Hand, reverse=True)] == [
        *(4, 36, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540)
    ]
    unqualified = sum(number for value, number in counted.items() if not poker.qualifies(value))
    assert abs(unqualified / 2_598_960 - 0.4368132) < 5e-7


def test_all_22100_three_card_hands_have_the_known_frequencies() -> None:
    kinds = Counter(poker.hand3(*hand) for hand in combinations(DECK, 3))
    assert [kinds[hand] for hand in sorted(poker.Hand3, reverse=True)] == [48, 52, 720, 1096, 3744, 16440]


@pytest.mark.parametrize("hand", poker.Hand)
def test_each_kind_is_recognised(hand: poker.Hand) -> None:
    assert poker.hand5(five(hand)) is hand
    assert poker.hand5(reversed(five(hand))) is hand


@pytest.mark.parametrize("hand", poker.Hand3)
def test_each_three_card_kind_is_recognised(hand: poker.Hand3) -> None:
    assert poker.hand3(*cards(THREE[hand])) is hand


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("3c 3d 5h 6s 7c", "2c 2d Ah Ks Qc"),  # ruling groups-first: the rank of the pair before an ace
        ("2c 3d 4h 5s 6c", "Ac 2d 3h 4s 5c"),  # the wheel is the lowest straight
        ("As Kd Qc Jh Td", "Ks Qd Jc Th 9d"),
        ("Ac Ad 2h 2s Kc", "Kc Kd Qh Qs Ac"),
        ("8c 8d 8h 3s 3c", "7c 7d 7h As Ac"),
        ("Ac Kd 9h 5s 3c", "Ac Kd 9h 5s 2c"),  # the last kicker counts: ruling dcp-kickers
        ("2h 3h 4h 5h 6h", "Ah 2h 3h 4h 5h"),
        ("As Ks Qs Js Ts", "Kh Qh Jh Th 9h"),
    ],
)
def test_the_better_hand_has_the_higher_value(better: str, worse: str) -> None:
    assert poker.value5(*cards(better)) > poker.value5(*cards(worse))


def test_suits_never_break_a_tie() -> None:
    assert poker.value5(*cards("As Kd 9h 5s 3c")) == poker.value5(*cards("Ad Kc 9s 5h 3d"))
    assert poker.value5(*cards("Ad Jd 9d 5d 2d")) == poker.value5(*cards("As Js 9s 5s 2s"))


def test_no_straight_runs_around_the_ace() -> None:
    assert poker.hand5(cards("Qc Kd Ah 2s 3c")) is poker.Hand.HIGH_CARD
    assert poker.hand3(*cards("Kc Ad 2h")) is poker.Hand3.NOTHING
    assert poker.hand3(*cards("Ac 2d 3h")) is poker.Hand3.STRAIGHT


@pytest.mark.parametrize(
    ("hand", "qualified"),
    [("Ac Kd 4h 3s 2c", True), ("Ac Qd Jh 9s 8c", False), ("2c 2d 3h 4s 5c", True), ("Kc Qd Jh 9s 8c", False)],
)
def test_the_dealer_qualifies_with_ace_and_king_or_better(hand: str, qualified: bool) -> None:
    assert poker.qualifies(poker.value5(*cards(hand))) is qualified


@pytest.mark.parametrize(
    ("hand", "points", "soft"),
    [
        ("As Kd", 21, True),
        ("As 5d", 16, True),
        ("As 5d Kc", 16, False),
        ("As Ad Ac", 13, True),
        ("9s 7d", 16, False),
        ("Js Qd 2c", 22, False),
        ("As Ad 9c", 21, True),
    ],
)
def test_totals_count_aces_as_they_fit(hand: str, points: int, soft: bool) -> None:
    assert poker.total(cards(hand)) == (points, soft)


def test_a_blackjack_is_an_ace_and_a_face_card() -> None:
    assert poker.is_blackjack(cards("As Jd")) and poker.is_blackjack(cards("Kd Ac"))
    assert (
        not poker.is_blackjack(cards("As 9d"))
        and not poker.is_blackjack(cards("As 5d 5c"))
        and not poker.is_blackjack(cards("As Ad"))
    )


def test_cards_are_read_and_written() -> None:
    assert [name(card) for card in cards("As Td 10c 2h")] == ["As", "Td", "Tc", "2h"]
    assert len(PACK_48) == 48 and not any(name(card).startswith("T") for card in PACK_48)
    with pytest.raises(UsageError, match="twice"):
        cards("As As")
    with pytest.raises(UsageError, match="no card"):
        cards("1s")


def test_hands_are_described() -> None:
    assert poker.describe5(poker.value5(*cards(FIVE[poker.Hand.HIGH_CARD]))) == "ace-queen high"
    assert poker.describe5(poker.value5(*cards(FIVE[poker.Hand.PAIR]))) == "pair (jacks)"
