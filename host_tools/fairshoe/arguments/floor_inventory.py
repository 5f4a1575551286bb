"""The arguments of `fairshoe floor inventory`."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe_floor.api.scopes import SCOPES


def add_inventory(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="what", required=True)
    add = actions.add_parser("add", help="find shoes and write them into the file")
    add.add_argument("file", type=Path, help="the inventory; it is made if it is not there")
    add.add_argument("url", nargs="*", metavar="URL", help="another port to ask: tcp://HOST:PORT or a device")
    add.add_argument("--pit", default="", help="the pit of shoes that are new in the file")
    add.add_argument("--keys", type=Path, metavar="FOLDER", help="recorder keys, one DEVICE.key for each shoe")
    check = actions.add_parser("check", help="say what is wrong with the file, or list its shoes")
    check.add_argument("file", type=Path, help="the inventory")
    token = actions.add_parser("token", help="make a token for a reader, or for one who acknowledges alarms")
    token.add_argument("file", type=Path, help="the file of tokens; it is made if it is not there")
    token.add_argument("--name", required=True, help="who it is for")
    token.add_argument(
        "--scope", action="append", required=True, choices=tuple(SCOPES), help="what it may do; several times"
    )
    token.add_argument("--pit", action="append", default=[], help="only this pit; several times")
