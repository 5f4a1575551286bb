"""An emulated board with its files in flash, ready for the stories."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairshoe import _device
from fairshoe.ship.build import MAIN_PY, build, read_config
from hil.image import RELEASE, Image
from hil.player import StoryError
from hil.report import words_of
from hil.rounds import game_with_deck, with_deck

ROOT = Path(__file__).resolve().parents[2]
PROBE = ROOT / "tools" / "emulator" / "probe.py"
BOOT_S = 20.0  # emulated seconds to wait for a word of the probe
BLOCK_BYTES = 16  # of MicroPython's heap
_FREE_BLOCKS = re.compile(r"max free sz: (\d+)")  # of micropython.mem_info
Files = dict[str, bytes]


class Notes:
    """Progress on stderr, with both clocks, so that --json stays clean."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.clock: Callable[[], float] = lambda: 0.0
        self.prefix = ""

    def __call__(self, text: str) -> None:
        wall = time.perf_counter() - self.began
        print(f"[{wall:6.1f} s, device {self.clock():7.3f} s] {self.prefix}{text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Setup:
    """One device: the image it runs, the config and the deck it plays with, and the files on its file system."""

    uf2: Path
    image: Image
    config: dict[str, Any]
    deck: int
    files: Files
    shipped_bytes: int = 0  # of a stock MicroPython: all files but the main.py that measures

    @property
    def probed(self) -> bool:
        """Whether a main.py that measures runs in place of the product's."""
        return self.image.kind != RELEASE


def set_up(uf2: Path, image: Image, board: str, cards: int, keyed: bool, probe: bool = True) -> Setup:
    """A stock MicroPython gets the files that `firmware flash` copies, with the probe as main.py; a bench image the
    probe, the config and the game, which win over the frozen ones; a release image nothing."""
    shipped = read_config(board, ROOT)
    config = with_deck(shipped, cards)
    if keyed:
        config["link"] = {**config["link"], "mode": "table"}
    if image.kind == RELEASE:
        return Setup(uf2, image, shipped, cards, {})
    with tempfile.TemporaryDirectory(prefix="fairshoe-hil-") as folder:
        path = Path(folder) / f"{config['name']}.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        # Built as a main.py: the constants that it uses are folded with those of the modules.
        built = build(str(path), ROOT, PROBE.read_text(encoding="utf-8") if probe else MAIN_PY)
    files = dict(built.files)
    if "game.json" in files:
        files["game.json"] = json.dumps(game_with_deck(json.loads(files["game.json"]), cards)).encode()
    if image.frozen:
        files = {name: files[name] for name in ("main.py", "board.json", "game.json") if name in files}
    shipped_bytes = sum(len(data) for name, data in files.items() if name != "main.py") + len(MAIN_PY)
    return Setup(uf2, image, config, cards, files, shipped_bytes)


def install_key(fram: Any, device_key: bytes) -> None:
    """As a technician did at the service port before."""
    from firmware.journal.keys import Keys

    class Cells:
        """The storage verbs that a key needs."""

        def nv_read(self, address: int, buf: bytearray) -> bool:
            buf[:] = fram.data[address : address + len(buf)]
            return True

        def nv_prog(self, address: int, buf: bytearray) -> bool:
            fram.data[address : address + len(buf)] = buf
            return True

        def nv_sync(self) -> bool:
            return True

        def nv_erase(self, address: int, size: int) -> bool:
            return True

    if not Keys(Cells()).store(device_key):
        raise ValueError("the key cannot be stored")


class HilBoard:
    """Bench, port and console of one emulated board: the Board of hil.player."""

    def __init__(self, setup: Setup, seed: int, notes: Notes, device_key: bytes = b"") -> None:
        _device.load()
        from emulator.table_port import TablePort

        from firmware.image import INPUTS

        self.config = setup.config
        self.deck = setup.deck
        self.bench = self.make_bench(setup, seed, INPUTS)
        if device_key:
            install_key(self.bench.fram, device_key)
        self.port = TablePort(self.bench)
        self.plant: Any = self.bench.plant
        self.notes = notes
        notes.clock = self.port.clock

    def make_bench(self, setup: Setup, seed: int, lines: tuple[str, ...]) -> Any:
        from emulator.bench import Bench
        from emulator.flashfs import build_image, erased_image

        flash = build_image(setup.files) if setup.files else erased_image()
        return Bench(setup.uf2, flash, setup.config, lines, seed)

    def hand(self, action: str, argument: str = "") -> None:
        self.bench.hand(action, argument)

    def run_us(self, us: int) -> None:
        self.bench.pico.run(us / 1e6)
        self.bench.catch_up()

    def display(self) -> tuple[str, ...]:
        return self.bench.lcd.screen() or ("",) * 4

    def rx_low(self, low: bool) -> None:
        self.bench.rx_low(low)

    def hang_bus(self, clocks: int) -> None:
        self.bench.bus.hold(clocks)

    def free_bus(self) -> None:
        self.bench.bus.release()

    def bad_contact(self, bytes_a_flip: int) -> None:
        self.bench.fram_bus.bytes_a_flip = bytes_a_flip

    def storm(self, lines: tuple[str, ...], hz: int) -> None:
        self.bench.storm_on(lines, hz)

    def calm(self) -> None:
        self.bench.storm_on((), 0)
        self.bench.catch_up()

    def power_off(self, dark_ms: int) -> None:
        self.bench.power_off(dark_ms)

    def power_on(self) -> None:
        self.bench.power_on()

    @property
    def resets(self) -> int:
        return self.bench.pico.resets

    @property
    def console(self) -> str:
        return self.bench.pico.console.decode("utf-8", "replace")

    def said(self) -> dict[str, list[str]]:
        """What the probe printed, the newest of each word."""
        found = words_of(self.console)
        blocks = [int(blocks) for blocks in _FREE_BLOCKS.findall(self.console)]
        if blocks:
            found["largest"] = [str(min(blocks) * BLOCK_BYTES)]
        return found

    def wait(self, words: str, seconds: float = BOOT_S) -> None:
        """Run until the device has printed this on its console."""
        until = self.port.clock() + seconds
        while self.port.clock() < until:
            if self.bench.pico.run(0.25, until=lambda: words in self.console):
                return
            if "@ error" in self.console or self.resets:
                break
            self.notes(f"  waiting for {words!r}")
        raise StoryError(f"the device did not print {words!r} but\n{self.console[-1500:]}")

    def tail(self) -> str:
        """The end of its console."""
        return self.console[-1500:]
