"""make trace: what counts as a proof of a clause, in which game and mode, what is refused, and that the page is of
today."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rules import __main__ as rules_trace
from rules import claims as rules_claims
from rules import page as rules_page

ROOT = Path(__file__).resolve().parents[2]
CLAUSES = ["DDS-8a", "CS-9a", "CS-9d", "CS-13f"]
MARK = rules_claims.MARK


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with four clauses, no test and no exception. One of them binds in two modes."""
    clauses: list[dict[str, Any]]
    clauses = [{"id": name, "topic": "deal", "device": f"Rule {name.lower()}."} for name in CLAUSES]
    clauses[-1]["modes"] = ["automated"]
    rules = {
        "games": [
            {"code": "DDS", "name": "Double Down", "modes": {"automated": ["8a2"], "manual": ["8a1"]}},
            {"code": "CS", "name": "Caribbean", "modes": {"automated": ["9"], "manual": ["7"], "hand": ["8"]}},
        ],
        "clauses": clauses,
    }
    put(tmp_path, "rules/clauses.json", json.dumps(rules))
    put(tmp_path, "rules/exceptions.json", '{"exceptions": []}')
    put(tmp_path, "rules/differences.json", '{"rows": []}')
    put(tmp_path, "docs/.keep", "")
    return tmp_path


@cache
def repository() -> rules_claims.Trace:
    """What this one says, which takes a second to read."""
    return rules_claims.read_trace()


def put(tree: Path, name: str, text: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text, encoding="utf-8")


def test_file(claim: str, name: str = "test_it", before: str = "") -> str:
    return f'"""A file."""\nimport pytest\n\n{before}\ndef {name}():\n    """{claim}"""\n    assert True\n'


test_file.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]


def proved(tree: Path) -> tuple[list[str], list[str]]:
    """Clauses that are proved, and what is wrong."""
    trace = rules_claims.read_trace(tree)
    return [clause.id for clause in trace.clauses.values() if clause.proved], trace.problems


# -- what counts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (f"{MARK} CS-9a", ["CS-9a"]),
        (f"{MARK} CS-9a, CS-9d", ["CS-9a", "CS-9d"]),
        (f"Stacks of five. {MARK} CS-9a", ["CS-9a"]),
        (f"Stacks of five.\n\n    {MARK} CS-9a,\n    CS-9d\n    ", ["CS-9a", "CS-9d"]),
        (f"{MARK} CS-9a\n    {MARK} DDS-8a\n    ", ["DDS-8a", "CS-9a"]),
        (f"{MARK} CS-9a (in part), CS-9d", ["CS-9d"]),
        ("It proves that nothing moves, as CS-9a asks.", []),
    ],
)
def test_a_test_proves_the_clauses_that_its_docstring_names(tree: Path, claim: str, expected: list[str]) -> None:
    put(tree, "tests/unit/test_a.py", test_file(claim))
    assert proved(tree) == (expected, [])


def test_a_method_of_a_test_class_counts(tree: Path) -> None:
    put(tree, "tests/host/test_a.py", f'class TestIt:\n    def test_a(self):\n        """{MARK} CS-9a"""\n')
    assert proved(tree) == (["CS-9a"], [])
    assert rules_claims.read_trace(tree).clauses["CS-9a"].claims[0].name == "tests/host/test_a.py::TestIt::test_a"


NEVER = {"never": ["round_ended"]}


def scenario(clauses: Any, expect: Any, game: str = "caribbean-stud", **more: Any) -> str:
    return json.dumps({**PLAYS, "game": game, "clauses": clauses, "expect": expect, **more})


PLAYS: dict[str, Any] = {"title": "x", "board": "pico-carousel", "script": []}


def test_a_scenario_proves_what_its_key_names(tree: Path) -> None:
    put(tree, "tests/scenarios/a.json", scenario(["CS-13f", "CS-9a (in part)"], NEVER))
    put(tree, "tests/scenarios/b.json", '{"title": "of no game"}')
    cases = {"a-case": {"id": "CS-9a (in part)"}}
    put(tree, "tests/scenarios/c.json", scenario(["$id"], NEVER, cases=cases))
    assert proved(tree) == (["CS-13f"], [])
    trace = rules_claims.read_trace(tree)
    assert [clause.id for clause in trace.in_part()] == ["CS-9a"]
    names = [claim.name for claim in trace.clauses["CS-9a"].claims]
    assert names == ["tests/scenarios/a.json", "tests/scenarios/c.json:a-case"]
    assert "([a-case](../tests/scenarios/c.json))" in rules_page.page(trace)


