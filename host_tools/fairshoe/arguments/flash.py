"""The arguments of `fairshoe flash`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import seconds, version

EXAMPLES = """\
examples:
  fairshoe flash /dev/ttyACM0 --board pico2-carousel
      build, write what changed, reset, check that it runs
  fairshoe flash /dev/ttyACM0 --board pico2-shoe --table-port /dev/ttyUSB0
      the same, then ask the device at its table port what it runs
  fairshoe flash /dev/ttyACM0 --board my-shoe.json --dry-run
      list what would be written and deleted; the device is read and restarted
  fairshoe flash /dev/ttyACM0 --board pico2-shoe \\
      --release release-0.1.0 --key signing.key.pub
      write the files of a signed release
  fairshoe flash --board pico2-carousel
      only build, and say what would be written

A Pico with an RP2040 runs an image alone: fairshoe image --help.
A shoe that runs gives no prompt. Restart it when this command asks for it.
Pulling the cable does no harm: run the same command again to finish.
More: fairshoe docs FLASH
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Builds what one board ships, compares it with what is on the device, writes and deletes only what "
        "differs, reads everything back, resets the device and sees that it runs."
    )
    command.epilog = EXAMPLES
    command.add_argument("--board", required=True, help="a board's name or the path of a .json file")
    command.add_argument("port", nargs="?", metavar="PORT", help="USB or console port; without it files are only built")
    command.add_argument("--release", metavar="FOLDER", help="files of a release, in place of building them")
    command.add_argument("--key", action="append", default=[], metavar="FILE", help="public key that you trust")
    command.add_argument("--unsigned", action="store_true", help="take a release without looking at its signature")
    command.add_argument("--game", help="the game it plays, in place of the board config's")
    command.add_argument("--table-port", metavar="PORT", help="afterwards, say hello here and compare the answer")
    command.add_argument("--dry-run", action="store_true", help="only say what would be written and deleted")
    command.add_argument("--clean", action="store_true", help="delete everything on the device that is not fairshoe's")
    command.add_argument("--wait-s", type=seconds, default=90.0, metavar="S", help="for the prompt (%(default)s)")
    command.add_argument("--other-board", action="store_true", help="take a board that calls itself something else")
    command.add_argument("--other-micropython", action="store_true", help="take a MicroPython that was never tried")
    command.add_argument("--at-least", type=version, metavar="VERSION", help="refuse a release older than this")
    command.add_argument("--older", metavar="VERSION", help="replace a newer firmware by this older version on purpose")
    command.add_argument("--json", action="store_true", help="the result as JSON; progress goes to standard error")
