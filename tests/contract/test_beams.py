"""Beams that have an interrupt for each edge: while a port is being made, and in a storm."""

from drivers import Esp32Driver, Rp2Driver, Stm32Driver


def test_a_change_just_before_somebody_listens_is_not_missed():
    for driver in (Rp2Driver, Esp32Driver, Stm32Driver):
        for level in (0, 1):
            board = driver.make("shoe")
            pad = board.world.pad(board.config["inputs"]["hopper"])
            pad.level = 1 - level
            pad.unheard = level
            board.restart()
            board.sample()
            assert board.raw("hopper") == level


def test_a_storm_masks_every_line_and_stops_the_motors_before_any_sample():
    for driver in (Esp32Driver, Stm32Driver):
        board = driver.make("shoe")
        pads = [board.world.pad(where) for where in board.config["inputs"].values() if not isinstance(where, dict)]
        board.drive(pick=1, transport=1)
        storm = board.storm(("exit",), 20000)
        board.run(2000)
        assert board.outputs()[:2] == [0, 0]
        assert [pad for pad in pads if pad.handler] == []
        storm.stop()
        for _ in range(60):
            board.run(2000)
            board.sample()
        assert [pad for pad in pads if not pad.handler] == []
