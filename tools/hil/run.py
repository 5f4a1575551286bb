"""One run of `make hil`: a board that starts, its rounds and stories, each played by a copy of it."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairshoe.errors import FairshoeError
from fairshoe.keys import Role, role_key
from fairshoe.ship.build import MAIN_PY, read_config
from fairshoe.ship.import_closure import ShipError
from hil import report
from hil.board import ROOT, HilBoard, Notes, Setup, set_up
from hil.broken import BROKEN, halts, starts
from hil.image import RELEASE, STOCK, Image
from hil.motion import Motion
from hil.parts import Part, all_at_once
from hil.player import Player, StoryError, expect
from hil.release import FILES, TRIES, locked, reset_loop
from hil.rounds import deck_of, good_round
from hil.stories import by_default, stories_of

DEVICE_KEY = bytes(range(32))  # of every emulated device that has one
PAGE_MS = 500  # a display has a whole page in 0.4 s
PRODUCT = "product"
LOCKED = "locked"
RESETS = "resets"
SHELVES_RELEASE_CARDS = 384
_RESTS = ("heap_rest", "locked", "largest", "stack")  # printed between rounds


class Run:
    """What one command line asks for."""

    def __init__(self, options: argparse.Namespace, image: Image) -> None:
        self.uf2 = Path(options.uf2)
        self.image = image
        self.board: str = options.board or image.board or "pico-carousel"
        self.seed: int = options.seed
        self.rounds: int = options.rounds
        self.keyed: bool = options.keyed
        self.notes = Notes()
        self.main_extra = 0  # bytes of heap that the product's main.py takes more than the one that measures
        config = read_config(self.board, ROOT)
        check_board(self.board, config)
        check_image(self.board, image, options)
        self.kind = str(config["mechanism"]["kind"])
        self.deck = int(options.cards or deck_of(config, options.quick))
        if image.kind == RELEASE:
            self.deck = deck_of({**config, "mechanism": {"kind": ""}}, False)  # what is frozen in it
        self.device_key = DEVICE_KEY if options.keyed else b""
        self.setup = set_up(self.uf2, image, self.board, self.deck, self.keyed)
        self.config = self.setup.config
        if image.kind == RELEASE:
            self.setup.files.update(FILES)

    def on_table(self, setup: Setup) -> tuple[HilBoard, Player]:
        """A board that gets its power, and who plays at it."""
        board = HilBoard(setup, self.seed, self.notes, self.device_key)
        key = role_key(self.device_key, Role.TABLE) if self.device_key else None
        return board, Player(board, self.notes, key=key)

    def boot(self) -> tuple[HilBoard, Player]:
        self.notes(f"booting the {self.image.kind} image with {self.deck} cards for {self.board}")
        board, player = self.on_table(self.setup)
        if not self.setup.probed:
            player.greet()
            player.until("empty_proved")
            return board, player
        board.wait("@ booted")
        self.notes(f"fairshoe {board.said()['version'][0]} scans and proves that it is empty")
        player.greet()
        player.until("empty_proved")
        board.wait("@ ready")
        self.main_extra = report.main_extra(board.said(), self.main_bytes())
        for row in self.boot_rows(board.said()):
            self.notes(row.text())
        return board, player

    def main_bytes(self) -> int:
        """What is in use on a board that has loaded the product's main.py and nothing else; in an image it is flash."""
        main = "import gc\n" if self.image.frozen else MAIN_PY.removesuffix("boot()\n")
        # The host takes the console a while after power-on: what is printed before is lost.
        main += "import time\ngc.collect()\nused = gc.mem_alloc()\ntime.sleep(1)\nprint('@ main', used, '')\n"
        clock = self.notes.clock
        board = HilBoard(replace(self.setup, files={"main.py": main.encode()}), self.seed, self.notes)
        board.wait("@ main", 3.0)
        board.run_us(1000)  # the rest of the line
        self.notes.clock = clock
        return int(board.said()["main"][0])

    def boot_rows(self, said: report.Printed) -> list[report.Row]:
        if self.image.frozen:
            size = report.Row("image", self.image.flash_bytes, "bytes")
        else:
            size = report.Row("files on the file system", self.setup.shipped_bytes, "bytes")
        return report.boot_rows(said, size, self.main_extra)

    # -- parts -------------------------------------------------------------------------------------------------------

    def play(self, name: str, board: HilBoard, player: Player) -> Part:
        """A story, to its end or to what is wrong with it."""
        part = Part()
        self.notes.prefix = f"{name}: "
        started = board.said()
        try:
            if name == "rounds":
                self.play_rounds(board, player, part)
            elif name == LOCKED:
                locked(board, player)
            elif name == RESETS:
                reset_loop(board, player)
            else:
                stories_of(self.config, self.deck)[name].play(player)
            player.check()
            wanted = TRIES if name == RESETS else 0
            expect(board.resets == wanted, f"the watchdog has reset the device {board.resets} times, not {wanted}")
            if self.setup.probed and name != "rounds":
                part.said = report.said_since(started, board.said())
                for text in report.story_texts(part.said):
                    self.notes(text)
                if "noisy" in part.said:
                    self.notes(report.noisy_text(part.said))
                problems = report.story_problems(part.said)
                expect(not problems, "; ".join(problems))
        except (StoryError, FairshoeError) as error:
            part.result = f"WRONG: {error}"
        return self.ended(part, board)

    def ended(self, part: Part, board: HilBoard) -> Part:
        part.emulated_s = board.port.clock()
        self.notes(part.result if part.result == report.GOOD else f"{part.result}\n{board.tail()}")
        return part

    def play_rounds(self, board: HilBoard, player: Player, part: Part) -> None:
        """The first runs as the product does, and is measured."""
        for number in range(self.rounds):
            self.notes(f"round {number + 1} of {self.rounds}")
            measured = self.setup.probed and not number
            motion = Motion(board, shuffles="axis" in self.config) if measured else None
            player.watch = motion.look if motion else None
            good_round(player)
            player.run(PAGE_MS)
            self.read_display(board)
            if motion:
                part.motion = motion.figures()
                part.said = board.said()
                expect(report.scans_moving(part.said) > 0, "no card moved in any scan that was timed")
                for row in report.motion_rows(part.said, part.motion):
                    self.notes(row.text())
            if self.setup.probed:
                part.said.update({word: said for word, said in board.said().items() if word.startswith(_RESTS)})

    def read_display(self, board: HilBoard) -> None:
        """A dealer has to be able to read it."""
        if "display" not in self.config:
            return
        lines = board.display()
        self.notes(f"  display: {' | '.join(line.strip() for line in lines)}")
        expect(lines[0].strip() != "" and "".join(lines).isascii(), f"the display cannot be read: {lines}")

    def play_product(self) -> Part:
        self.notes.prefix = f"{PRODUCT}: "
        board, player = self.on_table(set_up(self.uf2, self.image, self.board, self.deck, self.keyed, probe=False))
        return self.ended(starts(board, player), board)

    def play_broken(self, name: str) -> Part:
        self.notes.prefix = f"{name}: "
        change, expected = BROKEN[name]
        setup = set_up(self.uf2, self.image, self.board, self.deck, self.keyed, probe=False)
        change(setup.files)
        board, player = self.on_table(setup)
        return self.ended(halts(board, player, setup.files, expected), board)


