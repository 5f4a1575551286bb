"""A scan may come late: by as much as a scan may take, and by as much as a collection of memory takes."""

from support import SLOW, check_stage
from tables import set_up
from test_timing import start

from firmware.games.flow import SHUFFLING
from firmware.machines.eject import EJECT_LEAVING

LATE_US = 4000  # what a scan may take: scan_ms_max of the reference boards
COLLECT_US = 22000  # MicroPython collects by itself when memory has run out, whatever moves


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


def test_memory_that_is_collected_in_the_middle_of_a_shuffle_spoils_nothing():
    """At any instant: one pause after the other, each a little later in what the machine does."""
    for kind in ("carousel", "shelves"):
        stage = set_up(kind, 10)
        rig = stage.rig
        scan = rig._scan
        pauses = []

        def late(rig=rig, scan=scan, pauses=pauses):
            wake_ms = scan()
            since_us = rig.plant.now_us - (pauses[-1] if pauses else 0)
            if rig.app.flow.state == SHUFFLING and since_us >= COLLECT_US + 1000 * (7 + len(pauses) * 37 % 101):
                pauses.append(rig.plant.now_us)
                rig.stuck_us = rig.plant.now_us + COLLECT_US
            return wake_ms

        rig._scan = late
        start(stage, 10, 0)
        stage.until("deck_verified", 90000)
        check_stage(stage)
        assert len(pauses) > 20, len(pauses)
        assert "warning_latched" not in stage.names()
