"""A section of the benchmark: measured and reported apart, so that one that cannot be measured costs no other."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


class NotMeasured(Exception):
    """Why a section has no figures."""


class Lacking(NotMeasured):
    """This machine lacks a program or a package."""


@dataclass(frozen=True)
class Section:
    """`small`: the arguments of `measure` in a run that shows that it works; its figures mean nothing."""

    name: str
    measure: Callable[..., Any]
    report: Callable[[Any], list[str]]
    small: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Outcome:
    """What a section measured, or why it did not. `lacking`: for want of something that could be installed."""

    name: str
    figures: Any = None
    why_not: str = ""
    lacking: bool = False
    lines: tuple[str, ...] = ()


def run(section: Section, small: bool) -> Outcome:
    """Measure and report. A defect of the section is printed with its traceback, and is an outcome too."""
    try:
        figures = section.measure(**(section.small if small else {}))
        return Outcome(section.name, figures, lines=tuple(section.report(figures)))
    except NotMeasured as error:
        return Outcome(section.name, why_not=str(error), lacking=isinstance(error, Lacking))
    except Exception as error:  # whatever is broken, the other sections are measured and the exit status says it
        traceback.print_exc()
        return Outcome(section.name, why_not=repr(error))
