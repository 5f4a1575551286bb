"""Double Attack Blackjack, the set: where it comes from, its induction, its cut, and what takes its order away."""

from dab_tables import INDUCTION, Shoe, game
from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of, fields_of
from tables import small_board

from firmware.fault import FAULT_COMPOSITION
from firmware.games.flow import DECK_HELD, DECK_SPENT, DRAW_READY, WAITING_FOR_DECK, WARNING
from firmware.games.table_facts import SOURCE
from firmware.protocol import ids

RECORDS = {"records": True}


def try_load(shoe, cards=0):
    """Put a set in and press green; what it still needs, 0 if it was taken."""
    if not shoe.stage.rig.plant.hopper:
        shoe.stage.act("load", {"cards": cards or shoe.cards})
    shoe.play(("", 300, "press", "green"), ("", 800, "wait", 0))
    return 0 if shoe.flow.state != WAITING_FOR_DECK else shoe.flow.need


def test_a_set_is_not_used_before_the_tens_are_out_and_it_was_inspected_verified_shown_and_washed():
    """Proves: DAB-3b (in part), DAB-3c (in part)"""
    shoe = Shoe(table=RECORDS)
    assert shoe.record("inspected", 1) == REFUSED and shoe.reason() == ids.REASON_STATE  # the tens go first
    for step in INDUCTION:
        if step != "washed":
            assert shoe.record("washed", 1) == REFUSED
        assert try_load(shoe) == ids.NEED_INDUCTION
        shoe.stage.rig.plant.lift()
        shoe.stage.run(300)
        assert shoe.record(step, 1) == DONE, step
        assert shoe.last()[4] == "DAB-3b"
    assert try_load(shoe) == ids.NEED_PROVENANCE  # mixed by a wash is not shuffled
    assert set(shoe.told("held_back")) == {(ids.NEED_INDUCTION, "DAB-3b"), (ids.NEED_PROVENANCE, "DAB-4b")}
    assert shoe.record("provenance", 1, ids.FROM_MACHINE) == DONE
    assert try_load(shoe) == 0
    shoe.close()


def test_a_face_seen_in_the_mixing_sends_the_set_back_to_it():
    """Proves: DAB-3c"""
    shoe = Shoe(table=RECORDS).induct()
    assert shoe.record("mixing_seen", 1) == DONE
    assert try_load(shoe) == ids.NEED_INDUCTION
    shoe.stage.rig.plant.lift()
    shoe.stage.run(300)
    assert shoe.record("washed", 1) == DONE  # and only that
    assert try_load(shoe) == 0
    shoe.close()


def test_who_shuffled_says_whether_a_cut_is_due_and_it_is_due_before_the_set_goes_in():
    """Proves: DAB-3a, DAB-4b"""
    for source, due in ((ids.FROM_MACHINE, False), (ids.FROM_SUPPLIER, True), (ids.FROM_HAND, True)):
        shoe = Shoe(table=RECORDS).induct(source)
        assert shoe.last() == (ids.REC_PROVENANCE, 1, source, 0, "DAB-4b")
        assert try_load(shoe) == (ids.NEED_CUT if due else 0), source
        if due:
            assert shoe.last("held_back") == (ids.NEED_CUT, "DAB-4f")
            assert shoe.record("cut", 8, 1) == DONE
            assert try_load(shoe) == 0
        assert shoe.flow.state == DRAW_READY
        shoe.draw(4).green().draw(2).green()
        assert shoe.flow.facts.deck(1, SOURCE) == source  # it stays with the set as long as that is in play
        shoe.close()
    shoe = Shoe(table=RECORDS).induct()
    assert shoe.record("provenance", 1, 0) == REFUSED
    assert shoe.record("provenance", 1, 2) == DONE  # brought in pre-shuffled, as a whole set
    assert shoe.flow.facts.deck(1, SOURCE) == 2
    shoe.stage.run(500)
    assert shoe.flow.facts.deck(1, SOURCE) == ids.FROM_SUPPLIER


