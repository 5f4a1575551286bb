"""`fairshoe demo`: rounds on a simulated shoe, shown live."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe import boards, demo, demo_stories, games
from fairshoe.commands.sim import DEFAULT_BOARD, DEFAULT_GAME, add_simulation
from fairshoe.screen import Screen

EPILOG = """\
examples:
  fairshoe demo                             two rounds, a short deck and a jam, in half a minute
  fairshoe demo --game boston-5-stud        another game, by its own procedure
  fairshoe demo --board pico-shelves        another machine
  fairshoe demo --speed 1                   as slow as the real one
"""


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "demo",
        help="play rounds on a simulated shoe and show them live",
        description="Plays a story on a simulated shoe: good rounds, a short deck, a jam. What is shown comes from the "
        "shoe's own events, over a serial device path and an authenticated session.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_simulation(command, speed=6.0)


def run(options: argparse.Namespace) -> int:
    # Checked here too, so that a mistake is told once and not by a child process.
    from fairshoe.simulator import check_game

    if options.board == DEFAULT_BOARD:
        options.board = demo_stories.BOARDS.get(options.game, DEFAULT_BOARD)
    config, _crc = boards.load_board(options.board)
    kind = config["mechanism"]["kind"]
    name = options.game or demo_stories.DEFAULTS.get(kind, DEFAULT_GAME)
    game = check_game(name)
    story = demo_stories.story_for(kind, name, game)
    table = [*story.table, *options.table]  # what is said last counts
    games.set_table(config, table)
    arguments = ["--board", options.board, "--game", name, "--display"]
    arguments += [f"--table={word}" for word in table]
    arguments += ["--seed", str(options.seed), "--speed", str(options.speed)]
    return demo.run(arguments, story, options.speed, Screen(story=True))
