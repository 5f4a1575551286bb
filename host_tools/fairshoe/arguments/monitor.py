"""The arguments of `fairshoe monitor`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_key, add_port

EPILOG = """\
examples:
  fairshoe monitor                 the only shoe attached, or the port set
  fairshoe monitor /dev/ttyACM0    a live view; ? lists its keys, q quits
  fairshoe monitor /dev/pts/7      beside another program: the tap of a sim
  fairshoe monitor --key-file observer.key
      all events of a shoe that has a key
  fairshoe monitor --log shift.log
      the live view, and every event in a file
  fairshoe monitor --json > events.jsonl
      one JSON object a line, for a program

The monitor starts a session if no other host has one; otherwise it listens.
It acknowledges nothing, so the table system still receives every event; --host
acknowledges what was shown, for a bench without a table system.
If the port disappears, the monitor says so and retries every second.
"""


def add_arguments(monitor: argparse.ArgumentParser) -> None:
    monitor.description = (
        "Shows the identity of a shoe, its state and next step, where the cards are, warnings with what to do, "
        "meters, the quality of the link, and the last events."
    )
    monitor.epilog = EPILOG
    add_port(monitor)
    add_key(monitor)
    monitor.add_argument("--host", action="store_true", help="acknowledge events after showing them")
    monitor.add_argument("--listen", action="store_true", help="send nothing")
    monitor.add_argument("--plain", action="store_true", help="print lines instead of the live view")
    monitor.add_argument("--json", action="store_true", help="one JSON object a line")
    monitor.add_argument("--log", metavar="FILE", help="append every event to a file too, with date and time")
    monitor.add_argument("--once", action="store_true", help="end when the port is lost, with status 4")
    monitor.add_argument("--quiet-s", type=float, default=None, metavar="S", help="end after S seconds of silence")
