"""Game files: those of the repository are good and say what the rules say; a wrong one is described in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import other
from in_process import output

import fairshoe
from fairshoe.games import profiles
from firmware.protocol import ids
from rig import games as rig_games

NAMES = ["boston-5-stud", "caribbean-stud", "double-attack-blackjack", "double-cross-poker", "double-down-stud"]


def changed(game: str = "caribbean-stud", **changes: Any) -> dict[str, Any]:
    return other.changed(profiles.load_game(game), changes)


def problem(**changes: Any) -> str:
    found = profiles.check_game_data(changed(**changes))
    assert len(found) == 1, found
    return found[0]


def test_the_games_of_the_repository_are_good() -> None:
    assert fairshoe.__version__
    assert {*NAMES, "house"} <= set(profiles.game_names())
    for name in profiles.game_names()[:-1]:
        assert profiles.inspect_game(name).problems == ()
        assert rig_games.load_profile(name).name == name


def test_the_schema_knows_the_words_that_the_device_knows() -> None:
    known = json.loads((profiles.folder() / "schema.json").read_text())["properties"]
    assert list(known["rules"]["properties"]) == rig_games.RULES
    assert list(known["pages"]["properties"]) == ids.STATE_NAMES.split()
    consequences = json.loads((profiles.folder() / "schema.json").read_text())["definitions"]["rule"]["oneOf"][1]
    assert consequences["items"][1]["enum"] == ids.CONSEQUENCE_NAMES.split()
    for key, words in rig_games.LISTS.items():
        assert set(known[key]["items"]["enum"]) <= set(words), key


def test_the_table_for_eight_players_is_the_column_for_eight() -> None:
    """Proves: CS-12f"""
    assert profiles.load_game("caribbean-stud")["cover_all"]["8"] == [100, 40, 7, 6, 5, 4, 3]


def test_a_wrong_game_is_told_with_its_place() -> None:
    assert problem(stack_cards=0).startswith("stack_cards must be bigger than or equal to 1")
    assert problem(code=None) == "code is missing"
    assert problem(deck_cards=52.0).startswith("deck_cards: 52.0 must be written as a whole number")
    assert problem(jokers=2).startswith("jokers is not known; possible: ")
    assert problem(plan=[30, 30]) == "plan deals 60 cards of 52"
    assert problem(rules={**changed()["rules"], "jam": "CS-1"}).startswith("rules.jam is not known")
    assert problem(rules={**changed()["rules"], "count": ["CS-9g", "explode"]}).startswith(
        "rules.count: nothing is called explode; what a rule may order: none, "
    )
    assert problem(rules={**changed()["rules"], "exposure": ["CS-13a", "one_void"]}) == (
        "rules.exposure voids the round: one_void is no way to do that"
    )
    assert problem(rules={**changed()["rules"], "count": ["DCP-7f", "remove_deck"]}) == (
        "rules name DCP-7f, which is a clause of another game than CS"
    )
    assert problem(pages={"deck_ready": ["a line that is longer than 20", "", "", ""]}).startswith("pages.deck_ready")
    assert problem(extras=["community"], last_cards=4).startswith("extras community")
    assert problem(cut_bottom=50) == "cut_top and cut_bottom leave no place for a cut in 52 cards"
    assert len(profiles.check_game_data(changed(code=None, lockout=3))) == 2  # every mistake is named
    assert profiles.check_game_data([]) == ["a game must be an object"]


def test_an_operator_can_add_a_game_without_touching_the_engine(tmp_path: Path) -> None:
    data = changed("double-cross-poker", name="my-game", code="MY", stack_cards=4, rules={}, manual={}, hand={})
    data["stub_rounds"] = 0
    data["stub_exempt"] = []
    data["cut_after"] = []
    path = tmp_path / "my-game.json"
    path.write_text(json.dumps(data))
    assert profiles.inspect_game(str(path)).good
    assert rig_games.load_profile(data).stack_cards == 4


def test_the_command_says_which_game_is_good(tmp_path: Path) -> None:
    assert output("game", "check", "caribbean-stud").startswith(
        "caribbean-stud: good (code CS, 25 clauses)\n  carousel: "
    )
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    told = output("game", "check", str(bad), "nothing", code=3)
    assert "bad.json: cannot be played\n  name is missing\n" in told
    assert "no game 'nothing'" in told
    assert output("game", "list").split() == profiles.game_names()
    assert json.loads(output("game", "check", "--json", "caribbean-stud"))["good"] is True
