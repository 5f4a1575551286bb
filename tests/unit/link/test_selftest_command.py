"""The self-test by command: the test of a power-up, only at rest, once a number, and no card moves."""

from game_tables import DONE, REFUSED, Table
from support import act, board, check_stage, fields_of
from tables import ALL_KINDS, faults, small_board
from test_commands import at_service_port, command
from test_session import keyed

from firmware.fault import FAULT_AXIS, FAULT_BEAM
from firmware.games.flow import DECK_READY, PROVING_EMPTY, SHUFFLING, WAITING_FOR_DECK, WARNING
from firmware.image import MOTOR_COUNT
from firmware.protocol import ids
from rig import stories

CARDS = 8
TEST = ids.CMD_SELF_TEST
STATE = ids.REASON_STATE
NEED = ids.REASON_NEED


def small(kind, **table):
    return Table({"deck_cards": CARDS, "stack_cards": 2}, kind, table, config=small_board(kind))


def refusal(table):
    """Ask for the test without success: the reason, and its detail."""
    proofs = table.stage.names().count("empty_proved")
    assert table.command(TEST) == REFUSED
    table.stage.run(3000)
    assert table.stage.names().count("empty_proved") == proofs
    return table.stage.peer.results[-1][3:]


def test_every_machine_tests_itself_at_rest_and_moves_no_card():
    for kind in ALL_KINDS:
        table = small(kind)
        stage = table.stage
        plant = stage.rig.plant
        turns = kind in ("carousel", "shelves")
        moves = plant.axis.moves if turns else 0
        for loaded in (0, CARDS):  # a deck that lies in the hopper, not started, stays there
            if loaded:
                act(stage, 500, "load", cards=CARDS)
            assert table.command(TEST) == DONE, kind
            assert stage.names().count("empty_proved") == 2 + (loaded != 0), kind
            assert len(plant.hopper) == loaded and table.flow.state == WAITING_FOR_DECK
        assert not any(plant.on_us[i] for i in range(MOTOR_COUNT)), "as at power-up: only the axis moves"
        assert not turns or plant.axis.moves > moves
        table.close()


def test_what_it_finds_is_a_warning_and_the_command_has_failed():
    for kind in ALL_KINDS:
        table = small(kind)
        faults(table.stage, {"fault": "beam_blind", "line": "throat_a"})
        assert table.command(TEST) == ids.OUTCOME_FAILED
        assert table.stage.peer.results[-1][3:] == [ids.REASON_WARNING, FAULT_BEAM]
        assert table.flow.state == WARNING and fields_of(table.stage, "warning_latched")[-1][0] == FAULT_BEAM
        assert refusal(table) == [STATE, WARNING]
        table.close()
    table = small("carousel")
    faults(table.stage, {"fault": "axis_stall"})
    assert table.command(TEST) == ids.OUTCOME_FAILED
    assert table.stage.peer.results[-1][3:] == [ids.REASON_WARNING, FAULT_AXIS]


def test_it_is_refused_while_cards_move_or_a_deck_is_inside():
    table = small("carousel")
    stage = table.stage
    stage.play([("", 300, "load", CARDS), ("", 300, "press", "green"), ("shuffle_started", 2000, "wait", 0)])
    assert table.flow.state == SHUFFLING
    assert refusal(table) == [STATE, SHUFFLING]
    stage.until("deck_verified", 60000)
    assert refusal(table) == [STATE, DECK_READY]
    stage.play([("", 300, "press", "close"), ("stack_offered", 300, "wait", 0)])
    assert refusal(table)[0] == STATE
    table.close()


