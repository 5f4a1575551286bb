"""What cuts of power have brought to light, one by one: each is a case that tests/powerloss finds as well."""

from game_tables import DONE, Table, short_deck
from support import board, clauses_of, raises

from firmware.games.flow import WAITING_FOR_DECK
from firmware.games.table_facts import TableFacts
from firmware.protocol import ids
from rig.games import load_profile
from rig.operator import recover
from rig.rig import Rig

READY_MAX = 128  # cells, as hal/api.py says


def test_a_count_that_power_cut_off_from_its_command_is_told_at_the_next_boot():
    """The cards are in the tray by then: a second count would find none."""
    table = Table({"deck_cards": 12, "stack_cards": 3})
    stage = table.stage
    stage.act("load", {"cards": 12})
    stage.run(300)
    stage.act("cut_at_time", {"us": 6000000})
    assert table.command(ids.CMD_SHUFFLE) == -1
    stage.play([("", 500, "boot", 0), ("warning_latched", 500, "open", 0), ("", 500, "close", 0)])
    _cut_after_record(stage.rig, ids.EV_DECK_REMOVED)
    stage.act("press", {"button": "ack"})
    stage.run(20000)
    assert stage.rig.struck
    recover(stage)
    assert stage.rig.app.boot == 3
    removed = [event.fields[0] for event in stage.peer.events if event.name == "deck_removed"]
    ended = [event.fields for event in stage.peer.events if event.name == "command_ended"]
    assert removed == [12, 0]
    assert [fields[6] for fields in ended] == [ids.UNKNOWN_U16, removed[0]]
    assert stage.order(table.op, ids.CMD_SHUFFLE) == ids.OUTCOME_IN_DOUBT
    assert stage.peer.results[-1][4] == removed[0]


def _cut_after_record(rig, message):
    """Power fails once, with the write that follows the record of that event."""
    prog = rig.nv.prog
    done = []

    def watch(address, buf):
        rig.nv.cut_bytes = 0
        if not done and buf[0] == 0xE5 and buf[2] | buf[3] << 8 == message:
            done.append(message)
            rig.nv.cut_at = rig.nv.writes + 1
        return prog(address, buf)

    rig.nv.prog = watch


def test_a_round_that_a_record_voids_is_void_by_its_rule_though_power_fails_before_the_void_is_recorded():
    for released in (False, True):  # the round is dealt, or settled
        table = Table("caribbean-stud").shuffle(1).deal(2)
        if released:
            table.release()
        _cut_after_record(table.stage.rig, ids.EV_RECORDED)
        table.record("misdeal", 0, 3)
        assert table.stage.rig.struck
        table.stage.play([("", 500, "boot", 0), ("round_voided", 300, "wait", 0)])
        assert clauses_of(table.stage, "round_voided") == [b"CS-13d"]
        assert table.flow.tail == 0 and not table.flow.round_open
        recover(table.stage)
        assert table.stage.names().count("round_voided") == 1 and "round_ended" not in table.stage.names()


def test_a_stub_is_never_less_than_nothing():
    for game, rest, stub in (("double-cross-poker", 4, 0), ("double-cross-poker", 9, 4), ("boston-5-stud", 3, 0)):
        facts = TableFacts(load_profile(game))
        facts.note(ids.EV_ROUND_STARTED, [2], 1, 1)
        facts.note(ids.EV_REMAINDER_TAKEN, [rest], 1, 1)
        if facts.profile.final_each:
            facts.note(ids.EV_RECORDED, [ids.REC_FINAL_DEAL, 5, 0, 0], 1, 1)
        assert facts.stub() == stub, game


def test_storage_is_asked_for_no_more_than_it_can_get_ready():
    """Flash would go on for ever, and wear out: a round of Double Down Stud may take 174 records."""
    rig = Rig(board(), "double-down-stud", 1, 0)
    asked = []

    def erase(address, size):
        asked.append(size)
        return size <= 96 * READY_MAX

    rig.nv.erase = erase
    while rig.plant.now_us < 20000000:
        rig.step(20000000)
    assert rig.app.flow.profile.round_events > READY_MAX
    assert 0 < len(asked) < 10 and max(asked) == 96 * READY_MAX
    assert not rig.app.recorder.readying


def uncounted():
    """A manual shoe whose last round was void before its stub was counted."""
    table = Table(short_deck("double-cross-poker", deck_cards=12, stub_rounds=1), "draw")
    table.stage.act("load", {"cards": 12})
    table.play(("", 300, "press", "green"), ("deck_loaded", 500, "press", "close"), ("round_started", 200, "wait", 0))
    for _ in range(3):
        table.stage.rig.plant.hand.draw(150)
        table.stage.run(300)
    assert table.record("misdeal", 1, 3) == DONE
    return table.play(("", 300, "lift", 0), ("remainder_taken", 500, "wait", 0))


def test_an_overdue_count_is_told_at_the_panel_of_a_shoe_in_a_hand():
    for button, need in (("lock", ids.NEED_NONE), ("ack", ids.NEED_INDUCTION)):
        table = uncounted()
        assert table.flow.state == WAITING_FOR_DECK and table.flow.need == ids.NEED_COUNT
        table.play(("", 300, "press", button), ("", 500, "wait", 0))
        assert table.flow.need == need, button


def test_a_wrong_count_told_by_a_command_takes_a_deck_off_the_table_of_a_manual_shoe():
    table = uncounted()
    assert table.record("stub_counted", 11) == DONE
    table.stage.run(300)
    assert table.flow.need == ids.NEED_INDUCTION


def test_a_deck_of_more_stacks_than_a_number_can_tell_is_refused():
    config = board("shoe")
    config["nv"]["bytes"] = 96 * 1200
    for cards in (256, 384):
        assert raises(ValueError, Rig, config, {"deck_cards": cards, "stack_cards": 1}, 1, 0), cards
    Rig(config, {"deck_cards": 255, "stack_cards": 1}, 1, 0)
