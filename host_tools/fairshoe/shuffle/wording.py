"""The result of a shuffle test as text and as JSON: tables, verdict, and the command that repeats it."""

from __future__ import annotations

import textwrap
from typing import Any

from fairshoe.shuffle.stats import ALPHAS, COUNTED, Result
from fairshoe.shuffle.trial import Outcome, Run

GUESSES = ("lowest_mean", "successor_mean", "piles_mean")
_RED, _GREEN, _BOLD, _END = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"


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
        f"fairshoe proof shuffle-test --board {plan.board} --game {plan.game} "
        f"--shuffles {plan.shuffles} --full {plan.full} --seed {plan.seed}{' --thorough' * plan.thorough}"
    )


def as_text(run: Run, colour: bool) -> list[str]:
    from fairshoe.shuffle.firmware_decks import firmware_version

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
    outcomes = (run.ours, *run.bad)
    lines = ["p-values beside shufflers known to be bad, which have to fail:"]
    lines.append(f"{'':28s}" + "".join(f"{outcome.name:>12s}" for outcome in outcomes))
    for row in zip(*(outcome.family.results for outcome in outcomes), strict=True):
        lines.append(f"{row[0].name:28s}" + "".join(f"{p_text(result.p):>12s}" for result in row))
    guesses = (f"{best_guess(outcome).observed:12.2f}" for outcome in outcomes)
    lines.append(f"{'correct guesses, at best':28s}" + "".join(guesses))
    lines.append(f"{'distance from uniform':28s}" + "".join(f"{outcome.distance:12.3f}" for outcome in outcomes))
    verdicts = (f"{verdict(outcome.family.passes(0.01)):>12s}" for outcome in outcomes)
    lines.append(f"{'family-wise at 99 %':28s}" + "".join(verdicts))
    lines.append("  (distance: total variation, exact by theory, of the remainder at least; ours: 0 by construction)")
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="  ")


def _painted(line: str) -> str:
    if line.startswith(("shuffle test", "test ", "p-values")):
        return f"{_BOLD}{line}{_END}"
    return line.replace("FAIL", f"{_RED}FAIL{_END}").replace("pass", f"{_GREEN}pass{_END}")


def as_json(run: Run) -> dict[str, Any]:
    from fairshoe.shuffle.firmware_decks import firmware_version

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
