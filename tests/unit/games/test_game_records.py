"""Records: what people tell is taken in its place and nowhere else; nothing goes without what a rule wants first."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of

from firmware.games.flow import DECK_READY, SHUFFLING, STATE_COUNT, WAITING_FOR_DECK
from firmware.games.records import record_objection
from firmware.games.table_facts import CUT_MADE, DECK_FIRST, HELD, INDUCTED, MACHINE_COUNTED, SOURCE
from firmware.protocol import ids

STEPS = ("inspected", "verified", "shown", "washed")
POKER = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")


def inducted(game, kind="carousel", **table):
    made = Table(game, kind, dict(table, records=True))
    for step in STEPS:
        assert made.record(step, 1) == DONE
    return made


def try_to_shuffle(table):
    return table.insert("", 1000, cards=52)


def test_a_deck_is_not_shuffled_before_every_step_of_its_induction_is_on_record():
    for game, clause in zip(POKER, (b"DDS-3b", b"B5-3b", b"CS-3b", b"DCP-3b")):
        table = Table(game, table={"records": True})
        assert table.record("washed", 1) == REFUSED  # not before it was looked at
        try_to_shuffle(table)
        assert clauses_of(table.stage, "held_back") == [clause]
        for step in STEPS:
            assert table.flow.state == WAITING_FOR_DECK
            assert table.record(step, 1) == DONE
        assert clauses_of(table.stage, "recorded") == [clause] * 4
        table.play(("", 300, "press", "green"), ("deck_verified", 100, "wait", 0))


def test_a_face_seen_in_the_mixing_sends_the_deck_back_to_it():
    table = inducted("caribbean-stud")
    assert table.record("mixing_seen", 1) == DONE
    try_to_shuffle(table)
    assert table.flow.need == ids.NEED_INDUCTION
    assert table.record("washed", 1) == DONE
    table.play(("", 300, "press", "green"), ("deck_verified", 100, "wait", 0))


def test_what_was_recorded_outlives_power():
    table = inducted("caribbean-stud")
    table.play(("", 10, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 2000, "wait", 0))
    table.shuffle()
    assert table.flow.state == DECK_READY


def test_what_is_on_record_and_not_yet_in_the_stored_books_is_noted_again_after_a_boot():
    table = Table("caribbean-stud").shuffle().deal(1).release()
    assert table.record("dispute", 1, 1) == DONE
    app = table.stage.rig.app
    assert app.recorder.book_store.seq < app.journal.seq_last
    row = bytes(table.flow.facts.row)
    table.play(("", 0, "cut", 0), ("", 1000, "boot", 0), ("booted", 0, "wait", 0))
    assert table.flow.facts.deck(1, HELD) == 1
    lost = (SOURCE, CUT_MADE, MACHINE_COUNTED)  # being shuffled is what power takes away
    places = [DECK_FIRST + cell for cell in lost]
    now = bytes(table.flow.facts.row)
    assert [i for i in range(len(row)) if now[i] != row[i] and i not in places] == []


def test_a_dispute_keeps_the_deck_from_being_shuffled():
    """Proves: DDS-9d (automated)"""
    for game, clause in zip(POKER, (b"DDS-9d", b"B5-10g", b"CS-10d", b"DCP-10h")):
        table = Table(game).shuffle().deal(1)
        if game == "double-down-stud":
            table.play(("", 300, "press", "close"), ("", 300, "wait", 0))
        table.release()
        assert table.record("dispute", 1, 1) == DONE
        assert all_fields_of(table.stage, "recorded")[0][3] == ids.HOLD_DECK
        table.end()
        try_to_shuffle(table)
        assert table.flow.need == ids.NEED_DISPUTE
        assert clauses_of(table.stage, "held_back") == [clause]
        assert table.record("dispute", 1, 0) == DONE
        table.play(("", 300, "press", "green"), ("deck_verified", 100, "wait", 0))


def test_cards_of_a_winner_hold_the_deck_too_and_both_holds_must_end():
    table = Table("caribbean-stud").shuffle().deal(1).release()
    assert table.record("winner_hold", 1, 1) == DONE
    assert table.record("dispute", 1, 1) == DONE
    table.end()
    assert table.record("dispute", 1, 0) == DONE
    try_to_shuffle(table)
    assert table.flow.need == ids.NEED_DISPUTE and clauses_of(table.stage, "held_back") == [b"CS-10c"]
    assert table.record("winner_hold", 1, 0) == DONE
    assert table.flow.facts.deck(1, HELD) == 0
    table.play(("", 300, "press", "green"), ("deck_verified", 100, "wait", 0))


def test_out_of_service_refuses_everything_until_it_is_back_and_the_deck_inducted_again():
    for game, clause in zip(POKER[1:], (b"B5-12g", b"CS-13g", b"DCP-12f")):
        table = inducted(game)
        assert table.record("out_of_service", 1) == DONE
        assert all_fields_of(table.stage, "recorded")[-1][3] == ids.LEAVE_TABLE
        table.play(("", 10, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 2000, "wait", 0))
        try_to_shuffle(table)
        assert clauses_of(table.stage, "held_back") == [clause]
        assert table.record("out_of_service", 0) == DONE
        table.stage.run(500)
        assert table.flow.need == ids.NEED_INDUCTION


def test_the_device_is_proved_empty_before_it_is_out_of_service():
    table = Table("boston-5-stud").shuffle()
    assert table.record("out_of_service", 1) == REFUSED and table.reason() == ids.REASON_STATE


def test_no_activity_takes_the_shuffled_status_and_as_much_of_the_induction_as_the_game_says():
    for game, left in zip(POKER, (0, 0b1110, 0b1110, 0b1110)):
        table = inducted(game)
        table.recorded("no_activity")
        assert table.flow.facts.deck(1, INDUCTED) == left, game


def test_provenance_is_asked_for_where_a_deck_comes_shuffled_and_only_some_games_take_each():
    supplier, hand = ids.FROM_SUPPLIER, ids.FROM_HAND
    taken = {"double-down-stud": (), "boston-5-stud": (supplier,), "caribbean-stud": (supplier, hand)}
    taken["double-cross-poker"] = (supplier, hand)
    for game in taken:
        table = inducted(game, "shoe", progressive=False)
        try_to_shuffle(table)
        assert table.flow.need == ids.NEED_PROVENANCE
        for source in (supplier, hand):
            outcome = table.record("provenance", 1, source)
            assert outcome == (DONE if source in taken[game] else REFUSED), (game, source)


def test_a_cut_is_due_by_provenance_and_blocks_the_round_until_it_is_made():
    for game, clause in (("caribbean-stud", b"CS-4c"), ("double-cross-poker", b"DCP-4c"), ("boston-5-stud", b"")):
        table = inducted(game, "shoe", progressive=False)
        assert table.record("provenance", 1, ids.FROM_SUPPLIER) == DONE
        try_to_shuffle(table)
        table.play(("", 300, "press", "close"), ("", 2000, "wait", 0))
        if not clause:
            assert "round_started" in table.stage.names()  # never asked for here
            continue
        assert clauses_of(table.stage, "held_back") == [clause]
        assert table.record("cut", 9, 1) == REFUSED and table.reason() == ids.REASON_ARGUMENT
        assert table.record("cut", 10, 1) == DONE
        assert table.record("cut", 30, 1) == DONE  # once more, before a card has left
        table.play(("", 300, "press", "close"), ("stack_offered", 300, "wait", 0))
        assert table.record("cut", 30, 1) == REFUSED


def test_a_machine_shuffled_deck_needs_no_cut():
    for game in ("double-down-stud", "double-cross-poker"):
        table = inducted(game)
        try_to_shuffle(table).play(("deck_verified", 300, "press", "close"), ("round_started", 100, "wait", 0))


def test_a_cut_of_double_down_stud_leaves_ten_cards_at_both_ends():
    table = Table("double-down-stud").shuffle()
    for cards, outcome in ((9, REFUSED), (10, DONE), (42, DONE), (43, REFUSED)):
        assert table.record("cut", cards, 2) == outcome, cards
    assert clauses_of(table.stage, "recorded") == [b"DDS-4e"] * 2


def test_a_record_out_of_sequence_changes_nothing_whatever_it_is():
    """Every kind in every state: taken or refused by the table, and never an exception."""
    table = Table("caribbean-stud")
    flow = table.flow
    before = bytes(flow.facts.row)
    for state in range(STATE_COUNT):
        flow.state = state
        for what in range(ids.RECORD_COUNT + 2):
            for a in (0, 1, 2, 99, 65535):
                for b in (0, 1, 4):
                    reason = record_objection(flow, ids.ROLE_TABLE, what, a, b)
                    moving = state in (SHUFFLING,)
                    assert reason or (0 < what < ids.RECORD_COUNT and not moving), (state, what, a, b)
    flow.state = WAITING_FOR_DECK
    assert bytes(flow.facts.row) == before


def test_an_approval_is_for_the_service_role():
    assert Table("caribbean-stud").record("approval", 12, 1) == REFUSED
    assert Table("caribbean-stud", role=ids.ROLE_SERVICE).record("approval", 12, 1) == DONE


def test_cover_all_shows_the_column_of_this_round_after_green_and_never_guesses_one():
    """Proves: CS-12a"""
    for counting, positions, hands, column in (
        ("with_dealer", 3, 4, 4),
        ("without_dealer", 3, 3, 3),
        ("without_dealer", 1, 1, 0),
        ("with_dealer", 9, 10, 0),
    ):
        table = Table("caribbean-stud", table={"cover_all": counting}).shuffle().deal(positions)
        assert "cover_all" not in table.stage.names()
        table.release()
        assert table.told("cover_all") == [(hands, column, "CS-12e")]
        assert table.display[0] == "Cover All: %d hands" % hands
        assert (table.display[1] == "no Cover All table") == (column == 0)
        if column:
            first = table.display[1]
            table.play(("", 300, "press", "seat"), ("", 300, "wait", 0))
            assert table.display[1] != first  # the next page
        table.end()
        assert table.display[0] == "Ready for a deck"
    table = Table("caribbean-stud").shuffle().deal(2).release()
    assert "cover_all" not in table.stage.names() and "Cover" not in table.display[0]


def test_a_table_cannot_play_what_its_board_or_game_lacks():
    for table in ({"decks": 2}, {"cover_all": "with_dealer"}, {"dealing": "robot"}):
        try:
            Table("double-cross-poker", table=table, config=board())
        except ValueError:
            continue
        raise AssertionError(table)
