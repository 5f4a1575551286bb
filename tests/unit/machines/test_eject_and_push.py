"""The ejector of a carousel and the pusher of shelves, with inputs that only the test moves."""

from test_machine_parts import machine_of, parts

from firmware import fault as faults
from firmware import image
from firmware.deck.ledger import STORE, TRAY
from firmware.machines import axis as axes
from firmware.machines.eject import (
    EJECT_FAILED,
    EJECT_HOMING,
    EJECT_LEAVING,
    EJECT_PUSHING,
    eject_scan,
    eject_start,
)
from firmware.machines.push import PUSH_FAILED, PUSH_HOMING, PUSH_KNOWN, PUSH_LOOK, PUSH_PUSHING, push_scan, push_start


def test_the_ejector_must_be_home_in_time_and_cards_leave_by_the_outfeed():
    machine, inp, out = parts()
    eject = machine.eject
    eject_start(eject, out, 2, 0)
    assert out.level[image.OUT_OUTFEED] == 1
    eject.state, eject.entered_ms = EJECT_HOMING, 100
    inp.level[image.IN_EJECTOR] = 1
    limit = eject.spec.ejector_home_ms_max
    assert eject_scan(eject, inp, out, 100 + limit - 1) == 1 and eject.state == EJECT_HOMING
    assert eject_scan(eject, inp, out, 100 + limit) == 0
    assert (eject.state, eject.fault) == (EJECT_FAILED, faults.FAULT_EJECTOR)
    assert out.level[image.OUT_OUTFEED] == out.level[image.OUT_EJECTOR] == 0


def test_the_ejector_goes_back_when_a_card_is_at_the_exit_and_does_not_push_behind_one_that_stays():
    """Whether the scan comes while the card is there or after it. One that is there before is a jam."""
    for at_exit, passed, before in ((1, 0, False), (0, 1, False), (1, 1, False), (0, 0, False), (1, 0, True)):
        machine, inp, out = parts()
        eject = machine.eject
        eject_start(eject, out, 2, 0)
        eject.axis.state = axes.AXIS_REST
        inp.level[image.IN_EXIT] = before
        eject_scan(eject, inp, out, 0)
        if before:
            assert (eject.state, eject.fault, out.level[image.OUT_EJECTOR]) == (EJECT_FAILED, faults.FAULT_JAM_EXIT, 0)
            continue
        assert eject.state == EJECT_PUSHING and out.level[image.OUT_EJECTOR]
        inp.level[image.IN_EJECTOR] = 1
        inp.level[image.IN_EXIT] = at_exit
        inp.leaves[image.IN_EXIT] += passed
        eject_scan(eject, inp, out, 1)
        gone = at_exit or passed
        assert eject.state == (EJECT_LEAVING if gone else EJECT_PUSHING), (at_exit, passed)
        assert out.level[image.OUT_EJECTOR] == (0 if gone else 1), (at_exit, passed)


def pushed(mode, level=1):
    """A pusher over the shelf it looks at, which holds five cards by the books."""
    machine, inp, out = parts("shelves", "house")
    push = machine.push
    push.load[0] = push.load[2] = 5
    push.ledger.zone[STORE] = 10
    push_start(push, mode, 0)
    push_scan(push, inp, out, 0)
    push.axis.state = axes.AXIS_REST
    push_scan(push, inp, out, 0)
    assert out.watch_slot
    inp.level[image.IN_SLOT] = level
    assert push_scan(push, inp, out, 4) == 1
    push_scan(push, inp, out, 5)
    return push, inp, out


def cleared(inp, ms):
    """The slot beam has been clear for so long."""
    inp.level[image.IN_SLOT] = 0
    inp.now_us, inp.leave_us[image.IN_SLOT] = 50000, 50000 - ms * 1000


def test_a_shelf_that_is_only_looked_at_is_not_pushed_and_the_beam_rests_between_shelves():
    push, _inp, out = pushed(PUSH_LOOK)
    assert (push.found, push.shelf) == (1, 1) and not out.watch_slot and not out.level[image.OUT_EJECTOR]
    push, _inp, out = pushed(PUSH_LOOK, 0)
    assert (push.found, push.shelf) == (0, 1) and not out.watch_slot


def test_cards_of_a_shelf_are_in_the_tray_once_the_pusher_is_home():
    for mode, moved in ((PUSH_KNOWN, 5), (1, 0)):
        push, inp, out = pushed(mode)
        assert out.level[image.OUT_EJECTOR] == 1
        inp.level[image.IN_EJECTOR] = 1
        cleared(inp, 5)
        push_scan(push, inp, out, 10)
        assert push.state == PUSH_HOMING and out.level[image.OUT_EJECTOR] == 0 and out.watch_slot
        limit = push.spec.ejector_home_ms_max
        assert push_scan(push, inp, out, 10 + limit - 1) == 1
        inp.level[image.IN_TRAY] = 1
        inp.level[image.IN_EJECTOR] = 0
        push_scan(push, inp, out, 10 + limit - 1)
        assert not out.watch_slot
        assert (push.ledger.zone[TRAY], push.load[0]) == (moved, 0)
        assert push.shelf == (2 if mode == PUSH_KNOWN else 1)
    push, inp, out = pushed(PUSH_KNOWN)
    inp.level[image.IN_EJECTOR] = 1
    cleared(inp, 5)
    push_scan(push, inp, out, 10)
    push_scan(push, inp, out, 10 + push.spec.ejector_home_ms_max)
    assert (push.state, push.fault) == (PUSH_FAILED, faults.FAULT_EJECTOR)


def test_a_pulse_on_the_slot_beam_leaves_no_cards_on_their_shelf():
    push, inp, out = pushed(PUSH_KNOWN)
    inp.level[image.IN_EJECTOR] = inp.level[image.IN_TRAY] = 1
    cleared(inp, 2)
    assert push_scan(push, inp, out, 10) == 3
    assert push.state == PUSH_PUSHING and out.level[image.OUT_EJECTOR] == 1
    cleared(inp, 5)
    push_scan(push, inp, out, 13)
    assert push.state == PUSH_HOMING
    inp.level[image.IN_SLOT] = 1
    inp.level[image.IN_EJECTOR] = 0
    push_scan(push, inp, out, 14)
    assert (push.state, push.fault) == (PUSH_FAILED, faults.FAULT_JAM_EXIT)
    assert push.ledger.zone[TRAY] == 0


def test_one_card_too_many_is_counted_where_there_is_room_and_refused_where_there_is_none():
    machine = machine_of("shelves", "house")
    machine.expected = 0
    most = machine.spec.shelf_cards_max
    for shelf in range(len(machine.load)):
        machine.load[shelf] = most
    assert not machine.aim(0, 0)
    machine.load[len(machine.load) - 1] = most - 1
    assert machine.aim(0, 0) and machine.load[len(machine.load) - 1] == most
    assert machine.axis.target == len(machine.load) - 1
