"""An emulated board with files in its flash, ready for the stories of tools/hil_stories.py."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hil_stories as stories

from fairshoe import _device
from fairshoe.ship.build import MAIN_PY, Built, build, every_main, read_config, real_names

ROOT = Path(__file__).resolve().parents[1]
BOOT_S = 20.0  # patience, in emulated seconds
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


def files_of(board: str, probe: bool, keyed: bool = False) -> tuple[Files, dict[str, Any], Built]:
    """What a board ships, with a small deck, and a main.py that measures if asked to."""
    config = stories.small(read_config(board, ROOT))
    if keyed:
        config["link"] = {**config["link"], "mode": "table"}
    with tempfile.TemporaryDirectory(prefix="fairshoe-hil-") as folder:
        path = Path(folder) / f"{config['name']}.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        # As a main.py, for it uses constants, and those are shipped as numbers.
        built = build(str(path), ROOT, every_main()[1] if probe else MAIN_PY)
    files = dict(built.files)
    if "game.json" in files:
        files["game.json"] = json.dumps(stories.small_game(json.loads(files["game.json"]))).encode()
    return files, config, built


def install_key(fram: Any, device_key: bytes) -> None:
    """As somebody did at the service port before."""
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
    """Bench, port and console of one emulated board."""

    def __init__(
        self, uf2: Path, files: Files, config: dict[str, Any], seed: int, notes: Notes, device_key: bytes = b""
    ) -> None:
        _device.load()
        from emulator.bench import Bench
        from emulator.flashfs import build_image
        from emulator.table_port import TablePort

        from firmware.image import INPUTS

        self.bench = Bench(uf2, build_image(files), config, INPUTS, seed)
        if device_key:
            install_key(self.bench.fram, device_key)
        self.port = TablePort(self.bench)
        self.plant: Any = self.bench.plant
        self.notes = notes
        notes.clock = self.port.clock

    def hand(self, action: str, argument: str = "") -> None:
        self.bench.hand(action, argument)

    def power_off(self, dark_ms: int) -> None:
        self.bench.power_off(dark_ms)

    def power_on(self) -> None:
        self.bench.power_on()

    @property
    def console(self) -> str:
        return self.bench.pico.console.decode("utf-8", "replace")

    def said(self) -> dict[str, list[str]]:
        """What the probe reported, the newest of each word."""
        found: dict[str, list[str]] = {}
        for line in self.console.splitlines():
            if line.startswith("@ "):
                word, *rest = line[2:].split()
                found[word if word != "heap_rest" else f"heap_rest_{rest[0]}"] = rest
        return found

    def wait(self, words: str, seconds: float = BOOT_S) -> None:
        """Until the device has said it on its console."""
        until = self.port.clock() + seconds
        while self.port.clock() < until:
            if self.bench.pico.run(0.25, until=lambda: words in self.console):
                return
            if "@ error" in self.console or self.bench.pico.resets:
                break
            self.notes(f"  waiting for {words!r}")
        raise stories.StoryError(f"the device did not say {words!r}")

    def tail(self, board: str) -> str:
        """The end of its console, with the names of this tree."""
        return real_names(self.console[-1500:], board)
