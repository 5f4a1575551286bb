"""The self-test: every beam must notice the dark, the axis must find home, and empty is seen, not assumed."""

from support import board, check_stage, fields_of
from tables import ALL_KINDS, faults, insert, set_up, small_board, warned

from firmware.fault import FAULT_AXIS, FAULT_BEAM, FAULT_CARDS_INSIDE, FAULT_EJECTOR, FAULT_MISFEED
from firmware.games.flow import DECK_READY, DRAW_READY, PROVING_EMPTY, WAITING_FOR_DECK, WARNING
from firmware.image import INPUTS, MOTOR_COUNT
from hal.sim.beams import LIGHT
from rig.story import Stage

CARDS = 8
# Beams in the path of a card, where nothing may lie before a job.
PATH = ("throat_a", "throat_b", "opacity", "arrival", "exit", "cut")


def beams_of(kind):
    wired = board(kind)["inputs"]
    return [name for name in LIGHT if name in wired]


def power_up(kind, *specs, config=None):
    """A device whose faults were there before it was switched on."""
    stage = Stage(config or small_board(kind), {"deck_cards": CARDS}, 7)
    return faults(stage, *specs)


def nothing_turned(stage):
    """No motor has ever been on."""
    return not any(stage.rig.plant.on_us[i] for i in range(MOTOR_COUNT))


def test_every_board_has_a_dark_output_and_every_beam_is_tried():
    for kind in ALL_KINDS:
        stage = set_up(kind, CARDS)
        spec = stage.rig.app.flow.spec
        assert [INPUTS[line] for line in spec.dark_lines] == [name for name in INPUTS if name in beams_of(kind)]
        assert stage.rig.app.flow.state == WAITING_FOR_DECK
        assert nothing_turned(stage)
        assert not stage.rig.plant.outputs[5], "the light is on again"


def test_a_beam_blind_at_power_up_is_found_and_nothing_turns():
    for kind in ALL_KINDS:
        for name in beams_of(kind):
            stage = power_up(kind, {"fault": "beam_blind", "line": name})
            assert warned(stage) == FAULT_BEAM, (kind, name)
            assert nothing_turned(stage) and not stage.rig.plant.axis.moving
            assert "empty_proved" not in stage.names()
            stage.rig.plant.repair()
            stage.play([("", 200, "press", "ack"), ("empty_proved", 0, "wait", 0)])
            check_stage(stage)


def test_a_beam_that_goes_blind_later_is_found_before_the_next_job():
    for kind in ALL_KINDS:
        for name in beams_of(kind):
            stage = set_up(kind, CARDS)
            insert_blind(stage, name)
            assert warned(stage) == FAULT_BEAM, (kind, name)
            assert nothing_turned(stage)
            assert "deck_verified" not in stage.names()
            assert len(stage.rig.plant.hopper) == CARDS


def insert_blind(stage, name):
    """A deck is started with one beam blind; the hopper's goes blind only after it has let the deck start."""
    stage.play([("", 300, "load", CARDS)])
    line = {"fault": "beam_blind", "line": name}
    if name != "hopper":
        faults(stage, line)
    stage.play([("", 300, "wait", 0)])
    stage.act("press", {"button": "green"})
    stage.run(2)
    if name == "hopper":
        faults(stage, line)


def test_beams_are_tried_again_before_every_stack():
    for name in beams_of("carousel"):
        stage = insert(set_up("carousel", CARDS, stack_cards=2), CARDS)
        stage.until("deck_verified", 60000)
        faults(stage, {"fault": "beam_blind", "line": name})
        stage.play([("", 300, "press", "close")])
        assert warned(stage) == FAULT_BEAM, name
        assert fields_of(stage, "round_voided")[0][0] == FAULT_BEAM
        assert sum([len(slot) for slot in stage.rig.plant.slots]) == CARDS


def test_a_path_beam_stuck_blocked_is_found_at_power_up():
    for kind in ALL_KINDS:
        for name in beams_of(kind):
            if name not in PATH and name not in ("tray", "slot"):
                continue
            stage = power_up(kind, {"fault": "beam_stuck", "line": name, "level": 1})
            assert warned(stage) in (FAULT_BEAM, FAULT_CARDS_INSIDE), (kind, name)
            assert "empty_proved" not in stage.names()


def test_a_path_beam_stuck_blocked_later_is_found_before_a_card_moves():
    """Above all the opacity sensor: one that always says blocked shows no double feed."""
    for kind in ALL_KINDS:
        for name in beams_of(kind):
            if name not in PATH:
                continue
            stage = set_up(kind, CARDS)
            stage.play([("", 300, "load", CARDS)])
            faults(stage, {"fault": "beam_stuck", "line": name, "level": 1})
            stage.play([("", 300, "press", "green")])
            assert warned(stage) == FAULT_BEAM, (kind, name)
            assert len(stage.rig.plant.hopper) == CARDS
            assert "deck_verified" not in stage.names()


