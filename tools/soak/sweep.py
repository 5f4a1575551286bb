"""`python -m soak.sweep [KIND ...]`: simulated machines with one thing wrong, case by case, on every board.

    pulses          one pulse on one sensor, at the moments of a round when cards move
    storms          a noisy line at every rate, with two cards at once and with an open door
    truths          one figure or wire that is not as configured
    pairs           two of these
    calibrations    all figures are others: calibrate, compare, deal

A case ends well or is WRONG: each module says when. Minutes are those of each kind on each board.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from timed import Tool

from soak import calibrations, pulses, storms, truths
from soak.hands import BOARDS


def shuffled(cases: Callable[[str], list[Any]]) -> Callable[[str, int], Iterable[Any]]:
    return lambda board, seed: random.Random(seed).sample(every := cases(board), len(every))


def of_truth(board: str, case: truths.Case, seed: int) -> tuple[str, str]:
    return truths.TruthRun(board, case, seed).outcome()


# By kind: the cases of a board, and what becomes of one.
KINDS: dict[str, tuple[Callable[[str, int], Iterable[Any]], Callable[[str, Any, int], tuple[str, str]]]] = {
    "pulses": (shuffled(pulses.cases), lambda board, case, _seed: pulses.PulseRun(board, *case).outcome()),
    "storms": (shuffled(storms.cases), lambda board, case, _seed: storms.StormRun(board, case).outcome()),
    "truths": (lambda board, _seed: truths.cases(board), of_truth),
    "pairs": (truths.pairs, of_truth),
    "calibrations": (calibrations.cases, lambda board, case, _seed: calibrations.outcome(board, case)),
}


def main() -> int:
    tool = Tool("soak.sweep", __doc__, seed="of cases and their order")
    tool.add("kind", nargs="*", metavar="KIND", help="all if none is named")
    tool.add("--board", choices=BOARDS, action="append", help="this one only")
    tool.add("--only", default="", help="cases with this word")
    tool.add("--all", action="store_true", help="say what became of every case")
    options = tool.begin()
    wrong = 0
    for kind in options.kind or KINDS:
        cases, outcome = KINDS[kind]
        for board in options.board or BOARDS:
            done: Counter[str] = Counter()
            tool.restart()
            for case in cases(board, options.seed):
                if options.only not in str(case):
                    continue
                if not tool.more(lambda kind=kind, board=board, done=done: f"{board}: {done.total()} {kind}"):
                    break
                word, why = outcome(board, case, options.seed)
                done[word or "good"] += 1
                if options.all or word == "WRONG":
                    print(f"{board} {case}: {word or 'good'} {why}", flush=True)
            wrong += done["WRONG"]
            print(f"{kind}, {board}: {', '.join(f'{number} {word}' for word, number in done.items())}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
