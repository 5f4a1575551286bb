"""Settling of inputs: every passage of a card is seen once, whenever the scan comes; what does not last is noise."""

from support import without_heap
from tables import insert, set_up, warned

from firmware import image
from firmware.fault import FAULT_EDGE_LOST
from firmware.image import (
    EDGES_MAX,
    IN_ACK,
    IN_CLOSE,
    IN_DOOR,
    IN_EXIT,
    IN_GREEN,
    IN_KEY,
    IN_THROAT_A,
    IN_THROAT_B,
    INPUT_COUNT,
    INPUTS,
    NO_LINE,
    SETTLE_US,
    Inputs,
    sensor_of,
)
from firmware.ticks import FOREVER_MS
from hal.sim.rng import mix

MASK = 0x3FFFFFFF


def ready(level=0):
    """An image that has seen its levels once."""
    inp = Inputs()
    for line in range(INPUT_COUNT):
        inp.raw[line] = level
    inp.settle()
    return inp


def scan(inp, now_us, *edges):
    """One scan at now_us with the edges since the last one: (line, level, us)."""
    for line, level, at_us in edges:
        at = inp.edge_count
        inp.edge[at] = line << 1 | level
        inp.edge_us[at] = at_us & MASK
        inp.edge_count = at + 1
        inp.raw[line] = level
    inp.now_us = now_us & MASK
    return inp.settle()


def passages(inp, line=IN_THROAT_A):
    return inp.level[line], inp.enters[line], inp.leaves[line], inp.glitches[line]


def test_every_number_of_an_input_and_an_output_is_the_place_of_its_name():
    for prefix, names in (("IN_", INPUTS), ("OUT_", image.OUTPUTS)):
        found = [name for name in dir(image) if name.startswith(prefix)]
        assert len(found) == len(names)
        for name in found:
            assert name[len(prefix) :].lower() in names[getattr(image, name)]
    assert len(INPUTS) == INPUT_COUNT
    assert len(image.OUTPUTS) == image.OUTPUT_COUNT
    assert image.OUTPUTS[: image.MOTOR_COUNT] == ("pick", "transport", "ejector", "outfeed")
    assert image.OUTPUTS[image.MOTOR_COUNT : image.MACHINE_COUNT] == ("reverse", "dark")
    assert (image.SUIT_FACES, image.TEN) == (13, 10)


def test_a_change_that_has_to_last_is_looked_at_again_as_soon_as_it_may_have():
    for age_us, wake_ms in ((0, 2), (1, 1), (500, 1), (SETTLE_US - 1, 1), (SETTLE_US, FOREVER_MS)):
        assert scan(ready(), 5000 + age_us, (IN_THROAT_A, 1, 5000)) == wake_ms, age_us
    assert scan(ready(), 5000) == FOREVER_MS


def test_outputs_begin_with_nothing_asked_for_and_everything_to_be_driven_once():
    out = image.Outputs()
    assert not any(out.level) and out.dirty
    assert not (out.watch_slot or out.halt or out.axis_go or out.axis_home or out.stop_armed)
    assert (out.axis_slots, out.stop_output, out.stop_line, out.stop_us) == (0, 0, 0, 0)


def test_an_output_is_driven_when_it_changes_and_only_then():
    out = image.Outputs()
    for on, dirty in ((1, True), (1, False), (0, True), (0, False)):
        out.dirty = False
        image.output_set(out, image.OUT_LAMP_RED, on)
        assert out.level[image.OUT_LAMP_RED] == on
        assert out.dirty == dirty


def test_motors_off_leaves_the_lamps_and_each_motor_alone_means_that_cards_may_move():
    out = image.Outputs()
    inp = Inputs()
    assert not image.motors_running(inp, out)
    for index in range(image.OUTPUT_COUNT):
        image.output_set(out, index, 1)
        assert image.motors_running(inp, out) == (index < image.MOTOR_COUNT)
        image.output_set(out, index, 0)
    out.axis_go = True
    assert image.motors_running(inp, out)
    out.axis_go = False
    for axis in (image.AXIS_IDLE, image.AXIS_MOVING, image.AXIS_LOST):
        inp.axis = axis
        assert image.motors_running(inp, out) == (axis == image.AXIS_MOVING)
    for index in range(image.OUTPUT_COUNT):
        out.level[index] = 1
    image.motors_off(out)
    assert list(out.level) == [0] * image.MACHINE_COUNT + [1] * (image.OUTPUT_COUNT - image.MACHINE_COUNT)


