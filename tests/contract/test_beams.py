"""Beams while a port is being made: a card that moves in just that moment is not missed."""

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
