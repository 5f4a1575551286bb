"""Records: what people tell is taken in its place and nowhere else; nothing goes without what a rule wants first."""

from game_tables import DONE, REFUSED, Table
from support import board

from firmware.games.flow import DECK_READY, SHUFFLING, STATE_COUNT, WAITING_FOR_DECK
from firmware.games.records import record_objection
from firmware.games.table_facts import CUT_MADE, DECK_FIRST, HELD, MACHINE_COUNTED, SOURCE
from firmware.protocol import ids

STEPS = ("inspected", "verified", "shown", "washed")


def inducted(game, kind="carousel", **table):
    made = Table(game, kind, dict(table, records=True))
    for step in STEPS:
        assert made.record(step, 1) == DONE
    return made


def try_to_shuffle(table):
    return table.insert("", 1000, cards=52)


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
