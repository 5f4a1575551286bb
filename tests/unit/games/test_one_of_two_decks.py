"""Of two decks one leaves the table: a person may let it go on with the other (2(a)), until a new one is inducted."""

from game_tables import DONE, REFUSED, Table
from support import board

from firmware.games.table_facts import HELD, HELD_DISPUTE, HELD_GONE, HELD_OFF
from firmware.protocol import ids

ALONE = ids.REMOVED_ALONE


def table_of(game="caribbean-stud", dealing="shoe", records=False):
    config = board(inputs={"back": {"pin": 28}})
    return Table(game, table={"decks": 2, "dealing": dealing, "records": records}, config=config)


def hand_out(table, deck):
    table.shuffle(deck)
    table.play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0))
    table.play(("remainder_taken", 500, "wait", 0))


def test_the_other_deck_plays_every_round_and_waits_for_the_end_of_its_own():
    table = table_of()
    table.round(1, deck=1)
    assert table.flow.facts.turn() == 2
    assert table.record("deck_removed", 2, ALONE) == DONE
    assert table.flow.facts.turn() == 1
    table.shuffle(1).deal(1).release()
    table.stage.act("load", {"cards": 52, "deck": 1})
    table.play(("", 300, "press", "green"), ("round_ended", 600, "wait", 0))  # GREEN is for the round
    table.play(("", 300, "press", "green"), ("deck_verified", 600, "wait", 0))
    assert table.flow.outbox.deck == 1
    table.close()


def test_a_deck_in_its_place_takes_its_turn_again():
    table = table_of()
    assert table.record("deck_removed", 1, ALONE) == DONE
    assert table.record("deck_removed", 2, ALONE) == REFUSED and table.reason() == ids.REASON_STATE
    table.round(1, deck=2)
    assert table.record("deck_removed", 1, ids.REMOVED_REPLACED) == DONE
    assert table.flow.facts.turn() == 1
    table.close()


def test_with_records_the_induction_of_a_new_deck_brings_it_back():
    table = table_of(records=True).inducted(1).inducted(2)
    assert table.record("deck_removed", 1, ALONE) == DONE
    table.stage.run(300)
    assert table.flow.facts.turn() == 2
    table.inducted(1)
    table.stage.run(300)
    assert table.flow.facts.turn() == 1
    table.close()


def test_a_deck_that_is_dealt_by_hand_comes_back_as_at_a_table_with_one():
    table = table_of(dealing="hand")
    assert table.record("deck_removed", 2, ALONE) == DONE
    hand_out(table, 1)
    hand_out(table, 1)
    assert table.flow.facts.row[0] == 1  # the first counts as a round that was played and not reported
    table.close()


def test_a_table_with_one_deck_knows_no_such_thing():
    table = Table("caribbean-stud")
    for follows in (ALONE, 3):
        assert table.record("deck_removed", 1, follows) == REFUSED and table.reason() == ids.REASON_ARGUMENT
    table.close()


def test_a_dispute_about_the_deck_that_left_goes_on_and_it_is_ordered_off_no_more():
    facts = table_of().flow.facts
    facts._set(1, HELD, HELD_DISPUTE | HELD_OFF)
    facts.note(ids.EV_RECORDED, [ids.REC_DECK_REMOVED, 1, ALONE, 0], 1, 0)
    assert facts.deck(1, HELD) == HELD_DISPUTE | HELD_GONE


def test_a_table_that_has_one_deck_from_now_on_takes_it_in_again():
    facts = table_of().flow.facts
    facts.note(ids.EV_RECORDED, [ids.REC_DECK_REMOVED, 1, ALONE, 0], 1, 0)
    assert facts.turn() == 2
    facts.profile.decks = 1
    assert facts.turn() == 1
