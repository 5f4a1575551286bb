"""Rounds through the whole stack: simulated shoe, link, library, table and books, with faults in many of them.

Each fault strikes in the round that it was meant for, or in one of the next: the shoe says in its warnings and voids
what it saw. At the end `compare` holds the shoe's own events against the books, and settles every round again from its
inputs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fairshoe import CommandResult, Status, Step
from fairshoe.games.record_kinds import DEALER
from fairshoe.messages import (
    UNKNOWN,
    Booted,
    Consequence,
    Recorded,
    RoundEnded,
    RoundStarted,
    RoundVoided,
    WarningLatched,
)
from fairshoe_table.books.checks import ShoeRound
from fairshoe_table.play import registry
from fairshoe_table.play.game import Ask, Play
from fairshoe_table.play.inputs import Input
from fairshoe_table.rules.ledger import Line
from fairshoe_table.simulated.demonstration import Running, simulated_table
from fairshoe_table.simulated.people import SimulatedPeople
from fairshoe_table.table.table import Table

FAULT_SHARE = 0.25  # of the rounds
CALLS = 14  # a fault of people, power or cable strikes at one of so many calls to people
SHOWN = 200  # rounds between two reports of progress

Progress = Callable[[int, int], None]  # rounds over, of how many


class Died(Exception):
    """The program ends here, as after a kill; the shoe and the books are what is left."""


# --- faults ------------------------------------------------------------------------------------

Strike = Callable[[Running, Random], object]


def _at_intake(name: str, **more: int | str) -> Strike:
    """At one of the cards that the next shuffle takes in."""
    return lambda it, rng: it.shoe.sim.do("fault", fault=name, card=rng.randrange(52), times=1, **more)


def _at_exit(it: Running, rng: Random) -> None:
    """At about the 25th card from now on: a stack or the rest."""
    it.shoe.sim.do("fault", fault="jam", place="exit", at_um=60_000, ppm=40_000, times=1)


def _short_deck(it: Running, rng: Random) -> None:
    it.people.deck_cards = 51


def _power(it: Running, rng: Random) -> None:
    it.shoe.sim.act("cut", "")
    it.shoe.sim.sleep(0.5 + rng.random())
    it.shoe.sim.act("boot", "")


def _cable(it: Running, rng: Random) -> None:
    it.shoe.sim.unplug(0.2 + 5 * rng.random())


def _program(it: Running, rng: Random) -> None:
    raise Died


def _misdeal(it: Running, rng: Random) -> CommandResult:
    """Of the dealer, or of the first player; one card too few for the dealer is completed by another."""
    position, cards = rng.choice(((DEALER, 2), (DEALER, 4), (1, 1), (1, 6)))
    it.people.odd = 1 if position else it.shoe.current_round.positions + 1
    return it.shoe.records.misdeal(position, cards)


def _face_up(it: Running, rng: Random) -> CommandResult:
    it.people.odd = 1
    return it.shoe.records.face_up(rng.randint(1, 2))


# Before the round, and at a call to people in it.
AT_MACHINE: dict[str, Strike] = {
    "jam at the exit": _at_exit,
    "jam in the throat": _at_intake("jam", place="throat", at_um=60_000),
    "misfeed": _at_intake("misfeed"),
    "double feed": _at_intake("double_feed"),
    "card under a rail": _at_intake("card_lost", place="rail"),
    "short deck": _short_deck,
}
IN_THE_ROUND: dict[str, Strike] = {
    "power cut": _power,
    "cable out": _cable,
    "program killed": _program,
    "misdeal reported": _misdeal,
    "cards face up": _face_up,
    "hole card seen": lambda it, rng: it.shoe.records.hole_card_seen(),
    "drawn in error": lambda it, rng: it.shoe.records.drawn_in_error(1),
}
AT_DRAWN_SHOE = ("power cut", "cable out", "program killed")


class TroubledPeople:
    """The simulated people, and a fault at the call that comes when `countdown` is over."""

    def __init__(self, people: SimulatedPeople) -> None:
        self.people = people
        self.countdown = 0
        self.strike: Callable[[], object] = lambda: None

    def _tick(self) -> None:
        if self.countdown:
            self.countdown -= 1
            if not self.countdown:
                self.strike()

    def wagers(self, play: Play) -> list[Input]:
        self._tick()
        return self.people.wagers(play)

    def answer(self, play: Play, ask: Ask) -> Input:
        self._tick()
        return self.people.answer(play, ask)

    def hand(self, step: Step, status: Status) -> None:
        self._tick()
        self.people.hand(step, status)

    def call(self, text: str) -> None:
        self.people.call(text)

    def booked(self, lines: list[Line]) -> None:
        self.people.booked(lines)


# --- rounds ------------------------------------------------------------------------------------


@dataclass
class StackReport:
    """What shoe, table and books say after many rounds; `wrong` is empty if they agree."""

    ended: int = 0
    void: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])  # what was done to the table
    seen: Counter[str] = field(default_factory=Counter[str])  # what the shoe said about it
    lines: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list[str])

    def merge(self, other: StackReport) -> None:
        self.ended += other.ended
        self.void += other.void
        self.faults.update(other.faults)
        self.seen.update(other.seen)
        self.lines += other.lines
        self.seconds += other.seconds
        self.wrong += other.wrong

    def as_text(self, game: str) -> str:
        """In 80 columns."""
        rounds = self.ended + self.void
        rows = [f"{game}: {self.ended:,} rounds ended, {self.void:,} void, {self.lines:,} lines booked"]
        rows.append(f"{self.faults.total():,} faults; the shoe reported:")
        rows += [f"  {number:>7,}  {name}" for name, number in self.seen.most_common()]
        rows.append("done to the table:")
        rows += [f"  {number:>7,}  {name}" for name, number in self.faults.most_common()]
        rows.append(f"{self.seconds:.0f} s, {1000 * self.seconds / max(rounds, 1):.0f} ms of one process for a round")
        return "\n".join(rows)


def run_stack(
    folder: Path,
    game: str,
    rounds: int,
    seed: int,
    fault_share: float = FAULT_SHARE,
    kinds: Sequence[str] = (),
    progress: Progress = lambda done, whole: None,
) -> StackReport:
    """Rounds at one table. `kinds` names the faults; all that the shoe can have if it is empty."""
    report = StackReport()
    rng = Random(seed)
    began = time.monotonic()
    known = {**AT_MACHINE, **IN_THE_ROUND}
    chosen = kinds or (AT_DRAWN_SHOE if registry.find(game).drawn else tuple(known))
    with simulated_table(folder, game, seed) as it:
        people = TroubledPeople(it.people)
        for number in range(rounds):
            people.countdown = 0
            if rng.random() < fault_share:
                name = rng.choice(chosen)
                _prepare(it, people, name, known[name], rng, report)
            _until_over(it, people)
            if (number + 1) % SHOWN == 0:
                progress(number + 1, rounds)
        it.shoe.sim.sleep(1)
        compare(it, report)
    report.seconds = time.monotonic() - began
    return report


def _prepare(it: Running, people: TroubledPeople, name: str, strike: Strike, rng: Random, report: StackReport) -> None:
    if name in AT_MACHINE:
        report.faults[name] += 1
        strike(it, rng)
        return

    def struck() -> None:
        report.faults[name] += 1
        strike(it, rng)

    people.countdown = rng.randint(1, CALLS)
    people.strike = struck


def _until_over(it: Running, people: TroubledPeople) -> None:
    """One round; after a kill another table goes on with the same shoe and the same books."""
    while True:
        try:
            Table(it.shoe, it.books, it.table.game, it.table.options, people).play_round()
            return
        except Died:
            continue


def run_stacks(
    game: str, rounds: int, seed: int, jobs: int, progress: Progress = lambda done, whole: None
) -> StackReport:
    """Rounds at as many tables as there are jobs, each with its own shoe and books."""
    report = StackReport()
    shares = [rounds // jobs + (number < rounds % jobs) for number in range(jobs)]
    if jobs == 1:
        with TemporaryDirectory() as folder:
            return run_stack(Path(folder), game, rounds, seed, progress=progress)
    with ProcessPoolExecutor(jobs) as pool:
        for part in pool.map(_one_stack, [(game, share, seed + number) for number, share in enumerate(shares)]):
            report.merge(part)
    return report


def _one_stack(work: tuple[str, int, int]) -> StackReport:
    game, rounds, seed = work
    with TemporaryDirectory() as folder:
        return run_stack(Path(folder), game, rounds, seed)


# --- agreement ---------------------------------------------------------------------------------


Place = tuple[str, str, int]  # device, log and number of a round


def compare(it: Running, report: StackReport, gone: Collection[Place] = ()) -> None:
    """Hold the events of every shoe against the books, round by round, and settle every round again. `gone`: rounds
    whose shoe or storage was replaced in them: it cannot know how they ended."""
    positions: dict[Place, int] = {}
    with_shoe: dict[Place, ShoeRound] = {}
    kinds = [RoundStarted, RoundEnded, RoundVoided, WarningLatched, Booted, Recorded]
    for stored in it.table.store.events(kinds=kinds):
        at = f"{stored.device:08x}", stored.log.hex(), getattr(stored.event, "round", 0)
        match stored.event:
            case RoundStarted() as event:
                positions[at] = event.positions
            case RoundEnded() as event:
                drawn = event.dealt if it.table.kind.drawn else 0
                with_shoe[at] = ShoeRound("ended", positions.get(at, 0), "", drawn)
            case RoundVoided() as event:
                with_shoe[at] = ShoeRound("void", positions.get(at, 0), event.clause)
                report.seen[f"round void, {event.clause}"] += 1
            case WarningLatched() as event:
                report.seen[f"warning: {_words(event.warning.name)}"] += 1
            case Recorded(what=what, consequence=consequence) if consequence != Consequence.NONE:
                report.seen[f"{_words(what.name)}: {_words(consequence.name)}"] += 1
            case Booted():
                report.seen["start"] += 1
            case _:
                pass
    shoes = {at[:2] for at in with_shoe}
    booked = {(*shoe, number): one for shoe in shoes for number, one in it.books.shoe_rounds(*shoe).items()}
    report.ended = sum(one.how == "ended" for one in booked.values())
    report.void = len(booked) - report.ended
    report.lines = it.books.line_count()
    report.wrong += it.books.audit()
    report.wrong += it.books.replay(it.table.options)
    report.wrong += [
        f"round {at[2]} of the shoe {at[0]}, log {at[1][:8]}: {with_shoe.get(at)} there, {booked.get(at)} in the books"
        for at in sorted({*with_shoe, *booked} - {*gone})
        if not _agree(with_shoe.get(at), booked.get(at))
    ]


def _agree(there: ShoeRound | None, booked: ShoeRound | None) -> bool:
    """A shoe that lost power has not counted the cards of a round that went on by hand."""
    if there is None or booked is None or booked.how == "house":
        return booked is not None and booked.how == "house"
    unknown = there.drawn == UNKNOWN[RoundEnded.NAME]["dealt"]
    return booked == (there._replace(drawn=booked.drawn) if unknown else there)


def _words(name: str) -> str:
    return name.lower().replace("_", " ")
