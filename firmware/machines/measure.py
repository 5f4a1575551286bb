"""What the sensors in the throat say about the card under way: one good card, or the fault that it shows.

Two beams and a length count cards; only the sensors at throat A see what lies on top of each other, and no other sensor
checks those. So a reading under a card must be clean: a pulse too short to be one may be all that noise has left of it,
and the card is no card then.
"""

from micropython import const

from firmware.fault import (
    FAULT_BACK,
    FAULT_BEAM,
    FAULT_DOUBLE_FEED,
    FAULT_FACE_UP,
    FAULT_JAM_THROAT,
    FAULT_NONE,
    FIGURE_BRAKE,
    FIGURE_CARD,
)
from firmware.image import IN_BACK, IN_FACE, IN_OPACITY, IN_THROAT_A, IN_THROAT_B
from firmware.machines.meters import METER_THROAT_US
from firmware.ticks import ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec

_CARDS_MIN = const(8)  # a bounce of 0.3 ms moves the mean passage of so many cards by 1 %
_USUAL_PERCENT = const(102)  # of its nominal time a card takes from beam to beam: rollers slip
_SPEED_PERCENT = const(6)  # more or less, and it is the rollers, or dust on a beam
_LENGTH_PERCENT = const(7)  # a length that differs by more is none of slip, wear and dust
_BRAKE_US = const(3000)  # 3.6 mm at 1.2 m/s; a late scan makes the way longer, never shorter
_READING = const(1 << 3 | 1 << 11 | 1 << 12)  # opacity, back and face, while a change of theirs may still be one
_CARDS = const(0)
_BLOCKED_US = const(1)  # at throat B
_TRAIL_US = const(2)  # of the trailing edge from A to B
_STAGED = const(3)  # of the cards those that waited at A
_ONWARD_US = const(4)  # and from the roller's start to B
_SUMS = const(5)


class Measuring:
    """What a feed knows about the card under way."""

    def __init__(self, spec: "Spec", meters: "Meters", confirm: int) -> None:
        self.spec = spec
        self.meters = meters
        self.confirm = confirm  # the beam behind the mouth that every card must reach, or below 0 for none
        self.wanted = -1  # cards of this feed; below 0: all that the hopper holds
        self.count = 0
        self.measured = 0  # of these, by the beam behind the mouth
        self.rejects = False  # a card that lies face up is fed like any other, and one more in its place
        self.other_back = False  # of two decks, the one that the back sensor identifies: every card must show it
        self.ahead = False  # the next card comes behind the one under way: the roller runs on
        self.seen_a = 0
        self.seen_b = 0
        self.seen_odd = 0
        self.seen_pulses = 0
        self.seen_back = 0
        self.seen_face = 0
        self.onward_us = 0  # when the roller started on the card that waited at A; 0: none did
        self.sums = [0] * _SUMS  # over the cards that came through in one go


def begin_job(feed: Measuring, inp: "Inputs") -> None:
    """From here on every reading counts. A sensor that is blocked already shows no card: that is odd at once."""
    level = inp.level
    feed.seen_odd = odd(feed, inp) - level[IN_OPACITY] - level[IN_BACK] - level[IN_FACE]


def begin_card(feed: Measuring, inp: "Inputs") -> None:
    """From here on every pulse counts, and so do back and face where a reading of theirs is no fault."""
    feed.seen_back = inp.enters[IN_BACK]
    feed.seen_face = inp.enters[IN_FACE]
    feed.seen_pulses = pulses(inp)


def follow_card(feed: Measuring) -> None:
    """The same for a card that may be at A already: each card before it has made one passage and one reading. A pulse
    that the card before could not be judged by yet counts against this one."""
    feed.seen_a += 1
    if feed.other_back:
        feed.seen_back += 1


def odd(feed: Measuring, inp: "Inputs") -> int:
    """Changes whenever a card shows that it is not one good card lying face down."""
    enters = inp.enters
    found = enters[IN_OPACITY]
    if not feed.rejects:
        found += enters[IN_FACE]
    return found if feed.other_back else found + enters[IN_BACK]


def pulses(inp: "Inputs") -> int:
    glitches = inp.glitches
    return glitches[IN_OPACITY] + glitches[IN_BACK] + glitches[IN_FACE]


def odd_fault(feed: Measuring, inp: "Inputs") -> int:
    """Which sensor it was."""
    if inp.enters[IN_FACE] != feed.seen_face and not feed.rejects:
        return FAULT_FACE_UP
    other = not feed.other_back and inp.enters[IN_BACK] != feed.seen_back
    return FAULT_BACK if other else FAULT_DOUBLE_FEED


