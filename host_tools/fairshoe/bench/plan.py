"""Find bench plans by name or path, and check them against the schema and against what the bench can measure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]

from fairshoe import data_files
from fairshoe.bench.step_kinds import FIGURES, KINDS, MECHANISMS
from fairshoe.errors import Exit, FairshoeError

FOLDER = Path(__file__).resolve().parent / "plans"
_SCHEMAS = ("schema", "report_schema")
Data = dict[str, Any]


class PlanError(FairshoeError):
    """A bench plan that does not exist or cannot be run."""

    exit_code = Exit.INPUT


_FILE = data_files.Kind("bench plan", "bench plan", PlanError)


@dataclass(frozen=True)
class Limit:
    """A figure and between what it has to be; for some mechanisms only, if it says so."""

    figure: str
    min: float | None = None
    max: float | None = None
    mechanisms: tuple[str, ...] = MECHANISMS
    if_measured: bool = False

    def holds(self, value: float | None) -> bool | None:
        """None: it was not measured, and need not be."""
        if value is None:
            return None if self.if_measured else False
        return (self.min is None or value >= self.min) and (self.max is None or value <= self.max)

    @property
    def text(self) -> str:
        """`0`, `at most 1400`, `1 to 3`."""
        if self.min == self.max:
            return f"{self.min:g}"
        if self.min is None:
            return f"at most {self.max:g}"
        return f"at least {self.min:g}" if self.max is None else f"{self.min:g} to {self.max:g}"


@dataclass(frozen=True)
class Step:
    """One test: what the technician does, what is measured, and what it has to be."""

    id: str
    kind: str
    title: str
    does: tuple[str, ...]
    measures: str
    limits: tuple[Limit, ...]
    arguments: Data
    otherwise: dict[str, str] = field(default_factory=dict[str, str])

    def reason_against(self, mechanism: str) -> str:
        """Why this step does not apply to such a machine; empty if it does."""
        return self.otherwise.get(mechanism, "")


@dataclass(frozen=True)
class Plan:
    """A list of steps, and the hash of the file they came from."""

    name: str
    title: str
    about: str
    needs: tuple[str, ...]
    steps: tuple[Step, ...]
    sha256: str
    source: str


def plan_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in _SCHEMAS)


def load_plan(name: str) -> Plan:
    """A checked plan: a name, or the path of a JSON file."""
    path, raw, data = _FILE.read(name, FOLDER, plan_names)
    problems = check_plan(data)
    if problems:
        raise PlanError(f"{path}: " + "; ".join(problems) + ".", "Correct the file; docs/BENCH.md describes it.")
    return _plan(cast(Data, data), hashlib.sha256(raw).hexdigest(), path.name)


def check_plan(data: object) -> list[str]:
    """Everything that is wrong with a plan, in plain words; empty if it can be run."""
    try:
        validator("schema")(data)
    except fastjsonschema.JsonSchemaValueException as error:
        return [str(error.message).replace("data", "the plan", 1)]
    return list(_sense_problems(cast(Data, data)))


def validator(name: str) -> Callable[[object], object]:
    return data_files.validator((FOLDER / f"{name}.json").read_text())


def _sense_problems(data: Data) -> Iterator[str]:
    seen: set[str] = set()
    for step in cast(list[Data], data["steps"]):
        where = f"step {step['id']}"
        if step["id"] in seen:
            yield f"{where}: the id is used twice"
        seen.add(step["id"])
        kind = KINDS.get(step["kind"])
        if kind is None:
            yield f"{where}: no kind {step['kind']!r}; known: {', '.join(KINDS)}"
            continue
        for name, value in cast(Data, step.get("with", {})).items():
            if name not in kind.arguments:
                yield f"{where}: {step['kind']} takes no {name!r}; known: {', '.join(kind.arguments) or 'nothing'}"
            elif type(value) is not type(kind.arguments[name]):
                yield f"{where}: {name} must be like {kind.arguments[name]!r}"
        unsaid = [name for name in MECHANISMS if name not in kind.applies and name not in step.get("otherwise", {})]
        if unsaid:
            yield f"{where}: otherwise must say why it is nothing for {', '.join(unsaid)}"
        for limit in cast(list[Data], step["limits"]):
            if limit["figure"] not in kind.figures:
                yield f"{where}: {step['kind']} measures no {limit['figure']!r}; known: {', '.join(kind.figures)}"
            if not {"min", "max", "equals"} & set(limit):
                yield f"{where}: the limit of {limit['figure']} has neither min nor max nor equals"


def _plan(data: Data, sha256: str, source: str) -> Plan:
    return Plan(
        name=data["name"],
        title=data["title"],
        about=data["about"],
        needs=tuple(data["needs"]),
        steps=tuple(_step(step) for step in data["steps"]),
        sha256=sha256,
        source=source,
    )


def _step(data: Data) -> Step:
    return Step(
        id=data["id"],
        kind=data["kind"],
        title=data["title"],
        does=tuple(data["does"]),
        measures=data["measures"],
        limits=tuple(_limit(limit) for limit in data["limits"]),
        arguments={**KINDS[data["kind"]].arguments, **data.get("with", {})},
        otherwise=dict(data.get("otherwise", {})),
    )


def _limit(data: Data) -> Limit:
    equals = data.get("equals")
    return Limit(
        figure=data["figure"],
        min=equals if equals is not None else data.get("min"),
        max=equals if equals is not None else data.get("max"),
        mechanisms=tuple(data.get("for", MECHANISMS)),
        if_measured=bool(data.get("if_measured", False)),
    )


def limit_words(limit: Limit) -> str:
    """`unexpected warnings: 0`, with the mechanisms it applies to if not all."""
    figure = FIGURES[limit.figure]
    text = f"{figure.label}: {limit.text}{' ' + figure.unit if figure.unit else ''}"
    return text if limit.mechanisms == MECHANISMS else f"{text} ({', '.join(limit.mechanisms)})"
