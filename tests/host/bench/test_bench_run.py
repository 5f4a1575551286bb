"""Bench plans on simulated devices: good ones pass on all four mechanisms, and each kind of bad one is found out."""

import errno
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from bench_case import Case, Meddler, figures, only

from fairshoe.bench import report_file
from fairshoe.bench.deck_runner import Overdue, Play
from fairshoe.bench.hands import CUT, ON, Task, Technician
from fairshoe.bench.plan import load_plan
from fairshoe.bench.steps import Bench, Findings, fresh_meters, identity
from fairshoe.errors import PortLost, UsageError
from fairshoe.keys import role_key
from fairshoe.messages import Event, Message, Need, Role, ShuffleStarted, StackTaken, State

ACCEPTANCE = only(
    load_plan("acceptance"),
    *(step.id for step in load_plan("acceptance").steps),
    decks=2,
    seconds=5,
)
# Small decks where the procedure is the same and only takes longer.
MACHINES = {
    "carousel": ("sim://pico-carousel?seed=3", {"cut-card"}),
    "shelves": (
        "sim://pico-shelves?seed=3&game=house:deck_cards=60",
        {"jam-exit", "power-cut-deal", "cut-card"},
    ),
    "shoe": ("sim://pico-shoe?seed=3", {"power-cut-shuffle", "cut-card"}),
    "draw": (
        "sim://pico-draw?seed=3&game=house:deck_cards=30",
        {"jam-throat", "jam-exit", "power-cut-shuffle"},
    ),
}


def by_id(results: list[report_file.StepResult]) -> dict[str, report_file.StepResult]:
    return {result.id: result for result in results}


@pytest.mark.parametrize("kind", MACHINES)
def test_a_good_machine_passes_everything_that_applies_to_it(kind: str, tmp_path: Path) -> None:
    url, nothing_for_it = MACHINES[kind]
    case = Case(url, tmp_path)
    run = case.run(ACCEPTANCE)
    assert [(result.id, result.reason) for result in run.results if result.status == report_file.FAILED] == []
    assert run.verdict[0] == report_file.PASSED and ", 1 not tested: needs --key-file" in run.verdict[1], run.verdict
    assert [result.id for result in run.results if result.status == report_file.NOT_TESTED] == ["commands"]
    skipped = {result.id: result.reason for result in run.results if result.status == report_file.NOT_APPLICABLE}
    assert set(skipped) == nothing_for_it
    assert all(skipped.values()), "what does not apply says why"
    assert all(deck["verdict"] != "WRONG" for deck in run.decks)
    assert case.device.misplaced == 0
    assert [event.seq for event in case.device.events] == list(range(1, len(case.device.events) + 1))


def test_the_figures_are_what_the_machine_did(tmp_path: Path) -> None:
    case = Case("sim://pico-carousel?seed=3", tmp_path)
    run = case.run(only(ACCEPTANCE, "decks", "counts", "jam-throat"))
    found = by_id(run.results)
    assert figures(found["decks"])["intake_s_max"] == 23.0  # shuffle_report_ms of the board
    assert figures(found["decks"])["decks"] == 2
    assert [deck["counted"] for deck in run.decks[:5]] == [52, 52, 51, 52, 53]
    assert [deck["refused"] for deck in run.decks[:5]] == [False, False, True, False, True]
    assert run.decks[2]["removed"] == 51
    assert run.decks[0]["dealt"] + run.decks[0]["remainder"] == 52
    assert case.device.meters is not None
    assert case.device.meters.jams == 2
    assert 100 < (figures(found["jam-throat"])["notice_ms_max"] or 0) < 1500


