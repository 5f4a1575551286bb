"""The matrix of records is what the device does: pages of docs/matrix, played again."""

import pytest

from rules import matrix

ALWAYS = ("double-down-stud", "manual")  # the shortest; the others are in the full set


def section(text: str, mode: str) -> list[str]:
    """The lines of the table that a page has for this mode."""
    parts = text.split("\n## ")[1:]
    found = [part for part in parts if mode in part.split("\n", 1)[0].lower().split(" and ")]
    assert len(found) == 1, mode
    return [line for line in found[0].split("\n") if line.startswith("|")]


def check(game: str, mode: str) -> None:
    page = (matrix.PAGES / f"{game}.md").read_text(encoding="utf-8")
    assert list(matrix.table(matrix.matrix(game, mode))) == section(page, mode), f"make matrix WRITE=1 GAME={game}"


@pytest.mark.parametrize(
    ("game", "mode"),
    [
        pytest.param(game, mode, marks=() if (game, mode) == ALWAYS else pytest.mark.full)
        for game, modes in matrix.GAMES.items()
        for mode in modes
    ],
)
def test_every_page_is_what_the_device_does(game: str, mode: str) -> None:
    check(game, mode)


def test_a_record_that_is_taken_shows_its_consequence_and_clause_and_leaves_the_table_as_it_was() -> None:
    table = matrix.Table("caribbean-stud", "automated")
    inspected, fold = matrix.Tried("inspected", "", 1), matrix.Tried("fold", "", 1)
    for _ in range(2):
        assert matrix.cell(table, inspected) == "**taken**: recorded (CS-3b)"
        assert matrix.cell(table, fold) == "refused: state"
    assert "recorded" not in table.stage.names()
