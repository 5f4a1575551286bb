"""The shipped firmware on an emulated Raspberry Pi Pico, played through with the host library: `make hil UF2=...`.

A real MicroPython boots from an emulated flash; the simulated plant sits at its pins, FRAM, port expander and display
on its buses, fairshoe.Shoe at its link, all in emulated time. Rounds are played, things go wrong, power fails; what it
took is set against the budgets. Then devices with broken files have to say what is wrong with them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hil_report as report
import hil_stories as stories
from hil_board import ROOT, Files, HilBoard, Notes, files_of
from hil_image import image_problem

from fairshoe.errors import DeviceHalted, FairshoeError
from fairshoe.keys import Role, role_key
from fairshoe.ship.build import MAIN_PY, read_config
from fairshoe.ship.closure import ShipError

NEEDED = """make hil needs a MicroPython 1.28 image for the Raspberry Pi Pico (board RPI_PICO), a .uf2 file:

    make hil UF2=path/to/RPI_PICO.uf2

MicroPython publishes such files on its download pages, under that board; or build one from its sources
(ports/rp2, BOARD=RPI_PICO). None is kept in this repository."""

CYCLES_PER_US = 125
DEVICE_KEY = bytes(range(32))  # of every emulated device that has one
PROMPT = ">>> "
_SAID_AGAIN_S = 1.2
PAGE_MS = 500  # a display has a whole page in 0.4 s


@dataclass
class Part:
    """One part of a run: what a child process reports."""

    result: str = report.GOOD
    said: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    motion: dict[str, float] = field(default_factory=dict[str, float])
    emulated_s: float = 0.0


class Run:
    """One run: a board that has started, and for every story a copy of it in a process of its own."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.uf2 = Path(options.uf2)
        self.board: str = options.board
        self.seed: int = options.seed
        self.rounds: int = options.rounds
        self.notes = Notes()
        config = read_config(self.board, ROOT)
        check_board(self.board, config)
        self.kind = str(config["mechanism"]["kind"])
        self.device_key = DEVICE_KEY if options.keyed else b""
        self.files, self.config, built = files_of(self.board, probe=True, keyed=options.keyed)
        self.shipped_bytes = sum(item.shipped_bytes for item in built.shipped if item.path != "main.py")
        self.shipped_bytes += len(MAIN_PY)

    def board_of(self, files: Files, config: dict[str, Any]) -> tuple[HilBoard, stories.Player]:
        """One with power, and who plays at it."""
        board = HilBoard(self.uf2, files, config, self.seed, self.notes, self.device_key)
        key = role_key(self.device_key, Role.TABLE) if self.device_key else None
        return board, stories.Player(board, self.notes, key=key)

    def boot(self) -> tuple[HilBoard, stories.Player]:
        self.notes("booting MicroPython")
        board, player = self.board_of(self.files, self.config)
        board.wait("@ booted")
        self.notes(f"fairshoe {board.said()['version'][0]} scans; it proves that it is empty")
        player.greet()
        player.until("empty_proved")
        board.wait("@ ready")
        for row in report.boot_rows(board.said(), self.shipped_bytes):
            self.notes(row.text())
        return board, player

    def play_rounds(self, board: HilBoard, player: stories.Player, part: Part) -> None:
        """The first at the product's own pace, and measured."""
        for number in range(self.rounds):
            self.notes(f"round {number + 1} of {self.rounds}")
            motion = Motion(board, shuffles="axis" in self.config) if not number else None
            player.watch = motion.look if motion else None
            stories.ROUNDS[self.kind](player)
            player.run(PAGE_MS)
            self.read_display(board)
            if motion:
                part.motion = motion.figures()
                part.said = board.said()
                stories.expect(report.scans_moving(part.said) > 0, "no card moved in any scan that was timed")
                for row in report.motion_rows(part.said, part.motion):
                    self.notes(row.text())
            rests = {word: said for word, said in board.said().items() if word.startswith(("heap_rest", "locked"))}
            part.said.update(rests)
            self.notes(report.round_rows(part.said, number + 1)[-1].text())

    def read_display(self, board: HilBoard) -> None:
        """Whatever it says, a dealer has to be able to read it."""
        if "display" not in self.config:
            return
        lines = board.bench.lcd.screen() or ("",)
        self.notes(f"  display: {' | '.join(line.strip() for line in lines)}")
        if not lines[0].strip() or not "".join(lines).isascii():
            raise stories.StoryError(f"the display cannot be read: {lines}")

    def play(self, name: str, board: HilBoard, player: stories.Player) -> Part:
        """A story, to its end or to what is wrong with it."""
        part = Part()
        self.notes.prefix = f"{name}: "
        try:
            if name == "rounds":
                self.play_rounds(board, player, part)
            else:
                stories.FAULTS[name](player)
            player.check()
        except (stories.StoryError, FairshoeError) as error:
            part.result = f"WRONG: {error}"
            self.notes(f"{part.result}\n{board.tail(self.board)}")
        part.emulated_s = board.port.clock()
        self.notes(part.result)
        return part


