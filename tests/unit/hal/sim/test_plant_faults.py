"""Each fault does what its table says, where and when it says, and to the same cards for the same seed."""

from plants import drive, drive_ms, feed, homed, level, machine, names, run
from support import raises, refusal

from hal.sim.faults import FAULTS
from hal.sim.nv import Nv
from hal.sim.oracle import CardCounts, stopped_us
from hal.sim.port import SimHal


def one(kind="carousel", *faults, **changes):
    plant = machine(kind, **changes)
    for fault in faults:
        plant.add_fault(fault)
    plant.load([1, 2, 3, 4])
    return plant


def test_unknown_faults_and_keys_are_refused_and_the_known_ones_told():
    plant = machine()
    for spec, word in (
        ({"fault": "jamm"}, "misfeed"),
        ({}, "misfeed"),
        ({"fault": "jam", "place": "throat", "at_um": 1, "att": 2}, "at_um"),
        ({"fault": "jam", "place": "throat"}, "at_um"),
        ({"fault": "jam", "place": "roof", "at_um": 1}, "mouth"),
        ({"fault": "beam_stuck", "line": "nose", "level": 1}, "nose"),
        ({"fault": "beam_stuck", "line": "exit", "level": 2}, "0, 1"),
        ({"fault": "entropy", "kind": "odd"}, "biased"),
        ({"fault": "axis_stall", "card": 1}, "move"),
        ({"fault": "jam", "place": "exit", "at_um": 200000}, "falls"),
    ):
        said = refusal(ValueError, plant.add_fault, spec)
        assert said and word in said, (spec, said)
    assert plant.faults.entries == []
    assert raises(ValueError, machine("shelves").jam, "exit", 0, 100)
    assert raises(ValueError, machine("draw").jam, "throat", 0, 100)


def test_every_fault_of_the_table_can_be_added_with_its_needed_keys():
    values = {"place": "exit", "line": "exit", "level": 1, "roller": "pick", "every_us": 10000, "width_us": 100}
    for name in FAULTS:
        spec = {"fault": name}
        for key in FAULTS[name][0]:
            if FAULTS[name][0][key] is None:
                spec[key] = values.get(key, 5)
        if "kind" in spec:
            spec["kind"] = "broken" if name == "nv" else "dead"
        plant = machine(fault=spec)
        assert len(plant.faults.entries) == 1
        plant.repair()
        assert plant.faults.entries == [] and plant.beams.plain


def test_a_misfeed_fails_so_many_tries_and_then_comes():
    plant = one("carousel", {"fault": "misfeed", "card": 1, "times": 2})
    came = []
    for _ in range(4):
        plant.slots[plant.axis.slot] = []
        came.append(("throat_a", 1) in names(feed(plant)))
    assert came == [True, False, False, True]


def test_misfeeds_by_chance_hit_the_same_cards_for_the_same_seed():
    seen = []
    for seed in (1, 1, 2):
        plant = machine("shoe", seed, fault={"fault": "misfeed", "ppm": 300000}, cards=list(range(40)))
        tries = [("throat_a", 1) in names(feed(plant, 1, 300)) for _ in range(45)]
        seen.append(tries)
    assert seen[0] == seen[1] != seen[2]
    assert 5 <= seen[0].count(False) <= 25
    # One failed try each: the next one brings the card.
    for i in range(44):
        assert seen[0][i] or seen[0][i + 1] or i > 40


def test_jams_stop_a_card_for_good_at_each_place():
    for kind, place, at_um, x_um in (
        ("carousel", "throat", 20000, 20000),
        ("carousel", "mouth", 60000, 105000),
        ("shelves", "mouth", 60000, 105000),
        ("shoe", "exit", 130000, 130000),
    ):
        plant = one(kind, {"fault": "jam", "place": place, "card": 0, "at_um": at_um})
        feed(plant)
        drive_ms(plant, 300, "pick", "transport")
        assert plant.throat.bodies[0].x_um == x_um
        drive_ms(plant, 300, "pick", "transport", "reverse")
        assert plant.throat.bodies[0].x_um == x_um, "back neither"
    plant = homed(machine())
    plant.slots[0] = [1]
    plant.jam("exit", 0, 40000)
    drive_ms(plant, 500, "ejector", "outfeed")
    assert level(plant, "exit") == 1 and stopped_us(plant, 3) > 300000


def test_a_stalled_card_is_freed_by_so_many_moves_back():
    for jogs in (1, 2):
        plant = one("carousel", {"fault": "stall", "place": "throat", "card": 0, "at_um": 60000, "jogs": jogs})
        feed(plant)
        for _ in range(jogs):
            assert plant.throat.bodies[0].x_um == 60000
            drive_ms(plant, 8, "transport", "reverse")
            drive_ms(plant, 150, "transport")
        assert plant.slots[plant.axis.slot] == [4] and plant.crashes == 0


