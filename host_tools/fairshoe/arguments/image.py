"""The arguments of `fairshoe image`."""

from __future__ import annotations

import argparse

from fairshoe.ship.identity import ROLLBACK_MAX

OUT = "build/image"
EXAMPLES = """\
examples:
  fairshoe image --board pico-carousel --micropython ../micropython
      a release image: no prompt, no file system
  fairshoe image --board pico-carousel --micropython ../micropython --bench
      the same firmware with MicroPython's prompt and file system
  fairshoe image --board pico2-shoe --micropython ../micropython \\
      --sign key.pem --rollback 1
      signed for the boot ROM of the Pico 2, with the OTP settings beside it

To install: hold BOOTSEL at power-up and copy the .uf2 onto the drive that
appears. The checkout must be MicroPython 1.28.x with its submodules; this
command says what is missing and downloads nothing.
exit status: 0 built, 6 older than the image that is there, 8 cannot be built
More: fairshoe docs IMAGE
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Builds one UF2 that holds MicroPython, the firmware, the board config, the game and the "
        "dictionary, with the build of a MicroPython checkout. The same sources and tools give the same bytes."
    )
    command.epilog = EXAMPLES
    command.add_argument("--board", required=True, help="a board's name or the path of a .json file")
    command.add_argument("--micropython", required=True, metavar="DIR", help="a MicroPython checkout")
    command.add_argument("--picotool", metavar="DIR", help="folder with picotoolConfig.cmake (or set PICOTOOL)")
    command.add_argument("--game", help="the game it plays, in place of the board config's")
    command.add_argument("--bench", action="store_true", help="keep the prompt and the file system")
    command.add_argument(
        "--rollback", type=_rollback, default=0, metavar="N", help=f"rollback number, 0 to {ROLLBACK_MAX} (%(default)s)"
    )
    command.add_argument("--sign", metavar="KEY.PEM", help="sign for the boot ROM of a Pico 2: docs/SIGNED_BOOT.md")
    command.add_argument("--older", metavar="VERSION", help="replace a newer image by this older version on purpose")
    command.add_argument("-o", "--out", default=OUT, metavar="FOLDER", help="where to build (%(default)s)")
    command.add_argument("--json", action="store_true", help="the record as JSON; progress goes to standard error")


def _rollback(text: str) -> int:
    value = int(text)
    if not 0 <= value <= ROLLBACK_MAX:
        raise argparse.ArgumentTypeError(f"between 0 and {ROLLBACK_MAX}")
    return value
