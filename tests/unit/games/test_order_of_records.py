"""Records that come out of order or cannot be true are refused with `state`, by game and by way of dealing."""

from dab_tables import Shoe
from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of

from firmware.games.table_facts import RACK, RACK_UNKNOWN
from firmware.protocol import ids

STATE = ids.REASON_STATE


def refused(table, *record):
    assert table.record(*record) == REFUSED and table.reason() == STATE, record


def two_decks(game, dealing="shoe"):
    return Table(game, table={"decks": 2, "dealing": dealing}, config=board(inputs={"back": 28}))


def by_hand(table, positions, deck=1):
    """A deck handed out, betting closed and locked out."""
    table.shuffle(deck).play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0))
    table.play(("remainder_taken", 500, "wait", 0))
    assert table.command(ids.CMD_SET_POSITIONS, positions) == DONE and table.command(ids.CMD_CLOSE_BETTING) == DONE
    if table.flow.profile.lockout:
        assert table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
    return table


def settled_beside_a_ready_deck(game, dealing):
    """Round 1 of red is settled while blue, shuffled, lies ready."""
    table = two_decks(game, dealing)
    table = by_hand(table, 2) if dealing != "shoe" else table.shuffle().deal(2).release()
    return table.shuffle(2)


def test_a_hole_card_is_of_the_round_that_is_settled_and_not_of_the_deck_that_lies_ready():
    for game, dealing, taken in (
        ("caribbean-stud", "shoe", False),
        ("caribbean-stud", "manual", False),
        ("caribbean-stud", "hand", False),
        ("double-cross-poker", "shoe", False),
        ("boston-5-stud", "shoe", False),  # no decision is on record: the release stands for them
        ("boston-5-stud", "hand", True),
    ):
        table = settled_beside_a_ready_deck(game, dealing)
        if not taken:
            refused(table, "hole_card_seen")
            assert "round_voided" not in table.stage.names()
            assert table.command(ids.CMD_END_ROUND) == DONE, (game, dealing)
            continue
        table.recorded("hole_card_seen")
        voided = [event for event in table.stage.peer.events if event.name == "round_voided"]
        assert [event.round for event in voided] == [1]


def test_the_second_face_up_card_of_a_deck_voids_its_round_though_the_other_was_shuffled_between():
    for game, clause in (
        ("double-down-stud", b"DDS-11b"),
        ("boston-5-stud", b"B5-12b"),
        ("caribbean-stud", b"CS-13b"),
        ("double-cross-poker", b"DCP-12a"),
    ):
        for dealing in ("manual", "hand", "shoe"):
            if dealing == "hand" and game == "double-down-stud":
                continue
            for power in (False, True):
                table = two_decks(game, dealing)
                if dealing != "shoe":
                    by_hand(table, 2)
                else:
                    table.shuffle().deal(2)
                    if table.flow.profile.closings > 1:
                        assert table.command(ids.CMD_CLOSE_BETTING) == DONE
                    table.release()
                # By 13(b) a card face up is judged while cards are dealt: here all are, when the rest is out.
                over = game == "caribbean-stud" and dealing == "shoe"
                outcome, voids = (REFUSED, []) if over else (DONE, [clause])
                assert table.record("face_up", 1) == outcome
                table.shuffle(2)
                if power:
                    table.play(("", 300, "cut", 0), ("", 900, "boot", 0), ("booted", 1500, "wait", 0))
                assert table.record("face_up", 1) == outcome, (game, dealing)
                table.stage.run(300)
                assert clauses_of(table.stage, "round_voided") == voids, (game, dealing, power)


def test_a_card_of_the_dealer_may_be_seen_until_each_player_has_decided():
    for dealing in ("shoe", "manual", "hand"):
        for decided, taken in ((1, True), (2, True), (3, False)):
            for last in ("second_wager", "fold", "withdrawn"):
                table = Table("boston-5-stud", table={"dealing": dealing})
                table = by_hand(table, 3) if dealing != "shoe" else table.shuffle().deal(3)
                for position in range(1, decided):
                    assert table.record("second_wager", position, 1) == DONE
                if last != "fold":
                    assert table.record("second_wager", decided, 1) == DONE
                if last == "withdrawn":
                    assert table.record("second_wager", decided, 0) == DONE
                elif last == "fold":
                    assert table.record("fold", decided) == DONE
                if dealing == "shoe":
                    table.release()
                if not taken:
                    refused(table, "hole_card_seen")
                    continue
                assert table.record("hole_card_seen") == DONE, (dealing, decided, last)
                table.stage.run(300)
                assert clauses_of(table.stage, "round_voided") == [b"B5-12a"]
    table = Table("boston-5-stud").shuffle().deal(3)
    assert table.record("second_wager", 1, 1) == DONE
    table.release()
    assert table.record("final_deal", 1) == DONE
    refused(table, "hole_card_seen")  # the final deal shows that all had decided
    table = Table("boston-5-stud").shuffle().deal(3)
    assert table.record("misdeal", 1, 2) == DONE  # a void hand is no decision
    refused(table.release(), "hole_card_seen")


def test_more_cards_face_up_than_have_come_are_refused():
    table = Table("caribbean-stud").shuffle()
    table.play(("", 200, "press", "seat"), ("", 500, "press", "close"), ("round_started", 500, "press", "lock"))
    table.play(("stack_offered", 600, "wait", 0))
    refused(table, "face_up", 6)
    assert table.record("face_up", 5) == DONE


