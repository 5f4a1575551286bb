"""The arguments of `fairshoe publish`."""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from fairshoe.cli.options import add_broker, add_metrics

EPILOG = """\
examples:
  fairshoe publish pit-1.db --nats nats://broker:4222 --name pit-1
  FAIRSHOE_NATS=nats://broker:4222 fairshoe publish pit-1.db
      the URL from the environment, where it may have a password
  fairshoe publish pit-1.db --nats tls://broker:4222 --nats-key pit-1.nkey

Each event is in the stream once, in order for each device and log. The gateway
does not wait for it: run it beside the gateway, and restart it at will. Events
stay in the store until the central record has them: docs/SCALE.md.
"""


def add_publish(command: argparse.ArgumentParser) -> None:
    command.description = "Publishes the events of a gateway's store to NATS JetStream, and runs until it is stopped."
    command.epilog = EPILOG
    command.add_argument("store", type=Path, metavar="STORE", help="the store of a gateway, one SQLite file")
    command.add_argument("--name", metavar="NAME", default=platform.node(), help="of the gateway (this host's name)")
    command.add_argument(
        "--journals-again",
        action="store_true",
        help="send all exports of journals on file once more",
    )
    add_broker(command)
    add_metrics(command)
