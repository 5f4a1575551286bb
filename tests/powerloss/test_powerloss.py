"""Power cut at every storage write of a round, a sample of everywhere else on every board, and proof that a firmware
that breaks a promise about it would be found out."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from powerloss import write_finding
from powerloss_jobs import (
    BOARDS,
    Cut,
    Job,
    Places,
    boot_cuts,
    instant_cut,
    parse_cut,
    play,
    round_jobs,
    scenario_job,
    scenario_names,
    second_cut,
    some_cut,
    survey,
    write_cuts,
)
from soak_shrink import kind_of

from fairshoe.scenario import play as play_files
from fairshoe.scenario import play_on_micropython
from firmware import scribe
from firmware.fault import FAULT_POWER
from firmware.games import deck_steps, procedure, profile, round_steps
from firmware.games.flow import WARNING
from firmware.journal import cells, meters, seeds, store
from firmware.journal.lanes import Lanes
from firmware.link import commands, report
from firmware.protocol.frame import CRC_RESIDUE
from firmware.ticks import FOREVER_MS
from hal.sim.port import SimHal

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = Job("pico-carousel", "caribbean-stud")
SLICE = 24

Plant = Callable[[pytest.MonkeyPatch], None]


def check(job: Job) -> None:
    outcome = play(job)
    replay = f"replay: .venv/bin/python tools/powerloss.py {job.options()}"
    assert not outcome.problems, f"{outcome.problems[0]}; {replay}"
    assert outcome.struck, f"the cut did not come; {replay}"


def four_lengths(places: Places) -> Iterator[Cut]:
    """Of every write: before it, after it, torn in half, and torn at a length that differs from write to write."""
    for at, size in enumerate(places.writes):
        for length in sorted({0, size // 2, 1 + at * 7 % (size - 1), size}):
            yield Cut("write", at, length)


@pytest.mark.timeout(300)
def test_power_cut_at_every_write_of_a_round_breaks_no_promise() -> None:
    places = survey(DEFAULT)
    assert not places.problems and len(places.writes) > 40
    for cut in four_lengths(places):
        check(replace(DEFAULT, cuts=(cut,)))


@pytest.mark.timeout(300)
def test_power_cut_anywhere_else_breaks_no_promise() -> None:
    """A sample: every board, by buttons and by commands, with and without somebody who listens; twice in a row too."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    draw = random.Random(seed)
    rounds = round_jobs()
    assert {job.board for job in rounds} == set(BOARDS)
    for _ in range(SLICE):
        story = draw.choice(rounds)
        places = survey(story)
        check(replace(story, cuts=(some_cut(draw, places),)))
        check(replace(story, cuts=(some_cut(draw, places), second_cut(draw))))


