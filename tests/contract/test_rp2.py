"""What only the RP2's port has to get right: beams in PIO and DMA, an axis and its end stops, flash, entropy."""

from drivers import LINE, FlashDriver, Pico2Driver, Rp2Driver
from promises import LOST, REST

from firmware.image import NO_LINE
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


def test_a_late_interrupt_of_the_mark_shifts_no_place():
    for kind in ("carousel", "shelves"):
        for late_us in (100, 505, 2000):
            assert home_late(kind, late_us) == (REST, 0), (kind, late_us)


def test_homing_with_the_last_single_steps_ends_within_what_the_firmware_waits():
    for kind, at, limit_us in (("carousel", 3384, 2333000), ("shelves", 1899, 2000000)):  # from where it takes longest
        board = board_at(kind, at)
        board.world.home_chatter = 2
        began_us = board.plant.now_us
        assert board.home() == REST
        assert board.plant.now_us - began_us < limit_us, (kind, board.plant.now_us - began_us)


def test_a_mark_that_single_steps_do_not_find_is_a_lost_axis():
    for kind in ("carousel", "shelves"):
        board = board_at(kind, 700)
        board.hal.move(0, True)
        for _ in range(1000):
            board.sample(after_us=2000)
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


def test_a_turn_shorter_than_configured_is_a_lost_axis_that_gives_the_missing_steps():
    short = ((53, 64, 100), (53, 64, 3380), (48, 64, 30), (48, 64, 1500), (40, 64, 700), (54, 63, 9))
    for count, place_steps, at in short:
        board = board_at("carousel", at)
        axis = board.world.axis
        axis.count, axis.place_steps = count, place_steps
        assert board.home() == LOST
        assert abs(board.inp.axis_early - (54 * 64 - count * place_steps)) <= 2, (count, place_steps, at)
    board = board_at("carousel", 100)
    board.world.axis.count = 55
    board.plant.slots.append([])
    assert board.home() == LOST and board.inp.axis_early == 0
    assert board_at("carousel", 100).home() == REST


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
        elevator.sample(after_us=10000)
        assert elevator.home() == REST
        assert elevator.world.axis.at == 0


def test_a_home_line_that_storms_is_a_lost_axis_and_does_not_go_on_interrupting():
    for kind in ("carousel", "shelves"):
        board = Rp2Driver.make(kind)
        assert board.home() == REST
        home = board.world.pad(board.config["axis"]["home"])
        board.hal.move(5, False)
        board.run(2000)
        for i in range(100):
            home.set(i % 2)
        assert home.edges == 0, "the interrupt is not masked"
        board.sample()
        assert board.inp.axis == LOST
        at = board.world.axis.at
        board.run(100000)
        assert board.world.axis.at == at, "it still turns"
        board.world.show()
        assert board.home() == REST


def test_a_handler_that_raises_ends_the_scans():
    for delay_us in (0, 500):  # in the handler of the beam, and in that of the stop timer
        board = Rp2Driver.make("carousel")
        board.hal.stop_after(0, LINE["throat_a"], delay_us)
        board.hal._stop._switch_off = None
        board.set_line("throat_a", 1, then_us=10 + delay_us)
        _must_raise(board)
    board = Rp2Driver.make("carousel")
    board.hal.axis._pass_home = None
    board.hal.move(0, True)
    board.run(1000000)
    _must_raise(board)


def _must_raise(board):
    try:
        board.sample()
    except RuntimeError as error:
        assert "handler failed" in str(error)
    else:
        raise AssertionError("a handler raised, and the exception is lost")


# -- beams -------------------------------------------------------------------------------------------------------------


def _pass_cards(board, cards):
    """Each at its own microseconds, and every edge found there."""
    for card in range(cards):
        for name, level in (("throat_a", 1), ("throat_b", 1), ("throat_a", 0), ("throat_b", 0)):
            at_us = board.hal.ticks_us()
            board.set_line(name, level, then_us=1100)
            assert board.sample() == [(name, level, at_us)], card
    assert not board.inp.edge_lost


def test_a_dma_channel_that_is_nearly_spent_is_started_again_without_losing_an_edge():
    board = Rp2Driver.make("carousel")
    channel = board.hal._beams._dma
    spent = 0x0FFFFFFF - 0x01000000 - 2  # words
    channel.count -= spent
    board.hal._beams._s[0] -= spent
    _pass_cards(board, 3)
    assert channel.count > 0x0FFFFF00


def test_the_line_that_a_stop_waits_for_interrupts_once():
    board = Rp2Driver.make("carousel")
    pad = board.world.pad(board.config["inputs"]["throat_a"])
    assert pad.edges == 0
    board.hal.stop_after(0, LINE["throat_a"], 5000)
    assert pad.edges != 0
    board.set_line("throat_a", 1, then_us=10)
    assert pad.edges == 0, "a storm would interrupt again and again"
    board.hal.stop_after(0, LINE["throat_b"], 0)
    board.hal.all_off()
    assert board.world.pad(board.config["inputs"]["throat_b"]).edges == 0


def test_no_line_interrupts_before_it_is_asked_for():
    """A line that storms would interrupt again and again, and the port would never be made."""
    for kind in ("carousel", "shelves", "shoe"):
        board = Rp2Driver.make(kind, 7)
        heard = [pad for pad in board.world.pads.values() if pad.handler]
        assert heard and not any(pad.edges_at_first for pad in heard), kind


