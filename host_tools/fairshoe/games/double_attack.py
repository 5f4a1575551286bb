"""Double Attack Blackjack for a table system: who is offered the cut, whose each card is, how many a round can take.

Positions count from 1 at the dealer's far left; 0 is the dealer. Cards have numbers in their round, from 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fairshoe.messages import CutReached, Event, Recorded, RoundEnded, RoundStarted, What
from firmware.protocol.ids import UNKNOWN_U8

DEALER = 0
HANDS = {6: 4, 7: 3}  # of a box at most, by the positions of the table: three or two splits
# A hand draws while it is below 21 and every card has a point at least; the dealer while it is below 17.
HAND_CARDS_MAX = 21
DEALER_CARDS_MAX = 17
MARKER_BOX_UNKNOWN = UNKNOWN_U8


def cut_order(boxes: Iterable[int], first: int | None) -> list[int]:
    """Who is offered a due cut, one after the other until a player takes it; the dealer cuts if all refuse.

    `first` is the first player of a new game, or the box at which the cut card came out; None, or the dealer, where it
    came out at the dealer's hand or the house asked for the reshuffle: then it begins at the dealer's far right. From
    there it goes counterclockwise, which is from right to left for the dealer."""
    left_to_right = sorted(set(boxes))
    start = first if first in left_to_right and first != DEALER else (left_to_right[-1] if left_to_right else DEALER)
    below = [box for box in reversed(left_to_right) if box <= start]
    above = [box for box in reversed(left_to_right) if box > start]
    return [*below, *above, DEALER]


def cut_starts_at(event: CutReached, dealt_to: int | None = None) -> int | None:
    """Where the offers begin after this cut card; `told` is the box where the shoe could not know."""
    box = dealt_to if event.box == MARKER_BOX_UNKNOWN else event.box
    return None if box == DEALER else box


@dataclass(frozen=True)
class Cards:
    """How many cards a round can take."""

    least: int
    most: int


def forecast(boxes: int, table_positions: int) -> Cards:
    """From a deal in which no player draws to one in which all split and draw as long as possible."""
    if table_positions not in HANDS:
        raise ValueError(f"a table has 6 or 7 positions, not {table_positions}")
    if not 0 < boxes <= table_positions:
        raise ValueError(f"{boxes} boxes at a table of {table_positions}")
    return Cards(2 + 2 * boxes, boxes * HANDS[table_positions] * HAND_CARDS_MAX + DEALER_CARDS_MAX)


def deal_plan(boxes: int, hole_card: bool = False) -> list[int]:
    """Whose the first cards of a round are: the dealer's, one to each box, a second to each; and the hole card."""
    once = list(range(1, boxes + 1))
    return [DEALER, *once, *once, *([DEALER] if hole_card else [])]


def out_of_turn(cards: Iterable[tuple[int, int]]) -> list[int]:
    """Which cards after the deal came out of turn, counted from 0: each is given as its box and the hand of that box,
    from 0 at the dealer's left. A hand is completed before the next one on its right gets a card, in a split box too;
    the dealer's hand (box 0) comes last."""
    furthest = (1, 0)
    late: list[int] = []
    for number, (box, hand) in enumerate(cards):
        place = (box or MARKER_BOX_UNKNOWN, hand)
        if place < furthest:
            late.append(number)
        furthest = max(furthest, place)
    return late


def pick_up(boxes: int) -> list[int]:
    """The order in which hands come to the rack: from the dealer's far right on, the dealer's own underneath."""
    return [*range(boxes, 0, -1), DEALER]


@dataclass(frozen=True)
class Hands:
    """Numbers of cards by position, 0 is the dealer; and those that were not reported."""

    cards: dict[int, list[int]]
    unknown: list[int]


def rebuild(events: Iterable[Event], hole_card: bool = False) -> Hands:
    """The hands of a round from its events, as numbers of cards: faces are unknown."""
    positions = drawn = 0
    dealt_to: dict[int, int] = {}
    for event in events:
        match event:
            case RoundStarted():
                positions = event.positions
            case Recorded(what=What.CARD_TO):
                dealt_to[event.b] = event.a
            case Recorded(what=What.BURNED, b=3 | 4):
                drawn += event.a  # it had been dealt, and has a number
            case Recorded(what=What.LET_OUT):
                drawn += event.b
            case RoundEnded():
                drawn += event.dealt
            case _:
                pass
    plan = deal_plan(positions, hole_card) if positions else [DEALER]
    hands: dict[int, list[int]] = {box: [] for box in range(positions + 1)}
    unknown: list[int] = []
    for number in range(1, drawn + 1):
        box = dealt_to.get(number, plan[number - 1] if number <= len(plan) else None)
        if box is None:
            unknown.append(number)
        else:
            hands.setdefault(box, []).append(number)
    return Hands(hands, unknown)
