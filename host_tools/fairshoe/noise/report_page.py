"""A trial of noise as a page: one self-contained HTML file, light and dark, without scripts."""

from __future__ import annotations

from html import escape

from fairshoe import look
from fairshoe.bench.report_plots import STYLE, Point, bars
from fairshoe.noise.assessment import Assessment
from fairshoe.noise.trial import Trial, entropy_text, table

_SHORT_NAMES = {
    "most common value": "MCV",
    "longest repeated substring": "LRS",
    "MultiMCW prediction": "MultiMCW",
    "lag prediction": "lag",
    "MultiMMC prediction": "MultiMMC",
    "LZ78Y prediction": "LZ78Y",
}


def page(trial: Trial) -> str:
    assessment = trial.assessment
    tone, word = ("good", "HOLDS") if trial.passes else ("poor", "FAILS")
    facts = {
        "board, source": f"{trial.board}, {trial.source}",
        "taken from": f"{trial.taken_from}, {trial.at}",
        "samples": f"{assessment.samples:,} of {assessment.width} bit; SHA-256 of the raw bytes {trial.sha256[:16]}",
        "worth": f"{assessment.entropy:.4f} bits a sample, by {assessment.lowest}; {trial.millibits} millibits a byte",
        "claimed": f"{trial.claim:.4f} bits a sample; {trial.claim_millibits} millibits a byte",
        "looks": assessment.looks,
        "not tried": ", ".join(trial.missing) or "nothing: samples and restarts are as many as SP 800-90B asks for",
    }
    listed = look.facts({key: escape(text) for key, text in facts.items()})
    said = trial.verdict
    body = f"""\
<h1>Noise on trial</h1>
<p class="soft">Is a sample of the raw noise worth at least what the board config claims? Judged by the non-IID
estimators of NIST SP 800-90B, of which the lowest counts.</p>
<div class="verdict {tone}"><b>{word}</b><span>{escape(said[0].upper() + said[1:])}.</span></div>
{listed}
<h2>Every estimator</h2>
<p class="soft">Min-entropy, with 99 % confidence. An estimator is a lower bound under its own model of the source; one
that says much proves nothing, one that says little is enough.</p>
{_drawing(trial)}
<div class="wide">{_table(assessment)}</div>
{_restarts(trial)}
<h2>What this cannot show</h2>
<p class="soft">Estimators find what they look for. A generator with a known seed passes all of them and is worthless
for play: what speaks for a source is its physics. The trial holds for this device, at this temperature and
supply.</p>"""
    return look.page(f"fairshoe noise, {trial.board}", STYLE, body)


def _drawing(trial: Trial) -> str:
    assessment = trial.assessment
    points = [
        Point(_SHORT_NAMES.get(each.name, each.name), value, value < trial.claim)
        for each in assessment.estimates
        if each.entropy is not None and (each.of_bits or assessment.width == 1)
        for value in [round(each.entropy * (assessment.width if each.of_bits else 1), 3)]
    ]
    if not points:
        return "<p>The source gave one value only: nothing to draw.</p>"
    below = f"claimed: {trial.claim:.4f} bits a sample; possible: {assessment.width}"
    return bars("Min-entropy of a sample, by its bits", "bits", below, points)


def _table(assessment: Assessment) -> str:
    head = "<th>estimator</th><th>bits a sample</th>"
    if assessment.width > 1:
        head += "<th>bits a bit</th>"
    rows = ""
    for name, whole, of_bits in table(assessment):
        mark = ' class="poor"' if name == assessment.lowest else ""
        last = f"<td{mark}>{entropy_text(of_bits)}</td>" if assessment.width > 1 else ""
        rows += f"<tr><td>{escape(name)}</td><td{mark}>{entropy_text(whole)}</td>{last}</tr>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _restarts(trial: Trial) -> str:
    restarts = trial.restarts
    if restarts is None:
        return "<h2>Restarts</h2><p>Not tried.</p>"
    cells = "".join(
        f"<tr><td>{name}</td><td>{found}</td><td>{limit}</td></tr>"
        for name, found, limit in (
            ("min-entropy by rows, bits a sample", f"{restarts.by_row.entropy:.4f}", f"at least {restarts.needed:.4f}"),
            ("min-entropy by columns", f"{restarts.by_column.entropy:.4f}", f"at least {restarts.needed:.4f}"),
            ("most common value of a row or column", f"{restarts.most:,}", f"at most {restarts.most_allowed:,}"),
        )
    )
    return (
        f"<h2>Restarts</h2><p class='soft'>The first {restarts.rows:,} samples after each of as "
        "many restarts. A source that begins alike each time has columns of one value.</p>"
        f"<table><thead><tr><th>figure</th><th>found</th><th>limit</th></tr></thead><tbody>{cells}</tbody></table>"
    )
