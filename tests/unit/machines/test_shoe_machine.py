"""Stacks of every size by motor, from a carousel and a shoe: each one whole, alone in the tray, and taken whole."""

from support import check_stage, fields_of
from tables import clear_by_hand, faults, insert, set_up, small_board, warned

from firmware.deck.ledger import DEALT, RELEASED, TRAY
from firmware.fault import FAULT_JAM_EXIT, FAULT_JAM_THROAT, FAULT_MISMATCH, FAULT_STACK
from firmware.games.flow import STACK_OFFERED, WAITING_FOR_DECK, WAITING_FOR_GREEN
from hal.sim.oracle import CardCounts

DEALERS = ("carousel", "shoe")
READY = {"carousel": "deck_verified", "shoe": "deck_loaded"}


def dealing(kind, cards=10, loaded=0, seats=0, config=None, specs=(), **game):
    """A deck inside, the seats set, betting closed."""
    stage = insert(faults(set_up(kind, cards, config=config, **game), *specs), loaded or cards)
    stage.until(READY[kind], 60000)
    stage.play([("", 200, "press", "seat") for _ in range(seats)] + [("", 300, "press", "close")])
    return stage


def finish(stage):
    """Green, the remainder taken, green: the end of the round."""
    stage.play([("", 300, "press", "green"), ("remainder_released", 300, "take", 0)])
    stage.play([("remainder_taken", 300, "press", "green"), ("round_ended", 300, "wait", 0)])
    check_stage(stage)


def sizes(stage):
    return [fields[1] for fields in fields_of(stage, "stack_offered")]


def test_stacks_of_one_to_five_for_three_players_and_the_dealer():
    for kind in DEALERS:
        for size in (1, 2, 3, 4, 5):
            config = small_board(kind, slot_count=24) if kind == "carousel" else None
            stage = dealing(kind, 22, seats=3, config=config, stack_cards=size)
            for _ in range(4):
                stage.play([("stack_offered", 300, "take", 0)])
            stage.run(500)
            assert stage.rig.app.flow.state == WAITING_FOR_GREEN
            finish(stage)
            assert sizes(stage) == [size] * 4
            assert [len(cards) for cards in stage.taken] == [size] * 4 + [22 - 4 * size]
            assert fields_of(stage, "round_ended") == [[4, 4 * size, 22 - 4 * size]]
            assert sorted([card for cards in stage.taken for card in cards]) == list(range(22))


def test_the_last_stack_may_be_another_size():
    for kind in DEALERS:
        stage = dealing(kind, seats=2, stack_cards=3, last_cards=1)
        for _ in range(3):
            stage.play([("stack_offered", 300, "take", 0)])
        finish(stage)
        assert sizes(stage) == [3, 3, 1]


def test_a_programmed_deal_gives_its_stacks_and_no_others():
    for kind in DEALERS:
        stage = dealing(kind, plan=[1, 1, 1, 4])
        for _ in range(4):
            stage.play([("stack_offered", 300, "take", 0)])
        stage.run(5000)
        assert stage.rig.app.flow.state == WAITING_FOR_GREEN
        assert sizes(stage) == [1, 1, 1, 4]
        assert fields_of(stage, "stack_started") == [[1, 1], [2, 1], [3, 1], [4, 4]]
        finish(stage)
        assert fields_of(stage, "round_ended") == [[4, 7, 3]]


def test_a_shoe_deals_in_the_order_of_its_hopper():
    stage = dealing("shoe", stack_cards=3)
    for _ in range(2):
        stage.play([("stack_offered", 300, "take", 0)])
    assert stage.taken == [[9, 8, 7], [6, 5, 4]]


def test_taking_a_part_of_a_stack_is_not_taking_it():
    for kind in DEALERS:
        stage = dealing(kind, stack_cards=4)
        stage.until("stack_offered", 10000)
        plant = stage.rig.plant
        for _ in range(3):
            stage.run(1000)
            plant.take(1)
        stage.run(3000)
        assert stage.rig.app.flow.state == STACK_OFFERED
        assert "stack_taken" not in stage.names()
        assert len(sizes(stage)) == 1
        plant.take(1)
        stage.until("stack_offered", 10000)
        assert fields_of(stage, "stack_taken") == [[1, 4]]
        check_stage(stage)


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


