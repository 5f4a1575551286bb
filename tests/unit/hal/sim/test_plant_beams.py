"""What the lines show of what is so: bounce, darkness, and beams that are stuck, blind, noisy or dusty."""

from plants import drive, drive_ms, feed, level, line, machine, names, run
from support import raises

from firmware.image import Inputs
from hal.sim.nv import Nv
from hal.sim.oracle import CardCounts
from hal.sim.port import SimHal


def test_an_edge_bounces_within_its_time_and_then_stays():
    plant = machine(bounce_us=500, cards=list(range(20)))
    edges = run(plant, 5)
    edges += feed(plant, 20)
    bounced = 0
    for name in ("hopper", "throat_a", "throat_b"):
        mine = [(t_us, value) for edge, value, t_us in edges if edge == name]
        start_us = -1000000
        for i in range(len(mine)):
            assert i % 2 == 1 - mine[i][1], "edges of one line alternate"
            if mine[i][0] - start_us > 500:
                start_us = mine[i][0]
            else:
                bounced += 1
    assert 60 < bounced < 300
    times = [t_us for _name, _value, t_us in edges]
    assert times == sorted(times)


def test_bounce_wakes_nobody_but_the_next_sample_has_all_of_it():
    plant = machine(bounce_us=500)
    hal = SimHal(plant, Nv(64))
    inp = Inputs()
    hal.sample(inp)
    for nth in range(8):
        plant.changed = False
        plant.set_line(plant.line_exit, 1 - nth % 2, plant.now_us)
        assert plant.changed
        hal.sample(inp)
        first = inp.edge_count
        assert first == 1
        plant.advance(plant.now_us + 4000)
        assert not plant.changed
        hal.sample(inp)
        assert inp.edge_count % 2 == 1
        assert inp.edge[inp.edge_count - 1] & 1 == inp.raw[plant.line_exit] == 1 - nth % 2
        inp.edge_count = 0


def test_one_seed_bounces_the_same_way_twice():
    traces = []
    for seed in (4, 4, 5):
        plant = machine(seed=seed, bounce_us=400, cards=[1, 2, 3])
        traces.append(feed(plant, 3))
    assert traces[0] == traces[1] != traces[2]


def test_a_beam_that_is_blocked_before_during_and_after_the_dark_shows_no_edge():
    plant = machine(cards=[1])
    run(plant, 1)
    drive(plant, "dark")
    drive(plant)
    assert ("hopper", 1) not in names(run(plant, 1))


def test_a_card_that_passes_in_the_dark_is_where_it_is_when_the_light_returns():
    plant = machine(cards=[1])
    drive_ms(plant, 40, "pick", "dark")
    while plant.throat.bodies == [] or plant.throat.bodies[0].position(plant.now_us) < 40000:
        run(plant, 1)
    drive(plant)
    assert level(plant, "throat_a") == 1 and level(plant, "hopper") == 0 and level(plant, "throat_b") == 0


def test_a_stuck_or_blind_beam_does_not_notice_the_dark():
    plant = machine(fault={"fault": "beam_blind", "line": "throat_a"})
    plant.add_fault({"fault": "beam_stuck", "line": "throat_b", "level": 0})
    plant.add_fault({"fault": "beam_stuck", "line": "exit", "level": 1})
    drive(plant, "dark")
    assert (level(plant, "throat_a"), level(plant, "throat_b"), level(plant, "exit")) == (0, 0, 1)
    assert level(plant, "tray") == 1
    drive(plant)
    assert level(plant, "exit") == 1 and level(plant, "tray") == 0


def test_a_blind_beam_sees_no_card_and_recovers_with_the_truth():
    plant = machine(fault={"fault": "beam_blind", "line": "throat_a", "from_ms": 10, "for_ms": 1000}, cards=[1])
    assert not [edge for edge in feed(plant) if edge[0] == "throat_a"]
    assert plant.slots[plant.axis.slot] == [1]
    plant.set_line(plant.line_a, 1, plant.now_us)
    assert level(plant, "throat_a") == 0
    run(plant, 700)
    assert level(plant, "throat_a") == 1


