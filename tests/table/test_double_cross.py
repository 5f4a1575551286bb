"""Double Cross Poker: both pay tables, the dealer's better axis, ties, folds, voids, the payout limit."""

import pytest
from hands import paid, settled

from fairshoe_table.games.double_cross import GAME, Axis, DoubleCrossOptions, Hand, Round, axis_cards, dealers_axis
from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import Line, net
from fairshoe_table.rules.money import Rounding

OPTIONS = DoubleCrossOptions()


def settle(round: Round, options: DoubleCrossOptions) -> list[Line]:
    return list(GAME.settled(round, options).lines)


V, H = Axis.VERTICAL, Axis.HORIZONTAL

# DCP 11(b): own two cards, the community cards (left, centre, right, top, bottom), odds of each raise. The dealer has
# 2h 3d; the player lies on the row.
RAISES = [
    ("As Ks", "Qs Js Ts 9c 8d", 300, 1),
    ("9s 8s", "7s 6s 5s Kc Jd", 50, 1),
    ("7c 7d", "7h 7s Qs 9c 8d", 15, 1),
    ("8c 8d", "8h Qs Qc 7c 6d", 7, 1),
    ("As Js", "9s 5s 2s Kc Qd", 6, 1),
    ("9c 8d", "7h 6s 5c Kc Qd", 5, 1),
    ("5c 5d", "5h Ks 9c Qc Jd", 3, 1),
    ("Jc Jd", "4h 4s 9c Qc 8d", 3, 2),
    ("Jc Jd", "4h 5s 9c Qc 8d", 1, 1),
    ("Ac Jd", "4h 5s 9c Qc 8d", 1, 1),
]
# DCP 11(c) with a wager of $4.
THREE = {
    "4h 5h 6h": 16_000,
    "9c 9d 9s": 12_000,
    "Ac 2d 3h": 2_400,
    "2c 9c Kc": 1_600,
    "8c 8d 3h": 400,
    "Kc Ad 2h": -400,
}


@pytest.mark.parametrize(("own", "community", "wins", "per"), RAISES)
def test_every_row_of_the_raise_pays_as_printed(own: str, community: str, wins: int, per: int) -> None:
    player = Hand(1, 1000, cards=cards(own), raised=True, axis=H)
    lines = settle(Round((player,), cards("2h 3d"), cards(community)), OPTIONS)
    raised = 1000 * wins // per
    assert [(line.wager, line.net) for line in lines] == [
        *(("ante", 1000), ("first raise", raised), ("second raise", raised))
    ]
    settled({1: 3000}, lines)


@pytest.mark.parametrize(("text", "cents"), THREE.items())
def test_every_row_of_the_three_card_wager_uses_the_card_farthest_from_the_dealer(text: str, cents: int) -> None:
    one, two, top = cards(text)
    player = Hand(1, 1000, 400, (one, two), exposed=True)
    lines = settle(Round((player,), community=(None, None, 51, top, None)), OPTIONS)
    assert [(line.wager, line.net) for line in lines] == [("bonus", cents)]


def test_a_three_card_hand_that_is_not_exposed_loses() -> None:
    one, two, top = cards("9c 9d 9s")
    lines = settle(
        Round((Hand(1, 1000, 400, (one, two), exposed=False),), community=(None, None, 51, top, None)), OPTIONS
    )
    assert paid(lines) == [("bonus", "lose", -400)]


def test_the_axes_share_the_centre() -> None:
    community = cards("2c 3d 4h 5s 6c")
    assert axis_cards(community, H) == cards("2c 3d 4h")
    assert axis_cards(community, V) == cards("5s 3d 6c")


def test_the_dealer_takes_the_better_axis_and_a_player_may_win_with_the_other() -> None:
    community = cards("9h 9s 4c Kd Qd")  # row: two nines; column: K 9 Q
    dealer = cards("Kc 2d")
    round = Round((), dealer, community)
    assert dealers_axis(round) is V  # kings beat nines
    player = Hand(1, 1000, cards=cards("9d 3c"), raised=True, axis=H)
    assert net(settle(Round((player,), dealer, community), OPTIONS)) == 1000 + 3000 + 3000


def test_a_tie_pushes_all_three_and_the_last_kicker_decides() -> None:
    community = cards("Ah Ks 9c 8d 7d")
    tie = Hand(1, 1000, cards=cards("Jc 2d"), raised=True, axis=H)
    lines = settle(Round((tie,), cards("Jd 2h"), community), OPTIONS)
    assert paid(lines) == [("ante", "push", 0), ("first raise", "push", 0), ("second raise", "push", 0)]
    loses = settle(Round((tie,), cards("Jd 3h"), community), OPTIONS)  # ruling dcp-kickers
    assert net(loses) == -3000
    settled({1: 3000}, loses)


@pytest.mark.parametrize(("rounding", "cents"), [(Rounding.PLAYER, 1502), (Rounding.HOUSE, 1501)])
def test_half_a_cent_of_three_to_two_goes_where_the_option_says(rounding: Rounding, cents: int) -> None:
    player = Hand(1, 1001, cards=cards("Jc Jd"), raised=True, axis=H)
    options = DoubleCrossOptions(rounding=rounding)
    lines = settle(Round((player,), cards("2h 3d"), cards("4h 4s 9c Qc 8d")), options)
    assert [line.paid for line in lines] == [1001, cents, cents]
    settled({1: 3003}, lines)


def test_a_fold_loses_the_ante_only() -> None:
    lines = settle(Round((Hand(1, 1000, cards=cards("2c 3d"), raised=False),)), OPTIONS)
    assert paid(lines) == [("ante", "lose", -1000)]


def test_order_bonus_losers_winners_folds_then_hands_from_the_far_right() -> None:
    community = cards("4h 5s 9c Qc 8d")  # top is the queen of clubs
    hands = (
        Hand(1, 1000, 400, cards("Qd Qh"), True, True, V),
        Hand(2, 1000, 400, cards("2c 3d"), True, False),
        Hand(3, 1000, 0, cards("Ac Jd"), None, True, H),
    )
    lines = settle(Round(hands, cards("2h 3s"), community), OPTIONS)
    assert [(line.seat, line.wager) for line in lines[:3]] == [(2, "bonus"), (1, "bonus"), (2, "ante")]
    assert [line.seat for line in lines[3:]] == [3, 3, 3, 1, 1, 1]
    settled({1: 3400, 2: 1400, 3: 3000}, lines)


def test_the_limit_is_on_the_raises_only() -> None:
    options = DoubleCrossOptions(cap=6_010_000, maximum=1_000_000, approvals={"cap": "x"})
    player = Hand(1, 20_000, cards=cards("As Ks"), raised=True, axis=H)
    lines = settle(Round((player,), cards("2h 3d"), cards("Qs Js Ts 9c 8d")), options)
    assert [line.paid for line in lines] == [20_000, 6_000_000, 10_000]
    settled({1: 60_000}, lines)