def test_a_card_stalled_at_the_exit_is_freed_by_starting_the_outfeed_again():
    plant = homed(machine())
    plant.slots[0] = [1]
    plant.add_fault({"fault": "stall", "place": "exit", "card": 0, "at_um": 40000})
    drive_ms(plant, 300, "ejector", "outfeed")
    assert plant.tray == []
    drive(plant)
    drive_ms(plant, 300, "outfeed")
    assert plant.tray == [1]


def test_a_card_lost_under_the_rail_clears_throat_b_and_reaches_nothing_more():
    for kind, beam in (("carousel", ""), ("shelves", "arrival"), ("shoe", "exit")):
        plant = one(kind, {"fault": "card_lost", "place": "rail", "card": 0})
        edges = names(feed(plant))
        assert ("throat_b", 0) in edges and (beam, 1) not in edges
        where = CardCounts(plant)
        assert (where.lost, where.path, where.store, where.tray) == (1, 0, 0, 0)
        feed(plant)
        assert CardCounts(plant).lost == 1 and CardCounts(plant).store + CardCounts(plant).tray == 1


def test_a_card_lost_at_the_exit_leaves_its_slot_and_is_seen_by_no_beam():
    plant = homed(machine())
    plant.slots[0] = [1]
    plant.add_fault({"fault": "card_lost", "place": "exit", "card": 0})
    drive(plant, "ejector", "outfeed")
    assert names(run(plant, 500)) == [("ejector", 1)]
    assert plant.lost == [1] and CardCounts(plant).store == 0
    drive_ms(plant, 100)
    plant.move(1, False)
    assert plant.crashes == 0


def test_a_stuck_ejector_stays_where_it_is_until_it_is_free():
    for kind in ("carousel", "shelves"):
        plant = homed(machine(kind))
        plant.slots[0] = [1]
        run(plant, 1)
        plant.add_fault({"fault": "ejector_stuck", "for_ms": 1000})
        drive(plant, "ejector", "outfeed")
        assert names(run(plant, 999)) == []
        assert ("tray", 1) in names(run(plant, 500)), "the motor is still on"
        plant.add_fault({"fault": "ejector_stuck"})
        drive_ms(plant, 1000)
        assert level(plant, "ejector") == 1
        plant.repair()
        run(plant, 400)
        assert level(plant, "ejector") == 0


def test_a_dead_roller_moves_nothing_while_it_is_dead():
    plant = one("carousel", {"fault": "roller_dead", "roller": "pick", "from_ms": 100, "for_ms": 1000})
    run(plant, 150)
    drive(plant, "pick", "transport")
    assert names(run(plant, 500)) == []
    plant.stop_after(0, plant.line_b, 3000)
    run(plant, 1000)
    assert plant.slots[plant.axis.slot] == [4]
    plant = one("carousel", {"fault": "roller_dead", "roller": "transport"})
    feed(plant)
    assert CardCounts(plant).path == 1 and level(plant, "throat_b") == 1


def test_wear_makes_picking_slower_with_the_cards_that_went_through():
    def pick_us(wear):
        plant = machine("shoe")
        if wear:
            plant.add_fault({"fault": "wear", "us_per_thousand_cards": 100000})
        times = []
        plant.load(list(range(100)))
        for _ in range(100):
            begin_us = plant.now_us
            edges = feed(plant, 1, 300)
            times.append(next(t_us for name, value, t_us in edges if (name, value) == ("throat_a", 1)) - begin_us)
        return times

    fresh, worn = pick_us(False), pick_us(True)
    assert [worn[i] - fresh[i] for i in (0, 10, 50, 99)] == [0, 1000, 5000, 9900]


def test_a_slow_card_lands_later_and_is_under_way_meanwhile():
    plant = homed(machine())
    plant.slots[0] = [1]
    plant.add_fault({"fault": "tray_slow", "card": 0, "us": 300000})
    drive_ms(plant, 300, "ejector", "outfeed")
    assert level(plant, "exit") == 0 and level(plant, "tray") == 0 and CardCounts(plant).path == 1
    run(plant, 300)
    assert plant.tray == [1] and level(plant, "tray") == 1


def test_litter_lies_in_the_tray_from_its_time_on():
    plant = machine(fault={"fault": "litter", "cards": 2, "from_ms": 100})
    run(plant, 99)
    assert level(plant, "tray") == 0
    run(plant, 2)
    assert level(plant, "tray") == 1 and plant.take() == [1000, 1001]


