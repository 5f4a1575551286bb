"""Power cut at every write of every kind of record: at each stage of a round, in all games and ways of dealing.

A round is played by the operator of rig/operator.py up to each of its stages. There the table system puts one thing on
record that the device takes, and power is cut before each write that follows; for some cuts once more while the device
boots. What was recorded by then must have the consequence that it has without a cut, once; and device and host take
only steps that the model of the promises allows (tools/model).

    python -m powerloss.records [--seed N] [--minutes N] [--case N]        without --minutes every case once

Each cut is made in a copy of the process that has played the round up to the stage, so a stage is played once.
"""

from __future__ import annotations

import itertools
import random
import sys
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any

from model.replay import Replay
from model.tracer import Trace, recording
from process_copy import in_copy
from timed import Tool

from fairshoe.boards import configs
from fairshoe.games.profiles import load_game
from firmware.games.profile import TAIL_HANDED, set_up_bits
from firmware.games.records import record_objection
from firmware.games.table_facts import HELD, INDUCTED, OPEN, ROUNDS, SINCE
from firmware.protocol import ids
from rig.games import set_up_rows
from rig.operator import next_moves
from rig.story import Stage

KEY = bytes(range(32))
SEATS = 3
MOVES_MAX = 40
CLAUSE_AT = 24  # in the payload of round_voided
BOOT_WRITES = 6  # of a boot that voids a round
RECORDS: list[str] = list(ids.RECORD_NAMES.split())
GAMES = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")
# a and b of the kinds that take none of (0, 0), (1, 0) and (1, 1), or more than one of them in different ways.
NUMBERS: dict[str, tuple[tuple[int, int], ...]] = {
    "misdeal": ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 6), (1, 0), (1, 2), (1, 4), (255, 1), (255, 4)),
    "face_up": ((1, 0), (2, 0)),
    "ten_found": ((1, 0), (2, 0)),
    "final_deal": ((0, 0), (2, 0)),
    "stub_counted": tuple((cards, why) for cards in (51, 52, 40, 31, 30, 383, 384) for why in (0, 1, 2)),
    "up_card": ((1, 0), (5, 0)),
    "progressive": ((2, 2), (2, 1)),
    "cut": ((20, 1), (100, 1)),
    "provenance": ((1, 1), (1, 3)),
    "burned": ((0, 0), (1, 3)),
    "card_to": tuple((1, number) for number in range(2, 12)),
}
USUAL = ((0, 0), (1, 0), (1, 1))


@dataclass(frozen=True)
class Setup:
    """A table: its game, its machine and how the cards get to the table."""

    game: str
    kind: str
    table: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Case:
    """A record at a stage: after so many moves of the operator."""

    setup: Setup
    moves: int
    what: str
    a: int
    b: int


@dataclass
class Outcome:
    """What came of it: whether it is on record, each void since, and what the table has to do about its decks."""

    recorded: bool
    voids: list[tuple[Any, ...]]
    facts: tuple[int, ...]
    writes: int = 0
    refused: str = ""  # by the model of the promises


def setups() -> list[Setup]:
    found: list[Setup] = []
    for game in GAMES:
        rows = set_up_rows(load_game(game)["code"], "lawful")
        bits = {mode: set_up_bits("carousel", mode, 1, False) for mode in ("shoe", "manual", "hand")}
        modes = [mode for mode in bits if any(not bits[mode] & ~row[0] for row in rows)]
        found += [Setup(game, "carousel", (("dealing", mode),)) for mode in modes]
        found += [Setup(game, "carousel", (("dealing", mode), ("decks", 2))) for mode in modes]
        found += [Setup(game, kind) for kind in ("shoe", "draw")]
    return [*found, Setup("double-attack-blackjack", "draw")]


class Table:
    """One device and its table system, played up to a stage."""

    def __init__(self, setup: Setup, moves: int) -> None:
        config: dict[str, Any] = configs.load_board(f"pico-{setup.kind}")[0]
        config["link"]["mode"] = "table"
        config["table"] = dict(setup.table)
        if dict(setup.table).get("decks"):
            config["inputs"]["back"] = 28
        self.stage = Stage(config, setup.game, 7, KEY, ids.ROLE_TABLE)
        self.flow = self.stage.rig.app.flow
        self.stage.until("empty_proved", 20000)
        self.stage.run(2000)
        self.op = 0
        self.moved = 0
        while self.moved < moves and self.move():
            pass
        self.first = self.stage.rig.app.journal.seq_last

    def move(self) -> bool:
        """The next thing the operator does; False: the round is over."""
        stage = self.stage
        moves = next_moves(stage, True)
        if self.flow.tail == TAIL_HANDED:
            moves = [(500, "press", {"button": "close"})]  # the dealer plays the deck, and does not put it in again
        self.moved += 1
        for delay_ms, action, arguments in moves:
            stage.run(delay_ms)
            if arguments.get("button") == "close" and not self.flow.positions:
                self.command(ids.CMD_SET_POSITIONS, SEATS)
            stage.act(action, arguments)
        stage.run(600 if moves else 4000)
        return stage.peer.events[-1].name != "round_ended" and self.moved < MOVES_MAX

    def command(self, command: int, argument: int = 0, a: int = 0, b: int = 0) -> int:
        self.op += 1
        return self.stage.order(self.op, command, argument, a=a, b=b)

    def taken(self, what: int, a: int, b: int) -> bool:
        return not record_objection(self.flow, ids.ROLE_TABLE, what, a, b)

    def outcome(self, case: Case) -> Outcome:
        stage = self.stage
        number = RECORDS.index(case.what)
        events = [event for event in stage.peer.events if event.seq > self.first]
        recorded = any(event.name == "recorded" and event.fields[:3] == [number, case.a, case.b] for event in events)
        voids = [self._void(event) for event in events if event.name == "round_voided"]
        facts = stage.rig.app.flow.facts
        kept = [facts.deck(deck, cell) for deck in (1, 2) for cell in (HELD, INDUCTED, SINCE)]
        return Outcome(recorded, voids, (*kept, facts.row[ROUNDS], facts.row[OPEN]))

    def _void(self, event: Any) -> tuple[Any, ...]:
        """Round, clause, consequence and hands kept."""
        clause = self.stage.peer.payloads[event.seq][CLAUSE_AT : CLAUSE_AT + 8].rstrip(b"\0")
        return (event.round, clause, event.fields[-2], event.fields[-1])


