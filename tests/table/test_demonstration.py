"""The command: rounds in 80 columns, simulations of the core with known returns, the whole stack with jams."""

import json
from pathlib import Path

import pytest

from fairshoe.cli.command_line import main
from fairshoe.errors import UsageError
from fairshoe_table.demonstration import play_rounds, run_stack
from fairshoe_table.options import GAMES
from fairshoe_table.simulation import simulate


@pytest.mark.parametrize("game", ["caribbean-stud", "double-attack-blackjack"])
def test_rounds_are_shown_in_80_columns(tmp_path: Path, game: str) -> None:
    lines: list[str] = []
    play_rounds(tmp_path, game, 1, 1, 4, lines.append)
    assert max(len(line) for line in lines) <= 80
    assert lines[0] == f"{game}, round 1" and any("in all: seat" in line for line in lines)
    assert lines[-1] == "books agree: money is conserved"


def test_a_table_goes_on_from_its_folder(tmp_path: Path) -> None:
    lines: list[str] = []
    for _ in range(2):
        play_rounds(tmp_path, "double-down-stud", 1, 1, 4, lines.append)
    assert "double-down-stud, round 2" in lines


def test_the_whole_stack_agrees_with_jams(tmp_path: Path) -> None:
    report = run_stack(tmp_path, "double-down-stud", 6, seed=3, fault_share=0.5)
    assert report.wrong == [] and report.faults > 0 and report.void > 0 and report.ended + report.void == 6


@pytest.mark.parametrize("game", GAMES)
def test_a_simulation_of_the_core_is_near_the_known_returns(game: str) -> None:
    report = simulate(game, 2000, seed=2)
    assert report.rounds == sum(report.hands.values()) == 2000
    known = {
        "boston-5-stud": {"bonus": 0.915475},
        "caribbean-stud": {"cover all": 0.9128551},
        "double-cross-poker": {"bonus": 0.976833},
        "double-attack-blackjack": {"bonus": 0.919936},
    }
    for wager, returned in known.get(game, {}).items():
        found = report.wagers[wager]
        assert abs(found.returned - returned) < 4 * found.error, (wager, found)
    assert max(len(line) for line in report.as_text().splitlines()) <= 80


def test_a_simulation_is_the_same_with_any_number_of_jobs() -> None:
    one, two = (simulate("double-down-stud", 4500, seed=7, jobs=jobs) for jobs in (1, 2))
    assert one == two


def test_the_command_prints_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "simulate", "--game", "double-down-stud", "--rounds", "50", "--jobs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rounds"] == 50


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(UsageError, match="no game"):
        simulate("whist", 1)
