"""A panel that does not answer: no motion is broken off, then a warning that names it and latches like any other."""

from support import act, check_stage, fields_of
from tables import ALL_KINDS, faults, insert, set_up
from test_commands import command
from test_session import at_rest

from firmware.fault import FAULT_NAMES, FAULT_PANEL
from firmware.games.flow import WAITING_FOR_DECK, WARNING
from firmware.games.pages import page_lines
from firmware.protocol import ids

CARDS = 8


def lose(stage, on=True):
    if on:
        faults(stage, {"fault": "panel_lost"})
    else:
        stage.rig.plant.repair()
    stage.run(500)


def warnings(stage):
    return [fields[0] for fields in fields_of(stage, "warning_latched")]


def test_it_has_its_number_and_its_name():
    assert FAULT_PANEL == 23 and FAULT_NAMES.split()[FAULT_PANEL] == "panel"


def test_at_rest_it_is_a_warning_that_ack_clears_when_the_panel_is_back():
    for kind in ALL_KINDS:
        stage = set_up(kind, CARDS)
        stage.run(1000)
        lose(stage)
        flow = stage.rig.app.flow
        assert (flow.state, warnings(stage)) == (WARNING, [FAULT_PANEL]), kind
        assert page_lines(flow)[:2] == ("STOP: panel", "Panel not connected")
        stage.play([("", 500, "press", "ack"), ("", 3000, "wait", 0)])
        assert flow.state == WARNING, "a button that is not there cannot be pressed"
        lose(stage, False)
        stage.run(5000)
        assert flow.state == WARNING, "its return alone clears nothing"
        stage.play([("", 500, "press", "ack")])
        stage.until("warning_cleared", 60000, then_ms=500)
        assert (flow.state, warnings(stage)) == (WAITING_FOR_DECK, [FAULT_PANEL])
        check_stage(stage)


def test_a_shuffle_under_way_ends_well_before_the_warning_comes():
    for kind in ("carousel", "shelves"):
        stage = insert(set_up(kind, CARDS), CARDS)
        stage.until("shuffle_started", 5000, then_ms=500)
        lose(stage)
        assert warnings(stage) == []
        stage.until("deck_verified", 120000, then_ms=500)
        assert "shuffle_failed" not in stage.names()
        assert warnings(stage) == [FAULT_PANEL]
        check_stage(stage)


def test_a_panel_that_is_back_before_the_motion_ends_changes_nothing():
    stage = insert(set_up("carousel", CARDS), CARDS)
    stage.until("shuffle_started", 5000)
    lose(stage)
    stage.run(1000)
    lose(stage, False)
    stage.until("deck_verified", 120000)
    assert warnings(stage) == []


def test_a_stack_under_way_is_dealt_and_then_the_round_is_void():
    stage = insert(set_up("shoe", CARDS, stack_cards=2), CARDS)
    stage.run(2000)
    act(stage, 300, "press", button="close")
    stage.act("press", {"button": "lock"})
    for _ in range(3000):
        if any(stage.rig.plant.outputs[:2]):
            break
        stage.run(1)
    faults(stage, {"fault": "panel_lost"})
    stage.until("warning_latched", 20000, then_ms=300)
    assert len(stage.rig.plant.tray) == 2, "the whole stack"
    assert warnings(stage) == [FAULT_PANEL]
    assert fields_of(stage, "round_voided")[0][0] == FAULT_PANEL
    check_stage(stage)


def test_ack_from_a_host_while_the_panel_is_gone_empties_the_machine_and_latches_again():
    stage = at_rest()
    lose(stage)
    command(stage, 1, ids.CMD_ACKNOWLEDGE_WARNING, 0, 20000)
    assert stage.peer.results[-1][2] == ids.OUTCOME_DONE
    assert stage.rig.app.flow.state == WARNING and warnings(stage) == [FAULT_PANEL] * 2
    assert "removal_started" in stage.names()
    lose(stage, False)
    command(stage, 2, ids.CMD_ACKNOWLEDGE_WARNING, 0, 20000)
    assert stage.rig.app.flow.state == WAITING_FOR_DECK
