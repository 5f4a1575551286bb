"""The data in rules/ is whole and agrees with itself; the Cover All matrix is that of the rules, and plausible."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fairshoe_table.rules.pay_tables import TABLES

ROOT = Path(__file__).resolve().parents[3]


def read(path: str) -> dict[str, Any]:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


RULES = read("rules/clauses.json")
CLAUSES: list[dict[str, Any]] = RULES["clauses"]
IDS = [str(clause["id"]) for clause in CLAUSES]
CODES = [str(game["code"]) for game in RULES["games"]]
PARAGRAPHS: dict[str, dict[str, Any]] = read("rules/paragraphs.json")["games"]
MATRIX = read("game_profiles/cover_all.json")

# As printed, from eight players down to two: typed a second time, so that one slip does not pass unseen.
COLUMNS = [8, 7, 6, 5, 4, 3, 2]
PRINTED = {
    "royal flush": [100, 125, 150, 200, 250, 300, 500],
    "straight flush": [40, 70, 80, 90, 100, 125, 200],
    "four of a kind": [7, 15, 17, 20, 30, 40, 60],
    "full house": [6, 9, 12, 15, 20, 30, 40],
    "flush": [5, 7, 9, 10, 15, 20, 35],
    "straight": [4, 5, 7, 8, 10, 17, 25],
    "three of a kind": [3, 3, 3, 4, 5, 6, 9],
}
# Five-card hands of a 52-card deck, best first.
HANDS_ALL = 2_598_960
HANDS = {
    "royal flush": 4,
    "straight flush": 36,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
}


# -- clauses ----------------------------------------------------------------------------------------------------------


def test_every_id_is_a_game_a_section_and_a_paragraph_and_stands_once() -> None:
    assert [name for name in IDS if not re.fullmatch(rf"({'|'.join(CODES)})-\d+([a-z]\d?)?", name)] == []
    assert len(set(IDS)) == len(IDS) > 150
    # An event carries a clause in a text field of eight bytes.
    assert max(map(len, IDS)) <= 8


def test_clauses_stand_in_the_order_of_the_rules() -> None:
    def place(name: str) -> tuple[int, int, str]:
        code, section = name.split("-")
        number = re.match(r"\d+", section)
        assert number is not None
        return CODES.index(code), int(number[0]), section[number.end() :]

    assert sorted(IDS, key=place) == IDS


def test_every_clause_says_something_and_nothing_but_what_the_readme_names() -> None:
    for clause in CLAUSES:
        assert set(clause) <= {"id", "also", "modes", "topic", "device", "remark"}, clause["id"]
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", clause["topic"]), clause["id"]
        assert clause["device"].endswith("."), clause["id"]
        assert clause.get("remark", ".").endswith("."), clause["id"]


def test_clauses_refer_to_clauses_that_exist() -> None:
    pattern = re.compile(rf"\b(?:{'|'.join(CODES)})-\d+[a-z]?\d*\b")
    for clause in CLAUSES:
        for name in pattern.findall(clause["device"] + " " + clause.get("remark", "")):
            assert name in IDS, f"{clause['id']} refers to {name}"


def test_as_another_game_leads_to_a_clause_of_the_same_topic_that_says_it_in_full() -> None:
    by_id = {clause["id"]: clause for clause in CLAUSES}
    for clause in CLAUSES:
        name, hops = clause["id"], 0
        while found := re.match(r"As ([A-Z0-9]+-\w+)", by_id[name]["device"]):
            assert by_id[found[1]]["topic"] == clause["topic"] or clause["id"] == "DAB-3b", clause["id"]
            name, hops = found[1], hops + 1
            assert hops <= 2, clause["id"]


def test_every_clause_that_is_named_anywhere_exists() -> None:
    """In profiles, events that scenarios expect, documents and words of the protocol alike, or it names a pay table."""
    pattern = re.compile(rf"\b(?:{'|'.join(CODES)})-\d+[a-z]?\d*\b(?:-[A-Z]\b)?")
    folders = [("firmware", "*.py"), ("game_profiles", "*.json"), ("tests/scenarios", "*.json"), ("docs", "*.md")]
    files = [path for folder, name in [*folders, ("tools/protocol", "*.py")] for path in (ROOT / folder).rglob(name)]
    named = {(path, name) for path in files for name in pattern.findall(path.read_text(encoding="utf-8"))}
    known = {*IDS, *TABLES}
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in sorted(named) if name not in known] == []
    assert len({path for path, _name in named}) > 10


# -- paragraphs -------------------------------------------------------------------------------------------------------


def paragraphs(code: str) -> list[str]:
    sections: dict[str, str] = PARAGRAPHS[code]["sections"]
    return [section + letter for section, letters in sections.items() for letter in (letters or [""])]


def paragraph(section: str) -> str:
    """Without the number of a sub-paragraph: 7g2 is in 7g."""
    found = re.fullmatch(r"(\d+[a-z]?)\d*", section)
    assert found is not None, section
    return found[1]


@pytest.mark.parametrize("code", CODES)
def test_every_paragraph_is_the_origin_of_a_clause_or_named_as_outside_and_never_both(code: str) -> None:
    mine = [clause for clause in CLAUSES if clause["id"].startswith(code + "-")]
    named = [clause["id"].split("-")[1] for clause in mine]
    named += [name for clause in mine for name in clause.get("also", [])]
    origins = {paragraph(section) for section in named}
    outside = [name for entry in PARAGRAPHS[code]["outside"] for name in entry["paragraphs"]]
    assert sorted([*origins, *outside]) == sorted(paragraphs(code))
    assert all(entry["why"] for entry in PARAGRAPHS[code]["outside"])


# As printed: number of sections, the last paragraph, and how many paragraphs there are in all.
@pytest.mark.parametrize(
    ("code", "sections", "last", "count"),
    [
        ("DDS", 11, "11e", 38),
        ("B5", 12, "12g", 58),
        ("CS", 13, "13g", 72),
        ("DAB", 15, "15o", 83),
        ("DCP", 12, "12f", 53),
    ],
)
def test_sections_run_to_the_end_of_the_printed_rules(code: str, sections: int, last: str, count: int) -> None:
    assert list(PARAGRAPHS[code]["sections"]) == [str(number) for number in range(1, sections + 1)]
    assert paragraphs(code)[-1] == last
    assert len(paragraphs(code)) == count


def test_games_of_all_files_are_the_same() -> None:
    assert list(PARAGRAPHS) == CODES
    assert len({game["profile"] for game in RULES["games"]}) == len(CODES) == 5


# -- differences and exceptions ---------------------------------------------------------------------------------------


def test_every_difference_is_told_for_every_game_with_clauses_of_that_game() -> None:
    for row in read("rules/differences.json")["rows"]:
        assert list(row["games"]) == CODES, row["question"]
        for code, cell in row["games"].items():
            for name in cell["clauses"]:
                assert name in IDS, row["question"]
                assert name.startswith(code + "-"), row["question"]
            # Either a clause orders it, or the table says that none does.
            assert bool(cell["clauses"]) or cell["text"].startswith("no clause"), f"{row['question']} {code}"


def test_what_has_no_clause_really_has_none() -> None:
    """Only these three games order anything for a jam while dealing, and only two leave removal or exposure open."""
    games = {topic: {name.split("-")[0] for name in topics(topic)} for topic in ("deal-fault", "removal", "stub-count")}
    assert games["deal-fault"] == {"B5", "CS", "DCP"}
    assert games["removal"] == {"B5", "CS", "DAB", "DCP"}
    assert games["stub-count"] == {"B5", "CS", "DCP"}
    assert "DCP" not in {name.split("-")[0] for name in topics("exposure")}


def topics(topic: str) -> list[str]:
    return [clause["id"] for clause in CLAUSES if clause["topic"] == topic]


def test_every_exception_names_a_clause_and_says_why() -> None:
    for entry in read("rules/exceptions.json")["exceptions"]:
        assert set(entry) - {"modes"} == {"clause", "why"}
        assert entry["clause"] in IDS
        assert len(entry["why"]) > 20


# -- Cover All --------------------------------------------------------------------------------------------------------


def column(players: int) -> dict[str, int]:
    at = MATRIX["players"].index(players)
    return {row["hand"]: row["pays"][at] for row in MATRIX["rows"]}


def test_the_matrix_is_the_printed_one_for_two_to_eight() -> None:
    """The column of eight is the table of 12(f), with the same pays. Proves: CS-12f, CS-12k"""
    assert MATRIX["players"] == sorted(COLUMNS)
    assert [row["hand"] for row in MATRIX["rows"]] == list(PRINTED)
    for at, players in enumerate(COLUMNS):
        assert column(players) == {hand: pays[at] for hand, pays in PRINTED.items()}, players


def returned(players: int, hands: int) -> float:
    """What comes back of one unit wagered, if so many hands are on the table. Hands of one deck are taken as
    independent, which makes it at most 0.006 too high (as 20 million random deals of each showed)."""
    total, worse = 0.0, 1.0
    for hand, pays in column(players).items():
        above = worse
        worse -= HANDS[hand] / HANDS_ALL
        total += (above**hands - worse**hands) * (pays + 1)
    return total


@pytest.mark.parametrize("players", MATRIX["players"])
def test_a_column_is_for_so_many_hands_with_the_dealers(players: int) -> None:
    """Proves: CS-12k (in part)"""
    assert 0.905 < returned(players, players) < 0.942
    # Read as players besides the dealer every column would pay out more than it takes.
    assert 1.04 < returned(players, players + 1) < 1.36
