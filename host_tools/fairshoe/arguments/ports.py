"""The arguments of `fairshoe ports`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import number_between

EPILOG = """\
examples:
  fairshoe ports
      serial devices, and simulated shoes that run on this machine
  fairshoe ports tcp://10.0.0.7:4001
      a serial server as well
  fairshoe ports --no-ask
      only list: nothing is opened and nothing is sent
  fairshoe ports --json | jq -r '.[] | select(.kind == "shoe") | .port'
      the ports of all shoes, for a script

exit status: 0 a shoe was found, 1 none was
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Asks every serial device that no other program has open, and shows which of them answer as a shoe. It "
        "sends a hello message and nothing else. Simulated shoes that run on this machine are listed too."
    )
    command.epilog = EPILOG
    command.add_argument("url", nargs="*", metavar="URL", help="another port to ask: tcp://HOST:PORT or a device")
    command.add_argument("--no-ask", action="store_true", help="only list serial devices; open nothing, send nothing")
    wait = number_between(0.1, 60)
    command.add_argument("--seconds", type=wait, default=2.0, metavar="S", help="to wait for an answer (%(default)s)")
    command.add_argument("--json", action="store_true", help="as a JSON array")
