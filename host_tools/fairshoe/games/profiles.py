"""Find game profiles by name or path, and check them against the schema and against what can be played."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from fairshoe import _device, data_files
from fairshoe.boards import configs
from fairshoe.errors import GameError
from fairshoe.messages import Consequence

Game = dict[str, Any]
_FILE = data_files.Kind("game", "game profile", GameError)
_CLAUSE = "[A-Z0-9]{2,3}-[0-9a-z]{1,4}|HOUSE"
_FORMS = {
    "name": "must be small letters, digits and dashes",
    "code": "must be one to eight capitals or digits, and two or three to have clauses of its own",
}
NO_GAMES = ("schema", "cover_all", "set_ups")  # what else lies there

# What a rule must order where it is about the round as a whole: anything else would leave hands undecided.
_VOIDS = ("deal_fault", "face_ups", "misdeal_dealer", "stub_misdealt", "stub_wrong", "exposure", "tens")


@dataclass(frozen=True)
class GameInspection:
    """What is to be said about one game file: with problems it cannot be played."""

    game: str
    problems: tuple[str, ...]
    code: str = ""
    clauses: int = 0

    @property
    def good(self) -> bool:
        return not self.problems


def folder() -> Path:
    return _device.root() / "game_profiles"


def game_names() -> list[str]:
    """The games that have a file, and the house's own."""
    return [*sorted(path.stem for path in folder().glob("*.json") if path.stem not in NO_GAMES), "house"]


@cache
def deck_sizes() -> dict[str, frozenset[int]]:
    """How many cards a game with a file is played with, by the code in records; the house's own may have any number."""
    games = [cast(Game, _read(name)) for name in game_names() if name != "house"]
    return {game["code"]: frozenset({game["deck_cards"]} | _packed(game)) for game in games}


def _packed(game: Game) -> set[int]:
    return {packs * int(game["pack_cards"]) for packs in game.get("packs", ())}


def load_game(name: str) -> Game:
    """The checked data of a game: a name, or the path of a JSON file."""
    game = _read(name)
    problems = check_game_data(game)
    if problems:
        raise GameError(f"{name}: " + "; ".join(problems) + ".", "Correct the file; docs/GAMES.md describes it.")
    return cast(Game, game)


def inspect_game(name: str) -> GameInspection:
    """Everything that can be said about a game; one that cannot even be read is a bad one, not an exception."""
    try:
        read = _read(name)
    except GameError as error:
        return GameInspection(name, (f"{error.what} {error.advice}",))
    problems = check_game_data(read)
    if problems:
        return GameInspection(name, tuple(problems))
    game = cast(Game, read)
    return GameInspection(name, (), game["code"], len(clauses_of(game)))


def clauses_of(game: Game) -> set[str]:
    """Every clause that a game refers to."""
    named = [game.get(key, {}) for key in ("rules", "manual", "hand")]
    return {_clause(rule) for rules in named for rule in rules.values()} - {"HOUSE"}


def check_game_data(game: object) -> list[str]:
    """Everything that is wrong with a game, in plain words; empty if it can be played."""
    if not isinstance(game, dict):
        return ["a game must be an object"]
    data = cast(Game, game)
    schema = cast(Game, json.loads((folder() / "schema.json").read_text()))
    problems = list(data_files.problems("", data, schema, schema["definitions"], _words))
    return problems or list(_sense_problems(data))


def set_table(config: configs.Config, words: list[str]) -> None:
    """Settings of a table, `progressive=false`, into a board config; what no table can have is refused."""
    for word in words:
        key, _, value = word.partition("=")
        values = {"true": True, "false": False}
        setting: object = int(value) if value.isdigit() else values.get(value, value)
        config.setdefault("table", {})[key] = setting
    problems = [problem for problem in configs.check_board(config) if problem.startswith("table")]
    if words and problems:
        raise GameError("; ".join(problems) + ".", "docs/GAMES.md has the table of settings.")