def test_it_is_refused_with_the_need_while_a_round_the_door_or_the_tray_is_open():
    table = Table("caribbean-stud", table={"dealing": "hand", "decks": 2}, config=board(inputs={"back": {"pin": 28}}))
    stage = table.stage
    table.shuffle()
    stage.play([("", 300, "press", "green"), ("remainder_released", 600, "take", 0), ("", 500, "wait", 0)])
    assert table.command(TEST) == DONE, "a deck was handed out, and no round begun with it"
    assert table.command(ids.CMD_CLOSE_BETTING) == DONE
    assert refusal(table) == [NEED, ids.NEED_ROUND_END]
    assert table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
    assert refusal(table) == [NEED, ids.NEED_ROUND_END]
    assert table.command(ids.CMD_END_ROUND) == DONE
    act(stage, 300, "open")
    assert refusal(table) == [NEED, ids.NEED_CLOSE_DOOR]
    act(stage, 5000, "close")
    faults(stage, {"fault": "litter"})
    stage.run(500)
    assert refusal(table) == [NEED, ids.NEED_TAKE] and table.flow.state == WAITING_FOR_DECK


def test_it_is_refused_while_the_journal_has_no_room():
    table = small("shoe")
    table.stage.peer.acknowledges = False
    while table.flow.hold == 0:
        table.stage.rig.app.outbox.post(ids.EV_DOOR_OPENED)
        table.stage.run(50)
    assert refusal(table) == [NEED, ids.NEED_STORE_EVENTS]


def test_a_number_tests_once_and_is_answered_for_ever():
    table = small("carousel")
    stage = table.stage
    assert table.command(TEST) == DONE
    for _ in range(3):
        command(stage, table.op, TEST, run_ms=1000)
    assert stage.peer.results[-1][2] == DONE and stage.names().count("empty_proved") == 2
    command(stage, table.op, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2] == ids.OUTCOME_CONFLICT
    table.close()


def test_power_lost_in_a_self_test_leaves_it_in_doubt_and_the_boot_tests_anyway():
    for kind in ("carousel", "draw"):
        table = small(kind)
        stage = table.stage
        command(stage, 1, TEST, run_ms=0)
        while table.flow.state != PROVING_EMPTY:
            stage.run(1)
        stage.play([("", 0, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 500, "wait", 0)])
        proofs = stage.names().count("empty_proved")
        command(stage, 1, TEST, run_ms=3000)
        assert stage.peer.results[-1][2:4] == [ids.OUTCOME_IN_DOUBT, ids.REASON_POWER]
        assert stage.names().count("empty_proved") == proofs == 2 and stage.rig.app.flow.warning == 0
        check_stage(stage)


def test_power_cut_at_every_write_never_tests_a_number_twice():
    for write in range(4):
        table = small("shoe")
        stage = table.stage
        stage.rig.nv.cut_at = stage.rig.nv.writes + write
        command(stage, 1, TEST, run_ms=3000)
        stage.rig.nv.cut_at = -1
        if not stage.rig.powered:
            stage.play([("", 500, "boot", 0), ("empty_proved", 500, "wait", 0)])
        proofs = stage.names().count("empty_proved")
        command(stage, 1, TEST, run_ms=3000)
        outcome = stage.peer.results[-1][2]
        again = stage.names().count("empty_proved") - proofs
        assert (outcome, again) in ((DONE, 0), (ids.OUTCOME_IN_DOUBT, 0)) or (write == 0 and again == 1), write
        check_stage(stage)


def test_a_door_opened_in_the_test_is_a_warning_as_at_any_time():
    table = small("carousel")
    stage = table.stage
    command(stage, 1, TEST, run_ms=0)
    while table.flow.state != PROVING_EMPTY:
        stage.run(1)
    act(stage, 1000, "open")
    assert table.flow.state == WARNING
    assert stage.peer.results[-1][2:4] == [ids.OUTCOME_FAILED, ids.REASON_WARNING]


def test_service_may_ask_for_it_and_no_other_role_may():
    stage = keyed()
    stage.play(stories.start())
    service = at_service_port(stage)
    stage.to_service(service.command(1, TEST))
    stage.run(4000)
    assert service.results[-1][2] == DONE
    assert [event.name for event in service.events].count("empty_proved") == 1
    for role in (ids.ROLE_OBSERVER, ids.ROLE_AUDITOR, ids.ROLE_RECORDER):
        stage = keyed(role=role)
        stage.play(stories.start())
        command(stage, 1, TEST, run_ms=3000)
        assert stage.peer.results[-1][2:4] == [REFUSED, ids.REASON_ROLE]
        assert stage.names().count("empty_proved") == 1