def test_a_stop_is_armed_with_output_line_and_delay():
    out = image.Outputs()
    image.output_arm_stop(out, image.OUT_TRANSPORT, IN_EXIT, 1234)
    assert (out.stop_armed, out.stop_output, out.stop_line, out.stop_us) == (True, image.OUT_TRANSPORT, IN_EXIT, 1234)


def test_when_noise_begins_edges_and_changes_that_have_not_lasted_are_dropped():
    inp = ready()
    scan(inp, 5000, (IN_THROAT_A, 1, 5000))
    assert inp.waiting
    inp.edge_lost = True
    inp.noisy = IN_THROAT_B
    assert scan(inp, 5100, (IN_THROAT_B, 1, 5050)) == image.NOISY_MS
    assert (inp.edge_count, inp.waiting, inp.suspect) == (0, 0, IN_THROAT_B)
    assert passages(inp) == (0, 0, 0, 0)


def test_levels_found_at_the_start_are_no_passages():
    inp = Inputs()
    assert inp.unsettled()
    inp.raw[IN_THROAT_A] = 1
    assert inp.settle() == FOREVER_MS
    assert passages(inp) == (1, 0, 0, 0)
    assert not inp.unsettled()


def test_edges_before_the_first_look_do_not_count_either():
    inp = Inputs()
    scan(inp, 100, (IN_THROAT_A, 1, 10), (IN_THROAT_A, 0, 60), (IN_THROAT_A, 1, 90))
    assert passages(inp) == (1, 0, 0, 0)
    scan(inp, 50000, (IN_THROAT_A, 0, 40000))
    assert passages(inp) == (0, 0, 1, 0)


def test_a_change_counts_once_it_has_lasted_and_with_the_time_at_which_it_began():
    inp = ready()
    wake_ms = scan(inp, 10100, (IN_THROAT_A, 1, 10000))
    assert passages(inp) == (0, 0, 0, 0) and inp.unsettled()
    assert wake_ms == 1
    assert scan(inp, 10000 + SETTLE_US - 1) == 1
    assert passages(inp) == (0, 0, 0, 0)
    assert scan(inp, 10000 + SETTLE_US) == FOREVER_MS
    assert passages(inp) == (1, 1, 0, 0)
    assert inp.enter_us[IN_THROAT_A] == 10000
    assert not inp.unsettled()


def test_what_just_lasts_counts_and_what_just_does_not_is_a_glitch():
    for width_us, expected in (
        (1, (0, 0, 0, 1)),
        (SETTLE_US - 1, (0, 0, 0, 1)),
        (SETTLE_US, (0, 1, 1, 0)),
        (SETTLE_US + 1, (0, 1, 1, 0)),
    ):
        inp = ready()
        scan(inp, 20000, (IN_THROAT_A, 1, 5000), (IN_THROAT_A, 0, 5000 + width_us))
        scan(inp, 30000)
        assert passages(inp) == expected, width_us


def test_a_late_scan_sees_every_card_of_several():
    """Three cards between two scans: three passages, and the times of the last."""
    inp = ready()
    edges = []
    for card in range(3):
        edges += [(IN_EXIT, 1, card * 100000 + 1000), (IN_EXIT, 0, card * 100000 + 75000)]
    scan(inp, 300000, *edges)
    assert passages(inp, IN_EXIT) == (0, 3, 3, 0)
    assert (inp.enter_us[IN_EXIT], inp.leave_us[IN_EXIT]) == (201000, 275000)


