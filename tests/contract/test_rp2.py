"""What only the RP2's port has to get right: an axis between its end stops, flash, and two sources of noise."""

from drivers import FlashDriver, Pico2Driver, Rp2Driver
from promises import LOST, REST

from hal.sim.stepper import FAR_US

ELEVATOR_STEPS = (-49, -3, 0, 2, 3, 4, 5, 12, 24, 26, 27, 28, 30, 60, 101, 1900, 1949)
FLASH_START = 1 << 20


def board_at(kind, step, **mechanism):
    board = Rp2Driver.make(kind, 7, **mechanism)
    board.world.axis.at = step
    board.world.show()
    return board


def test_an_elevator_comes_home_from_any_step_without_touching_its_stops():
    for at in ELEVATOR_STEPS:
        elevator = board_at("shelves", at)
        assert elevator.home() == REST
        assert elevator.world.axis.at == 0, at
        assert elevator.plant.crashes == 0


def test_a_carousel_comes_home_from_any_step():
    turn = 54 * 32
    for at in (-17, -2, 0, 9):
        board = board_at("carousel", at, slot_steps=32)
        assert board.home() == REST
        assert board.world.axis.at % turn == 0, at


class LateHandler:
    """The interrupt of a pin that comes late, as when another handler runs or interrupts are off."""

    def __init__(self, world, number, late_us):
        self.world = world
        self.late_us = late_us
        self.due_us = FAR_US
        pad = world.pad(number)
        self.handler = pad.handler
        pad.handler = self.noted
        world.parts.append(self)

    def noted(self):
        if self.due_us == FAR_US:  # the chip has one flag for it
            self.due_us = self.world.now_us + self.late_us

    def fire(self):
        self.due_us = FAR_US
        self.handler()


def home_late(kind, late_us):
    board = board_at(kind, 1213 if kind == "shelves" else 3000)
    LateHandler(board.world, board.config["axis"]["home"], late_us)
    state = board.home()
    assert board.plant.crashes == 0
    axis = board.world.axis
    return state, axis.at % (axis.count * axis.place_steps)


def test_a_late_interrupt_of_the_mark_shifts_no_slot():
    for late_us in (100, 250, 505, 1000, 2000):
        assert home_late("carousel", late_us) == (REST, 0), late_us


def test_a_late_interrupt_of_the_mark_shifts_no_shelf():
    for late_us in (100, 250, 505, 1000, 2000):
        assert home_late("shelves", late_us) == (REST, 0), late_us


def test_homing_with_the_last_single_steps_ends_within_what_the_firmware_waits():
    for kind, limit_us in (("carousel", 2333000), ("shelves", 2000000)):
        for at in (0, 3, 80, 1600, 1899):
            board = board_at(kind, at)
            board.world.home_chatter = 2
            began_us = board.plant.now_us
            assert board.home() == REST
            assert board.plant.now_us - began_us < limit_us, (kind, at, board.plant.now_us - began_us)


def test_a_mark_that_single_steps_do_not_find_is_a_lost_axis():
    for kind in ("carousel", "shelves"):
        board = board_at(kind, 700)
        board.hal.move(0, True)
        for _ in range(1000):
            board.run(2000)
            board.sample()
            if board.hal.axis._home_at >= 0:
                board.world.axis.mark_hidden = True
                board.world.show()
        assert board.inp.axis == LOST


def test_a_mark_that_covers_the_sensor_too_early_is_a_lost_axis():
    """An edge that is further off than single steps can be right about."""
    for kind in ("carousel", "shelves"):
        board = board_at(kind, 700)
        LateHandler(board.world, board.config["axis"]["home"], 9000)
        assert board.home() == LOST


def test_a_mark_that_chatters_is_no_lost_axis():
    for kind in ("carousel", "shelves"):
        board = Rp2Driver.make(kind)
        board.world.home_chatter = 2
        assert board.home() == REST
        place, count = 0, len(board.plant.slots)
        for places in (10, -9, -1):
            assert board.move(places) == REST
            place = (place + places) % count
            assert board.plant.axis.slot == place
        if kind == "carousel":
            for places in (-3, 5):
                assert board.move(places) == REST


