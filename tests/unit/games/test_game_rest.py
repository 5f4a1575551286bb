"""What keeps the rest of a deck inside, counts every deck in its turn, and closes insurance without a reader."""

from dab_tables import Shoe
from game_tables import DONE, REFUSED, Table, short_deck
from support import all_fields_of, board, clauses_of

from firmware.games.flow import WAITING_FOR_DECK, WAITING_FOR_GREEN
from firmware.games.table_facts import DUE
from firmware.protocol import ids


def two(game, **changes):
    config = board(inputs={"back": {"pin": 28}, "opacity": None}, mechanism={"count_assurance": "basic"})
    return Table(short_deck(game, **changes), table={"decks": 2}, config=config)


def test_green_does_not_release_the_rest_while_a_card_is_due():
    for game, clause in (
        ("caribbean-stud", b"CS-13b"),
        ("boston-5-stud", b"B5-12b"),
        ("double-cross-poker", b"DCP-12a"),
        ("double-down-stud", b"DDS-11b"),
    ):
        table = Table(game, table={"progressive": False}).shuffle().deal(2)
        if game == "double-down-stud":
            table.play(("", 300, "press", "close"), ("", 300, "wait", 0))
        assert table.record("face_up", 1) == DONE
        table.play(("", 300, "press", "green"), ("held_back", 1500, "wait", 0))
        assert table.flow.state == WAITING_FOR_GREEN, game
        assert table.told("held_back") == [(ids.NEED_CARD, clause.decode())]
        assert table.display[:2] == ["One card more is due", "Press LOCK to get it"]
        assert table.command(ids.CMD_RELEASE) == ids.OUTCOME_REJECTED
        table.play(("", 300, "press", "lock"), ("stack_offered", 600, "take", 0), ("", 500, "wait", 0))
        table.release().end()
        table.close()


def test_a_deck_is_counted_in_its_turn_although_the_other_one_is_counted_often():
    for game in ("caribbean-stud", "double-cross-poker", "boston-5-stud"):
        table = two(game, deck_cards=16, stub_rounds=3, lockout=False)
        for round_number in range(1, 7):
            deck = 2 - round_number % 2
            table.shuffle(deck).deal(1).release()
            if game == "boston-5-stud":
                assert table.record("final_deal", 1) == DONE
            if deck == 1:  # more often than it has to be
                assert table.record("stub_counted", table.flow.facts.stub()) == DONE
            due = bool(table.flow.facts.row[DUE])
            assert due == (round_number == 6), (game, round_number)  # deck 2 plays its third round
            if due:
                table.end()
                assert table.flow.tail and table.display[0] == "Count the stub"
                assert table.record("stub_counted", table.flow.facts.stub()) == DONE
            table.end()
            assert not table.flow.tail and table.flow.state == WAITING_FOR_DECK


def test_double_down_stud_says_that_the_rest_comes_out_for_the_other_deck():
    config = board(inputs={"back": {"pin": 28}})
    table = Table("double-down-stud", table={"decks": 2}, config=config).shuffle(1).deal(2)
    table.play(("", 300, "press", "close"), ("", 300, "wait", 0))
    assert table.display == ["Rest comes out for", "the other deck, and", "joins the last hand.", "Press GREEN"]
    table.release().shuffle(2)  # while the hands of the first are settled
    assert table.flow.tail and "round_ended" not in table.stage.names()
    table.end()
    assert "round_ended" in table.stage.names()


def test_without_a_reader_a_card_before_insurance_is_closed_is_flagged():
    """Proves: DAB-11b (in part)"""
    for up_card, closed, flagged in ((1, False, ["DAB-11b"]), (1, True, []), (13, False, [])):
        shoe = Shoe().load().boxes(1).draw(4)
        assert shoe.record("up_card", up_card) == DONE
        if closed:
            assert shoe.record("insurance_closed") == DONE
        elif up_card != 1:
            assert shoe.record("insurance_closed") == REFUSED
        shoe.draw()
        assert [row[-1] for row in shoe.told("draw_flagged")] == flagged, (up_card, closed)


def test_a_table_with_records_keeps_the_rest_until_every_player_has_decided():
    table = inducted("boston-5-stud").shuffle().deal(3)
    assert table.record("second_wager", 1, 1) == DONE
    assert table.record("fold", 2) == DONE
    table.play(("", 300, "press", "green"), ("held_back", 1500, "wait", 0))
    assert table.flow.state == WAITING_FOR_GREEN
    assert table.told("held_back") == [(ids.NEED_DECISIONS, "B5-9d")]
    assert table.display == ["Fold or raise of all", "is not on record", "Tell the table", "system"]
    assert table.command(ids.CMD_RELEASE) == ids.OUTCOME_REJECTED
    assert table.record("second_wager", 3, 1) == DONE
    assert table.record("second_wager", 3, 0) == DONE  # withdrawn is folded
    assert table.record("second_wager", 3, 1) == REFUSED
    table.release()
    for _ in range(2):  # a second wager stands, and its two cards are not on record: also after a power cut
        assert table.command(ids.CMD_END_ROUND) == REFUSED and table.reason() == ids.REASON_NEED
        assert clauses_of(table.stage, "held_back")[-1] == b"B5-10c" and table.display[0] == "Final deal is not"
        table.play(("", 300, "cut", 0), ("", 500, "boot", 0), ("empty_proved", 2000, "wait", 0))
    assert table.record("final_deal", 1) == DONE
    table.end().close()


