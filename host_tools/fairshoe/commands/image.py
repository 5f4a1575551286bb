"""`fairshoe firmware image`: build the firmware of one board as one UF2, with a MicroPython checkout."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path

from fairshoe.boards.configs import load_board
from fairshoe.errors import UsageError
from fairshoe.printable import printable, say
from fairshoe.ship.board_folder import chip_of
from fairshoe.ship.build import build
from fairshoe.ship.checkout import find_toolchain, read_checkout
from fairshoe.ship.game_fit import check_with_game
from fairshoe.ship.image_build import BuiltImage, image_path, make_image, sign_image, write_image
from fairshoe.ship.signed_boot import check_can_seal
from fairshoe.text.progress import Progress


def run(options: argparse.Namespace) -> int:
    progress = Progress()
    try:
        made = _make(options, progress)
    finally:
        progress.finish()
    uf2, note = write_image(Path(options.out), made)
    if options.json:
        say(json.dumps({"uf2": str(uf2), **asdict(made.record)}, indent=1))
    else:
        _print(made, uf2, note)
    return 0


def _make(options: argparse.Namespace, progress: Progress) -> BuiltImage:
    from firmware.version import VERSION_TEXT

    if not options.micropython:
        raise UsageError("--micropython without a folder.", "Name a MicroPython checkout.")
    # Everything that can be refused is refused before the modules are compiled, which takes most of a minute.
    check_with_game(options.board, options.game)
    config = load_board(options.board)[0]
    chip = chip_of(config)
    if options.sign and not chip.signs:
        raise UsageError(
            f"the boot ROM of {config['mcu']['board']} checks no signatures.",
            "Use a Pico 2, or leave --sign out.",
        )
    checkout = read_checkout(Path(options.micropython))
    named = options.picotool or os.environ.get("PICOTOOL")
    tools = find_toolchain(Path(named) if named else None)
    if options.sign:
        check_can_seal(tools, Path(options.sign))
    progress.say(f"building {options.board} ...")
    built = build(options.board, game=options.game)
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


def _print(made: BuiltImage, uf2: Path, note: Path) -> None:
    record = made.record
    what = "release image, no prompt" if record.kind == "release" else "BENCH image, with a prompt: not for a table"
    say(f"{printable(str(uf2))}: fairshoe {record.firmware} for {record.board}, game {record.game}; {what}")
    say(f"  uf2   {record.uf2_sha256}\n  flash {record.flash_sha256}, {record.flash_bytes} bytes")
    if record.signed_by:
        say(f"  signed by {record.signed_by}; for OTP: {printable(str(uf2.with_suffix('.otp.json')))}")
    say(f"  rollback {record.rollback}; record in {printable(str(note))}")
