"""The shuffle test as a page: one self-contained HTML file, light and dark, without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from fairshoe import look
from fairshoe.shuffle.report_plots import Series, distribution, heat_maps
from fairshoe.shuffle.stats import ALPHAS, COUNTED
from fairshoe.shuffle.trial import Outcome, Run
from fairshoe.shuffle.wording import (
    best_guess,
    conclusion,
    correction_text,
    family_text,
    machine_text,
    p_text,
    rerun_text,
    verdict,
)


def plots(run: Run) -> dict[str, str]:
    """The plots as files of their own, by name."""
    return {name: look.standalone(svg) for name, svg in _drawings(run).items()}


def page(run: Run) -> str:
    plan = run.plan
    drawings = _drawings(run)
    tone = "good" if run.passes else "poor"
    said = conclusion(run)
    facts = {
        "board, game": f"{plan.board}, {plan.game}",
        "shuffles": f"{plan.shuffles:,} of {plan.cards} cards, drawn by the firmware's own code",
        "machine": machine_text(run),
        "all tests together": family_text(run),
        "again": f"<code>{escape(rerun_text(run))}</code>",
    }
    body = f"""\
<h1>Shuffle test</h1>
<p class="soft">Is the order that the firmware draws, and the machine realises, a uniform one?</p>
<div class="verdict {tone}"><b>{verdict(run.passes).upper()}</b><span>{escape(said[0].upper() + said[1:])}.</span></div>
{look.facts(facts)}
<h2>Every test</h2>
<p class="soft">{escape(correction_text(run))}</p>
{_test_table(run)}
<h2>The same tests on shufflers known to be bad</h2>
<p class="soft">A single pass of a ten-shelf machine, and riffles after Gilbert, Shannon and Reeds. They have to fail:
tests that let them pass would prove nothing. p-values; red below 0.01.</p>
{_bad_table(run)}
<h2>Positions</h2>
<p class="soft">Chance alone puts a third of the cells beyond one standard deviation and one in twenty beyond two,
without pattern. A pattern is what a bad shuffle leaves.</p>
<div class="wide">{drawings["positions"]}</div>
<h2>Guessing</h2>
<p class="soft">A player sees each card after having guessed it. Against a uniform deck no strategy is better than
another, and the exact law is known; for each shuffler the best of three strategies is shown.</p>
{drawings["guesses"]}
<h2>Rising sequences</h2>
<p class="soft">Cards that still follow each other upwards when the deck is read through: riffles leave too few. The
shelf machine does not show here at all, which is why one statistic is never enough.</p>
{drawings["rising"]}
<h2>Runs up and down</h2>
<p class="soft">How often neighbours stop rising and start falling, or the other way. Each shelf leaves one pile that
falls and then rises, so that the shelf machine has far too few.</p>
{drawings["turns"]}"""
    return look.page(f"fairshoe shuffle test, seed {plan.seed}", "", body)


def _drawings(run: Run) -> dict[str, str]:
    law = {item.key: item.law(run.plan.cards) for item in COUNTED}
    decks = f"share of {run.plan.shuffles:,} decks"
    return {
        "positions": heat_maps([run.ours, *run.bad]),
        "guesses": distribution(
            "Correct guesses in one deck, each card shown after the guess",
            f"correct guesses of {run.plan.cards} ({decks})",
            law["lowest"],
            _guess_series(run.ours),
            [_guess_series(outcome) for outcome in run.bad],
        ),
        **{
            key: distribution(
                title,
                f"{title.lower()} ({decks})",
                law[key],
                _series(run.ours, key),
                [_series(outcome, key) for outcome in run.bad],
            )
            for key, title in (("rising", "Rising sequences in one deck"), ("turns", "Runs up and down in one deck"))
        },
    }


def _series(outcome: Outcome, key: str) -> Series:
    counts = outcome.tally.counts[key]
    mean = sum(value * count for value, count in enumerate(counts)) / sum(counts)
    return Series(f"{outcome.name}: mean {mean:.2f}", counts)


def _guess_series(outcome: Outcome) -> Series:
    return _series(outcome, best_guess(outcome).key.removesuffix("_mean"))


def _test_table(run: Run) -> str:
    rows: list[list[str]] = []
    for result in run.ours.family.results:
        means = ["", ""]
        if result.observed is not None and result.expected is not None:
            means = [f"{result.observed:.4f}", f"{result.expected:.4f}"]
        single = [_verdict_cell(result.passes(alpha)) for alpha in ALPHAS]
        statistic = result.text.replace("chi2", "χ²")
        rows.append([escape(result.name), statistic, *means, p_text(result.p), p_text(result.holm), *single])
    family = run.ours.family
    last = [_verdict_cell(family.passes(alpha)) for alpha in ALPHAS]
    head = ("test", "statistic", "mean", "exact", "p", "Holm p", "95 %", "99 %")
    return look.table(head, rows, [["all together", "", "", "", "", p_text(family.p), *last]])


def _verdict_cell(passes: bool) -> str:
    return look.cell(verdict(passes), "good" if passes else "poor")


def _bad_table(run: Run) -> str:
    outcomes = (run.ours, *run.bad)
    verdicts = [_verdict_cell(outcome.family.passes(0.01)) for outcome in outcomes]
    uniform = f"correct guesses, best strategy (uniform: {best_guess(run.ours).expected:.2f})"
    foot = [
        ["all together, at 99 %", *verdicts],
        [uniform, *(f"{best_guess(outcome).observed:.2f}" for outcome in outcomes)],
        ["total variation to uniform (theory)", *(f"{outcome.distance:.3f}" for outcome in outcomes)],
    ]
    return look.table(["test", *(escape(outcome.name) for outcome in outcomes)], _bad_rows(outcomes), foot)


def _bad_rows(outcomes: tuple[Outcome, ...]) -> Iterator[list[str]]:
    for row in zip(*(outcome.family.results for outcome in outcomes), strict=True):
        cells = [look.cell(escape(p_text(it.p)), "" if it.passes(0.01) else "poor") for it in row]
        yield [escape(row[0].name), *cells]
