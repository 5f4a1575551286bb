"""The panel's chip on every real port: one that forgot everything in a dip of its supply is no hand at the buttons."""

from drivers import LINE, Rp2Driver

from hal.sim.rng import mix

DRIVERS = (Rp2Driver,)
LIT = 0x15  # OLATB: the lamps
POLL_US = 10000
FLUTTER_US = 2000


def _polls(board, count):
    """The edges that so many polls give."""
    edges = []
    for _ in range(count):
        board.run(POLL_US)
        board.hal.idle(1)
        edges += [(name, level) for name, level, _ in board.sample()]
    return edges


def test_a_chip_that_forgot_everything_presses_no_button_and_turns_no_key():
    for driver in DRIVERS:
        board = driver.make("shoe")
        for _ in range(3):
            board.world.reset_panel()
            assert _polls(board, 10) == []


def test_it_is_set_up_again_and_its_lamps_are_lit_again():
    for driver in DRIVERS:
        board = driver.make("shoe")
        board.drive(lamp_red=1)
        before = bytes(board.world.expander)
        board.world.reset_panel()
        _polls(board, 3)
        assert bytes(board.world.expander) == before and before[LIT] == 4


def test_one_whose_open_pins_read_like_released_buttons_is_found_within_a_second():
    for driver in DRIVERS:
        board = driver.make("shoe")
        before = bytes(board.world.expander)
        board.world.reset_panel()
        board.world.contacts = 0xFFFF  # what floats reads 0
        for _ in range(100):
            assert _polls(board, 1) == []
            if bytes(board.world.expander) == before:
                break
            # Set up, it has its pull-ups again.
        board.world.contacts = 0
        assert bytes(board.world.expander) == before


def test_a_button_held_while_the_chip_forgot_is_still_one_press():
    for driver in DRIVERS:
        board = driver.make("shoe")
        board.set_line("button_green", 1)
        assert _polls(board, 4) == [("button_green", 1)]
        board.world.reset_panel()
        assert _polls(board, 10) == []
        board.set_line("button_green", 0)
        assert _polls(board, 4) == [("button_green", 0)]


def test_a_bus_that_a_chip_holds_after_a_reset_is_clocked_free():
    """RESET in the middle of a poll: the chip waits for the clocks of its answer, and nothing else is heard."""
    for driver in DRIVERS:
        for clocks in (1, 5, 9):
            board = driver.make("shoe")
            board.world.hold_bus(clocks)
            board.restart()
            board.sample(after_us=5000)
            board.set_line("button_ack", 1)
            assert _polls(board, 4) == [("button_ack", 1)], clocks


def test_a_bus_that_was_clocked_free_gets_a_stop_and_one_that_stays_held_is_not_driven():
    for driver in DRIVERS:
        for clocks, conditions in ((1, ["STOP"]), (9, ["STOP"]), (10, ["STOP"]), (1000, [])):
            board = driver.make("shoe")
            board.world.hold_bus(clocks)
            board.restart()
            assert board.world.conditions == conditions, (driver, clocks)


def test_a_bus_that_is_held_for_good_costs_the_panel_and_nothing_else():
    for driver in DRIVERS:
        board = driver.make("shoe")
        board.world.hold_bus(1000)
        board.restart()
        board.sample(after_us=5000)
        board.set_line("button_ack", 1)
        board.set_line("door", 1)
        assert [edge for edge in _polls(board, 20) if edge[0] != "door"] == []
        assert board.raw("door") == 1


def _transfers(board):
    """The same bus, with a count of the transfers that get as far as the controller."""
    bus = board.hal._panel._i2c
    counted = []

    class Counted:
        def __init__(self, i2c):
            self.i2c = i2c

        def writeto(self, address, buf):
            counted.append(address)
            self.i2c.writeto(address, buf)

        def readfrom_mem_into(self, address, register, buf):
            counted.append(address)
            self.i2c.readfrom_mem_into(address, register, buf)

    make = bus._make
    bus._make = lambda config: Counted(make(config))
    bus.mend()
    return counted


def _mends(bus):
    """A list that grows with every mending."""
    mended = []
    mend = bus.mend
    bus.mend = lambda: mended.append(mend())
    return mended


def test_a_bus_that_a_chip_holds_while_the_machine_runs_is_clocked_free_within_a_second():
    for driver in DRIVERS:
        for clocks in (1, 5, 9):
            board = driver.make("shoe")
            _polls(board, 3)
            board.world.hold_bus(clocks)
            board.set_line("button_ack", 1)
            assert _polls(board, 115) == [("button_ack", 1)], clocks
            board.hal.show(("again", "", "", ""))
            _polls(board, 200)
            assert not board.inp.panel_lost
            assert board.world.lcd.screen()[0].startswith("again")


