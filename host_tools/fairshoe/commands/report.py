"""`fairshoe report`: make the page of a bench report again from its JSON, or check who signed a report."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, cast

from fairshoe.bench.report_file import REPORT_BYTES_MAX, ReportError, read_report, write_text
from fairshoe.bench.report_page import page
from fairshoe.errors import UsageError
from fairshoe.files import LOG_BYTES_MAX, parse_json, read_regular
from fairshoe.printable import printable, say
from fairshoe.ship.errors import SignatureError
from fairshoe.ship.manifest import sha256
from fairshoe.ship.signing import REPORT, check_file, read_public_key

# What a signed report is of: a good signature of another device, day or version is no proof of this one.
_SAID = (
    *("kind", "plan", "device", "commit", "firmware", "version", "to", "at", "started", "simulated"),
    *("verdict", "reason", "worst", "not_known", "not_made"),
)


def run(options: argparse.Namespace) -> int:
    source = Path(options.report)
    if options.verify:
        return _verify(source, options.verify)
    report = read_report(source)
    target = Path(options.output) if options.output else source.with_suffix(".html")
    if target.resolve() == source.resolve() or (target.exists() and target.samefile(source)):
        raise UsageError(f"{target} is the report itself.", "Name another file for the page; the report stays.")
    write_text(target, page(report))
    say(f"wrote {printable(str(target))}")
    return 0


def _verify(source: Path, keys: list[str]) -> int:
    """A report of the bench or of a self-test: what it says is for people, its bytes are what was signed."""
    trusted = [read_public_key(Path(key)) for key in keys]
    try:
        raw = read_regular(source, REPORT_BYTES_MAX)
    except OSError as error:
        raise ReportError(f"{source}: {error.strerror or error}.", "Give the .json file of a report.") from error
    signer = check_file(source, raw, trusted, REPORT)
    try:
        report = cast("dict[str, Any]", parse_json(raw))
        files = {source.with_name(name): str(wanted) for name, wanted in report.get("files", {}).items()}
        events = report.get("events") or None  # of the bench
        log = (source.with_name(events["log"]), str(events["sha256"])) if events else None
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ReportError(f"{source} is signed, and is no report.", "Give the .json file of a report.") from error
    for path, wanted in files.items():
        _check_beside(path, wanted)
    if log and log[0].exists():
        _check_beside(*log)
    elif log:
        say(f"{printable(str(log[0]))}: NOT here, so not checked; the report was made with it")
    say(f"{printable(str(source))}: signed by {signer}, unaltered since")
    for name in _SAID:
        value: Any = report.get(name)
        if isinstance(value, dict):
            inner: dict[str, Any] = {**value}
            value = inner.get("id", inner.get("name"))
        if value not in (None, ""):
            say(f"  {name}: {printable(value if isinstance(value, str) else json.dumps(value))}")
    page_beside = source.with_suffix(".html")
    if page_beside.exists() and page_beside not in files:
        say(f"{printable(str(page_beside))}: NOT signed; `fairshoe report {source.name} -o FILE.html` makes it again")
    return 0


def _check_beside(path: Path, wanted: str) -> None:
    """A report covers files beside it by their hashes: the record of an update its journal."""
    try:
        found = sha256(read_regular(path, LOG_BYTES_MAX))
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror or error}.", "The report covers it: keep it beside.") from error
    if found != wanted:
        raise SignatureError(f"{path} is not the one that was signed.", "It was altered, or belongs to another report.")
    say(f"{printable(str(path))}: as signed")