def test_words_that_wait_while_the_channel_starts_again_are_not_lost():
    board = Rp2Driver.make("carousel")
    beams = board.hal._beams
    beams._dma.active(0)
    at_us = board.hal.ticks_us()
    for i in range(8):
        board.set_line("throat_a", (i + 1) % 2, then_us=400)
    beams._start_dma()
    assert board.sample() == [("throat_a", (i + 1) % 2, at_us + 400 * i) for i in range(8)]
    assert not board.inp.edge_lost


def test_a_state_machine_that_had_to_wait_for_dma_begins_anew_with_the_right_time():
    board = Rp2Driver.make("carousel")
    beams = board.hal._beams
    beams._dma.active(0)
    for i in range(9):
        board.set_line("throat_a", (i + 1) % 2, then_us=400)
    beams._start_dma()
    assert board.sample() == [] and board.inp.edge_lost and board.inp.noisy == NO_LINE
    assert board.raw("throat_a") == 1
    board.inp.edge_lost = False
    board.set_line("throat_a", 0, then_us=300000)
    board.sample()
    _pass_cards(board, 3)


def test_words_that_dma_overwrites_while_they_are_read_are_no_edges():
    board = Rp2Driver.make("carousel")
    world = board.world
    for i in range(20):
        board.set_line("throat_a", (i + 1) % 2, then_us=400)
    exit_beam = world.pad(board.config["inputs"]["exit"])
    place = world.place

    def busy(address):
        """Four changes for each word that is read."""
        world.place = place
        for level in (1, 0, 1, 0):
            exit_beam.set(level)
        world.place = busy
        return place(address)

    world.place = busy
    board.sample()
    world.place = place
    assert board.inp.edge_lost and board.inp.edge_count == 0


def test_a_second_without_a_sample_is_lost_edges_and_no_wrong_time():
    board = Rp2Driver.make("carousel")
    board.set_line("tray", 1, then_us=1000001)
    assert board.sample() == [] and board.inp.edge_lost and board.raw("tray") == 1
    board.inp.edge_lost = False
    board.run(990000)
    at_us = board.hal.ticks_us()
    board.set_line("tray", 0, then_us=9000)
    assert board.sample() == [("tray", 0, at_us)]


def test_the_unwatched_slot_beam_wakes_nobody_and_costs_no_edge():
    board = Rp2Driver.make("carousel")
    for i in range(200):
        board.set_line("slot", (i + 1) % 2, then_us=1500)
        if i % 20 == 19:
            assert not board.hal._beams.news()
    assert board.sample() == [] and not board.inp.edge_lost and board.raw("slot") == 0
    board.set_line("slot", 1)
    before_us = board.plant.now_us
    board.hal.idle(50)
    assert board.plant.now_us - before_us == 50000


def test_a_storm_on_the_unwatched_slot_beam_is_noise_too():
    board = Rp2Driver.make("carousel")
    storm = board.storm(("slot",), 20000)
    for _ in range(2):
        board.sample(after_us=4000)
    assert board.inp.noisy == LINE["slot"] and board.raw("slot") == 0
    storm.stop()


def test_watching_the_slot_beam_begins_and_ends_between_two_words():
    """Edges before are not reported, edges after are, whenever the sample comes."""
    board = Rp2Driver.make("carousel")
    start_us = board.hal.ticks_us()
    board.set_line("slot", 1, then_us=500)
    board.set_line("throat_a", 1, then_us=500)
    board.drive(watch_slot=True)
    board.run(500)
    board.set_line("slot", 0, then_us=500)
    assert board.sample() == [
        ("throat_a", 1, start_us + 500),
        ("slot", 1, start_us + 1000),
        ("slot", 0, start_us + 1500),
    ]
    board.set_line("slot", 1, then_us=500)
    board.drive(watch_slot=False)
    board.set_line("slot", 0, then_us=500)
    assert [edge[:2] for edge in board.sample()] == [("slot", 1), ("slot", 0)]
    board.drive(watch_slot=True)
    board.drive(watch_slot=False)
    board.set_line("slot", 1, then_us=10)
    assert board.sample() == [] and board.raw("slot") == 0


def test_pins_that_are_too_far_apart_and_a_clock_that_does_not_divide_are_refused():
    board = Rp2Driver.make("shoe")
    for change, why in (
        (lambda: board.config["inputs"].update(door=14), "13 pins in a row, at most 12"),
        (None, "clock"),
    ):
        if change:
            change()
            board.world.known.add(14)
        else:
            board.config["inputs"]["door"] = 10
            board.world.clock_hz = 133000000
        try:
            board.restart()
        except ValueError as error:
            assert why in str(error)
        else:
            raise AssertionError(why)


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
    """`fairshoe firmware flash` ends with machine.reset(); a loader leaves where it wants the chip to start."""
    for driver in (Rp2Driver, Pico2Driver):
        board = driver.make("shoe")
        for left in (0, 0xB007C0D3):
            board.world.scratch = left
            board.resets(2)
            assert board.hal.reset_cause() == 2
        board.resets(1)
        assert board.hal.reset_cause() == 1