# -- what does not ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "source", "problem"),
    [
        ("tests/unit/test_a.py", test_file(f"{MARK} CS-99"), "tests/unit/test_a.py::test_it: there is no clause CS-99"),
        ("tests/unit/test_a.py", test_file(f"{MARK} stacks"), "test_a.py:5: 'stacks' is no clause"),
        ("tests/unit/test_a.py", test_file(f"{MARK} CS-9a (in part),"), "'?' is no clause"),
        ("tests/unit/test_a.py", test_file(f"{MARK} CS-9a (partly)"), "'CS-9a (partly)' is no clause"),
        ("tests/unit/test_a.py", test_file("Proves CS-9a"), "'Proves CS-9a' is no clause"),
        ("tests/unit/test_a.py", test_file("proves: CS-9a"), "'proves: CS-9a' is no clause"),
        ("tests/unit/test_a.py", test_file(f"{MARK} CS-9a", "helper"), "test_a.py:5: claims a clause, but is no test"),
        ("tests/unit/test_a.py", test_file(f"{MARK} CS-9a").replace("def", "async def"), "but is no test"),
        ("tests/unit/kit/support.py", test_file(f"{MARK} CS-9a"), "support.py:5: claims a clause, but is no test"),
        ("tests/dissector/test_a.py", test_file(f"{MARK} CS-9a"), "claims a clause, but is no test that is always"),
        ("tests/unit/test_a.py", f'"""{MARK} CS-9a"""\n', "test_a.py:1: claims a clause, but is no test"),
        (
            "tests/unit/test_a.py",
            f'def helper():\n    def test_it():\n        """{MARK} CS-9a"""\n',
            "test_a.py:2: claims a clause, but is no test",
        ),
        ("tests/unit/test_a.py", f"def test_it():\n    # {MARK} CS-9a\n    pass\n", "test_a.py:2: a claim belongs in"),
        (
            "tests/host/test_a.py",
            test_file(f"{MARK} CS-9a", before="@pytest.mark.skipif(True, reason='x')"),
            "test_it claims a clause, but may be skipped",
        ),
        (
            "tests/host/test_a.py",
            test_file(f"{MARK} CS-9a", before="pytestmark = pytest.mark.xfail\n"),
            "test_it claims a clause, but may be skipped",
        ),
        (
            "tests/host/test_a.py",
            test_file(f"{MARK} CS-9a").replace("assert True", "pytest.skip('x')"),
            "test_it claims a clause, but may be skipped",
        ),
        ("tests/scenarios/a.json", scenario(["CS-13f"], {}), "a.json: claims clauses, but expects nothing"),
        ("tests/scenarios/b/a.json", scenario(["CS-13f"], NEVER), "only files right in tests/scenarios are played"),
        ("tests/scenarios/a.json", scenario(["CS-13z"], NEVER), "a.json: there is no clause CS-13z"),
        ("tests/scenarios/a.json", scenario(["13f"], NEVER), "a.json: '13f' is no clause"),
        ("tests/scenarios/a.json", scenario(["DDS-8a"], NEVER), "a.json: claims DDS-8a, but plays CS"),
        ("tests/scenarios/a.json", scenario(["CS-9a"], NEVER, "house"), "a.json: claims CS-9a, but plays HOUSE"),
        (
            "tests/scenarios/a.json",
            scenario(["CS-9a"], NEVER, changes={"table.dealing": "hand"}),
            "a.json: claims CS-9a of hand, but it binds in automated",
        ),
        ("tests/scenarios/a.json", scenario(["CS-9a (automated)"], NEVER), "CS-9a names a mode"),
        ("tests/unit/test_a.py", test_file(f"{MARK} CS-9a (manual)"), "claims CS-9a of manual, but it binds in auto"),
        ("tests/unit/test_a.py", test_file(f"{MARK} DDS-8a (host)"), "but it binds in automated, manual"),
        (
            "rules/exceptions.json",
            '{"exceptions": [{"clause": "CS-9a", "modes": ["hand"], "why": "x"}]}',
            "rules/exceptions.json: CS-9a does not bind in hand",
        ),
        (
            "rules/exceptions.json",
            '{"exceptions": [{"clause": "CS-99", "why": "x"}]}',
            "rules/exceptions.json: there is no clause CS-99",
        ),
    ],
)
def test_a_claim_that_cannot_hold_is_reported_and_does_not_count(
    tree: Path, path: str, source: str, problem: str
) -> None:
    put(tree, path, source)
    found, problems = proved(tree)
    assert found == []
    assert len(problems) == 1
    assert problem in problems[0]