def test_a_round_of_boston_5_with_a_final_deal_to_come_is_voided_or_ends_without_one_if_all_withdraw():
    for records, clause in (
        ((("second_wager", 1, 0),), b""),
        ((("misdeal", 1, 4),), b""),
        ((("misdeal", 0, 2),), b"B5-12d"),
        ((("face_up", 1), ("face_up", 1)), b"B5-12b"),
    ):
        table = inducted("boston-5-stud").shuffle().deal(1)
        assert table.record("second_wager", 1, 1) == DONE
        table.release()
        assert table.command(ids.CMD_END_ROUND) == REFUSED
        for record in records:
            assert table.record(*record) == DONE
        table.stage.run(300)
        if clause:
            assert clauses_of(table.stage, "round_voided") == [clause]
        else:
            table.end()
        assert table.flow.state == WAITING_FOR_DECK and not table.flow.tail
        table.close()


def test_decisions_are_told_while_a_stack_lies_there_that_no_player_gets():
    table = inducted("boston-5-stud").shuffle()
    table.play(("", 500, "press", "close"), *([("stack_offered", 600, "take", 0)] * 3))
    table.play(("stack_offered", 600, "wait", 0))
    assert table.record("fold", 1) == REFUSED  # the deal may not be out yet
    table.play(("", 300, "press", "green"), ("held_back", 1500, "wait", 0))
    assert table.display[0] == "Fold or raise of all"
    assert table.record("fold", 1) == DONE
    assert table.record("second_wager", 2, 1) == DONE
    table.release()
    assert table.record("final_deal", 1) == DONE
    table.end().close()


def test_other_games_release_the_rest_before_players_decide():
    for game in ("caribbean-stud", "double-cross-poker"):
        table = inducted(game, progressive=False).shuffle().deal(2).release().end()
        assert "round_ended" in table.stage.names(), game
        table.close()


def inducted(game, **settings):
    table = Table(game, table=dict(settings, records=True)).inducted()
    return table


def test_double_down_stud_closes_betting_again_only_after_a_card_that_is_due():
    table = Table("double-down-stud").shuffle().deal(2)
    assert table.record("face_up", 1) == DONE
    table.play(("", 300, "press", "close"), ("held_back", 500, "wait", 0))
    assert "betting_closed" not in table.stage.names()
    assert table.command(ids.CMD_CLOSE_BETTING) == ids.OUTCOME_REJECTED
    table.play(("", 300, "press", "lock"), ("stack_offered", 600, "take", 0), ("", 500, "wait", 0))
    table.play(("", 300, "press", "close"), ("betting_closed", 300, "wait", 0))
    table.release().end().close()


def test_a_deck_that_left_the_table_in_a_dispute_comes_back_in_dispute():
    table = Table("caribbean-stud")
    assert table.record("dispute", 1, 1) == DONE
    assert table.record("deck_removed", 1) == DONE
    table.insert("held_back", 500, cards=52)
    assert all_fields_of(table.stage, "held_back") == [[ids.NEED_DISPUTE]]
    assert table.record("deck_removed", 1, 1) == DONE  # another deck is in its place
    table.play(("", 300, "press", "green"), ("deck_verified", 500, "wait", 0))
    table.close()


def test_without_boxes_a_card_counts_as_seen_in_error_only_after_the_smallest_deal():
    """Proves: DAB-15f (in part)"""
    shoe = Shoe().load().draw(4)  # burned, and the three cards of one box
    assert shoe.record("drawn_in_error", 1, 1) == REFUSED and shoe.reason() == ids.REASON_STATE
    assert shoe.draw().record("drawn_in_error", 1, 1) == DONE


def test_green_ends_an_open_deal_although_a_card_is_due():
    """The card comes from the rest, by hand: in the tray lies a stack, and nothing could be given into it."""
    table = Table("caribbean-stud", table={"progressive": False}).shuffle()
    table.play(("", 500, "press", "close"), ("stack_offered", 600, "take", 0), ("stack_offered", 600, "take", 0))
    table.play(("stack_offered", 600, "wait", 0))
    assert table.record("face_up", 1) == DONE
    table.release().end()
    assert all_fields_of(table.stage, "round_ended")[0][:4] == [2, 9, 42, 41]
    table.close()
