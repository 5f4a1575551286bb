"""`fairshoe image`: build the firmware of one board as one UF2, with a MicroPython checkout."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path

from fairshoe.errors import UsageError
from fairshoe.printable import printable
from fairshoe.ship.board_folder import chip_of
from fairshoe.ship.build import build
from fairshoe.ship.checkout import find_toolchain, read_checkout
from fairshoe.ship.game_fit import check_with_game
from fairshoe.ship.identity import ROLLBACK_MAX
from fairshoe.ship.image_build import Made, image_path, make_image, sign_image, write_image
from fairshoe.text.progress import Progress

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
    command.add_argument("--rollback", type=_rollback, default=0, metavar="N", help="rollback number (%(default)s)")
    command.add_argument("--sign", metavar="KEY.PEM", help="sign for the boot ROM of a Pico 2: docs/SIGNED_BOOT.md")
    command.add_argument("--older", metavar="VERSION", help="replace a newer image by this older version on purpose")
    command.add_argument("-o", "--out", default=OUT, metavar="FOLDER", help="where to build (%(default)s)")
    command.add_argument("--json", action="store_true", help="the record as JSON; progress goes to standard error")


def _rollback(text: str) -> int:
    value = int(text)
    if not 0 <= value <= ROLLBACK_MAX:
        raise argparse.ArgumentTypeError(f"between 0 and {ROLLBACK_MAX}")
    return value


def run(options: argparse.Namespace) -> int:
    progress = Progress()
    try:
        made = _make(options, progress)
    finally:
        progress.finish()
    uf2, note = write_image(Path(options.out), made)
    if options.json:
        print(json.dumps({"uf2": str(uf2), **asdict(made.record)}, indent=1))
    else:
        _print(made, uf2, note)
    return 0


def _make(options: argparse.Namespace, progress: Progress) -> Made:
    from firmware.version import VERSION_TEXT

    if not options.micropython:
        raise UsageError("--micropython without a folder.", "Name a MicroPython checkout.")
    check_with_game(options.board, options.game)
    progress.say(f"building {options.board} ...")
    built = build(options.board, game=options.game)
    chip = chip_of(built.config)  # refused before a checkout is asked for
    if options.sign and not chip.signs:
        raise UsageError(
            f"the boot ROM of {built.config['mcu']['board']} checks no signatures.",
            "Use a Pico 2, or leave --sign out.",
        )
    checkout = read_checkout(Path(options.micropython))
    named = options.picotool or os.environ.get("PICOTOOL")
    tools = find_toolchain(Path(named) if named else None)
    changed = ", MODIFIED" if checkout.modified else ""
    progress.say(f"  MicroPython {checkout.version} {checkout.commit[:10] or 'of no known commit'}{changed}")
    progress.say(f"  {tools.compiler}")
    made = make_image(
        built, VERSION_TEXT.decode(), options.rollback, not options.bench, checkout, tools, Path(options.out),
        options.older, progress.say, progress.at,
    )  # fmt: skip
    if not options.sign:
        return made
    progress.finish()
    otp = image_path(Path(options.out), made.record).with_suffix(".otp.json")
    return sign_image(made, Path(options.sign), tools, otp)


def _print(made: Made, uf2: Path, note: Path) -> None:
    record = made.record
    what = "release image, no prompt" if record.kind == "release" else "BENCH image, with a prompt: not for a table"
    print(f"{printable(str(uf2))}: fairshoe {record.firmware} for {record.board}, game {record.game}; {what}")
    print(f"  uf2   {record.uf2_sha256}\n  flash {record.flash_sha256}, {record.flash_bytes} bytes")
    if record.signed_by:
        print(f"  signed by {record.signed_by}; for OTP: {printable(str(uf2.with_suffix('.otp.json')))}")
    print(f"  rollback {record.rollback}; record in {printable(str(note))}")
