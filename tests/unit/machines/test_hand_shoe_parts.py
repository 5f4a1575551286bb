"""A shoe drawn by hand, with inputs that only the test moves: what is drawn, what is put back, what is left."""

from test_machine_parts import parts

from firmware.deck.ledger import DEALT, DISCARDED, HOPPER, REMOVED
from firmware.fault import FAULT_FACE_UP, FAULT_JAM_THROAT
from firmware.image import IN_CUT, IN_FACE, IN_HOPPER, IN_THROAT_A, IN_THROAT_B
from firmware.machines.hand_shoe import _watch
from firmware.machines.machine import JOB_FAILED, JOB_RUNNING
from firmware.ticks import FOREVER_MS


def watched(**changes):
    machine, inp, out = parts("draw", "double-attack-blackjack")
    machine.load(20, 0)
    for name in changes:
        setattr(machine, name, changes[name])
    machine.phase = 2
    inp.level[IN_HOPPER] = 1
    _watch(machine, inp, out, 0)
    return machine, inp, out


def draw(machine, inp, out, now_ms=10):
    """A hand draws one card past both beams."""
    for line in (IN_THROAT_A, IN_THROAT_B):
        inp.enters[line] += 1
        inp.level[line] = 1
    _watch(machine, inp, out, now_ms)
    inp.level[IN_THROAT_A] = inp.level[IN_THROAT_B] = 0
    for line, at in ((IN_THROAT_A, 1000), (IN_THROAT_B, 2000)):
        inp.leaves[line] += 1
        inp.leave_us[line] = at
    assert _watch(machine, inp, out, now_ms + 50) == 0


def test_only_a_ten_is_taken_out_and_only_where_that_is_asked_for():
    for tens_out, code, zone in (
        (True, 10, REMOVED),
        (True, 23, REMOVED),
        (True, 9, DEALT),
        (True, 11, DEALT),
        (True, 13, DEALT),
        (False, 10, DEALT),
    ):
        machine, inp, out = watched(tens_out=tens_out, zone=DEALT)
        inp.card_code = code
        inp.card_codes += 1
        draw(machine, inp, out)
        assert (machine.ledger.zone[zone], machine.tens) == (1, 1 if zone == REMOVED else 0), code
        draw(machine, inp, out, 100)  # not read: nothing is known of it
        assert machine.tens == (1 if zone == REMOVED else 0)


def test_a_card_face_up_is_rejected_once_and_the_cut_card_is_no_card():
    machine, inp, out = watched(rejects=True, zone=DEALT)
    inp.enters[IN_FACE] += 1
    draw(machine, inp, out)
    draw(machine, inp, out, 100)
    assert (machine.face_ups, machine.count) == (1, 1)
    assert (machine.ledger.zone[DISCARDED], machine.ledger.zone[DEALT]) == (1, 1)
    inp.enters[IN_CUT] += 1
    draw(machine, inp, out, 200)
    assert machine.cut_seen and machine.count == 1
    machine, inp, out = watched(rejects=False)
    inp.enters[IN_FACE] += 1
    _watch(machine, inp, out, 10)
    assert (machine.state, machine.fault) == (JOB_FAILED, FAULT_FACE_UP)


def test_what_is_shown_in_the_throat_and_put_back_is_not_drawn():
    for lies in (False, True):
        machine, inp, out = watched(rejects=True)
        for line in (IN_CUT, IN_FACE):
            inp.enters[line] += 1
            inp.level[line] = 1 if lies else 0
        _watch(machine, inp, out, 10)
        draw(machine, inp, out, 20)
        assert (machine.cut_seen, machine.face_ups) == (lies, 0)
    machine, inp, out = watched(rejects=True)
    inp.enters[IN_FACE] += 1
    inp.level[IN_FACE] = 1
    _watch(machine, inp, out, 10)
    draw(machine, inp, out, 20)
    assert machine.face_ups == 1


def test_a_card_may_pass_for_a_quarter_of_a_second_and_is_a_jam_in_the_end():
    machine, inp, out = watched()
    assert machine.passing_ms(0) == 0
    inp.level[IN_THROAT_A] = 1
    _watch(machine, inp, out, 100)
    assert machine.busy and machine.passing_ms(110) == 240
    limit = machine.spec.hold_ms_max
    assert _watch(machine, inp, out, 100 + limit - 1) == 1 and machine.state == JOB_RUNNING
    _watch(machine, inp, out, 100 + limit)
    assert (machine.state, machine.fault) == (JOB_FAILED, FAULT_JAM_THROAT)
    assert machine.passing_ms(110) == 0


def test_a_shoe_is_empty_when_it_stays_empty():
    for left, limit in ((0, 0), (1, 0), (2, 300)):
        machine, inp, out = watched()
        machine.ledger.zone[HOPPER] = left
        limit = limit or machine.spec.hold_ms_max
        inp.level[IN_HOPPER] = 0
        assert _watch(machine, inp, out, 50) == limit
        assert _watch(machine, inp, out, 50 + limit - 1) == 1 and not machine.drained
        assert _watch(machine, inp, out, 50 + limit) == 0 and machine.drained
        assert _watch(machine, inp, out, 51 + limit) == FOREVER_MS
        inp.level[IN_HOPPER] = 1
        _watch(machine, inp, out, 60 + limit)
        assert not machine.drained
