"""Runs the Wireshark dissector in the real tshark and compares what it shows with the golden vectors.

    python -m dissector                needs tshark; as root on Debian it is installed first
    python -m dissector --if-possible  the same, but where tshark cannot be installed says that nothing was run;
                                       with CI=true that is a failure too

tshark's Lua may be switched off for root (run_user_scripts_when_superuser in its init.lua), so as root it is run as
an unprivileged user, on copies in its own folder.
"""

from __future__ import annotations

import os
import subprocess
import sys

import apt

from dissector.tshark import find_tshark


def main() -> int:
    required = "--if-possible" not in sys.argv or os.environ.get("CI") == "true"
    if not find_tshark() and not install():
        print("NOT RUN: the tests of the dissector, for want of tshark.")
        return 1 if required else 0
    command = [sys.executable, "-m", "pytest", "-q", "tests/dissector"]
    return subprocess.call(command, env=os.environ | {"TSHARK": find_tshark()})


def install() -> bool:
    return apt.install("tshark", "tshark", otherwise=", brew install wireshark, ...") and bool(find_tshark())


if __name__ == "__main__":
    sys.exit(main())