def _words(path: str, value: object, schema: Game) -> Iterator[str]:
    if "oneOf" in schema:
        yield from _rule_problems(path, value)
    elif "pattern" in schema:
        yield f"{path} {_FORMS.get(path, 'does not match ' + schema['pattern'])}, not {json.dumps(value)}"


def _rule_problems(path: str, value: object) -> Iterator[str]:
    """A rule is a clause, or a clause and what it orders: which of the two is wrong."""
    parts: list[object] = cast(list[object], value) if isinstance(value, list) else [value]
    if not 1 <= len(parts) <= 2 or not all(isinstance(part, str) for part in parts):
        yield f"{path} must be a clause, or a clause and what it orders, not {json.dumps(value)}"
        return
    if not re.fullmatch(_CLAUSE, str(parts[0])):
        yield (
            f"{path}: a clause is two or three capitals or digits, a dash and up to four more (XY-4b), or HOUSE; "
            f"not {parts[0]}"
        )
    known = [item.name.lower() for item in Consequence if item != Consequence.UNRECOGNISED]
    if len(parts) == 2 and parts[1] not in known:
        yield f"{path}: nothing is called {parts[1]}; what a rule may order: {', '.join(known)}"
    elif len(parts) == 1 and isinstance(value, list):
        yield f"{path} must be a clause, or a clause and what it orders, not {json.dumps(value)}"


def _sense_problems(game: Game) -> Iterator[str]:
    deck = game["deck_cards"]
    plan = game.get("plan", [])
    last = game.get("last_cards", game["stack_cards"])
    if sum(plan) > deck:
        yield f"plan deals {sum(plan)} cards of {deck}"
    if not plan and game["stack_cards"] + last > deck:
        yield f"one player and the last stack take {game['stack_cards'] + last} cards of {deck}"
    elif not plan:
        each = game["stack_cards"] + game.get("final_each", 0)
        taken = game["positions_max"] * each + last + game.get("final_fixed", 0)
        if taken > deck:
            yield f"positions_max {game['positions_max']}: so many hands and the last one take {taken} of {deck} cards"
    if "community" in game.get("extras", ()) and game["stack_cards"] > last:
        yield "extras community: a stack that was not taken joins the last one, which must not be smaller"
    cut = game.get("cut_top", 0) + game.get("cut_bottom", 0)
    if cut > deck:
        yield f"cut_top and cut_bottom leave no place for a cut in {deck} cards"
    if game.get("stub_exempt") and not game.get("stub_rounds"):
        yield "stub_exempt without stub_rounds: there is no count to be exempt from"
    rules = game["rules"]
    for name in _VOIDS:
        rule = rules.get(name)
        if isinstance(rule, list) and not cast(str, rule[1]).startswith("all_void"):
            yield f"rules.{name} voids the round: {rule[1]} is no way to do that"
        elif isinstance(rule, str):
            yield f"rules.{name} needs a consequence, one of {', '.join(_all_void())}"
    if game.get("stub_rounds") and "stub_count" not in rules:
        yield "rules.stub_count is missing: a count that is due must name its clause"
    if game.get("cut_after") and _clause(rules.get("cut", "HOUSE")) == "HOUSE":
        yield "rules.cut must name a clause of the game: without one no cut can be put on record, and none could be due"
    if game.get("closings", 1) > 1 and "closing_again" not in rules:
        yield "rules.closing_again is missing: the second closing must name its clause"
    if game["lockout"] and "lockout" not in rules:
        yield "rules.lockout is missing: what holds back the cards must name its clause"
    for clause in sorted(clauses_of(game)):
        if not clause.startswith(game["code"] + "-"):
            yield f"rules name {clause}, which is a clause of another game than {game['code']}"


def _clause(entry: Any) -> str:
    return entry if isinstance(entry, str) else entry[0]


def _all_void() -> list[str]:
    return [item.name.lower() for item in Consequence if item.name.startswith("ALL_VOID")]


def _read(name: str) -> object:
    return _FILE.read(name, folder(), game_names)[2]
