"""The arguments of `fairshoe release`."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  fairshoe release build --board pico2-shoe -o release-0.1.0
      the files of a board, and manifest.json; --board may be repeated
  fairshoe release build --board pico2-shoe -o release-0.1.0 \\
      --micropython RPI_PICO2.uf2
      with the hash of the MicroPython that belongs to it
  fairshoe release build --board pico-carousel -o release-0.1.0 \\
      --image build/image/fairshoe-0.1.0-pico-carousel.uf2
      with the image that `fairshoe image` built from the same sources; a
      board with an RP2040 needs it
  fairshoe release keygen signing.key
      once: a key to sign with, and signing.key.pub to publish
  fairshoe release sign release-0.1.0 --key signing.key

The same sources give the same bytes on every machine, so anyone can build a
release again and compare.
More: fairshoe docs FLASH
"""
_RAW = argparse.RawDescriptionHelpFormatter


def add_arguments(top: argparse.ArgumentParser) -> None:
    top.description = "Builds the files of boards with a manifest of their hashes, and signs it."
    top.epilog = EXAMPLES
    actions = top.add_subparsers(dest="action", required=True, metavar="ACTION")
    make = actions.add_parser("build", help="files and manifest into a folder", epilog=EXAMPLES, formatter_class=_RAW)
    make.add_argument("--board", action="append", required=True, help="a name or a .json file; may be given again")
    make.add_argument("--game", help="the game they play, in place of the board configs'")
    make.add_argument("--micropython", metavar="UF2", help="the interpreter that the devices have: its hash goes along")
    make.add_argument(
        "--image", action="append", default=[], metavar="UF2", help="of `fairshoe image`; may be repeated"
    )
    make.add_argument("-o", "--out", required=True, metavar="FOLDER", help="a new or empty folder")
    make.add_argument("--json", action="store_true", help="what was built, as JSON")
    key = actions.add_parser("keygen", help="make a key to sign releases with")
    key.add_argument("path", metavar="FILE", help="for the signing key; the public one goes into FILE.pub")
    sign = actions.add_parser("sign", help="sign a release")
    sign.add_argument("release", metavar="FOLDER", help="what `fairshoe release build` wrote")
    sign.add_argument("--key", required=True, metavar="FILE", help="the signing key")
