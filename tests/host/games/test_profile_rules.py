"""Game profiles against rules/: the facts of each game, written down a second time, and the clauses it may cite."""

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROFILES = ROOT / "game_profiles"


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


RULES = read(ROOT / "rules" / "clauses.json")
TOPIC: dict[str, str] = {clause["id"]: clause["topic"] for clause in RULES["clauses"]}
GAMES = [(game["code"], game["profile"]) for game in RULES["games"]]
FULL = {"inspected", "verified", "shown", "washed"}
# Deck, stack, last stack, closings, lock-out, hand-dealt each and fixed, rounds to a stub count, modes exempt from it,
# who may bring the deck into order, after whom a cut is due, cards that a cut leaves above and below.
FACTS: dict[str, tuple[Any, ...]] = {
    "DDS": (52, 1, 4, 2, False, 0, 0, 0, set(), {"machine"}, set(), 10, 10),
    "B5": (52, 3, 3, 1, False, 2, 2, 5, {"shoe"}, {"machine", "supplier"}, set(), 0, 0),
    "CS": (52, 5, 5, 1, True, 0, 0, 5, {"shoe"}, {"machine", "supplier", "hand"}, {"supplier", "hand"}, 10, 1),
    "DAB": (384, 1, 1, 1, False, 0, 0, 0, set(), {"machine", "supplier", "hand"}, {"supplier", "hand"}, 48, 48),
    "DCP": (52, 2, 2, 1, False, 0, 5, 5, {"manual"}, {"machine", "supplier", "hand"}, {"supplier", "hand"}, 10, 1),
}
# Which topic a rule of a profile belongs to; a rule that is missing here may cite any clause of its game.
ABOUT = {
    "shuffle_fault": {"shuffle-fault"},
    "deal_fault": {"deal-fault"},
    "count": {"stub-count"},
    "face_up": {"face-up"},
    "face_ups": {"face-up"},
    "stub_misdealt": {"stub-count"},
    "stub_wrong": {"stub-count"},
    "stub_count": {"stub-count"},
    "exposure": {"exposure"},
    "closing": {"interlock"},
    "closing_again": {"interlock"},
    "lockout": {"interlock"},
    "induction": {"induction", "composition"},
    "provenance": {"provenance"},
    "cut": {"cut"},
    "two_decks": {"two-decks"},
    "no_activity": {"no-activity"},
    "removal": {"removal"},
    "dispute": {"reconstruction"},
    "winner_hold": {"hold"},
    "drawn_in_error": {"drawn-in-error"},
    "drawn_seen": {"drawn-in-error"},
    "fold": {"fold"},
    "cover_all": {"cover-all"},
    "ten": {"composition"},
    "tens": {"composition"},
    "burn": {"burn"},
    "burn_missed": {"burn"},
    "hole_card": {"hole-card"},
    "reader_wrong": {"hole-card"},
    "reader_fault": {"hole-card"},
    "short_shoe": {"short-shoe"},
    "approval": {"approval"},
}


def profile(name: str) -> dict[str, Any]:
    return read(PROFILES / f"{name}.json")


@pytest.mark.parametrize(("code", "name"), GAMES)
def test_the_profile_has_the_facts_of_its_game(code: str, name: str) -> None:
    data = profile(name)
    found = (
        data["deck_cards"],
        data["stack_cards"],
        data.get("last_cards", data["stack_cards"]),
        data.get("closings", 1),
        data["lockout"],
        data.get("final_each", 0),
        data.get("final_fixed", 0),
        data.get("stub_rounds", 0),
        set(data.get("stub_exempt", ())),
        set(data["sources"]),
        set(data.get("cut_after", ())),
        data.get("cut_top", 0),
        data.get("cut_bottom", 0),
    )
    assert found == FACTS[code]
    assert set(data["induction"]) == FULL | ({"tens_removed"} if code == "DAB" else set())
    assert (data["code"], data["name"]) == (code, name)


@pytest.mark.parametrize(("code", "name"), GAMES)
def test_the_profile_cites_only_clauses_of_its_game_and_of_the_right_topic(code: str, name: str) -> None:
    for rule, value in profile(name)["rules"].items():
        clause = value if isinstance(value, str) else value[0]
        assert clause.startswith(code + "-"), rule
        assert clause in TOPIC, rule
        assert TOPIC[clause] in ABOUT.get(rule, {TOPIC[clause]}), f"{rule}: {clause} is about {TOPIC[clause]}"


@pytest.mark.parametrize(("code", "name"), GAMES)
def test_what_a_game_has_no_clause_for_it_cites_none_for(code: str, name: str) -> None:
    rules = profile(name)["rules"]
    for rule, topic in (("deal_fault", "deal-fault"), ("removal", "removal"), ("stub_count", "stub-count")):
        there = any(clause.startswith(code + "-") for clause, about in TOPIC.items() if about == topic)
        assert (rule in rules) == there, rule


def test_the_columns_of_cover_all_are_those_of_the_matrix() -> None:
    """Proves: CS-12k (in part)"""
    matrix = read(ROOT / "game_profiles" / "cover_all.json")
    columns = {
        str(players): [row["pays"][at] for row in matrix["rows"]] for at, players in enumerate(matrix["players"])
    }
    assert profile("caribbean-stud")["cover_all"] == columns
