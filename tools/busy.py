"""N loops that keep processors busy while something else runs: python tools/busy.py N COMMAND..., or for an hour."""

from __future__ import annotations

import os
import subprocess
import sys

LOOP = "import os, time; end = time.monotonic() + 3600\nwhile os.getppid() == {} and time.monotonic() < end: pass"


def main(number: int, command: list[str]) -> int:
    loops = [subprocess.Popen([sys.executable, "-c", LOOP.format(os.getpid())]) for _ in range(number)]
    try:
        return subprocess.run(command, check=False).returncode if command else max(loop.wait() for loop in loops)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
