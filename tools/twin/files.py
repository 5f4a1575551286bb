"""The files of the second Pico: hal/sim as bytecode, main.py, and the board config that it mirrors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fairshoe import _device
from fairshoe.ship.build import folded_sources, with_code
from fairshoe.ship.import_closure import find_module, imported_by
from fairshoe.ship.mpy_compile import compile_mpy

ROOT = Path(__file__).resolve().parents[2]
MAIN = Path(__file__).with_name("main.py")
ENTRY = "hal.sim.wired"


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


def twin_files(config: dict[str, Any], seed: int) -> dict[str, bytes]:
    _device.load()
    from firmware.image import INPUTS

    sources = with_code({n: s for n, s in folded_sources(module_names(), ROOT).items() if n != "main"}, ROOT)
    files = {f"{name.replace('.', '/')}.mpy": compile_mpy(source, name, "-O2") for name, source in sources.items()}
    given = {"board": config, "lines": INPUTS, "seed": seed}
    return {**files, "twin.json": json.dumps(given).encode(), "main.py": MAIN.read_bytes()}