def test_bounce_at_both_ends_of_a_card_is_one_passage():
    inp = ready()
    scan(inp, 12000, (IN_THROAT_B, 1, 10000), (IN_THROAT_B, 0, 10080), (IN_THROAT_B, 1, 10250))
    assert passages(inp, IN_THROAT_B)[:3] == (1, 1, 0)
    # It was really blocked from the last of the edges on.
    assert inp.enter_us[IN_THROAT_B] == 10250
    scan(inp, 86000, (IN_THROAT_B, 0, 84000), (IN_THROAT_B, 1, 84100), (IN_THROAT_B, 0, 84300))
    scan(inp, 88000)
    assert passages(inp, IN_THROAT_B)[:3] == (0, 1, 1)
    assert inp.leave_us[IN_THROAT_B] == 84300


def test_bounce_torn_apart_by_scans_is_the_same_passage():
    """Whatever instants the scans come at: the same edges give the same passages and times."""
    edges = [(IN_THROAT_A, 1, 10000), (IN_THROAT_A, 0, 10100), (IN_THROAT_A, 1, 10300), (IN_THROAT_A, 0, 50000)]
    edges += [(IN_THROAT_A, 1, 50200), (IN_THROAT_A, 0, 50299), (IN_THROAT_B, 1, 50300), (IN_THROAT_B, 0, 60000)]
    whole = ready()
    scan(whole, 70000, *edges)
    for seed in range(30):
        inp = ready()
        at = 0
        now_us = 0
        while now_us < 70000:
            now_us = min(now_us + 1 + mix(seed, 1, now_us) % 4000, 70000)
            some = []
            while at < len(edges) and edges[at][2] <= now_us:
                some.append(edges[at])
                at += 1
            scan(inp, now_us, *some)
        for line in (IN_THROAT_A, IN_THROAT_B):
            assert passages(inp, line) == passages(whole, line), seed
            assert inp.enter_us[line] == whole.enter_us[line] and inp.leave_us[line] == whole.leave_us[line], seed


def test_a_gap_in_a_card_shorter_than_the_settling_time_is_no_gap():
    inp = ready()
    scan(inp, 20000, (IN_THROAT_A, 1, 1000))
    scan(inp, 40000, (IN_THROAT_A, 0, 30000), (IN_THROAT_A, 1, 30500))
    assert passages(inp) == (1, 1, 0, 1)
    assert inp.enter_us[IN_THROAT_A] == 1000


def test_the_same_level_twice_is_nothing_new():
    inp = ready()
    scan(inp, 5000, (IN_THROAT_A, 1, 1000), (IN_THROAT_A, 1, 1500))
    assert passages(inp) == (1, 1, 0, 0)
    assert inp.enter_us[IN_THROAT_A] == 1000


def test_times_may_wrap_anywhere():
    for at_us in (MASK - 100, MASK - SETTLE_US, MASK - SETTLE_US + 1, MASK, 0):
        inp = ready()
        scan(inp, at_us + 200, (IN_THROAT_A, 1, at_us))
        assert passages(inp) == (0, 0, 0, 0), at_us
        scan(inp, at_us + SETTLE_US)
        assert passages(inp) == (1, 1, 0, 0), at_us
        scan(inp, at_us + 80000, (IN_THROAT_A, 0, at_us + 70000), (IN_THROAT_A, 1, at_us + 70500))
        assert passages(inp) == (1, 1, 0, 1), at_us
        late = ready()
        scan(late, at_us + 90000, (IN_THROAT_A, 1, at_us), (IN_THROAT_A, 0, at_us + 70000))
        assert passages(late) == (0, 1, 1, 0), at_us


def test_a_line_at_rest_for_longer_than_the_clock_lasts_still_settles():
    inp = ready()
    scan(inp, 5000, (IN_THROAT_A, 1, 1000))
    for hours in range(1, 4):
        scan(inp, hours * 3600000000)
    scan(inp, 4 * 3600000000, (IN_THROAT_A, 0, 4 * 3600000000 - 5000))
    assert passages(inp) == (0, 1, 1, 0)


