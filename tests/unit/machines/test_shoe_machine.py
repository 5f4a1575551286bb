"""Stacks of every size by motor, from a carousel and a shoe: each one whole, alone in the tray, and taken whole."""

from support import check_stage, fields_of
from tables import faults, insert, set_up, small_board, warned

from firmware.deck.ledger import DEALT, TRAY
from firmware.fault import FAULT_BACK, FAULT_JAM_EXIT
from firmware.games.flow import WAITING_FOR_GREEN
from firmware.games.table_facts import TURN

DEALERS = ("carousel", "shoe")
READY = {"carousel": "deck_verified", "shoe": "deck_loaded"}


def dealing(kind, cards=10, loaded=0, seats=0, config=None, specs=(), **game):
    """A deck inside, the seats set, betting closed."""
    stage = insert(faults(set_up(kind, cards, config=config, **game), *specs), loaded or cards)
    stage.until(READY[kind], 60000)
    stage.play([("", 200, "press", "seat") for _ in range(seats)] + [("", 300, "press", "close")])
    return stage


def sizes(stage):
    return [fields[1] for fields in fields_of(stage, "stack_offered")]


def test_a_shoe_deals_in_the_order_of_its_hopper():
    stage = dealing("shoe", stack_cards=3)
    for _ in range(2):
        stage.play([("stack_offered", 300, "take", 0)])
    assert stage.taken == [[9, 8, 7], [6, 5, 4]]


def test_a_stack_lifted_for_a_moment_is_not_taken():
    """The beam must have been clear for a while: 120 ms on this board."""
    for kind in DEALERS:
        stage = dealing(kind, stack_cards=4)
        stage.until("stack_offered", 10000)
        plant = stage.rig.plant
        for _ in range(5):
            stage.run(300)
            cards = plant.take()
            stage.run(100)
            plant.put_in_tray(cards)
        stage.run(1000)
        assert "stack_taken" not in stage.names() and len(sizes(stage)) == 1


def test_the_whole_shoe_dealt_as_one_and_the_next_one_after_it():
    stage = dealing("shoe", 6, stack_cards=6)
    stage.play([("stack_offered", 300, "take", 0)])
    stage.run(1000)
    assert stage.rig.app.flow.state == WAITING_FOR_GREEN
    stage.play([("", 300, "press", "green"), ("remainder_released", 300, "wait", 0)])
    stage.play([("remainder_taken", 300, "press", "green"), ("round_ended", 300, "wait", 0)])
    assert fields_of(stage, "round_ended") == [[1, 6, 0]]
    insert(stage, 6)
    stage.play([("deck_loaded", 300, "press", "close"), ("stack_offered", 300, "take", 0)])
    check_stage(stage)
    assert stage.rig.app.flow.ledger.zone[DEALT] == 6


def test_every_card_of_the_other_deck_shows_its_back_also_behind_another():
    """In a stack cards follow each other without a pause; each is judged by its own reading of the back sensor."""
    config = small_board("shoe")
    config["inputs"]["back"] = 28
    config["table"] = {"decks": 2}
    for good in (10, 0, 1, 3):
        stage = set_up("shoe", 10, config=config, stack_cards=4)
        stage.rig.app.flow.facts.row[TURN] = 2
        stage.act("load", {"cards": 10 - good})
        stage.act("load", {"cards": good, "deck": 2})  # these come first
        stage.act("press", {"button": "green"})
        stage.play([("deck_loaded", 300, "press", "close"), ("", 3000, "wait", 0)])
        assert sizes(stage) == ([4] if good > 3 else []), good
        assert good > 3 or warned(stage) == FAULT_BACK, good


def test_litter_between_two_stacks_or_while_one_comes_never_becomes_part_of_a_stack():
    for kind in DEALERS:
        for wait_ms in (0, 5, 20, 60, 150):
            stage = dealing(kind, stack_cards=4)
            stage.until("stack_offered", 10000, then_ms=300)
            plant = stage.rig.plant
            plant.take()
            stage.until("stack_started", 10000, then_ms=wait_ms)
            landed = len(plant.tray)
            plant.litter(1)
            stage.run(5000)
            check_stage(stage)
            if landed == 0:
                assert len(sizes(stage)) == 1, (kind, wait_ms)


def test_a_card_that_a_hand_puts_into_the_tray_before_the_first_one_falls_never_becomes_part_of_a_stack():
    """At every millisecond up to 2 before: closer to its fall than that a bouncing beam may look the same."""
    for kind, size in (("shoe", 1), ("shoe", 4), ("carousel", 1)):
        stage = second_stack(kind, size)
        start_us = stage.rig.plant.now_us
        while not stage.rig.plant.tray:
            stage.run(1)
        fell_ms = (stage.rig.plant.now_us - start_us) // 1000
        for wait_ms in range(fell_ms - 7, fell_ms - 2):
            stage = second_stack(kind, size)
            stage.run(wait_ms)
            assert not stage.rig.plant.tray
            stage.rig.plant.litter(1)
            stage.run(2000)
            check_stage(stage)
            assert len(sizes(stage)) == 1, (kind, size, wait_ms, fell_ms)


def second_stack(kind, size):
    """A machine that has just begun a stack, with an empty tray."""
    stage = dealing(kind, stack_cards=size)
    stage.until("stack_offered", 10000, then_ms=300)
    stage.rig.plant.take()
    stage.until("stack_started", 10000)
    return stage


def test_a_card_that_never_lands_is_not_offered():
    for kind in DEALERS:
        spec = {"fault": "tray_slow", "us": 3000000}
        stage = dealing(kind, stack_cards=1, specs=(spec,))
        assert warned(stage) == FAULT_JAM_EXIT
        assert "stack_offered" not in stage.names()
        assert stage.rig.app.flow.ledger.zone[TRAY] == 1
