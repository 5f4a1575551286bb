"""`make bench`: speed as ratios, measured in one run. Simulated seconds per wall second for the slice, on both VMs."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "tools" / "bench_round.py"
LOADER = f"import sys, runpy; sys.argv = sys.argv[1:]; import fairshoe; runpy.run_path({str(SCRIPT)!r})"
VMS = {
    "CPython": ([sys.executable, "-c", LOADER, "bench_round.py"], 1000),
    "MicroPython (WASM)": ([str(ROOT / ".venv/bin/node"), "tools/mpy/exec.mjs", str(SCRIPT)], 50),
}


def measure(command: list[str], wall_ms: int) -> dict[str, float]:
    done = subprocess.run([*command, str(wall_ms)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command[:2])} failed:\n{done.stderr[-2000:]}")
    simulated_ms, spent_ms, rounds = map(int, done.stdout.split())
    return {"ratio": simulated_ms / spent_ms, "rounds": rounds, "wall_s": spent_ms / 1000}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--seconds", type=float, default=4, help="how long each VM plays (%(default)s)")
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    if not options.json:
        print("simulation: a fault-free carousel round of three players, firmware, plant and link")
    for name, (command, aim) in VMS.items():
        figures[name] = measure(command, int(options.seconds * 1000)) | {"aim": aim}
        if not options.json:
            got = figures[name]
            print(
                f"  {name:20s} {got['ratio']:7.0f} simulated seconds per second"
                f"   (aim {aim}; {got['rounds']:.0f} rounds in {got['wall_s']:.1f} s)",
                flush=True,
            )
    if options.json:
        print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
