"""`fairshoe provision`: give a device its first key, or a new one, and write the keys of its roles as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.boards.configs import load_board
from fairshoe.cli.connection import Connection
from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.keys import RoleKey, read_device_key
from fairshoe.operate.provisioning import DEVICE_FILE, PUBLIC_FILE, KeyFolder, install, note_signing_key, rotate
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    if options.rotate != bool(options.key_file):
        raise UsageError("--rotate and --key-file go together.", "See fairshoe provision --help.")
    if options.rotate and options.replace:
        raise UsageError("--rotate or --replace, not both.", "--replace is for a key that is lost.")
    if bool(options.noise) != bool(options.board):
        raise UsageError("--noise and --board go together.", "See fairshoe provision --help.")
    noise = "not judged (fairshoe proof noise)"
    if options.noise:
        from fairshoe.noise.claim import check_claim

        noise = check_claim([Path(report) for report in options.noise], load_board(options.board)[0])
    folder = KeyFolder(Path(options.out))
    port = Connection(options, service=True).port

    def open_shoe(key: RoleKey | None) -> Shoe:
        return Shoe.open(port, key, reconnect=False, clock=False)

    if options.rotate:
        done = rotate(open_shoe, folder, read_device_key(Path(options.key_file)), _say)
    else:
        done = install(open_shoe, folder, options.replace, _say)
    old = Path(options.key_file).parent / PUBLIC_FILE if options.rotate else None
    public = note_signing_key(open_shoe, folder, _say, old)
    generation = f", its key number {done.generation}" if done.generation else ""
    say(f"device {done.device:08x} has a new key{generation}")
    say(f"  {done.folder / DEVICE_FILE} can make all others: keep it locked away, off this computer")
    say("  give each host the key of its own role, and seal.key to people who verify journals")
    if public is not None:
        say(f"  {done.folder / PUBLIC_FILE} verifies journals and is not secret: publish it")
    else:
        say("  this device does not sign: only holders of seal.key can verify its journal (docs/SECURITY.md)")
    say(f"  its noise: {noise}")
    say("  turn the key switch off")
    return 0


def _say(text: str) -> None:
    say(f"{text} ...", flush=True)
