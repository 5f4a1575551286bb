"""Leaves out what no shipped module uses: words for numbers that only hosts print.

The modules of a device are a closed world. A name given to a constant at the top of one of them, and mentioned nowhere
else in any, is not needed there.
"""

from __future__ import annotations

import ast


def drop_unused(sources: dict[str, str]) -> dict[str, str]:
    """The same modules without such names, line for line. Again until nothing goes: one text may be made of others."""
    while True:
        trees = {name: ast.parse(source) for name, source in sources.items()}
        used = {word for tree in trees.values() for word in _words(tree)}
        smaller = {name: _without(sources[name], trees[name], used) for name in sources}
        if smaller == sources:
            return sources
        sources = smaller


def _without(source: str, tree: ast.Module, used: set[str]) -> str:
    lines = source.split("\n")
    for node in tree.body:
        name = _named(node)
        if name and name not in used:
            for at in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[at] = ""
    return "\n".join(lines)


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
    return found


def _named(node: ast.stmt) -> str:
    """The name that a constant gets; nothing for any other statement."""
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
