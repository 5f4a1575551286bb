"""Caribbean Stud: ante and bet, bonus tables, progressive at the player's turn, envy, five-card bonus, Cover All."""

from dataclasses import replace

import pytest
from hands import FIVE, five, paid, settled

from fairshoe_table.games.caribbean.game import GAME
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.games.caribbean.settlement import Hand, Round, cover_column, progressive_stakes
from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import net
from fairshoe_table.rules.line_shapes import Void
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, Meter, Meters
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.rules.poker import Hand as Kind

PLAIN = CaribbeanOptions()
NO_GAME = "Qh Js 9d 4c 3h"
ACE_KING = "Ah Kc 9d 4c 3h"
ORDER = sorted(Kind, reverse=True)
METERS = Meters(PROGRESSIVE, {"main": Meter(5_000_000, 1_000_000, 7000)})


def hand(text: str, bet: int | None = 2000, **more: int) -> Hand:
    return replace(Hand(1, 1000, bet, cards=cards(text)), **more)


@pytest.mark.parametrize(
    ("kind", "odds"), list(zip(ORDER, (100, 50, 20, 7, 5, 4, 3, 2, 1, 1), strict=True)), ids=[str(it) for it in ORDER]
)
def test_every_row_of_the_bet_pays_as_printed(kind: Kind, odds: int) -> None:
    text = FIVE[kind] if kind is not Kind.HIGH_CARD else "As Kd Qh 4s 3d"
    lines = GAME.settled(Round((hand(text),), cards(ACE_KING)), PLAIN).lines
    assert [(line.wager, line.net) for line in lines] == [("ante", 1000), ("bet", 2000 * odds)]
    settled({1: 3000}, lines)


def test_a_dealer_without_ace_king_pays_the_ante_and_returns_the_bet() -> None:
    lines = GAME.settled(Round((hand("2c 4d 6h 8s 9c"),), cards(NO_GAME)), PLAIN).lines
    assert paid(lines) == [("ante", "win", 1000), ("bet", "returned", 0)]


def test_lower_loses_both_and_equal_returns_both() -> None:
    lower = GAME.settled(Round((hand("As Qd Jh 9s 8c"),), cards(ACE_KING)), PLAIN).lines
    assert paid(lower) == [("ante", "lose", -1000), ("bet", "lose", -2000)]
    equal = GAME.settled(Round((hand("As Kd 9h 4s 3c"),), cards(ACE_KING)), PLAIN).lines
    assert paid(equal) == [("ante", "push", 0), ("bet", "push", 0)]


@pytest.mark.parametrize(
    ("table", "odds"),
    [
        ("CS-11c-A", (1000, 200, 100, 50, 40, 25, 7, 3, 1, -1)),
        ("CS-11c-B", (1000, 200, 100, 50, 40, 25, 6, 3, 1, -1)),
        ("CS-11c-C", (1000, 200, 100, 50, 40, 20, 6, 3, 1, -1)),
    ],
)
def test_every_row_of_the_bonus_pays_as_printed_whatever_the_dealer_has(table: str, odds: tuple[int, ...]) -> None:
    options = CaribbeanOptions(bonus_pays=pay_table(table))
    for kind, wins in zip(ORDER, odds, strict=True):
        for dealer in (NO_GAME, "Kc Kd Kh Ks 2s", FIVE[kind]):
            lines = GAME.settled(Round((hand(FIVE[kind], bonus=500),), cards(dealer)), options)
            assert [line.net for line in lines.lines if line.wager == "bonus"] == [500 * wins], kind
    nines = GAME.settled(Round((hand("9c 9d 2h 3s 4c", bonus=500),), cards(ACE_KING)), options).lines
    assert [line.net for line in nines if line.wager == "bonus"] == [-500]  # a pair below tens


FIXED = {
    "CS-11d-A": (None, 5000, 500, 100, 50, 10, 3, 2, 0, 0),
    "CS-11d-B": (None, None, 500, 100, 50, 10, 3, 2, 0, 0),
    "CS-11d-C": (None, None, 200, 50, 40, 30, 9, 0, 0, 0),
    "CS-11d-D": (None, None, 300, 50, 40, 30, 9, 0, 0, 0),
    "CS-11d-E": (None, None, 500, 100, 50, 0, 0, 0, 0, 0),
    "PTMGL01": (None, None, 300, 50, 40, 30, 9, 0, 0, 0),
    "PTMGL02": (None, None, 300, 50, 40, 30, 9, 0, 0, 0),
}


