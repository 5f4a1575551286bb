"""`fairshoe bringup`: lead from a wired machine to one that moves cards; each step is confirmed by a sensor."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
import time
from pathlib import Path

from fairshoe.boards.configs import load_board
from fairshoe.bringup.checks import FAILED, Bringup
from fairshoe.bringup.guide import STEPS, Course, Turn, cure_path, summary
from fairshoe.bringup.inputs import confirm_config, watch
from fairshoe.bringup.opening import open_machine
from fairshoe.cli.connection import Connection
from fairshoe.files import check_writable
from fairshoe.messages import Role
from fairshoe.printable import say
from fairshoe.text.screen import Screen
from fairshoe.text.terminal import Terminal

HANG = 28  # columns before what was found


def run(options: argparse.Namespace) -> int:
    config, crc = load_board(options.board)
    if options.out:
        check_writable(Path(options.out))
    connection = Connection(options, service=True)
    bringup = Bringup(open_machine(connection.port, connection.key(Role.SERVICE), options.patience), config, crc)
    try:
        if options.watch is not None:
            return _watch(bringup, options.watch, options.json)
        return _lead(options, Course(bringup, options.board, options.state or ""))
    finally:
        bringup.machine.shoe.close()


def _lead(options: argparse.Namespace, course: Course) -> int:
    shown = ""
    turns = course.run(options.first or "")
    next(turns)  # the link is opened: it has no heading of its own
    for turn in turns:
        if not options.json:
            _print(turn, turn.step != shown)
        shown = turn.step
    out = _write(options, course)
    after = course.next(out)
    lines = course.bringup.lines
    if options.json:
        steps = {step: [check.to_json() for check in checks] for step, checks in course.found.items()}
        summed = {"summary": summary(course.every), "state": str(course.state.path), "config": out, "next": after}
        say(json.dumps({"passed": not course.bad, "steps": steps, "lines": lines.to_json(), **summed}))
    else:
        if any(line.edges for line in lines.lines):
            say("\n" + "\n".join(lines.table()))
        say(f"\n{summary(course.every)}\nNext: {after}")
    return 1 if course.bad else 0


def _print(turn: Turn, heading: bool) -> None:
    """The heading as the step begins, or its checks: nothing, if an earlier step has named what it found."""
    screen = Screen()
    if heading:
        screen.line(f"{turn.step}: {STEPS[turn.step].about}{' (passed before)' if turn.before else ''}", "bold")
    for check in [] if turn.before else turn.checks or []:
        shown = check.result.upper() if check.result == FAILED else check.result
        style = "bad" if check.result == FAILED else ""
        screen.line(f"  {check.name:14s} {shown:10s} {check.what}{f' ({check.why})' if check.why else ''}", style, HANG)
        if check.cure:
            screen.line(f"{'':{HANG}s}{check.cure}")


def _write(options: argparse.Namespace, course: Course) -> str:
    """The config with the cure: where --out says, or where a technician at a terminal agrees to."""
    path = options.out or ""
    if course.cure is None:
        return ""
    if not path and not options.json and sys.stdin.isatty() and sys.stdout.isatty():
        proposed = cure_path(options.board)
        say(f"\nWrite a config with this put right to {proposed}? [y/N] ", end="", flush=True)
        path = proposed if sys.stdin.readline().strip().lower() in ("y", "yes") else ""
    if path:
        course.write_cure(path)
    return path


def _watch(bringup: Bringup, seconds: float, as_json: bool) -> int:
    """Every input: at a terminal live, until Ctrl-C or q; then, and elsewhere, once as it ended."""
    bringup.machine.shoe.greet()
    confirm_config(bringup.machine, bringup.config)
    bringup.enter()
    lines, noisy = bringup.lines, ""
    end = time.monotonic() + seconds if seconds else math.inf
    live = Terminal() if Terminal.fits() and not as_json else None
    with contextlib.suppress(KeyboardInterrupt), live or contextlib.nullcontext():
        while True:
            noisy = watch(bringup)
            typed = ""
            if live is not None:
                live.draw([[(row, "")] for row in (*lines.table(), noisy)])
                typed = live.keys()
            if time.monotonic() >= end or "q" in typed:
                break
    bringup.leave()
    told = json.dumps({"lines": lines.to_json(), "noisy": noisy})
    say(told if as_json else "\n".join(filter(None, [*lines.table(), noisy])))
    return 0