def test_lines_do_not_disturb_each_other():
    inp = ready()
    edges = [(line, 1, 1000 + line * 10) for line in range(INPUT_COUNT)]
    scan(inp, 1500, *edges)
    assert not any(inp.level)
    scan(inp, 1000 + SETTLE_US + 5 * 10)
    assert list(inp.level) == [1 if line <= 5 else 0 for line in range(INPUT_COUNT)]
    scan(inp, 5000)
    assert all(inp.level) and not inp.unsettled()


def test_only_buttons_count_as_presses():
    inp = ready()
    scan(inp, 5000, (IN_GREEN, 1, 1000), (IN_THROAT_A, 1, 1000))
    assert inp.presses == 1
    scan(inp, 9000, (IN_GREEN, 0, 6000), (IN_CLOSE, 1, 6000), (IN_CLOSE, 0, 6400))
    assert inp.presses == 1
    assert INPUTS[IN_CLOSE].startswith("button") and not INPUTS[IN_CLOSE - 1].startswith("button")


def test_a_sensor_that_is_added_after_the_buttons_is_no_press():
    """New lines come last, so that the others keep the numbers that warnings carry on the wire."""
    inp = ready()
    added = IN_ACK + 1
    for name in ("level", "_held", "enters", "enter_us", "leaves", "leave_us", "_held_us", "glitches"):
        setattr(inp, name, list(getattr(inp, name)) + [0])
    inp._held[added] = 1
    inp._accept(added)
    assert inp.level[added] == inp.enters[added] == 1
    assert inp.presses == 0
    inp._held[IN_ACK] = 1
    inp._accept(IN_ACK)
    assert inp.presses == 1


def with_one_more_sensor():
    """firmware/image.py with a line added as CONTRIBUTING.md says."""
    with open("firmware/image.py") as file:
        source = file.read()
    source = source.replace('    "button_ack",\n', '    "button_ack",\n    "probe",\n')
    source = source.replace(
        "self.stale = True  # levels are", "self.stale = False  # levels are"
    )  # they have been seen
    source = source.replace("INPUT_COUNT = const(%d)" % INPUT_COUNT, "INPUT_COUNT = const(%d)" % (INPUT_COUNT + 1))
    found = {}
    exec(source, found)
    assert len(found["INPUTS"]) == found["INPUT_COUNT"] == INPUT_COUNT + 1
    return found


def test_a_sensor_that_is_added_has_the_noise_class_of_a_beam():
    """Cards pass it ten times a second; a button that is pressed so often is noise."""
    grown = with_one_more_sensor()
    added = INPUT_COUNT
    for line, expected in ((added, 0), (IN_EXIT, 0), (IN_ACK, 77)):
        assert changes_until_lost(line, 50000, inp=grown["Inputs"]()) == expected, line
    for every_us in (1100, 5000, 15000):
        counts = [pulses_until_lost(line, every_us, 900, inp=grown["Inputs"]()) for line in (added, IN_EXIT)]
        assert counts[0] == counts[1] > 0, every_us
    assert [grown["makes_events"](line) for line in (IN_EXIT, IN_DOOR, IN_KEY, IN_ACK, added)] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_after_lost_edges_the_levels_are_what_they_are_and_nothing_has_passed():
    inp = ready()
    scan(inp, 5000, (IN_THROAT_A, 1, 1000))
    scan(inp, 8100, (IN_EXIT, 1, 8000))
    inp.edge_lost = True
    assert inp.waiting and inp.unsettled()
    scan(inp, 9000, (IN_THROAT_A, 0, 8000), (IN_THROAT_B, 1, 8900))
    assert passages(inp) == (0, 1, 0, 0)
    assert passages(inp, IN_THROAT_B) == (1, 0, 0, 0)
    inp.edge_lost = False
    assert not inp.unsettled()
    scan(inp, 90000, (IN_THROAT_B, 0, 85000))
    assert passages(inp, IN_THROAT_B) == (0, 0, 1, 0) and passages(inp, IN_EXIT) == (1, 0, 0, 0)


def noisy_scan(inp, now_us, line, **raw):
    """One scan under noise on a line, with these raw levels."""
    for name in raw:
        inp.raw[INPUTS.index(name)] = raw[name]
    inp.noisy = line
    inp.edge_lost = line != NO_LINE
    scan(inp, now_us)
    inp.edge_lost = False


