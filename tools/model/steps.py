"""A table of steps: Python syntax that is read and never imported.

Groups of variables are assignments of `dict(...)`: a number is a variable with that initial value, a string an array of
that size, `set` a set, `(set, "SIZE")` an array of sets. A function that begins with `when(...)` is a step; the others
are parts of steps.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TABLES = Path(__file__).resolve().parent / "tables"
Bounds = Mapping[str, int]


@dataclass(frozen=True)
class Variable:
    """One variable of a group; `size` is 0 for one that is no array."""

    is_set: bool
    size: int
    initial: int


class TableError(Exception):
    """A table says something that its readers do not know."""


class Table:
    """The groups, steps and parts of a table, under the bounds of one run."""

    def __init__(self, source: str, bounds: Bounds) -> None:
        self.bounds = dict(bounds)
        self.groups: dict[str, dict[str, Variable]] = {}
        self.steps: dict[str, ast.FunctionDef] = {}
        self.parts: dict[str, ast.FunctionDef] = {}
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assert isinstance(node.value, ast.Call)
                words = node.value.keywords
                self.groups[node.targets[0].id] = {str(word.arg): self._variable(word.value) for word in words}
            elif isinstance(node, ast.FunctionDef):
                (self.steps if _guard(node) is not None else self.parts)[node.name] = node

    @property
    def variables(self) -> dict[str, Variable]:
        return {name: variable for group in self.groups.values() for name, variable in group.items()}

    def number(self, text: str) -> int:
        """An expression of bounds alone; NameError if it has variables in it."""
        return int(eval(text, {"__builtins__": {}}, self.bounds))

    def _variable(self, node: ast.expr) -> Variable:
        if isinstance(node, ast.Tuple):
            size = node.elts[1]
            assert isinstance(size, ast.Constant)
            return Variable(True, self.number(str(size.value)), 0)
        if isinstance(node, ast.Name):
            return Variable(True, 0, 0)
        assert isinstance(node, ast.Constant)
        if isinstance(node.value, str):
            return Variable(False, self.number(node.value), 0)
        return Variable(False, 0, int(str(node.value)))


def _guard(function: ast.FunctionDef) -> ast.expr | None:
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Call):
        called = first.value.func
        if isinstance(called, ast.Name) and called.id == "when":
            return first.value.args[0]
    return None


def guard(function: ast.FunctionDef) -> ast.expr:
    found = _guard(function)
    assert found is not None
    return found


def name_of(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise TableError(f"line {node.lineno}: not a name: {ast.unparse(node)}")
    return node.id


def source_of(table: str) -> str:
    return (TABLES / f"{table}.steps").read_text(encoding="utf-8")
