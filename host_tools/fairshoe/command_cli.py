"""`fairshoe command`: one command, once, and how it ended."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from fairshoe.describe import describe_reason
from fairshoe.errors import UsageError
from fairshoe.keys import read_key
from fairshoe.messages import ALL, Command, Record, Role
from fairshoe.operations import Operations, default_path
from fairshoe.records import record_from_words
from fairshoe.shoe import Pending, Shoe


def add_parser(commands: Any) -> None:
    names = sorted(cls.NAME.replace("_", "-") for cls in ALL if issubclass(cls, Command))
    command = commands.add_parser(
        "command",
        help="give a shoe one command and wait for its outcome",
        description="Gives one command in an authenticated session. Its number is remembered, so that a command whose "
        "answer was lost can be asked about again (--resume) and never acts twice.",
    )
    command.add_argument("port", help="serial device or pyserial URL")
    command.add_argument("name", nargs="?", choices=names, metavar="NAME", help=", ".join(names))
    command.add_argument(
        "argument",
        nargs="*",
        help="set-positions: how many; record: what, and its numbers as docs/GAMES.md has them: record cut 26 dealer",
    )
    command.add_argument("--key-file", required=True, metavar="F", help="the key of the role, mode 600")
    command.add_argument("--role", choices=["table", "service"], default="table")
    command.add_argument("--resume", action="store_true", help="ask about the last command that was never answered")
    command.add_argument("--timeout-s", type=float, default=120.0, metavar="S")
    command.add_argument("--json", action="store_true", help="the outcome as JSON")


def run(options: argparse.Namespace) -> int:
    kind = _kind(options.name) if options.name else None
    arguments = _arguments(kind, options.argument) if kind else {}  # before a port is opened for a slip of the pen
    key = read_key(Path(options.key_file), Role[options.role.upper()])
    with Shoe.open(options.port, key, Operations(default_path())) as shoe:
        pending = _pending(shoe, options.resume, kind, arguments)
        result = shoe.wait(pending, options.timeout_s)
    answer = {
        "command": pending.message.NAME,
        "op": result.op,
        "outcome": result.outcome.name.lower(),
        "reason": result.reason.name.lower(),
        "detail": result.detail,
    }
    if options.json:
        print(json.dumps(answer))
    else:
        why = describe_reason(result.reason, result.detail)
        print(f"{pending.message.NAME} (operation {result.op}): {answer['outcome']}{why}")
    return 0 if result.done else 1


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
    return next(cls for cls in ALL if issubclass(cls, Command) and name.replace("-", "_") == cls.NAME)


def _arguments(kind: type[Command], given: list[str]) -> dict[str, int]:
    if kind is Record:
        return record_from_words(given)
    wanted = [field.name for field in fields(kind) if field.name != "op"]
    if len(wanted) != len(given) or not all(text.isdigit() for text in given):
        takes = " ".join(f"a number of {name}" for name in wanted) or "no argument"
        raise UsageError(f"{kind.NAME} takes {takes}.", "See fairshoe command --help.")
    return dict(zip(wanted, map(int, given), strict=True))
