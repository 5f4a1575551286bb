"""The tests that need the floor's servers, or a slice of the chaos.

    python -m floor --if-possible [--chaos]

Where a server is missing and cannot be installed it says so; with CI=true that is a failure.
"""

from __future__ import annotations

import os
import subprocess
import sys

from floor import install

SLICE = ["-m", "floor.chaos", "--slice", "--shoes", "20", "--seed", "1"]


def main() -> int:
    lacking = install.install()
    if lacking:
        print(f"NOT RUN: the floor's tests with servers, or its chaos. Missing: {'; '.join(lacking)}.")
        return 1 if "--if-possible" not in sys.argv or os.environ.get("CI") == "true" else 0
    command = SLICE if "--chaos" in sys.argv else ["-m", "pytest", "-q", "tests/floor_servers"]
    return subprocess.call([sys.executable, *command], cwd=install.ROOT)


if __name__ == "__main__":
    sys.exit(main())
