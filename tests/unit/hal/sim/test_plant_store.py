"""Outlet, shelves, pusher, lift, tray and hands: where cards come to lie, and that none ever vanishes."""

from plants import drive, drive_ms, feed, homed, level, machine, names, run

from hal.sim.oracle import CardCounts, is_moving


def test_shelves_keep_the_order_of_arrival_and_the_pusher_keeps_it_too():
    plant = homed(machine("shelves"))
    plant.load([1, 2, 3])
    feed(plant, 3)
    assert plant.slots[0] == [1, 2, 3]
    plant.put_in_tray([9])
    run(plant, 1)
    drive(plant, "ejector", watch=True)
    edges = run(plant, 299)
    assert names(edges) == [("slot", 1), ("ejector", 1)] or names(edges) == [("ejector", 1), ("slot", 1)]
    assert plant.slots[0] == [1, 2, 3]
    assert names(run(plant, 2)) == [("slot", 0)]
    assert plant.tray == [9, 1, 2, 3]
    drive(plant, watch=True)
    assert names(run(plant, 299)) == []
    assert names(run(plant, 2)) == [("ejector", 0)]
    assert plant.crashes == 0


def test_a_pusher_called_back_early_pushes_nothing():
    plant = homed(machine("shelves"))
    plant.slots[0] = [1]
    drive_ms(plant, 200, "ejector")
    drive_ms(plant, 1000)
    assert plant.slots[0] == [1] and plant.tray == []


def test_the_lift_brings_the_tray_back_to_the_hopper_if_it_runs_long_enough():
    plant = homed(machine("shelves"))
    plant.put_in_tray([1, 2, 3])
    drive_ms(plant, 1499, "outfeed")
    drive_ms(plant, 100)
    assert plant.tray == [1, 2, 3]
    plant.edges = []
    drive(plant, "outfeed")
    assert names(run(plant, 1501)) == [("tray", 0), ("hopper", 1)]
    assert plant.hopper == [1, 2, 3] and plant.tray == []