def test_under_noise_levels_stay_as_they_were_until_it_is_over():
    inp = ready()
    for i in range(100):
        noisy_scan(inp, i * 2000, IN_THROAT_A, throat_a=1, door=1, key_switch=1)
        assert inp.unsettled() and inp.suspect == IN_THROAT_A
    assert not any(inp.level)
    noisy_scan(inp, 300000, NO_LINE)
    assert [INPUTS[line] for line in range(INPUT_COUNT) if inp.level[line]] == ["throat_a", "door", "key_switch"]
    assert not any(inp.enters) and not inp.unsettled()
    scan(inp, 400000, (IN_THROAT_A, 0, 390000))
    assert passages(inp) == (0, 0, 1, 0)


def chatter(inp, from_us, line, changes, pause_us=500):
    """So many changes of a line, one by one, each seen by a scan. Returns when the next would come."""
    for i in range(changes):
        scan(inp, from_us + i * pause_us, (line, 1 - inp.raw[line], from_us + i * pause_us))
    return from_us + changes * pause_us


def test_a_line_on_which_no_level_lasts_through_24_pulses_is_lost_and_said_so():
    for level in (0, 1):
        for pause_us in (1, 500, SETTLE_US - 1):
            inp = ready(level)
            at_us = chatter(inp, 10000, IN_EXIT, 47, pause_us)
            assert not inp.edge_lost and not inp.stale and inp.glitches[IN_EXIT] == 23
            chatter(inp, at_us, IN_EXIT, 1, pause_us)
            assert inp.edge_lost and inp.stale and inp.suspect == IN_EXIT
            assert inp.level[IN_EXIT] == level and inp.enters[IN_EXIT] == inp.leaves[IN_EXIT] == 0


def pulse(inp, at_us, line, width_us):
    """A pulse of the wrong level, seen by the scan at its end."""
    level = inp.raw[line]
    scan(inp, at_us + width_us, (line, 1 - level, at_us), (line, level, at_us + width_us))


def pulses_until_lost(line, every_us, width_us, most=400, inp=None):
    """How many pulses of a line make it noise; 0: not so many as were tried."""
    inp = inp or ready()
    for i in range(most):
        pulse(inp, 10000 + i * every_us, line, width_us)
        if inp.edge_lost:
            assert inp.suspect == line and not inp.enters[line]
            return i + 1
    return 0


def test_a_level_that_lasts_takes_its_own_time_off_and_no_more():
    """A rest of 1.1 ms between two pulses once began the count again, and the pulses hid what the line should show."""
    for every_us, expected in ((1100, 24), (2000, 26), (5000, 32), (10000, 55), (15000, 195), (18000, 0), (100000, 0)):
        assert pulses_until_lost(IN_EXIT, every_us, 900) == expected, every_us


def test_the_bounce_of_changes_that_last_costs_nothing_and_more_than_a_bounce_does():
    for pulses, lost in ((3, False), (8, False), (12, True)):
        inp = ready()
        at_us = 10000
        for _ in range(100):
            for _ in range(pulses):
                pulse(inp, at_us, IN_EXIT, 40)
                at_us += 100
            scan(inp, at_us, (IN_EXIT, 1 - inp.raw[IN_EXIT], at_us))
            at_us += 6000
            scan(inp, at_us)
        assert inp.stale == lost, pulses
        assert lost or passages(inp, IN_EXIT) == (0, 50, 50, 0)


def changes_until_lost(line, every_us, most=100, late=False, inp=None):
    """`late`: no scan comes between two changes, and the next one shows that the last has lasted."""
    inp = inp or ready()
    for i in range(most):
        scan(inp, 10000 + i * every_us, (line, (i + 1) & 1, 10000 + i * every_us))
        if not late:
            scan(inp, 10000 + i * every_us + SETTLE_US)
        if inp.edge_lost:
            return i + 1
    return 0


