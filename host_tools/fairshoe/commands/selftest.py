"""`fairshoe selftest`: check whether a shoe is fit for work, without moving a card."""

from __future__ import annotations

import argparse
import contextlib
import json
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path

from fairshoe import __version__
from fairshoe.bench.report_file import write_text
from fairshoe.cli.connection import Connection
from fairshoe.errors import UsageError
from fairshoe.observe import fitness
from fairshoe.observe.observer import Mode
from fairshoe.observe.snapshot import Snapshot
from fairshoe.operate.driver import Driver
from fairshoe.printable import say
from fairshoe.ship.signing import REPORT, read_signing_key, sign_file
from fairshoe.text.screen import Screen, waiting

REPORT_FORMAT = 1
_WORST_FIRST = (fitness.BAD, fitness.LOOK, fitness.UNKNOWN, fitness.GOOD)
_STYLES = {fitness.GOOD: "good", fitness.LOOK: "warn", fitness.BAD: "bad", fitness.UNKNOWN: "dim"}


def run(options: argparse.Namespace) -> int:
    if options.sign and not options.report:
        raise UsageError("--sign signs a report.", "Name its file with --report F.")
    secret = read_signing_key(Path(options.sign)) if options.sign else b""
    connection = Connection(options)
    screen = Screen()
    found: list[fitness.Check] = []
    if options.run:
        with waiting(f"testing {connection.port}"):
            found.append(_run_test(connection))
        if not options.json:
            _show(screen, found[0])
    look = Snapshot(connection.port, connection.key(), connection.answer_s)
    with contextlib.ExitStack() as stack:
        with waiting(f"asking {connection.port}"):
            stack.enter_context(look)
        if not options.json:
            screen.line(f"looking at {connection.port}: {_what(look)}", "dim")
        for check in fitness.checks(look):
            found.append(check)
            if not options.json:
                _show(screen, check)
    if options.report:
        _write_report(Path(options.report), look, found, secret)
    if options.json:
        say(json.dumps([asdict(check) for check in found], indent=1))
    bad = sum(check.verdict == fitness.BAD for check in found)
    if not options.json:
        others = sum(check.verdict in (fitness.LOOK, fitness.UNKNOWN) for check in found)
        text = f"{len(found)} checks, {bad} bad, {others} to look at or not known"
        screen.line(text, "bad" if bad else "warn" if others else "good")
    return 1 if bad else 0


def _write_report(path: Path, look: Snapshot, found: list[fitness.Check], secret: bytes) -> None:
    welcome = look.watch.known.welcome
    worst = [word for word in _WORST_FIRST if any(check.verdict == word for check in found)]
    report = {
        "format": REPORT_FORMAT,
        "kind": "selftest",
        "device": f"{welcome.device:08x}" if welcome else None,
        "firmware": welcome.firmware if welcome else None,
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "version": __version__,
        "worst": worst[0] if worst else None,
        "not_known": [check.name for check in found if check.verdict == fitness.UNKNOWN],
        "checks": [asdict(check) for check in found],
    }
    text = json.dumps(report, indent=1) + "\n"
    write_text(path, text)
    if secret:
        sign_file(path, text.encode(), secret, REPORT)


def _run_test(connection: Connection) -> fitness.Check:
    with connection.open_to_command() as shoe:
        driver = Driver(shoe, connection.timeout_s)
        result = driver.self_test()
        return fitness.by_command(result.op, None if result.done else driver.why("self_test", result))


def _what(look: Snapshot) -> str:
    """Which device, and how: a tap or a line in use only lets us listen."""
    welcome = look.watch.known.welcome
    name = f"device {welcome.device:08x}, firmware {welcome.firmware}" if welcome else "device not known"
    if look.watch.mode is Mode.LIVE:
        return name
    return f"{name}; listening only (a tap, or another host is in session), so nothing can be asked"


def _show(screen: Screen, check: fitness.Check) -> None:
    screen.beside(f"{check.name:10s} {check.verdict:10s} ", check.what, _STYLES[check.verdict])
    if check.advice:
        screen.beside(f"{'':21s} -> ", check.advice, "bold")
