"""The arguments of `fairshoe selftest`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_key, add_port

EPILOG = """\
examples:
  fairshoe selftest /dev/ttyACM0
  fairshoe selftest --key-file observer.key
      the journal too, if the shoe has a key
  fairshoe selftest --run --key-file table.key
      the shoe tests itself first: the axis turns, no card moves
  fairshoe selftest --json | jq '.[] | select(.verdict != "good")'
      what is not good, for a script

A shoe tests its beams, axis and home position at power-up, before every job
and after every warning. This command reads the last result from the journal.
With --run it starts that test first. The shoe takes it while it waits for a
deck, with the door closed, the tray empty and no round open.
exit status: 0 nothing is bad, 1 something is
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Tests the link, reads the last result of the shoe's own self-test, checks its journal, scan times, "
        "meters and beams, and says what to do about anything that is not good. No card moves."
    )
    command.epilog = EPILOG
    add_port(command)
    add_key(command)
    command.add_argument("--run", action="store_true", help="start the shoe's own test first; needs a table key")
    command.add_argument("--json", action="store_true", help="a JSON array of checks")
