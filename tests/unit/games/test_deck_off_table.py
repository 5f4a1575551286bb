"""A deck that a rule orders off the table: the device says so, and waits until a new one is confirmed."""

from game_tables import DONE, REFUSED, Table, short_deck
from support import all_fields_of, board, clauses_of

from firmware.games.flow import DECK_READY, SHUFFLING, WAITING_FOR_DECK, WAITING_FOR_GREEN
from firmware.protocol import ids

GAMES = ("double-cross-poker", "boston-5-stud", "caribbean-stud")
COUNTS = (b"DCP-7e2", b"B5-7f2", b"CS-7g2")
INDUCTIONS = (b"DCP-3b", b"B5-3b", b"CS-3b")
STUBS = (43, 46 - 4, 42)  # of one player and the dealer, all cards of the round out
LEAVES = ["Take this deck off", "the table. New one", "inducted: open door,", "close it, press ACK"]


def wrong(game, stub, **options):
    """A round of one player whose stub is one card short, and nothing was misdealt."""
    table = Table(game, **options).shuffle().deal(1).release()
    if game == "boston-5-stud":
        assert table.record("second_wager", 1, 1) == DONE and table.record("final_deal", 1) == DONE
    assert table.record("stub_counted", stub - 1) == DONE
    table.stage.run(500)
    assert all_fields_of(table.stage, "round_voided")[0][4] == ids.ALL_VOID_REMOVE_DECK
    return table


def try_deck(table, deck=1):
    return table.insert("", 800, cards=table.flow.profile.deck_cards, deck=deck)


def look_inside(table):
    return table.play(("", 300, "open", 0), ("", 500, "close", 0), ("empty_proved", 1500, "wait", 0))


def test_a_deck_ordered_off_the_table_is_not_taken_again_without_records():
    for game, count, induction, stub in zip(GAMES, COUNTS, INDUCTIONS, STUBS):
        table = wrong(game, stub)
        assert clauses_of(table.stage, "round_voided") == [count]
        assert table.display == LEAVES, game
        try_deck(table)
        assert table.flow.state == WAITING_FOR_DECK, game
        assert clauses_of(table.stage, "held_back") == [induction]
        assert table.command(ids.CMD_SHUFFLE) == ids.OUTCOME_REJECTED
        table.play(("", 300, "press", "ack"), ("", 500, "press", "green"), ("", 500, "wait", 0))
        assert table.flow.state == WAITING_FOR_DECK, "a button alone confirms nothing"


def test_an_open_door_and_ack_confirm_a_new_deck():
    for game, stub, induction in zip(GAMES, STUBS, INDUCTIONS):
        table = look_inside(wrong(game, stub))
        assert table.display == LEAVES
        table.play(("", 300, "press", "ack"), ("", 500, "wait", 0))
        assert all_fields_of(table.stage, "recorded")[-1] == [ids.REC_DECK_REMOVED, 1, 1, 0]
        assert clauses_of(table.stage, "recorded")[-1] == induction
        assert table.display[0] == "Ready for a deck"
        try_deck(table)
        assert table.flow.state == SHUFFLING
        table.play(("deck_verified", 300, "wait", 0))
        table.close()


def test_the_order_outlives_power_and_so_does_the_open_door():
    table = wrong("double-cross-poker", 43)
    for opened in (False, True):
        if opened:
            look_inside(table)
        table.play(("", 100, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 3000, "press", "ack"))
        table.stage.run(500)
        try_deck(table)
        assert (table.flow.state == SHUFFLING) == opened
        if not opened:
            table.stage.act("lift", {})


def test_a_wrong_count_told_at_the_panel_holds_the_deck_back_too():
    config = board(mechanism={"count_assurance": "basic"}, inputs={"opacity": None})
    table = Table(short_deck("caribbean-stud", stub_rounds=1), config=config).shuffle().deal(1).release()
    table.play(("", 300, "press", "ack"), ("round_voided", 300, "press", "ack"), ("", 500, "wait", 0))
    assert table.display == LEAVES
    try_deck(table)
    assert table.flow.state == WAITING_FOR_DECK


def test_an_overdue_count_that_is_wrong_takes_the_deck_out_and_holds_it_back():
    table = Table(short_deck("double-cross-poker", deck_cards=12, stub_rounds=1)).shuffle().deal(1)
    table.recorded("misdeal", 1, 3)
    table.release().shuffle()
    table.play(("", 300, "press", "ack"), ("", 500, "wait", 0))
    assert table.flow.state == WAITING_FOR_GREEN
    table.release()
    try_deck(table)
    assert table.flow.state == WAITING_FOR_DECK and table.display == LEAVES


def test_a_misdealt_deck_of_52_stays_on_the_table():
    table = Table("double-cross-poker").shuffle().deal(1).release()
    assert table.record("stub_counted", 42, 1) == DONE
    table.shuffle()
    assert table.flow.state == DECK_READY


def test_where_the_table_keeps_records_the_steps_of_the_induction_confirm_it_and_no_button_does():
    steps = ("inspected", "verified", "shown", "washed")
    table = Table("double-cross-poker", table={"records": True})
    for step in steps:
        assert table.record(step, 1) == DONE
    table.shuffle().deal(1).release()
    assert table.record("stub_counted", 42) == DONE
    table.stage.run(500)
    assert table.display == ["Deck not inducted", "Take it off; new one", "Inspect, verify,", "show and wash it"]
    look_inside(table).play(("", 300, "press", "ack"), ("", 500, "wait", 0))
    assert table.record("deck_removed", 1, 1) == REFUSED and table.reason() == ids.REASON_STATE
    try_deck(table)
    assert table.flow.state == WAITING_FOR_DECK
    assert table.record("deck_removed", 1) == DONE
    for step in steps:
        assert table.record(step, 1) == DONE
    table.play(("", 300, "press", "green"), ("deck_verified", 300, "wait", 0))


def test_the_other_deck_plays_on_and_the_display_names_the_one_that_leaves():
    table = wrong("caribbean-stud", 42, table={"decks": 2}, config=board(inputs={"back": {"pin": 28}}))
    assert table.display == ["Take deck 1 off the", "table. Deck 2 next:", "Insert deck, then", "press GREEN"]
    table.round(1, deck=2)
    try_deck(table, 1)
    assert table.flow.state == WAITING_FOR_DECK and clauses_of(table.stage, "held_back") == [b"CS-3b"]
    table.stage.act("lift", {})
    look_inside(table).play(("", 300, "press", "ack"), ("", 500, "wait", 0))
    table.shuffle(1)


def test_a_deck_that_the_machine_has_refused_is_asked_for_as_a_new_one():
    for game in GAMES:
        table = Table(game)
        table.stage.act("load", {"cards": 51})
        table.play(("", 300, "press", "green"), ("warning_latched", 500, "press", "ack"))
        table.play(("deck_removed", 900, "wait", 0))
        assert table.display == ["Cards in tray", "Take them off the", "table; do not play", "with this deck"]
        table.play(("", 300, "take", 0), ("warning_cleared", 1000, "wait", 0))
        assert table.display == ["Ready for a new deck", "Not the one before", "Insert deck, then", "press GREEN"]
        table.shuffle()
