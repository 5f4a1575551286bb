"""The outbox: events in order, each with the time, round and deck it was posted in."""

from support import raises

from firmware.fault import Broken
from firmware.journal.outbox import OUTBOX_MAX, OUTBOX_SPARE, VALUES_MAX, Outbox
from firmware.protocol import ids


def head(outbox):
    entry = outbox.head()
    return (entry.message, entry.uptime_s, entry.uptime_ms, entry.round, entry.deck, list(entry.values), entry.text)


def test_an_event_keeps_what_was_true_when_it_was_posted():
    outbox = Outbox()
    outbox.uptime_s, outbox.uptime_ms, outbox.round, outbox.deck = 11, 22, 33, 44
    outbox.post(ids.EV_RECORDED, 1, 2, 3, 4, b"CS-9g", 5, 6, 7)
    outbox.uptime_s, outbox.uptime_ms, outbox.round, outbox.deck = 12, 23, 34, 45
    outbox.post(ids.EV_DOOR_OPENED)
    assert head(outbox) == (ids.EV_RECORDED, 11, 22, 33, 44, [1, 2, 3, 4, 5, 6, 7], b"CS-9g")
    outbox.drop_head()
    assert head(outbox) == (ids.EV_DOOR_OPENED, 12, 23, 34, 45, [0] * 7, b"")
    outbox.drop_head()
    assert outbox.count == 0


def test_a_new_outbox_is_empty_and_belongs_to_no_round_or_deck():
    outbox = Outbox()
    assert (outbox.count, outbox.uptime_s, outbox.uptime_ms, outbox.round, outbox.deck) == (0, 0, 0, 0, 0)
    assert len(outbox.entries) == OUTBOX_MAX == 24
    assert head(outbox) == (0, 0, 0, 0, 0, [0] * VALUES_MAX, b"")
    assert VALUES_MAX == 7


def test_events_leave_in_the_order_they_came_across_the_end_of_the_ring():
    outbox = Outbox()
    posted = 0
    for dropped in range(3 * OUTBOX_MAX):
        while outbox.count < OUTBOX_MAX:
            outbox.post(ids.EV_DOOR_OPENED, posted)
            posted += 1
        assert raises(Broken, outbox.post, ids.EV_DOOR_OPENED)
        assert outbox.head().values[0] == dropped
        outbox.drop_head()


def test_what_can_wait_leaves_room_for_what_a_stop_has_to_say():
    outbox = Outbox()
    for count in range(OUTBOX_MAX):
        assert outbox.roomy() == (count < 12)
        outbox.post(ids.EV_DOOR_OPENED)
    assert OUTBOX_SPARE == 12


def test_a_thousand_milliseconds_are_a_second():
    for ms, expected in ((999, (5, 999)), (1000, (6, 0)), (1001, (6, 1)), (3999, (8, 999))):
        outbox = Outbox()
        outbox.uptime_s = 5
        outbox.uptime_ms = ms
        outbox.carry()
        assert (outbox.uptime_s, outbox.uptime_ms) == expected
