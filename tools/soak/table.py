"""`make table-soak`: tables with simulated shoes, killed with SIGKILL at random, until the time is over.

    python -m soak.table --minutes M [--seed S] [--game G]

A child process plays rounds; shoe and books live in a folder. It writes a dot whenever it asks people for something,
and is killed at a random dot, a few milliseconds later: a busy computer kills at the same places as a fast one. The
kill takes program and shoe down together. At the end the shoe's own events are held against the books: nothing lost,
nothing booked twice, money conserved, and every round settles again to the same lines.
"""

from __future__ import annotations

import argparse
import random
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fairshoe_table.play import registry
from fairshoe_table.simulated.demonstration import simulated_table
from fairshoe_table.simulated.stack import StackReport, TroubledFloor, compare

DOTS = (1, 45)  # a round has 15 to 30
LATER_S = 0.05

SHOE_SEED = 1  # the same shoe in every run


def child(folder: Path, game: str, seed: int) -> None:
    with simulated_table(folder, game, seed, shoe_seed=SHOE_SEED) as it:
        floor = TroubledFloor(it.floor)
        floor.strike = lambda: _dot(floor)
        _dot(floor)
        it.table.floor = floor
        while True:
            it.table.play_round()


def _dot(floor: TroubledFloor) -> None:
    sys.stdout.write(".")
    sys.stdout.flush()
    floor.countdown = 1  # at the next call again


def check(folder: Path, game: str, seed: int) -> StackReport:
    """One good round to the end, then compare."""
    report = StackReport()
    with simulated_table(folder, game, seed, shoe_seed=SHOE_SEED) as it:
        it.table.play_round()
        it.table.play_round()
        it.shoe.sim.sleep(1)
        compare(it, report)
    return report


def soak(game: str, until: float, seed: int, folder: Path) -> tuple[int, StackReport]:
    """How often it was killed, and what shoe and books say in the end."""
    rng = random.Random(seed)
    kills = 0
    while time.monotonic() < until:
        command = [
            sys.executable,
            "-m",
            "soak.table",
            "--child",
            str(folder),
            "--game",
            game,
            "--seed",
            str(rng.getrandbits(16)),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            seen = len(process.stdout.read(rng.randint(*DOTS)))
            time.sleep(rng.uniform(0, LATER_S))
            if not seen or process.poll() is not None:
                wrong = f"the program ended by itself, with status {process.wait()}"
                return kills, StackReport(wrong=[wrong])
            process.kill()
            kills += 1
    return kills, check(folder, game, seed)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="soak.table", description="Kill tables at random, then compare shoe and books."
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=secrets.randbits(16))
    parser.add_argument("--game", choices=registry.ids(), help="one game only (default: all in turn)")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        child(given.child, given.game, given.seed)
        return 0
    games = [given.game] if given.game else list(registry.ids())
    print(f"seed {given.seed}: make table-soak MINUTES={given.minutes:g} SEED={given.seed}", flush=True)
    wrong = 0
    for game in games:
        with tempfile.TemporaryDirectory() as name:
            until = time.monotonic() + given.minutes * 60 / len(games)
            kills, report = soak(game, until, given.seed, Path(name))
        wrong += len(report.wrong)
        print(
            f"{game}: {kills} kills, {report.ended} rounds ended, {report.void} void, {len(report.wrong)} wrong",
            flush=True,
        )
        for text in report.wrong:
            print(f"  {text}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
