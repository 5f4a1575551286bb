"""`make bench`: speed as ratios, measured in one run. The machine against the shortest time that any controller could
need; simulated seconds per second for a round, on both VMs; frames on the host against what others use; frames on the
device's VM, with the heap they take; the start of a command; 500 shoes in one process; 1,000 shoes
through four gateways into PostgreSQL; the bench page in Chromium."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from floor import servers
from web import speed as page_speed

from bench import fleet as bench_fleet
from bench import floor as bench_floor
from bench import floor_api as bench_floor_api
from bench import link as bench_link
from bench import machine as bench_machine
from bench import pit as bench_pit
from bench import start as bench_start

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "mpy" / "bench_round.py"
LOADER = f"import sys, runpy; sys.argv = sys.argv[1:]; import fairshoe; runpy.run_path({str(SCRIPT)!r})"
VMS = {
    "CPython": ([sys.executable, "-c", LOADER, "bench_round.py"], 1000),
    "MicroPython (WASM)": ([str(ROOT / ".venv/bin/node"), "tools/mpy/exec.mjs", str(SCRIPT)], 50),
}


def measure(command: list[str], wall_ms: int) -> dict[str, float]:
    done = subprocess.run([*command, str(wall_ms)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command[:2])} failed:\n{done.stderr[-2000:]}")
    simulated_us, best_us, mean_us, rounds = map(int, done.stdout.split())
    return {"ratio": simulated_us / best_us, "ratio_mean": simulated_us / mean_us, "rounds": rounds}


FRAMES = ROOT / "tools" / "mpy" / "bench_frames.py"
# Bytes of heap a frame: nothing, and at most one integer, which is an object and its digits, 16 bytes each.
FRAME_AIMS = {"received": 0, "sent": 32}


def measure_frames(count: int) -> dict[str, dict[str, float]]:
    """Microseconds and bytes of heap for each frame on the MicroPython VM."""
    command = [str(ROOT / ".venv/bin/node"), "tools/mpy/exec.mjs", str(FRAMES), str(count)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise SystemExit(f"bench: frames on the MicroPython VM failed:\n{done.stderr[-2000:]}")
    found: dict[str, dict[str, float]] = {}
    for way, line in zip(FRAME_AIMS, done.stdout.splitlines(), strict=True):
        frames, spent_us, taken = line.split()
        found[way] = {"us": int(spent_us) / int(frames), "heap_bytes": float(taken), "aim": FRAME_AIMS[way]}
    return found


def print_frames(found: dict[str, dict[str, float]]) -> None:
    print("link on the device: MicroPython (WASM), a clear frame with 16 bytes of payload")
    for way, got in found.items():
        met = "met" if got["heap_bytes"] <= got["aim"] else "NOT met"
        print(f"  {way:9s} {got['us']:6.1f} us   {got['heap_bytes']:g} bytes of heap (aim {got['aim']:g}, {met})")


def main() -> int:
    parser = argparse.ArgumentParser("bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--seconds", type=float, default=4, help="how long each VM plays (%(default)s)")
    parser.add_argument("--seeds", type=int, default=20, help="runs of each machine (%(default)s)")
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    machine = bench_machine.measure(options.seeds)
    if not options.json:
        print("\n".join(bench_machine.report(machine, options.seeds)))
        print("simulation: a fault-free carousel round of three players, firmware, plant and link")
    for name, (command, aim) in VMS.items():
        figures[name] = measure(command, int(options.seconds * 1000)) | {"aim": aim}
        if not options.json:
            got = figures[name]
            met = "met" if got["ratio"] >= aim else "NOT met"
            print(
                f"  {name:20s} {got['ratio']:7.0f} simulated seconds per second"
                f" in the best of {got['rounds']:.0f} rounds, {got['ratio_mean']:.0f} on average (aim {aim}, {met})",
                flush=True,
            )
    device = measure_frames(3000)
    best, missing = bench_link.measure()
    started = bench_start.measure()
    many = bench_fleet.measure()
    pit = list(bench_pit.climb())
    lacking = servers.missing()
    floor = api = None
    if not lacking:
        try:
            floor = (bench_floor.measure(), bench_floor.backlog())
            api = (bench_floor_api.measure(), bench_floor_api.measure_desk())
        except bench_floor.NotOpen as error:
            lacking = [str(error)]
    page = page_speed.measure()
    if options.json:
        found = {"machine": machine, **figures, "device frames": device, "host kframes": best, "not measured": missing}
        print(
            json.dumps(
                found | {"fleet": many, "gateway": pit, "floor": floor, "api": api} | {"page": page, "start s": started}
            )
        )
    else:
        print_frames(device)
        said = bench_floor.report(*floor) if floor else [f"floor: NOT MEASURED: {'; '.join(lacking)}."]
        said += bench_floor_api.report(*api) if api else []
        print("\n".join(bench_start.report(started)))
        said = bench_link.report(best, missing) + bench_fleet.report(many) + bench_pit.report(pit) + said
        print("\n".join(said + page_speed.report(page)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
