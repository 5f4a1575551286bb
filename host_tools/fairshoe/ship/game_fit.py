"""Check whether a board's machine can play its game with the parts that its port can drive.

The firmware itself decides, on a simulated machine: a device would find out too late, halted at its next start.
"""

from __future__ import annotations

import copy

from fairshoe import _device
from fairshoe.boards import configs
from fairshoe.boards.configs import Config, Inspection
from fairshoe.games.profiles import game_names
from fairshoe.ship.build import GAME_DEFAULT
from fairshoe.ship.errors import ShipError


def inspect_with_game(name: str) -> Inspection:
    """What is to be said about a board, with the game that its config names."""
    found = configs.inspect_board(name)
    problem = play_problem(configs.load_board(name)[0]) if found.good else ""
    return Inspection(name, (problem,)) if problem else found


def check_with_game(name: str, game: str | None = None) -> None:
    """Refuses a board that cannot work, and a game that its machine cannot play; `game` in place of the config's."""
    config, _crc = configs.load_board(name)
    problem = play_problem(config if game is None else {**config, "game": game})
    if problem:
        raise ShipError(f"{name}: {problem}.", "Choose another game or another board.")


def lawful_dealings(code: str) -> list[str]:
    """By mechanism, how the rules let a game deal: `carousel: shoe (B5-9a), manual (B5-7a)`. None: house policy."""
    _device.load()
    from rig.games import lawful_ways

    return [f"{kind}: {', '.join(ways)}" for kind, ways in lawful_ways(code).items() if ways]


def play_problem(config: Config) -> str:
    """Why a device with this good config could not play; empty if it can."""
    if config.get("sensors", {}).get("recognition"):
        return "sensors.recognition: no port drives a card reader yet, so that no deck would be found complete"
    game = config.get("game", GAME_DEFAULT)
    if isinstance(game, str) and game not in game_names():
        return f"no game called {game!r}; there are: {', '.join(game_names())}"
    _device.load()
    from rig.rig import Rig

    try:
        Rig(copy.deepcopy(config), game, seed=1, board_crc=0)
    except ValueError as error:
        return f"game {game if isinstance(game, str) else 'of the house'}: {error}"
    return ""
