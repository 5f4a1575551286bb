"""What every port promises of inputs, outputs and the stop that needs no scan."""

from drivers import LINE, OUTPUT
from promises import ALL, MASK, REST, ROLLERS, promise

from firmware.image import INPUTS

NAMES = ("pick", "transport", "ejector", "outfeed", "reverse", "dark")
BEAMS = ("hopper", "throat_a", "throat_b", "opacity", "slot", "exit", "tray", "arrival", "cut")
BUTTONS = ("key_switch", "button_close", "button_lock", "button_seat", "button_green", "button_ack")


# -- inputs ------------------------------------------------------------------------------------------------------------


@promise(ALL)
def a_line_that_the_board_lacks_stays_0(driver, kind):
    board = driver.make(kind)
    for name in INPUTS:
        board.set_line(name, 1)
    for _ in range(10):  # buttons are not looked at in every sample
        board.hal.idle(10)
        board.sample()
    high = [name for name in INPUTS if board.raw(name)]
    assert high == [name for name in INPUTS if name in board.config["inputs"] and name != "slot"]


@promise(ALL)
def edges_come_in_time_order_with_their_microsecond(driver, kind):
    """Across the wrap of the clock, which comes three seconds after power-on."""
    board = driver.make(kind)
    passed = (("hopper", 1), ("throat_a", 1), ("door", 1), ("throat_a", 0))
    start_us = MASK - 2500
    board.sample(after_us=start_us - board.hal.ticks_us())
    for line, level in passed:
        board.set_line(line, level, then_us=1700)
    edges = board.sample()
    assert [(name, level) for name, level, _ in edges] == list(passed)
    assert edges[0][2] > edges[-1][2], "no wrap"
    assert (edges[0][2] - start_us) & MASK <= board.verb_us + board.late_us
    for i in range(4):
        assert abs(((edges[i][2] - edges[0][2]) & MASK) - 1700 * i) <= board.late_us
    assert [board.raw(name) for name in ("hopper", "throat_a", "door")] == [1, 0, 1]
    assert board.sample() == []


@promise(ROLLERS)
def every_bounce_is_an_edge(driver, kind):
    board = driver.make(kind, bounce_us=300)
    most = 0
    for passage in range(8):
        board.set_line("tray", 1 - passage % 2, then_us=1000)
        levels = [level for name, level, _ in board.sample() if name == "tray"]
        assert levels == [(passage + 1 + i) % 2 for i in range(len(levels))]
        assert len(levels) % 2 == 1
        most = max(most, len(levels))
    assert most > 1


@promise(ROLLERS)
def sample_says_whether_anything_is_new(driver, kind):
    board = driver.make(kind)
    assert not board.hal.sample(board.inp)
    board.plant.door(True)
    board.soon()
    assert board.hal.sample(board.inp)
    assert not board.hal.sample(board.inp)


@promise(("draw",))
def more_edges_than_fit_are_said_to_be_lost(driver, kind):
    for count in (100, 101):
        board = driver.make(kind)
        for i in range(count):
            board.set_line("throat_a", (i + 1) % 2, then_us=100)
        board.soon()
        board.sample()
        assert board.inp.edge_lost
        # The firmware takes its levels from this very sample: the edges that were kept are older than those lost.
        assert board.raw("throat_a") == count % 2
        assert board.sample() == []
        assert board.raw("throat_a") == count % 2


@promise(("draw",))
def levels_are_right_when_the_image_is_full(driver, kind):
    board = driver.make(kind)
    for i in range(15):
        board.set_line("throat_a", (i + 1) % 2)
        board.set_line("throat_b", i % 2, then_us=100)
    board.inp.edge_count = 25
    board.hal.sample(board.inp)
    assert board.inp.edge_lost
    assert (board.raw("throat_a"), board.raw("throat_b")) == (1, 0)


@promise(("draw",))
def as_many_edges_as_the_image_holds_are_all_there(driver, kind):
    board = driver.make(kind)
    for i in range(31):
        board.set_line("throat_a", (i + 1) % 2, then_us=400)
    edges = board.sample()
    assert len(edges) == 31 and not board.inp.edge_lost
    assert [level for _, level, _ in edges] == [(i + 1) % 2 for i in range(31)]


@promise(("shelves",))
def what_the_slot_beam_sees_at_power_on_is_nobodys_business(driver, kind):
    board = driver.make(kind)
    for slot in board.plant.slots:
        slot.append(1)
    board.plant.look()
    board.run(100)
    board.restart()
    board.sample()
    assert board.raw("slot") == 0


@promise(ROLLERS)
def what_is_there_at_power_on_is_a_level_and_no_edge(driver, kind):
    board = driver.make(kind)
    board.set_line("hopper", 1, then_us=100)
    board.sample()
    board.restart()
    edges = board.sample()
    assert board.raw("hopper") == 1 and board.raw("throat_a") == 0
    assert [edge for edge in edges if edge[0] == "hopper"] == []


@promise(ROLLERS)
def a_finger_on_any_button_is_one_press(driver, kind):
    board = driver.make(kind)
    for button in BUTTONS:
        board.plant.press(LINE[button])
        edges = []
        for _ in range(30):
            board.hal.idle(10)
            edges += [(name, level) for name, level, _ in board.sample()]
        assert edges == [(button, 1), (button, 0)]


