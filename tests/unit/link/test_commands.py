"""Commands: a number acts once, its answer never changes, and power lost in between is said to be in doubt."""

import sys

from game_tables import Table
from support import GAME, act, board, check_stage, to_device
from test_session import KEY, at_rest, keyed

from firmware.games.flow import DECK_READY, SHUFFLING, STACK_OFFERED, WAITING_FOR_LOCKOUT, WAITING_FOR_WAGERS
from firmware.image import IN_HOPPER
from firmware.protocol import ids
from rig import stories
from rig.peer import Peer
from rig.story import Stage

DONE = [ids.OUTCOME_DONE, ids.REASON_NONE, 0]


def outcomes(stage, op):
    """What the host received about an operation, in order, without repetitions."""
    told = []
    for result in stage.peer.results:
        if result[0] == op and (not told or told[-1] != result[2]):
            told.append(result[2])
    return told


def ready(stage):
    """A deck in the hopper, nothing started."""
    stage.play(stories.start() + [("", 500, "load", 52)])
    assert stage.rig.app.inp.level[IN_HOPPER]
    return stage


def at_service_port(stage):
    """A technician with the key of service, who has turned the key switch."""
    service = Peer(KEY, ids.ROLE_SERVICE)
    service.hellos = 50
    stage.service = service
    act(stage, 200, "key", to="on")
    stage.to_service(service.hello())
    stage.run(500)
    assert service.welcomes == 1
    return service


def command(stage, op, message, argument=0, run_ms=500):
    to_device(stage, stage.peer.command(op, message, argument), run_ms)


def test_the_same_number_again_gets_the_same_answer_and_acts_once():
    stage = ready(keyed())
    for _ in range(5):
        command(stage, 1, ids.CMD_SHUFFLE, run_ms=100)
    assert stage.rig.app.flow.state == SHUFFLING
    assert outcomes(stage, 1) == [ids.OUTCOME_ACCEPTED, ids.OUTCOME_RUNNING]
    stage.until("deck_verified", 60000, then_ms=200)
    for _ in range(3):
        command(stage, 1, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1] == [1, ids.CMD_SHUFFLE] + DONE
    assert stage.names().count("shuffle_started") == 1
    assert stage.names().count("command_accepted") == 1


def test_other_words_under_the_same_number_are_a_conflict_and_an_older_number_is_stale():
    stage = ready(keyed())
    command(stage, 7, ids.CMD_SHUFFLE)
    stage.until("deck_verified", 60000, then_ms=200)
    command(stage, 8, ids.CMD_SET_POSITIONS, 3)
    command(stage, 8, ids.CMD_SET_POSITIONS, 4)
    assert stage.peer.results[-1][2] == ids.OUTCOME_CONFLICT
    command(stage, 8, ids.CMD_CLOSE_BETTING)
    assert stage.peer.results[-1][2] == ids.OUTCOME_CONFLICT
    for argument in ((ids.REC_CUT, 26, 0), (ids.REC_CUT, 26, 1), (ids.REC_CUT, 27, 0)):
        to_device(stage, stage.peer.command(9, ids.CMD_RECORD, *argument), 500)
        conflict = stage.peer.results[-1][2] == ids.OUTCOME_CONFLICT
        assert conflict == (argument != (ids.REC_CUT, 26, 0)), argument
    command(stage, 7, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2] == ids.OUTCOME_STALE
    assert stage.rig.app.flow.positions == 3
    assert stage.rig.app.flow.state == DECK_READY


def test_every_word_of_a_record_makes_another_command_under_the_same_number():
    """A host that has lost its numbers must not hear that its misdeal of four cards is done, which was one of three."""
    stage = ready(keyed())
    inspected, verified = ids.REC_INSPECTED, ids.REC_VERIFIED
    to_device(stage, stage.peer.command(1, ids.CMD_RECORD, inspected, 1, 0), 500)
    told = stage.peer.results[-1][2]
    for words in ((inspected, 1, 1), (inspected, 2, 0), (verified, 1, 0), (inspected, 1, 0x100), (inspected, 0x101, 0)):
        to_device(stage, stage.peer.command(1, ids.CMD_RECORD, *words), 500)
        assert stage.peer.results[-1][2] == ids.OUTCOME_CONFLICT, words
    to_device(stage, stage.peer.command(1, ids.CMD_RECORD, inspected, 1, 0), 500)
    assert stage.peer.results[-1][2] == told != ids.OUTCOME_CONFLICT