def test_the_order_of_a_set_does_not_outlive_power_and_what_was_said_of_it_is_asked_for_again():
    """Proves: DAB-3a, DAB-4b"""
    shoe = Shoe(table=RECORDS).induct()
    shoe.play(("", 500, "cut", 0), ("", 500, "boot", 0), ("empty_proved", 1000, "wait", 0))
    assert try_load(shoe) == ids.NEED_PROVENANCE  # inducted still, not known to be shuffled
    shoe.close()


def test_a_due_cut_leaves_a_pack_at_either_end():
    """Proves: DAB-4f (in part)"""
    for packs, cards in ((6, 288), (8, 384)):
        shoe = Shoe(cards=384, table={"records": True, "packs": packs}).induct(ids.FROM_HAND)
        for at, outcome in ((47, REFUSED), (cards - 47, REFUSED), (48, DONE), (cards - 48, DONE)):
            assert shoe.record("cut", at, 2) == outcome, (cards, at)
        assert shoe.record("cut", 100, 0) == REFUSED  # by no person
        assert shoe.last() == (ids.REC_CUT, cards - 48, 2, 0, "DAB-4f")


def test_another_cut_may_be_ordered_until_a_card_has_left_and_forces_no_shuffle():
    """Proves: DAB-4g, DAB-5h (in part)"""
    shoe = Shoe(table=RECORDS).induct(ids.FROM_HAND)
    assert shoe.record("cut", 8, 1) == DONE
    assert shoe.record("cut", 9, 2) == DONE  # before it is in
    shoe.load()
    assert shoe.flow.state == DRAW_READY
    assert shoe.record("cut", 10, 3) == DONE  # and in the shoe: it has to come out for that
    assert [fields[1:3] for fields in all_fields_of(shoe.stage, "recorded")[-3:]] == [[8, 1], [9, 2], [10, 3]]
    assert shoe.flow.state == DECK_SPENT and shoe.display[0] == "Cut the cards again"
    shoe.lift()
    assert try_load(shoe) == 0  # no shuffle, no count of the rack is asked for
    # A host that waits for a reshuffle can tell: these are the same cards.
    assert all_fields_of(shoe.stage, "deck_loaded") == [[20, ids.LOADED_SHUFFLED], [20, ids.LOADED_AGAIN]]
    assert shoe.record("cut", 10, 3) == DONE
    shoe.lift()
    assert shoe.record("no_activity") == DONE and shoe.record("washed", 1) == DONE  # and mixed after all
    assert shoe.record("provenance", 1, ids.FROM_MACHINE) == DONE
    assert try_load(shoe) == 0
    assert all_fields_of(shoe.stage, "deck_loaded")[-1] == [20, ids.LOADED_SHUFFLED]


def test_a_set_that_has_to_be_reshuffled_before_its_first_round_is_not_used_as_it_is():
    """Proves: DAB-4h (in part), DAB-15b (in part)"""
    for odd in (False, True):
        shoe = Shoe(table=RECORDS, face=True).induct().load()
        if odd:
            for nth in (0, 1):  # before the burn
                shoe.stage.rig.plant.add_fault({"fault": "face_up", "card": nth})
            shoe.draw(2)
        else:
            assert shoe.record("reshuffle", 2) == DONE
        assert shoe.flow.state == DECK_SPENT
        shoe.lift()
        assert try_load(shoe) == (ids.NEED_RACK if odd else ids.NEED_PROVENANCE)
    shoe.draw()
    assert shoe.record("cut", 10, 3) == REFUSED and shoe.reason() == ids.REASON_STATE  # the burn has left
    shoe.draw()
    assert shoe.record("cut", 10, 3) == REFUSED
    shoe.green()
    assert shoe.record("cut", 10, 3) == REFUSED
    shoe.close()


def test_who_is_offered_the_cut_is_put_on_record_between_shoes():
    """Proves: DAB-4d (manual, in part)"""
    shoe = Shoe().load(cut_at=4).draw(6).green()
    assert shoe.flow.state == DECK_SPENT
    for position, taken in ((3, 0), (2, 0), (1, 1)):
        assert shoe.noted("cut_offered", position, taken)[:3] == (ids.REC_CUT_OFFERED, position, taken)
    assert shoe.record("cut_offered", 8, 1) == REFUSED
    shoe.close()


