"""Advice: every state, warning and refusal has one, and the words for warnings are those of docs/FAULTS.md."""

import re
from pathlib import Path

from fairshoe.messages import Fault, Need, Refusal, Sensor, State, Status
from fairshoe.text.advice import HOLDS, NEEDS, REFUSALS, SENSORS, STEPS, WARNINGS, next_step, warned

ROOT = Path(__file__).resolve().parents[2]


def status(state: State, warning: Fault = Fault.NONE) -> Status:
    return Status(state, warning, *[0] * 16)


def test_warnings_are_told_in_the_words_of_the_page() -> None:
    text = (ROOT / "docs" / "FAULTS.md").read_text()
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (.*?) \| .*? \| (?:yes|no) \| (.*?) \| .*? \|$", text, re.MULTILINE)
    told = {Fault(int(code)): (name.upper(), what, advice) for name, code, what, advice in rows}
    ours = {fault: (fault.name, it.what, it.advice) for fault, it in WARNINGS.items() if fault != Fault.UNRECOGNISED}
    assert told == ours


def test_every_state_need_refusal_and_warning_has_advice() -> None:
    assert set(STEPS) == set(State) - {State.UNRECOGNISED}
    assert set(NEEDS) == set(Need) - {Need.NONE, Need.UNRECOGNISED}
    assert set(REFUSALS) == set(Refusal) - {Refusal.UNRECOGNISED}
    assert set(WARNINGS) == set(Fault) - {Fault.NONE}


def test_every_sensor_has_a_place_to_look_for() -> None:
    assert set(SENSORS) == set(Sensor) - {Sensor.NONE, Sensor.UNRECOGNISED}


def test_a_state_of_a_newer_device_says_so() -> None:
    assert "newer" in next_step(status(State.UNRECOGNISED)).text
    told = warned(status(State.WARNING, Fault.UNRECOGNISED))
    assert told is not None and "newer" in told.advice


def test_a_full_journal_that_only_holds_things_up_is_not_told_as_a_stop() -> None:
    assert warned(status(State.DECK_READY, Fault.JOURNAL)) == HOLDS[Fault.JOURNAL]
    assert warned(status(State.WARNING, Fault.JOURNAL)) == WARNINGS[Fault.JOURNAL]
    assert warned(status(State.DECK_READY)) is None
