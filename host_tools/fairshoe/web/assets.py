"""Every file of the bench page, by its path on the server: the same for `fairshoe web`, a static site and the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fairshoe import _device
from fairshoe.boards.configs import board_names, folder
from fairshoe.errors import Exit, FairshoeError
from fairshoe.sim.scenario_cases import library
from fairshoe.text.advice import WARNINGS

PAGE = Path(__file__).resolve().parent / "page"
# What the firmware imports on a simulated machine. The ports to chips stay at home, and so does main.py.
SOURCES = ("firmware", "hal/sim", "rig", "hal/__init__.py", "hal/flash.py")
LEFT_OUT = ("firmware/main.py",)
VM_PACKAGE = "node_modules/@micropython/micropython-webassembly-pyscript"
VM_FILES = ("micropython.mjs", "micropython.wasm")


class PageError(FairshoeError):
    """Files of the page that are not there."""

    exit_code = Exit.INPUT


def page_files(rules: str = "") -> dict[str, bytes]:
    """All of it, with links to the page of rules if there is one. Raises PageError if the VM is missing."""
    root = _device.root()
    files = {path.relative_to(PAGE).as_posix(): path.read_bytes() for path in _below(PAGE)}
    files |= {f"vm/{name}": _vm_file(root, name) for name in VM_FILES}
    client = _first(root / "fairshoe-js", root / "host_tools" / "fairshoe-js" / "src")
    files |= {f"fairshoe-js/{path.name}": path.read_bytes() for path in sorted(client.glob("*.js"))}
    files["device.json"] = _json(device_sources(root))
    files["boards.json"] = _boards()
    files["games.json"] = _json(_games(root))
    files["warnings.json"] = _json({fault.name.lower(): [said.what, said.advice] for fault, said in WARNINGS.items()})
    files["clauses.json"] = _json({"page": rules, "texts": _clauses(root)})
    scenarios = _first(root / "scenarios", root / "tests" / "scenarios")
    files["scenarios.json"] = _json(library(scenarios))
    return files


def live_files() -> dict[str, bytes]:
    """What the live view of a shoe takes: no VM, no firmware."""
    files = {path.relative_to(PAGE).as_posix(): path.read_bytes() for path in _below(PAGE)}
    return {**files, "boards.json": _boards()}


def device_sources(root: Path) -> dict[str, str]:
    """Sources of firmware, simulated machine and rig, and the games' files, by path."""
    paths = [path for source in SOURCES for path in _below(root / source) if path.suffix == ".py"]
    paths += [path for path in _below(root / "game_profiles") if path.stem != "schema"]
    named = {path.relative_to(root).as_posix(): path for path in paths}
    return {name: path.read_text(encoding="utf-8") for name, path in sorted(named.items()) if name not in LEFT_OUT}


def write_site(target: Path, rules: str = "") -> int:
    """Write the page as a static site into a folder; returns the number of files."""
    files = page_files(rules)
    for name, data in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return len(files)


def _boards() -> bytes:
    return _json({name: _read(folder() / f"{name}.json") for name in board_names()})


def _clauses(root: Path) -> dict[str, str]:
    """What each clause of the games' rules asks of the device, by its id."""
    return {clause["id"]: clause["device"] for clause in _read(root / "rules" / "clauses.json")["clauses"]}


def _games(root: Path) -> dict[str, str]:
    """Games that have a file, with their titles."""
    found: dict[str, str] = {}
    for path in _below(root / "game_profiles"):
        if path.stem not in ("schema", "cover_all"):
            game = _read(path)
            found[path.stem] = str(game.get("title", path.stem.replace("-", " ").title()))
    return found


def _vm_file(root: Path, name: str) -> bytes:
    # A wheel carries the VM beside the firmware, a checkout has it where npm put it.
    for path in (root / "vm" / name, root / VM_PACKAGE / name):
        if path.is_file():
            return path.read_bytes()
    raise PageError(f"the MicroPython VM is missing: no {name}.", "Run `make setup`, or install the wheel again.")


def _first(*folders: Path) -> Path:
    for folder_ in folders:
        if folder_.is_dir():
            return folder_
    raise PageError(f"{folders[-1]} is missing.", "Install the wheel again, or repair the checkout.")


def _below(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(found for found in path.rglob("*") if found.is_file() and "__pycache__" not in found.parts)


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def _json(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()
