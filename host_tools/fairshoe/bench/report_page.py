"""The report of a bench run as a page: one self-contained HTML file for screen and paper, without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from html import escape
from typing import cast

from fairshoe import look
from fairshoe.bench import report_plots as bench_plots
from fairshoe.bench.plan import Data
from fairshoe.bench.report_file import NOT_TESTED
from fairshoe.bench.report_plots import Point
from fairshoe.text.describe import words
from fairshoe.wear import BEAMS

_PAGE_STYLE = """\
main{max-width:54rem}
.badge{border-radius:5px;padding:1px 8px;font-weight:600;font-size:var(--text-s);white-space:nowrap}
.none{color:var(--muted);border:1px solid var(--line)}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:0 32px}.pair h2{font-size:var(--text);margin:0}
td.text,th.text,th:first-child,td:first-child{text-align:left;white-space:normal}
td.good,td.poor{background:none}
section.step{border:1px solid var(--line);border-radius:var(--round);padding:12px 16px;margin:12px 0}
section.step header{display:flex;justify-content:space-between;gap:12px;align-items:baseline}
section.step p{margin:4px 0}ul{margin:4px 0;padding-left:20px}
.sign{display:grid;grid-template-columns:1fr 1fr 1fr;gap:28px;margin:48px 0 8px}
.sign div{border-top:1px solid var(--ink);padding-top:4px;font-size:var(--text-s);color:var(--muted)}
.receipt{border:1px solid var(--ink);border-radius:4px;padding:6px 20px 16px;margin-top:36px}
@media (max-width:640px){.pair,.sign{grid-template-columns:1fr}.verdict{display:block}}
@page{size:A4;margin:14mm 13mm}
@media print{*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
body{font-size:9.5pt;line-height:1.4}main{max-width:none;padding:0}table{font-size:8.5pt}th,td{padding:2px 6px}
h1{font-size:18pt}h2{font-size:13pt;break-after:avoid;margin-top:16px}h3{font-size:11pt}.small{font-size:8.5pt}
svg{max-height:44mm;width:auto;margin:8px 0}section.step{padding:8px 12px;margin:8px 0}
.badge{font-size:8.5pt}code{font-size:8pt}.sign{margin-top:34px}
section.step,svg,.verdict,tr,.sign{break-inside:avoid}.receipt{break-before:page}}
"""
_WORDS = {"not_applicable": "does not apply", "not_tested": "not tested", "not_run": "not run"}
_MARKS = {"passed": "passed", "failed": "failed", "stopped": "incomplete", "not_tested": "incomplete"}
# Series that are drawn: title, unit, what stands below, and the figure whose limit belongs to it.
_SERIES = {
    "intake_s": ("Time of each shuffle, as reported", "s", "deck", "intake_s_max"),
    "feed_ms": ("Feed time per card, the device's mean after each deck", "ms", "deck", "feed_ms"),
    "stack_ms": ("Time of each stack, from start to offer", "ms", "deck.stack", "stack_ms_max"),
    "notice_ms": ("Jam drill: from start of motion to motors off", "ms", "jam", "notice_ms_max"),
}
_LABELS = {
    "cycles": "decks shuffled or loaded",
    "cards": "cards fed",
    "faults": "warnings that the machine raised",
    "feed_us": "feed time, µs",
    "feed_us_new": "feed time when new, µs",
}
_POINTS_MIN = 2  # a single figure is in the table
_METERS = (
    *("cycles", "cards", "misfeeds", "stalls", "jams", "double_feeds", "faults", "feed_us", "feed_us_new"),
    *BEAMS,
)


def page(report: Data) -> str:
    plan, device = report["plan"], report["device"]
    plots = "".join(_plots(report))
    steps = "".join(_step(number, step) for number, step in enumerate(report["steps"], 1))
    missing = sum(step["status"] == NOT_TESTED for step in report["steps"])
    verdict = report["verdict"] + (f", {missing} not tested" if missing else "")
    body = f"""\
