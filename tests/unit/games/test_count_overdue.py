"""A stub count that is overdue is made up for with the buttons that the display names, inside and outside a round."""

from game_tables import DONE, REFUSED, Table, short_deck
from support import act, board, clauses_of, fields_of

from firmware.games import next_need
from firmware.games.flow import DECK_READY, STACK_OFFERED, WAITING_FOR_DECK, WAITING_FOR_GREEN
from firmware.games.table_facts import HELD, HELD_OFF
from firmware.protocol import ids
from rig import stories

ASKED = ["Count the stub", "Right: press LOCK", "Wrong: press ACK", ""]


def overdue():
    """Five rounds, the last of which was void before its stub was counted."""
    table = Table("boston-5-stud", config=board(mechanism={"count_assurance": "basic"}, inputs={"opacity": None}))
    for _ in range(4):
        table.round(1)
    table.shuffle().deal(1)
    assert table.record("face_up", 2) == ids.OUTCOME_DONE
    table.stage.run(300)
    table.release().shuffle()
    table.play(("", 300, "press", "close"), ("held_back", 300, "wait", 0))
    assert table.flow.state == DECK_READY and table.display == ASKED
    return table


def test_lock_says_that_the_deck_is_whole_and_the_round_may_begin():
    table = overdue()
    table.play(("", 300, "press", "lock"), ("", 300, "press", "lock"), ("", 300, "press", "close"))
    table.play(("stack_offered", 300, "wait", 0))
    assert table.flow.state == STACK_OFFERED
    assert clauses_of(table.stage, "recorded")[1:] == [b"B5-9e"]  # once, however often it is pressed
    table.close()


def test_ack_says_that_it_is_not_and_the_deck_comes_out():
    table = overdue()
    table.play(("", 300, "press", "ack"), ("recorded", 300, "press", "close"), ("", 2000, "wait", 0))
    assert table.flow.state == WAITING_FOR_GREEN
    assert clauses_of(table.stage, "recorded")[1:] == [b"B5-7f2"]
    table.release()
    assert fields_of(table.stage, "remainder_released")[-1] == [52, 52]
    table.close()


def test_with_no_deck_inside_a_wrong_count_leaves_the_machine_waiting_for_a_new_one():
    table = Table("boston-5-stud", table={"dealing": "hand"})
    for _ in range(5):
        table.play(*(stories.shuffle(52) + stories.hand_out()))
    assert table.flow.state == WAITING_FOR_DECK and table.display == ASKED
    table.play(("", 300, "press", "ack"), ("recorded", 1000, "wait", 0))
    assert table.flow.state == WAITING_FOR_DECK and table.display[0] == "Take this deck off"
    table.play(("", 300, "open", 0), ("", 500, "close", 0), ("empty_proved", 1500, "press", "ack"))
    table.play(*(stories.shuffle(52) + stories.hand_out()))
    table.close()


def test_of_two_decks_dealt_by_hand_the_one_that_comes_next_is_counted():
    for asked in ("record", "lock", "ack"):
        game = short_deck("boston-5-stud", stub_rounds=2)
        table = Table(game, table={"decks": 2, "dealing": "hand"}, config=board(inputs={"back": 28}))
        # The count of the first deck's second round was due when that became void; the second deck was counted since.
        for deck, last in ((1, None), (2, ("stub_counted", 41)), (1, ("hole_card_seen",)), (2, ("stub_counted", 41))):
            table.shuffle(deck).play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0))
            table.play(
                ("remainder_taken", 300, "press", "seat"), ("", 300, "press", "seat"), ("", 300, "press", "close")
            )
            if deck == 2:
                table.recorded("final_deal", 0)
            if last:
                table.recorded(*last)
            if last != ("hole_card_seen",):
                table.command(ids.CMD_END_ROUND)
        assert table.flow.state == WAITING_FOR_DECK and table.display == ASKED
        if asked == "record":
            table.recorded("stub_counted", 52)
        else:
            table.play(("", 300, "press", asked), ("recorded", 1000, "wait", 0))
        assert table.display != ASKED
        held = [table.flow.facts.deck(deck, HELD) & HELD_OFF for deck in (1, 2)]
        assert held == [HELD_OFF if asked == "ack" else 0, 0], asked


def test_the_deck_that_comes_next_is_counted_whatever_the_other_one_does():
    """Each of two decks, in every round: the first was void before its count, the second is due by the table's tally.
    Then the first by its own, while the second is in play; a stub that is reported late is no whole deck."""
    game = short_deck("double-cross-poker", stub_rounds=1)
    for cards, due in ((52, ids.NEED_SHUFFLE), (51, ids.NEED_INDUCTION)):
        table = Table(game, table={"dealing": "hand", "decks": 2}, config=board(inputs={"back": {"pin": 28}}))
        for deck in (1, 2, 1):
            act(table.stage, 500, "load", cards=52, deck=deck)
            if table.told("round_voided"):
                assert table.command(ids.CMD_SHUFFLE) == REFUSED and table.flow.need == ids.NEED_COUNT
                assert table.record("stub_counted", 43) == REFUSED and table.reason() == ids.REASON_ARGUMENT
                table.recorded("stub_counted", 52 if deck == 2 else cards)
                if deck == 1:
                    break
            table.play(("", 300, "press", "green"), ("deck_verified", 500, "wait", 0)).release()
            assert table.command(ids.CMD_SET_POSITIONS, 1) == DONE
            if deck == 1:
                assert table.command(ids.CMD_CLOSE_BETTING) == DONE
                table.recorded("misdeal", 1, 1)
        assert next_need.need_next(table.flow, table.stage.rig.app.inp) == due
        assert table.command(ids.CMD_CLOSE_BETTING) == DONE and table.record("stub_counted", 43) == DONE
        assert table.command(ids.CMD_END_ROUND) == DONE
        table.close()


def test_green_ends_the_round_that_a_deck_in_the_hopper_waits_for():
    game = short_deck("double-cross-poker", stub_rounds=1)
    table = Table(game, table={"dealing": "hand", "decks": 2}, config=board(inputs={"back": {"pin": 28}}))
    for deck in (1, 2):
        table.shuffle(deck).release()
        table.play(("", 300, "press", "seat"), ("", 300, "press", "close"), ("round_started", 300, "wait", 0))
        if deck == 1:
            table.recorded("misdeal", 1, 1)
        act(table.stage, 500, "load", cards=52, deck=3 - deck)
        shown = []
        for button in ("lock", "green", "lock") if deck == 2 else ("lock",):
            shown.append(table.display[0])
            act(table.stage, 800, "press", button=button)
        assert shown == ["Count the stub", "Round is not over", "Count the stub"][: len(shown)]
        act(table.stage, 500, "lift")
    assert fields_of(table.stage, "round_ended") == [[2, 4, 48]]
    table.close()
