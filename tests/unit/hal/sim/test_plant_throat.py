"""Hopper and throat: both ways, slip, double feeds, cards that run into each other; the same part in three machines."""

from plants import drive, drive_ms, feed, level, machine, names, run

from hal.sim.oracle import CardCounts, stopped_us

SINKS = ("carousel", "shelves", "shoe")


def stored(plant):
    return plant.tray if plant.kind == "shoe" else plant.slots[plant.axis.slot]


def test_every_machine_takes_a_card_past_its_beams_into_its_sink():
    for kind in SINKS:
        plant = machine(kind, cards=[7])
        edges = names(feed(plant))
        assert edges[:3] == [("hopper", 1), ("hopper", 0), ("throat_a", 1)], kind
        assert stored(plant) == [7]
        assert plant.crashes == 0
        where = CardCounts(plant)
        assert where.total() == 1 and where.hopper == where.path == 0


def test_top_feed_picks_the_last_of_the_pile_and_bottom_feed_the_first():
    plant = machine("shoe", feed="top", cards=[1, 2, 3])
    feed(plant, 3)
    assert plant.tray == [3, 2, 1]
    plant = machine("shoe", feed="bottom", cards=[1, 2])
    plant.load([3])
    feed(plant, 3)
    assert plant.tray == [1, 2, 3]


def test_arrival_sees_a_card_before_throat_b_has_let_it_go():
    plant = machine("shelves", cards=[0])
    edges = [name for name in names(feed(plant)) if name[0] in ("throat_b", "arrival")]
    assert edges == [("throat_b", 1), ("arrival", 1), ("throat_b", 0), ("arrival", 0)]


def test_a_card_moved_back_uncovers_the_beams_in_reverse_and_lies_on_the_pile_again():
    for kind in SINKS:
        plant = machine(kind, cards=[1, 2])
        feed_card = plant.hopper[plant.throat.at_end]
        drive(plant, "pick", "transport")
        while plant.throat.bodies == [] or plant.throat.bodies[0].position(plant.now_us) < 60000:
            run(plant, 1)
        plant.edges = []
        drive(plant, "pick", "transport", "reverse")
        edges = [name for name in names(run(plant, 300)) if name[0] != "arrival"]
        assert edges == [("throat_b", 0), ("throat_a", 0)], kind
        assert plant.throat.bodies == []
        assert sorted(plant.hopper) == [1, 2]
        assert plant.hopper[plant.throat.at_end] == feed_card
        drive(plant)
        feed(plant)
        assert stored(plant) == [feed_card]


def test_the_last_card_back_in_the_hopper_shows_on_its_beam():
    plant = machine(cards=[1])
    drive_ms(plant, 60, "pick")
    assert level(plant, "hopper") == 0
    drive_ms(plant, 300, "pick", "reverse")
    assert level(plant, "hopper") == 1 and plant.hopper == [1]


def test_a_jog_back_and_forth_counts_each_beam_passage_as_it_happens():
    plant = machine(cards=[1])
    drive(plant, "pick", "transport")
    while not level(plant, "throat_b"):
        run(plant, 1)
    edges = drive_ms(plant, 12, "pick", "transport", "reverse")
    drive(plant, "pick", "transport")
    edges = [name for name in names(edges + run(plant, 300)) if name[0] == "throat_b"]
    assert edges == [("throat_b", 0), ("throat_b", 1), ("throat_b", 0)]
    assert plant.slots[plant.axis.slot] == [1]


def test_transport_alone_lets_go_of_a_card_it_has_moved_back_behind_the_nip():
    plant = machine(cards=[1])
    drive(plant, "pick", "transport")
    while not level(plant, "throat_b"):
        run(plant, 1)
    run(plant, 10)
    drive_ms(plant, 200, "transport", "reverse")
    body = plant.throat.bodies[0]
    assert not body.moving
    assert body.x_um == plant.throat.nip_um - 1 - plant.throat.brake_um


