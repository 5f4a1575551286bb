"""Scenario files with cases: one file, the same story with other values. docs/SCENARIOS.md describes them.

A case is named after what happens in it, as a file is. Its place is FILE:CASE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from fairshoe import _device
from fairshoe.files import parse_json, read_regular

Data = dict[str, Any]
_VALUE = re.compile(r"\$([a-z_0-9]+)")


def folder() -> Path:
    """The scenarios that belong to this version, in a wheel and in a checkout."""
    bundled = _device.root() / "scenarios"
    return bundled if bundled.is_dir() else _device.root() / "tests" / "scenarios"


def scenario_names() -> list[str]:
    return sorted(path.stem for path in folder().glob("*.json"))


def by_name(path: Path) -> Path:
    """A scenario of this version if that is what is named and there is no such file: `short-deck`, `short-deck:51`."""
    name, _, case = str(path).partition(":")
    file = folder() / f"{name}.json"
    if path.exists() or not file.is_file():
        return path
    return Path(f"{file}:{case}") if case else file


def read_cases(path: Path) -> dict[str, Data]:
    """The scenarios of a file by name: the file itself, or each of its cases. OSError or ValueError if it has none."""
    try:
        data = parse_json(read_regular(path))
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise ValueError("a scenario is an object")
    file = cast("Data", data)
    if "cases" not in file:
        return {path.stem: file}
    cases = cast("dict[str, Data]", file["cases"])
    template = {key: value for key, value in file.items() if key != "cases"}
    return {name: _fill(template, name, values) for name, values in cases.items()}


def places(paths: Iterable[Path]) -> list[Path]:
    """Every scenario of these files and folders, a case as FILE:CASE. What cannot be read stands for itself."""
    found: list[Path] = []
    for path in paths:
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            try:
                names = list(read_cases(file))
            except (OSError, ValueError, TypeError, AttributeError):
                names = []
            found += [Path(f"{file}:{name}") for name in names] if names not in ([], [file.stem]) else [file]
    return found


def read_place(place: Path) -> Data:
    """One scenario. OSError or ValueError if there is none."""
    file, name = split(place)
    cases = read_cases(file)
    if name not in cases:
        raise ValueError(f"no case {name!r}; there are {', '.join(cases)}" if name else "it has cases: give FILE:CASE")
    return cases[name]


def split(place: Path) -> tuple[Path, str]:
    """The file, and the name of the scenario in it."""
    file, mark, name = str(place).rpartition(".json:")
    return (Path(file + ".json"), name) if mark else (place, place.stem)


def name_of(place: Path) -> str:
    return split(place)[1]


def library(folder: Path) -> dict[str, Data]:
    """All scenarios of a folder, by name."""
    return {name_of(place): read_place(place) for place in places([folder])}


def _fill(template: Data, name: str, values: Data) -> Data:
    used: set[str] = set()
    filled = _filled(template, name, values, used)
    unused = sorted(set(values) - used)
    if unused:
        raise ValueError(f"case {name}: ${unused[0]} stands nowhere in the file")
    return filled


def _filled(node: Any, name: str, values: Data, used: set[str]) -> Any:
    """A copy with the values of the case in place of their names: `$name` alone is the value, else its text."""
    if isinstance(node, dict):
        return {key: _filled(value, name, values, used) for key, value in cast("Data", node).items()}
    if isinstance(node, list):
        return [_filled(value, name, values, used) for value in cast("list[Any]", node)]
    if not isinstance(node, str):
        return node
    for word in _VALUE.findall(node):
        if word not in values:
            raise ValueError(f"case {name} has no value for ${word}")
        used.add(word)
    alone = _VALUE.fullmatch(node)
    return values[alone[1]] if alone else _VALUE.sub(lambda found: str(values[found[1]]), node)
