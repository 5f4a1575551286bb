"""`fairshoe explain`: every name that fairshoe prints is explained, from where the fact stands."""

import copy
import json
import re
from enum import IntEnum
from pathlib import Path

import pytest
from in_process import output

from fairshoe import messages
from fairshoe.boards.configs import load_board
from fairshoe.errors import Exit, UsageError
from fairshoe.games import clauses
from fairshoe.messages import ALL, Fault, Need, State, What
from fairshoe.sim.scenario_cases import read_cases
from fairshoe.text import explain
from fairshoe.text.advice import WARNINGS
from fairshoe.web.assets import table_files
from hal.sim.port import SimHal
from rig.scenario import Scenario

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"

MEANINGS = {
    "CS-13e": ("clause", "what has stopped was no shuffle"),
    "cs 13E": ("clause", "what has stopped was no shuffle"),
    "DDS-4c": ("the same as DDS-4d", "Offer the cut"),
    "DDS-9a": ("paragraph", "settling of wagers"),
    "HOUSE": ("house policy", "No clause of the game orders this"),
    "one_void": ("consequence", "That hand alone is void"),
    "stub count": ("waits for", "count the stub"),
    "mechanism.slot_count": ("key of a board config", "integer"),
    "recorder": ("role", "acknowledges events"),
    "waiting_for_green": ("state", "Press GREEN"),
    "Tray is not empty": ("text of the display", "Empty the tray"),
    "Deck 2 next, or": ("text of the display", "GREEN: round over"),
    "Noise on throat_a": ("text of the display", "first throat beam"),
    "jam_throat": ("warning", "open the door"),
    "stack-taken": ("event", "number of the stack in this round"),
    "9": ("storage", "free space"),
    "exit 9": ("storage", "free space"),
    "slot_count": ("key of a board config", "mechanism.slot_count"),
    "hole_card_seen": ("record", "the round is void"),
    "Report Instant": ("word", "the fixed time after its start"),
    "throat_a": ("sensor", "First throat beam"),
}


@pytest.mark.parametrize(("name", "meaning"), MEANINGS.items())
def test_a_name_is_explained_from_where_its_fact_stands(name: str, meaning: tuple[str, str]) -> None:
    kind, text = meaning
    assert any(kind in each.kind and text in " ".join(each.lines) for each in explain.find(name))


def enums() -> list[type[IntEnum]]:
    """Every enumeration of messages."""
    named = [each for each in vars(messages).values() if isinstance(each, type) and issubclass(each, IntEnum)]
    return [each for each in named if each.__module__ == messages.__name__ and len(each) > 0]


def test_every_clause_warning_record_message_exit_status_and_value_is_explained_in_ten_lines() -> None:
    names = [*clauses.texts(), *(str(status.value) for status in Exit), *(message.NAME for message in ALL)]
    assert {Fault, What, Need, State} < set(enums())
    names += [kind.name.lower() for enum in enums() for kind in enum if kind.value > 0]
    for name in names:
        for each in explain.find(name):
            assert each.lines and all(each.lines) and len(each.lines) <= 8, name
    assert len(names) > 300 and len(WARNINGS) < len(names)


def paragraphs() -> list[str]:
    return [
        f"{code}-{section}{letter}"
        for code, game in clauses.paragraphs().items()
        for section, letters in game["sections"].items()
        for letter in letters or ("",)
    ]


def test_every_paragraph_of_the_five_texts_is_a_clause_the_same_as_one_or_outside_with_the_reason() -> None:
    assert len(paragraphs()) > 200
    for name in paragraphs():
        kinds = [each.kind for each in explain.find(name)]
        assert len(kinds) == 1 and kinds[0].startswith(("clause of", "paragraph of")), (name, kinds)


def test_each_clause_says_first_what_to_do_and_its_reading_only_to_who_asks_for_it() -> None:
    assert set(clauses.actions()) == set(clauses.texts())
    for name, text in clauses.actions().items():
        assert len(text) < 160 and text.count(". ") < 2 and text.endswith("."), name
        assert not re.search(r"device|host|the profile|[A-Z]{2,3}-\d", text), name
    said = output("explain", "CS-13d")
    assert "the device must be able to give" not in said
    assert "the device must be able to give" in " ".join(output("explain", "CS-13d", "--why").split())


def test_the_clause_dialogs_of_the_pages_say_what_to_do() -> None:
    assert json.loads(table_files(Path(__file__).parent)["clauses.json"]) == clauses.actions()


def test_no_clause_is_explained_by_the_name_of_another_alone() -> None:
    for name, text in clauses.in_full().items():
        assert not text.startswith("As ") or ": " in text, name


ROUNDS = (
    *("carousel-good-round", "carousel-door", "cs-cover-all-each-round-its-own", "cs-round-by-hand"),
    *("dcp-count-is-right", "two-decks-in-turn", "dab-rounds", "dab-reader-no-blackjack"),
)


@pytest.mark.parametrize("name", ROUNDS)
def test_every_line_that_the_display_shows_in_a_round_is_explained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: set[str] = set()

    def show(_hal: SimHal, lines: tuple[str, ...]) -> None:
        shown.update(lines)

    monkeypatch.setattr(SimHal, "show", show)
    for data in read_cases(SCENARIOS / f"{name}.json").values():
        Scenario(data, copy.deepcopy(load_board(data["board"])[0])).play()
    assert len(shown) > 10
    for line in shown - {""}:
        assert any(each.kind == explain.DISPLAYED for each in explain.find(line)), line


def test_a_near_name_is_offered_and_a_far_one_is_not() -> None:
    with pytest.raises(UsageError, match="Did you mean jam_throat"):
        explain.find("jamthroat")
    with pytest.raises(UsageError, match="Give a clause"):
        explain.find("xyzzy")


def test_an_unknown_paragraph_is_answered_with_those_of_its_section_and_no_other() -> None:
    with pytest.raises(UsageError) as refused:
        explain.find("DDS-4z")
    assert "DDS-4c" in refused.value.advice and "DDS-9c" not in refused.value.advice
    with pytest.raises(UsageError, match="DDS has sections 1 to 11"):
        explain.find("DDS-14a")


def test_a_script_gets_objects() -> None:
    found = json.loads(output("explain", "door", "--json"))
    assert {each["kind"] for each in found} == {"warning", "sensor", "key of a board config"}
    assert "Read on: fairshoe docs FAULTS" in output("explain", "door")
