"""Hands per second of our evaluator of five cards beside phevaluator and treys, in one run, with the same hands.

Each gets hands as it wants them, made before the clock starts. Order must agree for every pair of neighbours.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from fairshoe_table.rules.cards import DECK, name
from fairshoe_table.rules.poker import value5

HANDS = 20_000
ROUNDS = 5  # the best of so many passes
NAMES = ("phevaluator", "treys")

Value = Callable[[Any], int]  # of one hand in its own form; less or more is better, as `sign` says


def _ours() -> tuple[Callable[[Sequence[int]], Any], Value, int]:
    return tuple, lambda hand: value5(*hand), 1


def _phevaluator() -> tuple[Callable[[Sequence[int]], Any], Value, int]:
    evaluate: Any = importlib.import_module("phevaluator").evaluate_cards
    return list, lambda hand: evaluate(*hand), -1  # its cards are numbered as ours


def _treys() -> tuple[Callable[[Sequence[int]], Any], Value, int]:
    treys: Any = importlib.import_module("treys")
    card: Any = treys.Card.new
    evaluate: Any = treys.Evaluator().evaluate
    return lambda hand: [card(name(it)) for it in hand], lambda hand: evaluate(hand, []), -1


_MAKE = {"fairshoe": _ours, "phevaluator": _phevaluator, "treys": _treys}


def measure(hands: int = HANDS) -> dict[str, float]:
    """Hands per second by name; -1: not installed, 0: it orders hands otherwise than we do."""
    rng = Random(23)
    drawn = [rng.sample(DECK, 5) for _ in range(hands)]
    ours = [value5(*hand) for hand in drawn]
    found: dict[str, float] = {}
    for who, make in _MAKE.items():
        try:
            form, value, sign = make()
        except ImportError:
            found[who] = -1.0
            continue
        own = [form(hand) for hand in drawn]
        found[who] = hands / min(_pass(own, value) for _ in range(ROUNDS))
        theirs = [sign * value(hand) for hand in own]
        if any((a < b) != (x < y) for a, b, x, y in zip(ours, ours[1:], theirs, theirs[1:], strict=False)):
            found[who] = 0.0
    return found


def _pass(own: Sequence[Any], value: Value) -> float:
    began = time.perf_counter()
    for hand in own:
        value(hand)
    return time.perf_counter() - began


def report(found: dict[str, float]) -> list[str]:
    rows = ["poker hands: five cards, one hand at a time, as a settlement needs them"]
    ours = found["fairshoe"]
    for who, speed in found.items():
        if speed < 0:
            rows.append(f"  {who:12s} not installed, not measured: .venv/bin/pip install {who}, then again")
        elif not speed:
            rows.append(f"  {who:12s} ORDERS HANDS OTHERWISE")
        else:
            ratio = "" if who == "fairshoe" else f"; ours is {ours / speed:.2f} times as fast"
            rows.append(f"  {who:12s} {speed:12,.0f} hands per second{ratio}")
    return rows
