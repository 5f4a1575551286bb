"""Runs the Wireshark dissector in the real tshark and compares what it shows with the golden vectors.

    python -m dissector                needs tshark; as root on Debian it is installed first
    python -m dissector --if-possible  the same, but where tshark cannot be installed says that nothing was run;
                                       with CI=true that is a failure too

tshark's Lua may be switched off for root (run_user_scripts_when_superuser in its init.lua), so as root it is run as
an unprivileged user, on copies in its own folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from dissector.tshark import find_tshark

INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", "tshark"]


def main() -> int:
    required = "--if-possible" not in sys.argv or os.environ.get("CI") == "true"
    if not find_tshark() and not install():
        print("NOT RUN: the tests of the dissector, for want of tshark.")
        return 1 if required else 0
    command = [sys.executable, "-m", "pytest", "-q", "tests/dissector"]
    return subprocess.call(command, env=os.environ | {"TSHARK": find_tshark()})


def install() -> bool:
    """Install tshark, in plain sight; False, with what to do, if that is not ours to do here."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        print("tshark is missing, and only root on Debian or Ubuntu can have it installed from here.")
        print("Install it yourself (apt-get install tshark, brew install wireshark, ...) and run this again.")
        return False
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], INSTALL):
        print("tshark is missing; running as root:", " ".join(command), flush=True)
        if subprocess.call(command, env=environment, stdout=subprocess.DEVNULL) != 0 and command is INSTALL:
            print("that failed; install tshark by hand and run this again.")
            return False
    return bool(find_tshark())


if __name__ == "__main__":
    sys.exit(main())