def test_a_reversed_pick_roller_takes_no_card():
    plant = machine(cards=[1, 2])
    drive_ms(plant, 500, "pick", "reverse")
    assert plant.throat.bodies == [] and plant.hopper == [1, 2]


def test_turning_back_is_no_try_to_pick():
    plant = machine(cards=[1], fault={"fault": "misfeed", "card": 0, "times": 1})
    drive_ms(plant, 300, "pick", "reverse")
    drive(plant)
    assert ("throat_a", 1) not in names(feed(plant))
    assert ("throat_a", 1) in names(feed(plant))


def test_a_card_moved_back_to_the_hopper_keeps_its_number_for_faults():
    plant = machine("shoe", cards=[1, 2, 3], fault={"fault": "face_up", "card": 1})
    drive_ms(plant, 60, "pick")
    drive_ms(plant, 300, "pick", "reverse")
    drive(plant)
    assert [("face", 1) in names(feed(plant)) for _ in range(3)] == [False, True, False]


def test_a_card_is_read_again_only_when_it_comes_forwards_again():
    plant = machine(recognition=True, cards=[1])
    drive(plant, "pick")
    while not plant.card_codes:
        run(plant, 1)
    drive_ms(plant, 20, "pick", "reverse")
    assert plant.throat.bodies[0].x_um < 46000 and plant.card_codes == 1
    drive_ms(plant, 200, "pick", "transport")
    assert plant.card_codes == 2


def test_a_card_behind_a_jammed_one_stops_at_its_tail():
    plant = machine("shoe", cards=[1, 2], fault={"fault": "jam", "place": "throat", "card": 0, "at_um": 100000})
    drive_ms(plant, 1000, "pick", "transport")
    front, rear = plant.throat.bodies
    assert front.x_um == 100000
    assert rear.x_um == front.x_um - front.length_um
    assert stopped_us(plant, 0) > 500000 and stopped_us(plant, 1) > 500000


def test_a_slipping_card_is_slower_and_the_same_seed_slips_the_same():
    lengths = []
    for seed in (1, 1, 2, 3, 4):
        plant = machine(seed=seed, slip_percent_max=10, cards=[5])
        times = {(name, value): t_us for name, value, t_us in feed(plant)}
        lengths.append(times[("throat_a", 0)] - times[("throat_a", 1)])
    nominal_us = plant.card_um * 1000 // plant.throat.speed
    assert lengths[0] == lengths[1]
    assert len(set(lengths)) >= 3
    for length_us in lengths:
        assert nominal_us <= length_us <= nominal_us * 100 // 90 + 2


