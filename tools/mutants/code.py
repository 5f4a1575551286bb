"""Mutants of code, of the firmware and of host packages: one node of a module's syntax tree is replaced or taken away.

What is changed: comparisons, boolean and arithmetic operators, integers (by one) and bit masks (a bit less), True and
False, conditions (always, never), statements (calls, assignments, early ends: taken away), returned values. What is
not: strings, annotations, and layout.py, which is generated and compared with its source.

A name has no line number, so that equivalent_code.json stays true while other lines come and go.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from mutants.copied_tree import ROOT

FIRMWARE = ROOT / "firmware"
_GENERATED = ("protocol/layout.py",)
_TEXT_MAX = 90

_COMPARE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq, ast.GtE),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt, ast.Eq),
    ast.Gt: (ast.GtE,),
    ast.GtE: (ast.Gt, ast.Eq),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MASKING = (ast.BitAnd, ast.BitOr, ast.BitXor)


@dataclass(frozen=True)
class NodePlace:
    """The place of a node: scope is `Class.method`, empty at the top of a module; line that of the statement."""

    path: str
    scope: str
    line: int


@dataclass(frozen=True)
class Change:
    name: str
    where: NodePlace
    holder: ast.AST
    attribute: str
    at: int | None  # index, where the attribute is a list
    new: ast.AST

    @contextmanager
    def applied(self) -> Generator[None]:
        """Within the tree that it was found in."""
        old = self._set(self.new)
        try:
            yield
        finally:
            self._set(old)

    def _set(self, node: ast.AST) -> ast.AST:
        if self.at is None:
            old = getattr(self.holder, self.attribute)
            setattr(self.holder, self.attribute, node)
            return old
        nodes = cast("list[ast.AST]", getattr(self.holder, self.attribute))
        old, nodes[self.at] = nodes[self.at], node
        return old


@dataclass
class Module:
    path: str  # from firmware/
    tree: ast.Module
    changes: list[Change] = field(default_factory=list[Change])


def modules() -> list[Module]:
    """All modules of the firmware with their mutants, in the order of paths and lines."""
    found: list[Module] = []
    for file in sorted(FIRMWARE.rglob("*.py")):
        found.append(read_module(file.relative_to(FIRMWARE).as_posix(), file.read_text(encoding="utf-8")))
    return found


def read_module(path: str, text: str) -> Module:
    module = Module(path, ast.parse(text, str(Path("firmware") / path)))
    if path not in _GENERATED:
        finder = _Finder(path)
        finder.block(module.tree, "body", NodePlace(path, "", 0))
        module.changes = finder.changes
    return module


class _Finder:
    def __init__(self, path: str) -> None:
        self.path = path
        self.changes: list[Change] = []
        self.names: Counter[str] = Counter()
        self.function: _Function | None = None
        self.least = False  # the statement is `if a < b: b = a`, to which `<=` makes no difference
        self.within = ""  # the statement, for changes that say little by themselves

    def add(self, where: NodePlace, old: str, place: tuple[ast.AST, str, int | None], new: ast.AST) -> None:
        name = f"{where.path} {where.scope or '(module)'}: {old}"
        self.names[name] += 1
        if self.names[name] > 1:
            name += f" ({self.names[name]})"
        ast.fix_missing_locations(ast.copy_location(new, _located(place[0], new)))
        self.changes.append(Change(name, where, *place, new))

    def replaced(self, where: NodePlace, old: ast.AST, place: tuple[ast.AST, str, int | None], new: ast.AST) -> None:
        ast.copy_location(new, old)
        within = f"{self.within}: " if isinstance(old, ast.Constant) else ""
        self.add(where, f"{within}{_text(old)} -> {_text(new)}", place, new)

    # -- statements ---------------------------------------------------------------------------------------------------

    def block(self, holder: ast.AST, attribute: str, where: NodePlace) -> None:
        statements = cast("list[ast.stmt]", getattr(holder, attribute))
        for at, statement in enumerate(statements):
            self.statement(holder, attribute, at, NodePlace(where.path, where.scope, statement.lineno))

    def statement(self, holder: ast.AST, attribute: str, at: int, where: NodePlace) -> None:
        node = cast("list[ast.stmt]", getattr(holder, attribute))[at]
        if isinstance(node, ast.ClassDef | _Function):
            self.definition(node, where)
            return
        if _for_types(node) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            return
        self.within = _header(node)
        if where.scope and self.removable(node, holder, attribute, at):
            self.add(where, f"without {_text(node)}", (holder, attribute, at), ast.copy_location(ast.Pass(), node))
        if isinstance(node, ast.If | ast.While):
            self.condition(node, where)
        self.least = _is_least(node)
        if isinstance(node, ast.AugAssign) and type(node.op) in _OPERATOR:
            new = ast.AugAssign(node.target, _OPERATOR[type(node.op)](), node.value)
            self.replaced(where, node, (holder, attribute, at), new)
        if isinstance(node, ast.Return) and node.value is not None:
            self.returned(node, where)
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody"):
                self.block(node, name, where)
            elif name == "handlers":
                for handler in cast("list[ast.ExceptHandler]", value):
                    self.block(handler, "body", where)
            elif name not in ("annotation", "items"):
                self.within = _header(node)
                self.expressions(node, name, where)

    def definition(self, node: ast.ClassDef | _Function, where: NodePlace) -> None:
        scope = f"{where.scope}.{node.name}" if where.scope else node.name
        outer = self.function
        if isinstance(node, _Function):
            self.function = node
            self.within = f"def {node.name}"
            # Defaults are those of the calls: the tests that run the body.
            self.expressions(node.args, "defaults", NodePlace(where.path, scope, first_line(node)))
        self.block(node, "body", NodePlace(where.path, scope, where.line))
        self.function = outer

    def removable(self, node: ast.stmt, holder: ast.AST, attribute: str, at: int) -> bool:
        if isinstance(node, ast.Assign):
            # Without its first assignment a name or an attribute does not exist, and whatever reads it raises.
            first = self.function is not None and self.function.name == "__init__"
            return not first and all(not isinstance(target, ast.Name | ast.Tuple) for target in node.targets)
        if isinstance(node, ast.Return):
            return holder is not self.function or at + 1 < len(getattr(holder, attribute))
        return isinstance(node, ast.AugAssign | ast.Break | ast.Continue | ast.Raise) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        )

    def condition(self, node: ast.If | ast.While | ast.IfExp, where: NodePlace) -> None:
        for value in (True, False):
            # `while True` mostly hangs, which says little.
            if not (isinstance(node.test, ast.Constant) or (value and isinstance(node, ast.While))):
                word = "while" if isinstance(node, ast.While) else "if"
                old = f"{word} {_text(node.test)} -> {word} {value}"
                self.add(where, old, (node, "test", None), ast.copy_location(ast.Constant(value), node.test))

    def returned(self, node: ast.Return, where: NodePlace) -> None:
        value = cast("ast.expr", node.value)
        kind = getattr(self.function.returns, "id", "") if self.function else ""
        if isinstance(value, ast.Constant):
            return  # changed as a constant
        if kind == "int" and (isinstance(value, ast.Call | ast.IfExp) or _text(value) == "FOREVER_MS"):
            return  # changed where it is made; a millisecond more of waiting is no bug
        if kind == "bool":
            new: ast.expr = ast.UnaryOp(ast.Not(), value)
        elif kind == "int":
            new = ast.BinOp(value, ast.Add(), ast.Constant(1))
        else:
            new = ast.Constant(None)
        old = f"return {_text(value)} -> return {_text(new)}"
        self.add(where, old, (node, "value", None), ast.copy_location(new, value))

    # -- expressions --------------------------------------------------------------------------------------------------

    def expressions(self, holder: ast.AST, attribute: str, where: NodePlace, mask: bool = False) -> None:
        value = getattr(holder, attribute)
        if isinstance(value, ast.expr):
            self.expression(value, (holder, attribute, None), where, mask)
        elif isinstance(value, list):
            for at, item in enumerate(cast("list[ast.AST]", value)):
                if isinstance(item, ast.expr):
                    self.expression(item, (holder, attribute, at), where, mask)
                elif isinstance(item, ast.keyword | ast.comprehension):
                    for name in item._fields:
                        self.expressions(item, name, where)

    def expression(self, node: ast.expr, place: tuple[ast.AST, str, int | None], where: NodePlace, mask: bool) -> None:
        for new in _replacements(node, mask) if not (self.least and place[1] == "test") else ():
            self.replaced(where, node, place, new)
        if isinstance(node, ast.IfExp):
            self.condition(node, where)
        inner = isinstance(node, ast.BinOp) and isinstance(node.op, _MASKING)
        for name in node._fields:
            self.expressions(node, name, where, inner)


def _replacements(node: ast.expr, mask: bool) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for op in _COMPARE[type(node.ops[0])]:
            if op is not ast.GtE or not _is_text(node.comparators[0]):
                yield ast.Compare(node.left, [op()], node.comparators)
    elif isinstance(node, ast.Compare):
        for at, old in enumerate(node.ops):
            for op in _COMPARE[type(old)]:
                yield ast.Compare(node.left, [*node.ops[:at], op(), *node.ops[at + 1 :]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand
    elif (
        isinstance(node, ast.BinOp)
        and type(node.op) in _OPERATOR
        and not _is_text(node.left)
        and not isinstance(node.left, ast.List)
    ):
        yield ast.BinOp(node.left, _OPERATOR[type(node.op)](), node.right)
    elif isinstance(node, ast.Constant):
        yield from (ast.Constant(value) for value in _other_values(node.value, mask))


def _other_values(value: object, mask: bool) -> Iterator[bool | int]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int) and mask and value:
        top, low = 1 << value.bit_length() - 1, value & -value
        yield value & ~top
        if low != top:
            yield value & ~low
    elif isinstance(value, int):
        yield value + 1


# -- helpers ----------------------------------------------------------------------------------------------------------


def first_line(function: _Function) -> int:
    """Of the first statement that is no docstring."""
    body = function.body
    return body[1 if len(body) > 1 and ast.get_docstring(function) is not None else 0].lineno


def _is_least(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and len(node.body) == 1):
        return False
    then = node.body[0]
    if not isinstance(then, ast.Assign) or node.orelse or not isinstance(node.test.ops[0], ast.Lt | ast.Gt):
        return False
    sides = {_text(node.test.left), _text(node.test.comparators[0])}
    return sides == {_text(then.targets[0]), _text(then.value)}


def _for_types(node: ast.stmt) -> bool:
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
        return node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TYPE_CHECKING"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _located(holder: ast.AST, new: ast.AST) -> ast.AST:
    return new if hasattr(new, "lineno") else holder


def _header(node: ast.stmt) -> str:
    """A statement without its block."""
    if isinstance(node, ast.If | ast.While):
        return f"{'if' if isinstance(node, ast.If) else 'while'} {_text(node.test)}"
    if isinstance(node, ast.For):
        return f"for {_text(node.target)} in {_text(node.iter)}"
    return _text(node)


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _TEXT_MAX else text[: _TEXT_MAX - 3] + "..."