def check_board(name: str, config: dict[str, Any]) -> None:
    """Raise for a board that this bench cannot be."""
    chip = config.get("mcu", {})
    if chip.get("port") != "rp2" or "Pico 2" in str(chip.get("board")):
        raise ShipError(f"{name} is a {chip.get('board')}; what is emulated here is an RP2040")
    if config["nv"].get("kind") != "fram" or "expander" not in config:
        raise ShipError(f"{name} has other parts than the bench: it has FRAM and a port expander")


class Motion:
    """What the processor does while cards move: in an intake if there is one, else in the whole round."""

    def __init__(self, board: HilBoard, shuffles: bool) -> None:
        self.board = board
        self.shuffles = shuffles
        self.began: tuple[int, int] | None = None if shuffles else self._now()
        self.percent: float | None = None
        board.bench.masked.start()

    def look(self) -> None:
        if not self.shuffles or self.percent is not None:
            return
        if self.began is None and "@ shuffling" in self.board.console:
            self.began = self._now()
        elif self.began is not None and "@ done" in self.board.console:
            self.percent = self._share(self.began)

    def figures(self) -> dict[str, float]:
        bench = self.board.bench
        bench.masked.stop()
        share = self.percent if self.percent is not None else self._share(self.began or self._now())
        return {
            "cpu_percent": share,
            "masked_us": bench.masked.masked_us,
            "handler_us": bench.masked.handler_us,
            "stop_us": max(bench.stop_us, default=0),
        }

    def _now(self) -> tuple[int, int]:
        return self.board.bench.pico.busy_cycles, self.board.bench.pico.now_us

    def _share(self, began: tuple[int, int]) -> float:
        cycles, us = self._now()
        return (cycles - began[0]) * 100 / (max(us - began[1], 1) * CYCLES_PER_US)


# -- devices that cannot start --------------------------------------------------------------------


def without_board(files: Files) -> None:
    del files["board.json"]


def torn_board(files: Files) -> None:
    files["board.json"] = files["board.json"][:-40]


def board_without_storage(files: Files) -> None:
    config = json.loads(files["board.json"])
    del config["nv"]
    files["board.json"] = json.dumps(config).encode()


def missing_module(files: Files) -> None:
    del files[max(name for name in files if name.endswith(".mpy"))]


