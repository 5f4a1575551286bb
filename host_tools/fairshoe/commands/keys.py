"""`fairshoe keys new`: make the keys of a simulated shoe, or of a test, without a device."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.errors import Exit
from fairshoe.operate.provisioning import DEVICE_FILE, ROLE_FILES, SEAL_FILE, KeyFolder, new_keys
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    folder = KeyFolder(Path(options.folder))
    new_keys(folder)
    say(f"{folder.path / DEVICE_FILE}: for the simulated shoe (fairshoe sim --key-file)")
    for role, name in ROLE_FILES.items():
        say(f"{folder.path / name}: for hosts in the role {role.name.lower()}")
    say(f"{folder.path / SEAL_FILE}: to verify journals")
    return Exit.DONE
