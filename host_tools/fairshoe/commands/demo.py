"""`fairshoe demo`: rounds on a simulated shoe, shown live."""

from __future__ import annotations

import argparse

from fairshoe.boards import configs
from fairshoe.cli.options import DEFAULT_BOARD, DEFAULT_GAME
from fairshoe.demo import stories
from fairshoe.demo.table import play
from fairshoe.games import profiles
from fairshoe.text.screen import Screen


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
