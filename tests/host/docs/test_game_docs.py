"""docs/GAMES.md is enough to add a game: its example plays, its tables are those of the code, its messages are true."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fairshoe.boards import configs
from fairshoe.errors import GameError
from fairshoe.games import profiles
from fairshoe.messages import Consequence, Need
from fairshoe.sim.pty_server import check_game
from fairshoe.text.describe_game import CONSEQUENCES
from rig.scenario import Scenario

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "GAMES.md").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads((ROOT / "game_profiles" / "schema.json").read_text(encoding="utf-8"))
POKER = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")


def example() -> dict[str, Any]:
    found = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def rows(header: str) -> list[list[str]]:
    lines = PAGE[PAGE.index(f"| {header} |") :].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in lines[2 : lines.index("")]]


def words(header: str) -> set[str]:
    return {word for row in rows(header) for word in re.findall(r"`(\w+)`", row[0])}


def test_the_example_is_good_and_plays_by_its_own_rules(tmp_path: Path) -> None:
    path = tmp_path / "three-card.json"
    path.write_text(json.dumps(example()), encoding="utf-8")
    found = profiles.inspect_game(str(path))
    assert f"three-card.json: good (code {found.code}, {found.clauses} clauses)" in PAGE
    assert check_game(str(path)) == example()
    data = {
        "title": "The example of the page",
        "board": "pico-carousel",
        "changes": {"mechanism.count_assurance": "basic", "inputs.opacity": None},
        "game": example(),
        "role": "table",
        "script": [
            {"story": "start"},
            {"repeat": 2, "steps": [{"story": "round", "positions": 2}]},
            {"story": "shuffle", "cards": 52},
            {"story": "stacks", "positions": 2},
            {"on": "stack_taken", "after_ms": 500, "do": "read", "display": example()["pages"]["waiting_for_green"]},
            {"after_ms": 500, "do": "command", "name": "record", "what": "misdeal", "a": 1, "b": 4},
            {"after_ms": 500, "do": "press", "button": "green"},
            {"on": "remainder_released", "after_ms": 900, "do": "take"},
            {"on": "remainder_taken", "after_ms": 900, "do": "press", "button": "green"},
            {"on": "held_back", "after_ms": 500, "do": "press", "button": "lock"},
            {"on": "recorded", "after_ms": 500, "do": "press", "button": "green"},
        ],
        "expect": {
            "fields": [
                {"event": "round_started", "game": "TCH", "positions": 2},
                {"event": "recorded", "what": "misdeal", "clause": "TCH-4b", "consequence": "one_void"},
                {"event": "held_back", "round": 3, "need": "stub_count", "clause": "HOUSE"},
                {"event": "round_ended", "nth": 2, "stacks": 3, "dealt": 9, "stub": 42, "stub_counted": 42},
            ],
            "never": ["round_voided"],
            "state": "waiting_for_deck",
        },
    }
    assert Scenario(data, configs.load_board("pico-carousel")[0]).play() == []


def test_every_key_and_rule_that_a_poker_game_has_is_explained_and_no_other() -> None:
    keys = words("key | needed | meaning (default)")
    rules = words("rule | what it is about")
    assert keys <= set(SCHEMA["properties"])
    assert rules <= set(SCHEMA["properties"]["rules"]["properties"])
    assert {key for row in rows("key | needed | meaning (default)") if row[1] for key in [row[0].strip("`")]} == set(
        SCHEMA["required"]
    )
    for name in POKER:
        game = profiles.load_game(name)
        assert set(game) - {"$schema"} <= keys, name
        assert set(game["rules"]) <= rules, name


def test_consequences_needs_and_settings_are_those_of_the_code() -> None:
    told = {row[0].strip("`"): row[1] for row in rows("consequence | for the hands, and for the cards")}
    consequences = [item.name.lower() for item in Consequence if item.name not in ("NONE", "UNRECOGNISED")]
    assert told == {name: CONSEQUENCES[name] for name in consequences}
    assert words("need | what is missing") <= {item.name.lower() for item in Need}
    schema = json.loads((ROOT / "board_configs" / "schema.json").read_text(encoding="utf-8"))
    assert words("setting | meaning (default)") <= set(schema["properties"]["table"]["properties"])
    known = {row[0]: row[1] for row in rows("game | code | deal | betting | rest comes out | stub count")}
    assert known == {name: profiles.load_game(name)["code"] for name in profiles.game_names() if name != "house"}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"stack_cards": "3"}, 'stack_cards must be integer, not "3"'),
    ({"rules": {"misdeal": ["TCH-1", "void_one"]}}, "rules.misdeal: nothing is called void_one; what a rule may"),
    ({"rules": {"misdeal": ["house rule", "one_void"]}}, "rules.misdeal: a clause is two or three capitals"),
    ({"rules": {"misdeal": ["TCH-1"]}}, "rules.misdeal must be a clause, or a clause and what it orders"),
    ({"rules": {"misdeal": 4}}, "rules.misdeal must be a clause, or a clause and what it orders"),
    ({"code": "tch"}, "code must be one to eight capitals or digits"),
    ({"name": "Three Card"}, "name must be small letters, digits and dashes"),
    ({"positions_max": 16, "stack_cards": 5}, "positions_max 16: so many hands and the last one take 85 of 52 cards"),
    ({"final_each": 9}, "positions_max 7: so many hands and the last one take 87 of 52 cards"),
    ({"cut_after": ["hand"]}, "rules.cut must name a clause of the game"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=lambda value: str(value)[:40])
def test_a_mistake_is_told_with_its_place_and_what_would_be_right(change: dict[str, Any], message: str) -> None:
    game = example()
    rules = {**game["rules"], **change.get("rules", {})}
    problems = profiles.check_game_data({**game, **change, "rules": rules})
    assert [problem for problem in problems if message in problem], problems


def test_settings_of_a_table_are_checked() -> None:
    config, _crc = configs.load_board("pico-carousel")
    profiles.set_table(config, ["progressive=false", "cover_all=with_dealer", "decks=2"])
    assert config["table"] == {"progressive": False, "cover_all": "with_dealer", "decks": 2}
    for word, message in (("decks=3", "table.decks"), ("colour=red", "table.colour"), ("progressive=x", "table.prog")):
        with pytest.raises(GameError, match=message):
            profiles.set_table(configs.load_board("pico-carousel")[0], [word])
