"""`fairshoe command`: give one command and print its outcome."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields

from fairshoe.arguments.drive import NAMES
from fairshoe.cli.operating import driver_of
from fairshoe.client.shoe import Pending, Shoe
from fairshoe.errors import UsageError, nearest
from fairshoe.games.record_kinds import record_from_words
from fairshoe.messages import ALL, UNKNOWN, Command, Record, Result
from fairshoe.printable import say
from fairshoe.text.describe import describe_reason


def run(options: argparse.Namespace) -> int:
    _without_port(options)
    kind = _kind(options.name) if options.name else None
    arguments = _arguments(kind, options.argument) if kind else {}  # before a port is opened for a slip of the pen
    if kind is None and not options.resume:
        raise UsageError("which command?", f"One of {', '.join(NAMES)}; or --resume.")
    with driver_of(options) as (driver, screen):
        driver.on_event = lambda _event: None
        pending = _pending(driver.shoe, options.resume, kind, arguments)
        result = driver.follow(pending)
        screen.finish()
    name = pending.message.NAME
    if options.json:
        answer = {
            "command": name,
            "op": result.op,
            "outcome": result.outcome.name.lower(),
            "reason": result.reason.name.lower(),
            "detail": None if result.detail == UNKNOWN[Result.NAME]["detail"] else result.detail,
        }
        say(json.dumps(answer))
    else:
        why = describe_reason(result.reason, result.detail)
        say(f"{name} (operation {result.op}): {result.outcome.name.lower()}{why}")
    return 0 if result.done else 1


def _without_port(options: argparse.Namespace) -> None:
    """A command's name where a port would stand: the port is the one that is set."""
    if options.port is not None and options.port.replace("_", "-") in NAMES:
        words = [options.name] if options.name is not None else []
        options.port, options.name, options.argument = None, options.port, [*words, *options.argument]


def _pending(shoe: Shoe, resume: bool, kind: type[Command] | None, arguments: dict[str, int]) -> Pending:
    unfinished = shoe.unfinished()
    if resume:
        if unfinished is None:
            raise UsageError("no command is waiting for its outcome.", "Give the command's name instead of --resume.")
        return shoe.resume(unfinished)
    if unfinished is not None:
        raise UsageError(
            f"the outcome of {unfinished.command} (operation {unfinished.op}) is not known.",
            "Ask about it first: the same command line with --resume and without a name.",
        )
    if kind is None:
        raise UsageError("which command?", "Give a name, or --resume.")
    return shoe.start(kind, **arguments)


def _kind(name: str) -> type[Command]:
    for cls in ALL:
        if issubclass(cls, Command) and name.replace("-", "_") == cls.NAME:
            return cls
    near = nearest(name, NAMES)
    raise UsageError(f"there is no command {name!r}.", f"Did you mean {near}?" if near else f"{', '.join(NAMES)}.")


def _arguments(kind: type[Command], given: list[str]) -> dict[str, int]:
    if kind is Record:
        return record_from_words(given)
    wanted = [field.name for field in fields(kind) if field.name != "op"]
    if len(wanted) != len(given) or not all(text.isdigit() for text in given):
        takes = " ".join(f"a number of {name}" for name in wanted) or "no argument"
        raise UsageError(f"{kind.NAME} takes {takes}.", "See fairshoe command --help.")
    return dict(zip(wanted, map(int, given), strict=True))
