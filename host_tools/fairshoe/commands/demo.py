"""`fairshoe demo`: rounds on a simulated shoe, shown live."""

from __future__ import annotations

import argparse

from fairshoe.boards import configs
from fairshoe.cli.options import DEFAULT_BOARD, DEFAULT_GAME, add_simulation
from fairshoe.demo import stories
from fairshoe.demo.table import play
from fairshoe.games import profiles
from fairshoe.text.screen import Screen

EPILOG = """\
examples:
  fairshoe demo                    two rounds, a short deck and a jam; 30 s
  fairshoe demo --game boston-5-stud
      another game, by its own procedure
  fairshoe demo --board pico-shelves
      another machine
  fairshoe demo --speed 1          as slow as a real shoe
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Plays rounds on a simulated shoe: good ones, a deck with a card too few, a jam. What you see are the events "
        "that the shoe sends to a table system. At a terminal the shoe runs on afterwards, until you press Enter."
    )
    command.epilog = EPILOG
    add_simulation(command, speed=6.0)


def run(options: argparse.Namespace) -> int:
    # Checked here too, so that a mistake is reported once and not by a child process.
    from fairshoe.sim.pty_server import check_game

    if options.board == DEFAULT_BOARD:
        options.board = stories.BOARDS.get(options.game, DEFAULT_BOARD)
    config, _crc = configs.load_board(options.board)
    kind = config["mechanism"]["kind"]
    name = options.game or stories.DEFAULTS.get(kind, DEFAULT_GAME)
    game = check_game(name)
    story = stories.story_for(kind, name, game)
    settings = [*story.table, *options.table]  # the last of two settings counts
    profiles.set_table(config, settings)
    arguments = ["--board", options.board, "--game", name, "--display"]
    arguments += [f"--table={word}" for word in settings]
    arguments += ["--seed", str(options.seed), "--speed", str(options.speed)]
    return play(arguments, story, options.speed, Screen(story=True, shoe_clock=True))
