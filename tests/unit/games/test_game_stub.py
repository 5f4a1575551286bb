"""Stub counts: due by game and dealing mode, blocking until they are made, and what a wrong one does."""

from game_tables import DONE, REFUSED, Table, short_deck
from support import all_fields_of, board, clauses_of

from firmware.games.flow import DECK_READY, WAITING_FOR_DECK, WAITING_FOR_GREEN, WAITING_FOR_ROUND_END
from firmware.games.table_facts import ROUNDS
from firmware.protocol import ids


def rounds(table, count):
    for _ in range(count):
        table.round(1)
    return table


def test_double_cross_poker_owes_a_count_in_every_fifth_round_although_the_device_counts():
    table = rounds(Table("double-cross-poker"), 4)
    assert "stub_due" not in table.stage.names()
    table.shuffle().deal(1).release()
    assert clauses_of(table.stage, "stub_due") == [b"DCP-9d"]
    table.end()
    assert table.flow.state == WAITING_FOR_ROUND_END  # not before it is counted
    assert clauses_of(table.stage, "held_back") == [b"DCP-9d"]
    assert table.display[:2] == ["Count the stub", "Right: press LOCK"]
    assert table.record("stub_counted", 48 - 5) == DONE
    table.end()
    assert all_fields_of(table.stage, "round_ended")[-1] == [2, 4, 48, 43, 43]
    assert table.flow.facts.row[ROUNDS] == 0
    table.close()


def test_the_count_can_be_confirmed_at_the_panel():
    table = rounds(Table("double-cross-poker"), 4).shuffle().deal(1).release()
    table.play(("", 300, "press", "lock"), ("", 300, "wait", 0)).end()
    assert all_fields_of(table.stage, "round_ended")[-1] == [2, 4, 48, 43, 43]
    assert table.flow.state == WAITING_FOR_DECK


def test_caribbean_stud_and_boston_are_exempt_from_the_automated_shoe_and_the_tally_runs_on():
    for game in ("caribbean-stud", "boston-5-stud"):
        table = rounds(Table(short_deck(game, deck_cards=12)), 6)
        assert "stub_due" not in table.stage.names()
        assert table.flow.facts.row[ROUNDS] == 6


def test_without_an_opacity_sensor_nobody_is_exempt():
    config = board(mechanism={"count_assurance": "basic"}, inputs={"opacity": None})
    table = rounds(Table("caribbean-stud", config=config), 4).shuffle().deal(1).release()
    assert clauses_of(table.stage, "stub_due") == [b"CS-9f"]


def test_from_a_manual_shoe_it_is_the_other_way_round():
    for game, dealing, held in (
        ("double-cross-poker", "manual", False),
        ("double-cross-poker", "hand", True),
        ("caribbean-stud", "manual", True),
        ("boston-5-stud", "hand", True),
    ):
        table = Table(short_deck(game, deck_cards=12), table={"dealing": dealing})
        for _ in range(5):
            table.shuffle().release()
        table.stage.act("load", {"cards": 12})
        table.play(("", 500, "press", "green"), ("", 1000, "wait", 0))
        assert (table.flow.need == ids.NEED_COUNT) == held, (game, dealing)
        if held:
            assert table.record("stub_counted", 12) == DONE
            table.play(("", 500, "press", "green"), ("deck_verified", 500, "wait", 0))


def test_a_wrong_count_voids_all_and_removes_the_deck_unless_the_cards_were_misdealt():
    for b, clause, consequence in (
        (0, b"DCP-7e2", ids.ALL_VOID_REMOVE_DECK),
        (1, b"DCP-7e2", ids.ALL_VOID_RESHUFFLE),
        (2, b"HOUSE", ids.ALL_VOID_REMOVE_DECK),
    ):
        table = Table("double-cross-poker").shuffle().deal(1).release()
        assert table.record("stub_counted", 43, 1) == REFUSED  # right is right
        table.recorded("stub_counted", 42, b)
        assert clauses_of(table.stage, "recorded") == [clause]
        assert all_fields_of(table.stage, "recorded")[0][3] == consequence
        assert all_fields_of(table.stage, "round_voided")[0] == [0, 2, 52, 0, consequence, 0]
        assert table.flow.state == WAITING_FOR_DECK
        table.close()


def test_a_voided_round_does_not_forgive_the_count():
    table = rounds(Table("double-cross-poker"), 4).shuffle().deal(1)
    table.recorded("misdeal", 1, 3)
    table.release()
    table.shuffle().play(("", 500, "press", "close"), ("", 1000, "wait", 0))
    assert table.flow.state == DECK_READY and table.flow.need == ids.NEED_COUNT
    assert clauses_of(table.stage, "held_back") == [b"DCP-9d"]
    assert table.record("stub_counted", 52) == DONE
    table.play(("", 500, "press", "close"), ("round_started", 100, "wait", 0))
    table.close()


def test_the_tally_outlives_power_at_any_moment():
    table = rounds(Table("double-cross-poker"), 3)
    for _ in range(3):
        table.play(("", 100, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 1500, "wait", 0))
        assert table.flow.facts.row[ROUNDS] == 3
    table.round(1).shuffle().deal(1)
    assert "stub_due" in table.stage.names()


def test_a_count_that_is_not_due_may_be_made_and_resets_the_tally():
    table = rounds(Table("caribbean-stud"), 2).shuffle().deal(1).release()
    assert table.record("stub_counted", 42) == DONE
    table.end()
    assert table.flow.facts.row[ROUNDS] == 0
    assert table.record("stub_counted", 52) == REFUSED  # nothing to count, and nothing overdue


def test_an_overdue_count_is_made_up_for_at_the_panel_and_a_wrong_one_takes_the_deck_out():
    for button, state in (("lock", DECK_READY), ("ack", WAITING_FOR_GREEN)):
        table = Table(short_deck("double-cross-poker", deck_cards=12, stub_rounds=1)).shuffle().deal(1)
        table.recorded("misdeal", 1, 3)
        table.release().shuffle()
        assert table.flow.need == ids.NEED_COUNT
        table.play(("", 300, "press", button), ("", 500, "wait", 0))
        assert table.flow.state == state and table.flow.need == 0
        table.close()
