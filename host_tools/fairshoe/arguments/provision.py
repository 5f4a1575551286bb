"""The arguments of `fairshoe provision`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_port

EPILOG = """\
examples:
  fairshoe provision /dev/ttyACM0 --out keys
      the first key of a device
  fairshoe provision /dev/ttyACM0 --out new-keys --rotate \\
      --key-file keys/device.key
      a new key in place of the one in force
  fairshoe provision /dev/ttyACM0 --out new-keys --replace
      the key in force is lost; open the door first

`fairshoe keys new` makes keys for a simulated shoe or a test.
More: fairshoe docs SECURITY
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Makes a device key and the keys of all roles as files that only you can read, sends the device key to the "
        "service port and checks that it arrived. Also stores the public key of the device's signatures. Turn the "
        "key switch on first. PORT is the service port."
    )
    command.epilog = EPILOG
    add_port(command)
    command.add_argument("--out", required=True, metavar="FOLDER", help="for the keys; no file in it is overwritten")
    command.add_argument("--rotate", action="store_true", help="replace the key in force, which --key-file holds")
    command.add_argument("--replace", action="store_true", help="replace a lost key; the door must be open too")
    command.add_argument("--key-file", metavar="F", help="with --rotate: the device key in force")