def cases_of(setup: Setup) -> Iterator[Case]:
    """Every record that the device takes at some stage of the round, in each way that it has."""
    table = Table(setup, 0)
    seen: set[tuple[Any, ...]] = set()
    while True:
        flow = table.flow
        stage = (flow.state, flow.tail, flow.round_open, min(flow.stacks_taken, 2))
        for number in range(1, ids.RECORD_COUNT):
            what = RECORDS[number]
            for a, b in NUMBERS.get(what, USUAL):
                if (stage, what, a, b) not in seen and table.taken(number, a, b):
                    seen.add((stage, what, a, b))
                    yield Case(setup, table.moved, what, a, b)
        if not table.move():
            return


@lru_cache(maxsize=1)
def all_cases() -> tuple[Case, ...]:
    return tuple(case for setup in setups() for case in cases_of(setup))


@lru_cache(maxsize=1)
def at_stage(setup: Setup, moves: int) -> tuple[Table, Trace, Replay]:
    with recording() as trace:
        table = Table(setup, moves)
    replay = Replay(trace.steps)
    replay.go_on(trace.steps[:-1])  # a write may be under way: its content comes later
    return table, trace, replay


def tell(case: Case, cut: int = -1, again: int = -1) -> Outcome:
    """Put it on record, and cut power before write number `cut` from there; then before number `again` of the boot."""
    table, trace, replay = at_stage(case.setup, case.moves)

    def work() -> str:
        with recording(trace):
            outcome = _cut_short(table, case, cut, again)
        outcome.refused = str(replay.go_on(trace.steps) or "")
        return repr(astuple(outcome))

    return Outcome(*literal_eval(in_copy(work)))


def _cut_short(table: Table, case: Case, cut: int, again: int) -> Outcome:
    stage = table.stage
    rig = stage.rig
    wrote = rig.nv.writes
    if cut >= 0:
        stage.act("cut_at_write", {"write": cut, "bytes": 0})
    table.command(ids.CMD_RECORD, RECORDS.index(case.what), case.a, case.b)
    stage.run(300)
    writes = rig.nv.writes - wrote
    if not rig.powered:
        if again >= 0:
            stage.act("cut_at_write", {"write": again, "bytes": 0})
        stage.act("boot", {})
        stage.run(1500)
        if not rig.powered:
            stage.act("boot", {})
    stage.run(2500)
    outcome = table.outcome(case)
    outcome.writes = writes
    return outcome


def problems(case: Case, rng: random.Random) -> list[str]:
    """What a cut changes that it must not."""
    whole = tell(case)
    found: list[str] = []
    for cut in range(whole.writes + 1):
        again = rng.randrange(-BOOT_WRITES, BOOT_WRITES)
        after = tell(case, cut, again)
        where = f"{case}, cut before write {cut} of {whole.writes}" + (f", again at {again}" if again >= 0 else "")
        if after.recorded and whole.voids and after.voids != whole.voids:
            found.append(f"{where}: void {after.voids}, without a cut {whole.voids}")
        if after.refused:
            found.append(f"{where}: model: {after.refused}")
        if len(after.voids) > 1:
            found.append(f"{where}: void {len(after.voids)} times")
        if after.recorded and whole.voids and after.facts != whole.facts:
            found.append(f"{where}: facts {after.facts}, without a cut {whole.facts}")
        if after.recorded and not whole.voids and after.facts[:2] != whole.facts[:2]:
            found.append(f"{where}: deck {after.facts[:2]}, without a cut {whole.facts[:2]}")
    return found


def main() -> int:
    tool = Tool("powerloss.records", __doc__, minutes=0, seed="of the order and of second cuts")
    tool.add("--case", type=int, default=-1, help="this one only")
    options = tool.begin()
    options.minutes = options.minutes or float("inf")
    cases = all_cases()
    numbers = range(len(cases)) if options.case < 0 else [options.case]
    stages = [list(group) for _, group in itertools.groupby(numbers, lambda it: (cases[it].setup, cases[it].moves))]
    random.Random(options.seed).shuffle(stages)
    tool.restart()
    done = wrong = 0
    for number in itertools.chain.from_iterable(stages):
        if not tool.more(lambda done=done: f"{done} of {len(cases)} cases"):
            break
        for problem in problems(cases[number], random.Random(options.seed + number)):
            wrong += 1
            print(f"  {problem}\n    {tool.replay(f'--case {number}')}", flush=True)
        done += 1
    print(f"{done} of {len(cases)} cases, {wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
