"""Rounds through the core without a shoe: returns by wager with their standard errors, and frequencies of hands.

Each round has one player at seat 1 with every wager that the game offers, from a freshly shuffled deck.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from math import sqrt
from random import Random
from typing import NamedTuple

from fairshoe_table.play import registry
from fairshoe_table.rules.ledger import Line

UNIT = 1000
SHARE = 2000  # rounds of one piece of work
HISTORY = 100  # points of the curve in a report
ALL = "all wagers"
GAME = "game"  # net of all but the side wagers, in units of the ante, original or initial wager
Progress = Callable[[int, int], None]  # rounds over, of how many


@dataclass
class Wagered:
    """Of one kind of wager: how often, cents staked, net to the player, and their squares and product."""

    number: int = 0
    staked: int = 0
    net: int = 0
    net_net: int = 0
    net_staked: int = 0
    staked_staked: int = 0

    def add(self, stake: int, net: int) -> None:
        self.number += 1
        self.staked += stake
        self.net += net
        self.net_net += net * net
        self.net_staked += net * stake
        self.staked_staked += stake * stake

    def merge(self, more: Wagered) -> None:
        for item in fields(Wagered):
            setattr(self, item.name, getattr(self, item.name) + getattr(more, item.name))

    @property
    def returned(self) -> float:
        return 1 + self.net / self.staked if self.staked else 0.0

    @property
    def error(self) -> float:
        """The standard error of the return, a ratio of two sums: stakes differ from round to round."""
        if not self.staked:
            return 0.0
        mean = self.net / self.staked
        squares = self.net_net - 2 * mean * self.net_staked + mean * mean * self.staked_staked
        return sqrt(max(squares, 0.0)) / self.staked


class Reached(NamedTuple):
    """How far the return of all wagers together had come after so many rounds."""

    rounds: int
    returned: float
    error: float


@dataclass
class Report:
    game: str
    seed: int = 0
    rounds: int = 0
    wagers: dict[str, Wagered] = field(default_factory=dict[str, Wagered])
    hands: Counter[str] = field(default_factory=Counter[str])
    history: list[Reached] = field(default_factory=list[Reached])

    def rows(self) -> Iterator[tuple[str, Wagered, float | None]]:
        """Name, sums and known return of each wager, then of the whole."""
        game = registry.find(self.game)
        known = game.known
        for name, it in self.wagers.items():
            if name not in (ALL, GAME):
                yield name, it, known.get(name)
        if GAME in self.wagers:
            yield f"{GAME}, per {game.per}", self.wagers[GAME], known.get(GAME)
            yield ALL, self.wagers[ALL], None

    def reached(self) -> Reached:
        whole = self.wagers[ALL]
        return Reached(self.rounds, whole.returned, whole.error)

    def add(self, lines: Iterable[Line], hand: str) -> None:
        self.rounds += 1
        self.hands[hand] += 1
        nets: dict[str, list[int]] = {}
        for line in lines:
            both = nets.setdefault(line.wager, [0, 0])
            both[0] += line.stake
            both[1] += line.net
        whole = [sum(both[place] for both in nets.values()) for place in (0, 1)]
        side = registry.find(self.game).side
        main = sum(both[1] for name, both in nets.items() if name not in side)
        for name, (stake, net) in [*nets.items(), (ALL, whole), (GAME, (UNIT, main))]:
            self.wagers.setdefault(name, Wagered()).add(stake, net)

    def merge(self, other: Report) -> None:
        self.rounds += other.rounds
        self.hands.update(other.hands)
        for name, more in other.wagers.items():
            self.wagers.setdefault(name, Wagered()).merge(more)

    def as_json(self) -> str:
        wagers = {
            name: {
                "number": it.number,
                "staked": it.staked,
                "net": it.net,
                "return": it.returned,
                "error": it.error,
                "known": known,
            }
            for name, it, known in self.rows()
        }
        found = {
            "game": self.game,
            "seed": self.seed,
            "rounds": self.rounds,
            "wagers": wagers,
            "hands": dict(self.hands),
        }
        return json.dumps({**found, "history": [one._asdict() for one in self.history]})

    def as_text(self) -> str:
        """In 80 columns, with bars for the hands."""
        head = f"{'wager':<30}{'number':>12}{'return':>12}{'std error':>12}{'known':>12}"
        rows = [f"{self.game}: {self.rounds:,} rounds, seed {self.seed}", "", head]
        for name, it, known in self.rows():
            fact = "" if known is None else f"{known:>12.4%}"
            rows.append(f"{name:<30}{it.number:>12,}{it.returned:>12.4%}{it.error:>12.4%}{fact}")
        rows += ["", f"{'hand':<20}{'number':>12}{'share':>10}"]
        most = max(self.hands.values(), default=1)
        for name, number in self.hands.most_common():
            bar = "#" * max(1, round(36 * number / most))
            rows.append(f"{name:<20}{number:>12,}{number / self.rounds:>10.4%} {bar}")
        return "\n".join(rows)


def simulate(
    game: str, rounds: int, seed: int = 1, jobs: int = 1, progress: Progress = lambda done, whole: None
) -> Report:
    """So many rounds, in pieces whose seeds follow from this one: any number of jobs gives the same report."""
    registry.find(game)
    pieces = [(game, min(SHARE, rounds - first), f"{game} {seed} {first}") for first in range(0, rounds, SHARE)]
    report = Report(game, seed)
    every = max(len(pieces) // HISTORY, 1)
    with ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext() as pool:
        parts = pool.map(_piece, pieces, chunksize=4) if pool is not None else map(_piece, pieces)
        for number, part in enumerate(parts, 1):
            report.merge(part)
            if number % every == 0 or number == len(pieces):
                report.history.append(report.reached())
                progress(report.rounds, rounds)
    return report


def _piece(work: tuple[str, int, str]) -> Report:
    game, rounds, seed = work
    rng = Random(seed)
    kind = registry.find(game)
    options = kind.demo()
    report = Report(game)
    for _ in range(rounds):
        lines, hand = kind.sample(options, rng, UNIT)
        report.add(lines, hand)
    return report
