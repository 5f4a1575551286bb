"""Every file of the bench page, by its path on the server: the same for `fairshoe web`, a static site and the tests."""

from __future__ import annotations

import html
import json
from enum import IntEnum
from pathlib import Path
from typing import Any

from fairshoe import _device
from fairshoe.boards.configs import board_names, folder, load_board
from fairshoe.errors import Exit, FairshoeError
from fairshoe.games import clauses
from fairshoe.look import PAGE, shared_files
from fairshoe.messages import What
from fairshoe.sim.scenario_cases import library
from fairshoe.text.advice import HOLDS, IN_STATE, NEWER, SENSORS, STEPS, STOPPED, WARNINGS, WORKING, Warned, at_sensor
from fairshoe.text.describe import CAUSES, DEFECTS, HOW, MESSAGE_NAMES
from fairshoe.web.live_view import WHO

# What the firmware imports on a simulated machine. The ports to chips stay at home, and so does main.py.
SOURCES = ("firmware", "hal/sim", "rig", "hal/__init__.py", "hal/flash.py")
LEFT_OUT = ("firmware/main.py",)
# Words for the numbers in fields of events, as `fairshoe monitor` has them.
WORDS = {"cause": CAUSES, "how": HOW, "defect": DEFECTS, "command": MESSAGE_NAMES, "during": MESSAGE_NAMES}
_RULES_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>fairshoe rules</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="base.css">
<link rel="stylesheet" href="table.css">
</head>
<body class="rules">
<header><h1>fairshoe <span>what the rules ask of the device (docs/RULES.md)</span></h1></header>
<main>"""
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
    files |= {f"fairshoe-js/{path.name}": path.read_bytes() for path in sorted(client_folder().glob("*.js"))}
    files["device.json"] = _json(device_sources(root))
    files["boards.json"] = _boards()
    files["texts.json"] = _json(_texts(root, rules))
    files["live_texts.json"] = _json(live_texts())
    scenarios = _first(root / "scenarios", root / "tests" / "scenarios")
    files["scenarios.json"] = _json(library(scenarios))
    return files


def client_folder() -> Path:
    """The modules of the JavaScript client: a wheel carries them beside the firmware."""
    root = _device.root()
    return _first(root / "fairshoe-js", root / "host_tools" / "fairshoe-js" / "src")


def live_files(**more: object) -> dict[str, bytes]:
    """What the live view of a shoe takes: no VM, no firmware. `more` are configs of boards besides ours, by name."""
    files = {path.relative_to(PAGE).as_posix(): path.read_bytes() for path in _below(PAGE)}
    return {**files, "boards.json": _boards(more)}


def table_files(folder: Path) -> dict[str, bytes]:
    """A page of a table system in this folder, with what it shares with the other pages, and the rules."""
    files = {**shared_files(), "source_live.js": (PAGE / "source_live.js").read_bytes()}
    files |= {path.relative_to(folder).as_posix(): path.read_bytes() for path in _below(folder)}
    return {**files, "clauses.json": _json(clauses.actions()), "rules.html": _rules_page()}


def _rules_page() -> bytes:
    """The clauses of docs/RULES.md, with the same anchors."""
    data = clauses.load()
    names = {game["code"]: game["name"] for game in data["games"]}
    actions = clauses.actions()
    parts = [_RULES_HEAD]
    for code, name in names.items():
        parts.append(f"<section><h2>{html.escape(name)}</h2><dl>")
        for clause in data["clauses"]:
            if clause["id"].rpartition("-")[0] == code:
                remark = f" <em>{html.escape(clause['remark'])}</em>" if "remark" in clause else ""
                text = f"{html.escape(actions[clause['id']])}<br><small>{html.escape(clause['device'])}{remark}</small>"
                parts.append(f'<dt id="{clause["id"].lower()}">{clause["id"]}</dt><dd>{text}</dd>')
        parts.append("</dl></section>")
    return "\n".join([*parts, "</main></body></html>\n"]).encode()


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


def _boards(more: dict[str, object] | None = None) -> bytes:
    return _json({name: _read(folder() / f"{name}.json") for name in board_names()} | (more or {}))


def _texts(root: Path, rules: str) -> dict[str, object]:
    """Names of games, and what warnings, clauses and numbers in events mean, in one file."""
    return {
        "games": _games(root),
        "warnings": {fault.name.lower(): [said.what, said.advice] for fault, said in WARNINGS.items()},
        "words": WORDS,
        "clauses": {"page": rules, "texts": clauses.actions()},
    }


def live_texts() -> dict[str, object]:
    """What the live view says about needs, warnings and sensors, where no server folds a shoe's messages for it."""

    def low(name: IntEnum) -> str:
        return name.name.lower()

    def pair(said: Warned) -> list[str]:
        return [said.what, said.advice]

    return {
        "who": WHO,
        "steps": {low(need): [it.text, it.who, it.command.NAME if it.command else ""] for need, it in STEPS.items()},
        "in_state": {f"{low(need)} {low(state)}": text for (need, state), text in IN_STATE.items()},
        "working": {low(state): text for state, text in WORKING.items()},
        "newer": NEWER,
        "records": [low(what) for what in What if what >= 0],
        "warnings": {low(fault): pair(said) for fault, said in WARNINGS.items()},
        "holds": {low(fault): pair(said) for fault, said in HOLDS.items()},
        "stopped": [low(state) for state in STOPPED],
        "sensors": {low(sensor): at_sensor(sensor) for sensor in SENSORS},
        "words": WORDS,
        "boards": {load_board(name)[1]: name for name in board_names()},
    }


def _games(root: Path) -> dict[str, str]:
    """Games that have a file, with their titles."""
    found: dict[str, str] = {}
    for path in _below(root / "game_profiles"):
        if path.stem not in ("schema", "cover_all", "set_ups"):
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
