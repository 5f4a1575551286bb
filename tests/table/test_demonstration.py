"""The command: rounds in 80 columns, simulations of the core with known returns."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fairshoe.cli.command_line import main
from fairshoe.errors import UsageError
from fairshoe_table.play import registry
from fairshoe_table.simulated.demonstration import play_rounds
from fairshoe_table.simulated.report_page import page
from fairshoe_table.simulated.returns import Wagered, simulate


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


@pytest.mark.parametrize("game", registry.ids())
def test_a_simulation_of_the_core_is_near_the_known_returns(game: str) -> None:
    report = simulate(game, 2000, seed=2)
    assert report.rounds == sum(report.hands.values()) == 2000
    known = [(wager, found, returned) for wager, found, returned in report.rows() if returned is not None]
    assert len(known) == len(registry.find(game).known)
    for wager, found, returned in known:
        assert abs(found.returned - returned) < 4 * found.error, (wager, found)
    assert max(len(line) for line in report.as_text().splitlines()) <= 80


def test_the_error_of_a_return_counts_that_stakes_differ() -> None:
    """One unit is always lost; three units win or lose in turn. Of eight units two are lost, by 16 such rounds."""
    found = Wagered()
    for net in (-100, 300, -100, -300) * 4:
        found.add(abs(net), net)
    assert found.returned == 0.75
    # Per round the net differs from -25 % of the stake by -75, 375, -75 and -225 cents.
    assert found.error == pytest.approx((4 * (75**2 + 375**2 + 75**2 + 225**2)) ** 0.5 / 3200)


def test_a_simulation_is_the_same_with_any_number_of_jobs() -> None:
    one, two = (simulate("double-down-stud", 4500, seed=7, jobs=jobs) for jobs in (1, 2))
    assert one == two


def test_the_command_prints_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "simulate", "--game", "double-down-stud", "--rounds", "50", "--jobs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rounds"] == 50


def test_the_page_has_three_plots_and_every_wager(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = simulate("caribbean-stud", 4000, seed=3, progress=lambda done, whole: seen.append((done, whole)))
    assert seen == [(2000, 4000), (4000, 4000)] and [one.rounds for one in report.history] == [2000, 4000]
    text = page(report)
    root = ElementTree.fromstring(text.replace("<!doctype html>", "").replace('<meta charset="utf-8">', ""))
    assert len(root.findall(".//svg")) == 3
    assert all(f">{name}<" in text for name in (*(row[0] for row in report.rows()), *report.hands))
    out = tmp_path / "report.html"
    command = ["table", "simulate", "--game", "double-down-stud", "--rounds", "20", "--jobs", "1", "--out", str(out)]
    assert main(command) == 0 and "<svg" in out.read_text(encoding="utf-8")


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(UsageError, match="no game"):
        simulate("whist", 1)