def test_a_command_out_of_sequence_is_rejected_for_good():
    stage = ready(keyed())
    command(stage, 1, ids.CMD_CLOSE_BETTING)
    assert stage.peer.results[-1][2:4] == [ids.OUTCOME_REJECTED, ids.REASON_STATE]
    command(stage, 2, ids.CMD_SHUFFLE)
    stage.until("deck_verified", 60000)
    # Now it would be possible, but this number is used up.
    command(stage, 1, ids.CMD_CLOSE_BETTING)
    assert stage.peer.results[-1][2] == ids.OUTCOME_STALE
    command(stage, 3, ids.CMD_SET_POSITIONS, 200)
    assert stage.peer.results[-1][2:4] == [ids.OUTCOME_REJECTED, ids.REASON_ARGUMENT]
    assert "round_started" not in stage.names()


def test_a_refusal_costs_no_record_and_holds_over_a_power_cut():
    stage = ready(keyed())
    journal = stage.rig.app.journal
    before = journal.seq_last
    for op in range(1, 101):
        command(stage, op, ids.CMD_CLOSE_BETTING, run_ms=50)
        assert stage.peer.results[-1] == [op, ids.CMD_CLOSE_BETTING, ids.OUTCOME_REJECTED, ids.REASON_STATE, 2]
    assert journal.seq_last == before
    stage.play([("", 0, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 500, "wait", 0)])
    told = stage.peer.results[-1]
    command(stage, 100, ids.CMD_CLOSE_BETTING)
    assert stage.peer.results[-1] == told, "the same number is answered the same way"
    command(stage, 99, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2] == ids.OUTCOME_STALE
    command(stage, 100, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2] == ids.OUTCOME_CONFLICT
    assert "shuffle_started" not in stage.names()


def test_a_refusal_is_not_told_before_its_mark_is_durable():
    stage = ready(keyed())
    refuse = stage.rig.app.journal.refuse
    stage.rig.app.journal.refuse = lambda _role, _lane: False
    command(stage, 1, ids.CMD_CLOSE_BETTING)
    command(stage, 2, ids.CMD_SHUFFLE)
    assert stage.peer.results == [], "the next number waits for it"
    stage.rig.app.journal.refuse = refuse
    stage.run(100)
    assert stage.peer.results[-1][:3] == [1, ids.CMD_CLOSE_BETTING, ids.OUTCOME_REJECTED]


def test_power_cut_at_every_write_of_a_refusal_never_lets_it_act():
    """A host that received the refusal receives the same again; a host that did not may have the number accepted."""
    for cut_bytes in (0, 30, 64, 95, 96):
        stage = at_rest()
        stage.rig.nv.cut_at = stage.rig.nv.writes
        stage.rig.nv.cut_bytes = cut_bytes
        command(stage, 1, ids.CMD_SHUFFLE)
        stage.rig.nv.cut_at = -1
        told = list(stage.peer.results)
        assert not stage.rig.powered and told == []
        stage.play([("", 500, "boot", 0), ("empty_proved", 500, "wait", 0), ("", 0, "load", 52)])
        command(stage, 1, ids.CMD_SHUFFLE, run_ms=26000)
        refused = stage.peer.results[-1][2] == ids.OUTCOME_REJECTED
        assert refused == (cut_bytes == 96), "the whole mark is there, or none of it"
        assert ("shuffle_started" in stage.names()) != refused
        check_stage(stage)


def test_every_refusal_names_what_must_happen_first():
    stage = at_rest()
    command(stage, 1, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2:] == [ids.OUTCOME_REJECTED, ids.REASON_NEED, ids.NEED_DECK]
    stage.play([("", 0, "jam", "throat:3:20000"), ("", 100, "load", 52)])
    command(stage, 2, ids.CMD_SHUFFLE)
    stage.until("warning_latched", 60000, then_ms=300)
    command(stage, 3, ids.CMD_ACKNOWLEDGE_WARNING)
    assert stage.peer.results[-1][2:] == [ids.OUTCOME_REJECTED, ids.REASON_NEED, ids.NEED_OPEN_DOOR]