def test_noise_gives_a_pulse_in_every_period_and_nothing_after_its_time():
    plant = machine()
    plant.add_fault(
        {"fault": "beam_noise", "line": "exit", "every_us": 10000, "width_us": 200, "from_ms": 100, "for_ms": 100}
    )
    edges = run(plant, 300)
    assert len(edges) == 20
    for i in range(0, 20, 2):
        assert names(edges[i : i + 2]) == [("exit", 1), ("exit", 0)]
        assert edges[i + 1][2] - edges[i][2] == 200
        assert (edges[i][2] - 100000) // 10000 == i // 2
    endless = {"fault": "beam_noise", "line": "exit", "every_us": 100, "width_us": 100}
    assert raises(ValueError, plant.add_fault, endless)


def test_noise_does_not_move_a_stuck_line():
    plant = machine(fault={"fault": "beam_stuck", "line": "exit", "level": 0})
    plant.add_fault({"fault": "beam_noise", "line": "exit", "every_us": 10000, "width_us": 200})
    assert run(plant, 100) == []


def test_what_a_lying_beam_brings_about_is_no_crash():
    for lying, crashes in (("throat_b", 0), ("tray", 1)):
        plant = machine(fault={"fault": "beam_blind", "line": lying}, cards=[1])
        plant.jam("throat", 0, 60000)
        drive_ms(plant, 300, "pick", "transport")
        plant.move(1, False)
        assert plant.crashes == crashes
        plant = machine(fault={"fault": "beam_blind", "line": lying}, cards=[1])
        drive(plant, "pick", "transport")
        plant.move(54, False)
        run(plant, 300)
        assert plant.crashes == crashes


def test_noise_on_a_blocked_beam_shows_it_clear_for_a_moment():
    plant = machine(cards=[1])
    run(plant, 1)
    plant.add_fault({"fault": "beam_noise", "line": "hopper", "every_us": 10000, "width_us": 200, "for_ms": 20})
    assert names(run(plant, 50)) == [("hopper", 0), ("hopper", 1)] * 2


def test_dust_makes_the_shadow_of_a_card_longer_on_both_sides():
    plant = machine(fault={"fault": "beam_dust", "line": "throat_a", "um": 6000}, cards=[1])
    times = {(name, value): t_us for name, value, t_us in feed(plant)}
    speed = plant.throat.speed
    length_us = times[("throat_a", 0)] - times[("throat_a", 1)]
    assert abs(length_us - (plant.card_um + 6000) * 1000 // speed) <= 2
    gap_us = times[("throat_b", 1)] - times[("throat_a", 1)]
    assert abs(gap_us - (plant.throat.b_um - plant.throat.a_um + 3000) * 1000 // speed) <= 2
    assert raises(ValueError, plant.add_fault, {"fault": "beam_dust", "line": "door", "um": 1})


def test_dust_on_the_last_beam_does_not_lose_its_edge():
    for kind, name, um in (("carousel", "throat_b", 2000), ("shelves", "arrival", 2000), ("shoe", "exit", 20000)):
        plant = machine(kind, fault={"fault": "beam_dust", "line": name, "um": um}, cards=[1])
        assert [value for edge, value, _t in feed(plant) if edge == name] == [1, 0]
        assert CardCounts(plant).path == 0 and CardCounts(plant).store + CardCounts(plant).tray == 1


def test_a_hand_in_a_beam_covers_it_whatever_a_card_does():
    plant = machine()
    for name in ("throat_a", "button_green", "ejector"):
        plant.beams.cover(line(name), True, plant.now_us)
        assert level(plant, name) == 1
    plant.load([1])
    feed(plant)  # past throat A
    assert level(plant, "throat_a") == 1
    for name in ("throat_a", "button_green", "ejector"):
        plant.beams.cover(line(name), False, plant.now_us)
        assert level(plant, name) == 0


def test_a_hand_in_the_slot_beam_shows_while_it_is_watched():
    plant = machine()
    plant.beams.cover(plant.line_slot, True, plant.now_us)
    assert level(plant, "slot") == 0
    drive(plant, watch=True)
    assert level(plant, "slot") == 1
    drive(plant)
    assert level(plant, "slot") == 0


def test_a_truth_is_what_a_covered_line_shows():
    plant = machine(truth={"swapped": ["exit", "tray"], "inverted": ["door"]})
    plant.beams.cover(line("exit"), True, plant.now_us)
    plant.beams.cover(line("door"), True, plant.now_us)
    assert [level(plant, name) for name in ("exit", "tray", "door")] == [0, 1, 0]


def test_a_card_put_into_a_slot_by_hand_is_counted():
    plant = machine()
    plant.place()
    assert plant.put_in == 1 and len(plant.slots[plant.axis.slot]) == 1
    assert raises(ValueError, machine("shoe").place)
