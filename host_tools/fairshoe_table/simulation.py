"""Rounds through the core without a shoe: returns by wager with their standard errors, and frequencies of hands.

Each round has one player at seat 1 with every wager that the game offers, from a freshly shuffled deck.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from math import sqrt
from random import Random

from fairshoe_table import blackjack
from fairshoe_table.cards import DECK, PACK_48
from fairshoe_table.demonstration import demo_options
from fairshoe_table.games import boston5, caribbean, double_attack, double_cross, double_down
from fairshoe_table.ledger import Line
from fairshoe_table.meters import FIVE_CARD, PROGRESSIVE, Meter, Meters
from fairshoe_table.options import (
    BostonOptions,
    CaribbeanOptions,
    DoubleAttackOptions,
    DoubleCrossOptions,
    DoubleDownOptions,
    Options,
)
from fairshoe_table.people import Players
from fairshoe_table.plays import Ask, Play, new_play
from fairshoe_table.poker import hand5, total

UNIT = 1000
SEED_CENTS = 1_000_000
SHARE = 2000  # rounds of one piece of work


@dataclass
class Wagered:
    """Of one kind of wager: how often, cents staked, net to the player, squares of the net in stakes."""

    number: int = 0
    staked: int = 0
    net: int = 0
    squares: float = 0.0

    def add(self, stake: int, net: int) -> None:
        self.number += 1
        self.staked += stake
        self.net += net
        self.squares += (net / stake) ** 2 if stake else 0.0

    @property
    def returned(self) -> float:
        return 1 + self.net / self.staked if self.staked else 0.0

    @property
    def error(self) -> float:
        """The standard error of the return."""
        if not self.number:
            return 0.0
        mean = self.net / self.staked if self.staked else 0.0
        return sqrt(max(self.squares / self.number - mean * mean, 0.0) / self.number)


@dataclass
class Report:
    game: str
    rounds: int = 0
    wagers: dict[str, Wagered] = field(default_factory=dict[str, Wagered])
    hands: Counter[str] = field(default_factory=Counter[str])

    def add(self, lines: Iterable[Line], hand: str) -> None:
        self.rounds += 1
        self.hands[hand] += 1
        nets: dict[str, list[int]] = {}
        for line in lines:
            both = nets.setdefault(line.wager.value, [0, 0])
            both[0] += line.stake
            both[1] += line.net
        whole = [sum(both[place] for both in nets.values()) for place in (0, 1)]
        for name, (stake, net) in [*nets.items(), ("all wagers", whole)]:
            self.wagers.setdefault(name, Wagered()).add(stake, net)

    def merge(self, other: Report) -> None:
        self.rounds += other.rounds
        self.hands.update(other.hands)
        for name, more in other.wagers.items():
            mine = self.wagers.setdefault(name, Wagered())
            mine.number += more.number
            mine.staked += more.staked
            mine.net += more.net
            mine.squares += more.squares

    def as_json(self) -> str:
        wagers = {
            name: {"number": it.number, "staked": it.staked, "net": it.net, "return": it.returned, "error": it.error}
            for name, it in self.wagers.items()
        }
        return json.dumps({"game": self.game, "rounds": self.rounds, "wagers": wagers, "hands": dict(self.hands)})

    def as_text(self) -> str:
        """In 80 columns, with bars for the hands."""
        rows = [f"{self.game}: {self.rounds:,} rounds", "", f"{'wager':<32}{'number':>12}{'return':>12}{'+-':>10}"]
        for name, it in self.wagers.items():
            rows.append(f"{name:<32}{it.number:>12,}{it.returned:>12.4%}{it.error:>10.4%}")
        rows += ["", f"{'hand':<20}{'number':>12}{'share':>10}"]
        most = max(self.hands.values(), default=1)
        for name, number in self.hands.most_common():
            bar = "#" * max(1, round(36 * number / most))
            rows.append(f"{name:<20}{number:>12,}{number / self.rounds:>10.4%} {bar}")
        return "\n".join(rows)


def simulate(game: str, rounds: int, seed: int = 1, jobs: int = 1) -> Report:
    """So many rounds, in pieces whose seeds follow from this one: any number of jobs gives the same report."""
    demo_options(game)
    pieces = [(game, min(SHARE, rounds - first), seed * 1_000_003 + first) for first in range(0, rounds, SHARE)]
    report = Report(game)
    if jobs == 1:
        for piece in pieces:
            report.merge(_piece(piece))
        return report
    with ProcessPoolExecutor(jobs) as pool:
        for part in pool.map(_piece, pieces, chunksize=4):
            report.merge(part)
    return report


def _piece(work: tuple[str, int, int]) -> Report:
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
            choice = players.decide(play, ask, own)
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
    return double_attack.settle(round, options), "dealer bust" if points > 21 else f"dealer {points}"


def _draw(rng: Random, drawn: Counter[int], packs: int) -> int:
    """A card of a shoe, without replacement."""
    while True:
        card = PACK_48[rng.randrange(48)]
        if rng.randrange(packs) >= drawn[card]:
            drawn[card] += 1
            return card
