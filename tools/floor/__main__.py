"""The gate's part of the floor: the tests that need its servers, and a slice of the chaos.

python -m floor --if-possible    where a server is missing and cannot be installed, says so; with CI=true that fails
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
        print(f"NOT RUN: the floor's tests with servers, and its chaos. Missing: {'; '.join(lacking)}.")
        return 1 if "--if-possible" not in sys.argv or os.environ.get("CI") == "true" else 0
    tests = subprocess.call([sys.executable, "-m", "pytest", "-q", "tests/floor_servers"], cwd=install.ROOT)
    return tests or subprocess.call([sys.executable, *SLICE], cwd=install.ROOT)


if __name__ == "__main__":
    sys.exit(main())
