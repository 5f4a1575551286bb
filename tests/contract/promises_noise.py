"""What every port promises of lines that change faster than any card: a sample returns, motors stop, the line is named;
and of lines that do not: every edge counts."""

from drivers import LINE
from promises import MASK, ROLLERS, promise

from firmware.image import NO_LINE
from hal.sim.rng import mix

SEEDS = (1, 2, 3)  # one more, for every run another, comes from the clock
LINES = ("hopper", "throat_a", "throat_b", "exit", "tray")
SCAN_US = 4000
QUIET_US = 120000  # 50 ms in which edges do not count, and as much again where lines have to be heard on trial


def _quiet(board):
    """Until noise is forgotten; how long that took."""
    began_us = board.plant.now_us
    board.sample(after_us=1000)
    while board.inp.noisy != NO_LINE:
        assert board.plant.now_us - began_us < QUIET_US, "noise is over, and still called noise"
        assert board.inp.edge_lost
        board.sample(after_us=2000)
    return board.plant.now_us - began_us


def _counts_again(board, names):
    """Edges of these lines are there, with their time, and levels are right."""
    board.inp.edge_lost = False
    for name in names:
        level = board.plant.level[LINE[name]]
        assert board.raw(name) == level, name
        start_us = board.hal.ticks_us()
        board.set_line(name, 1 - level)
        board.soon()
        edges = board.sample()
        assert [(line, new) for line, new, _ in edges] == [(name, 1 - level)], name
        assert (edges[0][2] - start_us) & MASK <= board.verb_us + board.late_us
    assert not board.inp.edge_lost and board.inp.noisy == NO_LINE


@promise(ROLLERS, "noise")
def a_storm_on_any_lines_stops_the_motors_and_names_one_of_them(driver, kind):
    for names in (("throat_b",), LINES):
        for hz in (5000, 20000, 100000):
            board = driver.make(kind)
            board.drive(pick=1, transport=1)
            board.sample()
            storm = board.storm(names, hz)
            for _ in range(2):  # 5,000 Hz exceed 3,000 edges/s after 2.4 ms
                board.run(SCAN_US)
                before_us = board.plant.now_us
                board.sample()
                assert board.at_once(before_us)
            assert board.inp.noisy in [LINE[name] for name in names], (names, hz)
            assert board.inp.edge_lost and board.inp.edge_count == 0
            assert board.outputs()[:2] == [0, 0]
            # A scan that began before still believes the rollers to be running.
            board.drive(pick=1, transport=1)
            assert board.outputs()[:2] == [0, 0]
            board.sample(after_us=SCAN_US)
            storm.stop()
            assert _quiet(board) >= 40000
            _counts_again(board, names)


@promise(ROLLERS, "noise")
def a_line_a_little_too_fast_is_noise_though_no_sample_has_many_edges(driver, kind):
    board = driver.make(kind)
    board.drive(pick=1)
    storm = board.storm(("exit",), 2000)  # 4,000 edges/s: 25 after 6.2 ms; on a board a sample takes 1 ms
    board.run(1000)
    assert len(board.sample()) <= 15
    assert board.inp.noisy == NO_LINE and board.outputs()[0] == 1
    for _ in range(4):
        board.run(2000)
        assert len(board.sample()) <= 15
    assert board.inp.noisy == LINE["exit"] and board.outputs()[0] == 0
    storm.stop()


@promise(ROLLERS, "noise")
def a_line_just_above_its_rate_is_noise_by_its_25th_edge_whatever_other_lines_do(driver, kind):
    """A window that begins with the edge of another line has one edge too few of this one, time after time."""
    for hz in (1530, 1600, 1650):
        board = driver.make(kind)
        board.drive(pick=1)
        board.set_line("door", 1)
        storm = board.storm(("exit",), hz)
        for _ in range(12):  # 9.6 ms; 25 edges at 3,060 a second take 8.2
            board.sample(after_us=800)
        assert board.inp.noisy == LINE["exit"] and board.outputs()[0] == 0, hz
        storm.stop()


@promise(ROLLERS, "noise")
def a_storm_that_goes_on_is_noise_as_long_as_it_does(driver, kind):
    board = driver.make(kind)
    storm = board.storm(("exit",), 20000)
    board.sample(after_us=SCAN_US)
    seen = []
    for _ in range(40):
        board.sample(after_us=5000)
        seen.append(board.inp.noisy)
        assert board.inp.edge_lost and board.inp.edge_count == 0
    assert seen == [LINE["exit"]] * 40
    storm.stop()
    _quiet(board)
    _counts_again(board, LINES)


@promise(ROLLERS, "noise")
def noise_that_moves_to_another_line_names_the_line_that_is_noisy_now(driver, kind):
    for hz in (5000, 100000):  # one line above its rate; more edges than any port keeps
        board = driver.make(kind)
        storm = board.storm(("exit",), hz)
        for _ in range(3):
            board.sample(after_us=SCAN_US)
        assert board.inp.noisy == LINE["exit"], hz
        storm.stop()
        storm = board.storm(("tray",), hz)
        moved_us = board.plant.now_us
        for _ in range(40):
            board.sample(after_us=SCAN_US)
            late = board.plant.now_us - moved_us >= QUIET_US
            assert board.inp.noisy == LINE["tray"] or (not late and board.inp.noisy == LINE["exit"]), hz
            assert board.inp.edge_lost and board.inp.edge_count == 0
        storm.stop()
        _quiet(board)
        _counts_again(board, ("exit", "tray"))


