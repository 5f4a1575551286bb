"""docs/SCENARIOS.md and docs/FAULTS.md say what the code does: every table is compared with what it describes."""

import ast
import json
import re
from pathlib import Path

import pytest

from fairshoe.sim.scenario_cases import library
from fairshoe.sim.scenario_files import play
from firmware.fault import FAULT_NAMES
from firmware.games import flow, pages
from hal.sim import faults
from rig import actions, expect, scenario, stories

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "scenarios"
SCENARIOS = (ROOT / "docs" / "SCENARIOS.md").read_text(encoding="utf-8")
FAULTS = (ROOT / "docs" / "FAULTS.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "SECURITY.md").read_text(encoding="utf-8")
LIBRARY = library(FOLDER)


def table(text: str, header: str) -> list[list[str]]:
    """Rows of the table whose header begins so, as cells."""
    lines = text[text.index("| " + header) :].splitlines()
    rows = lines[2 : lines.index("")] if "" in lines else lines[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def words(text: str, header: str) -> set[str]:
    return {row[0].strip("`") for row in table(text, header)}


# -- SCENARIOS.md -----------------------------------------------------------------------------------------------------


def test_the_table_of_faults_is_that_of_the_simulator() -> None:
    assert faults.__doc__ is not None
    assert table(SCENARIOS, "fault | its own keys") == table(faults.__doc__, "fault | its own keys")
    assert {row[0] for row in table(SCENARIOS, "fault | its own keys")} == set(faults.FAULTS)
    told = " ".join(SCENARIOS.split())
    for paragraph in faults.__doc__[faults.__doc__.index("[1] ") :].strip().split("\n\n"):
        assert " ".join(paragraph.split()) in told


def test_keys_actions_stories_and_expectations_are_those_of_the_code() -> None:
    assert words(SCENARIOS, "key | meaning |") == {*scenario.KEYS, "steps"}
    assert words(SCENARIOS[SCENARIOS.index("## Expectations") :], "key | meaning |") == set(expect.KEYS)
    assert words(SCENARIOS, "story | arguments") == set(stories.STORIES)
    documented = {row[0].strip("`"): row[1] for row in table(SCENARIOS, "action | arguments")}
    assert set(documented) == set(actions.ACTIONS) | set(scenario._HOST_ACTIONS)  # pyright: ignore[reportPrivateUsage]
    for name, arguments in actions.ACTIONS.items():
        for key, default in arguments.items():
            assert (key if default is None else f"{key} ({default})") in documented[name], name


def test_the_examples_play(tmp_path: Path) -> None:
    examples = re.findall(r"```json\n(.*?)```", SCENARIOS, re.DOTALL)
    assert len(examples) == 2
    for number, example in enumerate(examples):
        (tmp_path / f"example-{number}.json").write_text(example, encoding="utf-8")
    assert [result.problems for result in play([tmp_path])] == [[], [], [], []]


# -- FAULTS.md --------------------------------------------------------------------------------------------------------


def test_every_warning_is_there_with_its_code_its_display_and_whether_the_door_must_be_opened() -> None:
    rows = table(FAULTS, "warning | code")
    assert ["none"] + [row[0] for row in rows] == FAULT_NAMES.split()
    assert [int(row[1]) for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        code = int(row[1])
        assert row[3] == pages._WHAT[code]  # pyright: ignore[reportPrivateUsage]
        suffices = code in flow.BEAMS_SUFFICE
        assert row[4] == ("no" if suffices else "yes"), row[0]
        assert row[2], row[0]
        assert row[5], row[0]


def first_lines() -> set[str]:
    """The first line of every page of the display: tuples of four texts in the firmware, and the pages of the games."""
    found: set[str] = set()
    for path in set((ROOT / "firmware" / "games").rglob("*.py")) - {ROOT / "firmware" / "games" / "profile.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Tuple) or len(node.elts) != 4:
                continue
            first = node.elts[0].left if isinstance(node.elts[0], ast.BinOp) else node.elts[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value != "":
                found.add(first.value)
    for path in (ROOT / "game_profiles").glob("*.json"):
        texts = json.loads(path.read_text(encoding="utf-8")).get("pages", {})
        found |= {page[0] for page in texts.values()}
    return found


def test_every_page_of_the_display_is_there_by_its_first_line() -> None:
    cells = ", ".join(row[0] for row in table(FAULTS, "first line | why"))
    listed = {re.sub(r"\b(Deck|deck|All:) \d", r"\1 %d", entry) for entry in re.findall("`(.+?)`", cells)}
    assert listed == first_lines() - {"STOP: "}  # the warnings have their own table


def bounds() -> dict[str, tuple[str, int]]:
    """By scenario: the warning and the milliseconds that the page gives."""
    found: dict[str, tuple[str, int]] = {}
    for row in table(FAULTS, "fault | warning"):
        for name in re.findall(r"`([a-z0-9-]+)`", row[4]):
            assert name not in found, name
            found[name] = row[1], int(row[3])
    return found


def test_every_bound_is_the_one_that_its_scenario_checks() -> None:
    checked = {
        name: (data["expect"]["detected"]["warning"], data["expect"]["detected"]["within_ms"])
        for name, data in LIBRARY.items()
        if "detected" in data["expect"]
    }
    assert bounds() == checked


@pytest.mark.parametrize("text", [SCENARIOS, FAULTS, SECURITY], ids=["SCENARIOS.md", "FAULTS.md", "SECURITY.md"])
def test_every_scenario_that_is_named_exists(text: str) -> None:
    named = re.findall(r"`((?:carousel|shelves|shoe|draw|dds|b5|cs|dab|dcp)-[a-z0-9-]+)`", text)
    assert [name for name in named if name not in LIBRARY] == []


def test_every_warning_that_the_simulated_machine_can_cause_is_shown_by_a_scenario() -> None:
    shown = {warning for warning, _ms in bounds().values()}
    for data in LIBRARY.values():
        shown |= {entry["warning"] for entry in data["expect"].get("fields", ()) if "warning" in entry}
    assert set(FAULT_NAMES.split()) - shown - {"none"} == {"edge_lost", "internal"}
