"""A game of another package, House Three of host_tools/examples: found, played on the page, settled, simulated."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from house_three_test import (
    test_a_fold_loses_the_ante_and_a_void_returns_everything,
    test_every_row_pays_ante_and_play_wager,
    test_the_return_is_counted_over_every_deal,
)
from running_tables import check_books
from sitting import EXAMPLE, house_three, sitting

from fairshoe.cli.command_line import main
from fairshoe_table.play import registry
from fairshoe_table.simulated.returns import simulate
from fairshoe_table.simulated.stack import run_stack

__all__ = [
    "test_a_fold_loses_the_ante_and_a_void_returns_everything",
    "test_every_row_pays_ante_and_play_wager",
    "test_the_return_is_counted_over_every_deal",
]
NAME = "house-three"


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setattr(sys, "path", [*house_three(tmp_path), *sys.path])
    registry.find.cache_clear()
    yield
    registry.find.cache_clear()


def test_the_registry_finds_it_with_the_name_and_version_of_its_package() -> None:
    assert registry.ids()[-1] == NAME and registry.broken() == {}
    assert registry.origin(NAME) == "house-three 0.1.0"
    assert len((EXAMPLE / "house_three.py").read_text(encoding="utf-8").splitlines()) < 150


def test_a_round_on_the_dealers_page_is_settled_and_names_the_package(tmp_path: Path) -> None:
    with sitting(tmp_path / "table", NAME) as it:
        number = 0
        for _ in range(2):
            it.bets()
            it.wager(1, ante=1000)
            it.wager(3, ante=2500)
            it.close()
            number = it.finish()
            lines = it.desk.books.lines(number)
            assert {line.wager for line in lines} <= {"ante", "play"} and {line.seat for line in lines} == {1, 3}
        assert "Play or fold?" in it.said and "No more bets" in it.said
        assert it.desk.books.header(number).package == "house-three 0.1.0"
        it.until(lambda values: values["check"])
        assert it.values["check"] == "the cards agree with the disclosed seed"
        assert {button["clause"] for button in it.values["irregularities"]} >= {"H3-6d", "H3-6c", "H3-7", "H3-6e"}
        check_books(it.desk.books)


def test_rounds_with_faults_agree_with_the_shoe_and_a_simulation_with_the_count(tmp_path: Path) -> None:
    report = run_stack(tmp_path, NAME, 12, 5, 0.5)
    assert report.wrong == [] and report.ended + report.void == 12
    returns = simulate(NAME, 4000, seed=1)
    known = {name: (it, returned) for name, it, returned in returns.rows() if returned is not None}
    ((found, returned),) = known.values()
    assert abs(found.returned - returned) < 4 * found.error


def test_the_command_plays_it_and_refuses_a_game_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "play", "--game", NAME, "--rounds", "1"]) == 0
    assert "money is conserved" in capsys.readouterr().out
    assert main(["table", "play", "--game", "whist"]) != 0
    assert "house-three" in capsys.readouterr().err
