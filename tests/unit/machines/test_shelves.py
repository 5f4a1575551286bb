"""Shelves: the pile handed out lies in exactly the order drawn, whatever happened on the way, or is not handed out."""

from support import SLOW, board, check_stage, fields_of, lock_decide
from tables import clear_by_hand, deck_in_order, drawn_order, faults, insert, set_up, small_board, warned
from test_radix import permutations, scrambled

from firmware import fault
from firmware.deck.ledger import RELEASED, STORE
from firmware.games.flow import DECK_HELD, WAITING_FOR_DECK
from firmware.protocol import ids
from hal.sim.oracle import CardCounts


def begun(cards, feed="bottom", shelves=4, order=None, specs=(), config=None):
    """A shuffle under way, and the order that it has to give: the one drawn, or this one."""
    stage = set_up("shelves", cards, config=config or small_board("shelves", feed=feed, shelf_count=shelves))
    faults(stage, *specs)
    stage.play([("", 300, "load", cards)])
    stage.act("press", {"button": "green"})
    drawn = drawn_order(stage)
    if order is not None:
        for i in range(cards):
            stage.rig.app.order[i] = order[i]
        drawn = order
    return stage, drawn


def handed_out(stage):
    """Ask for the deck, and take it: bottom to top."""
    stage.until("deck_verified", 400000)
    stage.play([("", 300, "press", "green"), ("remainder_released", 300, "take", 0)])
    stage.until("remainder_taken", 5000)
    check_stage(stage)
    return stage.taken[-1]


def exact(cards, feed="bottom", shelves=4, order=None, specs=(), config=None):
    stage, drawn = begun(cards, feed, shelves, order, specs, config)
    assert handed_out(stage) == deck_in_order(stage, drawn), (cards, feed, shelves, drawn)
    return stage


def test_every_order_of_four_cards_in_one_and_in_two_passes():
    for feed in ("bottom", "top"):
        for order in permutations(4)[:: 8 if SLOW else 1]:
            exact(4, feed, 4, order)
            exact(4, feed, 2, order)


def test_one_two_and_three_passes_from_either_hopper():
    for feed in ("bottom", "top"):
        for cards, shelves, passes in ((1, 4, 1), (5, 6, 1), (9, 4, 2), (16, 4, 2), (7, 2, 3), (20, 3, 3), (27, 3, 3)):
            stage = exact(cards, feed, shelves)
            assert stage.rig.app.flow.machine.radix.passes == passes
            assert fields_of(stage, "deck_verified") == [[cards, cards, 0, 0]]
            assert fields_of(stage, "remainder_released") == [[cards, cards]]


def test_orders_that_leave_shelves_untouched_or_fill_them_in_turn():
    for order in (list(range(12)), list(range(11, -1, -1)), list(range(6, 12)) + list(range(6)), scrambled(12, 1)):
        for feed in ("bottom", "top"):
            exact(12, feed, 4, order)


def test_the_reference_board_puts_384_cards_in_the_order_drawn():
    stage = exact(384, config=board("shelves"))
    assert fields_of(stage, "deck_verified") == [[384, 384, 0, 0]]


def test_misfeeds_and_stalls_in_any_pass_do_not_change_the_order():
    specs = (
        {"fault": "misfeed", "ppm": 100000},
        {"fault": "stall", "place": "throat", "at_um": 52000, "ppm": 80000},
        {"fault": "stall", "place": "mouth", "at_um": 70000, "jogs": 2, "ppm": 80000},
    )
    for feed in ("bottom", "top"):
        stage = exact(27, feed, 3, None, specs)
        _counted, _second, misfeeds, stalls = fields_of(stage, "deck_verified")[0]
        assert misfeeds and stalls


def test_nothing_is_left_of_the_order_and_the_ledger_adds_up():
    stage, _drawn = begun(9)
    stage.until("deck_verified", 100000)
    machine = stage.rig.app.flow.machine
    assert not any(stage.rig.app.order) and not any(machine.spare)
    assert stage.rig.app.flow.state == DECK_HELD
    assert stage.rig.app.flow.ledger.zone[STORE] == 9
    stage.play([("", 300, "press", "green"), ("remainder_released", 300, "take", 0)])
    stage.until("remainder_taken", 5000)
    assert stage.rig.app.flow.ledger.zone[RELEASED] == 9
    assert stage.rig.app.flow.state == WAITING_FOR_DECK


