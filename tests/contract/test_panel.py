"""The panel's chip on every real port: one that forgot everything in a dip of its supply is no hand at the buttons."""

from drivers import Esp32Driver, Rp2Driver, Stm32Driver

DRIVERS = (Rp2Driver, Esp32Driver, Stm32Driver)
LIT = 0x15  # OLATB: the lamps
POLL_US = 10000


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
            board.run(5000)
            board.sample()
            board.set_line("button_ack", 1)
            assert _polls(board, 4) == [("button_ack", 1)], clocks


def test_a_bus_that_is_held_for_good_costs_the_panel_and_nothing_else():
    for driver in DRIVERS:
        board = driver.make("shoe")
        board.world.hold_bus(1000)
        board.restart()
        board.run(5000)
        board.sample()
        board.set_line("button_ack", 1)
        board.set_line("door", 1)
        assert [edge for edge in _polls(board, 20) if edge[0] != "door"] == []
        assert board.raw("door") == 1
