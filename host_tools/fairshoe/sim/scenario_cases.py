"""Scenario files with cases: one file, the same story with other values. docs/SCENARIOS.md describes them.

A case is named after what happens in it, as a file is. Its place is FILE:CASE.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from fairshoe import _device
from fairshoe.boards import DEFAULT_BOARD
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
    """A scenario of this version if that is what is named and there is no such file: `short-deck`,
    `short-deck:51`, or the name of the case alone."""
    name, _, case = str(path).partition(":")
    file = folder() / f"{name}.json"
    if path.exists():
        return path
    if file.is_file():
        return Path(f"{file}:{case}") if case else file
    for family in sorted(folder().glob("*.json")) if not case else ():
        if f'"{name}": {{' in family.read_text(encoding="utf-8") and name in read_cases(family):
            return Path(f"{family}:{name}")
    return path


def read_cases(path: Path) -> dict[str, Data]:
    """The scenarios of a file by name: the file itself, or each of its cases. OSError or ValueError if it has none."""
    file = _read(path)
    return {name: _scenario(file, name) for name in _names(path, file)}


def _read(path: Path) -> Data:
    try:
        data = parse_json(read_regular(path))
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise ValueError("a scenario is an object")
    return cast("Data", data)


def _names(path: Path, file: Data) -> list[str]:
    return list(cast("Data", file["cases"])) if "cases" in file else [path.stem]


def _scenario(file: Data, name: str) -> Data:
    if "cases" not in file:
        return _complete(file)
    cases = cast("dict[str, Data]", file["cases"])
    shared = cast("Data", file.get("values", {}))
    template = {key: value for key, value in file.items() if key not in ("cases", "values")}
    return _complete(_fill(template, name, shared, _own(cases, name)))


def _own(cases: dict[str, Data], name: str) -> Data:
    """The values of a case, with those of the case that it is `like`."""
    own = dict(cases[name])
    model = own.pop("like", name)
    if model not in cases or (model != name and "like" in cases[model]):
        raise ValueError(f"case {name} is like {model!r}: name a case that is like no other")
    return cases[model] | own if model != name else own


def _complete(data: Data) -> Data:
    """A scenario as the rig plays it: `steps` become the script of a machine that first proves that it is empty."""
    data = {"board": DEFAULT_BOARD, **data}
    if "steps" not in data:
        return data
    if "script" in data:
        raise ValueError("steps or script, not both")
    from rig.scenario import check_steps  # here: listing the names of scenarios must not load the firmware

    check_steps(data["steps"], "steps")
    script = [{"story": "start"}, *data["steps"]]
    return {key: value for key, value in data.items() if key != "steps"} | {"script": script}


def places(paths: Iterable[Path]) -> list[Path]:
    """Every scenario of these files and folders, a case as FILE:CASE. What cannot be read stands for itself."""
    found: list[Path] = []
    for path in paths:
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            try:
                names = _names(file, _read(file))
            except (OSError, ValueError, TypeError, AttributeError):
                names = []
            found += [Path(f"{file}:{name}") for name in names] if names not in ([], [file.stem]) else [file]
    return found


def read_place(place: Path) -> Data:
    """One scenario. OSError or ValueError if there is none."""
    path, name = split(place)
    file = _read(path)
    names = _names(path, file)
    if name not in names:
        raise ValueError(f"no case {name!r}; there are {', '.join(names)}" if name else "it has cases: give FILE:CASE")
    return _scenario(file, name)


def split(place: Path) -> tuple[Path, str]:
    """The file, and the name of the scenario in it."""
    file, mark, name = str(place).rpartition(".json:")
    return (Path(file + ".json"), name) if mark else (place, place.stem)


def name_of(place: Path) -> str:
    return split(place)[1]


def library(folder: Path) -> dict[str, Data]:
    """All scenarios of a folder, by name."""
    return {name: data for file in sorted(folder.glob("*.json")) for name, data in read_cases(file).items()}


def _fill(template: Data, name: str, shared: Data, own: Data) -> Data:
    """The scenario of one case. What it has under a key of scenarios stands in place of the file's."""
    from rig.scenario import KEYS  # here, for the reason above

    keys = [key for key in own if key in KEYS or key == "steps"]  # in order: the bench page ships the same bytes
    unused = sorted({*shared, *own} - {*keys} - set(_VALUE.findall(json.dumps(template))))
    if unused:
        raise ValueError(f"case {name}: ${unused[0]} stands nowhere in the file")
    filled = _filled(template | {key: own[key] for key in keys}, name, shared | own)
    # A case that expects nothing of something that the others name gives it as null.
    expected = filled.get("expect", {})
    return filled | {"expect": {key: value for key, value in expected.items() if value is not None}}


def _filled(node: Any, name: str, values: Data) -> Any:
    """A copy with the values of the case in place of their names: `$name` alone is the value, else its text."""
    if isinstance(node, dict):
        return {key: _filled(value, name, values) for key, value in cast("Data", node).items()}
    if isinstance(node, list):
        return [_filled(value, name, values) for value in cast("list[Any]", node)]
    if not isinstance(node, str):
        return node
    for word in _VALUE.findall(node):
        if word not in values:
            raise ValueError(f"case {name} has no value for ${word}")
    alone = _VALUE.fullmatch(node)
    return values[alone[1]] if alone else _VALUE.sub(lambda found: str(values[found[1]]), node)