# -- exceptions and what is said --------------------------------------------------------------------------------------


def test_everything_proved_or_excepted_passes_and_one_missing_clause_fails(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tree, "tests/unit/test_a.py", test_file(f"{MARK} CS-9a, CS-9d, CS-13f"))
    assert rules_trace.main(["--root", str(tree)]) == 1
    text = capsys.readouterr().out
    assert "missing: DDS-8a\n4 clauses: 3 proved in every mode they bind, 0 in some, 0 excepted, 1 missing" in text
    assert "DDS-8a  deal  automated, manual\n    Rule dds-8a.\n    ! no test" in text
    assert "    + tests/unit/test_a.py::test_it (automated)" in text
    put(tree, "rules/exceptions.json", '{"exceptions": [{"clause": "DDS-8a", "why": "procedure at the table"}]}')
    assert rules_trace.main(["--root", str(tree)]) == 0
    assert "= excepted in manual: procedure at the table" in capsys.readouterr().out


def test_a_clause_is_proved_in_every_mode_it_binds_or_the_missing_ones_are_named(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tree, "tests/unit/test_a.py", test_file(f"{MARK} CS-9a, CS-9d, CS-13f, DDS-8a (automated)"))
    assert rules_trace.main(["--root", str(tree)]) == 1
    text = capsys.readouterr().out
    assert "    ! not in manual" in text
    assert ["DDS", "1", "of", "1", "0", "of", "1"] in [line.split() for line in text.splitlines()]
    assert "not in every mode: DDS-8a lacks manual\n4 clauses: 3 proved in every mode they bind, 1 in some" in text
    shoe = scenario(["DDS-8a"], NEVER, "double-down-stud", changes={"table.dealing": "manual"})
    put(tree, "tests/scenarios/a.json", shoe)
    assert "DDS-8a" not in [clause.id for clause in rules_claims.read_trace(tree).in_some_modes()]
    put(tree, "tests/scenarios/a.json", shoe.replace("DDS-8a", "DDS-8a (in part)"))
    assert [clause.modes_missing for clause in rules_claims.read_trace(tree).in_some_modes()] == [["manual"]]
    put(tree, "rules/exceptions.json", '{"exceptions": [{"clause": "DDS-8a", "modes": ["manual"], "why": "x"}]}')
    assert len(rules_claims.read_trace(tree).problems) == 1  # it has a test there
    put(tree, "tests/scenarios/a.json", scenario([], NEVER))
    trace = rules_claims.read_trace(tree)
    assert (trace.problems, trace.in_some_modes()) == ([], [])


@pytest.mark.full
def test_a_test_fails_that_has_not_played_the_game_and_mode_it_claims(tmp_path: Path) -> None:
    claims = ["CS-9a", "DDS-8a (manual)", "DDS-8a", "CS-7c", "B5-9a (in part)", "CS-12k"]
    source = "import json\nfrom rig.story import Stage\n"
    for number, claim in enumerate(claims):
        source += f"""
def test_{number}():
    '''{MARK} {claim}'''
    for game, kind in (("caribbean-stud", "carousel"), ("double-down-stud", "draw")):
        Stage(json.load(open(f"board_configs/pico-{{kind}}.json")), game, 7)
"""
    put(tmp_path, "test_a.py", source)
    (tmp_path / "conftest.py").symlink_to(ROOT / "tests" / "conftest.py")
    command = [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    failed = re.findall(r"^E +AssertionError: claims what it has not played: (.*); it has", done.stdout, re.MULTILINE)
    assert failed == ["DDS-8a (automated)", "CS-7c (manual)", "B5-9a (automated)"], done.stdout


def test_the_modes_of_a_clause_are_those_of_its_paragraphs() -> None:
    clauses = rules_claims.read_clauses()
    assert clauses["B5-7f"].modes == ("manual",)
    assert clauses["B5-8e"].modes == ("hand",)
    assert clauses["B5-9a"].modes == clauses["CS-13f"].modes == ("automated",)
    assert clauses["B5-7d"].modes == ("manual", "hand")  # 7d, also 8a and 8c
    assert clauses["CS-7b"].modes == clauses["CS-1"].modes == ("automated", "manual", "hand")
    assert clauses["DDS-8a"].modes == ("automated", "manual")
    assert {clause.modes for clause in clauses.values() if clause.game == "DAB"} == {
        ("manual",),
        ("manual", "host"),
        ("host",),
    }


def test_a_problem_fails_though_nothing_is_missing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, "tests/unit/test_a.py", test_file(f"{MARK} {', '.join(CLAUSES)}"))
    assert rules_trace.main(["--root", str(tree)]) == 0
    put(tree, "tests/unit/test_b.py", test_file(f"{MARK} CS-99"))
    assert rules_trace.main(["--root", str(tree)]) == 1
    assert "WRONG tests/unit/test_b.py::test_it: there is no clause CS-99" in capsys.readouterr().out


