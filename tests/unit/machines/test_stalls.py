"""A card that stops is moved back and tried again, a bounded number of times; then it is a jam. Counts stay right."""

from support import SLOW, check_stage, fields_of, lock_decide
from tables import clear_by_hand, deck_in_order, deck_inside, drawn_order, faults, insert, set_up, small_board, warned

from firmware.deck.ledger import TRAY
from firmware.fault import FAULT_JAM_THROAT, FAULT_MISFEED
from firmware.games.table_facts import TURN
from firmware.image import OUT_PICK, OUT_TRANSPORT
from hal.sim.oracle import stopped_us

CARDS = 6
STOPPED_US_MAX = 160000  # a roller may turn on a card that stands still for so long: slip and latency at their worst


def stall(at_um, jogs=1, card=2, place="throat"):
    return {"fault": "stall", "place": place, "at_um": at_um, "jogs": jogs, "card": card}


def shuffled(kind, *specs):
    """Take a deck in with these faults; what the host received, and whether it lies as drawn."""
    stage = faults(set_up(kind, CARDS, config=small_board(kind, shelf_count=6)), *specs)
    stage.play([("", 300, "load", CARDS)])
    stage.act("press", {"button": "green"})
    order = drawn_order(stage)
    until_verified(stage)
    check_stage(stage)
    assert deck_inside(stage) == deck_in_order(stage, order), specs
    return fields_of(stage, "deck_verified")[0]


def until_verified(stage):
    """In small steps while cards go in: no roller grinds on one."""
    plant = stage.rig.plant
    for _ in range(600):
        stage.run(5)
        for output in (OUT_PICK, OUT_TRANSPORT):
            assert stopped_us(plant, output) <= STOPPED_US_MAX
    stage.until("deck_verified", 90000)


def test_a_stall_anywhere_in_the_throat_is_freed_with_the_count_and_the_order_intact():
    for kind in ("carousel", "shelves"):
        for at_um in range(38000, 131000, 12000 if SLOW else 4000):
            jogs = 1 + at_um // 4000 % 2
            assert shuffled(kind, stall(at_um, jogs)) == [CARDS, CARDS, 0, 1], (kind, at_um, jogs)


def test_a_stall_at_the_very_beams_and_at_the_nip_is_freed():
    for at_um in (36000, 36001, 44999, 45000, 45001, 46999, 47000, 88899, 88900, 124899, 124900, 133899):
        assert shuffled("carousel", stall(at_um)) == [CARDS, CARDS, 0, 1], at_um


def test_a_stall_in_the_mouth_is_freed():
    for kind in ("carousel", "shelves"):
        for at_um in (0, 1000, 30000, 60000, 88000):
            for jogs in (2,) if SLOW else (1, 2):
                assert shuffled(kind, stall(at_um, jogs, place="mouth")) == [CARDS, CARDS, 0, 1], (kind, at_um, jogs)


def test_the_first_and_the_last_card_and_several_in_a_row():
    assert shuffled("carousel", stall(60000, card=0), stall(60000, card=CARDS - 1))[2:] == [0, 2]
    every = [stall(40000 + 15000 * card, 1 + card % 2, card) for card in range(CARDS)]
    assert shuffled("carousel", *every) == [CARDS, CARDS, 0, CARDS]
    assert shuffled("shelves", *every) == [CARDS, CARDS, 0, CARDS]


def test_stalls_and_misfeeds_of_one_card_are_both_counted():
    misfeed = {"fault": "misfeed", "card": 2, "times": 2}
    assert shuffled("carousel", misfeed, stall(60000)) == [CARDS, CARDS, 2, 1]