def test_one_command_at_a_time():
    stage = ready(keyed())
    command(stage, 1, ids.CMD_SHUFFLE, run_ms=100)
    command(stage, 2, ids.CMD_CLOSE_BETTING, run_ms=100)
    assert [r for r in stage.peer.results if r[0] == 2] == [], "nothing is said of a number that is not recorded"
    stage.until("deck_verified", 60000, then_ms=200)
    assert [r[2] for r in stage.peer.results if r[0] == 1][-1:] == [ids.OUTCOME_DONE]
    assert stage.rig.app.flow.state == DECK_READY
    command(stage, 2, ids.CMD_CLOSE_BETTING)
    assert stage.peer.results[-1][:3] == [2, ids.CMD_CLOSE_BETTING, ids.OUTCOME_DONE]


def test_a_command_that_fails_says_which_warning_stopped_it():
    stage = keyed()
    stage.play(stories.start() + [("", 500, "load", 51)])
    command(stage, 1, ids.CMD_SHUFFLE)
    stage.until("deck_refused", 60000, then_ms=200)
    assert stage.peer.results[-1][2:] == [ids.OUTCOME_FAILED, ids.REASON_WARNING, 6]


def test_report_only_and_the_observer_role_take_no_command():
    for stage in (keyed(mode="report_only"), keyed(role=ids.ROLE_OBSERVER)):
        ready(stage)
        command(stage, 1, ids.CMD_SHUFFLE)
        assert stage.peer.results[-1][2:4] == [ids.OUTCOME_REJECTED, ids.REASON_ROLE]
        assert "shuffle_started" not in stage.names()


def test_a_card_that_a_rule_makes_due_comes_by_command_and_play_goes_on_where_it_was():
    table = Table("double-down-stud").shuffle().deal(2)
    assert table.record("face_up", 1) == ids.OUTCOME_DONE
    assert table.command(ids.CMD_GIVE_CARD) == ids.OUTCOME_DONE
    assert table.flow.state == STACK_OFFERED
    table.play(("", 300, "take", 0), ("", 600, "wait", 0))
    assert table.flow.state == WAITING_FOR_WAGERS
    table.close()


def test_power_lost_in_a_command_leaves_it_in_doubt_for_ever():
    stage = ready(keyed())
    command(stage, 1, ids.CMD_SHUFFLE, run_ms=3000)
    stage.play([("", 0, "cut", 0), ("", 1000, "boot", 0), ("warning_latched", 500, "wait", 0)])
    command(stage, 1, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2:4] == [ids.OUTCOME_IN_DOUBT, ids.REASON_POWER]
    stage.play([("", 0, "cut", 0), ("", 1000, "boot", 0)])
    stage.run(2000)
    command(stage, 1, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2:4] == [ids.OUTCOME_IN_DOUBT, ids.REASON_POWER]
    assert stage.names().count("shuffle_started") == 1


def test_an_answer_survives_boots_and_the_recycling_of_the_journal():
    stage = Stage(board(link={"mode": "table"}, nv={"bytes": 96 * 85}), GAME, 7, KEY, ids.ROLE_TABLE)
    ready(stage)
    command(stage, 9, ids.CMD_SHUFFLE)
    stage.until("deck_verified", 60000)
    for _ in range(200):
        stage.rig.app.outbox.post(ids.EV_DOOR_CLOSED)
        stage.run(20)
    stage.play([("", 0, "cut", 0), ("", 1000, "boot", 0)])
    stage.run(3000)
    command(stage, 9, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1] == [9, ids.CMD_SHUFFLE] + DONE
    command(stage, 8, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2] == ids.OUTCOME_STALE


def test_power_cut_at_every_write_of_a_command_never_acts_twice():
    """Whatever survives, sending the number again never starts a second shuffle.

    Every write on CPython; every fifth on MicroPython, which is too slow here for all of them."""
    for write in range(0, 12, 1 if sys.implementation.name == "cpython" else 5):
        for cut_bytes in (0, 30, 64):
            stage = ready(keyed())
            stage.rig.nv.cut_at = stage.rig.nv.writes + write
            stage.rig.nv.cut_bytes = cut_bytes
            to_device(stage, stage.peer.command(1, ids.CMD_SHUFFLE), 26000)
            stage.rig.nv.cut_at = -1
            if stage.rig.powered:
                continue
            stage.act_typed("boot", "")
            stage.run(3000)
            command(stage, 1, ids.CMD_SHUFFLE, run_ms=26000)
            check_stage(stage)
            assert stage.names().count("shuffle_started") <= 1, (write, cut_bytes)