@pytest.mark.parametrize(("table", "odds"), FIXED.items())
def test_every_row_of_the_progressive_pays_for_one(table: str, odds: tuple[int | None, ...]) -> None:
    """Whatever the dealer has (CS 11(d)(2), ruling cs-steps): no game, more, and the same."""
    options = CaribbeanOptions(progressive_pays=pay_table(table))
    for kind, wins in zip(ORDER, odds, strict=True):
        for dealer in (NO_GAME, "Ac Kc Qc Jc Tc", FIVE[kind]):
            done = GAME.settled(Round((hand(FIVE[kind], progressive=100),), cards(dealer)), options, METERS)
            line = next(line for line in done.lines if line.wager == "progressive")
            share = 5_000_000 if kind is Kind.ROYAL_FLUSH else 500_000
            assert (line.returned, line.paid) == (0, share if wins is None else 100 * wins), kind
            assert line.source == ("meter progressive/main" if wins is None else "tray")
            settled({1: 3100}, done.lines)


def level(*names: str) -> Meters:
    return Meters(
        PROGRESSIVE, {name: Meter(cents, 7, 2500) for name, cents in zip(names, (900, 800, 700), strict=False)}
    )


@pytest.mark.parametrize(
    ("table", "meters", "pays"),
    [
        ("PTMGL04", level("main"), (900, 900, 30_000, 5000, 4000, 3000, 900, 0)),
        ("PTMGLML01", level("major", "minor"), (900, 800, 30_000, 5000, 4000, 3000, 900, 0)),
        ("PTMGLML02", level("mega", "major", "minor"), (900, 800, 700, 5000, 4000, 3000, 1000, 0)),
        ("PTMGLML03", level("mega", "major", "minor"), (900, 800, 700, 5000, 4000, 3000, 900, 0)),
    ],
)
def test_every_row_of_linked_tables_pays_from_its_meter(table: str, meters: Meters, pays: tuple[int, ...]) -> None:
    options = CaribbeanOptions(progressive_pays=pay_table(table))
    for kind, cents in zip(ORDER, pays, strict=False):
        done = GAME.settled(Round((hand(FIVE[kind], progressive=100),), cards(NO_GAME)), options, meters)
        assert [line.paid for line in done.lines if line.wager == "progressive"] == [cents], kind
        settled({1: 3100}, done.lines)


def royal(seat: int, suit: str) -> Hand:
    return Hand(seat, 1000, 2000, progressive=100, cards=cards(" ".join(rank + suit for rank in "AKQJT")))


def test_two_royals_in_a_round_the_second_gets_the_reset_meter() -> None:
    options = CaribbeanOptions(progressive_pays=pay_table("CS-11d-A"))
    done = GAME.settled(Round((royal(1, "s"), royal(4, "h")), cards(NO_GAME)), options, METERS)
    won = [(line.seat, line.paid) for line in done.lines if line.wager == "progressive"]
    assert won == [(4, 5_000_000), (1, 1_000_000)]  # seat 4 is at the far right
    assert done.meters[PROGRESSIVE].by_name["main"].cents == 1_000_000
    balances = settled({1: 3100, 4: 3100}, done.lines)
    assert balances["meter progressive/main"] == 1_000_000 - 5_000_000
    assert balances["house"] == -2_000_000


def test_two_straight_flushes_take_ten_percent_one_after_the_other() -> None:
    options = CaribbeanOptions(progressive_pays=pay_table("CS-11d-B"))
    hands = (
        Hand(1, 1000, 2000, progressive=100, cards=cards("9h 8h 7h 6h 5h")),
        Hand(2, 1000, 2000, progressive=100, cards=cards("9c 8c 7c 6c 5c")),
    )
    done = GAME.settled(Round(hands, cards(NO_GAME)), options, METERS)
    assert [line.paid for line in done.lines if line.wager == "progressive"] == [500_000, 450_000]
    settled({1: 3100, 2: 3100}, done.lines)


