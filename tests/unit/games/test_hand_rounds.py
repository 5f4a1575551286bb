"""Manual shoe and dealing from the hand: the deck is out, and the round has its closings, records, stub and end."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of

from firmware.games.flow import DECK_HELD, SHUFFLING, WAITING_FOR_DECK, WAITING_FOR_LOCKOUT, WAITING_FOR_ROUND_END
from firmware.games.table_facts import ROUNDS, SOURCE
from firmware.protocol import ids


class HandTable(Table):
    """The device shuffles; a dealer deals from a manual shoe, or from the hand."""

    def __init__(self, game, dealing="manual", decks=1, **table):
        config = board()
        if decks == 2:
            config["inputs"]["back"] = {"pin": 28}
        super().__init__(game, table=dict(table, dealing=dealing, decks=decks), config=config)

    def out(self, deck=1):
        """A shuffled deck is handed to the dealer."""
        return self.shuffle(deck).release()

    def closed(self, positions):
        assert self.command(ids.CMD_SET_POSITIONS, positions) == DONE
        assert self.command(ids.CMD_CLOSE_BETTING) == DONE
        return self

    def played(self, positions, standing=0):
        """A whole round, in the buttons of the table."""
        for _ in range(positions):
            self.play(("", 200, "press", "seat"))
        self.play(("", 300, "press", "close"), ("round_started", 300, "wait", 0))
        if self.flow.profile.lockout:
            self.play(("", 300, "press", "lock"), ("lockout_confirmed", 300, "wait", 0))
        if self.flow.profile.closings > 1:
            self.play(("", 300, "press", "close"), ("betting_closed", 300, "wait", 0))
        if standing:
            assert self.record("final_deal", standing) == DONE
        return self


def test_a_round_begins_when_betting_is_closed_and_ends_when_the_dealer_says_so():
    for dealing in ("manual", "hand"):
        table = HandTable("boston-5-stud", dealing).out()
        assert table.display == ["Deck is out", "SEAT: positions", "Press CLOSE when", "betting is closed"]
        assert "round_started" not in table.stage.names()
        assert table.command(ids.CMD_END_ROUND) == REFUSED  # none has begun
        table.played(3)
        assert all_fields_of(table.stage, "round_started") == [[3]]
        assert table.flow.state == WAITING_FOR_ROUND_END
        assert table.display == ["Deal 3 each, then 2,", "settle the round", "Press GREEN when", "the round is over"]
        assert table.record("final_deal", 2) == DONE
        table.end()
        assert all_fields_of(table.stage, "round_ended") == [[4, 12, 40, 40 - 6, ids.UNKNOWN_U16]]
        assert table.flow.state == WAITING_FOR_DECK
        table.close()


def test_the_stub_of_every_fifth_round_is_counted_and_is_what_the_deal_has_left():
    for game, dealing, clause, stub, standing in (
        ("boston-5-stud", "manual", b"B5-7f", 52 - 9 - 6, 2),
        ("boston-5-stud", "hand", b"B5-8e", 52 - 9 - 6, 2),
        ("caribbean-stud", "manual", b"CS-7g", 52 - 15, 0),
        ("caribbean-stud", "hand", b"CS-8f", 52 - 15, 0),
        ("double-cross-poker", "hand", b"DCP-8e", 52 - 6 - 5, 0),
    ):
        table = HandTable(game, dealing)
        for _ in range(4):
            table.out().played(2, standing).end()
        assert "stub_due" not in table.stage.names()
        table.out().played(2, standing)
        assert clauses_of(table.stage, "stub_due") == [clause], (game, dealing)
        table.end()
        assert table.flow.state == WAITING_FOR_ROUND_END and table.display[0] == "Count the stub"
        assert table.record("stub_counted", stub) == DONE
        assert table.told("recorded")[-1][3:] == (ids.CONSEQUENCE_NONE, clause.decode()), (game, dealing)
        table.end()
        assert all_fields_of(table.stage, "round_ended")[-1][3:] == [stub, stub]
        assert table.flow.facts.row[ROUNDS] == 0
        table.close()


def test_a_deck_is_cut_by_who_shuffled_it_last():
    for source, due in ((ids.FROM_MACHINE, False), (2, True), (3, True)):
        table = HandTable("caribbean-stud", "hand", records=True).inducted()
        assert table.record("provenance", 1, source) == DONE
        facts = table.flow.facts
        assert facts.deck(1, SOURCE) == source and facts.cut_due(1) == due, source
        table.shuffle()
        assert facts.deck(1, SOURCE) == ids.FROM_MACHINE and not facts.cut_due(1)  # this machine has shuffled it since
        table.release()
        assert "remainder_taken" in table.stage.names() and "held_back" not in table.stage.names()


def test_the_other_deck_is_shuffled_while_this_one_is_dealt_by_hand():
    for game in ("double-down-stud", "boston-5-stud", "double-cross-poker"):
        table = HandTable(game, decks=2).out()
        assert table.command(ids.CMD_SET_POSITIONS, 2) == DONE
        table.insert("shuffle_started", 3000, cards=52, deck=2)
        assert table.flow.state == SHUFFLING
        assert table.command(ids.CMD_CLOSE_BETTING) == DONE, game
        assert table.record("face_up", 1) == DONE
        table.play(("deck_verified", 500, "wait", 0))
        assert table.flow.state == DECK_HELD and all_fields_of(table.stage, "round_started") == [[2]]
        if game == "double-down-stud":
            assert table.command(ids.CMD_CLOSE_BETTING) == DONE
        assert table.command(ids.CMD_RELEASE) == REFUSED and "round_ended" not in table.stage.names()
        table.end()
        assert "round_ended" in table.stage.names() and table.flow.state == DECK_HELD
        table.release()
        table.played(1).end()
        assert all_fields_of(table.stage, "round_started") == [[2], [1]]
        table.close()


def test_a_round_that_is_dealt_by_hand_goes_on_after_a_power_cut():
    table = HandTable("caribbean-stud", "hand").out().closed(2)
    for _ in range(2):
        table.play(("", 100, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 3000, "wait", 0))
        assert "round_voided" not in table.stage.names()
    assert table.display[0] == "Betting closed"
    table.play(("", 300, "press", "lock"), ("lockout_confirmed", 300, "wait", 0))
    assert table.record("stub_counted", 37) == DONE
    table.play(("", 100, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 3000, "wait", 0))
    table.end()
    assert all_fields_of(table.stage, "round_ended") == [[3, 15, 37, 37, 37]]
    table.close()


def test_decks_of_which_no_round_is_told_count_as_rounds_and_the_whole_deck_is_counted():
    for game in ("boston-5-stud", "caribbean-stud"):
        table = HandTable(game)
        for _ in range(5):
            table.out()
        assert table.flow.need == ids.NEED_COUNT
        table.insert("held_back", 500, cards=52)
        assert table.record("stub_counted", 52) == DONE
        table.play(("", 500, "press", "green"), ("deck_verified", 500, "wait", 0))
        table.close()


def test_where_records_are_kept_the_next_deck_waits_for_the_end_of_the_round():
    table = HandTable("boston-5-stud", records=True).inducted()
    table.out()
    table.insert("held_back", 500, cards=52)
    assert all_fields_of(table.stage, "held_back") == [[ids.NEED_ROUND_END]]


def test_with_records_a_round_of_boston_5_ends_after_its_decisions_and_its_final_deal():
    for dealing in ("manual", "hand", "draw"):
        for decided in (0, 1, 2):
            table = HandTable("boston-5-stud", dealing, records=True) if dealing != "draw" else None
            table = table or Table("boston-5-stud", "draw", {"records": True})
            table.inducted()
            if dealing == "draw":
                assert table.record("provenance", 1, 1) == DONE
                table.insert("deck_loaded", 500, cards=52)
            else:
                table.out()
            assert table.command(ids.CMD_SET_POSITIONS, 2) == table.command(ids.CMD_CLOSE_BETTING) == DONE
            draw(table, dealing, 9)
            for seat in range(1, decided + 1):
                assert table.record("second_wager", seat, 1) == DONE
            held = [b"B5-10b" if decided < 2 else b"B5-10c"]
            for again in (True, False):  # by the button and by the command, told once
                if again:
                    table.play(("", 300, "press", "green"), ("", 300, "wait", 0))
                else:
                    assert table.command(ids.CMD_END_ROUND) == REFUSED and table.reason() == ids.REASON_NEED
                assert clauses_of(table.stage, "held_back") == held, (dealing, decided)
            title = "Fold or raise of all" if decided < 2 else "Final deal is not"
            assert table.display[0] == title and "round_ended" not in table.stage.names()
            for seat in range(decided + 1, 3):
                assert table.record("fold", seat) == DONE
            if decided and dealing != "draw":
                assert table.record("final_deal", decided) == DONE
            elif decided:
                draw(table, dealing, 2 * decided + 2)  # the shoe has counted the final deal
            table.play(("", 600, "wait", 0))
            assert table.command(ids.CMD_END_ROUND) == DONE, (dealing, decided)
            assert "draw_flagged" not in table.stage.names()


def test_without_second_wagers_on_record_the_final_deal_has_at_most_the_hands_that_are_left():
    for folded in (0, 1, 2):
        table = HandTable("boston-5-stud", "hand").out().closed(3)
        for seat in range(1, folded + 1):
            assert table.record("fold", seat) == DONE
        for hands in (3 - folded + 1, 4, 9):
            assert table.record("final_deal", hands) == REFUSED and table.reason() == ids.REASON_ARGUMENT, folded
        assert table.record("final_deal", 3 - folded) == DONE, folded


def draw(table, dealing, cards):
    for _ in range(cards if dealing == "draw" else 0):
        assert table.stage.rig.plant.hand.draw(150)
        table.stage.run(300)


def test_without_positions_nobody_knows_the_stub_and_the_dealers_word_is_taken():
    table = HandTable("double-cross-poker", "hand")
    for _ in range(4):
        table.out().played(1).end()
    table.out().played(0)
    assert table.record("stub_counted", 52) == REFUSED and table.reason() == ids.REASON_ARGUMENT
    table.play(("", 300, "press", "lock"), ("recorded", 300, "wait", 0)).end()
    unknown = ids.UNKNOWN_U16
    assert all_fields_of(table.stage, "round_ended")[-1] == [ids.UNKNOWN_U8, unknown, unknown, unknown, unknown]
    assert table.flow.facts.row[ROUNDS] == 0


def test_an_idle_table_and_a_device_out_of_service_end_what_was_handed_out():
    table = HandTable("caribbean-stud", "hand").out()
    table.recorded("no_activity")
    assert table.display[0] == "Ready for a deck" and table.command(ids.CMD_CLOSE_BETTING) == REFUSED
    table = HandTable("caribbean-stud", "hand").out()
    assert table.record("out_of_service", 1) == DONE
    held = HandTable("caribbean-stud", "hand").shuffle()
    assert held.record("no_activity") == DONE
    held.release()
    assert held.command(ids.CMD_CLOSE_BETTING) == REFUSED  # that deck is not to be played


def test_a_host_sees_what_a_round_dealt_by_hand_waits_for():
    table = HandTable("caribbean-stud", "hand").out().closed(2)
    assert table.status() == WAITING_FOR_LOCKOUT
    assert table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
    assert table.status() == WAITING_FOR_ROUND_END
    table.end().close()


def test_no_stub_is_counted_before_the_cards_are_dealt_whatever_the_machine_does_meanwhile():
    for dealing in ("manual", "hand"):
        for decks in (1, 2):
            table = HandTable("caribbean-stud", dealing, decks).out().closed(2)
            for count, why in ((37, 0), (36, 0), (36, 1)):
                assert table.record("stub_counted", count, why) == REFUSED and table.reason() == ids.REASON_STATE
            assert table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
            assert table.record("stub_counted", 36) == DONE
            voided = [event for event in table.stage.peer.events if event.name == "round_voided"]
            assert [event.round for event in voided] == [1]


def test_a_press_that_came_before_the_second_closing_does_not_end_the_round():
    table = HandTable("double-down-stud").out().closed(2)
    table.play(("", 300, "press", "green"), ("", 300, "press", "close"), ("betting_closed", 600, "wait", 0))
    assert table.flow.tail and "round_ended" not in table.stage.names()
    table.end()
    assert "round_ended" in table.stage.names()
    table.close()


def test_with_records_a_count_is_taken_by_word_where_positions_were_not_told():
    """No record could tell what the stub must have, and the round would never end."""
    table = HandTable("boston-5-stud", "hand", records=True).inducted()
    for _ in range(4):
        table.out().played(0).end()
    table.out().played(0).end()
    assert table.display == ["Count the stub", "Right: press LOCK", "Wrong: press ACK", ""]
    assert table.record("stub_counted", 37) == REFUSED and table.reason() == ids.REASON_STATE
    table.play(("", 300, "press", "lock"), ("recorded", 300, "wait", 0)).end()
    assert table.flow.state == WAITING_FOR_DECK
    table.close()


def test_positions_that_are_set_while_the_other_deck_is_shuffled_stay_set():
    for dealing in ("manual", "hand"):
        table = HandTable("caribbean-stud", dealing, decks=2).out(1)
        table.insert("shuffle_started", 300, cards=52, deck=2)
        table.play(*[("", 200, "press", "seat")] * 3)
        table.play(("deck_verified", 300, "wait", 0), ("", 300, "press", "close"), ("round_started", 300, "wait", 0))
        assert all_fields_of(table.stage, "round_started") == [[3]], dealing
        table.close()
