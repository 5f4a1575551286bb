"""make mutants: what is caught and what survives, what is equivalent, and a slice of the mutants of the rules."""

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest.mock import Mock

import pytest
from mutants import __main__ as mutants_main
from mutants import kills
from mutants.copied_tree import ROOT, copied_tree
from mutants.mutant import UNREACHED, Mutant
from mutants.rule_code import statement_mutants
from mutants.rules import rule_mutants

pytestmark = pytest.mark.full

SLICE_S = 4  # of processor time
SCENARIO = "tests/scenarios/wrong-deck-and-jam-by-hand.json:b5-hand-wrong-deck-and-jam"
NODE = "tests/host/games/test_profile_rules.py::test_the_columns_of_cover_all_are_those_of_the_matrix"


@cache
def every() -> list[Mutant]:
    """All mutants of the rules, which take seconds to list."""
    return list(rule_mutants())


def mutant(path: str, old: str, new: str, *tests: str) -> Mutant:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert old in text
    return Mutant("x", path, text.replace(old, new, 1), "B5-2a", tests)


def test_a_scenario_or_a_test_that_fails_catches_a_mutant_and_the_file_is_as_before() -> None:
    deck = mutant("game_profiles/boston-5-stud.json", '"deck_cards": 52', '"deck_cards": 53', NODE, SCENARIO)
    columns = mutant("game_profiles/caribbean-stud.json", "[500, ", "[501, ", SCENARIO, NODE)
    harmless = mutant("game_profiles/boston-5-stud.json", '"about": "', '"about": "x', SCENARIO)
    broken = mutant("game_profiles/boston-5-stud.json", "{", "", SCENARIO)
    with copied_tree(preload=True) as tree:
        assert tree.root != ROOT
        caught_by = [tree.judge(one).caught_by for one in (deck, columns, harmless, broken)]
        assert caught_by == [SCENARIO, NODE, "", SCENARIO]
        left = (tree.root / columns.path).read_text(encoding="utf-8")
    assert left == (ROOT / columns.path).read_text(encoding="utf-8")


def test_a_mutant_of_code_is_caught_and_a_test_that_fails_without_one_is_named() -> None:
    code = mutant("firmware/games/profile.py", "self.deck_cards = _number", "self.deck_cards = 1 + _number", SCENARIO)
    with copied_tree(preload=False) as tree:
        assert tree.judge(code).caught_by == SCENARIO
        other = "tests/scenarios/dcp-manual-shoe-wrong-deck.json"
        (tree.root / other).write_text("{}", encoding="utf-8")
        with pytest.raises(RuntimeError, match=f"{other} fails while nothing is changed"):
            tree.judge(mutant("firmware/games/profile.py", "self.lockout = bool", "self.lockout = not bool", other))


def test_every_value_of_every_game_has_a_mutant_with_tests_and_a_name_of_its_own() -> None:
    names = [one.name for one in every()]
    assert len(set(names)) == len(names) > 400
    assert [one.name for one in every() if not one.tests] == []
    for place in ("boston-5-stud rules.fold B5-10b", "double-down-stud exposure without wagers", "house policy count"):
        assert any(name.startswith(place) for name in names), place


def test_what_survives_fails_unless_it_is_shown_to_be_equivalent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    harmless = mutant("game_profiles/boston-5-stud.json", '"about": "', '"about": "x', SCENARIO)
    monkeypatch.setattr(mutants_main, "rule_mutants", lambda: iter([harmless]))
    monkeypatch.setattr(mutants_main, "statement_mutants", lambda: iter(()))

    def judged(mutants: list[Mutant], limit_s: float) -> list[tuple[Mutant, str]]:
        return [(harmless, "")]

    monkeypatch.setattr(mutants_main, "judged", judged)
    monkeypatch.setattr(mutants_main, "EQUIVALENT", tmp_path / "equivalent.json")
    for known, status, text in (
        ([], 1, "SURVIVED x: no test of B5-2a fails (1 were run)\n1 of 1 mutants of rules: 0 caught"),
        ([{"mutant": "x", "why": "only people read it"}], 0, "0 survived, 1 equivalent; catch rate none"),
        ([{"mutant": "x", "why": "."}, {"mutant": "y", "why": "."}], 1, "equivalent.json: there is no mutant y"),
    ):
        mutants_main.EQUIVALENT.write_text(json.dumps(known), encoding="utf-8")
        assert mutants_main.main(["--rules"]) == status
        assert text in capsys.readouterr().out


def test_a_mutant_of_rule_code_counts_only_in_a_mode_that_gets_there() -> None:
    path = "firmware/games/settling.py"
    text = (ROOT / path).read_text(encoding="utf-8")
    end = "    flow.outbox.post(ids.EV_ROUND_ENDED"
    broken = text.replace(end, f"    raise SystemError\n{end}")
    assert broken != text
    ends = "tests/scenarios/dcp-manual-shoe-basic-count.json"
    other = "tests/scenarios/dds-nothing-before-no-more-bets.json"
    with copied_tree(preload=False) as tree:
        assert tree.judge(Mutant("x", path, text, "DCP-7e", (other,), broken)).caught_by == UNREACHED
        assert tree.judge(Mutant("x", path, text, "DCP-7e", (ends,), broken)).caught_by == ""
    named = [one for one in statement_mutants("games/settling.py") if "RULE_CLOSING_AGAIN" in one.name]
    assert len(named) > 1 and all(one.tests and one.probe for one in named)


def test_every_entry_of_what_is_equivalent_says_why() -> None:
    for entry in json.loads(mutants_main.EQUIVALENT.read_text(encoding="utf-8")):
        assert set(entry) == {"mutant", "why"}
        assert len(entry["why"]) > 30, entry["mutant"]


def test_a_slice_of_the_mutants_of_the_rules_is_caught(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutants_main, "rule_mutants", every)
    seed = random.randrange(1 << 16)
    status = mutants_main.main(["--rules", "--seed", str(seed), "--minutes", str(SLICE_S / 60)])
    assert status == 0, f"replay: make mutants RULES=1 SEED={seed}\n{capsys.readouterr().out}"


def test_a_mutant_that_was_caught_and_is_no_more_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kills, "FILE", tmp_path / "kills.txt")
    kills.FILE.write_text("# seed 1\nrules\ta\ttest_a\nrules\tb\tsurvived\nrules\tc\ttest_c\n", encoding="utf-8")
    for now, status in (("test_b", 0), (kills.SURVIVED, 1)):
        judged = iter([replace(kill, test=now) for kill in kills.read()[:2]])
        monkeypatch.setattr(kills, "judge", Mock(return_value=judged))
        assert mutants_main.main(["--kills"]) == status
    assert capsys.readouterr().out.splitlines()[1:] == [
        "LOST rules a: test_a",
        "2 of 3 are still there; 1 that were caught are no more",
    ]
