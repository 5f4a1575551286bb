"""Rounds through the core without a shoe: returns by wager with their standard errors, and frequencies of hands.

Each round has one player at seat 1 with every wager that the game offers, from a freshly shuffled deck.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from math import sqrt
from random import Random
from typing import NamedTuple

from fairshoe_table.games import boston5, double_cross, double_down
from fairshoe_table.games.caribbean import settlement as caribbean
from fairshoe_table.games.double_attack import round as blackjack
from fairshoe_table.games.double_attack import settlement as double_attack
from fairshoe_table.play.options import (
    BostonOptions,
    CaribbeanOptions,
    DoubleAttackOptions,
    DoubleCrossOptions,
    DoubleDownOptions,
    Options,
)
from fairshoe_table.play.round import Ask, Play, new_play
from fairshoe_table.rules.cards import DECK, PACK_48
from fairshoe_table.rules.ledger import Line
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, Meter, Meters
from fairshoe_table.rules.poker import hand5, total
from fairshoe_table.simulated.demonstration import demo_options
from fairshoe_table.simulated.people import Players

UNIT = 1000
SEED_CENTS = 1_000_000
SHARE = 2000  # rounds of one piece of work
HISTORY = 100  # points of the curve in a report
ALL = "all wagers"
GAME = "game"  # net of all but the side wagers, in units of the ante, original or initial wager
PER = {"double-down-stud": "original wager", "double-attack-blackjack": "initial wager"}
SIDE = ("bonus", "progressive", "five-card bonus", "five-card bonus on the dealer", "cover all")
# Returns that `make table-oracles` counts, by the strategies of the simulated players (docs/TABLE.md).
KNOWN: Mapping[str, Mapping[str, float]] = {
    "double-down-stud": {"original": 0.715965, GAME: 0.952587},
    "boston-5-stud": {"bonus": 0.915475, GAME: 0.804847},
    "caribbean-stud": {
        "bonus": 0.968903,
        "progressive": 0.559812,
        "five-card bonus": 0.391618,
        "five-card bonus on the dealer": 0.391618,
        "cover all": 0.912855,
        GAME: 0.947755,
    },
    "double-cross-poker": {"bonus": 0.976833, GAME: 0.956502},
    "double-attack-blackjack": {"bonus": 0.919936},
}

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
        known = KNOWN[self.game]
        for name, it in self.wagers.items():
            if name not in (ALL, GAME):
                yield name, it, known.get(name)
        if GAME in self.wagers:
            yield f"{GAME}, per {PER.get(self.game, 'ante')}", self.wagers[GAME], known.get(GAME)
            yield ALL, self.wagers[ALL], None

    def reached(self) -> Reached:
        whole = self.wagers[ALL]
        return Reached(self.rounds, whole.returned, whole.error)

    def add(self, lines: Iterable[Line], hand: str) -> None:
        self.rounds += 1
        self.hands[hand] += 1
        nets: dict[str, list[int]] = {}
        for line in lines:
            both = nets.setdefault(line.wager.value, [0, 0])
            both[0] += line.stake
            both[1] += line.net
        whole = [sum(both[place] for both in nets.values()) for place in (0, 1)]
        main = sum(both[1] for name, both in nets.items() if name not in SIDE)
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
            told = "" if known is None else f"{known:>12.4%}"
            rows.append(f"{name:<30}{it.number:>12,}{it.returned:>12.4%}{it.error:>12.4%}{told}")
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
    demo_options(game)
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
    options = demo_options(game)
    players = Players(rng)
    report = Report(game)
    for _ in range(rounds):
        lines, hand = one_round(game, options, rng, players)
        report.add(lines, hand)
    return report


def one_round(game: str, options: Options, rng: Random, players: Players) -> tuple[list[Line], str]:
    """The lines of a round, and the name of the player's hand."""
    play = new_play(game, options)
    if isinstance(options, DoubleAttackOptions):
        return _double_attack(play, options, rng, players)
    cards = rng.sample(DECK, 10)
    own = tuple(cards[:5])
    ask = Ask("decide", 1, "")
    match options:
        case DoubleDownOptions():
            community = tuple(cards[1:5])
            area = double_down.Area(1, UNIT, cards[0])
            known = double_down.Round((area,), community[1:])
            choice = players.decide(replace(play, round=known), ask, (cards[0],))
            area = double_down.Area(1, UNIT, cards[0], UNIT if choice == "double" else 0)
            return double_down.settle(double_down.Round((area,), community), options), str(hand5(own))
        case BostonOptions():
            hand = boston5.Hand(1, UNIT, 2 * UNIT, 100, own, True, 2 * UNIT)
            return boston5.settle(boston5.Round((hand,), tuple(cards[5:])), options), str(hand5(own))
        case CaribbeanOptions():
            seen = caribbean.Round((), (cards[5],))  # the dealer's up-card
            choice = players.decide(replace(play, round=seen), ask, own)
            bet = 2 * UNIT if choice == "raise" else 0
            cs = caribbean.Hand(1, UNIT, bet, 100, options.progressive_wager, 100, 100, 100, own)
            column = caribbean.cover_column(1, options)
            meters = [Meters(pool, {"main": Meter(SEED_CENTS, SEED_CENTS, 7000)}) for pool in (PROGRESSIVE, FIVE_CARD)]
            done = caribbean.settle(caribbean.Round((cs,), tuple(cards[5:]), None, column), options, *meters)
            return list(done.lines), str(hand5(own))
        case DoubleCrossOptions():
            return _double_cross(play, options, cards, players)
        case _:
            raise ValueError(game)


