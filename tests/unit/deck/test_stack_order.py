"""The order inside a stack is part of the outcome: what lies in the tray is the deck's order, card by card."""

from game_tables import Table
from tables import deck_in_order, drawn_order

from rig import stories


def stacks_of(game, positions, confirm):
    table = Table(game, seed=11)
    stage = table.stage
    stage.play([("", 300, "load", 52)])
    stage.act("press", {"button": "green"})
    order = drawn_order(stage)
    stage.play([("deck_verified", 300, "wait", 0)] + stories.seats(positions) + [("", 300, "press", "close")])
    if confirm:
        stage.play([("round_started", 300, "press", "lock")])
    for _ in range(positions + 1):
        stage.play([("stack_offered", 300, "take", 0)])
    return stage.taken, deck_in_order(stage, order)


def test_a_deck_that_is_handed_out_comes_to_the_table_in_its_order():
    """Dealt from a manual shoe or from the hand, the cards come in the order that was drawn.

    Proves: B5-9g (manual, hand)"""
    for dealing in ("manual", "hand"):
        table = Table("boston-5-stud", table={"dealing": dealing}, seed=11)
        stage = table.stage
        stage.play([("", 300, "load", 52)])
        stage.act("press", {"button": "green"})
        order = drawn_order(stage)
        stage.play([("deck_verified", 300, "press", "green"), ("remainder_released", 300, "take", 0)])
        assert stage.taken == [deck_in_order(stage, order)], dealing


def test_stacks_come_to_the_table_in_the_order_of_the_deck():
    """Nothing is turned over or mixed on the way: the lowest card of a stack is known when it is taken.

    Proves: CS-9h, B5-9g (automated)"""
    for game, size, confirm in (("caribbean-stud", 5, True), ("boston-5-stud", 3, False)):
        taken, deck = stacks_of(game, 2, confirm)
        assert [len(stack) for stack in taken] == [size] * 3
        assert [card for stack in taken for card in stack] == deck[: 3 * size], game
