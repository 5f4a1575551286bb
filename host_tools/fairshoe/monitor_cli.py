"""`fairshoe monitor`: what a shoe is doing, live."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fairshoe.keys import read_key
from fairshoe.messages import Event, Meters, Role, Status
from fairshoe.screen import Screen
from fairshoe.shoe import Shoe


def add_parser(commands: Any) -> None:
    monitor = commands.add_parser("monitor", help="show what a shoe is doing, live")
    monitor.add_argument("port", help="serial device or pyserial URL; a simulator's tap as well")
    monitor.add_argument("--host", action="store_true", help="be the host: say hello and acknowledge events")
    monitor.add_argument("--key-file", metavar="F", help="with --host: an authenticated session as observer")
    monitor.add_argument("--json", action="store_true", help="one JSON object a line")
    monitor.add_argument("--quiet-s", type=float, default=None, metavar="S", help="end after S seconds of silence")


def run(options: argparse.Namespace) -> int:
    screen = Screen()
    key = read_key(Path(options.key_file), Role.OBSERVER) if options.key_file else None
    with Shoe.open(options.port, key) if options.host else Shoe.listen(options.port) as shoe:
        try:
            for message in shoe.messages(options.quiet_s):
                if options.json and isinstance(message, (Event, Meters, Status)):
                    print(json.dumps({"message": message.NAME, **asdict(message)}, default=bytes.hex), flush=True)
                elif not options.json:
                    screen.show(message)
        finally:
            screen.finish()
    return 0