def test_an_aligned_double_feed_is_thick_and_no_longer_than_a_card():
    plant = machine(cards=[1, 2, 3], fault={"fault": "double_feed", "card": 0})
    times = {(name, value): t_us for name, value, t_us in feed(plant)}
    assert times[("opacity", 1)] == times[("throat_a", 1)]
    assert times[("opacity", 0)] == times[("throat_a", 0)]
    assert abs(times[("throat_b", 0)] - times[("throat_b", 1)] - plant.card_um * 1000 // plant.throat.speed) <= 2
    assert plant.slots[plant.axis.slot] == [3, 2]
    assert plant.hopper == [1]
    assert plant.crashes == 0


def test_an_offset_double_feed_is_longer_and_thick_where_the_cards_overlap():
    plant = machine(cards=[1, 2], fault={"fault": "double_feed", "card": 0, "offset_um": 24000})
    times = {(name, value): t_us for name, value, t_us in feed(plant)}
    speed = plant.throat.speed
    length_us = times[("throat_b", 0)] - times[("throat_b", 1)]
    assert abs(length_us - (plant.card_um + 24000) * 1000 // speed) <= 2
    assert abs(times[("opacity", 1)] - times[("throat_a", 1)] - 24000 * 1000 // speed) <= 2
    assert abs(times[("throat_a", 0)] - times[("opacity", 0)] - 24000 * 1000 // speed) <= 2


def test_two_cards_that_went_in_together_come_out_together():
    plant = machine(cards=[1, 2], fault={"fault": "double_feed", "card": 0})
    feed(plant)
    drive(plant, "ejector", "outfeed")
    assert names(run(plant, 400))[-3:] == [("exit", 1), ("exit", 0), ("tray", 1)]
    assert plant.tray == [2, 1]


def test_a_double_feed_moved_back_is_two_cards_in_their_old_order():
    plant = machine(cards=[1, 2, 3], fault={"fault": "double_feed", "card": 0})
    drive(plant, "pick")
    while not level(plant, "opacity"):
        run(plant, 1)
    drive_ms(plant, 300, "pick", "reverse")
    assert plant.hopper == [1, 2, 3]
    assert level(plant, "opacity") == 0
    drive(plant)
    feed(plant)
    assert plant.slots[plant.axis.slot] == [3]


def test_recognition_reads_each_card_once_ten_millimetres_behind_throat_a():
    plant = machine(recognition=True, cards=[1000, 53, 12])
    codes = []
    for _ in range(3):
        feed(plant)
        codes.append((plant.card_code, plant.card_codes))
    assert codes == [(13, 1), (2, 2), (0, 3)]
    plant = machine(cards=[12])
    feed(plant)
    assert plant.card_codes == 0


def test_cards_with_another_back_or_face_up_show_over_throat_a():
    plant = machine(cards=[1, 2, 3], fault={"fault": "wrong_back", "card": 1})
    plant.add_fault({"fault": "face_up", "card": 2})
    seen = [names(feed(plant)) for _ in range(3)]
    assert not [edge for edge in seen[0] if edge[0] in ("back", "face")]
    assert [edge for edge in seen[1] if edge[0] in ("back", "face")] == [("back", 1), ("back", 0)]
    assert [edge for edge in seen[2] if edge[0] in ("back", "face")] == [("face", 1), ("face", 0)]


def test_a_foreign_object_has_its_own_length_in_and_out_and_a_new_deck_has_none():
    plant = machine(recognition=True, cards=[1], fault={"fault": "foreign", "card": 0, "length_um": 50000})
    times = {(name, value): t_us for name, value, t_us in feed(plant)}
    length_us = 50000 * 1000 // plant.throat.speed
    assert abs(times[("throat_b", 0)] - times[("throat_b", 1)] - length_us) <= 2
    assert plant.card_code == 0
    drive(plant, "ejector", "outfeed")
    times = {(name, value): t_us for name, value, t_us in run(plant, 400)}
    assert abs(times[("exit", 0)] - times[("exit", 1)] - length_us) <= 2
    plant.take()
    plant.load([1])
    assert plant.trait_of(1) == (plant.card_um, 0)


def test_a_stop_order_is_not_undone_by_a_scan_that_has_not_seen_the_edge():
    plant = machine(cards=[1])
    plant.stop_after(0, plant.line_a, 0)
    drive_ms(plant, 100, "pick", "transport")
    assert plant.outputs[0] == 0
    drive(plant, "pick", "transport")
    assert plant.outputs[0] == 0
    drive(plant, "transport")
    drive(plant, "pick", "transport")
    assert plant.outputs[0] == 1


def test_a_motor_turning_on_a_stopped_card_is_timed_from_the_moment_both_are_true():
    plant = machine(cards=[1])
    plant.jam("throat", 0, 60000)
    drive(plant, "pick", "transport")
    while not plant.throat.bodies or plant.throat.bodies[0].x_um != 60000:
        assert stopped_us(plant, 1) == 0
        run(plant, 1)
    run(plant, 100)
    assert 100000 <= stopped_us(plant, 1) <= 102000
    drive(plant, "pick")
    assert stopped_us(plant, 1) == 0
    run(plant, 50)
    drive_ms(plant, 30, "pick", "transport")
    assert stopped_us(plant, 1) == 30000
