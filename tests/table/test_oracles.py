"""The oracles that need one hand of a deal, and the others held against the settlement code for a few deals. `make
table-oracles` has all deals."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import pytest
from oracles import double_attack as whole_attack
from oracles import double_cross as whole_cross
from oracles import exact, rulings_page, table
from oracles.double_attack import NOTHING, Counts, Splits, UpCard, plus, unsplit, without

from fairshoe.games.record_kinds import DEALER
from fairshoe_table.games import double_cross
from fairshoe_table.games.caribbean.game import SAMPLE_SEED
from fairshoe_table.games.double_attack import round as blackjack
from fairshoe_table.games.double_attack import settlement as double_attack
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.games.double_cross import DoubleCrossOptions
from fairshoe_table.play import registry
from fairshoe_table.play.game import Ask
from fairshoe_table.rules.cards import ACE, DECK, KING, cards
from fairshoe_table.rules.ledger import net
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.simulated.returns import GAME

WORDS = {it.WORD: it for it in registry.find("double-attack-blackjack").choices}
KNOWN = {game: registry.find(game).known for game in registry.OURS}

UNIT = 1000
Round = double_attack.Round


def test_every_quick_oracle_is_counted_to_a_millionth() -> None:
    found = list(table.quick())
    assert len(found) == 44
    assert [oracle for oracle in found if not oracle.good] == []


def test_a_wrong_number_is_noticed() -> None:
    assert not table.Oracle("x", 0.915475, 0.915477).good


def test_a_sampled_number_is_good_within_its_error_and_only_if_that_is_small() -> None:
    assert table.Oracle("x", 0.9355, 0.9358, 0.0001).good
    assert not table.Oracle("x", 0.9355, 0.9360, 0.0001).good
    assert not table.Oracle("x", 0.9355, 0.9355, 0.0003).good


def test_known_returns_of_a_report_are_the_counted_ones() -> None:
    plain, doubled = exact.double_down()
    counted = {
        ("double-down-stud", "original"): 1 + plain,
        ("double-down-stud", GAME): 1 + doubled,
        ("boston-5-stud", "bonus"): exact.return3(pay_table("B5-11d")),
        ("caribbean-stud", "bonus"): exact.return5(pay_table("CS-11c-A")),
        ("double-cross-poker", "bonus"): exact.return3(pay_table("DCP-11c")),
        ("double-attack-blackjack", "bonus"): exact.bust_it(8)[1],
        # Counted by `make table-oracles`, by the strategies of the simulated players.
        ("boston-5-stud", GAME): 1 + table.FIGURES["B5: never fold"],
        ("caribbean-stud", GAME): 1 + table.FIGURES["CS: three rules"],
        ("caribbean-stud", "cover all"): table.FIGURES["CS: Cover All, two hands"],
        ("double-cross-poker", GAME): 1 + table.FIGURES["DCP: rules of the simulated players"],
    }
    pools = (("progressive", "CS-11d-D"), ("five-card bonus", "CS-11e"), ("five-card bonus on the dealer", "CS-11e"))
    for wager, name in pools:
        pays = pay_table(name)
        counted["caribbean-stud", wager] = exact.return5(pays) + exact.meter_slope(pays, {"main": SAMPLE_SEED})
    assert {(game, wager) for game, by_wager in KNOWN.items() for wager in by_wager} == set(counted)
    for (game, wager), returned in counted.items():
        assert KNOWN[game][wager] == round(float(returned), 6), (game, wager)


def test_figures_of_the_page_are_those_of_reports_and_oracles() -> None:
    """Known returns of games, the strategies of Double Cross Poker, and returns in the text."""
    page = rulings_page.PAGE.read_text(encoding="utf-8")
    for game, by_wager in KNOWN.items():
        if GAME in by_wager:
            title = game.replace("-", " ").title()
            row = next(line for line in page.splitlines() if line.startswith(f"| {title} |") and " s |" in line)
            assert f"| {by_wager[GAME]:.4%} |".replace("%", " %") in row
    for name, text in (
        ("DCP: rules of the simulated players", "| -4.349792 % |"),
        ("DCP: the same, never fold", "| -24.323503 % |"),
        ("DCP: best strategy", "| -2.206374 % |"),
        ("B5: never fold", "(-19.5153 %)"),
        ("CS: best strategy", "(-5.22431 %)"),
    ):
        assert text in page and float(text.strip("|()% ")) / 100 == pytest.approx(table.FIGURES[name], abs=1e-9)


# --- Double Cross Poker ------------------------------------------------------------------------


def _raises(own: tuple[int, ...], community: tuple[int, ...], axis: double_cross.Axis) -> int:
    """Net cents against all dealers, by the settlement code."""
    hand = double_cross.Hand(1, UNIT, 0, own, None, True, axis)
    dealers = combinations([card for card in DECK if card not in own and card not in community], 2)
    rounds = (double_cross.Round((hand,), dealer, community) for dealer in dealers)
    return sum(net(double_cross.GAME.settled(round, DoubleCrossOptions()).lines) for round in rounds)


def test_raises_of_double_cross_are_counted_as_they_are_settled() -> None:
    # Left, centre, right, top, bottom. Own cards have the suits of the open ones: their class has no other member here.
    pairs, suits = cards("5h 7h 2d 7c 9s"), cards("Kh 8c 3d 7c 9c")
    asked = {pairs: ("Ac 7d", "2c 5c"), suits: ("5c 6c", "Kc 2c")}
    found = {(one.own, one.top, one.right): one for one in whole_cross.count(list(asked))}
    for community, hands in asked.items():
        _left, _centre, right, top, _bottom = community
        for hand in hands:
            one, two = sorted(cards(hand))
            seen = found[(one, two), top, right]
            cents = UNIT // whole_cross.HALVES
            assert seen.vertical * cents == _raises((one, two), community, double_cross.Axis.VERTICAL), hand
            assert seen.horizontal * cents == _raises((one, two), community, double_cross.Axis.HORIZONTAL), hand


# --- Double Attack Blackjack -------------------------------------------------------------------


def _card(value: int) -> int:
    return 4 * {1: ACE, 10: KING}.get(value, value - 2)


def _values(hand: tuple[int, ...]) -> list[int]:
    return [{ACE: 1, KING: 10}.get(card // 4, card // 4 + 2) for card in hand]


def _begun() -> Round:
    bettor = double_attack.Bettor(1, (double_attack.Stakes(UNIT),))
    return Round((double_attack.Box(1, (bettor,)),))


def _after(round: Round, options: DoubleAttackOptions, kind: str, **data: Any) -> Round:
    match kind:
        case "cards":
            return blackjack.card(round, data["seat"], data["part"], data["cards"][0])
        case "peek":
            return blackjack.peeked(round, double_attack.Peek(data["answer"]))
        case _:
            return blackjack.decided(round, WORDS[data["choice"]](data["seat"], data["part"]), options)[0]


def _hand(round: Round, part: str) -> double_attack.PlayerHand:
    return round.boxes[0].hands[int(part.split(".")[0])]


class EveryDeal:
    """Every deal of a small shoe through the table's questions and settlement, by the strategy without splits."""

    options = DoubleAttackOptions(positions=6, hole_card=True, reader=True)

    def __init__(self, shoe: Counts) -> None:
        self.shoe = shoe
        self.decisions: set[str] = set()

    def expectation(self, round: Round, unseen: Counts, hole: int = 0) -> float:
        asked = blackjack.next_ask(round, self.options)
        if asked is None and blackjack.waits_for_reader(round, self.options):
            answer = "blackjack" if {hole, *_values(round.dealer)} == {1, 10} else "no"
            return self.expectation(_after(round, self.options, "peek", answer=answer), unseen, hole)
        if asked is None:
            return net(double_attack.settle(round, self.options)) / UNIT
        at = {"seat": asked.seat, "part": asked.part}
        if asked.kind == "cards" and asked.seat == DEALER and asked.part == "2":
            after = _after(round, self.options, "cards", **at, cards=[_card(hole)])
            return self.expectation(after, without(unseen, hole), hole)
        left = without(unseen, hole) if hole and len(round.dealer) == 1 else unseen
        if asked.kind == "cards":
            after = [_after(round, self.options, "cards", **at, cards=[_card(value)]) for value in range(1, 11)]
            return sum(
                number / sum(left) * self.expectation(after[value - 1], without(unseen, value), hole)
                for value, number in enumerate(left, 1)
                if number
            )
        if asked.part == "hole":
            after = _after(round, self.options, "decide", **at, choice="dealt")
            return sum(
                number / sum(left) * self.expectation(after, unseen, value)
                for value, number in enumerate(left, 1)
                if number
            )
        choice = self.choice(round, asked, unseen)
        self.decisions.add(choice)
        return self.expectation(_after(round, self.options, "decide", **at, choice=choice), unseen, hole)

    def choice(self, round: Round, asked: Ask, unseen: Counts) -> str:
        (up,) = _values(round.dealer)
        known = UpCard(up, without(self.shoe, up))
        if asked.part == "attack":
            return "attack" if known.stake == 2 else "no"
        if asked.part == "insurance":
            return "no"
        hand = _hand(round, asked.part)
        if hand.doubled:
            return "surrender" if known.stand(unseen, hand.points) < -0.5 else "stand"
        return known.best(unseen, plus(NOTHING, *_values(hand.cards)))[1]


