"""The firmware on an emulated Raspberry Pi Pico, played with the host library: `make hil UF2=...`.

A real MicroPython boots from an emulated flash; the simulated plant sits at its pins, FRAM, port expander and display
on its buses, fairshoe.Shoe at its link, all in emulated time. docs/TESTING.md says what is played, docs/BUDGETS.md what
was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace

from emulator import flash_cache
from emulator.native import load_burst, prepare

from fairshoe.errors import FairshoeError
from fairshoe.ship.import_closure import ShipError
from hil import report
from hil.board import ROOT
from hil.image import Image
from hil.options import add_uf2, find_image, images_in, not_run
from hil.parts import Part
from hil.player import StoryError
from hil.port import EMULATED, measure, measure_emulated
from hil.run import PRODUCT, Run, parts_of, play_all


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hil", description="The firmware on an emulated Pico, played and measured.")
    add_uf2(parser)
    parser.add_argument(
        "--port", help="a Pico at this serial port, with nothing wired to it, in place of the emulated one"
    )
    parser.add_argument("--board", help="a name in board_configs/ (default: the image's own, else pico-carousel)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds to play (default %(default)s)")
    parser.add_argument("--cards", type=int, default=0, help="deck to play with instead of the default one")
    parser.add_argument("--keyed", action="store_true", help="a session under the device's key, as at a table")
    parser.add_argument("--quick", action="store_true", help="twelve cards; one round unless --only names other parts")
    parser.add_argument(
        "--only", action="append", metavar="PART", help="only this part, or those of a pattern; repeatable"
    )
    parser.add_argument("--seed", type=int, default=7, help="of the plant (default %(default)s)")
    parser.add_argument("--runs", type=int, default=1, help="measure rounds so often, each with another seed")
    parser.add_argument("--if-possible", action="store_true", help="without an image say so, and pass")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/BUDGETS.md")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--strict", action="store_true", help="fail when a budget is missed, too")
    return parser.parse_args(argv)


def measured() -> str:
    """When, and of which sources: a full set without an image says so (hil.options)."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return f"Measured on {time.strftime('%d %B %Y')} at commit {commit.stdout.strip()}."


class Clock:
    """Time since then: by the clock, and of processors, its child processes' included. On a busy computer only the
    second says how much work it was."""

    def __init__(self) -> None:
        self.wall, self.processor = time.perf_counter(), sum(os.times()[:4])

    def text(self) -> str:
        wall_s, processor_s = time.perf_counter() - self.wall, sum(os.times()[:4]) - self.processor
        return f"{wall_s / 60:.1f} minutes, {processor_s / 60:.1f} of processor time"


@dataclass
class Played:
    """One board: its title, the hash of what its image has frozen, its figures, those of the first round by the cycles
    that a miss costs, how each part ended, and the time."""

    title: str
    content: str
    rows: list[report.Row]
    by_miss: dict[int, list[report.Row]]
    results: dict[str, str]
    ends: str

    @property
    def good(self) -> bool:
        return all(result == report.GOOD for result in self.results.values())


def main(argv: list[str] | None = None) -> int:
    options = parse(argv)
    if options.port not in (None, EMULATED):
        return measure(options.port)
    if min(options.rounds, options.runs) < 1:
        print("hil: --rounds and --runs are at least 1", file=sys.stderr)
        return 2
    if options.quick:
        options.rounds = 1
    images = images_in(options.uf2, options.board)
    if options.if_possible and images == [None]:
        print(not_run("rounds on the emulated chip"))
        return 0
    if options.port:
        options.uf2 = images[0]
        image, wrong = find_image(options)
        print(wrong, end="", file=sys.stderr)
        return measure_emulated(str(options.uf2)) if image else 2
    clock = Clock()
    played: dict[str, Played] = {}
    for uf2 in images:
        options.uf2 = uf2
        done = play_image(options)
        if isinstance(done, int):
            return done
        board, found = done
        played[board] = found
    if options.json:
        print(json.dumps([report.as_json(one.title, one.rows, one.results) for one in played.values()], indent=1))
    if options.write:
        runs = "1 run" if options.runs == 1 else f"{options.runs} runs"
        text = f"{runs} of each board, seeds from {options.seed} on; {next(iter(played.values())).title}. "
        text += f"Content of the images: {', '.join(f'{board} {one.content}' for board, one in played.items())}. "
        text += f"All of it took {clock.text()}.\n\n{measured()}"
        columns = {board: one.rows for board, one in played.items()}
        parts = {board: one.results for board, one in played.items()}
        by_miss = {board: one.by_miss for board, one in played.items()}
        report.write_budgets(ROOT / "docs" / "BUDGETS.md", report.markdown(columns, by_miss, parts, text))
    if not options.json and len(played) > 1:
        good = sum(one.good for one in played.values())
        print(f"{good} of {len(played)} boards good; all of it took {clock.text()}")
    kept = all(row.kept for one in played.values() for row in one.rows)
    return 0 if all(one.good for one in played.values()) and (kept or not options.strict) else 1


