"""Leaves out ways that a board cannot take: an `if` whose body imports a module that the board does not get.

One source makes every kind of machine, storage and port, and imports what it makes where it makes it. On a device only
one of the ways can be gone, and mpy-cross drops what stands behind a condition that is a number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable


def close_branches(source: str, stays_home: Callable[[str], bool]) -> str:
    """The same source, line for line, with 0 or 1 as the condition of a branch that cannot or must be taken."""
    lines = [line.encode() for line in source.split("\n")]
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.If)]
    # From the end, so that places before stay what they are.
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if _imports(node.body, stays_home):
            _replace(lines, node.test, b"0")
        elif _is_else(node) and _imports(node.orelse, stays_home):
            _replace(lines, node.test, b"1")
    return b"\n".join(lines).decode()


def _is_else(node: ast.If) -> bool:
    """A real one: what stands behind `elif` is an `if` of its own."""
    return len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If)


def _imports(body: Iterable[ast.stmt], stays_home: Callable[[str], bool]) -> bool:
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.module and stays_home(node.module):
            return True
        if isinstance(node, ast.Import) and any(stays_home(alias.name) for alias in node.names):
            return True
    return False


def _replace(lines: list[bytes], test: ast.expr, number: bytes) -> None:
    first, last = test.lineno - 1, (test.end_lineno or test.lineno) - 1
    end = lines[last][test.end_col_offset :]
    lines[first] = lines[first][: test.col_offset] + number + (end if first == last else b"")
    for at in range(first + 1, last + 1):
        # A condition over lines stands in brackets, which are not part of it.
        lines[at] = end if at == last else b""
