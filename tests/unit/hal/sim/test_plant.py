"""The simulated machine itself: bodies move, nothing teleports, and one seed gives one trace."""

from support import board, ideal_board

from firmware.image import INPUTS
from hal.sim.plant import Plant
from hal.sim.rng import isqrt, mix

PICK, TRANSPORT, EJECTOR, OUTFEED = range(4)


def new_plant(seed=1):
    return Plant(ideal_board(), INPUTS, seed)


def drive(plant, *on):
    outputs = bytearray(7)
    for output in on:
        outputs[output] = 1
    plant.drive(outputs, plant.watch_slot)


def run(plant, ms):
    """Advance; returns the edges on the way as (name, level, us)."""
    end_us = plant.now_us + ms * 1000
    while plant.now_us < end_us:
        plant.changed = False
        plant.advance(end_us)
    edges = [(INPUTS[line], level, t_us) for line, level, t_us in plant.edges]
    plant.edges = []
    return edges


def test_a_card_passes_both_beams_in_the_time_its_length_and_speed_demand():
    plant = new_plant()
    mech = board()["mechanism"]
    plant.load([0])
    drive(plant, PICK, TRANSPORT)
    times = {(name, level): t_us for name, level, t_us in run(plant, 400)}
    speed = mech["transport_um_per_ms"]
    for name in ("throat_a", "throat_b"):
        length_us = times[(name, 0)] - times[(name, 1)]
        assert abs(length_us - mech["card_um"] * 1000 // speed) <= 2
    gap_us = times[("throat_b", 1)] - times[("throat_a", 1)]
    assert abs(gap_us - (mech["throat_b_um"] - mech["throat_a_um"]) * 1000 // speed) <= 2
    assert plant.slots[plant.axis.slot] == [0]
    assert plant.crashes == 0


def test_the_roller_that_stops_at_an_edge_leaves_the_card_before_the_mouth():
    plant = new_plant()
    plant.load([0, 1])
    plant.stop_after(PICK, plant.line_a, 0)
    drive(plant, PICK, TRANSPORT)
    names = [(name, level) for name, level, _t in run(plant, 1000)]
    assert names == [("hopper", 1), ("throat_a", 1)]
    assert len(plant.hopper) == 1


def test_a_staged_card_goes_on_when_the_roller_starts_again():
    plant = new_plant()
    plant.load([0])
    plant.stop_after(PICK, plant.line_a, 0)
    drive(plant, PICK, TRANSPORT)
    run(plant, 500)
    drive(plant, TRANSPORT)
    drive(plant, PICK, TRANSPORT)
    assert [name for name, _level, _t in run(plant, 500)] == ["throat_b", "throat_a", "throat_b"]
    assert plant.slots[plant.axis.slot] == [0]


def test_a_jammed_card_stays_where_it_stopped():
    plant = new_plant()
    plant.load([0])
    plant.jam("throat", 0, 60000)
    drive(plant, PICK, TRANSPORT)
    run(plant, 2000)
    assert plant.throat.bodies[0].position(plant.now_us) == 60000
    assert not any(plant.slots)


def test_a_move_takes_the_time_of_its_trapezoid():
    plant = new_plant()
    # 27 of 54 slots: half a turn at 1.5 rev/s and 15 rev/s2 is 0.5 / 1.5 + 0.1 s.
    plant.move(27, False)
    assert abs(plant.axis.end_us - 433333) < 20
    # One slot never reaches full speed: 2 x sqrt(1/54 rev / 15 rev/s2).
    other = new_plant()
    other.move(1, False)
    assert abs(other.axis.end_us - 70273) < 20


def test_a_sweep_sees_each_occupied_slot_once_wherever_it_starts():
    for seed in (0, 1, 13, 53):
        for full in ((), (0,), (0, 1, 2), (53,), tuple(range(54))):
            plant = new_plant(seed)
            for slot in full:
                plant.slots[slot] = [slot]
            plant.drive(bytearray(9), True)
            plant.move(54, False)
            edges = run(plant, 2000)
            rises = [t_us for name, level, t_us in edges if name == "slot" and level]
            falls = [t_us for name, level, t_us in edges if name == "slot" and not level]
            assert len(rises) == len(falls) == len(full)
            assert rises == sorted(rises)
            assert plant.axis.slot == seed % 54


def test_an_ejected_card_crosses_the_exit_and_lands_in_the_tray():
    plant = new_plant()
    plant.slots[plant.axis.slot] = [9]
    drive(plant, EJECTOR, OUTFEED)
    names = [(name, level) for name, level, _t in run(plant, 500)]
    assert names == [("ejector", 1), ("exit", 1), ("exit", 0), ("tray", 1)]
    assert plant.tray == [9]


def test_turning_with_a_card_in_the_mouth_breaks_the_machine():
    plant = new_plant()
    plant.load([0])
    plant.jam("throat", 0, 60000)
    drive(plant, PICK, TRANSPORT)
    run(plant, 500)
    plant.move(3, False)
    assert plant.crashes == 1


def test_integer_square_roots_are_exact():
    for n in (0, 1, 2, 3, 4, 15, 16, 17, 10**12 - 1, 10**12, 10**18 + 1):
        root = isqrt(n)
        assert root * root <= n < (root + 1) * (root + 1)


def test_the_noise_is_the_same_on_every_vm():
    assert [mix(1, 2, 3), mix(7, 51, 1), mix(0, 0, 0)] == [1450837370, 776978534, 3749358279]
    assert mix(7, 51, 1) != mix(7, 51, 2)
