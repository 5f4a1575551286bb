"""A dealer draws by hand: every card counted once, a card that goes back not at all, two at once never unnoticed."""

from support import check_stage, fields_of, lock_decide
from tables import faults, insert, set_up, warned

from firmware import fault as codes
from firmware.deck.ledger import DEALT, DISCARDED, HOPPER

A_UM, B_UM, CARD_UM = 15000, 27000, 88900


def loaded(cards=10, put_in=0, cut_at=-1, config=None, specs=()):
    """A shoe of so many cards, started."""
    stage = faults(set_up("draw", cards, config=config), *specs)
    stage.run(300)
    stage.rig.plant.load(list(range(put_in or cards)), cut_at)
    stage.play([("", 300, "press", "green"), ("deck_loaded", 300, "wait", 0)])
    return stage


def playing(**options):
    """In a round."""
    stage = loaded(**options)
    stage.play([("", 300, "press", "close"), ("round_started", 300, "wait", 0)])
    return stage


def draw(stage, times=1, ms=150):
    hand = stage.rig.plant.hand
    for _ in range(times):
        assert hand.draw(ms)
        stage.run(ms + ms // 10 + 60)
    return stage


def counted(stage):
    """Cards by the facts: dealt, burned, still expected in the shoe."""
    zone = stage.rig.app.flow.ledger.zone
    return zone[DEALT], zone[DISCARDED], zone[HOPPER]


def end_round(stage):
    stage.play([("", 300, "press", "green"), ("round_ended", 300, "wait", 0)])


def test_every_card_drawn_is_counted_once_at_any_speed():
    for ms in (40, 80, 150, 400, 1500, 2500):
        stage = draw(playing(), 4, ms)
        check_stage(stage)
        assert counted(stage) == (4, 0, 6), ms
        end_round(stage)
        assert fields_of(stage, "round_ended") == [[0, 4, 6]]


def test_cards_drawn_in_quick_succession_are_all_counted():
    stage = playing()
    plant = stage.rig.plant
    for _ in range(9):
        assert plant.hand.draw(60)
        while plant.hand.bodies:
            stage.run(1)
    stage.run(20)
    assert counted(stage) == (9, 0, 1)


def test_a_card_pulled_back_is_not_counted_wherever_it_turned():
    """From before the first beam until its end leaves it, at both beams and in between."""
    for um in (10000, A_UM, 20000, B_UM, B_UM + 1, 60000, A_UM + CARD_UM - 1):
        stage = draw(playing(), 2)
        for ms in (100, 400):
            assert stage.rig.plant.hand.draw_back(um, ms)
            stage.run(2 * ms + 200)
            assert counted(stage) == (2, 0, 8), (um, ms)
        draw(stage)
        assert counted(stage) == (3, 0, 7), um
        check_stage(stage)


def test_a_card_that_was_nearly_out_and_goes_back_stops_the_game():
    """The beams show the same for a second card close behind the first: the number drawn is unknown."""
    for um in (A_UM + CARD_UM + 4000, B_UM + CARD_UM - 1):
        stage = draw(playing(), 2)
        assert stage.rig.plant.hand.draw_back(um, 400)
        stage.until("warning_latched", 2000)
        assert fields_of(stage, "warning_latched") == [[codes.FAULT_DOUBLE_FEED, 2, 0]]
        stage.until("round_voided", 1000)


def test_a_card_pulled_back_long_after_the_last_one_is_not_counted():
    """Times wrap after 18 minutes: a card that left the first beam long ago must not look as if it just had."""
    for minutes in (9, 12, 18):
        stage = draw(playing())
        stage.run(minutes * 60000)
        assert stage.rig.plant.hand.draw_back(60000, 200)
        stage.run(1000)
        assert counted(stage) == (1, 0, 9), minutes
        draw(stage)
        assert counted(stage) == (2, 0, 8), minutes


def test_a_card_that_hesitates_at_the_mouth_and_then_comes_is_counted_once():
    stage = playing()
    hand = stage.rig.plant.hand
    for um in (20000, 50000, A_UM + CARD_UM + 2000):
        hand.hold(um, 100)
        stage.run(1000)
        assert hand.held
        hand.draw(100)
        stage.run(300)
    assert counted(stage) == (3, 0, 7)
    check_stage(stage)


def test_two_at_once_stop_the_game():
    for offset_um in (0, 1000, 10000, 40000, 80000):
        stage = draw(playing(), 2)
        stage.rig.plant.hand.draw_two(200, offset_um)
        assert warned(stage) == codes.FAULT_DOUBLE_FEED, offset_um
        assert fields_of(stage, "round_voided")[0][0] == codes.FAULT_DOUBLE_FEED


def test_a_cut_card_shown_and_put_back_is_told_when_it_comes_for_good():
    stage = draw(playing(cut_at=2), 2)
    stage.rig.plant.hand.draw_back(60000, 200)
    stage.run(800)
    assert "cut_reached" not in stage.names()
    draw(stage)
    stage.until("cut_reached", 1000)
    draw(stage)
    assert counted(stage) == (3, 0, 7)


def test_a_cut_card_that_was_put_back_does_not_hide_the_next_card():
    """It may be pushed back and another card drawn over it: that one counts."""
    stage = draw(playing(cut_at=2), 2)
    hand = stage.rig.plant.hand
    hand.draw_back(60000, 200)
    stage.run(800)
    hopper = stage.rig.plant.hopper
    hopper.insert(0, hopper.pop())  # the cut card goes to the far end
    draw(stage)
    assert counted(stage) == (3, 0, 7)
    assert "cut_reached" not in stage.names()


def test_a_long_shoe_whose_last_round_ended_in_time_is_found_too():
    stage = draw(playing(put_in=11), 10)
    end_round(stage)
    draw(stage, 1)
    assert warned(stage) == codes.FAULT_MISMATCH


def test_a_beam_that_goes_blind_in_a_shoe_is_found_at_the_latest_when_the_shoe_is_empty():
    for name, fault in (("throat_a", codes.FAULT_BEAM), ("throat_b", codes.FAULT_MISMATCH)):
        stage = draw(playing(), 3)
        faults(stage, {"fault": "beam_blind", "line": name})
        draw(stage, 7)
        assert warned(stage) == fault, name
    stage = playing()
    faults(stage, {"fault": "beam_stuck", "line": "throat_b", "level": 1})
    assert warned(stage) == codes.FAULT_JAM_THROAT


def test_a_blind_beam_is_found_before_a_shoe_is_used():
    for name in ("hopper", "throat_a", "throat_b", "opacity", "cut"):
        stage = insert(set_up("draw", 10), 10)
        stage.until("deck_loaded", 1000)
        stage.rig.plant.lift()
        assert warned(stage) == codes.FAULT_MISMATCH
        stage.play([("", 300, "press", "ack"), ("warning_cleared", 300, "wait", 0)])
        faults(stage, {"fault": "beam_blind", "line": name, "from_ms": stage.rig.plant.now_us // 1000 + 901})
        stage.rig.plant.load(list(range(10)))
        stage.run(900)
        stage.act("press", {"button": "green"})
        assert warned(stage) == codes.FAULT_BEAM, name


def test_drawing_allocates_nothing():
    stage = loaded(cut_at=3)
    lock_decide(stage.rig.app)
    stage.play([("", 300, "press", "close"), ("round_started", 300, "wait", 0)])
    draw(stage, 6)
    stage.rig.plant.hand.draw_back(60000, 100)
    stage.run(500)
    end_round(stage)
    assert counted(stage) == (5, 0, 5)
