"""Proof that a firmware that breaks a promise about power cuts would be found out: each is broken, and found."""

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from powerloss.jobs import Cut, Job, Places, play, second_cut, some_cut, survey, write_cuts
from powerloss.run import write_finding
from soak.shrink import kind_of

from fairshoe.sim.scenario_files import play as play_files
from fairshoe.sim.scenario_files import play_on_micropython
from firmware import recorder
from firmware.app import App
from firmware.fault import FAULT_POWER
from firmware.games import deck_steps, procedure, profile, round_steps
from firmware.journal import cells, meter_cells, seeds, store
from firmware.journal.lanes import Lanes
from firmware.journal.store import Journal
from firmware.journal.table_cells import FactStore
from firmware.link import commands, report
from firmware.ticks import FOREVER_MS
from hal.sim.port import SimHal

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = Job("pico-carousel", "caribbean-stud")

Plant = Callable[[pytest.MonkeyPatch], None]


def then(patch: pytest.MonkeyPatch, holder: Any, name: str, change: Callable[..., object]) -> None:
    """What it did, and then this with the same arguments."""
    was = getattr(holder, name)

    def both(*arguments: Any) -> Any:
        done = was(*arguments)
        change(*arguments)
        return done

    patch.setattr(holder, name, both)


def intent_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack is dealt before anything on record says so."""

    def drop(flow: Any, *_arguments: Any) -> None:
        flow.outbox.count -= 1

    then(monkeypatch, round_steps, "_next_stack", drop)


def void_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boot takes what it finds for a quiet night."""
    resume = procedure.procedure_resume

    def blind(flow: Any, out: Any, _interrupted: int, _round_open: bool, _warning: int, *rest: Any) -> None:
        resume(flow, out, 0, False, 0, *rest)

    monkeypatch.setattr(recorder, "procedure_resume", blind)


def round_voided_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """An open round goes on as if nothing had been cut short."""
    resume = procedure.procedure_resume

    def blind(flow: Any, out: Any, _interrupted: int, *arguments: Any) -> None:
        resume(flow, out, 0, *arguments)

    monkeypatch.setattr(recorder, "procedure_resume", blind)


def wrong_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    resume = procedure.procedure_resume

    def misquote(flow: Any, *arguments: Any) -> None:
        clauses = flow.profile.clauses
        flow.profile.clauses = [clauses[profile.RULE_COUNT]] * len(clauses)
        resume(flow, *arguments)
        flow.profile.clauses = clauses

    monkeypatch.setattr(recorder, "procedure_resume", misquote)


def void_alters(monkeypatch: pytest.MonkeyPatch, at: int, value: int) -> None:
    """The boot posts a void, and one of its numbers becomes another."""

    def alter(flow: Any, *_arguments: Any) -> None:
        entry = flow.outbox.entries[flow.outbox.count - 1]
        if entry.message == procedure.ids.EV_ROUND_VOIDED:
            entry.values[at] = value

    then(monkeypatch, recorder, "procedure_resume", alter)