def play_image(options: argparse.Namespace) -> tuple[str, Played] | int:
    """A board and how it went, or the exit status of what cannot be played."""
    image, wrong = find_image(options)
    if image is None:
        print(wrong, file=sys.stderr)
        return 2
    clock = Clock()
    try:
        prepare()
        run = Run(options, image)
        said, parts = play_all(run, parts_of(run, options), options.jobs)
        runs = [rows_of(run, said, parts)]
        for number in range(1, options.runs if "rounds" in parts else 1):
            again = Run(argparse.Namespace(**{**vars(options), "seed": options.seed + number}), image)
            said_again, rounds = play_all(again, ["rounds"], 1)
            parts[f"rounds, seed {again.seed}"] = rounds["rounds"]
            runs.append(rows_of(again, said_again, rounds))
        by_miss = {
            miss: rows_at(miss, options, image, parts) for miss in flash_cache.MISS_CYCLES_TRIED if options.write
        }
    except ShipError as error:
        print(f"hil: {error}", file=sys.stderr)
        return 2
    except (StoryError, FairshoeError) as error:
        print(f"hil: the board did not start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("hil: interrupted", file=sys.stderr)
        return 130
    return run.board, show(run, options, said, parts, report.merged(runs), by_miss, clock)


def rows_at(miss: int, options: argparse.Namespace, image: Image, parts: dict[str, Part]) -> list[report.Row]:
    """The figures of one round on a chip where a miss costs so many cycles."""
    before = flash_cache.miss_cycles()
    os.environ[flash_cache.MISS] = str(miss)
    try:
        run = Run(argparse.Namespace(**{**vars(options), "rounds": 1}), image)
        said, rounds = play_all(run, ["rounds"], 1)
    finally:
        os.environ[flash_cache.MISS] = str(before)
    parts[f"rounds, {miss} cycles a miss"] = rounds["rounds"]
    return rows_of(run, said, rounds)


def rows_of(run: Run, said: report.Printed, parts: dict[str, Part]) -> list[report.Row]:
    rows = run.boot_rows(said) if said else []
    rounds = parts.get("rounds")
    if rounds is not None and rounds.result == report.GOOD and rounds.motion:
        rows += report.motion_rows(rounds.said, rounds.motion)
        rows += report.round_rows(rounds.said, run.rounds, run.image.frozen, run.main_extra)
    if load_burst() is None or not flash_cache.miss_cycles():
        rows = [replace(row, budget=None) if row.unit == "us" else row for row in rows]
    if PRODUCT in parts and "welcome_ms" in parts[PRODUCT].motion:
        rows.append(report.Row("power-on to the product's welcome", parts[PRODUCT].motion["welcome_ms"], "ms"))
    return rows


def show(
    run: Run, options: argparse.Namespace, said: report.Printed, parts: dict[str, Part], rows: list[report.Row],
    by_miss: dict[int, list[report.Row]], clock: Clock,
) -> Played:  # fmt: skip
    results = {name: part.result for name, part in parts.items()}
    title = f"{run.board}, {run.image.kind} image, {run.deck} cards, {'keyed' if run.keyed else 'clear'}: fairshoe "
    title += " ".join(said.get("version", ["?"]))
    miss = flash_cache.miss_cycles() if load_burst() else 0
    title += f"; {miss} cycles a miss" if miss else "; flash costs nothing: no time is judged"
    emulated_s = sum(part.emulated_s for part in parts.values())
    ends = f"{emulated_s:.0f} s of emulated time took {clock.text()}; limits: docs/BUDGETS.md"
    if not options.json:
        print(report.table(title, rows, results, ends), flush=True)
    return Played(title, run.image.content, rows, by_miss, results, ends)


if __name__ == "__main__":
    sys.exit(main())
