"""The files of a board, built once for all tests of a run: compiling seventy files takes seconds."""

from functools import cache

from fairshoe.ship.build import Built, build

BOARD = "pico2-shoe"  # runs files
IMAGE_BOARD = "pico-shoe"  # runs an image alone


@cache
def built(board: str = BOARD) -> Built:
    return build(board)
