"""Advice: every state, warning and refusal has one, and the words for warnings are those of docs/FAULTS.md."""

import re
from dataclasses import replace
from pathlib import Path

from statuses import a_status

from fairshoe.messages import AcknowledgeWarning, Fault, Need, Refusal, Release, Sensor, State, WarningLatched, What
from fairshoe.text.advice import BUTTONS, HOLDS, REFUSALS, SENSORS, STEPS, WARNINGS, WORKING, Warned, next_step, warned
from firmware.games import procedure
from rig import steps

ROOT = Path(__file__).resolve().parents[3]


def test_warnings_are_told_in_the_words_of_the_page() -> None:
    text = (ROOT / "docs" / "FAULTS.md").read_text()
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (.*?) \| .*? \| (?:yes|no) \| (.*?) \| .*? \|$", text, re.MULTILINE)
    told = {Fault(int(code)): (name.upper(), what, advice) for name, code, what, advice in rows}
    ours = {fault: (fault.name, it.what, it.advice) for fault, it in WARNINGS.items() if fault != Fault.UNRECOGNISED}
    assert told == ours


def test_every_state_need_refusal_and_warning_has_advice() -> None:
    assert set(STEPS) == set(Need) - {Need.NONE, Need.UNRECOGNISED}
    assert set(REFUSALS) == set(Refusal) - {Refusal.UNRECOGNISED}
    assert set(WARNINGS) == set(Fault) - {Fault.NONE}


def test_every_sensor_has_a_place_to_look_for() -> None:
    assert set(SENSORS) == set(Sensor) - {Sensor.NONE, Sensor.UNRECOGNISED}


def test_a_state_of_a_newer_device_says_so() -> None:
    assert "newer" in next_step(a_status(State.UNRECOGNISED)).text
    told = warned(a_status(State.WARNING, Fault.UNRECOGNISED))
    assert told is not None and "newer" in told.advice


def test_a_warning_says_what_its_event_found_and_no_other_warnings_event() -> None:
    prefix = (1, 1, 0, 0, 0, 0, 0)
    status = a_status(State.WARNING, Fault.DOUBLE_FEED)
    long = WarningLatched(*prefix, Fault.DOUBLE_FEED, 3, Sensor.NONE, 104430, 88900)
    told, usual = warned(status, long), WARNINGS[Fault.DOUBLE_FEED]
    assert told == Warned(f"{usual.what}; 88.9 mm expected, 104.4 measured: roller speed?", usual.advice)
    assert warned(status, replace(long, warning=Fault.CARD_LENGTH)) == warned(status) == usual
    noisy = WarningLatched(*prefix, Fault.DOUBLE_FEED, 3, Sensor.THROAT_A, 0, 0)
    assert warned(status, noisy) == Warned(f"{usual.what}; it is throat_a, the first throat beam", usual.advice)


def test_a_full_journal_that_only_holds_things_up_is_not_told_as_a_stop() -> None:
    assert warned(a_status(State.DECK_READY, Fault.JOURNAL)) == HOLDS[Fault.JOURNAL]
    assert warned(a_status(State.WARNING, Fault.JOURNAL)) == WARNINGS[Fault.JOURNAL]
    assert warned(a_status(State.DECK_READY)) is None


def test_a_step_says_who_can_do_it() -> None:
    assert next_step(a_status(State.SHUFFLING)).who == "machine" and next_step(a_status(State.SHUFFLING)).machine
    assert next_step(a_status(State.WAITING_FOR_DECK, need=Need.DECK)).who == "hand"
    step = next_step(a_status(State.WAITING_FOR_GREEN, need=Need.RELEASE))
    assert (step.who, step.command) == ("command", Release)
    assert next_step(a_status(State.DECK_READY, Fault.JOURNAL, Need.STORE_EVENTS)).who == "host"
    # A warning is for a person, who looks; the command is there for the table system that a person asks.
    step = next_step(a_status(State.WARNING, Fault.DOOR, Need.ACKNOWLEDGE))
    assert (step.who, step.command) == ("hand", AcknowledgeWarning)


def test_a_step_names_the_records_and_positions_that_are_due() -> None:
    due = 1 << What.FOLD | 1 << What.SECOND_WAGER
    step = next_step(a_status(State.WAITING_FOR_GREEN, need=Need.DECISIONS, records_due=due, positions_due=0b101))
    assert (step.who, step.records, step.positions) == ("record", (What.FOLD, What.SECOND_WAGER), (1, 3))
    assert step.text.endswith("(still due: 1, 3)")
    due = 1 << What.SHOWN | 1 << What.WASHED
    step = next_step(a_status(State.WAITING_FOR_DECK, need=Need.INDUCTION, records_due=due, deck_next=2))
    assert step.text == "report the induction of the deck: record shown 2, washed 2" and step.deck == 2
    step = next_step(a_status(State.WAITING_FOR_ROUND_END, need=Need.STUB_COUNT, records_due=1 << What.FINAL_DEAL))
    assert "final-deal" in step.text


def test_the_same_need_is_told_in_the_words_of_the_state() -> None:
    assert "stack" in next_step(a_status(State.STACK_OFFERED, need=Need.TAKE)).text
    assert "off the table" in next_step(a_status(State.REMOVED_OFFERED, need=Need.TAKE)).text
    moving = set(procedure._PANEL_NOT_NEEDED) - {State.WARNING}  # pyright: ignore[reportPrivateUsage]
    assert set(WORKING) - {State.STARTING} == moving


def test_the_button_of_a_command_is_that_of_the_steps_which_the_rig_plays() -> None:
    told = {command.NAME: button for command, button in BUTTONS.items()}
    assert {step.command for step in STEPS.values() if step.command} == set(BUTTONS)
    assert told == {**{command: button for _state, button, command in steps.STEPS}, "give_card": "lock"}