@pytest.mark.parametrize("claim", ["CS-9a", "CS-9a (in part)"])
def test_an_exception_for_a_clause_that_has_a_test_is_a_problem(tree: Path, claim: str) -> None:
    put(tree, "tests/unit/test_a.py", test_file(f"{MARK} {claim}"))
    put(tree, "rules/exceptions.json", '{"exceptions": [{"clause": "CS-9a", "why": "procedure at the table"}]}')
    assert proved(tree)[1] == ["rules/exceptions.json: CS-9a (automated) has a test, tests/unit/test_a.py::test_it"]


def test_json_holds_the_same(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, "tests/unit/test_a.py", test_file(f"{MARK} CS-9a, CS-9d (in part)"))
    assert rules_trace.main(["--root", str(tree), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["missing"] == ["DDS-8a", "CS-9d", "CS-13f"]
    assert report["in_part"] == ["CS-9d"]
    assert report["problems"] == []
    by_id = {entry["id"]: entry for entry in report["clauses"]}
    assert by_id["CS-9a"]["proved"]
    test = {"name": "tests/unit/test_a.py::test_it", "in_part": True, "modes": ["automated"]}
    assert by_id["CS-9d"]["tests"] == [test]
    assert (by_id["DDS-8a"]["modes"], by_id["DDS-8a"]["modes_missing"]) == (["automated", "manual"],) * 2


# -- the page ---------------------------------------------------------------------------------------------------------


def test_write_renews_the_page_and_links_what_proves(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, "tests/unit/test_a.py", test_file(f"{MARK} CS-9a, CS-9d (in part)"))
    for number in range(8):
        put(tree, f"tests/scenarios/s{number}.json", scenario(["CS-13f"], NEVER))
    rules_trace.main(["--root", str(tree), "--write"])
    text = (tree / "docs/RULES.md").read_text(encoding="utf-8")
    assert "| Rule cs-9a. | [test_a.py](../tests/unit/test_a.py) |" in text
    assert "| Rule cs-9d. | ([test_a.py](../tests/unit/test_a.py)) |" in text
    assert "| Rule dds-8a. | **no test yet** |" in text
    assert "[s5](../tests/scenarios/s5.json) and 2 more |" in text
    assert "| [Caribbean](#cs) | 3 | 2 | 0 | 1 | 0 | 0 |" in text


def test_a_clause_that_refers_to_another_is_told_in_full(tree: Path) -> None:
    path = tree / "rules/clauses.json"
    text = path.read_text().replace("Rule cs-9d.", "As CS-9a, but later.").replace("Rule cs-9a.", "As DDS-8a.")
    path.write_text(text)
    row = "| As [CS-9a](#cs-9a), but later.<br>*CS-9a: As DDS-8a.*<br>*DDS-8a: Rule dds-8a.* |"
    assert row in rules_page.page(rules_claims.read_trace(tree))


def test_the_page_is_of_today() -> None:
    text = (ROOT / "docs" / "RULES.md").read_text(encoding="utf-8")
    assert rules_page.page(repository()) == text, "run make trace WRITE=1"


def test_every_topic_has_a_heading_of_its_own() -> None:
    topics = {clause.topic for clause in repository().clauses.values()}
    assert topics == set(rules_page.TOPICS)


# -- the repository ---------------------------------------------------------------------------------------------------


def test_no_test_of_the_repository_claims_what_cannot_hold() -> None:
    assert repository().problems == []


@pytest.mark.full
def test_pytest_collects_every_test_that_claims_a_clause() -> None:
    names = {claim.name for clause in repository().clauses.values() for claim in clause.claims}
    tests = {name for name in names if "::" in name}
    files = sorted({name.partition("::")[0] for name in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True).stdout
    # A test without a single set of parameters is collected, to be skipped.
    lines = [line for line in output.splitlines() if "::" in line and not line.endswith("[NOTSET]")]
    collected = {line.partition("[")[0] for line in lines}
    assert tests - collected == set()
    assert tests