@promise(ROLLERS, "noise")
def idle_ends_when_a_storm_begins_and_not_at_every_edge_of_it(driver, kind):
    board = driver.make(kind)
    storm = board.storm(("throat_a",), 20000)
    before_us = board.plant.now_us
    board.hal.idle(200)
    assert board.plant.now_us - before_us < 8000 + board.verb_us
    for _ in range(5):
        board.sample(after_us=2000)
    before_us = board.plant.now_us
    board.hal.idle(20)
    assert board.plant.now_us - before_us >= 20000
    storm.stop()
    board.hal.idle(200)
    assert board.plant.now_us - before_us < 100000 + board.verb_us
    _quiet(board)
    _counts_again(board, ("throat_a",))


@promise(ROLLERS, "noise")
def lines_below_their_rate_are_never_noise_and_lose_no_edge(driver, kind):
    for names, hz in (((LINES[0],), 1400), (LINES, 300), (LINES, 1)):
        board = driver.make(kind)
        storm = board.storm(names, hz)
        found = 0
        for _ in range(10):
            board.run(SCAN_US if hz > 1 else 120000)
            found += len(board.sample())
            assert not board.inp.edge_lost and board.inp.noisy == NO_LINE, (names, hz)
        storm.stop()
        board.soon()
        found += len(board.sample())
        assert found == storm.edges and found > 1


@promise(ROLLERS, "noise")
def cards_with_bounces_on_every_line_are_never_noise(driver, kind):
    board = driver.make(kind, bounce_us=300)
    for passage in range(20):
        for name in LINES:
            board.set_line(name, 1 - passage % 2, then_us=800)
        board.sample()
        assert not board.inp.edge_lost and board.inp.noisy == NO_LINE
        assert [board.raw(name) for name in LINES] == [1 - passage % 2] * len(LINES)


@promise(ROLLERS, "noise")
def edges_before_the_first_sample_are_nobodys_loss(driver, kind):
    board = driver(driver.make(kind).config)
    for i in range(101):
        board.set_line("tray", (i + 1) % 2, then_us=500)
    edges = board.sample()
    assert edges == [] and board.raw("tray") == 1
    assert not board.inp.edge_lost and board.inp.noisy == NO_LINE
    _counts_again(board, ("tray",))


@promise(ROLLERS, "noise")
def a_storm_at_power_on_is_named_and_forgotten(driver, kind):
    board = driver(driver.make(kind).config)
    storm = board.storm(LINES, 50000)
    board.run(30000)
    for _ in range(3):
        board.sample()
        board.run(SCAN_US)
    assert board.inp.noisy in [LINE[name] for name in LINES]
    storm.stop()
    _quiet(board)
    _counts_again(board, LINES)


@promise(ROLLERS, "noise")
def a_storm_on_the_line_that_a_stop_waits_for_stops_at_its_first_edge(driver, kind):
    board = driver.make(kind)
    board.drive(pick=1, transport=1)
    board.hal.stop_after(0, LINE["throat_a"], 0)
    storm = board.storm(("throat_a",), 20000)
    board.run(60 + board.late_us)
    assert board.outputs()[:2] == [0, 1]
    storm.stop()


def _clock_seed():
    try:
        from time import time

        return int(time()) & 0xFFFF
    except ImportError:
        return 0


@promise(ROLLERS, "noise")
def random_edges_all_come_with_their_time_across_every_wrap(driver, kind):
    """For 1.5 s: the time wraps, and so does whatever shorter count a port stamps with. Samples come when they like."""
    for seed in SEEDS[:1] if driver.late_us else SEEDS + (_clock_seed(),):
        board = driver.make(kind)
        board.sample(after_us=MASK - 700000 - board.hal.ticks_us())
        expected, found = [], []
        last_us = {}
        began_us = board.plant.now_us
        step = 0
        while board.plant.now_us < began_us + 1500000:
            step += 1
            chance = mix(seed, 0x77, step)
            name = LINES[chance % len(LINES)]
            if board.plant.now_us - last_us.get(name, -1000) >= 400 + board.late_us:
                last_us[name] = board.plant.now_us
                level = 1 - board.plant.level[LINE[name]]
                expected.append((name, level, board.hal.ticks_us()))
                board.set_line(name, level)
            board.run(1 + board.late_us + (chance >> 8) % (40000 if chance & 0x80 else 300))
            if (chance >> 24) % 5 == 0 or len(expected) - len(found) > 25:
                found += board.sample()
        found += board.sample()
        assert not board.inp.edge_lost and board.inp.noisy == NO_LINE, "seed %d" % seed
        assert [edge[:2] for edge in found] == [edge[:2] for edge in expected], "seed %d" % seed
        late = max([(got[2] - put[2]) & MASK for got, put in zip(found, expected)])
        assert late <= board.verb_us + board.late_us, "seed %d: %d us" % (seed, late)
        assert len(found) > 50
