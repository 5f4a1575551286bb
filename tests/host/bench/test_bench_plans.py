"""Bench plans as data: what ships can be run, and what cannot be run is reported before a deck is fetched."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from in_process import output

from fairshoe.bench.drills import PROCEDURES
from fairshoe.bench.plan import FOLDER, Limit, PlanError, check_plan, load_plan, plan_names
from fairshoe.bench.step_kinds import FIGURES, KINDS, MECHANISMS

DOCS = Path(__file__).resolve().parents[3] / "docs" / "BENCH.md"
SHIPPED = (
    "acceptance",
    "count-accuracy",
    "feed",
    "jam-drill",
    "motors",
    "power-cut-drill",
    "sensors",
)


def a_plan(**changes: Any) -> dict[str, Any]:
    step = {
        "id": "door",
        "kind": "door",
        "title": "Door",
        "does": ["Open it."],
        "measures": "That it shows.",
        "limits": [{"figure": "opened", "equals": 1}],
    }
    return {
        "format": 1,
        "name": "mine",
        "title": "Mine",
        "about": "A try.",
        "needs": [],
        "steps": [{**step, **changes}],
    }


def test_eight_plans_ship_and_each_can_be_run() -> None:
    assert plan_names() == list(SHIPPED)
    for name in plan_names():
        plan = load_plan(name)
        assert plan.name == name
        assert len(plan.sha256) == 64


def test_acceptance_has_every_kind_of_step() -> None:
    assert {step.kind for step in load_plan("acceptance").steps} == set(KINDS)


def test_every_kind_has_a_procedure_and_every_figure_a_label() -> None:
    assert set(PROCEDURES) == set(KINDS)
    measured = {name for kind in KINDS.values() for name in kind.figures}
    assert measured == set(FIGURES)


def test_every_step_applies_to_some_mechanism_and_says_why_not_to_the_others() -> None:
    for name in plan_names():
        for step in load_plan(name).steps:
            against = {mechanism for mechanism in MECHANISMS if step.reason_against(mechanism)}
            assert against != set(MECHANISMS)
            assert not against & set(KINDS[step.kind].applies) or step.kind in ("jam", "power_cut")


def test_limits_hold_at_their_ends_and_not_beyond() -> None:
    limit = Limit("ready_s", min=1, max=3)
    assert [limit.holds(value) for value in (0.999, 1, 3, 3.001)] == [False, True, True, False]
    assert limit.holds(None) is False, "what was to be limited and was not measured does not hold"
    assert Limit("ready_s", max=3, if_measured=True).holds(None) is None
    assert [Limit("x", 0, 0).text, limit.text, Limit("x", max=2).text] == ["0", "1 to 3", "at most 2"]


@pytest.mark.parametrize(
    "changes, told",
    [
        ({"kind": "dance"}, "no kind 'dance'"),
        ({"with": {"speed": 1}}, "takes no 'speed'"),
        ({"with": {"times": "two"}}, "times must be like 1"),
        ({"limits": [{"figure": "cards", "equals": 1}]}, "measures no 'cards'"),
        ({"limits": [{"figure": "opened"}]}, "neither min nor max nor equals"),
        ({"limits": []}, "limits"),
        ({"does": []}, "does"),
        ({"id": "Door 1"}, "id"),
        ({"colour": "red"}, "colour"),
        (
            {"kind": "jam", "limits": [{"figure": "resumed", "equals": 0}]},
            "otherwise must say why it is nothing for draw",
        ),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_with_the_place(changes: dict[str, Any], told: str) -> None:
    assert check_plan(a_plan()) == []
    problems = check_plan(a_plan(**changes))
    assert problems
    assert told in "; ".join(problems)


def test_two_steps_of_one_id_are_refused() -> None:
    plan = a_plan()
    plan["steps"] *= 2
    assert "the id is used twice" in check_plan(plan)[0]


def test_a_file_of_ones_own_is_a_plan_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(a_plan()))
    assert load_plan(str(path)).steps[0].id == "door"
    for text, told in (("{", "not JSON"), ("[]", "must be object"), ('{"format": 2}', "must")):
        path.write_text(text)
        with pytest.raises(PlanError, match=told):
            load_plan(str(path))
    with pytest.raises(PlanError, match="No such file"):
        load_plan(str(tmp_path / "gone.json"))
    with pytest.raises(PlanError, match="no bench plan 'feeed'"):
        load_plan("feeed")


def test_list_and_show_say_what_there_is() -> None:
    listed = output("bench", "list")
    assert all(re.search(rf"^{name} ", listed, re.M) for name in plan_names())
    shown = output("bench", "show", "jam-drill")
    assert "longest from start of motion to motors off: at most 1500 ms" in shown
    assert "not for   draw: There is no motor" in shown
    assert [plan["name"] for plan in json.loads(output("bench", "list", "--json"))] == plan_names()


def test_the_page_in_docs_has_every_plan_kind_argument_and_figure() -> None:
    text = DOCS.read_text()
    for name in (*plan_names(), *KINDS, *FIGURES, *(word for kind in KINDS.values() for word in kind.arguments)):
        assert f"`{name}`" in text, f"docs/BENCH.md says nothing of {name}"


def test_schemas_are_beside_the_plans() -> None:
    assert {path.stem for path in FOLDER.glob("*schema.json")} == {"schema", "report_schema"}
