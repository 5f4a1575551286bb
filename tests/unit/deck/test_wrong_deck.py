"""52 means 52: any other number is refused, latched and out of the machine before the next deck."""

from support import fields_of, play

from firmware.fault import FAULT_MISMATCH
from firmware.games.flow import WARNING
from rig import stories


def test_a_short_or_long_deck_is_refused_with_its_count_and_latched():
    """Proves: CS-2a (automated, in part), CS-9g (in part)"""
    for cards in (51, 53):
        stage = play(stories.start() + stories.shuffle(cards) + [("warning_latched", 60000, "wait", 0)])
        assert fields_of(stage, "deck_refused") == [[52, cards, cards]]
        assert fields_of(stage, "warning_latched") == [[FAULT_MISMATCH, cards, 0]]
        assert "deck_verified" not in stage.names()
        assert stage.rig.app.flow.state == WARNING


def test_nothing_but_an_acknowledgement_leaves_the_warning():
    presses = [("", 300, "press", button) for button in ("green", "close", "lock", "seat")]
    stage = play(stories.start() + stories.shuffle(51) + [("warning_latched", 100, "wait", 0)] + presses)
    assert stage.rig.app.flow.state == WARNING


def test_a_refused_deck_is_put_out_counted_and_the_next_good_deck_plays():
    """Proves: CS-9g (in part)"""
    for cards in (51, 53):
        stage = play(stories.start() + stories.refuse_deck(cards) + stories.round_of(1))
        assert fields_of(stage, "deck_removed") == [[cards]]
        assert sorted(stage.taken[0]) == list(range(cards))
        assert fields_of(stage, "warning_cleared") == [[FAULT_MISMATCH]]
        assert stage.names()[-1] == "round_ended"


def test_more_cards_than_slots_stops_the_intake():
    stage = play(stories.start() + stories.shuffle(60) + stories.clear_by_hand())
    assert fields_of(stage, "shuffle_failed") == [[FAULT_MISMATCH]]
    assert fields_of(stage, "warning_latched") == [[FAULT_MISMATCH, 54, 0]]


def test_a_card_that_left_its_slot_unseen_is_a_mismatch():
    """The sweep is a second count of its own: throat says 52, the slots say 51.

    Proves: CS-9g (in part)
    """

    stage = play(stories.start() + stories.shuffle(52) + [("shuffle_started", 8000, "wait", 0)])
    plant = stage.rig.plant
    full = [slot for slot in range(54) if plant.slots[slot] and slot != plant.axis.slot]
    plant.lost += plant.slots[full[0]]
    plant.slots[full[0]] = []
    stage.until("deck_refused", 60000)
    assert fields_of(stage, "deck_refused") == [[52, 52, 51]]
