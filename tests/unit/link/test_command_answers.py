"""What a command gets at once: an answer, none yet, or the rule that holds it back."""

from game_tables import KEY
from support import GAME, board, replaced

from firmware.games.flow import (
    DECK_READY,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_LOCKOUT,
    WAITING_FOR_ROUND_END,
)
from firmware.games.profile import TAIL_SETTLING
from firmware.journal.outbox import OUTBOX_MAX, OUTBOX_SPARE
from firmware.link import commands
from firmware.machines.panel import PRESS_LOCK
from firmware.protocol import ids
from firmware.protocol.frame import HEADER_SIZE
from rig.story import Stage

NOW = 5000


def asked(app, command, op, argument=0, a=0, b=0):
    app.runner.receive(ids.ROLE_TABLE, command, [op, argument, a, b], app.link.reader)


def ready():
    app = Stage(board(link={"mode": "table"}), GAME, 7, KEY, ids.ROLE_TABLE).rig.app
    app.link.reader.size = 60
    app.flow.state = app.flow.shown = WAITING_FOR_DECK
    app.outbox.count = 0
    return app, app.runner


def test_a_command_without_room_for_its_record_gets_no_answer():
    app, runner = ready()
    app.outbox.count = OUTBOX_MAX - OUTBOX_SPARE + 1
    asked(app, ids.CMD_SHUFFLE, 1)
    assert not runner.result_due and not runner.role and runner.lanes.by_role[ids.ROLE_TABLE].op == 0


def test_an_accepted_command_tells_nothing_of_the_one_before():
    app, runner = ready()
    asked(app, ids.CMD_RELEASE, 1)
    lane = runner.lanes.by_role[ids.ROLE_TABLE]
    assert (lane.outcome, lane.reason) == (ids.OUTCOME_REJECTED, ids.REASON_STATE)
    assert lane.detail == WAITING_FOR_DECK and runner.refused == ids.ROLE_TABLE
    asked(app, ids.CMD_RELEASE, 1)
    asked(app, ids.CMD_RECORD, 2, ids.REC_DISPUTE, 1, 1)
    assert not runner.result_due and lane.op == 1  # the refusal is not durable yet
    runner.refused = 0
    asked(app, ids.CMD_RELEASE, 1)
    assert runner.result_due and runner.result[:4] == [1, ids.CMD_RELEASE, ids.OUTCOME_REJECTED, ids.REASON_STATE]
    runner.result_due = False
    asked(app, ids.CMD_RECORD, 2, ids.REC_DISPUTE, 1, 1)
    assert (lane.outcome, lane.reason, lane.detail) == (ids.OUTCOME_ACCEPTED, ids.REASON_NONE, 0)
    assert runner.role == ids.ROLE_TABLE and app.outbox.count == 1
    asked(app, ids.CMD_RECORD, 2, ids.REC_DISPUTE, 1, 1)
    asked(app, ids.CMD_RECORD, 3, ids.REC_DISPUTE, 1, 1)
    assert not runner.result_due and lane.op == 2  # accepted, and that is not durable yet; one at a time
    app.outbox.count = 0
    runner.result_role = 0
    runner.scan(NOW)
    assert lane.outcome == ids.OUTCOME_DONE
    app.outbox.count = 0
    for changed, outcome in ((0, ids.OUTCOME_DONE), (1, ids.OUTCOME_CONFLICT)):
        app.link.reader.buf[HEADER_SIZE + commands.OP_SIZE] ^= changed  # another argument under the same number
        asked(app, ids.CMD_RECORD, 2, ids.REC_DISPUTE, 1, 1)
        assert runner.result[2] == outcome


def test_a_lock_out_by_command_presses_the_button():
    app, runner = ready()
    app.flow.state = WAITING_FOR_LOCKOUT
    app.flow.facts.row[24] = app.flow.facts.row[25] = 3  # as many chips as wagers
    asked(app, ids.CMD_CONFIRM_LOCKOUT, 1)
    app.outbox.count = 0
    runner.scan(NOW)
    assert app.flow.panel.pressed[PRESS_LOCK] == 1 and app.flow.positions == 0


def test_a_command_that_a_rule_holds_back_posts_the_need_about_what_is_inside():
    app, runner = ready()
    app.flow.state = DECK_READY
    app.flow.tray.empty = True
    app.flow.facts.row[2] = 1  # SERVICE
    app.outbox.round, app.outbox.deck, app.flow.round_last = 0, 1, 7
    app.flow.settled.deck = 2
    asked(app, ids.CMD_CLOSE_BETTING, 1)
    entry = app.outbox.entries[app.outbox.first]
    assert app.outbox.count == 1 and (entry.message, entry.round, entry.deck) == (ids.EV_HELD_BACK, 0, 1)
    assert (app.outbox.round, app.outbox.deck) == (0, 1)
    assert runner.lanes.by_role[ids.ROLE_TABLE].reason == ids.REASON_NEED


def test_a_need_that_holds_back_the_end_of_a_round_is_about_that_round():
    app, _runner = ready()
    flow = app.flow
    flow.profile.decks, flow.profile.overlaps = 2, True
    flow.state = WAITING_FOR_ROUND_END
    flow.settle(TAIL_SETTLING, 2, 4, 20, 32)
    app.outbox.round, app.outbox.deck, flow.round_last = 0, 1, 7
    with replaced(commands, need_for=lambda _flow, _command: ids.NEED_COUNT):
        asked(app, ids.CMD_END_ROUND, 1)
    entry = app.outbox.entries[app.outbox.first]
    assert app.outbox.count == 1 and (entry.message, entry.round, entry.deck) == (ids.EV_HELD_BACK, 7, 2)
    assert (app.outbox.round, app.outbox.deck) == (0, 1)


def test_a_command_that_nothing_holds_back_posts_no_need():
    app, _runner = ready()
    app.flow.state = DECK_READY
    held = []
    with replaced(commands, need_for=lambda *_given: ids.NEED_NONE, hold_for=lambda *given: held.append(given)):
        asked(app, ids.CMD_CLOSE_BETTING, 1)
    assert held == [] and app.outbox.head().message == ids.EV_COMMAND_ACCEPTED


def test_an_extra_card_that_is_not_due_is_refused_by_the_state_and_names_no_need():
    app, runner = ready()
    app.flow.state = WAITING_FOR_GREEN
    with replaced(commands, extra_due=lambda _flow: False):
        asked(app, ids.CMD_GIVE_CARD, 1)
    lane = runner.lanes.by_role[ids.ROLE_TABLE]
    assert (lane.outcome, lane.reason, lane.detail) == (ids.OUTCOME_REJECTED, ids.REASON_STATE, WAITING_FOR_GREEN)


def test_full_storage_holds_back_what_would_begin():
    for command, state in ((ids.CMD_SHUFFLE, WAITING_FOR_DECK), (ids.CMD_CLOSE_BETTING, DECK_READY)):
        app, runner = ready()
        app.flow.state = state
        app.flow.tray.empty = True
        app.flow.hold = 1
        app.inp.level[0] = 1
        asked(app, command, 1)
        lane = runner.lanes.by_role[ids.ROLE_TABLE]
        assert (lane.outcome, lane.reason) == (ids.OUTCOME_REJECTED, ids.REASON_NEED), command
        assert lane.detail == ids.NEED_STORE_EVENTS
