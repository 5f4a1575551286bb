"""Whatever table `fairshoe config check` calls good can be played: the firmware raises nothing, and breaks nothing."""

import itertools
from typing import Any

import pytest

from fairshoe.boards.configs import load_board
from fairshoe.games.profiles import game_names
from fairshoe.ship.game_fit import play_problem
from firmware.fault import FAULT_INTERNAL
from firmware.image import INPUTS
from rig.story import Stage

KINDS = ("carousel", "shelves", "shoe", "draw")
WAYS = [
    {"decks": decks, "dealing": dealing, "records": records}
    for decks, dealing, records in itertools.product((1, 2), ("shoe", "manual", "hand"), (False, True))
]
OPTIONS = [
    {"records": records, **choice}
    for records in (False, True)
    for choice in ({"progressive": False}, {"packs": 6}, {"cover_all": "with_dealer"}, {"cover_all": "without_dealer"})
]
TABLES = WAYS + OPTIONS
# What a dealer may press in any order; the machine refuses what is not due.
PRESSES = ("green", "seat", "close", "lock", "close", "green", "ack", "green")
WAIT_MS = 30000


def table_of(kind: str, game: str, table: dict[str, Any]) -> dict[str, Any]:
    config, _crc = load_board(f"pico-{kind}")
    config["inputs"].setdefault("back", 28)
    assert "back" in INPUTS
    return {**config, "game": game, "table": table}


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_is_called_good_can_be_played(kind: str, game: str) -> None:
    for table in TABLES:
        config = table_of(kind, game, table)
        if not play_problem(config):
            play(Stage(config, game, 7))


def play(stage: Stage) -> None:
    """Two decks go in and out as far as the machine lets them, with every button in between."""
    cards = stage.rig.app.flow.profile.deck_cards
    stage.until("empty_proved", WAIT_MS)
    for deck in (1, 2):
        stage.act("load", {"cards": cards, "deck": deck})
        stage.run(500)
        for button in PRESSES:
            stage.act("press", {"button": button})
            stage.run(WAIT_MS)
            stage.act("draw" if stage.rig.app.flow.machine.draws else "take", {})
            stage.run(1000)
    assert stage.rig.app.flow.warning != FAULT_INTERNAL
