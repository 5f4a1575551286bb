"""The arguments of the commands that test a shoe: bench, report."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe.bench.plan import plan_names
from fairshoe.cli.options import PORT_HELP


def add_bench(bench: argparse.ArgumentParser) -> None:
    bench.usage = "fairshoe bench [PORT] PLAN [options]\n       fairshoe bench list | show PLAN"
    bench.description = (bench.description or "").format(plans=", ".join(plan_names()))
    port: Any = bench.add_argument("port", nargs="?", metavar="PORT", help=f"{PORT_HELP}; or sim://BOARD")
    port.completes = ["list", "show", *plan_names()]
    plan: Any = bench.add_argument("plan", nargs="?", metavar="PLAN", help="the name of a plan, or a .json file")
    plan.completes = plan_names()
    bench.add_argument("--operator", default="", metavar="NAME", help="who tests; printed on the receipt")
    bench.add_argument("--serial", default="", metavar="NUMBER", help="serial number on the machine's plate")
    bench.add_argument("--out", default=".", metavar="FOLDER", help="where the report goes (current folder)")
    bench.add_argument("--decks", type=_count, metavar="N", help="decks for each step that runs good decks")
    bench.add_argument("--board", default="", help="a board's name or .json file, if the device does not tell")
    bench.add_argument("--cards", type=_count, metavar="N", help="cards of one deck, if the game does not tell")
    bench.add_argument("--key-file", metavar="FILE", help="key of a role, for an authenticated session")
    bench.add_argument("--role", choices=["table", "service", "recorder"], default="table", help="(%(default)s)")
    bench.add_argument(
        "--sign", metavar="KEY", help="sign the report with this key of `fairshoe firmware release keygen`"
    )
    bench.add_argument("--json", action="store_true", help="the outcome as one JSON object; progress goes to stderr")


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError("a whole number from 1 to 1000")
    return int(text)


def add_report(report: argparse.ArgumentParser) -> None:
    report.add_argument("report", metavar="FILE.json", help="a report that `fairshoe bench` wrote")
    report.add_argument("-o", "--output", metavar="FILE.html", help="where to (beside the report)")
    report.add_argument(
        "--verify", action="append", metavar="KEY", help="check the signature beside it with this public key instead"
    )