def test_entropy_dies_sticks_leans_or_remembers():
    plant = machine()
    hal = SimHal(plant, Nv(64))
    buf = bytearray(256)

    def bits():
        return sum([bin(byte).count("1") for byte in buf])

    assert hal.entropy_into(buf) and 900 < bits() < 1150
    plant.add_fault({"fault": "entropy", "kind": "biased", "for_ms": 10})
    assert hal.entropy_into(buf) and 150 < bits() < 400
    run(plant, 20)
    plant.add_fault({"fault": "entropy", "kind": "stuck", "for_ms": 10})
    assert hal.entropy_into(buf) and len(set(buf)) == 1
    run(plant, 20)
    plant.add_fault({"fault": "entropy", "kind": "dead", "for_ms": 10})
    assert not hal.entropy_into(buf)
    run(plant, 20)
    plant.add_fault({"fault": "entropy", "kind": "correlated", "for_ms": 10})
    assert hal.entropy_into(buf) and 800 < bits() < 1250
    changes = sum([bin(byte ^ byte >> 1).count("1") - (byte >> 7) for byte in buf])
    assert 380 < changes < 520, changes  # of 1,792 neighbours
    run(plant, 20)
    assert hal.entropy_into(buf) and 900 < bits() < 1150


def test_broken_storage_takes_no_write_and_works_again_afterwards():
    plant = machine()
    nv = Nv(64)
    hal = SimHal(plant, nv)
    plant.add_fault({"fault": "nv", "kind": "broken", "from_ms": 10, "for_ms": 10})
    assert hal.nv_prog(0, bytearray(b"a")) and hal.nv_sync()
    run(plant, 15)
    assert not hal.nv_prog(0, bytearray(b"b")) and not hal.nv_sync()
    run(plant, 10)
    assert hal.nv_prog(1, bytearray(b"c")) and hal.nv_sync()
    assert bytes(nv.data[:2]) == b"ac"
    assert raises(IndexError, nv.read, 60, bytearray(5)) and raises(IndexError, nv.prog, 60, bytearray(5))
    assert len(nv.data) == 64


def test_a_named_card_is_hit_once_and_chance_hits_at_its_rate():
    plant = machine("shoe", fault={"fault": "face_up", "card": 1})
    hits = []
    for _ in range(3):
        plant.load([1, 2, 3])
        hits.append(names(feed(plant, 3, 300)).count(("face", 1)))
    assert hits == [1, 0, 0]
    plant = machine("shoe", fault={"fault": "double_feed", "ppm": 100000}, cards=list(range(300)))
    edges = []
    while plant.hopper:
        edges += names(feed(plant, 1, 300))
    assert 12 <= edges.count(("opacity", 1)) <= 50


def test_faults_outside_their_time_do_not_strike():
    plant = one("shoe", {"fault": "wrong_back", "from_ms": 1000, "for_ms": 400})
    backs = [names(feed(plant, 1, 500)).count(("back", 1)) for _ in range(4)]
    assert backs == [0, 0, 1, 0]


def test_a_card_stalled_by_chance_is_not_stalled_the_same_way_when_picked_again():
    """Keyed by the attempt: otherwise a card that was moved back to the hopper would stall for ever."""
    freed = 0
    for card in range(30):
        plant = machine("shoe", fault={"fault": "jam", "place": "throat", "at_um": 20000, "ppm": 500000}, cards=[card])
        drive_ms(plant, 60, "pick")
        body = plant.throat.bodies[0]
        if body.jam_um < 1 << 60:
            continue
        drive_ms(plant, 200, "pick", "reverse")
        assert plant.hopper == [card]
        drive_ms(plant, 200, "pick")
        freed += 1 if plant.throat.bodies[0].jam_um < 1 << 60 else 0
    assert 3 <= freed <= 14


def test_a_stuck_arm_comes_home_once_it_is_free():
    for kind in ("carousel", "shelves"):
        plant = homed(machine(kind))
        drive_ms(plant, 10, "ejector")
        plant.add_fault({"fault": "ejector_stuck", "for_ms": 2000})
        drive_ms(plant, 1500)
        assert level(plant, "ejector") == 1
        run(plant, 1500)
        drive_ms(plant, 1000)
        assert level(plant, "ejector") == 0
        drive_ms(plant, 400, "ejector")
        drive(plant)
        plant.add_fault({"fault": "ejector_stuck", "for_ms": 2000})
        run(plant, 1500)
        assert level(plant, "ejector") == 1
        run(plant, 1500)
        assert level(plant, "ejector") == 0
