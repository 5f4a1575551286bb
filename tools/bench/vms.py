"""A simulated round on both VMs, and the frames of the device on its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.section import NotMeasured

ROOT = Path(__file__).resolve().parents[2]
NODE = [str(ROOT / ".venv/bin/node"), "tools/mpy/exec.mjs"]
ROUND = ROOT / "tools" / "mpy" / "bench_round.py"
LOADER = f"import sys, runpy; sys.argv = sys.argv[1:]; import fairshoe; runpy.run_path({str(ROUND)!r})"
# Each with the simulated seconds per second that it is to reach.
VMS = {
    "CPython": ([sys.executable, "-c", LOADER, "bench_round.py"], 1000),
    "MicroPython (WASM)": ([*NODE, str(ROUND)], 50),
}
ROUND_MS = 4000
FRAMES = 3000
# Bytes of heap a frame: nothing, and at most one integer, which is an object and its digits, 16 bytes each.
FRAME_AIMS = {"received": 0, "sent": 32}
Figures = dict[str, dict[str, float]]


def _output(command: list[str], number: int) -> str:
    done = subprocess.run([*command, str(number)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise NotMeasured(f"{' '.join(command[:2])} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def measure_rounds(wall_ms: int = ROUND_MS) -> Figures:
    found: Figures = {}
    for name, (command, aim) in VMS.items():
        simulated_us, best_us, mean_us, rounds = map(int, _output(command, wall_ms).split())
        ratios = {"ratio": simulated_us / best_us, "ratio_mean": simulated_us / mean_us}
        found[name] = {**ratios, "rounds": rounds, "aim": aim}
    return found


def report_rounds(found: Figures) -> list[str]:
    lines = ["simulation: a fault-free carousel round of three players, firmware, plant and link"]
    for name, got in found.items():
        met = "met" if got["ratio"] >= got["aim"] else "NOT met"
        lines.append(
            f"  {name:20s} {got['ratio']:7.0f} simulated seconds per second in the best of {got['rounds']:.0f} rounds,"
            f" {got['ratio_mean']:.0f} on average (aim {got['aim']:g}, {met})"
        )
    return lines


def measure_frames(count: int = FRAMES) -> Figures:
    """Microseconds and bytes of heap for each frame on the MicroPython VM."""
    lines = _output([*NODE, str(ROOT / "tools" / "mpy" / "bench_frames.py")], count).splitlines()
    found: Figures = {}
    for (way, aim), line in zip(FRAME_AIMS.items(), lines, strict=True):
        frames, spent_us, taken = line.split()
        found[way] = {"us": int(spent_us) / int(frames), "heap_bytes": float(taken), "aim": aim}
    return found


def report_frames(found: Figures) -> list[str]:
    lines = ["link on the device: MicroPython (WASM), a clear frame with 16 bytes of payload"]
    for way, got in found.items():
        met = "met" if got["heap_bytes"] <= got["aim"] else "NOT met"
        heap = f"{got['heap_bytes']:g} bytes of heap (aim {got['aim']:g}, {met})"
        lines.append(f"  {way:9s} {got['us']:6.1f} us   {heap}")
    return lines
