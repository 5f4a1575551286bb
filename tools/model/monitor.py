"""A machine that takes the steps of a table one after the other, with numbers that have no bounds.

It is the table's own code, compiled: what SPIN checks and what recorded runs are held against is the same text.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from copy import deepcopy
from typing import Any

from model.steps import Table


class Rejected(Exception):
    """A step that the table does not allow here."""


class Monitor:
    """`take` one step after the other; `state` has the variables."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.steps = tuple(table.steps)
        self.state: dict[str, Any] = dict(table.bounds)
        for group in table.groups:
            self._forget(group)
        tree = ast.Module([_compiled(function) for function in (*table.steps.values(), *table.parts.values())], [])
        self.state.update(when=_when, forget=self._forget)
        exec(compile(ast.fix_missing_locations(tree), "table of steps", "exec"), self.state)

    def take(self, step: str, *values: int) -> None:
        """Raises Rejected; AssertionError if a promise of the table breaks."""
        self.state[step](*values)

    def _forget(self, group: str) -> None:
        for name, variable in self._table.groups[group].items():
            if variable.size:
                self.state[name] = defaultdict(set if variable.is_set else int)
            else:
                self.state[name] = set() if variable.is_set else variable.initial


def _when(allowed: object) -> None:
    if not allowed:
        raise Rejected("not allowed here")


class _Python(ast.NodeTransformer):
    """What differs between a table and Python: whole numbers, and groups by name."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.BinOp(node.left, ast.FloorDiv(), node.right) if isinstance(node.op, ast.Div) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "forget":
            node.args = [ast.Constant(ast.unparse(node.args[0]))]
        return node


def _compiled(function: ast.FunctionDef) -> ast.stmt:
    made = _Python().visit(deepcopy(function))
    for parameter in made.args.args:
        parameter.annotation = None
    assigned = [target for node in ast.walk(made) if isinstance(node, ast.Assign) for target in node.targets]
    names = sorted({target.id for target in assigned if isinstance(target, ast.Name)})
    if names:
        made.body.insert(0, ast.Global(names))
    return made