<h1>{escape(plan["title"])}</h1>
<p class="soft">{escape(_model(report))}, {_serial(report)}. {escape(_moment(report["started"]))}.</p>
{_notice(report)}<div class="verdict {escape(report["verdict"])}"><b>{escape(verdict.upper())}</b>
<span>{escape(report["reason"])}</span></div>
<div class="pair"><div><h2>Device (self-reported)</h2>{look.facts(_device_facts(device))}</div>
<div><h2>Test</h2>{look.facts(_test_facts(report))}</div></div>
<p class="soft small">What a device says about itself is no proof: altered firmware can say anything. Its flash read
back from outside is.</p>
<h2>Summary</h2>{_summary(report)}
{f"<h2>Plots</h2>{plots}" if plots else ""}
<h2>Steps</h2>{steps}
{_receipt(report)}
<p class="soft small">Written by fairshoe {escape(report["tool"]["version"])}. Events {report["events"]["first"]} to
{report["events"]["last"]} of the device are in <code>{escape(report["events"]["log"])}</code>, SHA-256
<code>{escape(report["events"]["sha256"])}</code>.</p>"""
    title = f"{plan['title']}: {_model(report)}, {verdict}"
    return look.page(title, bench_plots.STYLE + _PAGE_STYLE, body)


def _notice(report: Data) -> str:
    if not report["simulated"]:
        return ""
    return (
        '<div class="notice"><b>Simulated device.</b> The machine and the hands in this report are software; times are '
        "those of the simulated clock. It says nothing about any real machine.</div>\n"
    )


def _model(report: Data) -> str:
    device = report["device"]
    return f"fairshoe {device['board']} ({device['mechanism']})"


def _serial(report: Data) -> str:
    return f"serial {escape(report['serial'])}" if report["serial"] else f"device {escape(report['device']['id'])}"


def _moment(text: str) -> str:
    moment = datetime.fromisoformat(text)
    return f"{moment.day} {moment:%B %Y, %H:%M:%S}"


def _device_facts(device: Data) -> dict[str, str]:
    stated, expected, name = device["board_crc"], escape(device["board_crc_expected"]), escape(device["board"])
    if stated is None:
        board = "not stated in this run"
    elif stated == device["board_crc_expected"]:
        board = f"<code>{escape(stated)}</code>, as {name} has it"
    else:
        board = f"<code>{escape(stated)}</code>; {name} has <code>{expected}</code>"
    return {
        "identity": f"<code>{escape(device['id'])}</code>, start {device['boot']}",
        "firmware": escape(device["firmware"]),
        "board config CRC": board,
        "message table": f"<code>{escape(device['dictionary'])}</code>",
        "game": f"{escape(device['game'])}, {device['deck_cards']} cards a deck",
        "count assurance": escape(device["count_assurance"]),
        "key": "installed" if device["has_key"] else "none yet",
        "link": f"{escape(device['link_mode'])}; session: {escape(device['role'])}",
    }


def _test_facts(report: Data) -> dict[str, str]:
    plan = report["plan"]
    zone = f"UTC{datetime.fromisoformat(report['started']):%z}"
    options = ", ".join(f"{name} {value}" for name, value in plan["options"].items())
    return {
        "operator": escape(report["operator"]),
        "serial number": escape(report["serial"]) or "not given",
        "began": escape(_moment(report["started"])),
        "ended": escape(_moment(report["ended"])),
        "time zone": escape(f"{report['time_zone']} ({zone})"),
        "plan": f"{escape(plan['name'])}" + (f", with {escape(options)}" if options else ""),
        "plan SHA-256": f"<code>{escape(plan['sha256'][:32])}<wbr/>{escape(plan['sha256'][32:])}</code>",
        "port": f"<code>{escape(report['port'])}</code>",
        "tool": f"fairshoe {escape(report['tool']['version'])}",
    }


def _badge(status: str) -> str:
    return f'<span class="badge {_MARKS.get(status, "none")}">{escape(_WORDS.get(status, words(status)))}</span>'


def _summary(report: Data) -> str:
    rows: list[list[str]] = []
    for number, step in enumerate(report["steps"], 1):
        seconds = f"{step['seconds']:.0f} s" if step["seconds"] and step["status"] in _MARKS else ""
        limits = [figure for figure in step["figures"] if figure["limit"]]
        held = f"{sum(figure['ok'] is True for figure in limits)} of {len(limits)}" if limits else ""
        reason = f'<br/><span class="soft small">{escape(step["reason"])}</span>' if step["reason"] else ""
        title = look.cell(f"{escape(step['title'])}{reason}", "text")
        rows.append([str(number), title, held, seconds, _badge(step["status"])])
    return look.table(["no.", look.cell("step", "text", "th"), "limits held", "time", "result"], rows)


def _plots(report: Data) -> Iterator[str]:
    decks = cast(list[Data], report["decks"])
    whole = [deck for deck in decks if _counts_of(deck) and not deck["stopped"]]
    if whole:
        yield bench_plots.counts(
            "Counts of every deck: cards put in (line), each count of them (dots)",
            "deck; counts on the way in, in the store and on the way out, where the mechanism has them",
            [(str(deck["number"]), deck["loaded"], _counts_of(deck), not deck["verdict"].isupper()) for deck in whole],
        )
    for step in report["steps"]:
        for name, points in step["series"].items():
            if name not in _SERIES or len(points) < _POINTS_MIN:
                continue
            title, unit, below, figure = _SERIES[name]
            limits = [entry["max"] for entry in step["figures"] if entry["name"] == figure]
            drawn = [Point(point["label"], point["value"]) for point in points]
            yield bench_plots.bars(title, unit, f"{below}; step {step['id']}", drawn, limits[0] if limits else None)


def _counts_of(deck: Data) -> list[int]:
    return [deck[name] for name in ("counted", "swept", "out") if deck[name] is not None]


def _step(number: int, step: Data) -> str:
    does = " ".join(step["does"])
    notes = "".join(f"<li>{escape(note)}</li>" for note in step["notes"])
    listed = f'<ul class="small soft">{notes}</ul>' if notes else ""
    reason = f'<p class="small"><b>{escape(step["reason"])}</b></p>' if step["reason"] else ""
    return (
        f'<section class="step"><header><h3>{number}. {escape(step["title"])}</h3>{_badge(step["status"])}</header>'
        f'{reason}<p class="small"><span class="soft">Done:</span> {escape(does)}</p>'
        f'<p class="small"><span class="soft">Measured:</span> {escape(step["measures"])}</p>'
        f"{_figures(step['figures'])}{listed}</section>"
    )


def _figures(figures: list[Data]) -> str:
    if not figures:
        return ""
    rows: list[list[str]] = []
    for figure in figures:
        unit, ok = figure["unit"], figure["ok"]
        value = "not measured" if figure["value"] is None else _with_unit(f"{figure['value']:g}", unit)
        limit = _with_unit(figure["limit"], unit) if figure["limit"] else ""
        held = "" if ok is None else look.cell("held" if ok else "NOT HELD", "good" if ok else "poor")
        rows.append([escape(figure["label"]), value, limit, held])
    return look.table(["figure", "found", "limit", "verdict"], rows)


def _with_unit(text: str, unit: str) -> str:
    """`1 time`, `2 times`, `at most 10 s`."""
    if re.fullmatch(r"(at (least|most) )?1", text) and len(unit) > 2:
        unit = unit.removesuffix("s")
    return escape(f"{text} {unit}".strip())


def _receipt(report: Data) -> str:
    decks = cast(list[Data], report["decks"])
    identity = escape(report["device"]["id"])
    facts = {
        "make, model": f"{escape(_model(report))}, firmware {escape(report['device']['firmware'])}",
        "serial number": f"{escape(report['serial']) or 'not given'}; identity <code>{identity}</code>",
        "date and time": escape(_span(report)),
        "verified by": escape(report["operator"]),
        "total": f"<b>{_total(decks)}</b>",
    }
    return (
        '<section class="receipt"><h2>Receipt of counts</h2>'
        f"{look.facts(facts)}{_deck_table(decks)}<h2>Meters of the device</h2>{_meter_table(report['meters'])}"
        '<div class="sign"><div>operator, signature</div><div>witness, signature</div><div>date</div></div>'
        '<p class="soft small">Holds what WAC 230-16-158 (2)(d) asks of a receipt: totals of cards and decks, date and '
        "time, who verified them, make, model and serial number of the device. A blank means that the mechanism makes "
        "no such count.</p></section>"
    )


def _total(decks: list[Data]) -> str:
    whole = [deck for deck in decks if not deck["stopped"]]
    text = f"{sum(deck['loaded'] for deck in whole)} cards in {len(whole)} decks"
    stopped = len(decks) - len(whole)
    return text + (f"; {stopped} more decks were stopped on purpose" if stopped else "")


def _span(report: Data) -> str:
    """From when to when; the day once."""
    began, ended = _moment(report["started"]), _moment(report["ended"])
    day, _, clock = ended.partition(", ")
    return f"{began} to {clock if began.startswith(day) else ended} {report['time_zone']}"


def _deck_table(decks: list[Data]) -> str:
    if not decks:
        return "<p>No deck was run.</p>"
    names = ("loaded", "counted", "swept", "dealt", "remainder", "removed")
    rows: list[list[str]] = []
    for deck in decks:
        warned = f" ({escape(', '.join(deck['warnings']))})" if deck["warnings"] else ""
        said = look.cell(f"{escape(deck['verdict'])}{warned}", "poor" if deck["verdict"].isupper() else "text")
        cells = ["" if deck[name] is None else str(deck[name]) for name in names]
        rows.append([str(deck["number"]), look.cell(escape(deck["step"]), "text"), *cells, said])
    counts = ("put in", "counted", "counted again", "dealt", "remainder", "put out")
    step, verdict = (look.cell(word, "text", "th") for word in ("step", "verdict"))
    return look.table(["deck", step, *counts, verdict], rows)


def _meter_table(meters: Data) -> str:
    before, after = meters["before"], meters["after"]
    if before is None:
        return "<p>The device did not tell its meters.</p>"
    rows: list[list[str]] = []
    for name in _METERS:
        old, new = before.get(name), after.get(name) if after else None
        if name in BEAMS and not old and not new:
            continue  # a beam without a glitch
        more = "" if old is None or new is None or name.startswith("feed") else f"{int(new) - int(old):+d}"
        more = "0" if more == "+0" else more
        label = f"glitches, {words(name)}" if name in BEAMS else _LABELS.get(name, words(name))
        rows.append([escape(label), _cell(old), _cell(new), more])
    return look.table(["over its life", "before", "after", "difference"], rows)


def _cell(value: int | None) -> str:
    return "not reported" if value is None else f"{int(value)}"
