"""One seed gives the same edges on CPython and on the MicroPython VM, with every fault and every kind of machine."""

import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "unit" / "kit" / "plant_trace.py"
LOADER = (
    f"import sys, runpy; sys.argv = sys.argv[1:]; sys.path.insert(0, {str(SCRIPT.parent)!r}); "
    f"import fairshoe; runpy.run_path({str(SCRIPT)!r})"
)


def traces(command: list[str], seeds: list[int]) -> list[str]:
    done = subprocess.run(
        [*command, *map(str, seeds)], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_every_machine_gives_the_same_edges_on_both_vms() -> None:
    seeds = [1, 2, random.randrange(1 << 16)]
    print(f"seeds {seeds}; replay one with: .venv/bin/node tools/mpy/exec.mjs {SCRIPT.relative_to(ROOT)} SEED")
    expected = traces([sys.executable, "-c", LOADER, "plant_trace.py"], seeds)
    actual = traces([str(ROOT / ".venv/bin/node"), "tools/mpy/exec.mjs", "--limit-s", "180", str(SCRIPT)], seeds)
    assert len(expected) == len(actual) == len(seeds) * 4
    assert len(set(expected)) == len(expected)
    for left, right in zip(expected, actual, strict=True):
        assert left == right