def count_invented(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that looks like a count, from a device that cannot know."""
    void_alters(monkeypatch, 2, 0)


def stacks_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boot does not know how many stacks were reported as taken."""
    void_alters(monkeypatch, 1, procedure.ids.UNKNOWN_U8)


def warning_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A latched warning does not survive the boot."""

    def forget(journal: Journal, _hal: Any) -> None:
        journal.warning = 0

    then(monkeypatch, Journal, "recover", forget)


def resumes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that empties itself before a person has looked."""

    def step(flow: Any, inp: Any, out: Any, now_ms: int) -> int:
        flow.door.due = False
        flow.panel.pressed[deck_steps.PRESS_ACK] = 1
        return deck_steps.step_warning(flow, inp, out, now_ms)

    monkeypatch.setattr(procedure, "step_warning", step)


def number_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boot forgets the newest record, and gives its number again."""

    def forget(journal: Journal, _hal: Any) -> None:
        journal.seq_last = max(journal.seq_acked, journal.seq_last - 1)

    then(monkeypatch, Journal, "recover", forget)


def number_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def skip(journal: Journal, _hal: Any) -> None:
        journal.seq_last += 1 if journal.seq_last else 0

    then(monkeypatch, Journal, "recover", skip)


def told_before_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Storage that takes each write at the next one: it reports events that a power cut undoes."""
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
    record = recorder.Recorder._record  # pyright: ignore[reportPrivateUsage]
    waited = [0]

    def late(self: recorder.Recorder) -> bool:
        waited[0] += 1
        if waited[0] == 1:
            self.journal.seq_last += 1
        if waited[0] < 5:
            return False
        waited[0] = 0
        self.journal.seq_last -= 1
        return record(self)

    monkeypatch.setattr(recorder.Recorder, "_record", late)


def torn_record_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record whose checksum is wrong counts all the same: a torn newest one breaks no chain, and tells anything."""

    monkeypatch.setattr(store, "cell_require", believe)  # at the boot
    monkeypatch.setattr(store, "cell_read", believe)  # when it is sent


def believe(storage: Any, cell: int, magic: int, buf: bytearray, *_place: int) -> int:
    assert storage.nv_read(cell * cells.CELL_SIZE, buf)
    return cells.CELL_WHOLE if buf[0] == magic else cells.CELL_BLANK


def other_contents_the_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent again after a boot is not quite what was sent before."""
    event = report._event  # pyright: ignore[reportPrivateUsage]

    def twist(reporter: Any, seq: int) -> bool:
        load = reporter.journal.load
        reporter.journal.load = lambda number: twisted(reporter, load(number))  # pyright: ignore
        done = event(reporter, seq)
        reporter.journal.load = load
        return done

    def twisted(reporter: Any, message: int) -> int:
        reporter.journal.buf[store.PAYLOAD_AT + 6] ^= reporter.handshake.boot & 1
        return message

    monkeypatch.setattr(report, "_event", twist)


def command_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boot does not know which operations there were: the same number acts again."""
    monkeypatch.setattr(Lanes, "restore", lambda *_arguments: None)  # pyright: ignore


def refusal_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal is answered, and no mark has it: the boot does not know the number."""
    monkeypatch.setattr(Journal, "refuse", lambda self, _role, _lane: self._mark(self.seq_acked))  # pyright: ignore


def doubt_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was running when power failed is said to have been done."""
    monkeypatch.setattr(commands.ids, "OUTCOME_IN_DOUBT", commands.ids.OUTCOME_DONE)


def doubt_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """On record it is in doubt; the host hears that it was done."""
    answer = commands.CommandRunner._answer  # pyright: ignore[reportPrivateUsage]

    def smooth(self: Any, role: int, op: int, command: int, outcome: int, reason: int, detail: int) -> None:
        doubt = outcome == commands.ids.OUTCOME_IN_DOUBT
        answer(self, role, op, command, commands.ids.OUTCOME_DONE if doubt else outcome, reason, detail)

    monkeypatch.setattr(commands.CommandRunner, "_answer", smooth)


def seed_told_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """The auditor gets what is held, whether or not its deck is in play."""

    def tell(self: Any, values: list[int]) -> bytes:
        return bytes(self.buf[seeds.SEED_AT : seeds.SEED_END])

    monkeypatch.setattr(seeds.Seeds, "tell", tell)


def meters_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter_cells.MeterStore, "load", lambda *_arguments: None)  # pyright: ignore


def no_way_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut no acknowledgement is good enough."""

    def step(flow: Any, inp: Any, out: Any, now_ms: int) -> int:
        return FOREVER_MS if flow.warning == FAULT_POWER else deck_steps.step_warning(flow, inp, out, now_ms)

    monkeypatch.setattr(procedure, "step_warning", step)


def contents_altered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is not what happened."""
    append = store.Journal.append

    def other(self: store.Journal, message: int, prefix: list[int], values: list[int], text: bytes) -> bool:
        twist = 1 if message == commands.ids.EV_EMPTY_PROVED else 0
        return append(self, message, prefix, [values[0] ^ twist, *values[1:]], text)

    monkeypatch.setattr(store.Journal, "append", other)


def chain_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A boot does not know what its first record follows."""

    def forget(journal: Journal, _hal: Any) -> None:
        journal.head = bytes(len(journal.head))

    then(monkeypatch, Journal, "recover", forget)


def facts_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded after the facts were last stored is not in them after a boot."""

    def only_load(storage: Any, _journal: Any, facts: Any) -> FactStore:
        found = FactStore(storage)
        found.load(facts.row)
        return found

    monkeypatch.setattr(recorder, "facts_open", only_load)


def torn_key_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of which power let half through."""

    monkeypatch.setattr(cells, "cell_require", believe)


def old_key_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that power interrupted is taken for finished."""
    load = cells.Pair.load
    save = cells.Pair.save
    loaded: list[cells.Pair] = []

    def loads(self: cells.Pair) -> bool:
        loaded.append(self)
        return load(self)

    def saves(self: cells.Pair) -> bool:
        just_loaded = loaded and loaded[-1] is self and self.first == cells.KEY_CELL
        loaded.clear()
        return True if just_loaded and self.generation % 2 else save(self)

    monkeypatch.setattr(cells.Pair, "load", loads)
    monkeypatch.setattr(cells.Pair, "save", saves)


def count_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was inside at a command in doubt is never reported."""
    monkeypatch.setattr(commands.CommandRunner, "found", lambda *_arguments: None)  # pyright: ignore


def count_forgotten_at_the_boot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or not if power fails a second time, right after the count."""
    last_of = store.Journal.last_of

    def blind(self: store.Journal, first: tuple[int, ...], *rest: Any) -> int:
        return 0 if commands.ids.EV_DECK_REMOVED in first else last_of(self, first, *rest)

    monkeypatch.setattr(store.Journal, "last_of", blind)


def told_before_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that asks again while cards move hears an outcome that power can still undo."""
    receive = commands.CommandRunner.receive

    def hasty(self: commands.CommandRunner, role: int, command: int, values: list[int], reader: Any) -> None:
        outbox = self.flow.outbox
        count = outbox.count
        again = values[0] == self.lanes.by_role[role].op
        refused = self.refused
        if again:
            outbox.count = self.refused = 0
        receive(self, role, command, values, reader)
        if again:
            outbox.count = count
            self.refused = refused

    monkeypatch.setattr(commands.CommandRunner, "receive", hasty)


def told_before_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link is open from the first scan on: what was being written when power failed may be gone the next time."""

    def hasty(self: App, now_ms: int) -> int:
        self.silent = False
        return scan(self, now_ms)

    scan = App.scan
    monkeypatch.setattr(App, "scan", hasty)


def halt_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "halt_load", lambda _storage: (0, bytes(8)))  # pyright: ignore


TABLE = replace(DEFAULT, role="table")
KEYS = replace(TABLE, kind="keys")
AWAY = replace(DEFAULT, away=True)
# What is planted, the story it is cut in, the word the finding begins with, and how many cuts it may take. The cuts are
# drawn by chance, or are of one kind: at every write, a second one at every write of the recovery, halts.
DEFECTS: list[tuple[Plant, Job, str, int]] = [
    (intent_forgotten, DEFAULT, "intent", 1),
    (void_forgotten, DEFAULT, "void", 10),
    (round_voided_without_a_warning, DEFAULT, "void", 10),
    (wrong_clause, DEFAULT, "void", 20),
    (count_invented, DEFAULT, "void", 20),
    (stacks_forgotten, DEFAULT, "void", 20),
    (warning_forgotten, DEFAULT, "void", 200),
    (resumes_by_itself, DEFAULT, "resume", 10),
    (number_given_twice, AWAY, "lost", 10),
    (number_left_out, DEFAULT, "sequence", 10),
    (told_before_durable, DEFAULT, "lost", 10),
    (told_from_the_outbox, DEFAULT, "early", 1),
    (torn_record_believed, DEFAULT, "chain", 60),
    (contents_altered, DEFAULT, "content", 1),
    (chain_begun_anew, DEFAULT, "chain", 5),
    (facts_late, DEFAULT, "facts", 10),
    (torn_key_believed, KEYS, "key", 40),
    (old_key_left, KEYS, "key", 40),
    (count_forgotten, TABLE, "doubt", 20),
    (count_forgotten_at_the_boot, TABLE, "doubt", 25),
    (told_before_recorded, replace(TABLE, kind="nag"), "answer", 20),
    (told_before_sure, replace(DEFAULT, flash=True), "early", 100),
    (halt_hidden, DEFAULT, "halt", 3),
    (other_contents_the_second_time, AWAY, "delivery", 10),
    (command_forgotten, TABLE, "command", 60),
    (refusal_forgotten, replace(TABLE, kind="nag"), "command", 20),
    (doubt_forgotten, TABLE, "command", 20),
    (doubt_hidden, TABLE, "answer", 20),
    (seed_told_early, replace(DEFAULT, role="table", audit=True), "seed", 5),
    (meters_forgotten, DEFAULT, "meters", 40),
    (no_way_back, DEFAULT, "Stuck", 20),
]


def ways(plant: Plant, story: Job, places: Places) -> Iterator[tuple[Cut, ...]]:
    draw = random.Random(3)
    if story.kind == "keys":
        yield from ((cut,) for cut in write_cuts(places) if cut.size in (24, 96))
    if plant is refusal_forgotten:
        yield from ((cut,) for cut in write_cuts(places) if cut.size == 0)
    while True:  # until the test has had enough
        first = some_cut(draw, places)
        if plant is halt_hidden:
            yield (replace(first, what="crash", at=draw.choice(places.instants["idle"])),)
        elif plant is count_forgotten_at_the_boot:
            first = Cut("time", places.instants["axis"][-1] & ~1)  # the rest is being released
            yield from ((first, Cut("write", at)) for at in range(15, 40))
        else:
            yield (first,)
            yield (first, second_cut(draw))


@pytest.mark.parametrize(("plant", "story", "kind", "cuts"), DEFECTS, ids=[entry[0].__name__ for entry in DEFECTS])
@pytest.mark.full
def test_a_planted_defect_is_found(
    plant: Plant, story: Job, kind: str, cuts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = survey(story)
    plant(monkeypatch)
    found: set[str] = set()
    for number, ordered in zip(range(cuts), ways(plant, story, places), strict=False):
        found.add(kind_of(play(replace(story, cuts=ordered)).problems))
        if any(words.removeprefix("Finding: ").startswith(kind) for words in found):
            print(f"{kind} found by cut {number + 1} of {cuts}")
            return
    raise AssertionError(f"{plant.__name__}: no {kind} by {cuts} cuts, only {found}")


def test_every_promise_is_on_the_page_and_has_a_planted_defect() -> None:
    files = [ROOT / "rig" / f"{name}.py" for name in ("powercut_invariants", "answers", "storage_invariants")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    checked = set(re.findall(r'Finding\("(\w+):', code))
    page = (ROOT / "docs" / "TESTING.md").read_text(encoding="utf-8")
    rows = page[page.index("| word | promise |") :].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE)) == checked | {"Stuck"}
    assert {kind for _plant, _story, kind, _cuts in DEFECTS} == checked | {"Stuck"}


@pytest.mark.full
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
