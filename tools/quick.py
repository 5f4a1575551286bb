"""The fast loop: `make quick` runs ruff, pyright on what changed and the device's unit tests on CPython, side by side.
The unit tests of tests/unit/long_on_vm.txt are left to the gate and to the full set.

    python -m quick [FILE ...]

Without files, what changed is what differs from the upstream branch, or from the last commit if there is none.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from stages import BIN, ROOT, Stage, run_stages

DEVICE = ("firmware/", "hal/", "rig/", "tests/unit/", "tests/contract/")
SHARDS = 2
PYTEST = [str(BIN / "pytest"), "-q", "-x", "--without", "tests/unit/long_on_vm.txt"]


def changed() -> list[str]:
    """Python files that differ from the upstream branch, and those that git does not know yet."""
    base = git("merge-base", "HEAD", "@{upstream}") or ["HEAD"]
    tracked = git("diff", "--name-only", "--diff-filter=d", base[0], "--", "*.py")
    return sorted({*tracked, *git("ls-files", "--others", "--exclude-standard", "--", "*.py")})


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def shards(folder: Path, count: int = SHARDS) -> list[list[str]]:
    """The test files below a folder in lists of about the same size, the largest files first."""
    files = sorted(folder.rglob("test_*.py"), key=lambda path: path.stat().st_size, reverse=True)
    return [[str(path.relative_to(ROOT)) for path in files[first::count]] for first in range(count)]


def stages(files: list[str]) -> list[Stage]:
    device = [name for name in files if name.startswith(DEVICE)]
    host = [name for name in files if not name.startswith(DEVICE)]
    pyright = str(BIN / "pyright")
    found = [Stage("lint", [str(BIN / "ruff"), "check"])]
    for number, names in enumerate(shards(ROOT / "tests" / "unit"), 1):
        found.append(Stage(f"unit tests, part {number} of {SHARDS}", [*PYTEST, *names]))
    if host:
        found.append(Stage(f"types of {len(host)} host files", [pyright, *host]))
    if device:
        found.append(Stage(f"types of {len(device)} device files", [pyright, "--project", "pyright.device.json"]))
    return found


def main(arguments: list[str]) -> int:
    return run_stages("quick", stages(arguments or changed()), SHARDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
