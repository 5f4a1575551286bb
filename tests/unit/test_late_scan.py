"""A scan may come late: the first card of a stack has left the exit and lies in the tray, and both are news."""

import sys

from support import check_stage
from tables import set_up
from test_timing import start

from firmware.machines.eject import EJECT_LEAVING

LATE_US = 4000  # what a scan may take: scan_ms_max of the reference boards
SLOW = sys.implementation.name != "cpython"


def first_stack(after_ms):
    """Deal with no scan for a while, so many milliseconds after the first card came to the exit."""
    stage = set_up("carousel", 10, stack_cards=3)
    start(stage, 10, 0)
    stage.until("deck_verified", 90000)
    stage.play([("", 200, "press", "seat")])
    rig = stage.rig
    eject = rig.app.flow.machine.eject
    rig.plant.press(rig.plant.lines.index("button_close"))
    while eject.state != EJECT_LEAVING:
        stage.run(1)
    stage.run(after_ms)
    assert eject.count == 0
    rig.stuck_us = rig.plant.now_us + LATE_US
    stage.until("stack_offered", 20000)
    check_stage(stage)


def test_a_late_scan_does_not_take_the_first_card_for_somebody_elses():
    for after_ms in range(67, 74, 3 if SLOW else 1):
        first_stack(after_ms)
