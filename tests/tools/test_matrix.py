"""The matrix of records is what the device does: rules/records.txt, played again."""

import pytest

from rules import matrix

ALWAYS = ("double-down-stud", "manual")  # the shortest; the others are in the full set


@pytest.mark.parametrize(
    ("game", "mode"),
    [
        pytest.param(game, mode, marks=() if (game, mode) == ALWAYS else pytest.mark.full)
        for game, modes in matrix.GAMES.items()
        for mode in modes
    ],
)
def test_every_record_is_taken_and_refused_as_the_file_says(game: str, mode: str) -> None:
    assert matrix.matrix(game, mode) == matrix.kept()[game, mode], f"make matrix WRITE=1 GAME={game}"


def test_what_is_kept_is_what_was_found() -> None:
    found = {"fold": {"a": "refused: state", "b": "refused: state", "c": "**taken**: recorded, round void (CS-1)"}}
    text = matrix.golden("g", "hand", found)
    assert text == "[g, hand]\na | b | c\nfold: 2 state | 1 taken: recorded, round void (CS-1)\n"
    kept = matrix.kept()
    assert "\n".join(matrix.golden(*key, cells) for key, cells in kept.items()) == matrix.GOLDEN.read_text("utf-8")


def test_a_record_that_is_taken_shows_its_consequence_and_clause_and_leaves_the_table_as_it_was() -> None:
    table = matrix.Table("caribbean-stud", "automated")
    inspected, fold = matrix.Tried("inspected", "", 1), matrix.Tried("fold", "", 1)
    for _ in range(2):
        assert matrix.cell(table, inspected) == "**taken**: recorded (CS-3b)"
        assert matrix.cell(table, fold) == "refused: state"
    assert "recorded" not in table.stage.names()
