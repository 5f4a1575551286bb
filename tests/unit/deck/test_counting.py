"""What is not one good card at a time is seen, called by its name, and never part of a verified deck."""

from support import SLOW, check_stage, fields_of
from tables import clear_by_hand, faults, insert, set_up, small_board, warned

from firmware.fault import (
    FAULT_BACK,
    FAULT_CARD_LENGTH,
    FAULT_COMPOSITION,
    FAULT_DOUBLE_FEED,
    FAULT_FACE_UP,
    FAULT_JAM_EXIT,
    FAULT_JAM_THROAT,
    FAULT_MISMATCH,
)
from firmware.machines.feed import FEED_STAGED

FEEDERS = ("carousel", "shelves", "shoe")


def run_deck(kind, expected, cards, *specs, config=None, **game):
    """Put in so many cards with these faults and let the machine take them, as far as it does."""
    stage = insert(faults(set_up(kind, expected, config=config, **game), *specs), cards)
    if kind == "shoe":
        stage.play([("deck_loaded", 300, "press", "close")])
    return stage


def refused(kind, expected, cards, fault, *specs, config=None, **game):
    stage = run_deck(kind, expected, cards, *specs, config=config, **game)
    assert warned(stage) == fault, (kind, expected, cards, specs)
    for name in ("deck_verified", "stack_offered", "remainder_released"):
        assert name not in stage.names(), (kind, specs)
    return stage


def with_sensors(kind, *names):
    config = small_board(kind)
    for name in names:
        config["inputs"][name] = 22
    return config


def basic(kind):
    """A board that cannot see how thick a card is."""
    config = small_board(kind)
    del config["inputs"]["opacity"]
    del config["outputs"]["dark"]
    config["mechanism"]["count_assurance"] = "basic"
    return config


def test_only_the_right_number_of_cards_is_verified():
    for kind, expected in (("carousel", 8), ("shelves", 24)):
        for cards in (expected - 1, expected, expected + 1):
            stage = run_deck(kind, expected, cards)
            if cards == expected:
                stage.until("deck_verified", 100000)
                assert fields_of(stage, "deck_verified") == [[cards, cards, 0, 0]]
            else:
                assert warned(stage) == FAULT_MISMATCH
                stage.run(500)
                assert fields_of(stage, "deck_refused") == [[expected, cards, cards]], (kind, cards)
                assert "deck_verified" not in stage.names()


def test_a_double_feed_is_seen_however_far_the_cards_are_apart():
    """By thickness as long as they overlap; edge to edge they look like one that stops, and no jog helps."""
    for kind in FEEDERS:
        for offset_um in (0, 500, 5000, 13000, 30000, 60000, 85000, 88000, 88900):
            spec = {"fault": "double_feed", "card": 2, "offset_um": offset_um}
            fault = FAULT_DOUBLE_FEED if offset_um <= 85000 else FAULT_JAM_THROAT
            refused(kind, 8, 8, fault, spec, stack_cards=6)


def test_a_double_feed_that_makes_up_for_a_missing_or_an_extra_card_is_seen():
    for cards in (7, 8, 9):
        for card in (0, 5, cards - 2):
            refused("carousel", 8, cards, FAULT_DOUBLE_FEED, {"fault": "double_feed", "card": card})


def test_without_opacity_two_cards_apart_are_seen_by_their_length_and_a_short_count_is_refused():
    for offset_um in (20000, 40000, 50000, 88900):
        spec = {"fault": "double_feed", "card": 3, "offset_um": offset_um}
        fault = FAULT_DOUBLE_FEED if offset_um <= 40000 else FAULT_JAM_THROAT
        refused("carousel", 8, 8, fault, spec, config=basic("carousel"))
    refused("carousel", 8, 8, FAULT_MISMATCH, {"fault": "double_feed", "card": 3}, config=basic("carousel"))


def test_a_card_that_is_too_short_or_too_long_is_no_card_of_this_deck():
    for kind in FEEDERS:
        for length_um, fault in ((60000, FAULT_CARD_LENGTH), (70000, FAULT_CARD_LENGTH), (110000, FAULT_DOUBLE_FEED)):
            spec = {"fault": "foreign", "card": 2, "length_um": length_um}
            refused(kind, 8, 8, fault, spec, stack_cards=6)


def test_a_wrong_back_after_an_earlier_one_was_face_up_is_still_a_wrong_back():
    """This card's own passage shows which sensor it was, not by what an earlier deck left behind."""
    config = with_sensors("carousel", "back", "face")
    stage = refused("carousel", 8, 8, FAULT_FACE_UP, {"fault": "face_up", "card": 1}, config=config)
    clear_by_hand(stage)
    insert(faults(stage, {"fault": "wrong_back", "card": 3}), 8)
    assert warned(stage) == FAULT_BACK
    clear_by_hand(stage)
    insert(faults(stage, {"fault": "double_feed", "card": 3}), 8)
    assert warned(stage) == FAULT_DOUBLE_FEED


