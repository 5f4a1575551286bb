"""Between two stacks the carousel goes on to the next slot while the last card lands, and nothing is offered before it
stands there."""

from support import check_stage, fields_of, play

from firmware.fault import FAULT_AXIS
from rig import stories

CARDS = 5


def dealing():
    """A device that was just asked to deal to one position and the dealer."""
    stage = play(stories.start() + stories.shuffle(52) + stories.deal(1)[:-2])
    return stage


def test_the_next_stacks_first_slot_is_at_the_mouth_when_a_stack_is_offered():
    stage = dealing()
    axis = stage.rig.plant.axis
    for stack in (1, 2):
        stage.until("stack_offered", 5000)
        assert axis.slot == stack * CARDS and not axis.moving
        stage.rig.plant.take()
    check_stage(stage)


def test_the_carousel_does_not_go_on_behind_the_last_card():
    stage = dealing()
    for _ in range(2):
        stage.until("stack_offered", 5000)
        stage.rig.plant.take()
    stage.play(stories.finish()[:2])
    assert stage.names()[-1] == "remainder_taken"
    assert stage.rig.plant.axis.slot == 51
    check_stage(stage)


def test_a_stack_is_not_offered_when_the_carousel_does_not_get_to_the_next_slot():
    stage = dealing()
    plant = stage.rig.plant
    while len(plant.tray) < CARDS:
        stage.run(1)
    assert plant.axis.moving
    plant.axis.due_us = plant.axis.end_us = 1 << 60
    stage.until("warning_latched", 10000)
    assert fields_of(stage, "warning_latched")[-1][0] == FAULT_AXIS
    assert "stack_offered" not in stage.names()
    check_stage(stage)


def test_five_cards_are_ready_within_their_budget():
    """The budget is 1.2 s after the tray beam has cleared; 50 ms of it are for scans that take time. Dealing knows no
    chance, so one stack tells."""
    stage = dealing()
    stage.until("stack_offered", 5000)
    stage.rig.plant.take()
    cleared_us = stage.rig.plant.now_us
    stage.until("stack_offered", 5000)
    assert stage.rig.plant.now_us - cleared_us <= 1150000
