"""The files of the second Pico: hal/sim as bytecode, main.py, and the board config that it mirrors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fairshoe import _device
from fairshoe.errors import FairshoeError
from fairshoe.ship.build import folded_sources, with_code
from fairshoe.ship.import_closure import find_module, imported_by
from fairshoe.ship.mpy_compile import compile_mpy

ROOT = Path(__file__).resolve().parents[2]
MAIN = Path(__file__).with_name("main.py")
ENTRY = "hal.sim.wired"
PINS_MAX = 12  # of a PIO word, beside its pause; consecutive ones


def module_names() -> list[str]:
    """What the plant imports, without the packages: a folder is one by itself."""
    names: list[str] = []
    left = [ENTRY]
    while left:
        name = left.pop()
        if name not in names:
            names.append(name)
            left += imported_by(find_module(name, ROOT), ROOT)
    return sorted(names)


def check_pins(config: dict[str, Any]) -> None:
    """The second Pico drives every pin from the first input to the last: both boards would drive an output in it."""
    inputs = sorted(pin for pin in config["inputs"].values() if isinstance(pin, int))
    driven = range(inputs[0], inputs[-1] + 1)
    both = [name for name, pin in config["outputs"].items() if pin in driven]
    if both or len(driven) > PINS_MAX:
        what = f"{both[0]} is among them" if both else f"they span {len(driven)}, and {PINS_MAX} can be driven"
        raise FairshoeError(
            f"the inputs of {config['name']} are at pins {inputs[0]} to {inputs[-1]}: {what}.",
            "Use a config whose inputs lie together, as pico-shoe has them.",
        )


def twin_files(config: dict[str, Any], seed: int) -> dict[str, bytes]:
    check_pins(config)
    _device.load()
    from firmware.image import INPUTS

    sources = with_code({n: s for n, s in folded_sources(module_names(), ROOT).items() if n != "main"}, ROOT)
    files = {f"{name.replace('.', '/')}.mpy": compile_mpy(source, name, "-O2") for name, source in sources.items()}
    given = {"board": config, "lines": INPUTS, "seed": seed}
    return {**files, "twin.json": json.dumps(given).encode(), "main.py": MAIN.read_bytes()}