def test_two_decks_one_after_the_other():
    stage, drawn = begun(9)
    assert handed_out(stage) == deck_in_order(stage, drawn)
    stage.play([("", 300, "load", 9), ("", 300, "wait", 0)])
    stage.act("press", {"button": "green"})
    again = drawn_order(stage)
    assert again != drawn
    assert handed_out(stage) == deck_in_order(stage, again)


def test_a_shuffle_allocates_nothing():
    stage = set_up("shelves", 9)
    lock_decide(stage.rig.app)
    insert(stage, 9)
    handed_out(stage)


def test_a_deck_that_no_plan_fits_is_refused_before_a_card_moves():
    stage = insert(set_up("shelves", 24, config=small_board("shelves", shelf_cards_max=8)), 24)
    assert warned(stage) == fault.FAULT_MISMATCH
    assert len(stage.rig.plant.hopper) == 24


def jammed(card, number, at_um=60000):
    """A jam in pass `number`, from 0: the operator takes out what is in the hopper and the throat, nothing else."""
    stage, _drawn = begun(9)
    plant = stage.rig.plant
    while plant.loads <= number:
        stage.run(20)
    plant.throat.picked = 0
    faults(stage, {"fault": "jam", "place": "throat", "card": card, "at_um": at_um})
    assert warned(stage) == fault.FAULT_JAM_THROAT
    plant.repair()
    stage.play([("", 300, "open", 0)])
    by_hand = plant.lift() + plant.throat.clear(plant.now_us)
    plant.hand_out(by_hand[-1:])
    stage.play([("", 300, "close", 0), ("", 300, "press", "ack")])
    return stage, by_hand


def test_what_lies_on_the_shelves_after_a_jam_is_put_out_by_the_machine():
    for number in (0, 1):
        for card in (1, 5, 8):
            stage, by_hand = jammed(card, number)
            stage.until("deck_removed", 60000)
            stage.play([("", 300, "take", 0), ("warning_cleared", 300, "wait", 0)])
            check_stage(stage)
            assert sorted(by_hand + stage.taken[-1]) == list(range(9)), (number, card)
            assert fields_of(stage, "warning_cleared") == [[fault.FAULT_JAM_THROAT]]
            insert(stage, 9)
            handed_out(stage)


def test_power_lost_in_any_part_of_a_shuffle_leaves_nothing_behind():
    for wait_ms in (300, 1500, 3000, 4500, 6000, 7500, 9000):
        stage, _drawn = begun(9)
        stage.play([("", wait_ms, "cut", 0), ("", 1000, "boot", 0)])
        assert warned(stage) == fault.FAULT_POWER
        assert fields_of(stage, "power_lost") == [[ids.EV_SHUFFLE_STARTED, 0]]
        clear_by_hand(stage)
        check_stage(stage)
        assert CardCounts(stage.rig.plant).out == 9
        assert "deck_verified" not in stage.names()


def pass_over(stage):
    """Run until the first packet of the first pass has dropped into the tray."""
    plant = stage.rig.plant
    while not plant.tray:
        stage.run(5)
    stage.run(10)
    return plant


def released(stage):
    """The deck is asked for, and about to come."""
    stage.until("deck_verified", 100000, then_ms=300)
    plant = stage.rig.plant
    stage.act("press", {"button": "green"})
    stage.until("release_started", 1000)
    return plant


def test_a_hand_in_the_tray_while_the_deck_is_handed_out_makes_it_no_good():
    stage, _drawn = begun(9)
    plant = released(stage)
    pass_over(stage)
    plant.take()
    assert warned(stage) == fault.FAULT_STACK
    assert "remainder_released" not in stage.names()
    assert fields_of(stage, "release_failed") == [[fault.FAULT_STACK]]
    stage, _drawn = begun(9)
    released(stage).litter(1)
    assert warned(stage) == fault.FAULT_STACK
    assert "remainder_released" not in stage.names()


def test_an_elevator_that_slips_by_a_shelf_never_gives_a_verified_deck_in_another_order():
    for move in range(1, 20, 6 if SLOW else 1):
        stage, drawn = begun(9)
        faults(stage, {"fault": "axis_slip", "move": stage.rig.plant.axis.moves + move, "thousandths": 1000})
        stage.run(70000)
        if "deck_verified" in stage.names():
            stage.play([("", 300, "press", "green"), ("", 5000, "take", 0)])
            assert "remainder_released" not in stage.names() or stage.taken[-1] == deck_in_order(stage, drawn), move
