"""Find board configs by name or path, and check them against the schema and the rules of checks.py."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from fairshoe import _device, data_files
from fairshoe.boards.checks import Config, board_problems
from fairshoe.boards.edge_rates import honest_rates
from fairshoe.errors import BoardError

FILE = data_files.Kind("board", "board config", BoardError)
# What a count of this device is worth.
MEANING = {
    "full": "two cards at once are noticed even if aligned, so a count is one of single cards",
    "basic": "two aligned cards pass as one, so a count does not exclude an extra card and stub counts stay due",
}


@dataclass(frozen=True)
class Inspection:
    """What is to be said about one board: with problems it cannot work, and the words after them are empty."""

    board: str
    problems: tuple[str, ...]
    crc: int = 0
    kind: str = ""
    mcu: str = ""
    count_assurance: str = ""
    meaning: str = ""
    edges_per_s: tuple[tuple[str, int, str], ...] = ()  # by line: the fastest that is honest, and why

    @property
    def good(self) -> bool:
        return not self.problems


def folder() -> Path:
    return _device.root() / "board_configs"


def board_names() -> list[str]:
    """The reference boards first; the others are the same machines on other microcontrollers."""
    names = sorted(path.stem for path in folder().glob("*.json") if path.stem != "schema")
    return [name for name in names if is_reference(name)] + [name for name in names if not is_reference(name)]


def is_reference(name: str) -> bool:
    return name.startswith("pico-")


def device_bytes(config: Config) -> bytes:
    """A config as a device has it, in its board.json: without spaces, and without what only editors read."""
    return json.dumps({key: config[key] for key in config if key != "$schema"}, separators=(",", ":")).encode()


def device_crcs(config: Config, games: Iterable[str]) -> set[int]:
    """The CRCs that a device with this config may report: with its own game, or with one chosen when it was flashed."""
    return {zlib.crc32(device_bytes(each)) for each in (config, *({**config, "game": game} for game in games))}


def load_board(name: str) -> tuple[Config, int]:
    """The checked config of a board (a name, or the path of a JSON file) and its CRC-32, which the device reports."""
    path, config = _read(name)
    problems = check_board(config)
    if problems:
        raise BoardError(
            f"{path}: " + "; ".join(problems) + ".", "Correct the file; board_configs/schema.json describes it."
        )
    return cast(Config, config), zlib.crc32(device_bytes(cast(Config, config)))


def inspect_board(name: str) -> Inspection:
    """Everything that can be said about a board; one that cannot even be read is a bad one, not an exception."""
    try:
        _path, read = _read(name)
    except BoardError as error:
        return Inspection(name, (f"{error.what} {error.advice}",))
    problems = check_board(read)
    if problems:
        return Inspection(name, tuple(problems))
    config = cast(Config, read)
    mech = config["mechanism"]
    assurance = mech["count_assurance"]
    crc = zlib.crc32(device_bytes(config))
    rates = tuple((line, rate.edges_per_s, rate.why) for line, rate in honest_rates(config).items())
    board = config["mcu"]["board"]
    return Inspection(name, (), crc, mech["kind"], board, assurance, MEANING[assurance], rates)


def check_board(config: object) -> list[str]:
    """Everything that is wrong with a config, in plain words; empty if it can work."""
    schema = json.loads((folder() / "schema.json").read_text())
    if not isinstance(config, dict):
        return ["a board config must be an object"]
    problems = list(data_files.problems("", cast(Config, config), schema, schema["definitions"], _one_of))
    # What the other checks look up must be there first.
    return problems or list(board_problems(cast(Config, config)))


def _read(name: str) -> tuple[Path, object]:
    path, _raw, config = FILE.read(name, folder(), board_names)
    return path, config


def _one_of(path: str, value: object, schema: Config) -> Iterator[str]:
    if "oneOf" in schema:
        yield f"{path} must be {schema['description']}, not {json.dumps(value)}"
