"""Cards that stop: motors off, the right word for it, the round void where the rules say so, and a way back."""

from support import GAME, all_fields_of, board, check_stage, fields_of, lock_decide, play
from tables import clear_by_hand, faults, insert, set_up, warned

from firmware import fault
from rig import stories
from rig.story import Stage


def jam(place, nth, at_um):
    return [("", 0, "jam", "%s:%d:%d" % (place, nth, at_um))]


def test_a_jammed_roller_stops_within_a_quarter_of_a_second():
    stage = play(stories.start() + jam("throat", 10, 60000) + stories.shuffle(52))
    plant = stage.rig.plant
    while not (plant.throat.bodies and plant.throat.bodies[0].x_um == 60000 and not plant.throat.bodies[0].moving):
        stage.run(1)
    stopped_us = plant.now_us
    while plant.outputs[1]:
        stage.run(1)
    assert plant.now_us - stopped_us <= 250000


def test_a_card_of_a_wrong_length_is_reported_with_the_length_that_was_measured():
    """And no other warning is, nor the next one after it."""
    for kind in ("carousel", "shelves"):
        stage = set_up(kind, 10)
        for spec, code, low_um, high_um in (
            ({"fault": "roller_slow", "percent": 12}, fault.FAULT_DOUBLE_FEED, 102236, 108000),
            ({"fault": "double_feed", "card": 2}, fault.FAULT_DOUBLE_FEED, 0, 0),
            ({"fault": "foreign", "card": 2, "length_um": 60000}, fault.FAULT_CARD_LENGTH, 59000, 64000),
            ({"fault": "jam", "place": "throat", "at_um": 60000, "card": 2}, fault.FAULT_JAM_THROAT, 0, 0),
        ):
            insert(faults(stage, spec), 10)
            assert warned(stage) == code
            length_um, card_um = all_fields_of(stage, "warning_latched")[-1][3:]
            assert low_um <= length_um <= high_um, (kind, spec, length_um)
            assert card_um == (88900 if low_um else 0)
            clear_by_hand(stage)
    stage = insert(faults(set_up("carousel", 10), {"fault": "roller_slow", "percent": 8}), 10)
    stage.until("deck_verified", 60000)  # within what a card may slip


def test_a_carousel_that_does_not_arrive_is_an_axis_fault():
    stage = play(stories.start() + stories.shuffle(52) + [("shuffle_started", 3000, "wait", 0)])
    plant = stage.rig.plant
    while not plant.axis.moving:
        stage.run(1)
    plant.axis.due_us = plant.axis.end_us = 1 << 60
    stage.until("warning_latched", 10000)
    assert fields_of(stage, "warning_latched")[0][0] == fault.FAULT_AXIS


def test_faults_are_handled_without_allocating():
    for steps in (
        jam("throat", 10, 60000) + stories.shuffle(52),
        jam("exit", 2, 40000) + stories.shuffle(52) + stories.deal(1)[:-2],
        stories.shuffle(51),
    ):
        stage = Stage(board(), GAME, 7)
        lock_decide(stage.rig.app)
        stage.play(stories.start() + steps)
        stage.until("warning_latched", 60000)
        check_stage(stage)
