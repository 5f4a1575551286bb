"""Find board configs by name or path, and check them against the schema and the rules of checks.py."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]

from fairshoe import _device
from fairshoe.boards.checks import Config, board_problems
from fairshoe.boards.edge_rates import honest_rates
from fairshoe.boards.pins import MCUS
from fairshoe.errors import BoardError
from fairshoe.files import parse_json, read_regular

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
    noise: str = ""  # what noise on input lines can do to this chip in spite of hal/api.py

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
    mcu = MCUS[board]
    return Inspection(name, (), crc, mech["kind"], board, assurance, MEANING[assurance], rates, mcu.blinded)


def check_board(config: object) -> list[str]:
    """Everything that is wrong with a config, in plain words; empty if it can work."""
    schema = json.loads((folder() / "schema.json").read_text())
    problems = list(_shape_problems("", config, schema, schema["definitions"]))
    # What the other checks look up must be there first.
    return problems or list(board_problems(cast(Config, config)))


def _read(name: str) -> tuple[Path, object]:
    path = Path(name) if name.endswith(".json") else folder() / f"{name}.json"
    try:
        raw = read_regular(path)
    except OSError as error:
        known = ", ".join(board_names())
        if path != Path(name) and Path(name).exists():
            raise BoardError(
                f"{name} is no board config.", "Give the path of a .json file, or a board's name."
            ) from error
        raise BoardError(
            f"no board {name!r}: {error.strerror or error}.",
            f"Known boards: {known}; or give the path of a .json file.",
        ) from error
    try:
        return path, parse_json(raw)
    except ValueError as error:
        raise BoardError(f"{path}: not JSON: {error}.", "Correct the file at that place.") from error


def _shape_problems(path: str, value: object, schema: Config, definitions: Config) -> Iterator[str]:
    """Objects key by key, so that every mistake is reported and not only the first; their values by the library."""
    schema = _resolved(schema, definitions)
    if "oneOf" in schema and all("kind" in option for option in _kinds(schema, definitions)):
        yield from _kind_problems(path, value, schema, definitions)
    elif "properties" not in schema:
        yield from _value_problems(path, value, schema, definitions)
    elif not isinstance(value, dict):
        yield f"{path or 'a board config'} must be an object"
    else:
        given = cast(Config, value)
        known = schema["properties"]
        dot = f"{path}." if path else ""
        yield from (f"{dot}{key} is missing" for key in schema.get("required", ()) if key not in given)
        for key in given:
            if key in known:
                yield from _shape_problems(dot + key, given[key], known[key], definitions)
            elif (path, key) != ("", "$schema"):
                yield f"{dot}{key} is not known; possible: {', '.join(known)}"


def _kinds(schema: Config, definitions: Config) -> list[Config]:
    return [_resolved(option, definitions).get("properties", {}) for option in schema["oneOf"]]


def _kind_problems(path: str, value: object, schema: Config, definitions: Config) -> Iterator[str]:
    """One of several objects, selected by `kind`; "matches none of them" would not help."""
    names = [option["kind"]["const"] for option in _kinds(schema, definitions)]
    given = cast(Config, value) if isinstance(value, dict) else {}
    kind = given.get("kind")
    if kind in names:
        yield from _shape_problems(path, given, schema["oneOf"][names.index(kind)], definitions)
    else:
        yield f"{path}.kind must be one of {', '.join(names)}, not {json.dumps(kind)}"


def _value_problems(path: str, value: object, schema: Config, definitions: Config) -> Iterator[str]:
    text = json.dumps(schema)
    if "$ref" in text:
        text = json.dumps({**schema, "definitions": definitions})
    try:
        validator(text)(value)
    except fastjsonschema.JsonSchemaValueException as error:
        if "oneOf" in schema:
            yield f"{path} must be {schema['description']}, not {json.dumps(value)}"
        else:
            yield f"{path}{str(error.message).removeprefix('data')}, not {json.dumps(value)}"
        return
    # To a schema 4.0 is an integer. On a device it is none, and no pin either: the line would be left out in silence.
    for number in _floats(value):
        yield f"{path}: {number} must be written as a whole number, without point or exponent"


def _floats(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, (dict, list)):
        inside = cast(Config, value).values() if isinstance(value, dict) else cast(list[object], value)
        for each in inside:
            yield from _floats(each)


@lru_cache(maxsize=256)
def validator(schema: str) -> Callable[[object], object]:
    """A JSON schema, compiled once: of a game there are 54, of 2 ms each."""
    return cast(Callable[[object], object], fastjsonschema.compile(json.loads(schema)))


def _resolved(schema: Config, definitions: Config) -> Config:
    reference = schema.get("$ref")
    return schema if reference is None else cast(dict[str, Any], definitions[reference.rpartition("/")[2]])