def test_steps_within_what_a_card_tolerates_are_no_lost_axis():
    for kind in ("carousel", "shelves"):
        board = Rp2Driver.make(kind)
        assert board.home() == REST
        board.slip_next(60)
        assert board.move(4) == REST
        assert board.move(-4 if kind == "shelves" else -7) == REST


def test_a_mark_that_is_always_there_is_a_lost_axis():
    elevator = board_at("shelves", 700)
    elevator.world.home_stuck = True
    elevator.world.show()
    assert elevator.home() == LOST


def test_a_halted_search_can_be_begun_again():
    elevator = board_at("shelves", 1700)
    for busy_us in (500, 5000, 40000, 300000, 700000):
        elevator.world.axis.at = 1700
        elevator.world.show()
        elevator.hal.move(0, True)
        elevator.run(busy_us)
        elevator.hal.all_off()
        elevator.run(10000)
        elevator.sample()
        assert elevator.home() == REST
        assert elevator.world.axis.at == 0


# -- flash -------------------------------------------------------------------------------------------------------------


def test_flash_that_the_file_system_reaches_into_is_refused():
    board = FlashDriver.with_cells("shoe", 3840)
    board.world.files_bytes = FLASH_START
    board.restart()
    board.world.files_bytes = 1408 * 1024  # what a stock MicroPython mounts
    try:
        board.restart()
    except ValueError as error:
        assert "nv.start 1048576: the file system has 1441792 bytes" in str(error)
    else:
        raise AssertionError("cells in the midst of files")


# -- noise -------------------------------------------------------------------------------------------------------------


def test_raw_bits_of_the_ring_oscillator_make_bytes_the_first_highest():
    board = Rp2Driver.make("carousel")
    bits = [1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0]
    board.world.noise = lambda: 0xFE | bits.pop(0)
    buf = bytearray(2)
    assert board.hal.entropy_into(buf)
    assert bytes(buf) == b"\xb1\x7e"


def test_an_oscillator_that_stands_still_is_no_source():
    for level in (0, 1):
        board = Rp2Driver.make("carousel")
        board.world.noise = lambda level=level: level
        assert not board.hal.entropy_into(bytearray(64))


def test_numbers_that_the_generator_itself_objects_to_are_thrown_away_a_few_times():
    board = Pico2Driver.make("shoe")
    board.world.trng_objects = 3
    before = board.world.noises
    buf = bytearray(24)
    assert board.hal.entropy_into(buf)
    assert board.world.noises == before + 6 and len(set(buf)) > 10
    board.world.trng_objects = 4
    assert not board.hal.entropy_into(buf)


def test_a_generator_that_gives_nothing_is_not_waited_for_longer_than_a_scan_can_bear():
    board = Pico2Driver.make("shoe")
    board.fail_noise("dead")
    before_us = board.plant.now_us
    assert not board.hal.entropy_into(bytearray(64))
    assert board.plant.now_us - before_us < 100000


def test_balancing_and_tests_of_the_generator_are_on_whoever_switched_them_off():
    board = Pico2Driver.make("shoe")
    board.world.registers[0x138] = 15  # as MicroPython leaves it after seeding its own generators
    assert board.hal.entropy_into(bytearray(24))
    assert board.world.registers[0x138] == 0


def test_a_reset_that_somebody_asked_for_is_none_of_the_watchdog():
    """`fairshoe flash` ends with machine.reset(); a loader leaves where it wants the chip to start."""
    for driver in (Rp2Driver, Pico2Driver):
        board = driver.make("shoe")
        for left in (0, 0xB007C0D3):
            board.world.scratch = left
            board.resets(2)
            assert board.hal.reset_cause() == 2
        board.resets(1)
        assert board.hal.reset_cause() == 1
