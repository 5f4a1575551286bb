"""`fairshoe bringup`: lead from a wired machine to one that moves cards; each step is confirmed by a sensor."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from fairshoe.boards.configs import load_board
from fairshoe.bringup.checks import BENCH, FAILED, Bringup, Check
from fairshoe.bringup.guide import STEPS, State, cured, guide, summary
from fairshoe.bringup.opening import open_machine
from fairshoe.calibrate.derive import check_port
from fairshoe.calibrate.machine import NotCalibrated
from fairshoe.cli.connection import Connection
from fairshoe.files import write_whole
from fairshoe.messages import Role
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    config, crc = load_board(options.board)
    connection = Connection(options, service=True)
    bringup = Bringup(open_machine(connection.port, connection.key(Role.SERVICE), options.patience), config, crc)
    state = State(Path(options.state or Path(options.board).with_suffix(".bringup.json")))
    found: dict[str, list[Check]] = {}
    try:
        for step, before, checks in guide(bringup, state, options.first or ""):
            found.setdefault(step, []).extend(checks)
            if not options.json:
                _print(step, before, checks)
    finally:
        bringup.machine.shoe.close()
    every = [check for checks in found.values() for check in checks]
    bad = any(check.result == FAILED for check in every)
    new = cured(config, every)
    out = _write(options, new)
    after = _next(options, config, every, out)
    if options.json:
        steps = {step: [check.to_json() for check in checks] for step, checks in found.items()}
        summed = {"summary": summary(every), "state": str(state.path), "config": out, "next": after}
        say(json.dumps({"passed": not bad, "steps": steps, **summed}))
    else:
        say(f"\n{summary(every)}\nNext: {after}")
    return 1 if bad else 0


def _print(step: str, before: bool, checks: list[Check]) -> None:
    say(f"{step}: {STEPS[step].about}{' (passed before)' if before else ''}")
    for check in [] if before else checks:
        shown = check.result.upper() if check.result == FAILED else check.result
        say(f"  {check.name:14s} {shown:10s} {check.what}{f' ({check.why})' if check.why else ''}")
        if check.cure:
            say(f"  {'':14s} {'':10s} {check.cure}")
    sys.stdout.flush()


def _write(options: argparse.Namespace, new: dict[str, object] | None) -> str:
    """The config that cures what is swapped: where --out says, or where a technician at a terminal agrees to."""
    path = options.out or ""
    if new is None:
        return ""
    if not path and not options.json and sys.stdin.isatty() and sys.stdout.isatty():
        proposed = str(Path(options.board).with_suffix(".rewired.json"))
        say(f"\nWrite a config with these inputs swapped to {proposed}? [y/N] ", end="", flush=True)
        path = proposed if sys.stdin.readline().strip().lower() in ("y", "yes") else ""
    if path:
        write_whole(Path(path), json.dumps(new, indent=2) + "\n")
    return path


def _next(options: argparse.Namespace, config: dict[str, Any], checks: list[Check], out: str) -> str:
    if out:
        return f"install a bench image of {out}, then run bringup with --board {out}."
    if any(check.result == FAILED for check in checks):
        return "mend what failed, and run the same command again: it goes on there."
    if any(check.why == BENCH for check in checks):
        return "install a bench image (fairshoe image --bench), and run the same command again: it goes on there."
    try:
        check_port(config)
    except NotCalibrated as error:
        return f"{error.what} Measure by hand what docs/BOARDS.md lists, then run the acceptance plan."
    return f"fairshoe calibrate PORT --board {options.board} --out my-board.json, then acceptance (docs/BUILD.md)."