def test_a_line_that_makes_events_is_noise_from_the_ninth_change_in_a_second_on():
    for line in (IN_DOOR, IN_KEY):
        for every_us, expected in ((1100, 9), (20000, 9), (100000, 9), (124000, 9), (126000, 0), (400000, 0)):
            assert changes_until_lost(line, every_us) == expected, (line, every_us)
            assert changes_until_lost(line, every_us, late=True) == expected + (expected > 0), (line, every_us)
        # A rest between two pulses may hide an open door: the line is noise after 0.3 s of them.
        for every_us, expected in ((1500, 16), (10000, 10), (20000, 7), (50000, 5), (100000, 3), (126000, 0)):
            assert pulses_until_lost(line, every_us, 900) == expected, (line, every_us)
    for every_us, expected in ((2000, 17), (30000, 30), (50000, 77), (70000, 0)):
        assert changes_until_lost(IN_ACK, every_us) == expected, every_us
        assert changes_until_lost(IN_ACK, every_us, late=True) == expected + (expected > 0), every_us
    assert changes_until_lost(IN_EXIT, 5000) == 0  # a beam: the machines look at what passes


def test_a_line_that_made_too_many_events_stands_still_until_it_was_calm_for_a_second():
    inp = ready()
    at_us = chatter(inp, 10000, IN_DOOR, 9, 20000)
    scan(inp, at_us)
    assert inp.edge_lost and inp.suspect == IN_DOOR
    inp.edge_lost = False
    enters = inp.enters[IN_DOOR]
    for _ in range(100):
        at_us = chatter(inp, at_us, IN_DOOR, 1, 20000)
    assert inp.stale and inp.enters[IN_DOOR] == enters
    scan(inp, at_us + 970000)
    assert inp.stale
    scan(inp, at_us + 980000)
    assert not inp.stale and inp.level[IN_DOOR] == inp.raw[IN_DOOR]


def test_a_button_that_is_the_noise_is_not_pressed_by_it():
    inp = ready()
    at_us = 10000
    while not inp.stale:
        at_us = chatter(inp, at_us, IN_ACK, 1, 20000)
        scan(inp, at_us - 10000)
    presses = inp.presses
    for i in range(50):
        inp.raw[IN_ACK] = i // 5 & 1
        noisy_scan(inp, at_us + i * 2000, IN_ACK)
    assert inp.presses == presses


def restless(at_us=10000):
    inp = ready()
    chatter(inp, at_us, IN_EXIT, 48)
    assert inp.edge_lost and inp.stale
    inp.edge_lost = False
    return inp, at_us + 47 * 500


def test_a_restless_line_counts_again_after_50_ms_without_a_change_of_it():
    inp, at_us = restless()
    inp.raw[IN_THROAT_B] = 1
    for ms in range(1, 50):
        assert scan(inp, at_us + ms * 1000) == 2 and inp.stale, ms
    assert not inp.level[IN_THROAT_B]
    scan(inp, at_us + 50000)
    assert not inp.stale and not inp.edge_lost and inp.level[IN_THROAT_B] == 1 and not inp.enters[IN_THROAT_B]


def test_a_restless_line_that_changes_once_more_is_waited_for_once_more():
    inp, at_us = restless()
    scan(inp, at_us + 49000, (IN_EXIT, 1, at_us + 49000))
    scan(inp, at_us + 60000, (IN_THROAT_B, 1, at_us + 59000))  # a hand in the path is no noise
    scan(inp, at_us + 98999)
    assert inp.stale and inp.suspect == IN_EXIT
    scan(inp, at_us + 99000)
    assert not inp.stale and inp.level[IN_EXIT] == inp.level[IN_THROAT_B] == 1


def test_another_line_that_is_restless_when_the_first_has_calmed_is_named():
    inp, at_us = restless()
    for ms in range(1, 200):
        scan(inp, at_us + ms * 1000, (IN_THROAT_B, ms & 1, at_us + ms * 1000))
        assert inp.stale and inp.suspect == (IN_EXIT if ms < 50 else IN_THROAT_B), ms


