"""Feed: cards one by one from the hopper, past both throat beams, to wherever this mechanism puts them.

The next card is picked and staged at beam A while the store moves; it passes the mouth only when its place is there.
Every card is seen by two beams and measured (measure.py): too long or too opaque is a double feed, too short is not a
card. One that stops is moved back, tried again and measured again as a whole, a bounded number of times; then it is a
jam.

Where one card may follow another at once (`follows`), the pick roller runs on if one more is wanted: it takes hold of
the next card when this one is out of the hopper. The next one passes throat A without a stop if by then the card before
it is measured and confirmed; if not, it waits there. An order to stop the roller stands all the while, and no card
behind the last one wanted is ever picked. The gap between two cards is then the latency of the pick. One that is too
short ends every job in double_feed; boards/checks.py of the host tools refuses such a config (0076).
"""

from micropython import const

from firmware.deck.ledger import PATH, STORE
from firmware.fault import (
    FAULT_BEAM,
    FAULT_JAM_EXIT,
    FAULT_JAM_THROAT,
    FAULT_MISFEED,
    FAULT_MISMATCH,
    FAULT_NONE,
    FAULT_STACK,
)
from firmware.image import (
    IN_BACK,
    IN_FACE,
    IN_HOPPER,
    IN_THROAT_A,
    IN_THROAT_B,
    OUT_PICK,
    OUT_REVERSE,
    OUT_TRANSPORT,
    output_arm_stop,
    output_set,
)
from firmware.machines.faces import Faces
from firmware.machines.measure import Measuring, begin_card, begin_job, doubtful, follow_card, measure, odd, odd_fault
from firmware.machines.meters import METER_CARDS, METER_MISFEEDS, METER_STALLS
from firmware.ticks import FOREVER_MS, ticks_add, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec

    class Sink(Protocol):
        """Where cards go."""

        def aim(self, index: int, now_ms: int) -> bool:
            """Get ready for card `index` of this feed. False: there is no place for it."""
            ...

        def clear(self) -> int:
            """1: the card may pass the mouth; 0: not yet; below 0: minus a fault code."""
            ...


FEED_IDLE = const(0)
FEED_PICKING = const(1)
FEED_PAUSING = const(2)  # after a misfeed, before the next try
FEED_STAGED = const(3)
FEED_PASSING = const(4)
FEED_ENTERING = const(5)
FEED_STOPPED = const(6)  # a card has stopped: rollers come to rest, then turn back
FEED_BACKING = const(7)
FEED_BACKED = const(8)
FEED_FINISHING = const(9)  # the last card is past the mouth and has to be seen further on
FEED_DONE = const(10)  # the transport runs until feed_stop: all of the last card has to go in
FEED_FAILED = const(11)

FEED_ALL = const(-1)
NO_LINE = const(-1)


class Feed(Measuring):
    """Sole writer of its state, counts and the pick, transport and reverse outputs."""

    def __init__(self, spec: "Spec", ledger: "Ledger", meters: "Meters", sink: "Sink", confirm: int) -> None:
        super().__init__(spec, meters, confirm)
        self.ledger = ledger
        self.sink = sink
        self.follows = False  # no store has to move between two cards: the next may come at once
        self.ordered = False  # the roller that runs on will be stopped at A
        self.state = FEED_IDLE
        self.entered_ms = 0
        self.zone = STORE  # where cards end
        self.counting = True  # False: these were counted before (a later pass, a removal)
        self.tries = 0
        self.misfeeds = 0  # of this job, as are the stalls
        self.jogs = 0
        self.stalls = 0
        self.counted = False  # this card is in the ledger: moved back, it passes A again, and must not count twice
        self.picked_us = 0
        self.passed_ms = 0
        self.seen_confirm = 0
        self.back_a = 0
        self.face_ups = 0  # of this job
        self.faces = Faces(spec.recognises)
        self.fault = FAULT_NONE

    def confirmed(self, inp: "Inputs") -> int:
        """Cards that the beam behind the mouth has seen."""
        return self.count if self.confirm < 0 else inp.leaves[self.confirm] - self.seen_confirm


