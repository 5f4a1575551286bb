"""`fairshoe explain`: every name that fairshoe prints is explained, from where the fact stands."""

import json

import pytest
from in_process import output

from fairshoe.errors import Exit, UsageError
from fairshoe.games import clauses
from fairshoe.messages import ALL, Fault, What
from fairshoe.text import explain
from fairshoe.text.advice import WARNINGS

MEANINGS = {
    "CS-13e": ("clause", "the cycle never counts as a shuffle"),
    "cs 13E": ("clause", "the cycle never counts as a shuffle"),
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


def test_every_clause_warning_record_message_and_exit_status_is_explained_in_ten_lines() -> None:
    names = [*clauses.texts(), *(str(status.value) for status in Exit), *(message.NAME for message in ALL)]
    names += [kind.name.lower() for enum in (Fault, What) for kind in enum if kind.value > 0]
    for name in names:
        for each in explain.find(name):
            assert each.lines and all(each.lines) and len(each.lines) <= 8, name
    assert len(names) > 300 and len(WARNINGS) < len(names)


def test_no_clause_is_explained_by_the_name_of_another_alone() -> None:
    for name, text in clauses.in_full().items():
        assert not text.startswith("As ") or ": " in text, name


def test_a_near_name_is_offered_and_a_far_one_is_not() -> None:
    with pytest.raises(UsageError, match="Did you mean jam_throat"):
        explain.find("jamthroat")
    with pytest.raises(UsageError, match="Give a clause"):
        explain.find("xyzzy")


def test_a_script_gets_objects() -> None:
    found = json.loads(output("explain", "door", "--json"))
    assert {each["kind"] for each in found} == {"warning", "sensor", "key of a board config"}
    assert "Read on: fairshoe docs FAULTS" in output("explain", "door")
