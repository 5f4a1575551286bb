"""Games by name, as their files have them: the same way in for every VM."""

import json

from firmware.games.profile import find_profile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.profile import Profile

    Game = str | dict[str, object]  # a name, or changes to the house game

# Beside this package, wherever that is: a checkout, an installed wheel, a simulated device's file system.
FOLDER = __file__[: -len("rig/games.py")] + "game_profiles"


def game_data(game: "Game") -> "Game":
    """The data of a game that has a file; everything else as it is."""
    if isinstance(game, dict) or game == "house":
        return game
    try:
        with open("%s/%s.json" % (FOLDER, game)) as file:
            data: "dict[str, object]" = json.load(file)
    except OSError:
        raise ValueError("unknown game %s" % game) from None
    data.pop("$schema", None)
    return data


def load_profile(game: "Game") -> "Profile":
    return find_profile(game_data(game))
