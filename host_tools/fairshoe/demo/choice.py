"""What the demonstration plays: a scenario by its name, or the one that fits the game and the board.

A game or a table of one's own has no scenario: the operator of the rig plays two good rounds of it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fairshoe.boards import DEFAULT_BOARD, configs
from fairshoe.errors import UsageError
from fairshoe.games import profiles
from fairshoe.sim.scenario_cases import by_name
from fairshoe.sim.scenario_files import load
from fairshoe.sim.setup import DEFAULT_GAME, GAMES, check_game

Played = tuple[dict[str, Any], configs.Config]

# By board and game.
_SCENARIOS = {
    (DEFAULT_BOARD, ""): "carousel-demo",
    (DEFAULT_BOARD, "caribbean-stud"): "carousel-demo",
    (DEFAULT_BOARD, "boston-5-stud"): "b5-four-players",
    (DEFAULT_BOARD, "double-down-stud"): "dds-three-players",
    (DEFAULT_BOARD, "double-cross-poker"): "dcp-three-players",
    ("pico-draw", "double-attack-blackjack"): "dab-cut-card-and-the-rack",
    ("pico-shelves", ""): "shelves-51-cards",
    ("pico-shoe", ""): "shoe-good-round",
    ("pico-draw", ""): "draw-door-while-drawing",
}
_BOARDS = {"double-attack-blackjack": "pico-draw"}  # where a game is played unless a board is named
_SEATS = 3


def chosen(options: argparse.Namespace) -> Played:
    """The scenario that is named; else that of the game and the board; else two good rounds."""
    board = _BOARDS.get(options.game, DEFAULT_BOARD) if options.board == DEFAULT_BOARD else options.board
    fitting = "" if options.table else _SCENARIOS.get((board, options.game), "")
    name = options.scenario or fitting
    return load(by_name(Path(name)), seed=options.seed) if name else _good_rounds(options, board)


def _good_rounds(options: argparse.Namespace, board: str) -> Played:
    config, _crc = configs.load_board(board)
    profiles.set_table(config, options.table)
    if config.get("table", {}).get("records"):
        raise UsageError(
            "a table that keeps records is played by a table system.",
            "Name a scenario that has one: fairshoe demo cs-progressive.",
        )
    game = options.game or GAMES.get(config["mechanism"]["kind"], DEFAULT_GAME)
    good_round = {"do": "good_round", "positions": _SEATS}
    data = {
        "title": f"Two good rounds on {board}",
        "board": board,
        "game": check_game(game),
        "seed": options.seed,
        "script": [{"story": "start"}, good_round, good_round],
        "expect": {"never": ["warning_latched"]},
    }
    return data, config
