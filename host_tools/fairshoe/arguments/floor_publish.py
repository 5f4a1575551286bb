"""The arguments of `fairshoe floor publish`."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.cli.options import add_broker, add_metrics


def add_publish(command: argparse.ArgumentParser) -> None:
    command.add_argument("store", type=Path, metavar="STORE", help="the store of a gateway, one SQLite file")
    command.add_argument("--name", metavar="NAME", help="of the gateway (that of its store: pit-1 for pit-1.db)")
    command.add_argument(
        "--journals-again",
        action="store_true",
        help="send all exports of journals on file once more",
    )
    add_broker(command)
    add_metrics(command)
