"""The arguments of `fairshoe report`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe report reports/acceptance.json
      write reports/acceptance.html; bench writes one too, so this is for a
      report that came alone
  fairshoe report acceptance.json -o print.html
      write the page to another place
"""


def add_arguments(report: argparse.ArgumentParser) -> None:
    report.description = "Writes the page of a report that `fairshoe bench` made: one HTML file, complete in itself."
    report.epilog = EPILOG
    report.add_argument("report", metavar="FILE.json", help="a report that `fairshoe bench` wrote")
    report.add_argument("-o", "--output", metavar="FILE.html", help="where to (beside the report)")
