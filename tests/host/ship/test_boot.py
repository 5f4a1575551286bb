"""The device's main.py, the firmware and the port of a Pico together, on a board that cannot start."""

import importlib
import json
import sys
from binascii import crc32
from pathlib import Path
from typing import Any

import pytest
from built_once import built
from drivers import Rp2Driver

from fairshoe.link import framing
from fairshoe.messages import Halted
from firmware.image import OUTPUTS

LAMP_BITS = 0x14  # the expander's output latch


class Enough(BaseException):
    """Said often enough."""


class Memory:
    """MicroPython's `gc`: CPython's has no such threshold."""

    def collect(self) -> None:
        pass

    def threshold(self, limit: int) -> None:
        assert limit == -1 or limit >= 4096, "it would never get to its end"


def ilistdir(folder: str) -> list[tuple[str, int, int]]:
    """MicroPython's: names with their type and a number."""
    return [(path.name, 0x4000 if path.is_dir() else 0x8000, 0) for path in Path(folder).iterdir()]


class Table:
    """A Pico on a fake board with a folder of files, as shipped."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        for name, data in built().files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        self.config: dict[str, Any] = json.loads((folder / "board.json").read_text())
        self.driver: Any = Rp2Driver(self.config)
        self.rounds = 0
        self.heard = b""
        patch.chdir(folder)

    def load(self) -> Any:
        """The device's main.py with the chip's modules, and a clock that ends what goes on for ever."""
        self.driver.world.reset()
        sys.modules.pop("hal.boot_main", None)
        with self.driver.world:
            clock: Any = sys.modules["time"]
            files: Any = sys.modules["os"]
            clock.sleep_ms = self.sleep
            files.ilistdir = ilistdir
            device: Any = importlib.import_module("hal.boot_main")
        device.gc = Memory()
        return device

    def sleep(self, ms: int) -> None:
        assert ms == 1000
        self.heard += self.driver.sent()
        self.rounds += 1
        if self.rounds == 2:
            raise Enough

    def boot(self) -> str:
        """What it says at the table port; all else is checked here."""
        self.rounds = 0
        self.heard = b""
        device = self.load()
        with self.driver.world, pytest.raises(Enough):
            device.boot()
        frames = list(framing.Decoder().feed(self.heard))
        assert len(frames) == 2 and frames[0].raw == frames[1].raw
        message = frames[0].message
        assert isinstance(message, Halted)
        assert not any(self.driver.world.outputs[:4]), "nothing turns"
        for name in ("pick", "transport"):
            assert self.driver.world.pad(self.config["outputs"][name]).level == 0
        return message.text.decode()

    def change(self, **values: Any) -> None:
        self.config.update(values)
        (self.folder / "board.json").write_text(json.dumps(self.config))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(tmp_path, monkeypatch)


def test_a_config_without_storage_is_told(table: Table) -> None:
    del table.config["nv"]
    table.change()
    assert table.boot() == "start: KeyError('nv')"


def test_a_storage_chip_that_does_not_answer_is_told(table: Table) -> None:
    table.driver.world.fram_there = False
    assert table.boot() == "start: OSError('no storage')"


def test_storage_of_a_newer_layout_is_told_and_left_as_it_is(table: Table) -> None:
    fram = table.driver.world.fram.data
    cell = bytearray(92)
    cell[0], cell[3] = 0x96, 2
    fram[8 * 96 : 9 * 96] = bytes(cell) + crc32(cell).to_bytes(4, "little")
    before = bytes(fram)
    text = "start: storage layout 2, firmware knows 1. Nothing was written: see docs/FIRMWARE.md,"
    assert table.boot() == text + " another storage layout"
    assert bytes(fram) == before
    assert table.driver.world.lcd.screen()[1:3] == ("start: storage layou", "t 2, firmware knows ")


def test_a_game_that_the_mechanism_cannot_deal_is_told_and_shown(table: Table) -> None:
    table.change(game={"deck_cards": 6000})
    text = table.boot()
    assert text.startswith("start: ValueError("), text
    screen = table.driver.world.lcd.screen()
    assert screen == ("OUT OF SERVICE      ", text[:20], text[20:40].ljust(20), "CALL A TECHNICIAN   ")
    bit = table.config["outputs"]["lamp_red"]["expander"]
    lamps = table.driver.world.expander[LAMP_BITS] | table.driver.world.expander[LAMP_BITS + 1] << 8
    assert lamps == 1 << bit
    assert not table.driver.world.outputs[OUTPUTS.index("pick")]


def test_a_port_nobody_has_is_told(table: Table) -> None:
    table.change(mcu={"port": "z80"})
    assert table.boot() == "start: ValueError('no port called z80')"


def test_a_missing_game_is_told(table: Table) -> None:
    (table.folder / "game.json").unlink()
    assert "No such file" in table.boot()


def test_one_flipped_bit_in_any_module_is_told_before_it_runs(table: Table) -> None:
    modules = sorted(table.folder.rglob("*.mpy"))
    for path in (modules[0], modules[len(modules) // 2], modules[-1]):
        data = path.read_bytes()
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 0x10]))
        assert table.boot().startswith("files: ValueError(")
        path.write_bytes(data)


def test_files_as_built_are_whole(table: Table) -> None:
    table.load().check_files()


def test_resets_before_the_first_scan_end_in_words_not_in_another_reset(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real firmware and port: three starts that hang in their first scan, and what the fourth one says."""
    world = table.driver.world

    def hang(_dog: Any) -> None:
        raise Enough

    monkeypatch.setattr("fake_chip.Wdt.feed", hang)  # nothing comes after the first, which is before the first scan
    for _ in range(3):
        device = table.load()
        with world, pytest.raises(Enough):
            device.boot()
        assert not table.driver.sent() and world.watchdog_ms == 500
        world.cause = 3
    assert table.boot() == "start: reset 3 times while starting"
    assert world.watchdog_ms == 0, "the prompt stays as long as it is needed"