def test_a_rejection_is_told_once_it_is_recorded_and_then_holds_for_ever():
    """While cards move nothing can be recorded: nothing is said then that a power cut could undo."""
    for cut in (False, True):
        stage = keyed()
        stage.play(stories.start() + stories.shuffle(52) + [("shuffle_started", 3000, "wait", 0)])
        command(stage, 1, ids.CMD_CLOSE_BETTING, run_ms=100)
        assert stage.peer.results == []
        if cut:
            stage.play([("", 0, "cut", 0), ("", 2000, "boot", 0)] + stories.clear_by_hand() + stories.shuffle(52))
        stage.until("deck_verified", 60000, then_ms=500)
        command(stage, 1, ids.CMD_CLOSE_BETTING)
        told = ids.OUTCOME_DONE if cut else ids.OUTCOME_REJECTED
        assert stage.peer.results[-1][2] == told, "nothing was reported before the cut"
        assert ("round_started" in stage.names()) == cut


def test_two_roles_have_lanes_of_their_own():
    stage = ready(keyed())
    command(stage, 5, ids.CMD_SHUFFLE)
    stage.until("deck_verified", 60000, then_ms=200)
    service = at_service_port(stage)
    stage.to_service(service.command(1, ids.CMD_CLOSE_BETTING))
    stage.run(500)
    assert service.results[-1][0:3] == [1, ids.CMD_CLOSE_BETTING, ids.OUTCOME_DONE]
    assert stage.rig.app.flow.state == WAITING_FOR_LOCKOUT


def test_a_command_of_a_newer_host_is_answered_under_its_number():
    stage = ready(keyed())
    stage.peer.codes[700] = b"\x04"
    command(stage, 1, 700)
    assert stage.peer.results[-1][:4] == [1, 700, ids.OUTCOME_REJECTED, ids.REASON_UNKNOWN]


def test_a_result_is_told_to_the_role_that_gave_the_command_and_to_no_other():
    stage = ready(keyed())
    command(stage, 1, ids.CMD_SHUFFLE, run_ms=1000)
    recorder = Peer(KEY, ids.ROLE_RECORDER)
    recorder.hellos = 50
    recorder.seq_last = stage.peer.seq_last
    stage._seat(recorder)  # heard once the table system has been silent for 10 s
    stage.seen = 0
    stage.until("deck_verified", 60000, then_ms=1000)
    assert recorder.welcomes == 1
    assert recorder.results == []


def test_done_is_never_said_of_what_was_not_recorded():
    """An acknowledgement in the scan in which a command ends writes a mark: it must not run ahead of the events."""
    stage = ready(keyed())
    stage.peer.acknowledges = False
    app = stage.rig.app
    decide = app.decide

    def decide_and_acknowledge(now_ms):
        before = app.flow.state
        wake_ms = decide(now_ms)
        if app.flow.state == DECK_READY and before != DECK_READY:
            seq = app.reporter.seq_next - 1
            stage.rig.hal.received.extend(stage.peer.frame(stage.peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [seq]))
            # The mark gets through, the next write does not.
            stage.rig.nv.cut_at = stage.rig.nv.writes + 1
            stage.rig.nv.cut_bytes = 0
        return wake_ms

    app.decide = decide_and_acknowledge
    command(stage, 1, ids.CMD_SHUFFLE, run_ms=30000)
    assert not stage.rig.powered
    stage.rig.nv.cut_at = -1
    stage.peer.acknowledges = True
    stage.act_typed("boot", "")
    stage.run(3000)
    command(stage, 1, ids.CMD_SHUFFLE)
    assert stage.peer.results[-1][2] == ids.OUTCOME_IN_DOUBT
    assert "deck_verified" not in stage.names()


def test_a_warning_can_be_acknowledged_by_command_after_the_journal_was_full():
    stage = keyed()
    stage.play(stories.start() + [("", 500, "load", 51)])
    command(stage, 1, ids.CMD_SHUFFLE)
    stage.until("deck_refused", 60000, then_ms=500)
    stage.rig.app.flow.hold = 12
    stage.rig.app.outbox.post(ids.EV_DOOR_CLOSED)
    stage.run(500)
    command(stage, 2, ids.CMD_ACKNOWLEDGE_WARNING)
    assert stage.peer.results[-1][2] == ids.OUTCOME_DONE
