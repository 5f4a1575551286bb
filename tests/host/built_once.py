"""The files of a board, built once for all tests of a run: compiling seventy files takes seconds."""

from functools import cache

from fairshoe.ship.build import Built, build

BOARD = "pico-shoe"


@cache
def built() -> Built:
    return build(BOARD)
