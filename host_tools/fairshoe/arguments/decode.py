"""The arguments of `fairshoe decode`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe decode capture.bin
      every frame, and where bytes were damaged
  fairshoe decode --follow /dev/ttyACM0
      a live port, until Ctrl-C
  fairshoe decode --json capture.bin | jq 'select(.message == "round_ended")'
      one kind of message, for a script
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Prints every frame as one line, and where and why bytes were dropped. A summary goes to standard error. "
        "Nothing is sent."
    )
    command.epilog = EPILOG
    command.add_argument("source", metavar="FILE|-|PORT", help="a capture, binary or hex text; with --follow a port")
    command.add_argument("--hex", action="store_true", help="the file is hex text, even if it does not look like it")
    command.add_argument("--follow", action="store_true", help="read a live port or pyserial URL until interrupted")
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    command.add_argument("--key-file", metavar="F", help="check MACs of sessions whose welcome is in the capture")