def flipped_bit(files: Files) -> None:
    name = max((name for name in files if name.endswith(".mpy")), key=lambda name: len(files[name]))
    data = bytearray(files[name])
    data[len(data) // 2] ^= 0x04
    files[name] = bytes(data)


BROKEN: dict[str, tuple[Callable[[Files], None], str]] = {
    "no board.json": (without_board, "board: OSError"),
    "torn board.json": (torn_board, "board: ValueError"),
    "missing module": (missing_module, "files: ValueError"),
    "flipped bit": (flipped_bit, "files: ValueError"),
    "no storage": (board_without_storage, "start: KeyError('nv'"),
}


def halt(run: Run, name: str) -> Part:
    """A product with something wrong: it says so at the table port, nothing turns, and its console gives a prompt."""
    change, expected = BROKEN[name]
    run.notes.prefix = f"{name}: "
    files, config, _built = files_of(run.board, probe=False, keyed=bool(run.device_key))
    change(files)
    board, player = run.board_of(files, config)
    part = Part()
    try:
        player.greet()
        part.result = "WRONG: it started"
    except DeviceHalted as error:
        run.notes(error.what)
        board.bench.pico.run(_SAID_AGAIN_S)
        screen = shown_halted(files, board)
        ok = expected in error.what and not any(board.plant.outputs) and screen
        part.result = (
            report.GOOD
            if ok
            else (f"WRONG: {error.what} Outputs: {list(board.plant.outputs)}, display: {board.bench.lcd.screen()}")
        )
    except FairshoeError as error:
        part.result = f"WRONG: {error}\n{board.tail(run.board)}"
    if part.result == report.GOOD:
        board.bench.pico.type(b"\x03")
        if not board.bench.pico.run(3.0, until=lambda: board.console.endswith(PROMPT)):
            part.result = f"WRONG: no prompt at the console after Ctrl-C, but\n{board.tail(run.board)}"
    part.emulated_s = board.port.clock()
    run.notes(part.result)
    return part


def shown_halted(files: Files, board: HilBoard) -> bool:
    """Whether the display says it, if a config that can be read has one."""
    try:
        known = "display" in json.loads(files.get("board.json", b""))
    except ValueError:
        known = False
    return not known or (board.bench.lcd.screen() or ("",))[0].strip() == "OUT OF SERVICE"


def product(run: Run) -> Part:
    """What is shipped, main.py and all, starts and says hello."""
    run.notes.prefix = "product: "
    files, config, _built = files_of(run.board, probe=False, keyed=bool(run.device_key))
    board, player = run.board_of(files, config)
    part = Part()
    try:
        player.greet()
        part.motion["welcome_ms"] = round(board.port.clock() * 1000)
        player.until("empty_proved")
        player.check()
    except (stories.StoryError, FairshoeError) as error:
        part.result = f"WRONG: {error}\n{board.tail(run.board)}"
    part.emulated_s = board.port.clock()
    run.notes(part.result)
    return part


# -- processes ------------------------------------------------------------------------------------


def all_at_once(works: dict[str, Callable[[], Part]], jobs: int) -> dict[str, Part]:
    """Each in a copy of this process, some at a time: so a board that has started is started once."""
    context = multiprocessing.get_context("fork")
    waiting = list(works)
    running: dict[str, tuple[Any, Any]] = {}
    parts: dict[str, Part] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name = waiting.pop(0)
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_send, args=(theirs, works[name]))
            process.start()
            theirs.close()
            running[name] = process, ours
        for name, (process, pipe) in list(running.items()):
            if pipe.poll(0.2) or not process.is_alive():
                parts[name] = _receive(pipe)
                process.join()
                del running[name]
    return {name: parts[name] for name in works}


def _send(pipe: Any, work: Callable[[], Part]) -> None:
    try:
        pipe.send(work())
    except KeyboardInterrupt:
        os._exit(130)  # the first process has heard it too, and says so


def _receive(pipe: Any) -> Part:
    try:
        return pipe.recv()
    except EOFError:
        return Part("WRONG: its process ended without a word")


# -- the command ----------------------------------------------------------------------------------


def add_uf2(parser: argparse.ArgumentParser) -> None:
    """What everything needs that runs on the emulated board."""
    parser.add_argument("--uf2", default=os.environ.get("UF2") or None, help="MicroPython for RPI_PICO")
    parser.add_argument("--jobs", type=int, default=2, help="emulated boards at a time (default %(default)s)")


