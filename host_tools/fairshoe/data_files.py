"""JSON files of ours that people write: found by name or path, and held against their schema, mistake by mistake."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]

from fairshoe.errors import FairshoeError
from fairshoe.files import parse_json, read_regular

Data = dict[str, Any]
Words = Callable[[str, object, Data], Iterator[str]]


@dataclass(frozen=True)
class Kind:
    """What a kind of file is called, and the error of one that cannot be used."""

    name: str  # of what is in it: a board
    file: str  # of the file itself: a board config
    error: type[FairshoeError]

    def read(self, name: str, folder: Path, known: Callable[[], list[str]]) -> tuple[Path, bytes, object]:
        """By its name in a folder, or by its path: where it is, its bytes and its value."""
        path = Path(name) if name.endswith(".json") else folder / f"{name}.json"
        try:
            raw = read_regular(path)
        except OSError as error:
            if path != Path(name) and Path(name).exists():
                advice = f"Give the path of a .json file, or a {self.name}'s name."
                raise self.error(f"{name} is no {self.file}.", advice) from error
            raise self.error(
                f"no {self.name} {name!r}: {error.strerror or error}.",
                f"Known {self.name}s: {', '.join(known())}; or give the path of a .json file.",
            ) from error
        try:
            return path, raw, parse_json(raw)
        except ValueError as error:
            raise self.error(f"{path}: not JSON: {error}.", "Correct the file at that place.") from error


def problems(path: str, value: object, schema: Data, definitions: Data, words: Words) -> Iterator[str]:
    """Objects key by key, so that every mistake is reported and not only the first; their values by the library.

    What a value is, where the library has no good words for it, is said by `words`, of the path, value and schema."""
    schema = _resolved(schema, definitions)
    if "oneOf" in schema and all("kind" in option for option in _kinds(schema, definitions)):
        yield from _kind_problems(path, value, schema, definitions, words)
    elif "properties" not in schema:
        yield from _value_problems(path, value, schema, definitions, words)
    elif not isinstance(value, dict):
        yield f"{path} must be an object"
    else:
        given = cast(Data, value)
        known = schema["properties"]
        dot = f"{path}." if path else ""
        yield from (f"{dot}{key} is missing" for key in schema.get("required", ()) if key not in given)
        for key in given:
            if key in known:
                yield from problems(dot + key, given[key], known[key], definitions, words)
            elif (path, key) != ("", "$schema"):
                yield f"{dot}{key} is not known; possible: {', '.join(known)}"


def _kinds(schema: Data, definitions: Data) -> list[Data]:
    return [_resolved(option, definitions).get("properties", {}) for option in schema["oneOf"]]


def _kind_problems(path: str, value: object, schema: Data, definitions: Data, words: Words) -> Iterator[str]:
    """One of several objects, selected by `kind`; "matches none of them" would not help."""
    names = [option["kind"]["const"] for option in _kinds(schema, definitions)]
    given = cast(Data, value) if isinstance(value, dict) else {}
    kind = given.get("kind")
    if kind in names:
        yield from problems(path, given, schema["oneOf"][names.index(kind)], definitions, words)
    else:
        yield f"{path}.kind must be one of {', '.join(names)}, not {json.dumps(kind)}"


def _value_problems(path: str, value: object, schema: Data, definitions: Data, words: Words) -> Iterator[str]:
    text = json.dumps(schema)
    if "$ref" in text:
        text = json.dumps({**schema, "definitions": definitions})
    try:
        validator(text)(value)
    except fastjsonschema.JsonSchemaValueException as error:
        said = tuple(words(path, value, schema))
        yield from said or (f"{path}{str(error.message).removeprefix('data')}, not {json.dumps(value)}",)
        return
    # To a schema 4.0 is an integer. On a device it is none, and no pin either: the line would be left out in silence.
    for number in _floats(value):
        yield f"{path}: {number} must be written as a whole number, without point or exponent"


def _floats(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, (dict, list)):
        inside = cast(Data, value).values() if isinstance(value, dict) else cast(list[object], value)
        for each in inside:
            yield from _floats(each)


@lru_cache(maxsize=256)
def validator(schema: str) -> Callable[[object], object]:
    """A JSON schema, compiled once: of a game there are 54, of 2 ms each."""
    return cast(Callable[[object], object], fastjsonschema.compile(json.loads(schema)))


def _resolved(schema: Data, definitions: Data) -> Data:
    reference = schema.get("$ref")
    return schema if reference is None else cast(Data, definitions[reference.rpartition("/")[2]])
