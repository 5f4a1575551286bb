"""`fairshoe report`: make the page of a bench report again from its JSON."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.bench.report_file import read_report, write_text
from fairshoe.bench.report_page import page
from fairshoe.errors import UsageError
from fairshoe.printable import printable, say


def run(options: argparse.Namespace) -> int:
    source = Path(options.report)
    report = read_report(source)
    target = Path(options.output) if options.output else source.with_suffix(".html")
    if target.resolve() == source.resolve() or (target.exists() and target.samefile(source)):
        raise UsageError(f"{target} is the report itself.", "Name another file for the page; the report stays.")
    write_text(target, page(report))
    say(f"wrote {printable(str(target))}")
    return 0