def test_without_activity_the_shoe_comes_out_and_begins_again_with_the_washing():
    """Proves: DAB-4j"""
    shoe = Shoe(table=RECORDS).induct().load().draw(3)
    assert shoe.record("no_activity") == REFUSED and shoe.reason() == ids.REASON_STATE  # in a round
    shoe.green()
    assert shoe.noted("no_activity") == (ids.REC_NO_ACTIVITY, 0, 0, ids.SHUFFLE_AGAIN, "DAB-4j")
    assert shoe.flow.state == DECK_SPENT
    shoe.play(("", 300, "press", "close"), ("", 300, "wait", 0))
    assert shoe.count("round_started") == 1
    shoe.lift()
    assert shoe.record("stub_counted", 20) == DONE
    assert try_load(shoe) == ids.NEED_INDUCTION
    shoe.stage.rig.plant.lift()
    shoe.stage.run(300)
    assert shoe.record("washed", 1) == DONE  # from there on: it was inspected
    assert try_load(shoe) == ids.NEED_PROVENANCE
    shoe.close()


def test_a_dispute_keeps_the_set_from_being_used_again_over_power_too():
    """Proves: DAB-7h (manual, in part)"""
    shoe = Shoe(table=RECORDS).induct().load(cut_at=6).boxes(2).draw(8)
    assert shoe.noted("dispute", 1, 1) == (ids.REC_DISPUTE, 1, 1, ids.HOLD_DECK, "DAB-7h")
    shoe.green().lift()
    assert shoe.record("stub_counted", 20) == DONE
    assert try_load(shoe) == ids.NEED_DISPUTE
    assert shoe.last("held_back") == (ids.NEED_DISPUTE, "DAB-7h")
    shoe.play(("", 500, "cut", 0), ("", 500, "boot", 0), ("", 2000, "wait", 0))
    shoe.stage.rig.plant.lift()
    shoe.play(("", 300, "open", 0), ("", 300, "close", 0), ("", 500, "press", "ack"), ("", 3000, "wait", 0))
    assert shoe.flow.state == WAITING_FOR_DECK and shoe.flow.need == ids.NEED_DISPUTE
    assert shoe.record("dispute", 1, 0) == DONE
    shoe.stage.run(500)
    assert shoe.flow.need != ids.NEED_DISPUTE
    shoe.close()


def test_a_device_that_was_taken_out_of_service_is_inducted_anew():
    """Proves: DAB-15l"""
    shoe = Shoe(table=RECORDS).induct().load().draw(2)
    assert shoe.record("out_of_service", 1) == REFUSED  # cards are in it
    shoe.green()
    assert shoe.record("out_of_service", 1) == REFUSED
    assert shoe.record("reshuffle", 2) == DONE
    shoe.lift()
    assert shoe.record("stub_counted", 20) == DONE
    assert shoe.noted("out_of_service", 1) == (ids.REC_OUT_OF_SERVICE, 1, 0, ids.LEAVE_TABLE, "DAB-15l")
    assert try_load(shoe) == ids.NEED_SERVICE
    assert shoe.last("held_back") == (ids.NEED_SERVICE, "DAB-15l")
    shoe.stage.rig.plant.lift()
    shoe.play(("", 500, "cut", 0), ("", 500, "boot", 0), ("empty_proved", 1000, "wait", 0))
    assert shoe.flow.need == ids.NEED_SERVICE
    assert shoe.record("out_of_service", 0) == DONE
    assert try_load(shoe) == ids.NEED_INDUCTION
    shoe.close()


# -- the shuffler -----------------------------------------------------------------------------------------------------


def shelves(cards, recognises=False, table=None, **changes):
    config = small_board("shelves", **changes) if cards < 96 else board("shelves")
    if recognises:
        config["sensors"] = {"recognition": True}
    made = Table(game(cards), "shelves", table, config=config)
    return made


def shuffle(table, cards, tens=(), wait="deck_verified"):
    return table.insert(wait, 500, cards=cards, tens=list(tens))