@pytest.mark.parametrize(
    "faults, step, told",
    [
        ("wear:60000", "decks", "feed time"),
        ("misfeed:ppm=30000", "decks", "Misfeeds per thousand cards"),
        ("stall:throat:ppm=30000", "decks", "Stalls per thousand cards"),
        ("beam_noise:exit:1000000:900", "quiet", "Beam glitches"),
        ("beam_noise:throat_a:1000000:300", "quiet", "Beam glitches"),
        ("beam_noise:tray:200000:600", "quiet", "Beam glitches"),
        ("card_lost:rail:card=20", "decks", "counts were not right"),
        ("double_feed:card=30", "decks", "unexpected warnings"),
        ("beam_blind:slot:from_ms=3000", "power-on", "empty proved: not measured"),
    ],
)
def test_a_bad_machine_is_found_out(faults: str, step: str, told: str, tmp_path: Path) -> None:
    plan = only(load_plan("acceptance"), step, decks=7)
    run = Case(f"sim://pico-carousel?seed=3&faults={faults}", tmp_path).run(plan)
    assert run.results[0].status == report_file.FAILED, run.results[0]
    assert told in run.results[0].reason
    assert run.verdict[0] == report_file.FAILED


def test_a_key_switch_that_is_not_seen_fails_its_step(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)
    case.meddle(lambda task: None if task.action == "key" else task)
    assert "Key switch seen on: 0, must be 1" in case.failed(only(ACCEPTANCE, "key-switch")).reason


def test_a_cut_card_that_shows_too_late_fails_its_step(tmp_path: Path) -> None:
    case = Case("sim://pico-draw?seed=3&game=house:deck_cards=30", tmp_path)
    case.meddle(lambda task: replace(task, argument="30:22") if task.action == "load" else task)
    assert figures(case.failed(only(ACCEPTANCE, "cut-card")))["cut_off_by"] == 2


def test_a_start_that_was_no_power_on_fails_the_self_test(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)

    def crash(task: Task) -> Task | None:
        if task != ON:
            return task
        case.line.sim.rig.boot(1)  # the watchdog's
        return None

    case.meddle(crash)
    assert figures(case.failed(only(ACCEPTANCE, "power-on")))["resets"] == 1


def test_another_board_than_expected_and_a_device_that_falls_silent_fail_the_first_step(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)
    case.line.sim.rig.board_crc += 1  # what the bench expects: the device has told its own
    assert figures(case.failed(only(ACCEPTANCE, "identity")))["board_known"] == 0
    mute = Case("sim://pico-shoe?seed=3", tmp_path / "mute")
    mute.device.rest(1.0)
    before = fresh_meters(mute.device)
    assert before is not None
    mute.line.sim.act("key", "on")  # the link is at the other port now
    findings = Findings()
    bench = Bench(mute.device, mute.hands, Play(mute.device, mute.hands, "shoe"), mute.line.board(), mute.said.append)
    identity(bench, only(ACCEPTANCE, "identity").steps[0], findings)
    assert (findings.figures["status_per_s"] or 0) < 1.5


def test_events_lost_or_told_twice_fail_the_power_cut_drill(tmp_path: Path) -> None:
    case = Case("sim://pico-carousel?seed=3", tmp_path)

    def lose(task: Task) -> Task:
        if task.action == "boot":
            case.device.events[-1] = replace(case.device.events[-1], seq=1)  # as if the one before had not come
        return task

    case.meddle(lose)
    run = case.run(only(load_plan("power-cut-drill"), "power-cut-shuffle", times=1))
    assert figures(run.results[0])["events_misplaced"] == 1
    assert "vents received twice or out of order: 1" in run.results[0].reason


def test_a_machine_that_miscounts_is_found_out(tmp_path: Path) -> None:
    """Two cards exactly on top of each other are one to a board without an opacity sensor: 53 read 52."""
    board = json.loads((Path(__file__).resolve().parents[3] / "board_configs" / "pico-carousel.json").read_text())
    board["mechanism"]["count_assurance"] = "basic"
    del board["inputs"]["opacity"]
    del board["outputs"]["dark"]
    path = tmp_path / "basic.json"
    path.write_text(json.dumps(board))
    case = Case(f"sim://{path}?seed=3&faults=double_feed:card=10:offset_um=0", tmp_path)
    run = case.run(only(load_plan("count-accuracy"), "counts", differences=[1]))
    found = figures(run.results[0])
    assert (found["long_noticed"], found["miscounted"], run.results[0].status) == (0, 1, report_file.FAILED)
    assert run.decks[0]["verdict"] == "NOT TOLD APART"


