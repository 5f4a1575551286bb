"""`fairshoe provision`: give a device its first key, or a new one, and write the keys of its roles as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.cli.connection import Connection, add_port
from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.keys import RoleKey, read_device_key
from fairshoe.operate.provisioning import DEVICE_FILE, PUBLIC_FILE, KeyFolder, install, note_signing_key, rotate

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


def run(options: argparse.Namespace) -> int:
    if options.rotate != bool(options.key_file):
        raise UsageError("--rotate and --key-file go together.", "See fairshoe provision --help.")
    if options.rotate and options.replace:
        raise UsageError("--rotate or --replace, not both.", "--replace is for a key that is lost.")
    folder = KeyFolder(Path(options.out))
    port = Connection(options, service=True).port

    def open_shoe(key: RoleKey | None) -> Shoe:
        return Shoe.open(port, key, reconnect=False, clock=False)

    if options.rotate:
        done = rotate(open_shoe, folder, read_device_key(Path(options.key_file)), _say)
    else:
        done = install(open_shoe, folder, options.replace, _say)
    public = note_signing_key(open_shoe, folder, _say)
    generation = f", its key number {done.generation}" if done.generation else ""
    print(f"device {done.device:08x} has a new key{generation}")
    print(f"  {done.folder / DEVICE_FILE} can make all others: keep it locked away, off this computer")
    print("  give each host the key of its own role, and seal.key to people who verify journals")
    if public is not None:
        print(f"  {done.folder / PUBLIC_FILE} verifies journals and is not secret: publish it")
    else:
        print("  this device does not sign: only holders of seal.key can verify its journal (docs/SECURITY.md)")
    print("  turn the key switch off")
    return 0


def _say(text: str) -> None:
    print(f"{text} ...", flush=True)
