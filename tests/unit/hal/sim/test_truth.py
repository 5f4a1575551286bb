"""A machine that is not as its config says: figures, wiring, motors, heat and wear."""

from plants import drive, drive_ms, feed, homed, level, machine, names, run
from support import board, refusal

from hal.sim.rng import mix
from hal.sim.truth import FIGURES
from rig.rig import Rig

REST, MOVING, LOST = range(3)


def moved(plant, places):
    plant.move(places, False)
    run(plant, 6000)
    return plant.axis


def passage(plant):
    """The edges of one card taken in, by line and level, in us since the roller started."""
    plant.load([len(plant.hopper) + plant.loads])
    begin_us = plant.now_us
    times = {}
    for name, value, t_us in feed(plant):
        times[name, value] = t_us - begin_us
    return times


def test_without_a_truth_the_machine_is_as_configured():
    for kind in ("carousel", "shelves", "shoe", "draw"):
        assert not machine(kind).true.differs
        plain = machine(kind)
        same = machine(kind, truth=dict(plain.true.ordered))
        assert not same.true.differs and same.true.mech == plain.true.mech


def test_an_unknown_figure_line_or_motor_is_refused():
    for truth in (
        {"slot_cuont": 11},
        {"shelf_count": 11},  # of another mechanism
        {"kind": "shelves"},
        {"pick_retry_max": 9},  # the firmware's business
        {"swapped": ["exit"]},
        {"inverted": ["nose"]},
        {"backwards": ["lamp"]},
        {"swapped": 5},
        {"inverted": "door"},
        {"lamps": ["green"]},
        {"lamps": ["blue", "amber", "red"]},
        {"brake_um": None},
        {"brake_um": -1},
        {"slot_count": 0},
        {"slot_steps": 0.5},
        {"warm_s": "long"},
        {"feed": "side"},
    ):
        kind = "shoe" if "shelf_count" in truth else "carousel"
        assert next(iter(truth)) in refusal(ValueError, machine, kind, 1, False, truth), truth


def test_a_figure_of_the_truth_changes_what_the_beams_show():
    nominal = passage(machine())
    at_a, at_b, off_b = ("throat_a", 1), ("throat_b", 1), ("throat_b", 0)
    long = passage(machine(truth={"card_um": 177800}))
    assert long[off_b] - long[at_b] > 1.9 * (nominal[off_b] - nominal[at_b])
    slow = passage(machine(truth={"transport_um_per_ms": 600}))
    assert slow[off_b] - slow[at_b] > 1.9 * (nominal[off_b] - nominal[at_b])
    wide = passage(machine(truth={"throat_b_um": 54000, "nip_um": 56000}))
    assert wide[at_b] - wide[at_a] > 1.9 * (nominal[at_b] - nominal[at_a])
    late = passage(machine(truth={"pick_latency_us_min": 120000, "pick_latency_us_max": 120000}))
    assert late[at_a] == 120000 + 36000 * 1000 // 1200


def test_every_figure_is_the_plants_own():
    for kind in ("carousel", "shelves", "shoe", "draw"):
        mech = machine(kind).true.ordered
        for name in FIGURES:
            if name in mech and name != "feed":
                plant = machine(kind, truth={name: mech[name] + 1})
                assert plant.true.differs and plant.true.mech[name] == plant.true.ordered[name] + 1


def test_the_port_counts_steps_of_the_config_and_the_machine_has_its_own():
    # A slot fewer, of as many steps each; a slot more; the same turn in other slots.
    for truth, state in (
        ({"slot_count": 53}, LOST),
        ({"slot_count": 55}, LOST),
        ({"slot_steps": 65}, LOST),
        ({}, REST),
    ):
        assert moved(homed(machine(truth=truth)), 54).state() == state
    plant = homed(machine(truth={"slot_count": 48, "slot_steps": 72}))
    assert moved(plant, 54).state() == REST
    assert moved(plant, 9).real == 8000 and plant.axis.fits()
    assert not moved(plant, 4).fits()
    assert moved(homed(machine("shelves", truth={"shelf_steps": 250})), 10).real == 8000


def test_no_move_loses_a_part_of_a_step():
    plant = homed(machine(truth={"slot_steps": 65}))
    for i in range(200):
        moved(plant, mix(3, 1, i) % 54 - plant.axis.reckoned)
        assert not plant.axis.is_astray()


def test_a_mark_in_another_place_puts_every_place_off_by_as_much():
    axis = moved(homed(machine(truth={"home_steps": 18})), 5)
    assert (axis.real, axis.state(), axis.fits()) == (4750, REST, False)
    axis = moved(homed(machine("shelves", truth={"home_steps": 12})), 5)
    assert (axis.real, axis.fits()) == (5050, True)