def measure(feed: Measuring, inp: "Inputs") -> int:
    """One passage of both beams, of a card's length and thickness; or the fault that it shows."""
    if odd(feed, inp) != feed.seen_odd:
        return odd_fault(feed, inp)
    if feed.other_back and inp.enters[IN_BACK] == feed.seen_back:
        return FAULT_BACK
    came = inp.enters[IN_THROAT_A] - feed.seen_a
    # In a late scan the next card is at A already; it came when this one had left B.
    two = feed.ahead and came == 2 and ticks_diff(inp.enter_us[IN_THROAT_A], inp.leave_us[IN_THROAT_B]) > 0
    cards = 2 if two else 1
    if unclear(feed, inp, cards):
        return FAULT_BEAM
    fault = feed.spec.length_fault(inp, IN_THROAT_B)
    if fault:
        return fault
    if inp.leaves[IN_THROAT_B] != feed.seen_b + 1 or came != cards:
        return FAULT_DOUBLE_FEED
    if inp.level[IN_THROAT_A] and not two:
        return FAULT_JAM_THROAT
    _sum_up(feed, inp)
    return FAULT_NONE


def _sum_up(feed: Measuring, inp: "Inputs") -> None:
    """Times of a good card into the sums. Both of its last edges pass at one speed, so that slip and wear of rollers
    change neither the ratio of the two times nor what follows from it."""
    sums = feed.sums
    left_us = inp.leave_us[IN_THROAT_B]
    sums[_CARDS] += 1
    sums[_BLOCKED_US] += ticks_diff(left_us, inp.enter_us[IN_THROAT_B])
    sums[_TRAIL_US] += ticks_diff(left_us, inp.leave_us[IN_THROAT_A])
    if feed.onward_us:
        sums[_STAGED] += 1
        sums[_ONWARD_US] += ticks_diff(inp.enter_us[IN_THROAT_B], feed.onward_us)


def figures(feed: Measuring) -> int:
    """Whether the cards of the sums went through the machine that the config describes: a fault code.

    Not the speed: rollers wear, and a speed that could hide a card shows in every length. Nor the beams' distance: dust
    on one of them looks the same."""
    if feed.sums[_CARDS] < _CARDS_MIN:
        return FAULT_NONE
    if feed.wanted < 0:
        # Of the whole deck, never of a stack: a card that slips would show in which stack it came. Of the sums only
        # this one: where a card waits at A, how it enters B depends on the wait, and so on the order.
        feed.meters.values[METER_THROAT_US] = feed.sums[_TRAIL_US] // feed.sums[_CARDS]
        feed.meters.dirty = True
    return _length(feed.spec, feed.sums) or _brake(feed.spec, feed.sums)


def _length(spec: "Spec", sums: "list[int]") -> int:
    trail = sums[_TRAIL_US] // sums[_CARDS] * 100 // spec.trail_us
    length = sums[_BLOCKED_US] // sums[_CARDS] * 100 // spec.length_us
    if abs(trail - _USUAL_PERCENT) > _SPEED_PERCENT or abs(length - trail) <= _LENGTH_PERCENT:
        return FAULT_NONE
    return spec.misfit(FIGURE_CARD, spec.card_um // 100 * length * 100 // trail, spec.card_um)


def _brake(spec: "Spec", sums: "list[int]") -> int:
    early_us = spec.onward_us - sums[_ONWARD_US] // sums[_STAGED] if sums[_STAGED] >= _CARDS_MIN else 0
    if early_us <= _BRAKE_US:
        return FAULT_NONE
    return spec.misfit(FIGURE_BRAKE, spec.brake_um + early_us * spec.speed // 1000, spec.brake_um)


def unclear(feed: Measuring, inp: "Inputs", cards: int) -> bool:
    """Whether a sensor has shown pulses that are no reading, or more readings than so many cards have."""
    if inp.enters[IN_FACE] > feed.seen_face + cards or inp.enters[IN_BACK] > feed.seen_back + cards:
        return True
    return not inp.waiting & _READING and pulses(inp) != feed.seen_pulses


def doubtful(feed: Measuring, inp: "Inputs") -> int:
    """A fault code if the beam behind the mouth saw a pulse and no card: the card may still be on its way."""
    if feed.measured == feed.count or feed.confirm < 0:
        return FAULT_NONE
    feed.measured = feed.count
    return feed.spec.length_fault(inp, feed.confirm)
