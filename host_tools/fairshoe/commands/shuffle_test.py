"""fairshoe shuffle-test: is the firmware's shuffle uniform, as far as statistics can tell?"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, TextIO

from fairshoe import boards
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.shuffle.run import Outcome, Plan, Run, execute
from fairshoe.shuffle.stats import ALPHAS, CELL_MIN, COUNTED, Result

SHUFFLES = 100_000
SHUFFLES_MIN = 1000  # with fewer the bad shufflers are not all caught
FULL = 50
GUESSES = ("lowest_mean", "successor_mean", "piles_mean")

_RED, _GREEN, _BOLD, _END = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"
_BAR = 30

EPILOG = """\
The firmware's own code draws the orders. For --full of them the whole firmware also plays them on the simulated
machine, and the deck that lies in the machine has to be the one drawn. The same tests are run on shufflers known to be
bad, which have to fail.

exit status: 0 if the shuffle passes. 1 if it fails at 99 % family-wise (Holm's correction over all tests: an honest
shuffle does so in one run of a hundred, so repeat a failure with another seed before you believe it), if a deck in the
machine is not the one drawn, or if a bad shuffler is not caught. Other numbers: fairshoe --help.
"""


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "shuffle-test",
        help="statistical evidence that the firmware's shuffle is uniform",
        description="Shuffles many decks with the firmware's own code and tests them against a uniform shuffle.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--board", default="pico-carousel", help="a board's name or a .json file (%(default)s)")
    command.add_argument("--game", default="caribbean-stud", help="the game, which says how many cards (%(default)s)")
    command.add_argument("--shuffles", type=int, default=SHUFFLES, metavar="N", help="how many (%(default)s)")
    command.add_argument("--full", type=int, default=FULL, metavar="N", help="on the whole machine (%(default)s)")
    command.add_argument("--seed", type=int, help="one seed gives one result; without it a fresh one, which is shown")
    command.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="P", help="(%(default)s)")
    command.add_argument("--json", action="store_true", help="everything as one JSON object")
    command.add_argument("--html", metavar="FILE", help="a page with plots, complete in itself")
    command.add_argument("--plots", metavar="DIR", help="the plots alone, as SVG files")


def run(options: argparse.Namespace) -> int:
    plan = _plan(options)
    if options.html:
        _writable(Path(options.html))
    progress = Progress(plan.total)
    try:
        outcome = execute(plan, progress.update)
    finally:
        progress.finish()
    if options.html or options.plots:
        from fairshoe.shuffle.report import page, plots

        if options.html:
            Path(options.html).write_text(page(outcome), encoding="utf-8")
        if options.plots:
            folder = Path(options.plots)
            folder.mkdir(parents=True, exist_ok=True)
            for name, svg in plots(outcome).items():
                (folder / f"shuffle-{name}.svg").write_text(svg, encoding="utf-8")
    if options.json:
        print(json.dumps(as_json(outcome), indent=2))
    else:
        for line in as_text(outcome, _coloured(sys.stdout)):
            print(line)
    return 0 if outcome.passes else 1


def _plan(options: argparse.Namespace) -> Plan:
    from fairshoe.shuffle.source import check_shuffles, deck_cards

    config, _ = boards.load_board(options.board)
    check_shuffles(config)
    cards = deck_cards(options.game)
    least = max(SHUFFLES_MIN, CELL_MIN * cards)
    if options.shuffles < least:
        raise UsageError(f"{options.shuffles} shuffles are too few to tell anything.", f"Give --shuffles {least}.")
    if options.full < 0 or options.processes < 1:
        raise UsageError("--full or --processes is too small.", "--full from 0, --processes from 1.")
    seed = secrets.randbits(32) if options.seed is None else options.seed
    return Plan(options.board, config, options.game, cards, options.shuffles, options.full, seed, options.processes)


def _writable(path: Path) -> None:
    """Now, and not after minutes of work."""
    try:
        path.open("a").close()
    except OSError as error:
        raise FairshoeError(f"{path}: {error.strerror or error}.", "Give --html a file that can be written.") from error


def _coloured(out: TextIO) -> bool:
    return out.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


class Progress:
    """A bar on a terminal, a line now and then elsewhere; nothing for what takes less than a second."""

    EVERY_S = 10.0

    def __init__(self, total: int, out: TextIO = sys.stderr) -> None:
        self.total = total
        self.out = out
        self.live = out.isatty() and os.environ.get("TERM") != "dumb"
        self._started = time.monotonic()
        self._shown = self._started
        self._drawn = False

    def update(self, done: int) -> None:
        now = time.monotonic()
        if now - self._started < 1 or now - self._shown < (0.1 if self.live else self.EVERY_S):
            return
        self._shown = now
        share = done / self.total
        left = (now - self._started) * (1 - share) / share if share else 0
        text = f"{share:4.0%}  {done:,} of {self.total:,} shuffles, {left:.0f} s left"
        if self.live:
            filled = round(share * _BAR)
            self.out.write(f"\r\x1b[K[{'#' * filled}{'.' * (_BAR - filled)}] {text}")
            self._drawn = True
        else:
            self.out.write(f"shuffle-test: {text}\n")
        self.out.flush()

    def finish(self) -> None:
        if self._drawn:
            self.out.write("\r\x1b[K")
            self.out.flush()


# --- output ------------------------------------------------------------------------------------


def p_text(p: float) -> str:
    if p < 1e-99:
        return "<1e-99"
    return f"{p:.1e}" if p < 0.001 else f"{p:.3f}"


def verdict(passes: bool) -> str:
    return "pass" if passes else "FAIL"


def best_guess(outcome: Outcome) -> Result:
    """The strategy that does best against this shuffler."""
    results = [result for result in outcome.family.results if result.key in GUESSES]
    return max(results, key=lambda result: result.observed or 0.0)


def machine_text(run: Run) -> str:
    full = run.plan.full
    if not full:
        return "the whole machine was not played (--full 0)"
    return f"on the whole simulated machine: {full - len(run.differing):,} of {full:,} decks exactly as drawn"


def family_text(run: Run) -> str:
    family = run.ours.family
    verdicts = ", ".join(f"{verdict(family.passes(alpha))} at {100 - 100 * alpha:.0f} %" for alpha in ALPHAS)
    return f"smallest Holm p {p_text(family.p)}: {verdicts}"


def correction_text(run: Run) -> str:
    count = len(run.ours.family.results)
    return (
        f"The last two columns judge each test alone, and of {count} honest tests {count * ALPHAS[0]:.1f} fall below "
        "0.05 by luck. What counts is the verdict of all together, by Holm's correction, valid for dependent tests: an "
        "honest shuffle fails at 99 % in at most one run of a hundred. p is two-sided: too even is suspicious as well."
    )


def rerun_text(run: Run) -> str:
    plan = run.plan
    return (
        f"fairshoe shuffle-test --board {plan.board} --game {plan.game} "
        f"--shuffles {plan.shuffles} --full {plan.full} --seed {plan.seed}"
    )


def as_text(run: Run, colour: bool) -> list[str]:
    from fairshoe.shuffle.source import firmware_version

    plan = run.plan
    lines = [
        f"shuffle test: board {plan.config['name']}, game {plan.game}, firmware {firmware_version()}, seed {plan.seed}",
        f"  {plan.shuffles:,} shuffles of {plan.cards} cards drawn by the firmware",
        f"  {machine_text(run)}",
        "",
        *_test_table(run),
        "",
        *_wrapped(correction_text(run)),
        f"  {family_text(run)}",
        "",
        *_bad_table(run),
        "",
        *(f"  shuffle {index}: the deck in the machine is not the one drawn" for index in run.differing[:10]),
        *(f"  {name} was not caught: too few shuffles to show anything" for name in run.missed),
        f"{verdict(run.passes)}: {conclusion(run)}",
        f"again: {rerun_text(run)}",
    ]
    return [_painted(line) for line in lines] if colour else lines


def conclusion(run: Run) -> str:
    if run.differing:
        return "the machine did not make the decks that were drawn"
    if not run.ours.family.passes(0.01):
        worst = ", ".join(result.name for result in run.ours.family.failures(0.01))
        return f"not uniform by {worst}; repeat with another seed before you believe it"
    if run.missed:
        return "too few shuffles: not every bad shuffler was caught"
    return "no test tells the firmware's shuffle from a uniform one, and every bad shuffler was caught"


def _test_table(run: Run) -> list[str]:
    lines = [f"{'test':28s} {'statistic':>22s} {'mean':>9s} {'exact':>9s} {'p':>8s} {'Holm p':>8s}  95 %  99 %"]
    for result in run.ours.family.results:
        means = " " * 19
        if result.observed is not None and result.expected is not None:
            means = f"{result.observed:9.4f} {result.expected:9.4f}"
        single = "  ".join(verdict(result.passes(alpha)) for alpha in ALPHAS)
        lines.append(
            f"{result.name:28s} {result.text:>22s} {means} {p_text(result.p):>8s} {p_text(result.holm):>8s}  {single}"
        )
    return lines


def _bad_table(run: Run) -> list[str]:
    everybody = (run.ours, *run.bad)
    lines = ["p-values beside shufflers known to be bad, which have to fail:"]
    lines.append(f"{'':28s}" + "".join(f"{outcome.name:>12s}" for outcome in everybody))
    for row in zip(*(outcome.family.results for outcome in everybody), strict=True):
        lines.append(f"{row[0].name:28s}" + "".join(f"{p_text(result.p):>12s}" for result in row))
    guesses = (f"{best_guess(outcome).observed:12.2f}" for outcome in everybody)
    lines.append(f"{'correct guesses, at best':28s}" + "".join(guesses))
    lines.append(f"{'distance from uniform':28s}" + "".join(f"{outcome.distance:12.3f}" for outcome in everybody))
    verdicts = (f"{verdict(outcome.family.passes(0.01)):>12s}" for outcome in everybody)
    lines.append(f"{'family-wise at 99 %':28s}" + "".join(verdicts))
    lines.append("  (distance: total variation, exact by theory; 0 by construction where the drawn order is realised)")
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="  ")


def _painted(line: str) -> str:
    if line.startswith(("shuffle test", "test ", "p-values")):
        return f"{_BOLD}{line}{_END}"
    return line.replace("FAIL", f"{_RED}FAIL{_END}").replace("pass", f"{_GREEN}pass{_END}")


def as_json(run: Run) -> dict[str, Any]:
    from fairshoe.shuffle.source import firmware_version

    plan = run.plan
    return {
        "board": plan.config["name"],
        "game": plan.game,
        "firmware": firmware_version(),
        "seed": plan.seed,
        "shuffles": plan.shuffles,
        "cards": plan.cards,
        "machine": {"shuffles": plan.full, "differing": list(run.differing)},
        "correction": "holm",
        "passes": run.passes,
        "conclusion": conclusion(run),
        "again": rerun_text(run),
        "ours": _outcome_json(run.ours),
        "bad": [_outcome_json(outcome) for outcome in run.bad],
    }


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    family = outcome.family
    return {
        "name": outcome.name,
        "distance": round(outcome.distance, 6),
        "p_family": family.p,
        "passes_95": family.passes(0.05),
        "passes_99": family.passes(0.01),
        "tests": [
            {
                **vars(result),
                "distribution": "chi-square" if result.freedom else "normal",
                "passes_95": result.passes(0.05),
                "passes_99": result.passes(0.01),
            }
            for result in family.results
        ],
        "counts": {item.key: outcome.tally.counts[item.key] for item in COUNTED},
    }
