"""Carousel and elevator: where they should be, where they are, and when the difference can be noticed."""

from plants import MECHANISMS, drive, drive_ms, feed, homed, level, machine, names, run

from hal.sim.oracle import CardCounts, stopped_us
from hal.sim.stepper import StepAxis

REST, MOVING, LOST = range(3)


def moved(plant, places, home=False):
    plant.move(places, home)
    assert plant.axis.state() == MOVING
    run(plant, 6000)
    return plant.axis


def test_the_elevator_takes_the_time_of_its_trapezoid_and_does_not_wrap():
    plant = homed(machine("shelves"))
    begin_us = plant.now_us
    plant.move(19, False)
    # 19 shelves at 20 a second, and once more the ramp of 0.2 s.
    assert abs(plant.axis.end_us - begin_us - 1150000) < 20
    run(plant, 2000)
    assert plant.axis.slot == 19 and plant.crashes == 0
    plant.move(1, False)
    assert plant.crashes == 1
    run(plant, 2000)
    assert plant.axis.slot == 19


def test_a_stalled_move_takes_its_time_and_moves_nothing():
    for kind in ("carousel", "shelves"):
        plant = homed(machine(kind))
        plant.add_fault({"fault": "axis_stall", "move": 2})
        assert moved(plant, 5).slot == 5
        axis = moved(plant, 5)
        assert (axis.slot, axis.reckoned, axis.state()) == (5, 10, REST)
        assert axis.is_astray()


def test_a_mark_that_is_never_seen_ends_homing_lost_and_spoils_a_turn():
    for kind in ("carousel", "shelves"):
        plant = homed(machine(kind))
        moved(plant, 5)
        plant.add_fault({"fault": "home_lost", "from_ms": plant.now_us // 1000, "for_ms": 8000})
        assert moved(plant, -5).state() == LOST
        assert moved(plant, 0, True).state() == LOST
        run(plant, 1)
        assert moved(plant, 0, True).state() == REST


def test_a_homing_that_stalls_does_not_see_the_mark():
    plant = machine(seed=5, fault={"fault": "axis_stall", "move": 0})
    axis = moved(plant, 0, True)
    assert axis.state() == LOST and axis.slot == 5


def test_a_halted_axis_rests_on_a_place_that_nobody_knows():
    plant = homed(machine())
    plant.move(27, False)
    run(plant, 200)
    plant.all_off()
    axis = plant.axis
    assert axis.state() == REST and axis.reckoned == -1
    assert 0 < axis.slot < 27 and axis.real == axis.slot * 1000


def test_an_elevator_under_a_stepper_shows_a_full_shelf_once_however_slow_its_steps_are():
    plant = homed(machine("shelves"))
    axis = StepAxis.install(plant, dict(MECHANISMS["shelves"], kind="shelves"))
    plant.slots[1] = [7]
    drive(plant, watch=True)

    def stepped(pauses_ms):
        edges = []
        for pause_ms in pauses_ms:
            axis.step()
            edges += names(run(plant, pause_ms))
        return edges

    axis.forward = True
    assert stepped([1] * 197 + [3, 5, 9]) == [("slot", 1)]
    axis.forward = False
    assert stepped([5, 3] + [1] * 40) == [("slot", 0)]


def test_a_card_cannot_enter_between_two_places_and_moves_back_unharmed():
    for kind in ("carousel", "shelves"):
        plant = homed(machine(kind))
        plant.add_fault({"fault": "axis_slip", "move": 1, "thousandths": 300})
        moved(plant, 3)
        plant.load([1])
        feed(plant)
        assert level(plant, "throat_b") == 1
        assert CardCounts(plant).path == 1 and CardCounts(plant).store == 0
        assert plant.crashes == 0
        drive_ms(plant, 300, "pick", "transport", "reverse")
        assert plant.hopper == [1] and level(plant, "throat_b") == 0


def test_a_card_stopped_at_a_closed_mouth_goes_on_once_a_place_is_there():
    plant = homed(machine())
    plant.add_fault({"fault": "axis_slip", "move": 1, "thousandths": 300})
    moved(plant, 3)
    plant.load([1])
    feed(plant)
    plant.axis.real = 3000
    drive(plant)
    drive_ms(plant, 200, "transport")
    assert plant.slots[3] == [1]


def test_a_full_slot_at_a_place_nobody_expected_stops_the_card_at_the_mouth():
    plant = homed(machine())
    plant.load([1])
    feed(plant)
    plant.add_fault({"fault": "axis_stall", "move": 1})
    moved(plant, 1)
    plant.load([2])
    feed(plant)
    assert plant.slots[0] == [1] and level(plant, "throat_b") == 1
    assert plant.crashes == 0


def test_a_second_card_into_a_slot_that_should_be_known_as_full_breaks_the_machine():
    plant = homed(machine())
    plant.load([1, 2])
    feed(plant, 2)
    assert plant.crashes == 1


def test_a_card_pushed_into_a_turning_carousel_breaks_the_machine():
    plant = homed(machine())
    plant.load([1])
    drive(plant, "pick", "transport")
    plant.move(54, False)
    run(plant, 300)
    assert plant.crashes == 1 and CardCounts(plant).path == 1


def test_a_crooked_carousel_shows_an_occupied_slot_at_rest():
    plant = homed(machine())
    plant.add_fault({"fault": "axis_slip", "move": 1, "thousandths": 500})
    moved(plant, 3)
    plant.slots[(2 + plant.axis.beam_slots + 1) % 54] = [9]
    drive(plant, watch=True)
    assert level(plant, "slot") == 1


def test_nothing_leaves_a_slot_that_is_not_at_the_mouth():
    plant = homed(machine())
    plant.slots[2] = [1]
    plant.slots[3] = [2]
    plant.add_fault({"fault": "axis_slip", "move": 1, "thousandths": 500})
    moved(plant, 3)
    drive_ms(plant, 500, "ejector", "outfeed")
    assert plant.tray == [] and CardCounts(plant).store == 2
    assert stopped_us(plant, 2) > 400000


def test_a_sweep_with_lost_steps_still_sees_only_what_passes_the_beam():
    plant = homed(machine())
    for slot in range(54):
        plant.slots[slot] = [slot]
    plant.add_fault({"fault": "axis_slip", "move": 1, "thousandths": 4000})
    drive(plant, watch=True)
    plant.move(54, False)
    edges = names(run(plant, 3000))
    assert edges.count(("slot", 1)) == edges.count(("slot", 0)) == 50
    assert plant.axis.state() == LOST


def test_chance_strikes_the_same_moves_for_the_same_seed():
    seen = []
    for seed in (3, 3, 4):
        plant = homed(machine(seed=seed))
        plant.add_fault({"fault": "axis_stall", "ppm": 300000})
        places = []
        for _ in range(20):
            plant.move(1, False)
            run(plant, 200)
            places.append(plant.axis.slot)
        seen.append(places)
    assert seen[0] == seen[1] != seen[2]
    assert 5 < seen[0][-1] < 20


def test_an_elevator_passes_its_home_mark_at_the_same_step_each_time():
    plant = homed(machine("shelves"))
    for steps in (-10, 310, -310, 310, -310, 310, -310):
        plant.step(steps, 0)
        run(plant, 3000)
        if steps == -310:
            assert plant.axis.home_at == 298 and plant.crashes == 0