@promise(("shelves",))
def the_slot_beam_is_0_unless_watched_and_its_edges_say_so(driver, kind):
    board = driver.make(kind)
    assert board.home() == REST
    board.plant.slots[board.plant.axis.slot].append(1)
    board.run(10000)
    board.plant.look()
    assert board.sample(after_us=100) == [] and board.raw("slot") == 0
    board.drive(watch_slot=True)
    board.run(100)
    assert [(name, level) for name, level, _ in board.sample()] == [("slot", 1)]
    assert board.raw("slot") == 1
    board.drive(watch_slot=False)
    board.run(100)
    assert [(name, level) for name, level, _ in board.sample()] == [("slot", 0)]
    assert board.raw("slot") == 0


# -- outputs -----------------------------------------------------------------------------------------------------------


@promise(ALL)
def outputs_are_off_from_the_start_and_whatever_was_before(driver, kind):
    board = driver(driver.make(kind).config)
    assert board.outputs() == [0] * 6
    board.drive(pick=1, transport=1, dark=1)
    board.restart()
    assert board.outputs() == [0] * 6


@promise(ALL)
def outputs_are_what_was_driven_and_only_those_the_board_has(driver, kind):
    board = driver.make(kind)
    wired = [1 if name in board.config["outputs"] else 0 for name in NAMES]
    board.drive(pick=1, transport=1, ejector=1, outfeed=1, reverse=1, dark=1)
    assert board.outputs() == wired
    board.drive(pick=0, dark=0)
    assert board.outputs() == [0] + wired[1:5] + [0]
    board.drive(transport=0, ejector=0, outfeed=0, reverse=0)
    assert board.outputs() == [0] * 6


@promise(ALL)
def in_the_dark_every_beam_reads_blocked(driver, kind):
    board = driver.make(kind)
    wired = sorted([name for name in BEAMS if name in board.config["inputs"]])
    board.drive(watch_slot=True, dark=1)
    board.run(100)
    assert sorted([name for name, level, _ in board.sample() if level]) == wired
    board.drive(watch_slot=True, dark=0)
    board.run(100)
    assert sorted([name for name, level, _ in board.sample() if not level]) == wired
    assert not any(board.inp.raw)


@promise(ROLLERS)
def an_armed_stop_switches_off_without_a_scan_at_its_microsecond(driver, kind):
    board = driver.make(kind)
    for delay_us in (0, 1, 700, 2500, 60000):
        board.drive(pick=1, transport=1)
        board.hal.stop_after(OUTPUT["pick"], LINE["throat_b"], delay_us)
        board.set_line("throat_b", 1)
        if delay_us > 1:
            board.run(delay_us - 1)
            assert board.outputs()[:2] == [1, 1]
        board.run(2 + board.late_us)
        assert board.outputs()[:2] == [0, 1]
        board.set_line("throat_b", 0)
        board.soon()
        board.drive(pick=0)
        board.sample()


@promise(ROLLERS)
def a_stopped_output_stays_off_until_the_firmware_knows(driver, kind):
    board = driver.make(kind)
    board.drive(pick=1)
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 0)
    board.set_line("throat_a", 1)
    board.soon()
    assert board.outputs()[0] == 0
    # A scan that began before the edge still believes the roller to be running.
    board.drive(pick=1, transport=1)
    assert board.outputs()[:2] == [0, 1]
    board.drive(pick=0)
    board.drive(pick=1)
    assert board.outputs()[0] == 1


@promise(ROLLERS)
def a_later_order_replaces_the_one_before(driver, kind):
    board = driver.make(kind)
    board.drive(pick=1, transport=1)
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 0)
    board.hal.stop_after(OUTPUT["transport"], LINE["throat_b"], 0)
    board.set_line("throat_a", 1)
    board.soon()
    assert board.outputs()[:2] == [1, 1]
    board.set_line("throat_b", 1)
    board.soon()
    assert board.outputs()[:2] == [1, 0]


@promise(ROLLERS)
def a_later_order_replaces_one_whose_time_runs_already(driver, kind):
    board = driver.make(kind)
    board.drive(pick=1, transport=1)
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 5000)
    board.set_line("throat_a", 1, then_us=1000)
    board.hal.stop_after(OUTPUT["transport"], LINE["throat_b"], 0)
    board.run(10000)
    assert board.outputs()[:2] == [1, 1]


@promise(ROLLERS)
def an_armed_stop_waits_for_the_line_to_become_blocked(driver, kind):
    board = driver.make(kind)
    board.set_line("throat_a", 1)
    board.soon()
    board.drive(pick=1)
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 0)
    board.set_line("throat_a", 0)
    board.soon()
    assert board.outputs()[0] == 1
    board.set_line("throat_a", 1)
    board.soon()
    assert board.outputs()[0] == 0


@promise(ALL)
def all_off_is_off_from_any_state(driver, kind):
    for busy_us in (0, 30000, 150000):
        board = driver.make(kind)
        board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 50000)
        board.drive(pick=1, transport=1, ejector=1, outfeed=1, reverse=1, dark=1)
        if "axis" in board.config:
            board.hal.move(0, True)
        board.sample(after_us=busy_us)
        board.hal.all_off()
        board.hal.all_off()
        assert board.outputs() == [0] * 6
        board.sample(after_us=1000)
        assert board.inp.axis == REST
        # The order to stop is forgotten too: what is switched on now stays on.
        for i in range(len(board.level)):
            board.level[i] = 0
        board.drive()
        board.drive(dark=1, pick=1)
        board.run(100000)
        assert board.outputs()[5] == 1
        assert board.outputs()[0] == (1 if kind != "draw" else 0)
