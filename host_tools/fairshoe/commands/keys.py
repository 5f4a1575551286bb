"""`fairshoe keys new`: make the keys of a simulated shoe, or of a test, without a device."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.errors import Exit
from fairshoe.operate.provisioning import DEVICE_FILE, ROLE_FILES, SEAL_FILE, KeyFolder, new_keys

EPILOG = """\
examples:
  fairshoe keys new keys
      make a device key and the keys of all roles, in the folder keys
  fairshoe sim --key-file keys/device.key --mode table
      a simulated shoe with that key, which takes commands
  fairshoe round --key-file keys/table.key
      then, in a second terminal: a round under commands

A real device gets its key from `fairshoe provision`.
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Makes keys for a simulated shoe or a test: a device key and the keys of all roles."
    command.epilog = EPILOG
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = actions.add_parser("new", help="make keys", description=command.description)
    new.epilog = EPILOG
    new.add_argument("folder", metavar="FOLDER", help="for the key files; no file in it is overwritten")


def run(options: argparse.Namespace) -> int:
    folder = KeyFolder(Path(options.folder))
    new_keys(folder)
    print(f"{folder.path / DEVICE_FILE}: for the simulated shoe (fairshoe sim --key-file)")
    for role, name in ROLE_FILES.items():
        print(f"{folder.path / name}: for hosts in the role {role.name.lower()}")
    print(f"{folder.path / SEAL_FILE}: to verify journals")
    return Exit.DONE