def test_a_jam_that_is_not_noticed_as_one_fails_the_drill(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)

    def no_strip(task: Task) -> None:
        if task.action == "fault":
            case.line.sim.rig.plant.repair()

    case.meddle(after=no_strip)
    result = case.failed(only(load_plan("jam-drill"), "jam-throat"))
    assert figures(result)["jams_noticed"] == 0 and "jam 1: not noticed" in result.notes


def test_a_machine_that_cannot_be_emptied_ends_the_run_as_failed(tmp_path: Path) -> None:
    run = Case("sim://pico-carousel?faults=home_lost", tmp_path).run(only(ACCEPTANCE, "identity", "power-on", "door"))
    assert [result.status for result in run.results] == [report_file.PASSED, report_file.FAILED, report_file.NOT_RUN]
    verdict, reason = run.verdict
    assert verdict == report_file.FAILED
    assert "could not be brought to rest" in reason


def test_ctrl_c_keeps_what_was_found_and_says_what_the_machine_is_doing(tmp_path: Path) -> None:
    case = Case("sim://pico-carousel?seed=3", tmp_path)
    started: list[int] = []

    def stop(event: Event) -> None:
        started.extend([event.seq] if isinstance(event, ShuffleStarted) else [])
        if len(started) == 2:
            raise KeyboardInterrupt

    case.on_event = stop
    run = case.run(only(ACCEPTANCE, "identity", "decks", "door"))
    assert run.interrupted
    assert [result.status for result in run.results] == [report_file.PASSED, report_file.STOPPED, report_file.NOT_RUN]
    assert figures(run.results[1])["decks"] == 1, "the deck that was run is in the report"
    assert run.verdict[0] == report_file.INCOMPLETE
    assert "continues without the bench" in run.aftermath()
    report = case.report(run)
    assert report["verdict"] == report_file.INCOMPLETE
    assert len(report["decks"]) == 1


def test_a_lost_device_is_told_and_the_report_still_made(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)

    def unplug(task: Task) -> Task:
        if task.action == "load":
            case.line.sim.unplug()
        return task

    case.meddle(unplug)
    run = case.run(only(ACCEPTANCE, "identity", "decks", "door"))
    assert isinstance(run.error, PortLost)
    assert [result.status for result in run.results] == [report_file.PASSED, report_file.STOPPED, report_file.NOT_RUN]
    verdict, reason = run.verdict
    assert verdict == report_file.INCOMPLETE
    assert "device was lost" in reason
    assert case.report(run)["steps"][1]["status"] == report_file.STOPPED


def test_the_power_cut_drill_lives_through_a_port_that_goes_with_the_power(tmp_path: Path) -> None:
    case = Case("sim://pico-carousel?seed=3", tmp_path)

    def unplug(task: Task) -> None:
        if task == CUT:
            case.line.sim.unplug(seconds=3)

    case.meddle(after=unplug)
    run = case.run(only(load_plan("power-cut-drill"), "power-cut-shuffle", times=1))
    assert run.error is None
    found = figures(run.results[0])
    assert (found["cuts"], found["told_void"], found["events_missing"], found["events_misplaced"]) == (1, 1, 0, 0)


def test_events_that_come_after_the_status_they_belong_to_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case("sim://pico-carousel?seed=3", tmp_path)
    device = case.device
    note: Callable[[Message], None] = device._note  # pyright: ignore[reportPrivateUsage]
    held: list[tuple[float, Event]] = []

    def late(message: Message) -> None:
        now = case.line.clock()
        while held and held[0][0] <= now:
            note(held.pop(0)[1])
        if isinstance(message, Event):
            held.append((now + 0.3, message))
        else:
            note(message)

    monkeypatch.setattr(device, "_note", late)
    run = case.run(only(load_plan("power-cut-drill"), "power-cut-shuffle", times=1))
    found = figures(run.results[0])
    assert (found["cuts"], found["told_void"], found["recovered"], found["events_missing"]) == (1, 1, 1, 0)


def test_a_plug_pulled_too_late_does_not_pass_for_a_power_cut_in_a_shuffle(tmp_path: Path) -> None:
    case = Case("sim://pico-carousel?seed=3", tmp_path)
    plan = only(load_plan("power-cut-drill"), "power-cut-shuffle", times=1, after_ms=30000)
    assert figures(case.failed(plan))["told_void"] == 0


