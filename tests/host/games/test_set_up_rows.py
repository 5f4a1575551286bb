"""The table of lawful set-ups: its clauses are those of the rules, and config check and game check read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from in_process import output

from fairshoe.boards import configs
from fairshoe.games import clauses
from fairshoe.ship.game_fit import inspect_with_game, lawful_dealings

ROOT = Path(__file__).resolve().parents[3]
ROWS: list[dict[str, Any]] = json.loads((ROOT / "game_profiles" / "set_ups.json").read_text(encoding="utf-8"))["rows"]


def test_every_row_names_clauses_of_the_rules_once_for_each_game_and_says_why_it_refuses() -> None:
    for row in ROWS:
        named = row.get("lawful", []) + row.get("refused", [])
        assert set(named) <= set(clauses.texts()), row
        games = [name.split("-")[0] for name in named]
        assert games and len(games) == len(set(games)) and ("lawful" in row) != ("refused" in row), row
        assert ("why" in row) == ("refused" in row), row


@pytest.mark.parametrize(
    ("board", "game", "table", "said"),
    [
        ("pico-carousel", "double-down-stud", {"dealing": "hand"}, "not dealt from the hand (DDS-8a)"),
        ("pico-shelves", "double-attack-blackjack", {"dealing": "hand"}, "not dealt from the hand (DAB-7a)"),
        ("pico-shelves", "caribbean-stud", {}, "beside (an automated shoe beside them), manual or hand (CS-9g)"),
        ("pico-draw", "caribbean-stud", {"cover_all": "with_dealer"}, "and here that does not deal (CS-12d)"),
    ],
)
def test_config_check_refuses_a_table_with_the_clause_in_words(
    tmp_path: Path, board: str, game: str, table: dict[str, Any], said: str
) -> None:
    path = tmp_path / "board.json"
    path.write_text(json.dumps({**configs.load_board(board)[0], "game": game, "table": table}))
    assert inspect_with_game(str(path)).problems[0].endswith(said)


def test_game_check_says_by_what_the_rules_let_each_mechanism_deal() -> None:
    assert output("game", "check", "boston-5-stud").splitlines()[1:] == [
        "  carousel: shoe (B5-9a), manual (B5-7d), hand (B5-7d)",
        "  shelves: beside (B5-9f), manual (B5-7d), hand (B5-7d)",
        "  shoe: shoe (B5-9a)",
        "  draw: manual (B5-7d)",
    ]
    assert not list(lawful_dealings("TCH"))
