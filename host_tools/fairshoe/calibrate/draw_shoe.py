"""Recover the figures of a draw shoe from edges: its beams, past which a hand draws cards.

The speed of a hand is not known and seldom even. A card passes each beam with both of its ends, so four edges
give speed, acceleration and the distance of the beams, all in lengths of a card. A hand that hesitates spoils its own
card only. Where the front card rests before throat A is not measured: no sensor sees it there, and nothing depends on
it.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any

from fairshoe.calibrate.machine import Change, Machine, NotCalibrated, Shot, Step
from fairshoe.calibrate.throat import CARDS, PILE, Figure, Measurement

DRAWN = (Step(0, 3000, "throat_b", 1), Step(0, 1900, "throat_b", 0), Step(0, 20))
SPOILT_MAX = 3  # draws for each card that is wanted
DOUBLES = 3
EDGES = (("throat_a", 1), ("throat_b", 1), ("throat_a", 0), ("throat_b", 0))
WHY_NOT = {
    "two": ("a single card shows as two", "Draw one card at a time; then look at the opacity sensor."),
    "edges": ("a card does not cover throat A, then both beams, then B", "Draw in one pull; look at the throat beams."),
    "uneven": ("a card stops on its way", "Draw each card in one pull."),
}


def drawn(machine: Machine, cards: int = 1) -> Shot:
    """A hand draws, as soon as it likes."""
    machine.hands.draw(cards)
    shot = machine.shoot(*DRAWN)
    waits = machine.hands.waits()
    while not any(change.level for change in shot.changes) and next(waits, waits) is None:
        shot = machine.shoot(*DRAWN)
    return shot


def beams_apart(card_um: int, a1: int, b1: int, a0: int, b0: int) -> float | None:
    """Distance of the beams that a card of this length passed at these times, if it gained or lost speed evenly."""
    lead, over, out = b1 - a1, a0 - a1, b0 - a1
    # From A on it was at v t + h t^2: the distance at `lead`, its length at `over`, and both together at `out`.
    square = out * out - over * over - lead * lead
    det = over * ((out - over - lead) * over - square)
    if not det:
        return None
    v, h = -square * card_um / det, (out - over - lead) * card_um / det
    return v * lead + h * lead * lead if v > 0 and v + 2 * h * out > 0 else None


class DrawShoe(Measurement):
    """`measure` has single cards drawn, and then two at once."""

    def __init__(self, machine: Machine, mech: dict[str, Any], say: Callable[[str], None] = lambda _text: None) -> None:
        super().__init__(machine, mech, say)
        self.gaps: list[float] = []
        self.speeds: list[float] = []
        self.times: list[float] = []
        self.changes: list[Change] = []

    def measure(self, cards: int = CARDS) -> dict[str, Figure]:
        self.say(f"{cards} cards, drawn by hand one at a time: beams and bounce")
        spoilt: Counter[str] = Counter()
        loaded = False
        while len(self.gaps) < cards:
            if not loaded:
                self.machine.hands.load(PILE)
            shot = drawn(self.machine)
            loaded = bool(shot.level("hopper"))
            why = self._take(shot)
            spoilt[why] += 1
            if why and spoilt.total() == SPOILT_MAX * cards:
                del spoilt[""]
                (why, times), *_ = spoilt.most_common(1)
                what, cure = WHY_NOT[why]
                raise NotCalibrated(f"{what}, in {times} of {SPOILT_MAX * cards} draws.", cure)
        gap = statistics.median(self.gaps)
        self._note("throat_gap_um", gap, self.gaps, max(60.0, gap * 0.01), "throat beams")
        self._note("hand_um_per_ms", max(self.speeds), self.speeds, 0.0, "hand")
        self._note("draw_ms", max(self.times), self.times, 0.0, "hand")
        self._note_bounce(self.changes)
        self._doubles()
        return self.figures

    def _take(self, shot: Shot) -> str:
        """Add up what a draw shows; or why it shows nothing."""
        if shot.at("opacity", 1) is not None:
            return "two"
        a1, b1, a0, b0 = (shot.at(line, level) or 0 for line, level in EDGES)
        if not 0 < a1 < b1 < a0 < b0:
            return "edges"
        gap = beams_apart(self.card_um, a1, b1, a0, b0)
        if gap is None:
            return "uneven"
        self.gaps.append(gap)
        self.speeds.append(self.card_um * 1000 / (a0 - a1))
        self.times.append((b0 - a1) / 1000)
        self.changes += shot.changes
        return ""

    def _doubles(self) -> None:
        """The opacity sensor has been quiet under single cards. Under two it must not be."""
        if self.mech["count_assurance"] != "full":
            return
        self.say(f"{DOUBLES} times two cards at once: opacity")
        self.machine.hands.clear()
        self.machine.hands.load(2 * DOUBLES)
        seen = sum(drawn(self.machine, 2).at("opacity", 1) is not None for _ in range(DOUBLES))
        if seen < DOUBLES:
            raise NotCalibrated(
                f"two cards at once show as two in {seen} of {DOUBLES} draws.", "Look at the opacity sensor: its level."
            )
