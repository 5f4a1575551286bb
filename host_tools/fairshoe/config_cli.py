"""`fairshoe config`: whether board configs can work."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from fairshoe import boards
from fairshoe.errors import BoardError


def add_parser(commands: Any) -> None:
    actions = commands.add_parser("config", help="board configs").add_subparsers(dest="action", required=True)
    check = actions.add_parser("check", help="say whether board configs can work")
    check.add_argument("board", nargs="+", help="a board's name or the path of a .json file")
    check.add_argument("--json", action="store_true", help="one JSON object a line and board")


def run(options: argparse.Namespace) -> int:
    bad = 0
    for name in options.board:
        found = boards.inspect_board(name)
        bad += not found.good
        if options.json:
            print(json.dumps({**asdict(found), "crc": f"{found.crc:08x}", "good": found.good}))
        elif found.good:
            print(
                f"{name}: good ({found.kind} on {found.mcu}, crc {found.crc:08x}); count assurance"
                f" {found.count_assurance}: {found.meaning}"
            )
        else:
            print(f"{name}: cannot work")
            for problem in found.problems:
                print(f"  {problem}")
    if bad:
        raise BoardError(
            f"{bad} of {len(options.board)} board configs cannot work.",
            "What is wrong is listed above; docs/BOARDS.md explains the rules.",
        )
    return 0
