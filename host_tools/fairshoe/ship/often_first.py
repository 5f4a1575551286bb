"""The names that a file mentions most often, at the places of its table where a mention takes one byte.

Bytecode mentions a name by its place in the file's table: one byte up to place 127, two from there on. The compiler
fills the table as it comes across names, so that whatever stands at the top of a file takes the cheap places, though it
may be mentioned nowhere else. A statement that can never be reached is compiled to nothing, and yet its names are in
the table.
"""

import ast
from collections import Counter

from fairshoe.ship.join_read import Source, is_never

# The file's own name and `<module>` are there before.
PLACES = 126


def often_first(source: str) -> str:
    """The same source, whose first line must be free, with such a statement there."""
    names = [name for name, _ in sorted(_uses(source).items(), key=lambda item: (-item[1], item[0]))][:PLACES]
    return f"while 1: break; ().{'.'.join(names)}{source}" if names else source


def _uses(source: str) -> Counter[str]:
    """How often bytecode will mention each name; what is local to a function it has by number."""
    tree = _Compiled().visit(ast.parse(source))
    uses = Counter(mention.name for mention in Source("", ast.unparse(tree)).mentions)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            uses[node.attr] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            uses[node.name] += 1
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            uses[node.arg] += 1
    return uses


class _Compiled(ast.NodeTransformer):
    """What the compiler makes something of: no types, nothing under `if False:`."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        plain = ast.Assign([node.target], node.value) if node.value else ast.Pass()
        return self.generic_visit(ast.copy_location(plain, node))

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return (node.orelse or ast.Pass()) if is_never(node.test) else node
