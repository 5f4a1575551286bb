"""A draw shoe in a dealer's hand: cards pulled, held, let go, two at once, and the cut card."""

from plants import level, machine, names, run

from hal.sim.chassis import CUT_CARD
from hal.sim.oracle import CardCounts, is_moving


def shoe(*cards, cut_at=-1, **changes):
    plant = machine("draw", **changes)
    plant.load(list(cards), cut_at)
    run(plant, 1)
    return plant


def test_a_drawn_card_passes_both_beams_at_the_speed_of_the_hand():
    for ms in (100, 400):
        plant = shoe(1, 2)
        assert plant.hand.draw(ms)
        edges = run(plant, ms + 10)
        assert names(edges) == [("throat_a", 1), ("throat_b", 1), ("throat_a", 0), ("throat_b", 0)]
        assert abs(edges[-1][2] - 1000 - ms * 1000) <= ms * 10
        assert plant.hand.drawn == [2] and CardCounts(plant).out == 1 and CardCounts(plant).total() == 2


def test_a_hand_draws_one_after_the_other_and_not_two_at_a_time():
    plant = shoe(1, 2)
    assert plant.hand.draw(200)
    run(plant, 50)
    assert not plant.hand.draw(200)
    run(plant, 200)
    assert plant.hand.draw(200)
    assert level(plant, "hopper") == 0
    run(plant, 250)
    assert plant.hand.drawn == [2, 1]
    assert not plant.hand.draw(200)


def test_a_card_pulled_part_way_and_let_go_is_back_on_the_pile():
    plant = shoe(1, 2)
    assert plant.hand.draw_back(50000, 100)
    edges = names(run(plant, 250))
    assert edges == [("throat_a", 1), ("throat_b", 1), ("throat_b", 0), ("throat_a", 0)]
    assert plant.hopper == [1, 2] and plant.hand.drawn == []


def test_a_held_card_stays_until_it_is_drawn_or_let_go():
    plant = shoe(1)
    assert plant.hand.hold(60000, 100)
    run(plant, 5000)
    assert (level(plant, "throat_a"), level(plant, "throat_b"), level(plant, "hopper")) == (1, 1, 0)
    assert not is_moving(plant) and CardCounts(plant).path == 1
    assert plant.hand.let_go(100)
    run(plant, 150)
    assert plant.hopper == [1] and level(plant, "hopper") == 1
    plant.hand.hold(60000, 100)
    run(plant, 150)
    assert plant.hand.draw(100)
    run(plant, 150)
    assert plant.hand.drawn == [1]


def test_two_cards_drawn_at_once_are_thick():
    plant = shoe(1, 2, 3)
    assert plant.hand.draw_two(200)
    assert ("opacity", 1) in names(run(plant, 250))
    assert plant.hand.drawn == [3, 2]
    plant = shoe(1, 2, 3)
    plant.hand.draw_two(200, 20000)
    edges = names(run(plant, 250))
    assert edges == [
        ("throat_a", 1), ("throat_b", 1), ("opacity", 1), ("opacity", 0), ("throat_a", 0), ("throat_b", 0)
    ]  # fmt: skip


def test_the_cut_card_comes_after_so_many_and_shows_while_it_is_over_throat_a():
    for feed in ("top", "bottom"):
        plant = shoe(*range(10), cut_at=3, feed=feed)
        seen = []
        for _ in range(5):
            plant.hand.draw(200)
            seen.append(("cut", 1) in names(run(plant, 250)))
        assert seen == [False, False, False, True, False]
        assert plant.hand.drawn[3] == CUT_CARD
        assert CardCounts(plant).out == 4 and CardCounts(plant).hopper == 6 and CardCounts(plant).total() == 10


def test_the_cut_card_is_in_the_pile_but_no_card():
    plant = shoe(cut_at=0)
    assert level(plant, "hopper") == 1 and CardCounts(plant).hopper == 0
    assert plant.clear() == []
    assert level(plant, "hopper") == 0


def test_lifting_the_rest_empties_the_hopper():
    plant = shoe(1, 2, 3, cut_at=1)
    plant.hand.draw(200)
    run(plant, 250)
    assert plant.lift() == [1, 2]
    assert level(plant, "hopper") == 0
    assert CardCounts(plant).out == 3 and plant.hopper == []


def test_recognition_and_back_see_a_drawn_card():
    plant = shoe(1, 2, recognition=True)
    plant.add_fault({"fault": "wrong_back", "card": 0})
    plant.hand.draw(200)
    assert ("back", 1) in names(run(plant, 250))
    assert plant.card_code == 3 and plant.card_codes == 1


def test_a_new_shoe_has_its_own_first_card():
    plant = shoe(1, 2)
    plant.hand.draw(200)
    run(plant, 250)
    plant.add_fault({"fault": "face_up", "card": 0})
    plant.load([3])
    plant.hand.draw(200)
    assert ("face", 1) in names(run(plant, 250))