def test_double_attack_without_splits_is_counted_as_it_is_settled() -> None:
    shoe: Counts = (1, 0, 0, 0, 0, 2, 0, 0, 2, 3)  # aces, sixes, nines and ten-value cards
    played = EveryDeal(shoe)
    assert played.expectation(_begun(), shoe) == pytest.approx(unsplit(shoe)[0], abs=1e-12)
    assert played.decisions == {"attack", "no", "stand", "draw", "double", "surrender"}


def _split_through_the_table(one: Splits, order: list[int], options: DoubleAttackOptions) -> float:
    """The same deal by the table's questions and settlement."""
    up, round = one.pair.up, _begun()
    hole, *rest = order
    deal = iter([up.up, one.pair.value, one.pair.value, *rest])
    while True:
        asked = blackjack.next_ask(round, options)
        if asked is None and blackjack.waits_for_reader(round, options):
            round = _after(round, options, "peek", answer="no")
            continue
        if asked is None:
            return net(double_attack.settle(round, options)) / UNIT
        at = {"seat": asked.seat, "part": asked.part}
        if asked.kind == "cards":
            turned = asked.seat == DEALER and asked.part == "2"
            round = _after(round, options, "cards", **at, cards=[_card(hole if turned else next(deal))])
        else:
            round = _after(round, options, "decide", **at, choice=_split_choice(one, round, asked))