def test_envy_goes_to_the_others_who_wagered_folded_or_not_and_never_to_the_holder() -> None:
    options = CaribbeanOptions(progressive_pays=pay_table("CS-11d-D"))
    hands = (
        replace(royal(1, "s"), progressive=0),  # ruling cs-envy-holder: needs no wager
        Hand(2, 1000, 0, progressive=100, cards=cards("2c 4d 6h 8s 9c")),
        Hand(3, 1000, 2000, progressive=100, cards=cards("9h 8h 7h 6h 5h")),
        Hand(4, 1000, 2000, cards=cards("2d 4c 6s 8h Kc")),
    )
    done = GAME.settled(Round(hands, cards(NO_GAME)), options, METERS)
    envy = [(line.seat, line.paid) for line in done.lines if line.outcome.value == "bonus"]
    assert envy == [(2, 30_000), (3, 100_000), (2, 100_000)]
    settled({1: 3000, 2: 1100, 3: 3100, 4: 3000}, done.lines)


def test_no_envy_for_tables_without_it_and_for_the_dealers_hand() -> None:
    other = Hand(2, 1000, 2000, progressive=100, cards=cards("2c 4d 6h 8s 9c"))
    table_a = CaribbeanOptions(progressive_pays=pay_table("CS-11d-A"))
    done = GAME.settled(Round((royal(1, "s"), other), cards(NO_GAME)), table_a, METERS)
    assert [line for line in done.lines if line.outcome.value == "bonus"] == []
    table_d = CaribbeanOptions(progressive_pays=pay_table("CS-11d-D"))
    done = GAME.settled(Round((other,), five(Kind.ROYAL_FLUSH)), table_d, METERS)
    assert [line for line in done.lines if line.outcome.value == "bonus"] == []


THREE_METERS = ("mega", "major", "minor")


