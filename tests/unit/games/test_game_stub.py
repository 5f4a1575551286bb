"""Stub counts: due by game and dealing mode, blocking until they are made, and what a wrong one does."""

from game_tables import Table, short_deck
from support import all_fields_of

from firmware.games.flow import DECK_READY, WAITING_FOR_DECK, WAITING_FOR_GREEN
from firmware.games.table_facts import ROUNDS
from firmware.protocol import ids


def rounds(table, count):
    for _ in range(count):
        table.round(1)
    return table


def test_the_count_can_be_confirmed_at_the_panel():
    table = rounds(Table("double-cross-poker"), 4).shuffle().deal(1).release()
    table.play(("", 300, "press", "lock"), ("", 300, "wait", 0)).end()
    assert all_fields_of(table.stage, "round_ended")[-1] == [2, 4, 48, 43, 43]
    assert table.flow.state == WAITING_FOR_DECK


def test_the_tally_outlives_power_at_any_moment():
    table = rounds(Table("double-cross-poker"), 3)
    for _ in range(3):
        table.play(("", 100, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 1500, "wait", 0))
        assert table.flow.facts.row[ROUNDS] == 3
    table.round(1).shuffle().deal(1)
    assert "stub_due" in table.stage.names()


def test_an_overdue_count_is_made_up_for_at_the_panel_and_a_wrong_one_takes_the_deck_out():
    for button, state in (("lock", DECK_READY), ("ack", WAITING_FOR_GREEN)):
        table = Table(short_deck("double-cross-poker", deck_cards=12, stub_rounds=1)).shuffle().deal(1)
        table.recorded("misdeal", 1, 3)
        table.release().shuffle()
        assert table.flow.need == ids.NEED_COUNT
        table.play(("", 300, "press", button), ("", 500, "wait", 0))
        assert table.flow.state == state and table.flow.need == 0
        table.close()
