"""Who is offered the cut at a table where players may."""

from fairshoe.games.cut_order import cut_offers
from fairshoe.games.record_kinds import DEALER


def test_the_offer_begins_with_the_first_arrival_and_then_moves_on_from_the_far_right() -> None:
    """Proves: DDS-4d"""
    seats = [2, 5, 7]
    assert cut_offers(seats, 0, 5) == [5, 2, 7, DEALER]
    assert cut_offers(seats, 1, 5) == [7, 5, 2, DEALER]
    assert cut_offers(seats, 2, 5) == [5, 2, 7, DEALER]
    assert cut_offers(seats, 4, 5) == [7, 5, 2, DEALER], "and round the table again"
    assert cut_offers([], 3, 5) == [DEALER]
    assert cut_offers(seats, 0, 9) == [7, 5, 2, DEALER], "who came first has left"
