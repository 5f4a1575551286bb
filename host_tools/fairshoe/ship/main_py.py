"""The main.py of a device: hal/device.py without what only people read, and a call of its function at the end.

MicroPython wants this one file as source, so that every word in it is a byte in flash.
"""

import ast
from pathlib import Path
from string import ascii_letters

SOURCE = "hal/device.py"
CALL = "boot()\n"


def main_py(root: Path) -> str:
    return bare((root / SOURCE).read_text(encoding="utf-8") + CALL)


def bare(source: str) -> str:
    """The same program without comments, docstrings and types, with one letter for every name that is its own, and
    indented by one space."""
    tree = _Strip().visit(ast.parse(source))
    letters = dict(zip(sorted(_own_names(tree)), ascii_letters, strict=False))
    tree = _Rename(letters).visit(tree)
    lines = ast.unparse(tree).split("\n")
    # No text in it spans lines, so that every line starts with its indentation.
    return "\n".join(" " * ((len(line) - len(line.lstrip())) // 4) + line.lstrip() for line in lines if line) + "\n"


class _Strip(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if _is_type_checking(node.test) else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        return None if _is_type_checking(node.targets[0]) else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | None:
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        return self.generic_visit(node)


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = self.names.get(node.name or "", node.name)
        return self.generic_visit(node)


def _own_names(tree: ast.AST) -> set[str]:
    """What it binds itself; what it imports keeps its name."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            names |= {node.name, *(argument.arg for argument in node.args.args)}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _is_type_checking(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "TYPE_CHECKING"