def test_a_dealer_who_comes_in_a_round_burns_a_card_before_dealing_any():
    """Proves: DAB-7c"""
    shoe = Shoe().load().draw().boxes(2).draw(3)
    before = shoe.zones()
    assert shoe.noted("dealer_change") == (ids.REC_DEALER_CHANGE, 0, 0, ids.BURN_CARD, "DAB-7c")
    assert shoe.display[0] == "Burn a card"
    shoe.draw()
    assert shoe.last() == (ids.REC_BURNED, 1, 2, ids.BURN_CARD, "DAB-7c")
    assert shoe.zones() == (before[0], before[1] + 1, before[2] - 1, 0)
    shoe.draw(2)
    assert shoe.zones()[0] == before[0] + 2
    shoe.close()


def test_a_burn_is_forgotten_only_as_the_one_that_is_due():
    """Proves: DAB-15o (in part)"""
    shoe = Shoe().load().draw().boxes(2).draw(3)
    refused(shoe, "burned", 0, 2)  # the burn of the shoe may have been a card of the deal, that of a dealer was not due
    assert shoe.record("dealer_change") == DONE
    refused(shoe, "burned", 0, 1)
    before = shoe.zones()
    assert shoe.record("burned", 0, 2) == DONE and shoe.zones() == before  # the one of the shoe stays in the rack
    shoe.draw(2)
    assert shoe.zones()[0] == before[0] + 2  # and the hand goes on


def test_a_reshuffle_has_one_of_two_reasons():
    shoe = Shoe().load()
    assert shoe.record("reshuffle", 0) == shoe.record("reshuffle", 3) == REFUSED
    assert shoe.record("reshuffle", 2) == DONE


def test_what_follows_a_round_is_not_of_that_round():
    shoe = Shoe().load().draw().boxes(2).draw(5).green()
    assert shoe.record("reshuffle", 2) == DONE
    assert [event.round for event in shoe.stage.peer.events if event.name == "recorded"][-1] == 0
    for decision in (ids.HOUSE_GOES_ON, ids.HOUSE_VOID):
        shoe = Shoe().load().draw().boxes(2).draw(5)
        shoe.play(
            ("", 300, "open", 0), ("warning_latched", 300, "clear", 0), ("", 300, "close", 0), ("", 500, "press", "ack")
        )
        shoe.play(("warning_cleared", 500, "wait", 0))
        assert shoe.record("house_decision", decision) == DONE
        if decision == ids.HOUSE_GOES_ON:
            assert shoe.command(ids.CMD_END_ROUND) == DONE
        assert shoe.record("stub_counted", 20) == DONE
        assert [event.round for event in shoe.stage.peer.events if event.name == "recorded"][-1] == 0, decision


def test_a_round_that_a_rule_voids_leaves_the_shuffle_and_the_shoe_as_they_are_on_record():
    table = two_decks("caribbean-stud").shuffle().deal(2).release().insert("shuffle_started", 3000, cards=52, deck=2)
    table.recorded("stub_counted", 36)  # of the round that is settled: wrong
    shoe = Shoe().load().draw().boxes(2).draw(4)
    assert shoe.record("misdeal", 0, 0) == DONE  # the shoe goes on
    for place, during in ((table, ids.EV_SHUFFLE_STARTED), (shoe, ids.EV_DECK_LOADED)):
        assert place.stage.names().count("round_voided") == 1
        place.play(("", 5000, "cut", 0), ("", 500, "boot", 0), ("warning_latched", 500, "wait", 0))
        assert all_fields_of(place.stage, "power_lost") == [[during, 0]]
    assert shoe.flow.facts.row[RACK] == RACK_UNKNOWN


def test_each_record_of_a_round_cites_its_own_rule():
    """Proves: DAB-7g (in part), DAB-7j (in part), DAB-15c (in part), DAB-15f (in part), DAB-15g (in part),
    DAB-15o (in part)"""
    shoe = Shoe(cards=40).load().draw().boxes(3).draw(7)
    for record, after, order, clause in (
        (("ten_found", 1), 1, ids.REMOVE_CARD, "DAB-15c"),
        (("face_up", 1), 1, ids.REJECT_CARD, "DAB-15b"),
        (("box_missed", 2, 1), 3, ids.PLAY_ON, "DAB-15i"),
        (("burned", 1, 3), 0, ids.BURN_CARD, "DAB-15g"),
        (("burned", 1, 4), 0, ids.BURN_CARD, "DAB-15f"),
    ):
        assert shoe.noted(*record)[-2:] == (order, clause), record
        shoe.draw(after)
    shoe.play(("", 300, "press", "lock"), ("", 300, "wait", 0))
    assert shoe.last() == (ids.REC_DEALER_CARD, 0, 0, ids.CONSEQUENCE_NONE, "DAB-7g")
    assert shoe.display[0] == "Dealer's Card"
    assert shoe.green().noted("dealer_change")[-1] == "DAB-7c"
    assert shoe.noted("burned", 0, 2)[-2:] == (ids.PLAY_ON, "DAB-15o")
    assert shoe.noted("reshuffle", 2)[-1] == "DAB-4h"
    assert shoe.lift().noted("stub_counted", 40)[-2:] == (ids.HOLD_DECK, "DAB-7j")
    assert shoe.noted("stub_counted", 39)[-2:] == (ids.CONSEQUENCE_NONE, "DAB-7j")