@pytest.mark.parametrize("wager", [100, 500])
@pytest.mark.parametrize(
    ("table", "meters", "royal_pays", "straight_pays"),
    [
        ("CS-11d-D", METERS, 100_000, 30_000),  # for $5 the second table of 11(d)(7): $5,000 and $1,500
        ("PTMGL01", METERS, 100_000, 30_000),
        ("PTMGL02", METERS, 500_000, 150_000),
        ("PTMGL04", METERS, 25_000, 25_000),
        ("PTMGLML01", level("major", "minor"), 100_000, 30_000),
        ("PTMGLML02", level(*THREE_METERS), 100_000, 30_000),
        ("PTMGLML03", level(*THREE_METERS), 100_000, 30_000),
    ],
)
def test_envy_as_printed_and_with_the_wager(
    table: str, meters: Meters, royal_pays: int, straight_pays: int, wager: int
) -> None:
    """Rulings cs-envy-amount and mgl-envy."""
    options = CaribbeanOptions(progressive_pays=pay_table(table), progressive_wager=wager)
    other = Hand(2, 1000, 2000, progressive=wager, cards=cards("2c 4d 6h 8s 9c"))
    straight = Hand(1, 1000, 2000, cards=cards("9h 8h 7h 6h 5h"))
    quads = Hand(1, 1000, 2000, cards=five(Kind.FOUR_OF_A_KIND))
    for holder, cents in ((royal(1, "s"), royal_pays), (straight, straight_pays), (quads, 0)):
        done = GAME.settled(Round((replace(holder, progressive=0), other), cards(NO_GAME)), options, meters)
        envy = [line.paid for line in done.lines if line.outcome.value == "bonus"]
        assert envy == ([cents * wager // 100] if cents else [])
        settled({1: 3000, 2: 3000 + wager}, done.lines)


def test_a_turn_is_ante_and_bet_bonus_progressive_envy_five_card_and_cover_all_comes_last() -> None:
    """CS 10(c)(3), 12(j), from the far right."""
    options = CaribbeanOptions(
        bonus_pays=pay_table("CS-11c-A"),
        progressive_pays=pay_table("CS-11d-D"),
        five_card=True,
        cover_all="with_dealer",
    )
    meters = Meters(FIVE_CARD, {"main": Meter(2_000_000, 1_000_000, 7000)})
    straight = Hand(1, 1000, 2000, 500, 100, 100, 100, 200, cards("9h 8h 7h 6h 5h"))
    other = Hand(3, 1000, 2000, 500, 100, 100, 100, 200, cards("2c 4d 6s 8s 9c"))
    done = GAME.settled(Round((straight, other), cards(NO_GAME), cover_column=3), options, METERS, meters)
    turn = ["ante", "bet", "bonus", "progressive"]
    five_card = ["five-card bonus", "five-card bonus on the dealer"]
    assert [(line.seat, line.extra, line.wager) for line in done.lines] == [
        *((3, "", name) for name in (*turn, *five_card)),
        *((1, "", name) for name in turn),
        (3, "envy 1", "progressive"),
        *((1, "", name) for name in five_card),
        (3, "", "cover all"),
        (1, "", "cover all"),
    ]
    settled({1: 4000, 3: 4000}, done.lines)


def test_nothing_but_folds_is_settled_before_every_card_is_known() -> None:
    options = CaribbeanOptions(five_card=True)
    known, unknown = hand("Js Jd 3h 4s 5d"), Hand(2, 1000, 2000)
    folded = Hand(3, 1000, 0, five_card=100)
    for hands, dealer in (
        ((known,), ""),
        ((known, unknown), NO_GAME),
        ((known, replace(unknown, bet=None)), NO_GAME),
        ((known, folded), NO_GAME),  # ruling cs-fold-faces: its five-card bonus lives
    ):
        done = GAME.settled(Round(hands, cards(dealer)), options)
        assert {line.seat for line in done.lines} <= {3}


@pytest.mark.parametrize("progressive", ["CS-11d-A", "PTMGL01"])
def test_a_fold_forfeits_all_but_five_card_bonus_and_cover_all(progressive: str) -> None:
    options = CaribbeanOptions(
        bonus_pays=pay_table("CS-11c-A"),
        progressive_pays=pay_table(progressive),
        five_card=True,
        cover_all="with_dealer",
    )
    folded = Hand(1, 1000, 0, 500, 100, 100, 0, 200, five(Kind.FLUSH))
    other = Hand(2, 1000, 2000, cards=cards("2c 4c 6h 8s 9c"))
    early = GAME.settled(Round((folded, replace(other, bet=None)), cover_column=3), options, METERS)
    assert paid(early.lines) == [("ante", "lose", -1000), ("bonus", "lose", -500), ("progressive", "lose", -100)]
    done = GAME.settled(Round((folded, other), cards("Kc Kd Kh 4s 3h"), cover_column=3), options, METERS)
    assert ("five-card bonus", "win", 4900) in paid(done.lines)
    assert paid(done.lines)[-1] == ("cover all", "win", 1200)  # three kings, 6 to 1: the folded flush is in the rack
    settled({1: 1900, 2: 3000}, done.lines)
    counted = replace(options, cover_all_counts_folded=True)
    done = GAME.settled(Round((folded, other), cards("Kc Kd Kh 4s 3h"), cover_column=3), counted, METERS)
    assert paid(done.lines)[-1] == ("cover all", "win", 4000)


@pytest.mark.parametrize(
    ("kind", "pays"), [(kind, wins) for kind, wins in zip(ORDER, (-1, -2, 500, 100, 50, 0), strict=False)]
)
def test_every_row_of_the_five_card_bonus_on_both_hands(kind: Kind, pays: int) -> None:
    options = CaribbeanOptions(five_card=True)
    meters = Meters(FIVE_CARD, {"main": Meter(2_000_000, 1_000_000, 7000)})
    own = Hand(1, 1000, 2000, five_card=100, cards=five(kind))
    done = GAME.settled(Round((own,), cards(NO_GAME)), options, meters)
    cents = {-1: 2_000_000, -2: 200_000}.get(pays, pays * 100)
    assert [line.paid for line in done.lines if line.wager == "five-card bonus"] == [cents]
    balances = settled({1: 3100}, done.lines)
    # Fixed odds are credited, a percentage never is (CS 10(c)(3)(ii)c.3.iii); neither comes out of the tray.
    assert balances.get("game account 1", 0) == (cents if pays > 0 else 0)
    assert balances.get("meter five-card/main", 0) == {-1: 1_000_000 - cents, -2: -cents}.get(pays, 0)
    three = tuple(
        Hand(seat, 1000, 2000, five_card_dealer=100, cards=cards(text))
        for seat, text in ((1, "2d 4h 6c 8h 9d"), (2, "3d 4d 6d 8d Th"), (3, "2h 3c 6h 8s Tc"))
    )
    done = GAME.settled(Round(three, five(kind)), options, meters)
    shares = [line.paid for line in done.lines if line.wager == "five-card bonus on the dealer"]
    if pays < 0:
        assert sum(shares) == cents and max(shares) - min(shares) <= 1  # divided equally (CS 11(e)(2))
        assert shares == sorted(shares, reverse=True)  # ruling cs-dealer-jackpot: from the far right
    else:
        assert shares == [cents] * 3
    settled({1: 3100, 2: 3100, 3: 3100}, done.lines)


# CS 12(k) as printed.
COVER = {
    8: (100, 40, 7, 6, 5, 4, 3, -1),
    7: (125, 70, 15, 9, 7, 5, 3, -1),
    6: (150, 80, 17, 12, 9, 7, 3, -1),
    5: (200, 90, 20, 15, 10, 8, 4, -1),
    4: (250, 100, 30, 20, 15, 10, 5, -1),
    3: (300, 125, 40, 30, 20, 17, 6, -1),
    2: (500, 200, 60, 40, 35, 25, 9, -1),
}


@pytest.mark.parametrize(("column", "odds"), COVER.items())
def test_every_cell_of_cover_all_pays_the_highest_hand_dealers_included(column: int, odds: tuple[int, ...]) -> None:
    options = CaribbeanOptions(cover_all="with_dealer")
    poor = Hand(1, 1000, 2000, cover_all=300, cards=cards("2d 4h 6c Th Qd"))
    for kind, wins in zip(ORDER, odds, strict=False):
        done = GAME.settled(Round((poor,), five(kind), cover_column=column), options)
        assert paid(done.lines)[-1] == ("cover all", "win" if wins > 0 else "lose", 300 * wins), kind
        settled({1: 3300}, done.lines)


def test_cover_all_pays_for_the_best_hand_of_any_player_and_not_for_a_void_one() -> None:
    """CS 12(b), ruling cover-folded. All who made the wager are paid for it, from the far right."""
    options = CaribbeanOptions(cover_all="with_dealer", cover_all_counts_folded=True)
    poor = Hand(1, 1000, 2000, cover_all=300, cards=cards("2d 4h 6c Th Qd"))
    trips = Hand(2, 1000, 2000, cards=five(Kind.THREE_OF_A_KIND))
    flush = Hand(3, 1000, 2000, cover_all=100, cards=five(Kind.FLUSH))
    for last, cents in ((flush, {3: 1500, 1: 4500}), (replace(flush, void="CS-13d"), {3: 500, 1: 1500})):
        done = GAME.settled(Round((poor, trips, last), cards(NO_GAME), cover_column=4), options)
        assert {line.seat: line.net for line in done.lines if line.wager == "cover all"} == cents
        settled({1: 3300, 2: 3000, 3: 3100}, done.lines)


def test_cover_all_without_a_column_is_returned() -> None:
    with_dealer = CaribbeanOptions(cover_all="with_dealer")
    assert [cover_column(players, with_dealer) for players in (1, 7, 8, 9)] == [2, 8, 0, 0]
    assert cover_column(8, CaribbeanOptions(cover_all="without_dealer")) == 8
    done = GAME.settled(Round((hand("2d 4h 6c Th Qd", cover_all=300),), five(Kind.FLUSH)), with_dealer)
    assert paid(done.lines)[-1] == ("cover all", "returned", 0)


def test_a_void_round_returns_every_wager() -> None:
    options = CaribbeanOptions(five_card=True, cover_all="with_dealer")
    hands = (Hand(1, 1000, 2000, 500, 100, 100, 100, 200), Hand(2, 1000, 0, 0, 100), Hand(3, 1000))
    done = GAME.settled(Round(hands, void=Void("CS-13f")), options, METERS)
    assert net(done.lines) == 0 and {line.outcome.value for line in done.lines} == {"void"}
    settled({1: 4000, 2: 1100, 3: 1000}, done.lines)
    assert progressive_stakes(Round(hands)) == (200, 200)
    assert progressive_stakes(Round(hands, void=Void("CS-13f"))) == (0, 0)


def test_one_void_hand_is_returned_and_the_others_play() -> None:
    hands = (replace(hand(FIVE[Kind.FLUSH]), void="CS-13d"), Hand(2, 1000, 2000, cards=cards("2c 4c 6h 8s 9c")))
    done = GAME.settled(Round(hands, cards(NO_GAME)), PLAIN)
    assert net(line for line in done.lines if line.seat == 1) == 0
    assert net(line for line in done.lines if line.seat == 2) == 1000
    settled({1: 3000, 2: 3000}, done.lines)