@pytest.mark.timeout(120)
def test_power_cut_in_scenarios_breaks_no_promise() -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    draw = random.Random(seed)
    for name in draw.sample(scenario_names(), SLICE // 2):
        story = scenario_job(name)
        places = survey(story)
        assert not places.problems, f"{name}: {places.problems[0]}"
        check(replace(story, cuts=(some_cut(draw, places),)))


def test_power_cut_at_every_write_of_the_boot_that_follows_a_cut_breaks_no_promise() -> None:
    """A round is open and a command under way: that boot has the most to say."""
    story = replace(DEFAULT, role="table")
    places = survey(story)
    first = instant_cut(random.Random(1), places, "exit")
    struck = 0
    for second in boot_cuts():
        outcome = play(replace(story, cuts=(first, second)))
        assert not outcome.problems, f"{outcome.problems[0]}; {outcome.job.options()}"
        struck += outcome.struck == 2
    assert struck > 20


def test_a_cut_replays_from_its_words() -> None:
    for cut in (Cut("write", 33, 12), Cut("frame", 4, 0), Cut("time", 1234567)):
        assert replace(parse_cut(str(cut)), kind="") == cut
    for text in ("write:1", "time:1:2", "when:3", "write:a:b"):
        with pytest.raises(ValueError):
            parse_cut(text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("powerloss.py --minutes 0.05 --jobs 1 --seed 1 --board pico-draw --game house --only writes", "nothing found"),
        ("powerloss.py --board pico-draw --game house --cut write:9:20 --cut time:900000", "2 of 2 cuts struck"),
        ("soak_kill.py --seed 1 --rounds 1", "nothing lost, nothing twice"),
    ],
)
def test_the_tools_run_and_say_how_it_went(words: str, said: str) -> None:
    tool, *arguments = words.split()
    command = [sys.executable, str(ROOT / "tools" / tool), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_every_write_is_cut_before_after_and_within() -> None:
    cuts = list(write_cuts(Places([64, 8], [], {}, [])))
    assert [cut.size for cut in cuts if cut.at == 0] == [0, 1, 16, 32, 60, 63, 64]
    assert [cut.size for cut in cuts if cut.at == 1] == [0, 1, 2, 4, 7, 8]


# -- defects ----------------------------------------------------------------------------------------------------------


def intent_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack is dealt before anything on record says so."""

    def next_stack(flow: Any, now_ms: int) -> int:
        flow.stack = flow.stacks_taken + 1
        return round_steps.flow_enter(flow, round_steps.DISPENSING, now_ms)

    monkeypatch.setattr(round_steps, "_next_stack", next_stack)


def void_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boot takes what it finds for a quiet night."""
    monkeypatch.setattr(scribe, "procedure_resume", lambda *_arguments: None)  # pyright: ignore


def round_voided_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """An open round goes on as if nothing had been cut short."""
    resume = procedure.procedure_resume

    def blind(flow: Any, out: Any, _interrupted: int, *arguments: Any) -> None:
        resume(flow, out, 0, *arguments)

    monkeypatch.setattr(scribe, "procedure_resume", blind)


def wrong_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    resume = procedure.procedure_resume

    def misquote(flow: Any, *arguments: Any) -> None:
        clauses = flow.profile.clauses
        flow.profile.clauses = [clauses[profile.RULE_COUNT]] * len(clauses)
        resume(flow, *arguments)
        flow.profile.clauses = clauses

    monkeypatch.setattr(scribe, "procedure_resume", misquote)


def count_invented(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that looks like a count, from a device that cannot know."""
    resume = procedure.procedure_resume

    def invent(flow: Any, *arguments: Any) -> None:
        resume(flow, *arguments)
        entry = flow.outbox.entries[flow.outbox.count - 1]
        if entry.message == procedure.ids.EV_ROUND_VOIDED:
            entry.values[2] = 0

    monkeypatch.setattr(scribe, "procedure_resume", invent)


def warning_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A latched warning does not survive the boot."""
    recover = store.Journal.recover

    def forget(self: store.Journal, hal: Any) -> None:
        recover(self, hal)
        self.warning = 0

    monkeypatch.setattr(store.Journal, "recover", forget)


def resumes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that empties itself before anybody has looked."""
    steps = procedure._STEPS  # pyright: ignore[reportPrivateUsage]

    def step(flow: Any, inp: Any, out: Any, now_ms: int) -> int:
        flow.door_due = False
        flow.panel.pressed[deck_steps.PRESS_ACK] = 1
        return steps[WARNING](flow, inp, out, now_ms)

    monkeypatch.setattr(procedure, "_STEPS", (*steps[:WARNING], step, *steps[WARNING + 1 :]))


def number_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boot forgets the newest record, and gives its number again."""
    recover = store.Journal.recover

    def forget(self: store.Journal, hal: Any) -> None:
        recover(self, hal)
        self.seq_last = max(self.seq_acked, self.seq_last - 1)

    monkeypatch.setattr(store.Journal, "recover", forget)


def number_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    recover = store.Journal.recover

    def skip(self: store.Journal, hal: Any) -> None:
        recover(self, hal)
        self.seq_last += 1 if self.seq_last else 0

    monkeypatch.setattr(store.Journal, "recover", skip)


def told_before_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Storage that takes each write at the next one: events are told that a power cut undoes."""
    prog = SimHal.nv_prog

    def later(self: SimHal, address: int, buf: bytearray) -> bool:
        held: tuple[int, bytes] | None = getattr(self, "held", None)
        self.held = (address, bytes(buf))  # pyright: ignore[reportAttributeAccessIssue]
        return held is None or prog(self, held[0], bytearray(held[1]))

    read = SimHal.nv_read

    def see(self: SimHal, address: int, buf: bytearray) -> bool:
        held: tuple[int, bytes] | None = getattr(self, "held", None)
        done = read(self, address, buf)
        if held is not None and held[0] == address:
            buf[:] = held[1]
        return done

    monkeypatch.setattr(SimHal, "nv_prog", later)
    monkeypatch.setattr(SimHal, "nv_read", see)


def told_from_the_outbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event is sent some scans before it is recorded."""
    record = scribe.Scribe._record  # pyright: ignore[reportPrivateUsage]
    waited = [0]

    def late(self: scribe.Scribe) -> bool:
        waited[0] += 1
        if waited[0] == 1:
            self.journal.seq_last += 1
        if waited[0] < 5:
            return False
        waited[0] = 0
        self.journal.seq_last -= 1
        return record(self)

    monkeypatch.setattr(scribe.Scribe, "_record", late)


def torn_record_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record whose checksum is wrong counts all the same."""
    monkeypatch.setattr(cells, "crc32", lambda *_arguments: CRC_RESIDUE)  # pyright: ignore


def other_contents_the_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent again after a boot is not quite what was sent before."""
    event = report._event  # pyright: ignore[reportPrivateUsage]

    def twist(reporter: Any, seq: int, flags: int) -> None:
        load = reporter.journal.load
        reporter.journal.load = lambda number: twisted(reporter, load(number))  # pyright: ignore
        event(reporter, seq, flags)
        reporter.journal.load = load

    def twisted(reporter: Any, message: int) -> int:
        reporter.journal.buf[report.PAYLOAD_AT + 6] ^= reporter.handshake.boot & 1
        return message

    monkeypatch.setattr(report, "_event", twist)


def command_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boot does not know which operations there were: the same number acts again."""
    monkeypatch.setattr(Lanes, "restore", lambda *_arguments: None)  # pyright: ignore


def doubt_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was running when power failed is said to have been done."""
    monkeypatch.setattr(commands.ids, "OUTCOME_IN_DOUBT", commands.ids.OUTCOME_DONE)


def doubt_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """On record it is in doubt; the host is told that it was done."""
    answer = commands.Desk._answer  # pyright: ignore[reportPrivateUsage]

    def smooth(self: commands.Desk, role: int, op: int, command: int, outcome: int, reason: int, detail: int) -> None:
        doubt = outcome == commands.ids.OUTCOME_IN_DOUBT
        answer(self, role, op, command, commands.ids.OUTCOME_DONE if doubt else outcome, reason, detail)

    monkeypatch.setattr(commands.Desk, "_answer", smooth)


def seed_told_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """The auditor is told what is held, whether or not its deck is in play."""
    monkeypatch.setattr(seeds, "TOLD_CELL", seeds.HELD_CELL)


def meters_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meters.MeterStore, "load", lambda *_arguments: None)  # pyright: ignore


def no_way_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut no acknowledgement is good enough."""
    steps = procedure._STEPS  # pyright: ignore[reportPrivateUsage]

    def step(flow: Any, inp: Any, out: Any, now_ms: int) -> int:
        return FOREVER_MS if flow.warning == FAULT_POWER else steps[WARNING](flow, inp, out, now_ms)

    monkeypatch.setattr(procedure, "_STEPS", (*steps[:WARNING], step, *steps[WARNING + 1 :]))


TABLE = replace(DEFAULT, role="table")
AWAY = replace(DEFAULT, away=True)
# What is planted, the story it is cut in, the word the finding begins with, and how many cuts it may take.
DEFECTS: list[tuple[Plant, Job, str, int]] = [
    (intent_forgotten, DEFAULT, "intent", 1),
    (void_forgotten, DEFAULT, "void", 10),
    (round_voided_without_a_warning, DEFAULT, "void", 10),
    (wrong_clause, DEFAULT, "void", 20),
    (count_invented, DEFAULT, "void", 20),
    (warning_forgotten, DEFAULT, "void", 200),
    (resumes_by_itself, DEFAULT, "resume", 10),
    (number_given_twice, AWAY, "lost", 10),
    (number_left_out, DEFAULT, "sequence", 10),
    (told_before_durable, DEFAULT, "lost", 10),
    (told_from_the_outbox, DEFAULT, "early", 1),
    (torn_record_believed, DEFAULT, "content", 60),
    (other_contents_the_second_time, AWAY, "delivery", 10),
    (command_forgotten, TABLE, "command", 60),
    (doubt_forgotten, TABLE, "command", 20),
    (doubt_hidden, TABLE, "answer", 20),
    (seed_told_early, replace(DEFAULT, role="table", audit=True), "seed", 5),
    (meters_forgotten, DEFAULT, "meters", 40),
    (no_way_back, DEFAULT, "Stuck", 20),
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("plant", "story", "kind", "cuts"), DEFECTS, ids=[entry[0].__name__ for entry in DEFECTS])
def test_a_planted_defect_is_found(
    plant: Plant, story: Job, kind: str, cuts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = survey(story)
    plant(monkeypatch)
    draw = random.Random(3)
    found: set[str] = set()
    for number in range(cuts):
        first = some_cut(draw, places)
        twice = (second_cut(draw),) if number % 2 and cuts > 20 else ()
        found.add(kind_of(play(replace(story, cuts=(first, *twice))).problems))
        if any(words.removeprefix("Finding: ").startswith(kind) for words in found):
            print(f"{kind} found by cut {number + 1} of {cuts}")
            return
    raise AssertionError(f"{plant.__name__}: no {kind} by {cuts} cuts, only {found}")


def test_every_promise_is_on_the_page_and_has_a_planted_defect() -> None:
    checked = set(re.findall(r'Finding\("(\w+):', (ROOT / "rig" / "aftermath.py").read_text(encoding="utf-8")))
    page = (ROOT / "docs" / "POWERLOSS.md").read_text(encoding="utf-8")
    rows = page[page.index("| word | promise |") :].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE)) == checked | {"Stuck"}
    assert {kind for _plant, _story, kind, _cuts in DEFECTS} == checked | {"Stuck"}


def test_a_finding_is_written_to_a_file_that_shows_it_again_on_both_vms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = replace(DEFAULT, cuts=(Cut("write", 30, 11), Cut("time", 2_500_000)))
    with monkeypatch.context() as patched:
        wrong_clause(patched)
        outcome = play(job)
        assert kind_of(outcome.problems) == "Finding: void:"
        path = write_finding(outcome, tmp_path)
        (result,) = play_files([path])
        assert result.problems == outcome.problems
    data = json.loads(path.read_text(encoding="utf-8"))
    data["script"] += [{"do": "recover"}, {"do": "good_round"}]  # where the finding had ended it
    path.write_text(json.dumps(data), encoding="utf-8")
    (here,), (there,) = play_files([path]), play_on_micropython([path])
    assert not here.problems and here.transcript == there.transcript