def _split_choice(one: Splits, round: Round, asked: Ask) -> str:
    up = one.pair.up
    match asked.part:
        case "attack":
            return "attack" if up.stake == 2 else "no"
        case "insurance":
            return "no"
        case "hole":
            return "dealt"
        case _:
            hand = _hand(round, asked.part)
            if "split" in asked.choices:
                return "split"
            if hand.full:
                return "surrender" if up.gives_up(hand.points) else "stand"
            return up.act(plus(NOTHING, *_values(hand.cards)))


def test_splits_of_double_attack_are_sampled_as_they_are_settled() -> None:
    shoe: Counts = (9, 0, 9, 0, 0, 0, 9, 9, 0, 27)  # few values, so that the best decisions are found at once
    rng = Random(23)
    ups = {up: UpCard(up, without(shoe, up)) for up in (8, 10)}
    nets: set[float] = set()
    for both in (False, True):
        options = DoubleAttackOptions(packs=6, positions=6, hole_card=True, reader=True, split_matches_both=both)
        for up, value in ((8, 1), (8, 3), (8, 8), (10, 8)):
            one = Splits(whole_attack.Pair(ups[up], value, 0.0, 0.0), both)
            for _ in range(25):
                order = rng.sample(one.cards, whole_attack.CARDS)
                if order[0] != ups[up].never:
                    sampled = one.deal(order)
                    assert sampled == _split_through_the_table(one, order, options), (up, value, order)
                    nets.add(sampled)
    assert len(nets) > 10
