"""Installs Debian packages that a tool needs, in plain sight: as root, and where apt-get is."""

from __future__ import annotations

import os
import shutil
import subprocess


def install(what: str, *packages: str, otherwise: str = "") -> bool:
    """False, with what to do, if that is not ours to do here or fails."""
    words = " ".join(packages)
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        print(f"{what} is missing, and only root on Debian or Ubuntu can install it from here.")
        print(f"Install it yourself (apt-get install {words}{otherwise}) and run this again.")
        return False
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    # Another installation may hold the lock, as that of a second clone does.
    wanted = ["apt-get", "install", "-y", "--no-install-recommends", "-oDPkg::Lock::Timeout=300", *packages]
    for command in (["apt-get", "update"], wanted):
        print(f"{what} is missing; running as root:", " ".join(command), flush=True)
        if subprocess.call(command, env=environment, stdout=subprocess.DEVNULL) != 0 and command is wanted:
            print(f"that failed; install {words} by hand and run this again.")
            return False
    return True
