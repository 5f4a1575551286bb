"""What every port with an axis promises of it."""

from promises import AXES, LOST, MOVING, REST, promise


def _make(driver, kind, seed=7):
    """With half the steps to a place: a fake stepper takes its time on the slower VM."""
    return driver.make(kind, seed, slot_steps=32) if kind == "carousel" else driver.make(kind, seed, shelf_steps=50)


@promise(AXES)
def home_is_found_from_anywhere(driver, kind):
    for seed in (7, 53):
        board = _make(driver, kind, seed)
        board.hal.move(0, True)
        board.sample(after_us=1000)
        assert board.inp.axis == MOVING
        assert board.settle_axis() == REST
        assert board.plant.axis.slot == 0 and board.plant.axis.fits()
        # And again, standing on the mark.
        assert board.home() == REST
        assert board.plant.axis.slot == 0 and board.plant.axis.fits()
        assert board.plant.crashes == 0


@promise(AXES)
def moves_end_where_they_should(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    place, count = 0, len(board.plant.slots)
    for places in (1, 7, -3, 10, -2, -13, count - 1, 1 - count, 5, -5):
        assert board.move(places) == REST
        place = (place + places) % count
        assert board.plant.axis.slot == place and board.plant.axis.fits()
    assert board.plant.crashes == 0


@promise(("carousel",))
def a_carousel_goes_round_the_mark_both_ways(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    place = 0
    for places in (-3, 5, 54, -54, 20, -40, -1):
        assert board.move(places) == REST
        place = (place + places) % 54
        assert board.plant.axis.slot == place


@promise(("carousel",))
def a_watched_turn_shows_every_full_slot_once(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    for slot in (0, 3, 4, 30, 53):
        board.plant.slots[slot].append(slot)
    board.drive(watch_slot=True)
    board.hal.move(54, False)
    edges = []
    for _ in range(1000):
        board.run(2000)
        edges += [level for name, level, _ in board.sample() if name == "slot"]
        if board.inp.axis != MOVING:
            break
    assert board.inp.axis == REST
    assert edges == [1, 0] * 5


@promise(("carousel",))
def steps_go_anywhere_and_tell_where_the_mark_passed(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    turn = 54 * 32
    for steps, passed in ((10, 0xFFFF), (turn, turn - 12), (-8, 0xFFFF), (8, 0xFFFF)):
        board.hal.step(steps, 0)
        assert board.settle_axis() == REST
        seen = board.hal.home_at()
        assert seen == passed or abs(seen - passed) <= 1, (steps, seen)
    board.hal.step(22, 0)
    assert board.settle_axis() == REST
    assert board.plant.axis.slot == 1 and board.plant.axis.fits()
    assert board.home() == REST
    assert board.plant.axis.slot == 0 and board.plant.crashes == 0


@promise(AXES)
def steps_at_another_pace_take_so_much_less_time_and_the_next_move_does_not(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    steps = 24 * 32 if kind == "carousel" else 12 * 50
    took = []
    for pace in (100, 125, 50, 0, 100):
        start_us = board.plant.now_us
        board.hal.step(steps, pace)
        assert board.settle_axis() == REST
        took.append(board.plant.now_us - start_us)
        board.hal.step(-steps, 0)
        assert board.settle_axis() == REST
    for i, percent in ((1, 80), (2, 200), (4, 100)):
        assert abs(took[i] * 100 - took[0] * percent) < took[0] * 8, took
    assert took[3] > 2 * took[0], took
    board.hal.step(steps, 50)
    assert board.settle_axis() == REST
    start_us = board.plant.now_us
    board.hal.move(-24 if kind == "carousel" else -12, False)
    assert board.settle_axis() == REST
    assert abs(board.plant.now_us - start_us - took[0]) < took[0] // 10
    assert board.home() == REST and board.plant.axis.slot == 0 and board.plant.crashes == 0


@promise(AXES)
def a_move_of_nothing_rests_where_it_is(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    assert board.move(0) == REST
    assert board.plant.axis.slot == 0


@promise(AXES)
def a_mark_that_is_not_found_is_a_lost_axis(driver, kind):
    board = _make(driver, kind, 9)
    board.hide_mark()
    assert board.home() == LOST


@promise(AXES)
def lost_steps_show_when_the_mark_passes(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    assert board.move(10) == REST
    board.slip_next(2000)
    assert board.move(5) == REST
    assert board.move(-15) == LOST
    # Homing makes good again.
    assert board.home() == REST
    assert board.move(10) == REST
    assert board.move(-10) == REST
    assert board.plant.axis.slot == 0


@promise(("carousel",))
def lost_steps_of_a_carousel_show_on_its_way_round(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    board.slip_next(1000)
    assert board.move(20) == REST
    assert board.move(20) == REST
    assert board.move(20) == LOST


@promise(AXES)
def a_halted_axis_can_be_homed(driver, kind):
    board = _make(driver, kind)
    assert board.home() == REST
    for busy_us in (2000, 60000, 120000):
        board.hal.move(12, False)
        board.run(busy_us)
        board.hal.all_off()
        at = board.plant.axis.slot
        board.sample(after_us=200000)
        assert (board.inp.axis, board.plant.axis.slot) == (REST, at)
        assert board.home() == REST
        assert board.plant.axis.slot == 0
        assert board.move(3) == REST
        assert board.plant.axis.slot == 3


@promise(("shoe", "draw"))
def a_board_without_axis_is_at_rest(driver, kind):
    board = driver.make(kind)
    board.drive(transport=1)
    board.sample(after_us=1000)
    assert board.inp.axis == REST