def test_two_passes_of_radix_distribution_sort_any_order():
    plant = homed(machine("shelves", shelf_cards_max=40))
    cards = [17 * i % 64 for i in range(64)]
    plant.load(list(cards))
    for digit in (lambda card: card % 20, lambda card: card // 20):
        for _ in range(64):
            plant.move(digit(plant.hopper[0]) - plant.axis.slot, False)
            run(plant, 1500)
            feed(plant, 1, 300)
        for shelf in range(20):
            plant.move(shelf - plant.axis.slot, False)
            run(plant, 1500)
            drive_ms(plant, 301, "ejector")
            drive_ms(plant, 301)
        if digit(20) == 0:
            drive_ms(plant, 1501, "outfeed")
            drive(plant)
    assert plant.take() == list(range(64))
    assert plant.crashes == 0


def test_a_full_shelf_takes_no_more():
    plant = homed(machine("shelves", shelf_cards_max=2))
    plant.load([1, 2, 3])
    feed(plant, 3)
    assert plant.slots[0] == [1, 2]
    assert level(plant, "throat_b") == 1 and CardCounts(plant).path == 1


def test_moving_the_elevator_breaks_it_with_a_card_at_the_mouth_or_the_pusher_out():
    for at_um in (50000, 100000, 140000):
        plant = homed(machine("shelves"))
        plant.load([1])
        plant.jam("throat", 0, at_um)
        feed(plant)
        plant.move(1, False)
        assert plant.crashes == 1, at_um
    plant = homed(machine("shelves"))
    drive(plant, "ejector")
    plant.move(1, False)
    assert plant.crashes == 1
    plant = homed(machine("shelves"))
    plant.move(1, False)
    drive(plant, "ejector")
    assert plant.crashes == 1


def test_ejecting_from_an_empty_slot_gives_nothing():
    plant = homed(machine())
    drive(plant, "ejector", "outfeed")
    assert names(run(plant, 500)) == [("ejector", 1)]
    drive(plant)
    assert names(run(plant, 500)) == [("ejector", 0)]


def test_a_dealer_may_leave_part_of_a_stack():
    plant = machine("shoe")
    plant.put_in_tray([1, 2, 3])
    run(plant, 1)
    assert plant.take(2) == [2, 3]
    assert level(plant, "tray") == 1
    assert plant.take(1) == [1]
    assert level(plant, "tray") == 0
    assert CardCounts(plant).out == 3


def test_a_shoe_card_past_the_exit_falls_whatever_the_rollers_do():
    plant = machine("shoe", brake_um=500, cards=[4])
    drive(plant, "pick", "transport")
    while ("exit", 0) not in names(run(plant, 1)):
        pass
    drive_ms(plant, 50)
    assert plant.tray == [4]


def _pass_the_exit(kind, ms=1000):
    """A card on its way to the tray; the drive is off after so many ms. How long it took to pass the exit, or -1."""
    plant = machine(kind)
    if kind == "shoe":
        plant.load([4])
        drive(plant, "pick", "transport")
    else:
        homed(plant)
        plant.slots[0] = [4]
        plant.put_in += 1
        drive(plant, "ejector", "outfeed")
    passed = -1
    for now in range(ms):
        if ("exit", 0) in names(run(plant, 1)) and passed < 0:
            passed = now
    drive_ms(plant, 500)
    return plant, passed


def test_a_card_that_leaves_the_rollers_while_they_stop_falls_too():
    for kind in ("shoe", "carousel"):
        _, passed = _pass_the_exit(kind)
        for early in (1, 2):  # the brake takes 2.5 ms
            plant, before = _pass_the_exit(kind, passed - early)
            assert before < 0 and plant.tray == [4], (kind, early)
            assert not is_moving(plant) and level(plant, "exit") == 0


def test_a_shoe_card_before_the_exit_stops_with_the_rollers_and_comes_back():
    plant = machine("shoe", cards=[4])
    drive(plant, "pick", "transport")
    while not level(plant, "exit"):
        run(plant, 1)
    drive_ms(plant, 200)
    assert level(plant, "exit") == 1 and not is_moving(plant)
    drive_ms(plant, 300, "pick", "transport", "reverse")
    assert plant.hopper == [4] and level(plant, "exit") == 0
    assert plant.crashes == 0


def test_a_shoe_has_no_axis_to_move():
    plant = machine("shoe")
    plant.move(1, False)
    assert plant.crashes == 1


def test_the_sum_of_all_places_never_changes_and_a_hand_finds_every_card():
    for kind in ("carousel", "shelves", "shoe"):
        plant = machine(kind)
        if kind != "shoe":
            homed(plant)
        plant.load(list(range(6)))
        plant.litter(2)
        plant.add_fault({"fault": "card_lost", "place": "rail", "card": 1})
        plant.add_fault({"fault": "jam", "place": "throat", "card": 2, "at_um": 60000})
        if kind == "carousel":
            plant.slots[1] = [40]
            plant.put_in += 1
        for _ in range(300):
            drive_ms(plant, 4, "pick", "transport")
            assert CardCounts(plant).total() == plant.put_in
        where = CardCounts(plant)
        assert where.lost == 1 and where.path >= 1
        plant.take(1)
        drive(plant)
        found = plant.clear()
        assert len(found) == plant.put_in - 1
        assert len(set(found)) == len(found)
        assert CardCounts(plant).out == plant.put_in == CardCounts(plant).total()
        for name in ("hopper", "throat_a", "throat_b", "arrival", "exit", "tray"):
            assert level(plant, name) == 0, name


def test_the_hole_card_reader_tells_what_it_was_lit_for_and_in_the_dark_nothing():
    plant = machine()
    plant.reader.wired = True
    outputs = bytearray(11)
    for ace, court, seen in ((0, 0, ()), (1, 0, (1,)), (0, 1, (11, 12, 13))):
        outputs[9] = ace
        outputs[10] = court
        plant.drive(outputs, False)
        assert (level(plant, "hole_card"), level(plant, "hole_match")) == (0, 0)
        for rank in range(1, 14):
            plant.reader.insert(rank)
            assert (level(plant, "hole_card"), level(plant, "hole_match")) == (1, 1 if rank in seen else 0), rank
            plant.reader.remove()
            assert (level(plant, "hole_card"), level(plant, "hole_match")) == (0, 0)
    plant.reader.insert(13)
    plant.power_off()
    assert (level(plant, "hole_card"), level(plant, "hole_match")) == (1, 0)
