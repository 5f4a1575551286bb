"""`fairshoe report`: make the page of a bench report again from its JSON, or check who signed a report."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.bench.report_file import REPORT_BYTES_MAX, ReportError, read_report, write_text
from fairshoe.bench.report_page import page
from fairshoe.errors import UsageError
from fairshoe.files import read_regular
from fairshoe.printable import printable, say
from fairshoe.ship.signing import REPORT, check_file, read_public_key


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
    say(f"{printable(str(source))}: signed by {signer}, unaltered since")
    return 0
