"""The contract of hal/api.py, held by the shipped port on an emulated Raspberry Pi Pico: `make hil-contract UF2=...`.

The promises are those of tests/contract, which the simulated port and the fake chips keep in `make test`. Here they are
kept by a real MicroPython with a real interrupt controller, PIO, DMA, UART and USB, as far as the emulator has them.
Each is tried on a copy of a board that has started.
"""

# The promises run on the MicroPython VM too, and have no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from emulator.native import prepare

from fairshoe import _device
from fairshoe.ship.import_closure import ShipError
from hil.board import ROOT, Notes
from hil.image import RELEASE, Image
from hil.options import add_uf2, find_image
from hil.parts import Part, all_at_once
from hil.report import GOOD

_device.load()
sys.path.append(str(ROOT / "tests" / "contract"))

from promises import ALL, promised  # noqa: E402


def try_promise(promise: Callable[[Any, str], None], driver: Any, kind: str, name: str, notes: Notes) -> Part:
    """On a copy of the board that has started."""
    part = Part()
    began = time.perf_counter()
    notes.prefix = f"{name}: "
    try:
        promise(driver, kind)
    except Exception:
        part.result = f"BROKEN\n{traceback.format_exc()}"
    notes(f"{part.result} ({time.perf_counter() - began:.0f} s)")
    return part


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="hil_contract", description="What hal/api.py promises, kept by the port on an emulated Pico."
    )
    add_uf2(parser)
    parser.add_argument("--kind", action="append", choices=ALL, help="machines of this kind alone; may be repeated")
    parser.add_argument("--only", default="", metavar="TEXT", help="promises with this in their names")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = parse(argv)
    image, wrong = find_image(options)
    if image is not None and image.kind == RELEASE:
        wrong = "hil_contract: a release image runs no other program; take one built with BENCH=1, or a stock one"
    if image is None or wrong:
        print(wrong, file=sys.stderr)
        return 2
    notes = Notes()
    results: dict[str, str] = {}
    try:
        for kind in options.kind or kinds_of(image):
            results |= hold_kind(kind, options, image, notes)
    except (ShipError, AssertionError) as error:
        print(f"hil_contract: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("hil_contract: interrupted", file=sys.stderr)
        return 130
    if not results:
        print(f"hil_contract: no promise of these machines has {options.only!r} in its name", file=sys.stderr)
        return 2
    return show(results, options.json, time.perf_counter() - notes.began)


def kinds_of(image: Image) -> list[str]:
    """All of them, or the one whose modules are frozen in the image."""
    return [kind for kind in ALL if image.is_for(f"pico-{kind}")]


def hold_kind(kind: str, options: argparse.Namespace, image: Image, notes: Notes) -> dict[str, str]:
    """Every promise of machines of a kind, and what became of it."""
    known: dict[str, Callable[[Any, str], None]] = {f"{promise.__name__}_{kind}": promise for promise in promised(kind)}
    wanted = {name: promise for name, promise in known.items() if options.only in name}
    if not wanted:
        return {}
    prepare(notes)
    notes(f"booting MicroPython with the files of pico-{kind}")
    from emulator.contract_driver import EmulatedDriver, Started

    started = EmulatedDriver.waiting[kind] = Started(Path(options.uf2), f"pico-{kind}", ROOT, image.frozen)
    started.boot()
    works: dict[str, Callable[[], Part]] = {
        name: lambda name=name, promise=promise: try_promise(promise, EmulatedDriver, kind, name, notes)
        for name, promise in wanted.items()
    }
    return {name: part.result for name, part in all_at_once(works, options.jobs).items()}


def show(results: dict[str, str], as_json: bool, wall_s: float) -> int:
    broken = {name: result for name, result in results.items() if result != GOOD}
    if as_json:
        print(json.dumps({"kept": len(results) - len(broken), "broken": broken}, indent=1))
    else:
        for name, result in broken.items():
            print(f"{name}: {result}\n")
        print(f"{len(results) - len(broken)} of {len(results)} promises kept on the emulated Pico, in {wall_s:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
