"""`fairshoe calibrate`: measure a machine in the diagnostic mode and write its board config."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from fairshoe.boards.configs import load_board
from fairshoe.bringup.checks import Bringup
from fairshoe.bringup.inputs import confirm_config
from fairshoe.bringup.motion import find_faults
from fairshoe.bringup.opening import open_machine
from fairshoe.calibrate.carousel import Carousel
from fairshoe.calibrate.derive import KINDS, Line, derive
from fairshoe.calibrate.machine import NotCalibrated
from fairshoe.calibrate.report_page import page
from fairshoe.cli.connection import Connection
from fairshoe.errors import UsageError
from fairshoe.files import check_writable, write_whole
from fairshoe.messages import Role
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    config, crc = load_board(options.board)
    if not (options.out or options.wiring):
        raise UsageError("where to?", "Give --out FILE.json, or --wiring to look at the wiring alone.")
    out, report = _files(options.out) if options.out else (Path(), Path())
    connection = Connection(options, service=True)
    machine = open_machine(connection.port, connection.key(Role.SERVICE))

    def tell(text: str) -> None:
        say(f"{text} ...", file=sys.stderr, flush=True)

    try:
        machine.shoe.greet()
        confirm_config(machine, config)
        machine.enter()
        machine.hands.clear()  # what a run that was broken off has left would be in the way
        if options.card_mm:
            config["mechanism"]["card_um"] = round(options.card_mm * 1000)
        kind = config["mechanism"]["kind"]
        if not machine.bench and kind != "draw":
            raise NotCalibrated("this is a release image, which moves nothing.", "Flash a bench image first.")
        measured = KINDS[kind](machine, config["mechanism"], tell)
        tell("the wiring")
        fault = find_faults(Bringup(machine, config, crc, inside=True), measured.prepare)
        if fault is not None:
            raise NotCalibrated(fault.what, fault.cure)
        if options.wiring:
            machine.leave()
            turn = f"; a turn of the carousel has {measured.turn} steps" if isinstance(measured, Carousel) else ""
            say(f"{'beams' if kind == 'draw' else 'beams, pick and transport'} are wired rightly{turn}")
            return 0
        new, lines = derive(config, measured.measure(int(options.cards)))
        machine.leave()
    finally:
        machine.shoe.close()
    if not options.json:
        _print(lines)  # first: a full disk takes away three minutes of work otherwise
    write_whole(out, json.dumps(new, indent=2) + "\n")
    write_whole(report, page(config["name"], lines, measured.series, machine.shots))
    if options.json:
        say(json.dumps({"config": str(out), "report": str(report), "lines": [line.to_json() for line in lines]}))
        return 0
    say(f"config {out}, which passes `fairshoe config check`\nreport {report}")
    say("Next: fairshoe firmware image --board with this config, then the acceptance plan (docs/BUILD.md).")
    return 0


def _files(name: str) -> tuple[Path, Path]:
    """Config and report. What cannot be written is said before the machine is measured."""
    out = Path(name)
    if out.suffix != ".json":
        raise UsageError(f"--out {name} has to end with .json.", "The report is written beside it, with .html.")
    for path in (out, out.with_suffix(".html")):
        check_writable(path)
    return out, out.with_suffix(".html")


def _print(lines: list[Line]) -> None:
    say(f"{'figure':22s} {'old':>8s} {'new':>8s} {'spread':>8s}  stated error")
    for line in lines:
        error = "derived" if line.error is None else "exact" if not line.error else f"{line.error:.0f}"
        say(f"{line.key:22s} {line.old:8d} {line.new:8d} {line.spread_text:>8s}  {error}")