def test_a_key_that_may_not_command_leaves_the_commands_untested(tmp_path: Path, key_file: Path) -> None:
    case = Case(f"sim://pico-carousel?key={key_file}", tmp_path, role_key(bytes(range(32)), Role.RECORDER))
    run = case.run(only(ACCEPTANCE, "commands"))
    assert run.results[0].status == report_file.NOT_TESTED
    assert run.verdict == (report_file.INCOMPLETE, "1 not tested: needs --key-file, the key of the table.")


@pytest.mark.parametrize("kind, done", [("carousel", 6), ("shelves", 2), ("shoe", 6), ("draw", 2)])
def test_every_mechanism_takes_the_commands_it_has(kind: str, done: int, tmp_path: Path, key_file: Path) -> None:
    case = Case(f"{MACHINES[kind][0]}&key={key_file}", tmp_path, role_key(bytes(range(32)), Role.TABLE))
    run = case.run(only(ACCEPTANCE, "commands"))
    assert run.results[0].status == report_file.PASSED, run.results[0]
    assert figures(run.results[0])["commands_done"] == done
    assert case.report(run)["port"] == f"{MACHINES[kind][0]}&key=...", "where a key lies is nothing for a report"


def test_a_technician_is_told_everything_that_has_to_be_done(tmp_path: Path) -> None:
    """A person who does what the words say, and nothing else, brings every step to its end."""
    case = Case("sim://pico-carousel?seed=3", tmp_path)
    told: list[str] = []
    meant = {
        "Put 52 cards into the hopper": ("load", "52"),
        "Put 51 cards into the hopper": ("load", "51"),
        "Put 53 cards into the hopper": ("load", "53"),
        "Take the cards out of the tray": ("take", ""),
        "Open the door": ("open", ""),
        "Close the door": ("close", ""),
        "Take out every card that lies inside": ("clear", ""),
        "Switch the machine off": ("cut", ""),
        "Switch it on again": ("boot", ""),
        "Pull the plug, now": ("cut", ""),
        "Plug it in again": ("boot", ""),
        "Turn the key switch on": ("key", "on"),
        "Turn the key switch off": ("key", "off"),
        "Slide the jam strip into the throat": ("jam", "throat:0:60000"),
        "Take the jam strip out": ("wait", ""),
    }

    def obey(text: str) -> None:
        told.append(text)
        case.device.rest(0.3)
        if text.startswith("Press "):
            case.line.act("press", text.split()[1].rstrip(".").lower())
            return
        action, argument = next(task for words, task in meant.items() if text.startswith(words))
        case.line.act(action, argument)

    case.hands = Technician(case.device, obey, lambda: True)
    steps = ("power-on", "door", "key-switch", "decks", "counts", "jam-throat", "power-cut-shuffle")
    run = case.run(only(ACCEPTANCE, *steps))
    assert [(result.id, result.reason) for result in run.results if result.status != report_file.PASSED] == []
    assert "Put 51 cards into the hopper: a good deck with one card removed; then press Enter." in told
    assert "Put 53 cards into the hopper: a good deck with one card added; then press Enter." in told


def test_a_technician_is_asked_for_everything_once(tmp_path: Path) -> None:
    """Status comes before the events that belong to it; neither may pass for what the next prompt asks for."""
    case = Case("sim://pico-carousel?seed=3&game=house", tmp_path)
    told: list[str] = []

    def obey(text: str) -> None:
        told.append(text)
        case.device.rest(0.3)
        words = text.rstrip(".").lower().split()
        action = {"put": ("load", "52"), "take": ("take", "")}.get(words[0], ("press", words[1]))
        case.line.act(*action)

    case.hands = Technician(case.device, obey, lambda: True)
    assert case.run(only(ACCEPTANCE, "decks", decks=1)).results[0].status == report_file.PASSED
    shuffle = ["Put 52 cards into the hopper; then press Enter.", "Press GREEN."]
    take = "Take the cards out of the tray."
    assert told == [*shuffle, "Press SEAT.", "Press CLOSE.", take, take, "Press GREEN.", take, "Press GREEN."]


