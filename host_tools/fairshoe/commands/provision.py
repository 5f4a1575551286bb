"""`fairshoe provision`: give a device its first key, or a new one, and write the keys of its roles as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.keys import RoleKey, read_device_key
from fairshoe.operate.provisioning import DEVICE_FILE, PUBLIC_FILE, KeyFolder, install, note_signing_key, rotate


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Makes a device key and the keys of its roles as files for their owner alone, sends the device key "
        "to the service port, and proves that it arrived. Writes down the public key of the device's signatures, whose "
        "private key the device makes itself and gives to nobody. Turn the key switch on first."
    )
    command.add_argument("port", help="the service port: serial device or pyserial URL")
    command.add_argument("--out", required=True, metavar="FOLDER", help="for the keys; nothing in it is overwritten")
    command.add_argument("--rotate", action="store_true", help="with the key in force, which --key-file holds")
    command.add_argument("--replace", action="store_true", help="the key in force is lost; the door must be open too")
    command.add_argument("--key-file", metavar="F", help="with --rotate: the device key in force")


def run(options: argparse.Namespace) -> int:
    if options.rotate != bool(options.key_file):
        raise UsageError("--rotate and --key-file go together.", "See fairshoe provision --help.")
    if options.rotate and options.replace:
        raise UsageError("--rotate or --replace, not both.", "--replace is for a key that is lost.")
    folder = KeyFolder(Path(options.out))

    def open_shoe(key: RoleKey | None) -> Shoe:
        return Shoe.open(options.port, key, reconnect=False, clock=False)

    if options.rotate:
        done = rotate(open_shoe, folder, read_device_key(Path(options.key_file)), _say)
    else:
        done = install(open_shoe, folder, options.replace, _say)
    public = note_signing_key(open_shoe, folder, _say)
    generation = f", its key number {done.generation}" if done.generation else ""
    print(f"device {done.device:08x} has a new key{generation}")
    print(f"  {done.folder / DEVICE_FILE} makes all others: lock it away, off this computer")
    print("  give each host the key of its own role, and seal.key to whoever verifies journals")
    if public is not None:
        print(f"  give {done.folder / PUBLIC_FILE} to everybody who verifies journals: it forges nothing")
    else:
        print("  this device signs nothing: seals prove its journal to holders of seal.key only (docs/SECURITY.md)")
    print("  turn the key switch off")
    return 0


def _say(text: str) -> None:
    print(f"{text} ...", flush=True)
