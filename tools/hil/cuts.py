"""An update that is cut short starts no motor: `make hil-cuts UF2=NEW OLD=OLD`, two release images of one board.

The flash of the old image, or an erased one, gets the first blocks of the new image, in the order of the file, in that
of addresses (as picotool writes) or sector by sector in a drawn order. What the boot ROM would start then (see
emulator/boot_rom.py) is started on the emulated Pico, with cards in the machine and records in its FRAM. No output may
ever go high, and the FRAM must stay as it is, to the byte. The whole image, as a control, must start and move.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulator.boot_rom import PAGE, SECTOR, BootRom
from emulator.native import prepare

from fairshoe import _device
from fairshoe.ship.build import read_config
from fairshoe.ship.flash_image import UF2_BLOCK, flash_of_uf2
from fairshoe.ship.image_sum import DAMAGED
from hil.board import ROOT, install_key
from hil.image import RELEASE, read_image
from hil.options import not_run
from hil.parts import Part, all_at_once
from hil.run import DEVICE_KEY

FLASH_BYTES = 2 << 20
BLOCKS_A_SECTOR = SECTOR // PAGE
ORDERS = ("file", "addresses", "sectors")
SILENT_S = 4.0  # emulated: a whole image has moved its carousel by then
SAID_S = 0.3  # what it does after it has said that it is damaged
NO_VECTORS = b"\xff" * 8  # stack pointer and reset vector in an erased page: the processor locks up
REFUSED, STOPPED, SILENT, RAN = "refused by the boot ROM", "stopped by its sums", "silent", "RAN"


@dataclass(frozen=True)
class Case:
    """So many blocks in an order, over the old image or an erased flash."""

    order: str
    erased: bool
    blocks: int

    @property
    def name(self) -> str:
        return f"{self.order}, {'erased' if self.erased else 'old'} flash, {self.blocks} blocks"


@dataclass(frozen=True)
class UpdateSetup:
    """Both images, the board, and a FRAM with records."""

    uf2: Path
    old: bytes
    blocks: list[bytes]
    seed: int
    config: dict[str, Any]
    fram: bytes

    def flash(self, case: Case) -> BootRom:
        rom = BootRom((b"" if case.erased else self.old).ljust(FLASH_BYTES, b"\xff"))
        for block in in_order(self.blocks, case.order, self.seed)[: case.blocks]:
            rom.write(block)
        return rom


def in_order(blocks: list[bytes], order: str, seed: int) -> list[bytes]:
    if order == "file":
        return blocks
    ascending = sorted(blocks, key=lambda block: block[12:16][::-1])
    if order == "addresses":
        return ascending
    sectors = [ascending[at : at + BLOCKS_A_SECTOR] for at in range(0, len(ascending), BLOCKS_A_SECTOR)]
    random.Random(seed).shuffle(sectors)
    return [block for sector in sectors for block in sector]


def cases(count: int, number: int, seed: int) -> list[Case]:
    """A cut after every block of the file, which costs nothing, and `number` of each other kind, drawn."""
    draw = random.Random(seed)
    found = [Case("file", False, blocks) for blocks in range(1, count)]
    for order in ORDERS[1:]:
        for erased in (False, True):
            chosen = draw.sample(range(1, count), min(number, count - 1))
            # The first and the last block, and the first of a sector, which has just erased it.
            edges = [1, count - 1, draw.randrange(count // BLOCKS_A_SECTOR) * BLOCKS_A_SECTOR + 1]
            found += [Case(order, erased, blocks) for blocks in sorted({*edges, *chosen})]
    return found


def start(setup: UpdateSetup, case: Case) -> str:
    """Power on with this flash, and what came of it."""
    rom = setup.flash(case)
    if not rom.starts():
        return REFUSED
    return SILENT if bytes(rom.flash[PAGE : PAGE + 8]) == NO_VECTORS else try_flash(setup, rom)


def try_flash(setup: UpdateSetup, rom: BootRom) -> str:
    _device.load()
    from emulator.bench import Bench
    from emulator.flashfs import erased_image
    from emulator.pico import Pico

    from firmware.image import INPUTS

    pico = Pico(setup.uf2, erased_image())
    pico.mcu.flash[: len(rom.flash)] = rom.flash
    bench = Bench(setup.uf2, erased_image(), setup.config, INPUTS, setup.seed, pico)
    bench.fram.data[:] = setup.fram
    moved: list[int] = []
    pins = [pin for pin in setup.config["outputs"].values() if isinstance(pin, int)]
    for pin in [*pins, *(setup.config["axis"][name] for name in ("step", "dir") if "axis" in setup.config)]:
        pico.listen(pin, lambda level, pin=pin: moved.append(pin) if level else None)
    said = pico.run(SILENT_S, until=lambda: DAMAGED in bench.arrived or bool(moved))
    if said and not moved:
        pico.run(SAID_S)
    if moved or bytes(bench.fram.data) != setup.fram:
        return f"{RAN}: pins {sorted(set(moved))} were high" if moved else f"{RAN}: it wrote to the FRAM"
    return STOPPED if said else SILENT


def setup_of(uf2: Path, old: Path, seed: int) -> UpdateSetup:
    """Read both, and let the new image start once: its FRAM has records then."""
    data = uf2.read_bytes()
    config = read_config(read_image(uf2).board, ROOT)
    blocks = [data[at : at + UF2_BLOCK] for at in range(0, len(data), UF2_BLOCK)]
    _device.load()
    from emulator.bench import Bench
    from emulator.flashfs import erased_image

    from firmware.image import INPUTS

    bench = Bench(uf2, erased_image(), config, INPUTS, seed)
    install_key(bench.fram, DEVICE_KEY)
    bench.pico.run(SILENT_S)
    return UpdateSetup(uf2, flash_of_uf2(old.read_bytes()), blocks, seed, config, bytes(bench.fram.data))


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hil.cuts", description="Updates cut short, on the emulated Pico.")
    parser.add_argument("--uf2", type=Path, help="the new image, a release")
    parser.add_argument("--old", type=Path, help="the image before it, of the same board")
    parser.add_argument("--cases", type=int, default=12, help="of each kind (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="emulated boards at a time (default %(default)s)")
    parser.add_argument("--if-possible", action="store_true", help="without images say so, and pass")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = parse(argv)
    if options.uf2 is None or options.old is None:
        print(not_run("updates cut short on the emulated chip, for which OLD= names an older release image"))
        return 0 if options.if_possible else 2
    images = [read_image(path) for path in (options.old, options.uf2)]
    if [image.kind for image in images] != [RELEASE, RELEASE] or not images[0].is_for(images[1].board):
        print("hil.cuts: --uf2 and --old are two release images of one board", file=sys.stderr)
        return 2
    prepare()
    return report(setup_of(options.uf2, options.old, options.seed), options)


def report(setup: UpdateSetup, options: argparse.Namespace) -> int:
    works: dict[str, Callable[[], Part]] = {
        case.name: lambda case=case: Part(start(setup, case))
        for case in cases(len(setup.blocks), options.cases, options.seed)
        if case.order != "file"
    }
    ended = {name: part.result for name, part in all_at_once(works, options.jobs).items()}
    rom = BootRom(setup.old.ljust(FLASH_BYTES, b"\xff"))
    for number, block in enumerate(setup.blocks[:-1], 1):
        rom.write(block)
        ended[Case("file", False, number).name] = REFUSED if not rom.starts() else f"{RAN}: the boot ROM starts it"
    rom.write(setup.blocks[-1])
    whole = try_flash(setup, rom) if rom.starts() else REFUSED
    wrong = {name: result for name, result in ended.items() if result.startswith((RAN, "WRONG"))}
    for name, result in wrong.items():
        print(f"{name}: {result}")
    counts = Counter(result.partition(":")[0] for result in ended.values())
    print(f"{len(ended)} cuts, seed {options.seed}: {', '.join(f'{n} {what}' for what, n in sorted(counts.items()))}")
    print(f"the whole image, as a control: {whole}")
    return 0 if not wrong and whole.startswith(f"{RAN}: pins") else 1


if __name__ == "__main__":
    sys.exit(main())
