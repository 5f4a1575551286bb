"""A round of Double Attack Blackjack as reported: what changes it, and what is needed next.

One bettor for each box, no hole card (DAB 7(g)). games.double_attack also settles shared boxes (13) and rounds with a
reader (7(i)); they are not played here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER
from fairshoe_table.cards import ACE, rank
from fairshoe_table.games.double_attack import (
    Bettor,
    Box,
    PlayerHand,
    Round,
    Stakes,
    dealer_draws,
    may_double,
    may_draw,
    may_split,
    may_surrender,
)
from fairshoe_table.ledger import Wager
from fairshoe_table.options import DoubleAttackOptions

Staked = tuple[int, Wager, int]


class Asked(NamedTuple):
    """What a round needs next; cards one at a time."""

    kind: str
    seat: int
    text: str
    choices: tuple[str, ...] = ()
    part: str = ""


# --- reported facts -----------------------------------------------------------------------------


def apply(
    round: Round, kind: str, data: Mapping[str, Any], options: DoubleAttackOptions
) -> tuple[Round, tuple[Staked, ...]]:
    """The round after a card or a decision, and what was staked with it."""
    seat, part = int(data["seat"]), str(data["part"])
    if kind == "cards":
        (card,) = data["cards"]
        if seat == DEALER:
            return _checked(replace(round, dealer=(*round.dealer, int(card)))), ()
        box = _box(round, seat)
        number = int(part.split(".")[0])
        hand = box.hands[number]
        cards = (*hand.cards, int(card))
        alone = hand.split and rank(cards[0]) == ACE and len(cards) == 2  # one card on a split ace (DAB 10(e))
        hand = replace(hand, cards=cards, due=False)
        hand = replace(hand, done=hand.done or alone or hand.points >= 21 or hand.doubled)
        return _checked(_with_hand(round, box, number, hand)), ()
    return _decided(round, seat, part, str(data["choice"]), options)


def _checked(round: Round) -> Round:
    """Finished when no hand is open and the dealer takes no more cards."""
    ready = _dealt(round) and all(hand.done for box in round.boxes for hand in box.hands)
    return replace(round, finished=ready and bool(round.dealer) and not dealer_draws(round))


def _dealt(round: Round) -> bool:
    return bool(round.boxes) and all(len(box.hands[0].cards) >= 2 or len(box.hands) > 1 for box in round.boxes)


def _box(round: Round, seat: int) -> Box:
    for box in round.boxes:
        if box.seat == seat:
            return box
    raise UsageError(f"box {seat} has no wager in this round.", "Check the box.")


def _with_box(round: Round, box: Box) -> Round:
    return replace(round, boxes=tuple(box if it.seat == box.seat else it for it in round.boxes))


def _with_hand(round: Round, box: Box, number: int, hand: PlayerHand) -> Round:
    return _with_box(round, replace(box, hands=(*box.hands[:number], hand, *box.hands[number + 1 :])))


def _decided(
    round: Round, seat: int, part: str, choice: str, options: DoubleAttackOptions
) -> tuple[Round, tuple[Staked, ...]]:
    box = _box(round, seat)
    (bettor,) = box.bettors
    initial = bettor.initial
    if part in ("attack", "insurance"):
        round = replace(round, asked=round.asked | {(part, seat)})
    if part == "attack":
        cents = initial if choice == "attack" else 0
        stakes = (replace(bettor.stakes[0], attack=cents), *bettor.stakes[1:])
        attacking = replace(box, bettors=(replace(bettor, stakes=stakes),))
        return _with_box(round, attacking), _staked(seat, Wager.ATTACK, cents)
    if part == "insurance":
        half = -(-initial // (2 * options.chip)) * options.chip
        cents = half if choice == "insure" else 0
        insured = replace(box, bettors=(replace(bettor, insurance=cents),))
        return _with_box(round, insured), _staked(seat, Wager.INSURANCE, cents)
    number = int(part.split(".")[0])
    hand = box.hands[number]
    if choice not in choices_of(box, number, options):
        raise UsageError(f"box {seat}: {choice} is not possible with this hand.", "Ask the player again.")
    match choice:
        case "draw":
            return _with_hand(round, box, number, replace(hand, due=True)), ()
        case "stand":
            return _checked(_with_hand(round, box, number, replace(hand, done=True))), ()
        case "surrender":
            return _checked(_with_hand(round, box, number, replace(hand, done=True, surrendered=True))), ()
        case "double":
            mine = bettor.stakes[number]
            cents = mine.initial + mine.attack + mine.split
            stakes = (*bettor.stakes[:number], replace(mine, doubled=cents), *bettor.stakes[number + 1 :])
            box = replace(box, bettors=(replace(bettor, stakes=stakes),))
            round = _with_hand(round, box, number, replace(hand, due=True, doubled=True))
            return round, _staked(seat, Wager.DOUBLED, cents)
        case _:
            return _split(round, box, bettor, number, options)


def _split(
    round: Round, box: Box, bettor: Bettor, number: int, options: DoubleAttackOptions
) -> tuple[Round, tuple[Staked, ...]]:
    """Two hands of one card; the second wager is the initial amount (ruling `dab-split-amount`)."""
    first, second = box.hands[number].cards
    cents = bettor.initial + (bettor.stakes[0].attack if options.split_matches_both else 0)
    hands = tuple(PlayerHand((card,), split=True, due=True) for card in (first, second))
    stakes = (*bettor.stakes[: number + 1], Stakes(split=cents), *bettor.stakes[number + 1 :])
    box = replace(
        box,
        hands=(*box.hands[:number], *hands, *box.hands[number + 1 :]),
        bettors=(replace(bettor, stakes=stakes),),
    )
    return _with_box(round, box), _staked(box.seat, Wager.SPLIT, cents)


def _staked(seat: int, wager: Wager, cents: int) -> tuple[Staked, ...]:
    return ((seat, wager, cents),) if cents else ()


# --- what is needed ----------------------------------------------------------------------------


def choices_of(box: Box, number: int, options: DoubleAttackOptions) -> tuple[str, ...]:
    hand = box.hands[number]
    possible = {
        "stand": not hand.done,
        "draw": may_draw(hand),
        "double": may_double(hand),
        "split": may_split(box, number, options) and not hand.done,
        "surrender": may_surrender(hand),
    }
    return tuple(choice for choice, yes in possible.items() if yes)


def next_ask(round: Round, options: DoubleAttackOptions) -> Asked | None:
    """In the order of DAB 7(d) to (g)."""
    boxes = sorted(round.boxes, key=lambda box: box.seat)
    if not round.dealer:
        return Asked("cards", DEALER, "a card to yourself, face up", part="1")
    for box in boxes:
        if ("attack", box.seat) not in round.asked:
            return Asked("decide", box.seat, "double attack?", choices=("attack", "no"), part="attack")
    for card in (0, 1):
        for box in boxes:
            if len(box.hands) == 1 and len(box.hands[0].cards) == card:
                return Asked("cards", box.seat, f"card {card + 1} to this box", part=f"0.{card}")
    for box in boxes:
        if rank(round.dealer[0]) == ACE and ("insurance", box.seat) not in round.asked:
            return Asked("decide", box.seat, "insurance?", choices=("insure", "no"), part="insurance")
    for box in boxes:
        for number, hand in enumerate(box.hands):
            part = f"{number}.{len(hand.cards)}.{len(box.hands)}"
            if hand.due:
                return Asked("cards", box.seat, f"a card to hand {number + 1} of this box", part=part)
            if not hand.done and not hand.dead and hand.points < 21:
                text = f"hand {number + 1} has {hand.points}"
                return Asked("decide", box.seat, text, choices=choices_of(box, number, options), part=part)
    if not round.finished and dealer_draws(round):
        return Asked("cards", DEALER, 'say "Dealer\'s card", and draw', part=str(len(round.dealer) + 1))
    return None
