"""Double Attack Blackjack for a table system: cut, plan, forecast, and hands rebuilt from events as numbers."""

from typing import Any

import pytest

from fairshoe.games.double_attack import cut_order, cut_starts_at, deal_plan, forecast, out_of_turn, pick_up, rebuild
from fairshoe.messages import CutReached, Event, Recorded, RoundEnded, RoundStarted, What


def event(kind: type[Event], **fields: Any) -> Any:
    prefix = {"seq": 1, "boot": 1, "uptime_s": 0, "uptime_ms": 0, "utc_s": 0, "round": 1, "deck": 1}
    return kind(**{**prefix, **fields})


def test_a_due_cut_is_offered_counterclockwise_from_where_the_cut_card_came_out() -> None:
    """Proves: DAB-4d (host)"""
    boxes = (1, 3, 4, 7)
    assert cut_order(boxes, 3) == [3, 1, 7, 4, 0]  # on whose box it appeared; or the first player of a new game
    assert cut_order(boxes, 7) == [7, 4, 3, 1, 0]
    assert cut_order(boxes, None) == [7, 4, 3, 1, 0]  # at the dealer's hand, or by the house: far right
    assert cut_order(boxes, 0) == [7, 4, 3, 1, 0]
    assert cut_order((), None) == [0]  # where the house lets the dealer cut no player is asked
    reached = {"drawn": 280, "left": 104, "deep": 0, "clause": "DAB-4h"}
    assert cut_starts_at(event(CutReached, box=5, **reached)) == 5
    assert cut_starts_at(event(CutReached, box=0, **reached)) is None
    assert cut_starts_at(event(CutReached, box=255, **reached), 2) == 2
    assert cut_starts_at(event(CutReached, box=255, **reached)) is None


def test_splits_bound_how_many_cards_a_round_can_take() -> None:
    """Proves: DAB-10c"""
    assert forecast(7, 7).least == 16
    assert forecast(7, 7).most == 7 * 3 * 21 + 17  # three hands a box at seven positions
    assert forecast(6, 6).most == 6 * 4 * 21 + 17  # four at six
    assert forecast(1, 7).most < forecast(1, 6).most
    for boxes, positions in ((8, 7), (0, 7), (3, 5)):
        with pytest.raises(ValueError, match=r"position|boxes"):
            forecast(boxes, positions)


def test_a_split_hand_is_completed_before_the_next_one_gets_a_card() -> None:
    """Proves: DAB-10b"""
    assert out_of_turn([]) == []
    split = [(1, 0), (2, 0), (2, 0), (2, 1), (2, 1), (3, 0), (0, 0), (0, 0)]  # box 2 has split, and completes in order
    assert out_of_turn(split) == []
    assert out_of_turn([(2, 0), (2, 1), (2, 0)]) == [2]  # back to the first hand of the pair
    assert out_of_turn([(2, 0), (3, 0), (2, 1), (3, 0)]) == [2]  # another box before the second hand
    assert out_of_turn([(1, 0), (0, 0), (2, 0)]) == [2]  # after the dealer's card


def test_hands_are_rebuilt_from_events_as_numbers() -> None:
    """Proves: DAB-7h (host)"""
    assert deal_plan(3) == [0, 1, 2, 3, 1, 2, 3]
    assert deal_plan(2, hole_card=True) == [0, 1, 2, 1, 2, 0]
    assert pick_up(3) == [3, 2, 1, 0]
    told = {"clause": "HOUSE", "consequence": 0}
    events: list[Event] = [
        event(RoundStarted, game="DAB", positions=2),
        event(Recorded, what=What.CARD_TO, a=2, b=6, **told),
        event(Recorded, what=What.CARD_TO, a=0, b=8, **told),
        event(Recorded, what=What.BURNED, a=1, b=3, **told),
        event(RoundEnded, stacks=0, dealt=8, remainder=370, stub=65535, stub_counted=65535),
    ]
    hands = rebuild(events)
    assert hands.cards == {0: [1, 8], 1: [2, 4], 2: [3, 5, 6]}
    assert hands.unknown == [7, 9]  # no record says whose; the last was drawn on a finished hand, and burned


def test_a_card_that_lay_face_up_has_no_number_in_any_hand() -> None:
    """Proves: DAB-7h (host, in part)"""
    rejected = event(Recorded, what=What.FACE_UP, a=1, b=0, consequence=9, clause="DAB-15b")
    ended = event(RoundEnded, stacks=0, dealt=6, remainder=370, stub=65535, stub_counted=65535)
    started = event(RoundStarted, positions=2, game="DAB")
    assert rebuild([started, rejected, ended], hole_card=True) == rebuild([started, ended], hole_card=True)