def test_a_late_event_does_not_pass_for_what_was_asked_for(tmp_path: Path) -> None:
    """Status comes before the events that belong to it: the last stack's may come when GREEN is waited for."""
    case = Case("sim://pico-shoe?seed=3&game=house", tmp_path)
    asked: list[str] = []
    original = case.hands

    class Slow(Meddler):
        def do(self, task: Task) -> None:
            asked.append(task.argument)
            taken = case.device.since(0, StackTaken)
            if task.argument == "green" and taken and asked.count("green") == 2:
                case.device.events.append(taken[-1])  # late, and the button is pressed at the reminder only
                return
            super().do(task)

        def again(self, task: Task) -> None:
            asked.append("again")
            original.do(task)

    case.hands = Slow(original)
    case.run(only(ACCEPTANCE, "decks", decks=1))
    assert asked == ["52", "green", "seat", "close", "", "", "green", "again", "", "green"]


def test_a_technician_who_does_nothing_is_reminded_and_the_step_fails_with_what_was_waited_for(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)
    told: list[str] = []
    case.hands = Technician(case.device, told.append, lambda: True)
    result = case.failed(only(ACCEPTANCE, "door"))
    assert told[0] == "Open the door."
    assert "Not seen yet: open the door." in told
    assert "after 'open the door' nothing happened" in result.reason.lower()


def test_events_are_in_the_log_before_they_are_acknowledged(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)
    unsafe: list[int] = []

    def look(event: Event) -> None:
        last = json.loads(case.log.path.read_bytes().splitlines()[-1])
        if last["seq"] != event.seq or case.device.shoe.seq_last < event.seq:
            unsafe.append(event.seq)

    case.on_event = look
    run = case.run(only(ACCEPTANCE, "decks"))
    assert unsafe == []
    report = case.report(run)
    written = case.log.path.read_bytes()
    assert hashlib.sha256(written).hexdigest() == report["events"]["sha256"]
    assert len(written.splitlines()) == report["events"]["count"] == len(case.device.events)


def test_a_full_disk_ends_the_run_and_the_event_is_not_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)

    class Full:
        def write(self, _data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None: ...

    monkeypatch.setattr(case.log, "_file", Full())
    run = case.run(only(ACCEPTANCE, "decks"))
    assert run.error is not None
    assert run.verdict[0] == report_file.INCOMPLETE
    assert run.verdict[1].startswith("It could not go on: ")
    assert "No space left" in run.error.what
    assert case.line.sim.rig.app.journal.seq_acked < case.line.sim.rig.app.journal.seq_last


def test_events_that_had_waited_for_another_host_are_told_of(tmp_path: Path) -> None:
    said = "events that had waited for a host since before: "
    run = Case("sim://pico-shoe?seed=3", tmp_path).run(only(ACCEPTANCE, "identity"))
    assert not [note for note in run.results[0].notes if said in note], "a simulated device starts with the bench"
    case = Case("sim://pico-shoe?seed=3", tmp_path / "late")
    case.device.seq_at_start = 2  # as if it had been on for a while: booted, empty_proved
    run = case.run(only(ACCEPTANCE, "identity"))
    assert f"{said}1; they are in the log, acknowledged" in run.results[0].notes


def test_a_bench_run_wants_a_device_without_a_past(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Case(f"sim://pico-shoe?storage={tmp_path}/nv.bin", tmp_path)


def test_overdue_names_the_state(tmp_path: Path) -> None:
    case = Case("sim://pico-shoe?seed=3", tmp_path)
    with pytest.raises(Overdue, match="waiting for deck"):
        Play(case.device, case.hands, "shoe").until(lambda: False, 2.0, "a miracle")


@pytest.mark.parametrize("need", [Need.ACKNOWLEDGE, Need.OPEN_DOOR, Need.CLEAR_PATH])
def test_a_technician_opens_the_door_when_the_device_waits_for_more_than_ack(need: Need) -> None:
    device: Any = Mock(status=Mock(need=need), state=State.WARNING, events=[])
    hands: Any = Mock(patience_s=1.0)
    Play(device, hands, "carousel").clear_warning()
    done = [call.args[0].action for call in hands.do.call_args_list]
    assert done == (["press"] if need == Need.ACKNOWLEDGE else ["open", "clear", "close", "press"])