def test_back_and_face_sensors_that_always_object_are_found_too():
    for kind in ALL_KINDS:
        for name in ("back", "face"):
            config = small_board(kind)
            config["inputs"][name] = 22
            stage = power_up(kind, {"fault": "beam_stuck", "line": name, "level": 1}, config=config)
            assert warned(stage) == FAULT_BEAM, (kind, name)


def test_a_hopper_beam_stuck_blocked_asks_for_a_card_that_does_not_come():
    for kind in ("carousel", "shelves"):
        stage = faults(set_up(kind, CARDS), {"fault": "beam_stuck", "line": "hopper", "level": 1})
        insert(stage, CARDS)
        assert warned(stage) == FAULT_MISFEED
        assert "deck_verified" not in stage.names()


def test_a_tray_beam_stuck_blocked_deals_nothing():
    stage = insert(set_up("carousel", CARDS, stack_cards=2), CARDS)
    stage.until("deck_verified", 60000)
    faults(stage, {"fault": "beam_stuck", "line": "tray", "level": 1})
    stage.play([("", 300, "press", "close"), ("", 3000, "wait", 0)])
    assert stage.rig.app.flow.state == DECK_READY
    assert "round_started" not in stage.names()


def test_an_ejector_that_is_not_home_keeps_the_axis_still():
    for kind in ("carousel", "shelves"):
        stage = power_up(kind, {"fault": "beam_stuck", "line": "ejector", "level": 1})
        assert warned(stage) == FAULT_AXIS
        assert stage.rig.plant.axis.moves == 0


def test_an_ejector_switch_that_always_says_home_is_found_at_the_first_stroke():
    """It is what keeps the axis still while the arm is out."""
    for kind in ("carousel", "shelves"):
        stage = set_up(kind, CARDS, stack_cards=2)
        faults(stage, {"fault": "beam_stuck", "line": "ejector", "level": 0})
        insert(stage, CARDS)
        if kind == "carousel":
            stage.play([("deck_verified", 300, "press", "close")])
        moves = stage.rig.plant.axis.moves
        assert warned(stage) == FAULT_EJECTOR
        assert kind == "shelves" or stage.rig.plant.axis.moves == moves


def test_cards_inside_at_power_up_are_found_wherever_they_lie():
    for kind in ("carousel", "shelves"):
        for place in range(4):
            stage = Stage(small_board(kind), {"deck_cards": CARDS}, 7)
            stage.rig.plant.slots[place] = [place]
            assert warned(stage) == FAULT_CARDS_INSIDE, (kind, place)
            assert "empty_proved" not in stage.names()
            stage.play([("", 300, "press", "ack"), ("deck_removed", 500, "take", 0), ("empty_proved", 0, "wait", 0)])
            assert stage.taken == [[place]]
            check_stage(stage)


def test_every_shelf_of_the_reference_board_is_looked_at():
    for shelf in range(20):
        stage = Stage(board("shelves"), {"deck_cards": CARDS}, 7)
        stage.rig.plant.slots[shelf] = [1, 2]
        assert warned(stage) == FAULT_CARDS_INSIDE, shelf
    stage = Stage(board("shelves"), {"deck_cards": CARDS}, 7)
    stage.until("empty_proved", 20000)
    assert stage.rig.plant.axis.moves == 20  # home, and from each shelf to the next


def test_a_deck_in_the_hopper_at_power_up_is_no_card_inside():
    for kind in ALL_KINDS:
        stage = Stage(small_board(kind), {"deck_cards": CARDS}, 7)
        stage.rig.plant.load(list(range(CARDS)))
        stage.until("empty_proved", 20000)
        stage.play([("", 300, "press", "green")])
        stage.until("deck_verified" if kind in ("carousel", "shelves") else "deck_loaded", 120000)
        assert stage.rig.app.flow.warning == 0
        if kind == "draw":
            assert stage.rig.app.flow.state == DRAW_READY


def test_an_open_door_at_power_up_waits():
    for kind in ALL_KINDS:
        stage = Stage(small_board(kind), {"deck_cards": CARDS}, 7)
        stage.rig.plant.door(True)
        stage.run(3000)
        assert stage.rig.app.flow.state not in (PROVING_EMPTY, WAITING_FOR_DECK, WARNING)
        assert nothing_turned(stage) and stage.rig.plant.axis.due_us > stage.rig.plant.now_us
        stage.play([("", 0, "close", 0), ("empty_proved", 0, "wait", 0)])
