"""A machine that is not as configured does not deal: it stops and gives the figure as measured and as configured."""

from support import board, fields_of

from firmware.fault import FAULT_AXIS, FAULT_CONFIG, FIGURE_NAMES
from rig.operator import good_round, next_moves
from rig.story import Stage

GAME = {"deck_cards": 12, "stack_cards": 2, "positions_max": 2, "lockout": False}
FIGURES = FIGURE_NAMES.split()


def stopped(truth, seed=1, cards=12):
    """The first warning of a machine, as (fault, figure, measured, configured), and the events up to it."""
    stage = Stage(board(), dict(GAME, deck_cards=cards), seed, truth=truth)
    for _ in range(400):
        stage.run(100)
        names = stage.names()
        if "warning_latched" in names:
            stage.run(500)
            fault = fields_of(stage, "warning_latched")[0][0]
            figure, measured, configured = (fields_of(stage, "not_as_configured") or [[0, 0, 0]])[0]
            return (fault, FIGURES[figure], measured, configured), stage.names()
        for delay_ms, action, arguments in next_moves(stage, True):
            stage.run(delay_ms)
            stage.act(action, arguments)
    raise AssertionError("no warning")


def test_a_turn_of_fewer_slots_is_found_before_a_deck_comes():
    for slots in (53, 48, 40):
        found, names = stopped({"slot_count": slots})
        assert found == (FAULT_CONFIG, "slot_count", slots, 54)
        assert "empty_proved" not in names


def test_a_turn_that_is_no_number_of_slots_gives_the_steps_of_one():
    assert stopped({"slot_steps": 61})[0] == (FAULT_CONFIG, "slot_steps", 61, 64)


def test_a_longer_turn_looks_like_lost_steps():
    for truth in ({"slot_count": 55}, {"slot_steps": 66}):
        found, names = stopped(truth)
        assert found[:2] == (FAULT_AXIS, "none") and "empty_proved" not in names


def test_cards_of_another_length_and_a_longer_brake_are_found_before_a_deck_is_verified():
    for truth, configured in (({"card_um": 80000}, 88900), ({"brake_um": 8000}, 3000)):
        figure = next(iter(truth))
        (fault, found, measured, expected), names = stopped(truth)
        assert (fault, found, expected) == (FAULT_CONFIG, figure, configured)
        assert abs(measured - truth[figure]) < 2000
        assert "shuffle_started" in names and "deck_verified" not in names


def test_a_slot_beam_elsewhere_is_found_by_where_the_empty_slots_pass():
    for slots in (12, 14):
        found, names = stopped({"slot_beam_slots": slots}, cards=40)
        assert found == (FAULT_CONFIG, "slot_beam_slots", slots, 13)
        assert "shuffle_started" in names and "deck_verified" not in names


def test_what_wears_or_gets_dirty_is_no_other_machine():
    """Rollers 8 % slow or 5 % fast, 5 mm of dust on a beam, slip at every start, a stack of bounces."""
    dust = {"fault": "beam_dust", "um": 5000}
    for truth, fault in (
        ({"transport_um_per_ms": 1104}, None),
        ({"transport_um_per_ms": 1260}, None),
        ({"slip_percent_max": 8, "slip_at_start": 1}, None),
        ({"brake_um": 5000, "roller_start_us": 3000}, None),
        ({"bounce_us": 900}, None),
        ({}, dict(dust, line="throat_a")),
        ({}, dict(dust, line="throat_b")),
    ):
        stage = Stage(board(), GAME, 3, truth=truth)
        if fault:
            stage.rig.plant.add_fault(fault)
        good_round(stage)
