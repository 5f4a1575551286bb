"""`make table-oracles`: count the returns of the games exactly, from the settlement code, and compare with known ones.

    python -m oracles.table [--quick] [--minutes M] [--seed S]

A difference of 1e-6 or more fails. Where a part is sampled, or the known number was, a difference of four standard
errors fails. `--quick` leaves out what needs more than one hand of a deal.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, hypot

from fairshoe_table.games import boston5
from fairshoe_table.games.boston5 import BostonOptions
from fairshoe_table.games.caribbean import settlement as caribbean
from fairshoe_table.games.caribbean.game import GAME as CARIBBEAN
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.rules.cards import DECK, cards
from fairshoe_table.rules.ledger import net
from fairshoe_table.rules.pay_tables import cover_all as cover_all_pays
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.rules.poker import Hand, hand_of, qualifies, value5
from oracles import cover_all, double_attack, double_cross, exact
from oracles.sampled import ERROR_MOST

WITHIN = 1e-6
UNIT = 1000  # cents of an ante
# What takes minutes to count: of games per ante, of Cover All per wager. Reports and docs/TABLE.md copy some of them,
# and a quick test compares the copies with these.
FIGURES = {
    "B5: never fold": -0.195153,
    "B5: never fold, bonus on a win only": -0.202310,
    "B5: never fold, ante kept on bonus hands": -0.192107,
    "CS: never fold": -0.1660724,
    "CS: raise a pair": -0.0546962,
    "CS: raise ace-king": -0.0568197,
    "CS: raise A-K-J-8-3": -0.0531633,
    "CS: best strategy": -0.0522431,
    "CS: three rules": -0.0522453,
    "CS: Cover All, two hands": 0.9128551,
    "DCP: rules of the simulated players": -0.04349792,
    "DCP: the same, never fold": -0.24323503,
    "DCP: best strategy": -0.02206374,
}


@dataclass(frozen=True)
class Oracle:
    """A number that is known, and what this code counts."""

    name: str
    known: float
    counted: float
    error: float = 0.0  # standard error, if a part of it was sampled
    known_error: float = 0.0

    @property
    def good(self) -> bool:
        """Within a millionth; of sampled numbers within four standard errors, of which none may be over 0.02 %."""
        both = hypot(self.error, self.known_error)
        return self.error <= ERROR_MOST and abs(self.known - self.counted) < max(WITHIN, 4 * both)


def figure(name: str, counted: float) -> Oracle:
    return Oracle(name, FIGURES[name], counted)


def quick() -> Iterator[Oracle]:
    """What needs one hand of a deal."""
    kinds = dict.fromkeys(Hand, 0)
    for value, number in exact.values().items():
        kinds[hand_of(value)] += number
    known = (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4)
    for kind, number in zip(Hand, known, strict=True):
        yield Oracle(f"hands: {kind}", number, kinds[kind])
    unqualified = sum(number for value, number in exact.values().items() if not qualifies(value))
    yield Oracle("CS: dealer does not qualify", 0.4368132, round(unqualified / exact.HANDS, 7))
    win, push = exact.wins_and_pushes(pay_table("DDS-10b"))
    yield Oracle("DDS: win", 0.206275, round(float(win), 6))
    yield Oracle("DDS: push", 0.162527, round(float(push), 6))
    yield Oracle("DDS: lose", 0.631199, round(float(1 - win - push), 6))
    plain, best = exact.double_down()
    yield Oracle("DDS: never double", -0.284035, round(float(plain), 6))
    yield Oracle("DDS: double when it pays", -0.047413, round(float(best), 6))
    ante_bonus = sum(n for value, n in exact.values().items() if pay_table("B5-11c").row5(value) is not None)
    yield Oracle("B5: hands with an ante bonus", 0.076254, round(ante_bonus / exact.HANDS, 6))
    yield Oracle("B5: optional bonus", 0.915475, float(exact.return3(pay_table("B5-11d"))))
    for name, known_return in (("A", 0.968903), ("B", 0.947774), ("C", 0.928151)):
        yield Oracle(f"CS: bonus {name}", known_return, float(exact.return5(pay_table(f"CS-11c-{name}"))))
    fixed = {"A": 0.629344, "B": 0.560086, "C": 0.506560, "D": 0.530569, "E": 0.362376}
    for name, known_return in fixed.items():
        yield Oracle(
            f"CS: progressive {name}, fixed part", known_return, float(exact.return5(pay_table(f"CS-11d-{name}")))
        )
    yield from _meters()
    yield Oracle("DCP: three-card", 0.976833, float(exact.return3(pay_table("DCP-11c"))))
    for packs, bust, back, insured in ((6, 0.153288, 0.918624, -0.1220), (8, 0.153305, 0.919936, -0.1227)):
        chance, returned = exact.bust_it(packs)
        yield Oracle(f"DAB: bust in three, {packs} packs", bust, float(chance))
        yield Oracle(f"DAB: Bust-It, {packs} packs", back, float(returned))
        yield Oracle(f"DAB: insurance, {packs} packs", insured, round(float(exact.insurance(packs)), 4))


def _meters() -> Iterator[Oracle]:
    """Slopes per dollar in the meter, and returns of the linked tables at their seeds."""
    for name in "ABCDE":
        slope = float(exact.meter_slope(pay_table(f"CS-11d-{name}"))) * 100
        yield Oracle(f"CS: meter slope {name}, x 1e6", 1.539077 if name == "A" else 2.924247, round(slope * 1e6, 6))
    seeded = {
        "PTMGL01": 0.559812,
        "PTMGL02": 0.559812,
        "PTMGL04": 0.545960,
        "PTMGLML01": 0.559812,
        "PTMGLML02": 0.568935,
        "PTMGLML03": 0.547807,
    }
    for name, known in seeded.items():
        table = pay_table(name)
        back = exact.return5(table) + exact.meter_slope(table, dict(table.seeds))
        yield Oracle(f"CS: {name} at its seeds", known, float(back))


# --- both hands --------------------------------------------------------------------------------

Settle = Callable[[tuple[int, ...], tuple[int, ...]], int]


def payoff_rows(settle: Settle, qualify: bool) -> dict[int, tuple[int, int, int, int]]:
    """What the settlement code pays for each value of the own hand against a dealer who does not qualify, has more, the
    same, or less; 0 where that cannot be. Settlement sees values only, so the hands may share cards here."""
    first: dict[int, tuple[int, ...]] = {}
    for hand in combinations(DECK, 5):
        first.setdefault(value5(*hand), hand)
    least = next(value for value in sorted(first) if qualifies(value)) if qualify else 0
    top = max(first)
    found: dict[int, tuple[int, int, int, int]] = {}
    for value, own in first.items():
        out = settle(own, first[0]) if qualify else 0
        more = settle(own, first[max(value + 1, least)]) if value < top else 0
        same = settle(own, own) if value >= least else 0
        less = settle(own, first[value - 1]) if value > least else 0
        found[value] = (out, more, same, less)
    return found


def boston(options: BostonOptions) -> Settle:
    """Never fold."""

    def settle(own: tuple[int, ...], dealer: tuple[int, ...]) -> int:
        hand = boston5.Hand(1, UNIT, 2 * UNIT, cards=own, second=2 * UNIT)
        return net(boston5.GAME.settled(boston5.Round((hand,), dealer), options).lines)

    return settle


def caribbean_from(least: int) -> Settle:
    """Raise with hands of this value or better, fold the others."""

    def settle(own: tuple[int, ...], dealer: tuple[int, ...]) -> int:
        bet = 2 * UNIT if value5(*own) >= least else 0
        hand = caribbean.Hand(1, UNIT, bet, cards=own)
        return net(CARIBBEAN.settled(caribbean.Round((hand,), dealer), CaribbeanOptions()).lines)

    return settle


def least_value(text: str) -> int:
    return value5(*cards(text))


def both_hands(seconds: float, seed: int) -> Iterator[Oracle]:
    """What needs both hands of a deal: exact strategies, and Cover All with two hands."""
    strategies = {
        "B5: never fold": (boston(BostonOptions()), False),
        "B5: never fold, bonus on a win only": (boston(BostonOptions(bonus_on_win_only=True)), False),
        "B5: never fold, ante kept on bonus hands": (boston(BostonOptions(ante_stays_on_bonus=True)), False),
        "CS: never fold": (caribbean_from(0), True),
        "CS: raise a pair": (caribbean_from(least_value("2c 2d 3c 4c 5c")), True),
        "CS: raise ace-king": (caribbean_from(least_value("Ac Kd 4c 3c 2c")), True),
        "CS: raise A-K-J-8-3": (caribbean_from(least_value("Ac Kd Jc 8c 3c")), True),
    }
    sums = {
        name: exact.PairSums(payoff_rows(settle, qualify), qualify) for name, (settle, qualify) in strategies.items()
    }
    cover = exact.BestOfTwo()
    for subset in exact.subsets():
        cover.add(subset)
        for one in sums.values():
            one.add(subset)
    for name, one in sums.items():
        one.add_itself()
        yield figure(name, float(one.mean()) / UNIT)
    yield figure("CS: Cover All, two hands", float(cover.mean(cover_all_pays(2))))
    known = {8: 0.9355, 7: 0.9298, 6: 0.9056, 5: 0.9163, 4: 0.9305, 3: 0.9293}
    for hands, found in cover_all.returns(cover, seconds, seed).items():
        yield Oracle(f"CS: Cover All, {hands} hands", known[hands], found.mean, found.error, 0.0002)
    best, rules = by_up_card(sums["CS: raise a pair"].mean() / UNIT)
    yield figure("CS: best strategy", float(best))
    yield figure("CS: three rules", float(rules))


def by_up_card(pair_or_better: Fraction) -> tuple[Fraction, Fraction]:
    """Raise every pair, fold below ace-king, and with ace-king take the better of both for each up-card; and the same
    by the three rules of the simulated players."""
    found = exact.ace_king()
    assert found.hands == 164 * (4**5 - 4) * 47, "not every ace-king hand was counted"
    # "Raise a pair" folds ace-king hands at -1; in units of (hand, up-card, dealer's other cards).
    whole = exact.HANDS * 47 * comb(46, 4)
    folded = found.hands * comb(46, 4)
    return pair_or_better + Fraction(found.best + folded, whole), pair_or_better + Fraction(found.rules + folded, whole)


def whole_games(seconds: float, seed: int) -> Iterator[Oracle]:
    """Double Cross Poker, every deal counted, and Double Attack Blackjack with sampled splits. The numbers that are
    known from elsewhere were sampled: of Double Cross Poker the counted ones are kept beside them."""
    found = double_cross.returns(double_cross.count())
    for name, counted, sampled, known_error in (
        ("DCP: rules of the simulated players", found.rules, -0.0436, 0.0003),
        ("DCP: the same, never fold", found.never_fold, -0.2433, 0.0004),
        ("DCP: best strategy", found.best, -0.0232, 0.0004),
    ):
        yield figure(name, float(counted))
        yield Oracle(f"{name}, sampled", sampled, float(counted), 0, known_error)
    known = {(8, False): (-0.00548, 0.00019), (6, False): (-0.00480, 0.00024), (8, True): (-0.00464, 0.00025)}
    for (packs, both), (mean, error) in known.items():
        name = f"DAB: {packs} packs{', split matches both wagers' if both else ''}"
        dab = double_attack.returns(packs, both, seconds, seed)
        yield Oracle(name, mean, dab.mean, dab.error, error)


def report(oracles: Iterator[Oracle]) -> int:
    wrong = 0
    for oracle in oracles:
        wrong += not oracle.good
        print(
            f"{'ok  ' if oracle.good else 'BAD '} {oracle.name:<42} {oracle.known:>14.7f} {oracle.counted:>16.9f}"
            + (f" +- {oracle.error:.1e}" if oracle.error else ""),
            flush=True,
        )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="oracles.table", description="Count the returns of the games exactly.")
    parser.add_argument("--quick", action="store_true", help="leave out what needs more than one hand of a deal")
    parser.add_argument("--minutes", type=float, default=1, help="processor time of the sampled parts (1)")
    parser.add_argument("--seed", type=int, default=23, help="of the sampled parts (23)")
    args = parser.parse_args()
    began = time.monotonic()
    print(f"     {'':<42} {'known':>14} {'counted':>16}")
    wrong = report(quick())
    if not args.quick:
        seconds = args.minutes * 60 / 4  # Cover All, and Double Attack three times
        folds = exact.folds_below_ace_king()
        print(f"{'ok  ' if folds else 'BAD '} CS: folding below ace-king is right for every up-card", flush=True)
        wrong += (not folds) + report(both_hands(seconds, args.seed)) + report(whole_games(seconds, args.seed))
    print(f"{wrong} wrong, {time.monotonic() - began:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