def test_a_short_or_long_shoe_is_found_when_the_rest_comes_out():
    for loaded in (9, 11):
        stage = dealing("shoe", 10, loaded, stack_cards=3)
        stage.play([("stack_offered", 300, "take", 0), ("stack_offered", 300, "press", "green")])
        assert warned(stage) == FAULT_MISMATCH
        assert fields_of(stage, "deck_refused") == [[10, loaded, loaded]]
        assert fields_of(stage, "round_voided") == [[FAULT_MISMATCH, 1, 3, loaded - 3]]
        for name in ("remainder_released", "round_ended"):
            assert name not in stage.names()
        stage.play([("", 300, "press", "ack"), ("deck_removed", 300, "take", 0), ("warning_cleared", 300, "wait", 0)])
        check_stage(stage)
        assert stage.rig.app.flow.state == WAITING_FOR_DECK


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


def test_a_hopper_that_runs_empty_in_mid_stack_voids_the_round():
    stage = dealing("shoe", 10, 5, stack_cards=4)
    stage.play([("stack_offered", 300, "take", 0)])
    assert warned(stage) == FAULT_STACK
    assert fields_of(stage, "round_voided") == [[FAULT_STACK, 1, 4, 6]]
    assert len(sizes(stage)) == 1
    clear_by_hand(stage)
    insert(stage, 10)
    stage.play([("deck_loaded", 300, "press", "close"), ("stack_offered", 300, "take", 0)])
    check_stage(stage)


def test_litter_in_the_tray_before_a_stack_keeps_it_waiting():
    for kind in DEALERS:
        stage = insert(set_up(kind, 10, stack_cards=3), 10)
        stage.until(READY[kind], 60000, then_ms=300)
        stage.rig.plant.litter(1)
        stage.play([("", 300, "press", "close"), ("", 5000, "wait", 0)])
        assert "stack_offered" not in stage.names()
        # A press that came too early does not count when the obstacle is gone.
        stage.play([("", 0, "take", 0), ("", 2000, "wait", 0)])
        assert "round_started" not in stage.names()
        stage.play([("", 300, "press", "close"), ("stack_offered", 300, "take", 0)])
        assert len(stage.taken[-1]) == 3
        check_stage(stage)


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


def test_a_hand_that_empties_the_tray_while_cards_still_come_spoils_the_stack():
    for kind in DEALERS:
        stage = dealing(kind, stack_cards=5)
        plant = stage.rig.plant
        while len(plant.tray) < 2:
            stage.run(5)
        stage.run(10)
        plant.take()
        assert warned(stage) == FAULT_STACK
        assert "stack_offered" not in stage.names()
        assert fields_of(stage, "round_voided")[0][0] == FAULT_STACK


def test_a_tray_that_was_not_emptied_joins_the_remainder_and_nothing_else():
    for kind in DEALERS:
        stage = dealing(kind, stack_cards=4)
        stage.play([("stack_offered", 300, "take", 0), ("stack_offered", 300, "press", "green")])
        stage.play([("remainder_released", 300, "take", 0), ("remainder_taken", 300, "press", "green")])
        stage.until("round_ended", 5000)
        check_stage(stage)
        assert fields_of(stage, "remainder_released") == [[6, 6]]
        assert len(stage.taken[-1]) == 6
        assert stage.rig.app.flow.ledger.zone[RELEASED] == 6


def test_misfeeds_of_a_shoe_are_told_with_the_stack_they_belong_to():
    specs = ({"fault": "misfeed", "card": 1, "times": 2}, {"fault": "misfeed", "card": 4, "times": 1})
    stage = dealing("shoe", stack_cards=3, specs=specs)
    for _ in range(3):
        stage.play([("stack_offered", 300, "take", 0)])
    assert fields_of(stage, "stack_offered") == [[1, 3, 2, 0], [2, 3, 1, 0], [3, 3, 0, 0]]


def test_a_jam_in_mid_stack_voids_the_round_and_the_shoe_comes_back():
    for place, at_um, fault in (("throat", 60000, FAULT_JAM_THROAT), ("exit", 140000, FAULT_JAM_EXIT)):
        spec = {"fault": "jam", "place": place, "at_um": at_um, "card": 4}
        stage = dealing("shoe", stack_cards=3, specs=(spec,))
        stage.play([("stack_offered", 300, "take", 0)])
        assert warned(stage) == fault
        assert fields_of(stage, "round_voided")[0][:3] == [fault, 1, 3]
        clear_by_hand(stage)
        assert CardCounts(stage.rig.plant).out == 10
        insert(stage, 10)
        stage.play([("deck_loaded", 300, "press", "close"), ("stack_offered", 300, "take", 0)])
        check_stage(stage)


def test_a_card_that_never_lands_is_not_offered():
    for kind in DEALERS:
        spec = {"fault": "tray_slow", "us": 3000000}
        stage = dealing(kind, stack_cards=1, specs=(spec,))
        assert warned(stage) == FAULT_JAM_EXIT
        assert "stack_offered" not in stage.names()
        assert stage.rig.app.flow.ledger.zone[TRAY] == 1
