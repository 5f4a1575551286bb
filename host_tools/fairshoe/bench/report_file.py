"""The report of a bench run as JSON: build, read and check it. plans/report_schema.json describes it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]

from fairshoe.bench.deck_runner import Deck
from fairshoe.bench.plan import Data, Limit, Step, validator
from fairshoe.bench.step_kinds import FIGURES
from fairshoe.bench.steps import Findings
from fairshoe.errors import Exit, FairshoeError, StoreError
from fairshoe.files import parse_json, read_regular, write_whole
from fairshoe.os_errors import os_errors_as

FORMAT = 1
REPORT_BYTES_MAX = 256 << 20
PASSED, FAILED, INCOMPLETE = "passed", "failed", "incomplete"
NOT_APPLICABLE, NOT_TESTED, NOT_RUN, STOPPED = "not_applicable", "not_tested", "not_run", "stopped"


class ReportError(FairshoeError):
    """A file that is no bench report."""

    exit_code = Exit.INPUT


@dataclass
class StepResult:
    """One step of the plan, with its result."""

    id: str
    kind: str
    title: str
    does: list[str]
    measures: str
    status: str = NOT_RUN
    reason: str = ""
    started: str | None = None
    seconds: float | None = None
    figures: list[Data] = field(default_factory=list[Data])
    notes: list[str] = field(default_factory=list[str])
    series: dict[str, list[Data]] = field(default_factory=dict[str, list[Data]])


def step_result(step: Step) -> StepResult:
    return StepResult(step.id, step.kind, step.title, list(step.does), step.measures)


def judge(result: StepResult, step: Step, mechanism: str, found: Findings) -> None:
    """Figures beside their limits. A step that came to its end passes if every limit of its mechanism holds; a figure
    that was to be limited and was not measured does not hold."""
    limits = {limit.figure: limit for limit in step.limits if mechanism in limit.mechanisms}
    names = [*limits, *(name for name in found.figures if name not in limits)]
    result.figures = [_figure(name, found.figures.get(name), limits.get(name)) for name in names]
    # What has neither value nor limit says nothing.
    result.figures = [figure for figure in result.figures if figure["value"] is not None or figure["limit"]]
    result.notes = list(found.notes)
    result.series = found.series
    if result.status == PASSED and not all(figure["ok"] is not False for figure in result.figures):
        result.status = FAILED
        wrong = [figure for figure in result.figures if figure["ok"] is False]
        reason = "; ".join(_missed(figure) for figure in wrong)
        result.reason = f"{reason[:1].upper()}{reason[1:]}."


def _figure(name: str, value: float | None, limit: Limit | None) -> Data:
    figure = FIGURES[name]
    return {
        "name": name,
        "label": figure.label,
        "unit": figure.unit,
        "value": value,
        "limit": limit.text if limit else "",
        "min": limit.min if limit else None,
        "max": limit.max if limit else None,
        "ok": limit.holds(value) if limit else None,
    }


def _missed(figure: Data) -> str:
    value = "not measured" if figure["value"] is None else f"{figure['value']:g}"
    return f"{figure['label']}: {value}, must be {figure['limit']}"


def deck_row(deck: Deck, step: str, verdict: str) -> Data:
    return {**asdict(deck), "out": deck.out, "step": step, "verdict": verdict}


def verdict_of(results: list[StepResult], stopped: str, broken: bool = False) -> tuple[str, str]:
    """Passed, failed or incomplete, and the reason in words. What was stopped is never passed, and a verdict never says
    that all steps passed when one was not tested."""
    count = Counter(result.status for result in results)
    ran = _ran(results)
    failed = [result.title for result in results if result.status == FAILED]
    untested = [result.reason.rstrip(".") for result in results if result.status == NOT_TESTED]
    missing = "; ".join(dict.fromkeys(untested))
    missing = f"{len(untested)} not tested: {missing[:1].lower()}{missing[1:]}"
    if stopped:
        also = f" Failed before that: {'; '.join(failed)}." if failed else ""
        return INCOMPLETE, stopped + also
    if failed:
        also = f" {missing}." if untested else ""
        also += " The machine could not be brought to rest, so that the others were not run." if broken else ""
        return FAILED, f"{len(failed)} of {ran} steps failed: {'; '.join(failed)}.{also}"
    if count[NOT_RUN] or count[STOPPED]:
        return INCOMPLETE, f"{count[NOT_RUN] + count[STOPPED]} of {len(results)} steps did not come to their end."
    if not ran:
        return INCOMPLETE, f"{missing}." if untested else "No step of the plan applies to this device."
    skipped = count[NOT_APPLICABLE]
    also = f"; {skipped} {'does' if skipped == 1 else 'do'} not apply to this device" if skipped else ""
    if untested:
        return PASSED, f"{'1 step' if ran == 1 else f'{ran} steps'} passed, {missing}{also}."
    return PASSED, f"{'The step' if ran == 1 else f'All {ran} steps'} passed{also}."


def _ran(results: list[StepResult]) -> int:
    return sum(result.status in (PASSED, FAILED) for result in results)


def check_report(data: object) -> None:
    """Raises ReportError for what is no report of this version."""
    version: object = cast(Data, data).get("format") if isinstance(data, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ReportError(f"the report has format {version}.", f"This tool knows {FORMAT}: update it.")
    try:
        validator("report_schema")(cast(object, data))
    except fastjsonschema.JsonSchemaValueException as error:
        what = str(error.message).replace("data", "the file", 1)
        raise ReportError(f"no bench report: {what}.", "Give the .json file that `fairshoe bench` wrote.") from error
    for step in cast("list[Data]", cast(Data, data)["steps"]):
        if cast(Data, data)["verdict"] == PASSED and step["status"] not in (PASSED, NOT_APPLICABLE, NOT_TESTED):
            what = f"it says passed, and of the step {step['title']!r} {step['status']}"
            raise ReportError(f"no bench report: {what}.", "Give the .json file as `fairshoe bench` wrote it.")
    for word in ("started", "ended"):
        text = str(cast(Data, data)[word])
        try:
            datetime.fromisoformat(text)
        except ValueError as error:
            raise ReportError(
                f"no bench report: {word} is {text!r}.", "Give the .json file that `fairshoe bench` wrote."
            ) from error


def read_report(path: Path) -> Data:
    try:
        data = parse_json(read_regular(path, REPORT_BYTES_MAX))
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror or error}.", "Give the .json file of a bench run.") from error
    except ValueError as error:
        raise ReportError(f"{path}: not JSON: {error}.", "Give the .json file of a bench run.") from error
    try:
        check_report(data)
    except ReportError as error:
        raise ReportError(f"{path}: {error.what}", error.advice) from error
    return cast(Data, data)


def write_text(path: Path, text: str) -> None:
    """The whole file or none of it."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder.", "Name the file in it too.")
    with os_errors_as(StoreError, f"cannot write {path}", "Free space or permission, or name another folder."):
        write_whole(path, text)


def report_text(report: Data) -> str:
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def messages_fields(message: Any) -> dict[str, int]:
    return {name: int(value) for name, value in asdict(message).items()}