def test_a_set_of_the_game_is_shuffled_on_shelves_and_handed_out_as_one_stack():
    """Proves: DAB-4a (in part), DAB-5h"""
    table = shuffle(shelves(24), 24)
    assert table.flow.state == DECK_HELD
    assert fields_of(table.stage, "deck_verified") == [[24, 24, 0, 0]]
    table.play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0), ("remainder_taken", 300, "wait", 0))
    assert [len(cards) for cards in table.stage.taken] == [24]
    assert sorted(table.stage.taken[0]) != table.stage.taken[0]
    assert table.stage.names().count("deck_verified") == 1  # one event for each reshuffle that was completed
    table.close()


def test_an_incomplete_shuffle_never_counts_and_the_set_is_shuffled_again():
    """Proves: DAB-15k"""
    for spec in (
        {"fault": "jam", "place": "throat", "card": 5, "at_um": 60000},
        {"fault": "roller_dead", "roller": "pick", "from_ms": 8000},
    ):
        table = shelves(24)
        table.stage.rig.plant.add_fault(spec)
        shuffle(table, 24, wait="warning_latched")
        assert clauses_of(table.stage, "shuffle_failed") == [b"DAB-15k"]
        assert all_fields_of(table.stage, "shuffle_failed")[0][-1] == ids.RESHUFFLE
        assert "deck_verified" not in table.stage.names()
        assert table.flow.state == WARNING and table.flow.facts.deck(1, SOURCE) == 0
        table.stage.rig.plant.repair()
        table.play(("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack"))
        table.play(("warning_cleared", 500, "wait", 0))
        shuffle(table, 24)
        assert table.stage.names().count("deck_verified") == 1
        table.close()


def test_where_faces_are_seen_a_ten_or_a_wrong_face_spoils_the_set_though_its_number_is_right():
    """Proves: DAB-3b"""
    good = shuffle(shelves(48, True, shelf_cards_max=20), 48)
    assert good.flow.state == DECK_HELD
    for spoil in ("ten", "double"):
        table = shelves(48, True, shelf_cards_max=20)
        if spoil == "ten":
            shuffle(table, 48, (7,), "warning_latched")
        else:
            table.stage.act("load", {"cards": 48, "tens": []})
            hopper = table.stage.rig.plant.hopper
            hopper[3] = hopper[4] + 52  # the same face twice, another one missing
            table.play(("", 300, "press", "green"), ("warning_latched", 500, "wait", 0))
        assert fields_of(table.stage, "warning_latched")[0][0] == FAULT_COMPOSITION, spoil
        assert "deck_verified" not in table.stage.names()
        assert clauses_of(table.stage, "shuffle_failed") == [b"DAB-15k"]
        table.close()


def test_the_shuffler_wants_the_same_induction_and_no_cut_after_its_own_work():
    """Proves: DAB-3b, DAB-4b"""
    table = shelves(24, table=RECORDS)
    table.insert("", 800, cards=24)
    assert table.flow.state == WAITING_FOR_DECK and table.flow.need == ids.NEED_INDUCTION
    table.stage.rig.plant.lift()
    table.stage.run(300)
    for step in INDUCTION:
        assert table.record(step, 1) == DONE, step
    shuffle(table, 24)
    assert table.flow.state == DECK_HELD
    assert table.flow.facts.deck(1, SOURCE) == ids.FROM_MACHINE
    table.play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0))
    assert "held_back" in table.stage.names() and clauses_of(table.stage, "held_back") == [b"DAB-3b"]
    table.close()


def test_a_loaded_set_that_power_left_is_counted_before_it_is_used_though_no_card_had_come():
    """Proves: DAB-7j (in part)"""
    for records in (True, False):
        shoe = Shoe(table={"records": records})
        shoe = (shoe.induct() if records else shoe).load()
        shoe.play(("", 300, "cut", 0), ("", 900, "boot", 0), ("warning_latched", 300, "open", 0), ("", 300, "clear", 0))
        shoe.play(("", 300, "close", 0), ("", 500, "press", "ack"), ("warning_cleared", 500, "wait", 0))
        assert try_load(shoe) == ids.NEED_RACK
        assert shoe.record("stub_counted", 20) == DONE and shoe.flow.need != ids.NEED_RACK
        shoe.close()
