"""Find games by name: ours, and those of other packages by the entry-point group `fairshoe.table.games`.

A game is imported when it is asked for. A package that cannot be imported, or takes the name of a game that is there,
makes only its own game unavailable; `broken` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from fairshoe.errors import UsageError
from fairshoe_table.play.game import Game
from fairshoe_table.play.options import VERSION, Options, from_json

GROUP = "fairshoe.table.games"
OURS = {
    "double-down-stud": "fairshoe_table.games.double_down",
    "boston-5-stud": "fairshoe_table.games.boston5",
    "caribbean-stud": "fairshoe_table.games.caribbean.game",
    "double-cross-poker": "fairshoe_table.games.double_cross",
    "double-attack-blackjack": "fairshoe_table.games.double_attack.game",
}


def _others() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, []).append(point)
    return found


def ids() -> tuple[str, ...]:
    """Every game, ours first; one of them may be unavailable."""
    return (*OURS, *(name for name in sorted(_others()) if name not in OURS))


@cache
def find(name: str) -> Game:
    """The game of this name. Refused, with the reason: one that is unknown or cannot be loaded."""
    if name in OURS:
        return import_module(OURS[name]).GAME
    points = _others().get(name, [])
    if not points:
        raise UsageError(f"no game {name!r}.", f"There are {', '.join(ids())}.")
    if len({point.value for point in points}) > 1:
        raise _unavailable(name, f"two packages bring it: {', '.join(sorted(point.value for point in points))}")
    try:
        game = points[0].load()
        if not isinstance(game, Game) or game.name != name:
            raise TypeError(f"{points[0].value} is no game of this name")
        game.profile  # noqa: B018  a profile that cannot be read is found here
        game.options().check()
    except BaseException as error:  # also an exit or an interrupt: it must not end the table of another game
        raise _unavailable(name, f"{type(error).__name__}: {error}") from error
    return game


def _unavailable(name: str, why: str) -> UsageError:
    return UsageError(f"the game {name} is unavailable: {why}.", "Repair or remove its package; other games go on.")


def broken() -> dict[str, str]:
    """Games that cannot be loaded, with the reason."""
    found: dict[str, str] = {}
    for name in ids():
        try:
            find(name)
        except UsageError as error:
            found[name] = error.what
    for name in set(OURS) & set(_others()):
        found[f"{name} of another package"] = "the name is taken"
    return found


def origin(name: str) -> str:
    """Name and version of the package that brings a game; empty for ours."""
    points = [] if name in OURS else _others().get(name, [])
    return f"{points[0].dist.name} {points[0].dist.version}" if points and points[0].dist is not None else ""


def load_options(data: Mapping[str, Any]) -> Options:
    """The options of a licensee, from JSON, checked by the game that they name."""
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise UsageError(f"options of version {data.get('version')}.", f"This program reads version {VERSION}.")
    game = data.get("game")
    if not isinstance(game, str):
        raise UsageError(f"no game {game!r}.", f"There are {', '.join(ids())}.")
    return from_json(game, find(game).options, data)