def test_a_card_of_the_other_deck_that_is_moved_back_has_shown_its_back_once():
    """It passes the back sensor on each of its ways; the one before the jog does not count, nor is it missed."""
    for at_um in range(38000, 131000, 31000 if SLOW else 8000):
        config = small_board("carousel")
        config["inputs"]["back"] = 28
        config["table"] = {"decks": 2}
        stage = faults(set_up("carousel", CARDS, config=config), stall(at_um))
        stage.rig.app.flow.facts.row[TURN] = 2
        stage.play([("", 300, "load", 0)])
        stage.act("load", {"cards": CARDS, "deck": 2})
        stage.act("press", {"button": "green"})
        until_verified(stage)
        check_stage(stage)
        assert fields_of(stage, "deck_verified")[0] == [CARDS, CARDS, 0, 1], at_um


def test_a_third_jog_does_not_come():
    for kind in ("carousel", "shelves", "shoe"):
        for at_um in (38000, 60000, 110000, 130000):
            stage = stopped(kind, stall(at_um, 3))
            assert warned(stage) == FAULT_JAM_THROAT, (kind, at_um)
            assert "deck_verified" not in stage.names() and "stack_offered" not in stage.names()
            clear_by_hand(stage)


def stopped(kind, *specs):
    stage = insert(faults(set_up(kind, CARDS, stack_cards=4), *specs), CARDS)
    if kind == "shoe":
        stage.play([("deck_loaded", 300, "press", "close")])
    return stage


def test_a_jam_is_given_up_after_the_jogs_and_never_ground_on():
    for at_um in (38000, 60000, 110000, 130000):
        stage = stopped("carousel", {"fault": "jam", "place": "throat", "at_um": at_um, "card": 2})
        plant = stage.rig.plant
        while "warning_latched" not in stage.names():
            stage.run(1)
            for output in (OUT_PICK, OUT_TRANSPORT):
                assert stopped_us(plant, output) <= STOPPED_US_MAX, at_um
        assert fields_of(stage, "shuffle_failed") == [[FAULT_JAM_THROAT]]
        assert not any(plant.outputs)


def test_a_stall_before_the_first_beam_is_a_misfeed():
    for at_um in (20000, 35999):
        assert warned(stopped("carousel", stall(at_um))) == FAULT_MISFEED


def test_a_board_that_cannot_turn_back_calls_every_stop_a_jam():
    config = small_board("carousel")
    del config["outputs"]["reverse"]
    stage = insert(faults(set_up("carousel", CARDS, config=config), stall(60000)), CARDS)
    assert warned(stage) == FAULT_JAM_THROAT
    # As does a house that has set the number of jogs to none.
    stage = set_up("carousel", CARDS, config=small_board("carousel", jog_max=0))
    insert(faults(stage, stall(60000)), CARDS)
    assert warned(stage) == FAULT_JAM_THROAT


def test_a_shoe_frees_a_stall_and_tells_it_with_the_stack():
    for at_um in (38000, 60000, 90000, 110000, 130000):
        for jogs in (1, 2):
            stage = stopped("shoe", stall(at_um, jogs))
            stage.until("stack_offered", 60000)
            check_stage(stage)
            assert fields_of(stage, "stack_offered") == [[1, 4, 0, 1]], (at_um, jogs)
            assert stage.rig.app.flow.ledger.zone[TRAY] == 4
            assert stage.rig.plant.tray == [5, 4, 3, 2]


def test_a_recognised_card_that_stalls_is_still_one_good_card():
    for at_um in (40000, 45500, 60000, 110000, 130000):
        config = small_board("carousel", slot_count=54)
        config["sensors"] = {"recognition": True}
        stage = insert(faults(set_up("carousel", 52, config=config), stall(at_um, card=20)), 52)
        stage.until("deck_verified", 60000)
        assert fields_of(stage, "deck_verified") == [[52, 52, 0, 1]]


def test_a_stall_is_freed_without_allocating():
    stage = set_up("carousel", CARDS)
    lock_decide(stage.rig.app)
    insert(faults(stage, stall(40000, 2, 1), stall(100000, 1, 3)), CARDS)
    stage.until("deck_verified", 60000)
    assert fields_of(stage, "deck_verified") == [[CARDS, CARDS, 0, 2]]