def check_board(name: str, config: dict[str, Any]) -> None:
    """Raise for a board that this bench cannot be."""
    chip = config.get("mcu", {})
    if chip.get("port") != "rp2" or "Pico 2" in str(chip.get("board")):
        raise ShipError(f"{name} is a {chip.get('board')}; this emulator is an RP2040")
    if config["nv"].get("kind") != "fram" or "expander" not in config:
        raise ShipError(f"{name} has other parts than this bench, which has FRAM and a port expander")


def check_image(board: str, image: Image, options: argparse.Namespace) -> None:
    """Raise for an image that cannot play what is asked for."""
    if not image.is_for(board):
        raise ShipError(f"this image is for another board than {board}: {image.identity!r}")
    if image.kind == RELEASE and (options.quick or options.cards):
        raise ShipError("a release image plays the deck that is frozen in it; QUICK and CARDS want BENCH=1 or stock")


def parts_of(run: Run, options: argparse.Namespace) -> list[str]:
    """The names of what to play; --only takes patterns."""
    stories = list(stories_of(run.config, run.deck))
    started = {STOCK: [PRODUCT, *BROKEN], RELEASE: [LOCKED, RESETS]}.get(run.image.kind, [])
    known = ["rounds", *stories, *started]
    if options.only:
        wanted = [name for name in known if any(fnmatch.fnmatch(name, pattern) for pattern in options.only)]
        for pattern in options.only:
            if not fnmatch.filter(known, pattern):
                plain = ", ".join(name for name in known if not name.startswith("storm-"))
                raise ShipError(f"no part called {pattern!r}; {run.board} has {plain} and storm-LINE-KHZk-MOMENT")
        return wanted
    if options.quick:
        return ["rounds"]
    rounds = ["rounds"] if run.deck < SHELVES_RELEASE_CARDS else []  # an hour of emulation: only if asked for
    return [*rounds, *by_default(run.config, run.deck), *started]


def play_all(run: Run, wanted: list[str], jobs: int) -> tuple[report.Printed, dict[str, Part]]:
    """What the started board said, and every part."""
    works: dict[str, Callable[[], Part]] = {}
    said: report.Printed = {}
    live = [name for name in wanted if name != PRODUCT and name not in BROKEN]
    if live:
        board, player = run.boot()
        said = board.said()
        works |= {name: lambda name=name: run.play(name, board, player) for name in live}
    works |= {name: lambda name=name: run.play_broken(name) for name in wanted if name in BROKEN}
    if PRODUCT in wanted:
        works[PRODUCT] = run.play_product
    return said, all_at_once(works, jobs)
