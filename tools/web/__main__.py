"""Runs the tests of the bench page in Chromium.

python -m web                all of them; Chromium is installed first, as root on Debian
python -m web --if-possible  the slice of the full set; where there is no Chromium says that nothing was run;
                             with CI=true that is a failure
"""

from __future__ import annotations

import os
import subprocess
import sys

import apt
from dissector.__main__ import install as install_tshark
from dissector.tshark import find_tshark

from web.browser import ROOT, find_chromium

SLICE = ["-m", "slice"]


def main() -> int:
    some = "--if-possible" in sys.argv
    required = not some or os.environ.get("CI") == "true"
    if not (find_chromium() or install()) or not playwright():
        print("NOT RUN: the tests of the bench page.")
        return 1 if required else 0
    if not some and not (find_tshark() or install_tshark()):
        print("NOT RUN: the tests of the bench page. One of them opens a capture of the page with tshark.")
        return 1
    return subprocess.call([sys.executable, "-m", "pytest", "-q", *(SLICE if some else []), "tests/web"], cwd=ROOT)


def install() -> bool:
    return apt.install("Chromium", "chromium", otherwise=", or name one in CHROMIUM=") and bool(find_chromium())


def playwright() -> bool:
    """Install Playwright into .venv, unless it is there."""
    return subprocess.call([sys.executable, "tools/setup.py", "--quiet", "--web"], cwd=ROOT) == 0


if __name__ == "__main__":
    sys.exit(main())
