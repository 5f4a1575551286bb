"""The library of scenarios, each file a test; what is said about files that cannot be played; and the command line."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import in_process
import pytest
from round_checks import check_rounds, recorded_events
from rules.played import noting, scenario_plays

from fairshoe.sim import scenario_files
from fairshoe.sim.scenario_cases import name_of, places, read_place
from fairshoe.sim.scenario_files import ScenarioError, load, play
from fairshoe.text.transcript import in_words
from firmware.games import flow
from rig.expect import judge
from rig.scenario import Scenario

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "scenarios"
PLACES = places([FOLDER])
GOOD = FOLDER / "carousel-good-round.json"
MECHANISMS = ("carousel", "shelves", "shoe", "draw")
# Stories of one game are named after it, whatever machine plays them.
GAMES = {
    "dds": "double-down-stud",
    "b5": "boston-5-stud",
    "cs": "caribbean-stud",
    "dab": "double-attack-blackjack",
    "dcp": "double-cross-poker",
}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return in_process.run("scenario", "run", *arguments)


@pytest.fixture(scope="module")
def taken() -> Iterator[set[tuple[int, int]]]:
    """The transitions that scenarios take, as flow_enter checks them."""
    pairs: set[tuple[int, int]] = set()
    require = flow.require

    def note(ok: bool, code: int) -> None:
        values = sys._getframe(1).f_locals  # pyright: ignore[reportPrivateUsage]
        pairs.add((values["flow"].state, values["state"]))
        require(ok, code)

    flow.require = note
    yield pairs
    flow.require = require


@pytest.mark.drawn  # the full set plays all of them: the next test counts what they reach
@pytest.mark.parametrize("path", PLACES, ids=name_of)
def test_the_scenario_comes_out_as_it_says(
    path: Path, taken: set[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Scenario] = []

    def make(data: dict[str, Any], config: dict[str, Any]) -> Scenario:
        made.append(Scenario(data, config))
        return made[-1]

    monkeypatch.setattr(scenario_files, "Scenario", make)
    with noting() as played:
        (result,) = play([path])
    check_rounds(recorded_events(made[0].stage.rig.app.journal))
    data = read_place(path)
    if "clauses" in data:
        assert played == {scenario_plays(data)}, "make trace counts its claims for another game or mode"
    assert not result.problems, "\n".join(
        [*result.problems, f"replay: fairshoe scenario run --transcript - {path.relative_to(ROOT)}"]
    )


@pytest.mark.full
def test_scenarios_take_every_transition_of_the_procedure(taken: set[tuple[int, int]]) -> None:
    """Runs after all scenarios; alone it plays none, and fails."""
    legal = {(state, after) for state, row in enumerate(flow.SUCCESSORS) for after in row}
    assert {pair for pair in taken if pair[1] != flow.WARNING} == legal


def test_every_file_reads_as_a_story() -> None:
    for path in PLACES:
        data = read_place(path)
        name = name_of(path)
        first = name.split("-")[0]
        assert data["game" if first in GAMES else "board"] == GAMES.get(first, "pico-" + first), path
        assert re.fullmatch("(" + "|".join([*MECHANISMS, *GAMES]) + ")(-[a-z0-9]+)+", name), path
        assert 10 < len(data["title"]) <= 100, path
        assert not data["title"].endswith("."), path
        assert data["story"].endswith("."), path
        assert any(key in data["expect"] for key in ("events", "exactly", "fields", "never")), path


def test_every_mechanism_has_good_rounds_and_faults() -> None:
    for mechanism in MECHANISMS:
        told = [read_place(path) for path in PLACES if name_of(path).startswith(mechanism + "-")]
        assert sum("warning_latched" in data["expect"].get("never", ()) for data in told) >= 6
        assert sum("detected" in data["expect"] for data in told) >= 6


def test_every_fault_that_the_simulator_knows_is_in_a_scenario() -> None:
    from hal.sim.faults import FAULTS

    text = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json"))
    assert [name for name in FAULTS if f'"fault": "{name}"' not in text] == []


# -- files that cannot be played --------------------------------------------------------------------------------------


def changed(tmp_path: Path, **changes: Any) -> Path:
    data = read_place(GOOD)
    data.update(changes)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


BAD: list[tuple[dict[str, Any], str]] = [
    ({"scan_us": 4001}, "scan_us: 0 to 4000"),
    ({"colour": "red"}, "no key 'colour'; known: title, story, board"),
    ({"clauses": "CS-9a"}, "clauses: a list of ids"),
    ({"script": [{"do": "juggle"}]}, "script[0]: no action 'juggle'; known: "),
    ({"script": [{"on": "deck_verified"}]}, "script[0]: needs 'do', 'story' or 'repeat'"),
    ({"script": [{"do": "press"}]}, "script[0]: press needs button"),
    ({"script": [{"do": "take", "colour": 1}]}, "script[0]: take has no 'colour'; known: cards"),
    ({"script": [{"on": "deck_eaten", "do": "wait"}]}, "script[0]: no event 'deck_eaten'"),
    ({"script": [{"story": "heist"}]}, "script[0]: no story 'heist'; known: "),
    ({"script": [{"repeat": 2, "steps": [{"do": "load"}]}]}, "load needs cards"),
    ({"script": [{"do": "command", "name": "explode"}]}, "no command 'explode'; known: "),
    ({"script": [{"do": "link", "colour": 1}]}, "link has no 'colour'; known: "),
    ({"script": [{"do": "command", "name": "shuffle", "reason": "mood"}]}, "no reason 'mood'; known: none, state"),
    ({"script": [{"do": "read"}]}, "script[0]: read needs display"),
    ({"role": "owner"}, "role: one of recorder, table, service"),
    ({"faults": [{"fault": "gremlin"}]}, "no fault 'gremlin'; known: "),
    ({"faults": [{"fault": "jam", "place": "throat"}]}, "fault jam needs at_um"),
    ({"faults": [{"fault": "jam", "place": "roof", "at_um": 1}]}, "fault jam: place is one of throat, exit, mouth"),
    ({"faults": [{"fault": "misfeed", "colour": 1}]}, "fault misfeed has no key 'colour'; known: "),
    ({"expect": {"weather": "fine"}}, "expect: no key 'weather'; known: "),
    ({"expect": {"events": ["deck_eaten"]}}, "expect: no event 'deck_eaten'"),
    ({"expect": {"never": ["deck_eaten"]}}, "expect: no event 'deck_eaten'"),
    ({"expect": {"fields": [{"event": "deck_verified", "taste": 1}]}}, "deck_verified has no field 'taste'"),
    ({"expect": {"fields": [{"counted": 52}]}}, "expect.fields: each needs 'event'"),
    ({"expect": {"state": "asleep"}}, "expect: no state 'asleep'"),
    ({"expect": {"warning": "gremlin"}}, "expect: no warning 'gremlin'; known: "),
    ({"expect": {"ledger": {"sleeve": 1}}}, "expect.ledger: no zone 'sleeve'; known: "),
    ({"expect": {"detected": {"warning": "beam"}}}, "expect.detected: needs 'within_ms'"),
    ({"expect": {"detected": {"warning": "beam", "within_ms": 1, "by": 2}}}, "expect.detected: no key 'by'; known: "),
    ({"expect": {"meters": {"mileage": 1}}}, "expect.meters: no meter 'mileage'; known: "),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=lambda value: str(value)[:40])
def test_a_bad_file_is_refused_with_its_place_and_what_would_be_right(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = changed(tmp_path, **changes)
    with pytest.raises(ScenarioError) as caught:
        list(play([path]))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("key", ["title", "script"])
def test_a_file_without_what_every_scenario_needs_is_refused(tmp_path: Path, key: str) -> None:
    data = read_place(GOOD)
    del data[key]
    path = tmp_path / "less.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ScenarioError, match=f"needs '{key}'"):
        load(path)


# -- cases ------------------------------------------------------------------------------------------------------------


def with_cases(tmp_path: Path, cases: Any) -> Path:
    title = "$players players, $cards cards"
    steps: list[dict[str, Any]] = [{"story": "start"}, {"do": "load", "cards": "$cards"}, {"do": "wait"}]
    return changed(tmp_path, title=title, script=steps, expect={"never": "$never"}, cases=cases)


CASES: dict[str, dict[str, Any]] = {
    "one-player": {"players": 1, "cards": 52, "never": ["warning_latched"]},
    "a-press": {"players": "No", "cards": 3, "never": ["booted"]},
}


def test_each_case_is_a_scenario_with_its_own_name_and_values(tmp_path: Path) -> None:
    path = with_cases(tmp_path, CASES)
    one, other = play([path])
    assert (one.name, one.title, one.problems) == ("one-player", "1 players, 52 cards", [])
    assert (other.name, other.title, other.problems) == ("a-press", "No players, 3 cards", ["there was a booted"])
    assert [result.transcript for result in play([Path(f"{path}:a-press")])] == [other.transcript]
    assert load(Path(f"{path}:one-player"))[0]["script"][1] == {"do": "load", "cards": 52}


def test_a_case_gives_only_what_is_its_own(tmp_path: Path) -> None:
    cases: dict[str, dict[str, Any]] = {
        "full": {"players": 1},
        "short": {"players": 2, "cards": 51},
        "alike": {"like": "short", "title": "Three", "seed": 8},
        "other": {"like": "full", "never": None, "steps": [{"do": "wait"}]},
    }
    data = read_place(GOOD) | {"title": "$players", "expect": {"never": "$never"}, "cases": cases}
    data |= {"values": {"cards": 52, "never": ["booted"]}, "steps": [{"do": "load", "cards": "$cards"}]}
    del data["script"]
    path = tmp_path / "family.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    found = {name_of(place): read_place(place) for place in places([path])}
    start = {"story": "start"}
    loads = [[start, {"do": "load", "cards": count}] for count in (52, 51, 51)]
    assert [data["script"] for data in found.values()] == [*loads, [start, {"do": "wait"}]]
    assert [data["title"] for data in found.values()] == [1, 2, "Three", 1]
    assert [data.get("seed", 7) for data in found.values()] == [7, 7, 8, 7]
    assert [data["expect"] for data in found.values()] == [{"never": ["booted"]}] * 3 + [{}]


def test_steps_are_a_script_after_the_start(tmp_path: Path) -> None:
    data = read_place(GOOD)
    short = {key: value for key, value in data.items() if key != "script"} | {"steps": data["script"][1:]}
    path = tmp_path / "short.json"
    path.write_text(json.dumps(short), encoding="utf-8")
    assert data["script"][0] == {"story": "start"}
    assert read_place(path) == data
    bad: list[tuple[dict[str, Any], str]] = [
        ({"script": []}, "steps or script, not both"),
        ({"steps": [{"do": "wait"}, {"do": "juggle"}]}, "steps[1]: no action"),
    ]
    for wrong, message in bad:
        path.write_text(json.dumps(short | wrong), encoding="utf-8")
        assert message in run(path).stderr


def test_a_case_of_the_library_is_found_by_its_name_alone() -> None:
    assert "ok   carousel-door-left-open: With the door open" in run("carousel-door-left-open").stdout
    assert run("carousel-door-left-ajar").returncode == 3


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"players": 1, "cards": 52}, "case a has no value for $never"),
        ({"like": "b"}, "case a is like 'b': name a case that is like no other"),
        ({"players": 1, "cards": 52, "never": [], "seats": 2}, "case a: $seats stands nowhere in the file"),
        ({"players": 1, "cards": 52, "never": ["deck_eaten"]}, "expect: no event 'deck_eaten'"),
        (7, "docs/SCENARIOS.md"),
    ],
)
def test_a_bad_case_is_refused_with_its_name_and_what_is_wrong(tmp_path: Path, case: Any, message: str) -> None:
    done = run(with_cases(tmp_path, {"a": case}))
    assert (done.returncode, message in done.stderr, "Traceback" in done.stderr) == (3, True, False), done.stderr


def test_a_case_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    done = run(f"{with_cases(tmp_path, CASES)}:two-players")
    assert done.returncode == 3
    assert "no case 'two-players'; there are one-player, a-press" in done.stderr


def test_no_two_scenarios_of_the_library_have_one_name() -> None:
    names = [name_of(path) for path in PLACES]
    assert sorted(set(names)) == sorted(names)


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"), [("{", "not JSON"), ("[]", "SCENARIOS.md"), ('{"title": "x"}', "needs 'script'")]
)
def test_what_is_no_scenario_ends_with_12_and_two_lines(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    done = run(path)
    assert done.returncode == 3
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file_and_an_empty_folder_are_told(tmp_path: Path) -> None:
    assert run(tmp_path / "nothing.json").returncode == 3
    done = run(tmp_path)
    assert done.returncode == 3
    assert "no scenario files there" in done.stderr


def test_an_expectation_that_is_not_met_ends_with_1_and_says_which(tmp_path: Path) -> None:
    done = run(changed(tmp_path, expect={"state": "warning", "taken": [5]}))
    assert done.returncode == 1
    assert "ended in waiting_for_deck, not in warning" in done.stdout
    assert "taken were [5, 5, 5, 5, 32] cards" in done.stdout


def test_a_display_that_says_something_else_is_told(tmp_path: Path) -> None:
    page = ["Ready for a deck", "", "Insert deck, then", "press GREEN"]
    steps: list[dict[str, Any]] = [{"story": "start"}, {"do": "read", "display": page}]
    assert [result.problems for result in play([changed(tmp_path, script=steps, expect={"display": page})])] == [[]]
    steps[1] = {"do": "read", "display": "Shuffling"}
    (result,) = play([changed(tmp_path, script=steps, expect={"display": page[:2]})])
    assert [problem.rpartition(", not ")[2] for problem in result.problems] == ["'Shuffling'", repr(page[:2])]


def test_a_command_that_was_refused_for_another_reason_is_told(tmp_path: Path) -> None:
    step = {"do": "command", "name": "record", "what": "fold", "a": 1, "outcome": "rejected", "reason": "state"}
    steps: list[dict[str, Any]] = [{"story": "start"}, {"after_ms": 3000, **step}]
    assert [result.problems for result in play([changed(tmp_path, script=steps, expect={}, role="table")])] == [[]]
    steps[1]["reason"] = "argument"
    (result,) = play([changed(tmp_path, script=steps, expect={}, role="table")])
    assert result.problems == ["command record fold: reason state"]


def test_an_event_seen_before_its_turn_that_never_came_again_is_lost() -> None:
    scenario = Scenario(*load(GOOD))
    assert not scenario.play(), "as it is"
    peer = scenario.stage.peer
    peer.ahead = peer.seq_last
    assert not judge(scenario.stage, {}, {}, -1), "it came again"
    peer.ahead += 1
    assert judge(scenario.stage, {}, {}, -1) == ["an event was lost"]


def test_a_folder_plays_every_file_in_it(tmp_path: Path) -> None:
    for name in ("one", "two"):
        changed(tmp_path).rename(tmp_path / f"{name}.json")
    done = run(tmp_path)
    assert done.returncode == 0
    assert "[1/2] ok   one" in done.stdout
    assert "[2/2] ok   two" in done.stdout


def test_results_as_json(tmp_path: Path) -> None:
    done = run("--json", GOOD, changed(tmp_path, expect={"state": "warning"}))
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert (told["vm"], told["played"], told["failed"]) == ("cpython", 2, 1)
    assert [result["ok"] for result in told["results"]] == [True, False]
    assert told["results"][1]["problems"] == ["ended in waiting_for_deck, not in warning"]


def test_a_transcript_is_the_same_every_time_and_tells_every_step_and_event(tmp_path: Path) -> None:
    texts: list[str] = []
    for name in ("first", "second"):
        target = tmp_path / name
        assert run("--transcript", target, GOOD).returncode == 0
        texts.append(target.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    for words in ("do load 52", "event deck_verified round=0 counted=52", "do press green", "state waiting_for_deck"):
        assert words in texts[0]
    printed = run("--transcript", "-", GOOD).stdout
    assert " 0.100000 event booted round=0 cause=power-on" in printed
    assert printed.count(" event ") == texts[0].count(" event ")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (" 25558000 event warning_latched warning=6 sensor=0", "25.558000 event warning_latched warning=mismatch"),
        (
            "1 event deck_removed counted=65535 consequence=8",
            "0.000001 event deck_removed counted=unknown consequence=remove_deck",
        ),
        ("2000000 do load 52", "2.000000 do load 52"),
        ("no time", "no time"),
    ],
)
def test_a_printed_transcript_has_words(line: str, shown: str) -> None:
    assert in_words(line).strip() == shown


def test_scenarios_have_their_keys_in_one_order_in_every_process() -> None:
    """The bench page ships them, and two builds of one commit are the same bytes."""
    program = "import json, sys; from pathlib import Path; from fairshoe.sim.scenario_cases import library\n"
    program += "print(json.dumps(library(Path(sys.argv[1]))))"
    command = [sys.executable, "-c", program, str(Path(__file__).parents[2] / "scenarios")]
    said = {
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in "123"
    }
    assert len(said) == 1
