"""Leaves out what no shipped module uses: words that only hosts print, functions that only other machines call.

The modules of a device are a closed world. A name given to a constant or a function at the top of one of them, or to a
method, and mentioned nowhere else in any, is not needed there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

# What MicroPython calls by itself: of block devices and streams.
CALLED_BY_OTHERS = frozenset({"readblocks", "writeblocks", "ioctl", "readinto", "write", "read", "close"})


def drop_unused(sources: dict[str, str], users: Iterable[str] = ()) -> dict[str, str]:
    """The same modules without such names, line for line. Again until nothing goes: one text may be made of others.
    `users` are sources that mention names and are not shipped now."""
    others = {word for source in users for word in _words(ast.parse(source))}
    read: dict[str, tuple[ast.Module, set[str]]] = {}  # by source
    while True:
        for source in sources.values():
            if source not in read:
                tree = ast.parse(source)
                read[source] = (tree, _words(tree))
        used = others.union(*(read[source][1] for source in sources.values()))
        smaller = {name: _without(source, read[source][0], used) for name, source in sources.items()}
        if smaller == sources:
            return sources
        sources = smaller


def _without(source: str, tree: ast.Module, used: set[str]) -> str:
    lines = source.split("\n")
    for node in _statements(tree):
        name = _named(node)
        if name and name not in used:
            for at in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[at] = ""
    return "\n".join(lines)


def _statements(tree: ast.Module) -> list[ast.stmt]:
    """Those of the module, and the methods of its classes; a class keeps its first statement, for it must have one."""
    methods = [item for node in tree.body if isinstance(node, ast.ClassDef) for item in node.body[1:]]
    return [*tree.body, *(item for item in methods if isinstance(item, ast.FunctionDef))]


def _words(tree: ast.Module) -> set[str]:
    """Every name that is read, imported or an attribute."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.add(node.name.rpartition(".")[2])
    return found | CALLED_BY_OTHERS


def _named(node: ast.stmt) -> str:
    """The name that a constant or a function gets; nothing for any other statement."""
    if isinstance(node, ast.FunctionDef) and not node.decorator_list:
        return "" if node.name.startswith("__") else node.name
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and _constant(node.value):
        target = node.targets[0]
        return target.id if isinstance(target, ast.Name) and not target.id.startswith("__") else ""
    return ""


def _constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_constant(item) for item in node.elts)
    if isinstance(node, ast.BinOp):
        return _constant(node.left) and _constant(node.right)
    return isinstance(node, (ast.Constant, ast.JoinedStr))
