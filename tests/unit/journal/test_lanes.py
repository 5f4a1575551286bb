"""Lanes: the last command of each role, what replaces it and what does not."""

from firmware.journal.lanes import NEVER, Lane, Lanes
from firmware.protocol import ids

ROLE = ids.ROLE_TABLE


def values_of(lane):
    return [lane.op, lane.command, lane.digest, lane.outcome, lane.reason, lane.detail]


def entry(op, outcome=ids.OUTCOME_DONE, detail=7):
    return [op, 512 + op, 70000 + op, outcome, 3, detail]


def test_a_new_lane_has_had_no_command():
    lane = Lane()
    assert values_of(lane) == [0, 0, 0, NEVER, 0, 0]
    assert not lane.final()
    assert len(Lanes().by_role) == ids.LANE_COUNT


def test_a_command_is_over_once_nothing_more_can_be_known_of_it():
    for outcome in range(len(ids.OUTCOME_NAMES.split())):
        for detail in (0, ids.UNKNOWN_U16 - 1, ids.UNKNOWN_U16):
            lane = Lane()
            lane.outcome = outcome
            lane.detail = detail
            over = outcome not in (ids.OUTCOME_ACCEPTED, ids.OUTCOME_RUNNING)
            if outcome == ids.OUTCOME_IN_DOUBT and detail == ids.UNKNOWN_U16:
                over = False
            assert lane.final() == over, (outcome, detail)


def test_a_later_command_replaces_every_field_of_the_last():
    lanes = Lanes()
    for op in (4, 5, 9):
        lanes.restore(ROLE, entry(op))
        assert values_of(lanes.by_role[ROLE]) == entry(op)


def test_an_older_command_and_a_second_end_of_the_same_change_nothing():
    lanes = Lanes()
    lanes.restore(ROLE, entry(5))
    lanes.restore(ROLE, entry(4))
    lanes.restore(ROLE, entry(5, ids.OUTCOME_ACCEPTED))
    lanes.restore(ROLE, entry(5, ids.OUTCOME_FAILED, 9))
    assert values_of(lanes.by_role[ROLE]) == entry(5)


def test_the_end_of_a_command_replaces_its_acceptance_and_a_count_its_doubt():
    lanes = Lanes()
    for outcome, detail in (
        (ids.OUTCOME_ACCEPTED, 0),
        (ids.OUTCOME_RUNNING, 0),
        (ids.OUTCOME_IN_DOUBT, ids.UNKNOWN_U16),
        (ids.OUTCOME_IN_DOUBT, 12),
    ):
        lanes.restore(ROLE, entry(5, outcome, detail))
        assert values_of(lanes.by_role[ROLE]) == entry(5, outcome, detail)


def test_the_records_of_a_command_in_doubt_are_understood_in_any_order():
    """Those of one command may lie on both sides of the end of the ring, which a boot reads from its first cell on."""
    ends = [
        (ids.OUTCOME_ACCEPTED, 0),
        (ids.OUTCOME_IN_DOUBT, ids.UNKNOWN_U16),
        (ids.OUTCOME_IN_DOUBT, 12),
    ]
    for count in (2, 3):
        for first in range(count):
            for second in range(count):
                for third in range(count):
                    lanes = Lanes()
                    for at in (first, second, third):
                        lanes.restore(ROLE, entry(5, *ends[at]))
                    newest = max(first, second, third)
                    assert values_of(lanes.by_role[ROLE]) == entry(5, *ends[newest]), (first, second, third)


def test_only_roles_with_a_lane_have_one():
    lanes = Lanes()
    for role in (ids.ROLE_CLEAR, ids.LANE_COUNT, ids.LANE_COUNT + 1, 255):
        lanes.restore(role, entry(5))
    for lane in lanes.by_role:
        assert lane.op == 0
    for role in range(1, ids.LANE_COUNT):
        lanes.restore(role, entry(role))
        assert lanes.by_role[role].op == role


def test_lanes_are_packed_one_behind_the_other_and_taken_over_whole():
    lanes = Lanes()
    lanes.restore(1, [0x01020304, 0x0506, 0x0708090A, 2, 3, 0x0B0C])
    lanes.restore(3, [7, 8, 9, 4, 5, 6])
    buf = bytearray(50)
    lanes.pack(buf, 4)
    one = b"\x04\x03\x02\x01\x06\x05\x0a\x09\x08\x07\x02\x03\x0c\x0b"
    three = b"\x07\x00\x00\x00\x08\x00\x09\x00\x00\x00\x04\x05\x06\x00"
    assert bytes(buf) == bytes(4) + one + bytes(10) + b"\xff" + bytes(3) + three + bytes(4)
    other = Lanes()
    other.take_over(lanes)
    for role in range(ids.LANE_COUNT):
        assert values_of(other.by_role[role]) == values_of(lanes.by_role[role])