def test_a_mark_that_the_config_knows_puts_no_place_off():
    for kind in ("carousel", "shelves"):
        axis = moved(homed(machine(kind, mechanism={"home_steps": 50})), 5)
        assert (axis.real, axis.state(), axis.fits()) == (5000, REST, True)


def test_an_axis_that_turns_the_wrong_way_finds_another_mark_and_other_places():
    plant = homed(machine(truth={"backwards": ["axis"]}))
    assert plant.axis.state() == REST and not plant.axis.fits()
    at = plant.axis.real
    assert moved(plant, 5).real == (at - 5000) % 54000
    assert moved(plant, 54).state() == REST
    plant = machine("shelves", truth={"backwards": ["axis"]})
    assert homed(plant).axis.state() == LOST and plant.crashes


def test_an_axis_ordered_beyond_its_motor_stops_on_the_way():
    for truth in ({"axis_mrev_per_s": 1400}, {"axis_mrev_per_s2": 14000}):
        assert homed(machine(truth=truth)).axis.state() == LOST
    plant = machine(truth={"axis_mrev_per_s": 1400})
    assert moved(plant, 1).real == 2000  # too short a way to get so fast


def test_swapped_lines_show_each_others_beam():
    plain, plant = machine(), machine(truth={"swapped": ["throat_a", "throat_b"]})
    other = {"throat_a": "throat_b", "throat_b": "throat_a"}
    edges = []
    for each in (plain, plant):
        each.load([1])
        edges.append(drive_ms(each, 400, "pick", "transport"))
    assert [(other.get(name, name), value, t_us) for name, value, t_us in edges[1]] == edges[0]


def test_an_inverted_line_shows_0_for_blocked_and_for_dark():
    plant = machine(truth={"inverted": ["throat_b", "slot"]})
    assert level(plant, "throat_b") == 1 and level(plant, "slot") == 0, "the slot beam is not read"
    plant.load([1])
    assert names(drive_ms(plant, 400, "pick", "transport"))[-3:-1] == [("throat_b", 0), ("throat_a", 0)]
    drive(plant, "dark", watch=True)
    assert level(plant, "throat_a") == 1 and level(plant, "throat_b") == 0 and level(plant, "slot") == 0
    drive(plant, watch=True)
    assert level(plant, "slot") == 1


def test_a_motor_that_turns_the_wrong_way_brings_a_card_only_in_reverse():
    plant = machine(truth={"backwards": ["pick"]}, cards=[1])
    assert names(drive_ms(plant, 400, "pick")) == [("hopper", 1)]
    assert ("throat_a", 1) in names(drive_ms(plant, 400, "pick", "reverse"))
    plant = machine(truth={"backwards": ["transport"]}, cards=[1])
    drive(plant, "pick", "transport")
    plant.stop_after(0, plant.line_b, 3000)
    run(plant, 400)
    assert plant.throat.bodies and not plant.slots[plant.axis.slot], "it never gets through"
    plant = machine(truth={"backwards": ["outfeed"]})
    plant.slots[plant.axis.slot] = [1]
    assert names(drive_ms(plant, 400, "ejector", "outfeed")) == [("ejector", 1)]


def test_slip_heat_and_wear_change_the_speed_of_cards():
    def lengths(truth, cards=12, pause_ms=0):
        plant = machine(truth=truth)
        found = []
        for _ in range(cards):
            times = passage(plant)
            found.append(times["throat_b", 0] - times["throat_b", 1])
            run(plant, pause_ms)
            plant.clear()
        return found

    nominal = lengths({}, 1)[0]
    assert len(set(lengths({"slip_percent_max": 9, "slip_at_start": 1}))) > 4
    warm = lengths({"warm_percent": -10, "warm_s": 10}, pause_ms=1000)
    assert nominal <= warm[0] < warm[5] < warm[-1] and abs(warm[-1] - nominal * 10 // 9) < 50
    worn = lengths({"worn_percent_per_thousand_cards": 5000})
    assert worn[0] == nominal and worn[-1] > nominal * 2


def test_a_worn_roller_gets_hold_of_a_card_later():
    plant = machine(truth={"worn_us_per_thousand_cards": 1000000, "pick_latency_us_max": 20000})
    assert passage(plant)["throat_a", 1] + 1000 == passage(plant)["throat_a", 1]


def test_an_outfeed_has_a_speed_of_its_own():
    def flight(truth):
        plant = machine(truth=truth)
        plant.slots[plant.axis.slot] = [1]
        times = [t_us for name, _level, t_us in drive_ms(plant, 900, "ejector", "outfeed") if name == "exit"]
        return times[1] - times[0]

    assert flight({"outfeed_um_per_ms": 600}) > 1.9 * flight({})


def test_the_rig_gives_the_firmware_the_config_and_the_plant_the_truth():
    rig = Rig(board(), "caribbean-stud", 1, 0, truth={"slot_count": 11})
    assert len(rig.plant.slots) == 11 and rig.app.flow.machine.spec.place_count == 54
