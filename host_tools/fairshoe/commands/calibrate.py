"""`fairshoe calibrate`: measure a machine in the diagnostic mode and write its board config."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from fairshoe.boards.configs import load_board
from fairshoe.calibrate.carousel import Carousel
from fairshoe.calibrate.derive import Line, check_port, derive
from fairshoe.calibrate.hands import SimHands, Technician
from fairshoe.calibrate.machine import Machine, NotCalibrated
from fairshoe.calibrate.report_page import page
from fairshoe.calibrate.wiring import find_faults
from fairshoe.cli.connection import Connection
from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.files import write_whole
from fairshoe.keys import read_device_key, role_key
from fairshoe.link.session import HostSession
from fairshoe.messages import Role
from fairshoe.printable import say

START_S = 8.0  # a simulated machine tries to prove itself empty first


def run(options: argparse.Namespace) -> int:
    config = load_board(options.board)[0]
    if not (options.out or options.wiring):
        raise UsageError("where to?", "Give --out FILE.json, or --wiring to look at the wiring alone.")
    check_port(config)
    if options.card_mm:
        config["mechanism"]["card_um"] = round(options.card_mm * 1000)
    machine = _machine(options)

    def tell(text: str) -> None:
        say(f"{text} ...", file=sys.stderr, flush=True)

    try:
        machine.enter()
        if not machine.bench:
            raise NotCalibrated("this is a release image, which moves nothing.", "Flash a bench image first.")
        carousel = Carousel(machine, config["mechanism"], tell)
        tell("the wiring")
        fault = find_faults(machine, config["inputs"], carousel.find_home)
        if fault is not None:
            raise NotCalibrated(fault.what, fault.cure)
        if options.wiring:
            machine.leave()
            say(f"beams, pick and transport are wired rightly; a turn of the carousel has {carousel.turn} steps")
            return 0
        new, lines = derive(config, carousel.measure(options.cards))
        machine.leave()
    finally:
        machine.shoe.close()
    out = Path(options.out)
    write_whole(out, json.dumps(new, indent=2) + "\n")
    report = out.with_suffix(".html")
    write_whole(report, page(config["name"], lines, carousel.series, machine.shots))
    _print(options, lines, out, report)
    return 0


def _machine(options: argparse.Namespace) -> Machine:
    connection = Connection(options, service=True)
    url = connection.port
    if url.startswith("sim://"):
        from fairshoe.sim.port import SimPort

        port = SimPort.from_url(url)
        if not port.setup.service or not port.setup.key:
            raise UsageError(
                "calibration needs the service port and a key.",
                "Try: sim://pico-carousel?service=on&dealer=none&key=keys/device.key (fairshoe keys new keys).",
            )
        port.sleep(START_S)
        key = role_key(read_device_key(Path(port.setup.key)), Role.SERVICE)
        shoe = Shoe(port, url, HostSession(key))
        shoe.greet()
        return Machine(shoe, SimHands(port))
    service = connection.key(Role.SERVICE)
    if service is None:
        raise UsageError("calibration needs the key of the role service.", "Pass --key-file keys/service.key.")
    hands = Technician(lambda text: say(f"> {text}", file=sys.stderr, flush=True))
    hands.machine = Machine(Shoe.open(url, service, clock=False), hands)
    return hands.machine


def _print(options: argparse.Namespace, lines: list[Line], out: Path, report: Path) -> None:
    if options.json:
        say(json.dumps({"config": str(out), "report": str(report), "lines": [line.to_json() for line in lines]}))
        return
    say(f"{'figure':22s} {'old':>8s} {'new':>8s} {'spread':>8s}  stated error")
    for line in lines:
        error = "derived" if line.error is None else "exact" if not line.error else f"{line.error:.0f}"
        say(f"{line.key:22s} {line.old:8d} {line.new:8d} {line.spread:8.1f}  {error}")
    say(f"config {out}, which passes `fairshoe config check`\nreport {report}")
    say("Next: fairshoe image --board with this config, then the acceptance plan (docs/BUILD.md).")