def _double_cross(
    play: Play, options: DoubleCrossOptions, cards: list[int], players: Players
) -> tuple[list[Line], str]:
    own, dealer, community = tuple(cards[:2]), tuple(cards[2:4]), tuple(cards[4:9])
    left, centre, right, top, bottom = community
    seen = double_cross.Round((), (), (None, None, right, top, None))
    choice = players.decide(replace(play, round=seen), Ask("decide", 1, ""), own)
    axis = None if choice == "fold" else double_cross.Axis[choice.upper()]
    hand = double_cross.Hand(1, UNIT, 100, own, True, axis is not None, axis)
    lines = double_cross.settle(double_cross.Round((hand,), dealer, community), options)
    if axis is None:
        return lines, "folded"
    three = (top, centre, bottom) if axis is double_cross.Axis.VERTICAL else (left, centre, right)
    return lines, str(hand5((*own, *three)))


def _double_attack(play: Play, options: DoubleAttackOptions, rng: Random, players: Players) -> tuple[list[Line], str]:
    """By the same questions as at a table; every card from a full shoe of which nothing else was dealt."""
    bettor = double_attack.Bettor(1, (double_attack.Stakes(UNIT),), 100)
    round = double_attack.Round((double_attack.Box(1, (bettor,)),))
    drawn: Counter[int] = Counter()
    while (asked := blackjack.next_ask(round, options)) is not None:
        data: dict[str, object] = {"seat": asked.seat, "part": asked.part}
        if asked.kind == "cards":
            data["cards"] = (_draw(rng, drawn, options.packs),)
        else:
            ask = Ask("decide", asked.seat, "", 0, asked.choices, asked.part)
            data["choice"] = players.decide(replace(play, round=round), ask, ())
        round, _staked = blackjack.apply(round, asked.kind, data, options)
    points = total(round.dealer).points
    hand = "dealer bust" if points > 21 else f"dealer {points}" if points >= 17 else "dealer need not draw"
    return double_attack.settle(round, options), hand


def _draw(rng: Random, drawn: Counter[int], packs: int) -> int:
    """A card of a shoe, without replacement."""
    while True:
        card = PACK_48[rng.randrange(48)]
        if rng.randrange(packs) >= drawn[card]:
            drawn[card] += 1
            return card
