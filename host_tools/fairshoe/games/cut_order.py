"""The order in which positions are offered the cut, round after round, for table systems that announce it."""

from __future__ import annotations

from collections.abc import Iterable

from fairshoe.games.record_kinds import DEALER


def cut_offers(positions: Iterable[int], rounds: int, arrival: int) -> list[int]:
    """In which order positions are offered the cut; the dealer cuts if all refuse.

    A new game (`rounds` 0) begins with the first player who came to it. From then on the offer begins at the dealer's
    far right, which is the highest position, and one further counterclockwise in every round."""
    right_to_left = sorted(set(positions), reverse=True)
    if not right_to_left:
        return [DEALER]
    first = right_to_left.index(arrival) if rounds == 0 and arrival in right_to_left else max(rounds - 1, 0)
    first %= len(right_to_left)
    return [*right_to_left[first:], *right_to_left[:first], DEALER]