def test_a_card_lost_under_the_rail_is_missed_by_the_second_count():
    for card, stack_cards in ((3, 6), (7, 8)):  # the last one too
        lost = {"fault": "card_lost", "place": "rail", "card": card}
        stage = refused("carousel", 8, 8, FAULT_MISMATCH, lost)
        assert fields_of(stage, "deck_refused") == [[8, 8, 7]]
        refused("shelves", 8, 8, FAULT_JAM_EXIT, lost)
        refused("shoe", 8, 8, FAULT_JAM_EXIT, lost, stack_cards=stack_cards)


def test_a_card_lost_in_a_later_pass_is_missed():
    """Eight cards on four shelves take two passes; the second is counted as the first was."""
    for card in (0, 3, 7):
        stage = run_deck("shelves", 8, 8)
        stage.until("shuffle_started", 1000)
        plant = stage.rig.plant
        while plant.loads < 2:
            stage.run(20)
        faults(stage, {"fault": "card_lost", "place": "rail", "card": card})
        plant.throat.picked = 0
        assert warned(stage) == FAULT_JAM_EXIT
        assert "deck_verified" not in stage.names()


def test_the_right_number_of_the_wrong_cards_is_a_wrong_composition():
    config = small_board("carousel", slot_count=54)
    config["sensors"] = {"recognition": True}
    stage = set_up("carousel", 52, config=config)
    plant = stage.rig.plant
    plant.load(list(range(51)) + [103])  # the last is a second 51 of another deck
    stage.play([("", 300, "press", "green"), ("deck_verified", 300, "wait", 0)])
    stage = set_up("carousel", 52, config=config)
    stage.rig.plant.load(list(range(51)) + [52])  # one card twice, one missing
    stage.play([("", 300, "press", "green")])
    assert warned(stage) == FAULT_COMPOSITION
    assert "deck_verified" not in stage.names()


def test_dust_that_lengthens_every_shadow_a_little_changes_nothing():
    for line in ("throat_a", "throat_b"):
        stage = run_deck("carousel", 8, 8, {"fault": "beam_dust", "line": line, "um": 3000})
        stage.until("deck_verified", 60000)
        check_stage(stage)


def test_a_beam_that_fails_while_a_card_passes_it_never_lets_two_cards_into_one_slot():
    """A card that only one of the two throat beams has seen stops the feed before the next one follows it."""
    for line, level in (("throat_a", 0), ("throat_b", 0), ("throat_b", 1)):
        for at_ms in range(0, 400, 60 if SLOW else 15):
            stage = insert(set_up("carousel", 8), 8)
            stage.until("shuffle_started", 1000, then_ms=600 + at_ms)
            faults(stage, {"fault": "beam_stuck", "line": line, "level": level, "for_ms": 300 + at_ms})
            stage.run(30000)
            check_stage(stage)
            assert stage.rig.plant.crashes == 0
            if "deck_verified" in stage.names():
                assert max([len(slot) for slot in stage.rig.plant.slots]) == 1, (line, at_ms)


def caught(moment, for_ms):
    """The mouth's beam sticks at `moment` of the fourth card, for a while: what became of the deck."""
    stage = insert(set_up("carousel", 8), 8)
    feed = stage.rig.app.flow.machine.feed
    plant = stage.rig.plant
    while not (feed.count == 3 and moment(feed, plant)):
        stage.run(1)
    faults(stage, {"fault": "beam_stuck", "line": "throat_b", "level": 1, "for_ms": for_ms})
    stage.run(30000)
    check_stage(stage)
    return stage


def test_a_mouth_beam_that_sticks_while_a_card_waits_or_passes_lets_no_other_follow_it():
    for for_ms in range(20, 400, 60 if SLOW else 20):
        stage = caught(lambda feed, plant: feed.state == FEED_STAGED, for_ms)
        assert fields_of(stage, "shuffle_failed") == [[FAULT_JAM_THROAT]], for_ms
        stage = caught(lambda feed, plant: plant.level[plant.line_b] and not plant.level[plant.line_a], for_ms)
        # For a moment only the card looks a little long; longer, too long; still longer, stopped and never back.
        slots = [len(slot) for slot in stage.rig.plant.slots]
        assert max(slots) == 1, for_ms
        assert "deck_verified" not in stage.names() or sum(slots) == 8, for_ms
