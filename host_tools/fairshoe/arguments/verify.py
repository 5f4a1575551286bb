"""The arguments of `fairshoe verify`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import seconds, version

EXAMPLES = """\
examples:
  picotool save -a flash.bin
      first, with BOOTSEL held at power-up: the boot ROM reads the flash
  fairshoe verify --image flash.bin --release release-0.1.0 \\
      --key signing.key.pub
      evidence: every file in the flash; of an image every byte, and its signer
  fairshoe verify /dev/ttyACM0 --release release-0.1.0 --key signing.key.pub
      quick, and only the device's own word: altered code can lie
  fairshoe verify --folder copied/ --release release-0.1.0 \\
      --key signing.key.pub
      files copied from a device, or a release before it is used

exit status: 0 the same, 6 it differs or the signature is wrong
More: fairshoe docs FLASH
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Compares every file of a device with a signed release: what is altered, missing, or there and not part of it."
    )
    command.epilog = EXAMPLES
    command.add_argument("--release", required=True, metavar="FOLDER", help="the release, or its manifest.json")
    command.add_argument("--board", help="which board of the release; needed only if it has several")
    command.add_argument("--key", action="append", default=[], metavar="FILE", help="public key that you trust")
    command.add_argument("--unsigned", action="store_true", help="compare without a signature: proves less")
    command.add_argument("--at-least", type=version, metavar="VERSION", help="refuse a release older than this")
    command.add_argument("port", nargs="?", metavar="PORT", help="the device's USB or console port, at its prompt")
    command.add_argument("--image", metavar="FILE", help="the whole flash as picotool saved it, .bin or .uf2")
    command.add_argument("--folder", metavar="FOLDER", help="a folder with the files of one device")
    command.add_argument("--wait-s", type=seconds, default=90.0, metavar="S", help="for the prompt (%(default)s)")
    command.add_argument("--json", action="store_true", help="the result as JSON")