def test_a_held_bus_costs_no_time_out_and_is_mended_once_a_second():
    for driver in DRIVERS:
        board = driver.make("shoe")
        transfers = _transfers(board)
        _polls(board, 3)
        board.world.hold_bus(100000)
        del transfers[:]
        mended = _mends(board.hal._panel._i2c)
        for lamp in (1, 0, 1, 0):
            board.drive(lamp_red=lamp)
            _polls(board, 50)
        assert transfers == [], "a transfer on a held bus waits 2 ms"
        assert 2 <= len(mended) <= 3


def test_a_panel_that_does_not_answer_for_three_seconds_is_lost_until_it_is_back():
    for driver in DRIVERS:
        board = driver.make("shoe")
        for there in (False, None):
            if there is False:
                board.world.panel_there = False
            else:
                board.world.hold_bus(100000)
            _polls(board, 250)
            assert not board.inp.panel_lost
            _polls(board, 150)
            assert board.inp.panel_lost
            board.world.panel_there = True
            board.world.hold_bus(1)
            _polls(board, 115)
            assert not board.inp.panel_lost
            board.set_line("button_ack", 1)
            assert _polls(board, 4) == [("button_ack", 1)]
            board.set_line("button_ack", 0)
            _polls(board, 4)


def test_a_panel_that_fails_now_and_then_is_not_lost():
    for driver in DRIVERS:
        board = driver.make("shoe")
        for _ in range(8):
            board.world.panel_there = False
            _polls(board, 60)
            board.world.panel_there = True
            _polls(board, 120)
            assert not board.inp.panel_lost


class Flutter:
    """A contact that is open or closed by chance, drawn again every 2 ms, while time runs."""

    def __init__(self, board, name, seed):
        self.board = board
        self.name = name
        self.seed = seed
        self.turn = 0
        self.due_us = board.plant.now_us + FLUTTER_US
        board.storms.append(self)

    def fire(self):
        self.turn += 1
        self.due_us += FLUTTER_US
        self.board.set_line(self.name, mix(self.seed, 0x52, self.turn) >> 7 & 1)

    def stop(self):
        self.board.storms.remove(self)
        self.board.set_line(self.name, 0)


def _at_rest(board, ms):
    """Edges in so much time, with a scan whenever there is news."""
    edges = []
    until_us = board.plant.now_us + ms * 1000
    while board.plant.now_us < until_us:
        board.hal.idle(min(50, (until_us - board.plant.now_us) // 1000 + 1))
        edges += [(name, level) for name, level, _ in board.sample()]
    return edges


def _moving(scan_us):
    """The same while cards move: scans come one after the other, and nothing idles."""

    def scans(board, ms):
        edges = []
        for _ in range(ms * 1000 // scan_us):
            board.run(scan_us)
            edges += [(name, level) for name, level, _ in board.sample()]
        return edges

    return scans


WAYS = (_at_rest, _moving(1000), _moving(4000))


def test_a_contact_that_flutters_for_ten_seconds_is_no_press():
    for driver in DRIVERS:
        for way in WAYS:
            board = driver.make("shoe")
            for seed, name in ((1, "button_ack"), (2, "button_green"), (3, "key_switch")):
                flutter = Flutter(board, name, seed)
                assert way(board, 10000 // 3) == [], (driver, seed)
                flutter.stop()
                assert way(board, 100) == []


def test_a_press_of_80_ms_is_one_press_and_one_release_whenever_it_comes():
    for driver in DRIVERS:
        for way in WAYS:
            board = driver.make("shoe")
            for phase_us in range(0, 40000, 1700):
                board.run(phase_us)
                board.plant.press(LINE["button_ack"])
                assert way(board, 200) == [("button_ack", 1), ("button_ack", 0)], (driver, phase_us)


def test_a_contact_counts_after_30_ms_and_not_before():
    for driver in DRIVERS:
        for way in WAYS:
            board = driver.make("shoe")
            for phase_us in range(0, 40000, 1700):
                board.run(phase_us)
                board.set_line("button_ack", 1)
                edges = way(board, 28)
                board.set_line("button_ack", 0)
                assert edges + way(board, 100) == [], (driver, phase_us)


def test_buttons_beside_one_that_flutters_work_and_it_works_again_afterwards():
    for driver in DRIVERS:
        for way in WAYS:
            board = driver.make("shoe")
            flutter = Flutter(board, "button_ack", 4)
            assert way(board, 500) == []
            board.plant.press(LINE["button_green"])
            assert way(board, 200) == [("button_green", 1), ("button_green", 0)], driver
            flutter.stop()
            assert way(board, 600) == []
            board.plant.press(LINE["button_ack"])
            assert way(board, 200) == [("button_ack", 1), ("button_ack", 0)], driver