def missing(options: argparse.Namespace) -> str:
    """Why it cannot run; empty if it can."""
    if options.uf2 is None:
        return NEEDED
    if not Path(options.uf2).is_file():
        return f"hil: there is no file {options.uf2}\n\n{NEEDED}"
    if problem := image_problem(Path(options.uf2)):
        return f"hil: {options.uf2} {problem}\n\n{NEEDED}"
    if importlib.util.find_spec("rp2040py") is None:
        return "hil: the emulator is not installed; `make hil` installs it first"
    return "hil: --jobs is at least 1" if options.jobs < 1 else ""


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hil", description="The firmware on an emulated Pico, played and measured.")
    add_uf2(parser)
    parser.add_argument("--board", default="pico-carousel", help="a name in board_configs/ (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds to play (default %(default)s)")
    parser.add_argument("--keyed", action="store_true", help="a session under the device's key, as at a table")
    parser.add_argument("--quick", action="store_true", help="one round and nothing else")
    parser.add_argument("--only", action="append", metavar="PART", help="this part alone; may be repeated")
    parser.add_argument("--seed", type=int, default=7, help="of the plant (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--strict", action="store_true", help="fail when a budget is missed, too")
    return parser.parse_args(argv)


def parts_of(run: Run, options: argparse.Namespace) -> list[str]:
    # Faults are played where a machine shuffles and deals; the other kinds play a round and start with broken files.
    faults = list(stories.FAULTS) if run.kind == "carousel" else []
    known = ["rounds", *faults, "product", *BROKEN]
    wanted = ["rounds"] if options.quick else options.only or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ShipError(f"no part called {unknown[0]!r}; {run.board} has {', '.join(known)}")
    return wanted


def play_all(run: Run, wanted: list[str], jobs: int) -> tuple[dict[str, list[str]], dict[str, Part]]:
    """What the started board said, and every part."""
    works: dict[str, Callable[[], Part]] = {}
    said: dict[str, list[str]] = {}
    live = [name for name in wanted if name == "rounds" or name in stories.FAULTS]
    if live:
        board, player = run.boot()
        said = board.said()
        works |= {name: lambda name=name: run.play(name, board, player) for name in live}
    works |= {name: lambda name=name: halt(run, name) for name in wanted if name in BROKEN}
    if "product" in wanted:
        works["product"] = lambda: product(run)
    return said, all_at_once(works, jobs)


def main(argv: list[str] | None = None) -> int:
    options = parse(argv)
    wrong = missing(options) or ("hil: --rounds is at least 1" if options.rounds < 1 else "")
    if wrong:
        print(wrong, file=sys.stderr)
        return 2
    if options.quick:
        options.rounds = 1
    began = time.perf_counter()
    try:
        run = Run(options)
        said, parts = play_all(run, parts_of(run, options), options.jobs)
    except ShipError as error:
        print(f"hil: {error}", file=sys.stderr)
        return 2
    except (stories.StoryError, FairshoeError) as error:
        print(f"hil: the board did not start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("hil: interrupted", file=sys.stderr)
        return 130
    return show(run, options, said, parts, time.perf_counter() - began)


def show(run: Run, options: argparse.Namespace, said: report.Said, parts: dict[str, Part], wall_s: float) -> int:
    rows = report.boot_rows(said, run.shipped_bytes) if said else []
    rounds = parts.get("rounds")
    if rounds is not None and rounds.result == report.GOOD:
        rows += report.motion_rows(rounds.said, rounds.motion) + report.round_rows(rounds.said, run.rounds)
    if "product" in parts and "welcome_ms" in parts["product"].motion:
        rows.append(report.Row("power-on to the product's welcome", parts["product"].motion["welcome_ms"], "ms"))
    results = {name: part.result for name, part in parts.items()}
    version = " ".join(said.get("version", ["?"]))
    if options.json:
        print(json.dumps(report.as_json(version, rows, results), indent=1))
    else:
        emulated_s = sum(part.emulated_s for part in parts.values())
        ends = f"{emulated_s:.0f} s of emulated time took {wall_s:.0f} s; limits: docs/BUDGETS.md"
        print(report.table(f"{run.board}: fairshoe {version}", rows, results, ends))
    good = all(result == report.GOOD for result in results.values())
    return 0 if good and (not options.strict or all(row.kept for row in rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