def feed_start(feed: Feed, inp: "Inputs", out: "Outputs", wanted: int, zone: int, now_ms: int) -> None:
    """Feed so many cards into `zone`, or everything the hopper holds."""
    feed.wanted = wanted
    feed.zone = zone
    feed.count = feed.measured = feed.face_ups = 0
    feed.fault = FAULT_NONE
    feed.ahead = False
    feed.seen_b = inp.leaves[IN_THROAT_B]
    feed.seen_confirm = inp.leaves[feed.confirm] if feed.confirm >= 0 else 0
    feed.faces.begin(inp)
    begin_job(feed, inp)
    output_set(out, OUT_REVERSE, 0)
    output_set(out, OUT_TRANSPORT, 1)
    _next_card(feed, inp, out, now_ms)


def feed_forget(feed: Feed) -> None:
    """A new job: nothing has gone wrong in it yet."""
    feed.misfeeds = feed.stalls = 0
    for i in range(len(feed.sums)):
        feed.sums[i] = 0


def feed_stop(feed: Feed, out: "Outputs") -> None:
    output_set(out, OUT_PICK, 0)
    output_set(out, OUT_TRANSPORT, 0)
    output_set(out, OUT_REVERSE, 0)
    feed.state = FEED_IDLE


def _idle(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    return FOREVER_MS


def _picking(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.enters[IN_THROAT_A] != feed.seen_a:
        if not feed.follows or feed.confirmed(inp) != feed.count:
            output_set(out, OUT_PICK, 0)  # the HAL did so at the edge itself, or will; now the image says it too
        if not feed.counted:
            feed.counted = True
            if feed.counting:
                feed.ledger.arrive()
                feed.meters.fed(ticks_diff(inp.enter_us[IN_THROAT_A], feed.picked_us))
            else:
                # Cards of a later pass come in a secret order: their times are not reported.
                feed.ledger.lift()
                feed.meters.add(METER_CARDS)
        _enter(feed, FEED_STAGED, now_ms)
        # Two steps in one scan where the roller runs on: its order at A stops it stage_us after the edge (0076).
        return _staged(feed, inp, out, now_ms) if feed.follows else 0
    if inp.level[IN_THROAT_B] or inp.leaves[IN_THROAT_B] != feed.seen_b:
        return _fail(feed, out, FAULT_BEAM)  # past a beam that did not see it: another try would send a second card
    left_ms = feed.spec.pick_ms_max - ticks_diff(now_ms, feed.entered_ms)
    if left_ms > 0:
        return left_ms
    if feed.follows and feed.wanted != FEED_ALL and not inp.level[IN_HOPPER]:
        return _fail(feed, out, FAULT_STACK)  # the roller ran on for a card that has been taken out
    output_set(out, OUT_PICK, 0)
    feed.misfeeds += 1
    feed.meters.add(METER_MISFEEDS)
    feed.tries += 1
    if feed.tries > feed.spec.pick_retry_max:
        return _fail(feed, out, FAULT_MISFEED)
    return _enter(feed, FEED_PAUSING, now_ms)


def _pausing(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if feed.confirmed(inp) != feed.count:
        return _unconfirmed(feed, inp, out, now_ms)  # no card follows one that was not seen to arrive
    left_ms = feed.spec.pick_pause_ms - ticks_diff(now_ms, feed.entered_ms)
    if left_ms > 0:
        return left_ms
    _pick(feed, inp, out, now_ms)
    return 0


def _staged(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if odd(feed, inp) != feed.seen_odd:
        return _fail(feed, out, odd_fault(feed, inp))
    if feed.confirmed(inp) != feed.count:
        return _unconfirmed(feed, inp, out, now_ms)
    if inp.level[IN_THROAT_B]:
        return _fail(feed, out, FAULT_JAM_THROAT)  # the card still stands at A: something else is in the mouth
    clear = -doubtful(feed, inp) or feed.sink.clear()
    if clear <= 0:
        return _fail(feed, out, -clear) if clear else FOREVER_MS
    feed.ahead = (
        feed.follows and inp.level[IN_HOPPER] != 0 and (feed.wanted == FEED_ALL or feed.count + 1 < feed.wanted)
    )
    feed.ordered = False
    output_arm_stop(out, OUT_PICK, IN_THROAT_B, feed.spec.run_us if feed.ahead else feed.spec.nip_us)
    output_set(out, OUT_PICK, 1)
    feed.onward_us = 0 if feed.follows or feed.jogs else inp.now_us
    out.dirty = True  # where it still ran, the order before this one may just have stopped it
    return _enter(feed, FEED_PASSING, now_ms)


def _passing(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.level[IN_THROAT_B] or inp.leaves[IN_THROAT_B] != feed.seen_b:
        return _enter(feed, FEED_ENTERING, now_ms)
    if not inp.level[IN_THROAT_A]:
        return _fail(feed, out, FAULT_JAM_THROAT)  # all of it has left A and B saw nothing: no card may follow it
    left_ms = feed.spec.pass_ms_max - ticks_diff(now_ms, feed.entered_ms)
    return left_ms if left_ms > 0 else _stopped(feed, inp, out, now_ms)


def _entering(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if feed.ahead and not feed.ordered and not inp.level[IN_THROAT_A]:
        # Not before: the bounce of this card's trailing edge would be taken for the next card.
        feed.ordered = True
        output_arm_stop(out, OUT_PICK, IN_THROAT_A, feed.spec.stage_us)
        out.dirty = True
    if inp.leaves[IN_THROAT_B] != feed.seen_b:
        if not feed.ahead:
            output_set(out, OUT_PICK, 0)
        fault = measure(feed, inp)
        if fault:
            return _fail(feed, out, fault)
        return _passed(feed, inp, out, now_ms)
    left_ms = feed.spec.enter_ms_max - ticks_diff(now_ms, feed.entered_ms)
    return left_ms if left_ms > 0 else _stopped(feed, inp, out, now_ms)


def _braking(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    left_ms = feed.spec.rest_ms - ticks_diff(now_ms, feed.entered_ms)
    if left_ms > 0:
        return left_ms
    output_set(out, OUT_REVERSE, 1)
    output_set(out, OUT_PICK, 1)
    output_set(out, OUT_TRANSPORT, 1)
    return _enter(feed, FEED_BACKING, now_ms)


def _backing(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    gone_ms = ticks_diff(now_ms, feed.entered_ms)
    if gone_ms < feed.spec.jog_ms:
        return feed.spec.jog_ms - gone_ms
    if inp.level[IN_THROAT_B]:
        left_ms = feed.spec.jog_ms_max - gone_ms
        return left_ms if left_ms > 0 else _fail(feed, out, FAULT_JAM_THROAT)
    output_set(out, OUT_PICK, 0)
    output_set(out, OUT_TRANSPORT, 0)
    return _enter(feed, FEED_BACKED, now_ms)


def _backed(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    left_ms = feed.spec.rest_ms - ticks_diff(now_ms, feed.entered_ms)
    if left_ms > 0:
        return left_ms
    if inp.enters[IN_THROAT_A] == feed.back_a:
        return _fail(feed, out, FAULT_JAM_THROAT)  # it never came back to A: another would follow it
    output_set(out, OUT_REVERSE, 0)
    output_set(out, OUT_TRANSPORT, 1)
    # On its way back it has left beams, and may have been read: what counts is its next way forward.
    feed.seen_b = inp.leaves[IN_THROAT_B]
    feed.seen_a = inp.enters[IN_THROAT_A]
    feed.seen_back = inp.enters[IN_BACK] - inp.level[IN_BACK]
    feed.seen_face = inp.enters[IN_FACE] - inp.level[IN_FACE]
    feed.faces.seen = inp.card_codes
    if feed.confirm >= 0:
        feed.seen_confirm = inp.leaves[feed.confirm] - feed.count
    if inp.level[IN_THROAT_A]:
        feed.seen_a -= 1
        return _enter(feed, FEED_STAGED, now_ms)
    _pick(feed, inp, out, now_ms)
    return 0


def _finishing(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if feed.confirmed(inp) != feed.count:
        return _unconfirmed(feed, inp, out, now_ms)
    fault = doubtful(feed, inp)
    return _fail(feed, out, fault) if fault else _enter(feed, FEED_DONE, now_ms)


# One for each state: takes at most one transition and returns when to come back. Called straight from here by the
# machines: a function around them would cost every scan 50 us.
FEED_SCANS = (
    _idle,
    _picking,
    _pausing,
    _staged,
    _passing,
    _entering,
    _braking,
    _backing,
    _backed,
    _finishing,
    _idle,
    _idle,
)


def _next_card(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if feed.ahead:
        return _follow(feed, inp)
    if feed.count == feed.wanted or (feed.wanted == FEED_ALL and not inp.level[IN_HOPPER]):
        return _enter(feed, FEED_FINISHING, now_ms)
    if not inp.level[IN_HOPPER]:
        return _fail(feed, out, FAULT_STACK)
    if not feed.sink.aim(feed.count, now_ms):
        return _fail(feed, out, FAULT_MISMATCH)
    feed.tries = feed.jogs = 0
    feed.counted = False
    begin_card(feed, inp)
    feed.seen_a = inp.enters[IN_THROAT_A]
    _pick(feed, inp, out, now_ms)
    return 0


def _follow(feed: Feed, inp: "Inputs") -> int:
    """The next card has been on its way since the last one left the hopper. In a late scan it is at A already: count
    its edges from the last card's, not from now."""
    feed.tries = feed.jogs = 0
    feed.ahead = feed.counted = False
    follow_card(feed)
    feed.picked_us = ticks_add(inp.enter_us[IN_THROAT_B], feed.spec.free_us)
    # Its time-out begins where the roller took hold of it: as long as for a card that is picked from rest.
    return _enter(feed, FEED_PICKING, ticks_add(feed.entered_ms, feed.spec.free_us // 1000))


def _pick(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> None:
    # The edge stops the roller in the HAL: 2 ms late would put the card 2.4 mm further into the mouth.
    output_arm_stop(out, OUT_PICK, IN_THROAT_A, feed.spec.stage_us if feed.follows else 0)
    output_set(out, OUT_PICK, 1)
    feed.picked_us = inp.now_us
    _enter(feed, FEED_PICKING, now_ms)


def _passed(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    feed.ledger.move(PATH, feed.zone, 1)
    feed.count += 1
    feed.passed_ms = now_ms
    if inp.enters[IN_FACE] != feed.seen_face:
        feed.seen_face += 1
        feed.face_ups += 1
        if feed.wanted != FEED_ALL:
            feed.wanted += 1  # by the rules it goes to the rack, and one more comes in its place
    feed.seen_b = inp.leaves[IN_THROAT_B]
    if feed.jogs:
        feed.stalls += 1
        feed.meters.add(METER_STALLS)
    if feed.spec.recognises:
        feed.faces.note(inp)
    return _next_card(feed, inp, out, now_ms)


def _stopped(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    # Stop before anything else: a jammed roller must not go on bending cards.
    output_set(out, OUT_PICK, 0)
    output_set(out, OUT_TRANSPORT, 0)
    if feed.jogs >= feed.spec.jog_max:
        return _fail(feed, out, FAULT_JAM_THROAT)
    feed.jogs += 1
    if feed.ahead:
        # The next card has to go back into the hopper first, and the order at A would stop the roller on its way.
        output_arm_stop(out, OUT_PICK, IN_THROAT_B, feed.spec.run_us)
    feed.back_a = inp.enters[IN_THROAT_A] - inp.level[IN_THROAT_A]
    return _enter(feed, FEED_STOPPED, now_ms)


def _unconfirmed(feed: Feed, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Whether the beam behind the mouth may still see the card; a passage too many is a fault at once."""
    left_ms = feed.spec.confirm_ms_max - ticks_diff(now_ms, feed.passed_ms)
    if left_ms > 0 and feed.confirmed(inp) < feed.count:
        return left_ms
    return _fail(feed, out, FAULT_JAM_EXIT)


def _enter(feed: Feed, state: int, now_ms: int) -> int:
    feed.state = state
    feed.entered_ms = now_ms
    return 0


def _fail(feed: Feed, out: "Outputs", fault: int) -> int:
    feed_stop(feed, out)
    feed.fault = fault
    feed.state = FEED_FAILED
    return 0