def test_a_line_that_was_restless_is_not_so_again_without_an_edge():
    inp = ready()
    for scans in range(2):  # its edges fill the image, to the last place
        scan(inp, 3200 * scans + 3200, *[(IN_EXIT, (i + 1) & 1, 3200 * scans + i * 100) for i in range(EDGES_MAX)])
    assert inp.stale and inp.edge_lost
    inp.edge_lost = False
    scan(inp, 100000)
    assert not inp.stale
    scan(inp, 200000, (IN_THROAT_A, 1, 200000))
    scan(inp, 200500)
    scan(inp, 201500)
    assert not inp.stale and not inp.edge_lost and passages(inp) == (1, 1, 0, 0)


def test_a_line_with_too_many_pulses_is_named_though_the_last_edge_is_always_of_another_line():
    """Two lines in step, as from the mains: the door's was never looked at, and motors ran on behind the open door."""
    for line, rest_us, expected in ((IN_EXIT, 0, 12), (IN_DOOR, 0, 8), (IN_DOOR, 18000, 6)):
        for level in (0, 1):
            inp = ready(level)
            scans = 0
            while not inp.edge_lost and scans < 300:
                at_us = (2000 + rest_us) * scans
                for half in range(4):
                    inp.edge[half], inp.edge_us[half] = line << 1 | (half + 1) & 1 ^ level, at_us + half * 500
                inp.edge_count = 4
                scans += 1
                scan(inp, at_us + 1900, (IN_THROAT_B, scans & 1 ^ level, at_us + 1800))
            assert (scans, inp.suspect) == (expected, line), (level, rest_us)


def test_as_many_edges_as_there_is_room_for_in_one_scan():
    inp = ready()
    edges = [(IN_EXIT, 1 - i % 2, 2000 + i * 2000) for i in range(EDGES_MAX)]
    scan(inp, 100000, *edges)
    assert passages(inp, IN_EXIT) == (0, EDGES_MAX // 2, EDGES_MAX // 2, 0)


def test_settling_allocates_nothing():
    inp = ready()
    for i in range(EDGES_MAX):
        inp.edge[i] = i % INPUT_COUNT << 1 | 1
        inp.edge_us[i] = 1000 + i
    inp.edge_count = EDGES_MAX
    inp.now_us = 1500
    without_heap(inp.settle)
    inp.now_us = 900000
    without_heap(inp.settle)
    assert all(inp.level)


def test_more_edges_than_can_be_kept_stop_the_machine_whatever_it_was_doing():
    stage = insert(set_up("carousel", 8), 8)
    stage.until("shuffle_started", 1000, then_ms=1000)
    plant = stage.rig.plant
    for i in range(EDGES_MAX + 1):
        line = plant.line_tray if i % 3 == 0 else plant.line_exit  # neither has so many that it is noise
        # Over more than the window in which so many would be noise: a scan that comes late.
        plant.edges.append((line, 1 - i % 2, plant.now_us - 400 * (EDGES_MAX - i)))
    plant.changed = True
    assert warned(stage) == FAULT_EDGE_LOST
    assert stage.rig.app.flow.sensor == sensor_of(IN_EXIT)
    assert not any(plant.outputs)
    assert "deck_verified" not in stage.names()


def test_a_bounce_is_no_glitch_and_pulses_that_lead_to_nothing_are():
    inp = ready()
    bounce = ((IN_THROAT_A, 1, 10000), (IN_THROAT_A, 0, 10100), (IN_THROAT_A, 1, 10200), (IN_THROAT_A, 0, 10250))
    scan(inp, 10300, *(bounce + ((IN_THROAT_A, 1, 10300),)))
    scan(inp, 13000)
    assert passages(inp) == (1, 1, 0, 0)
    # Two pulses far apart, then a change long after them: nothing of that was its bounce.
    for at_us in (50000, 60000):
        scan(inp, at_us + 5000, (IN_THROAT_A, 0, at_us), (IN_THROAT_A, 1, at_us + 200))
    scan(inp, 73000, (IN_THROAT_A, 0, 70000))
    assert passages(inp) == (0, 1, 1, 2)
