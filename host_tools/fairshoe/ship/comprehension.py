"""What a comprehension evaluates where it stands, and what in a scope of its own."""

import ast

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def parts_of(node: Comprehension) -> tuple[ast.expr, list[ast.expr]]:
    """The first thing it goes through, which is outside, and everything inside."""
    first, *rest = node.generators
    inside: list[ast.expr] = [first.target, *first.ifs]
    for each in rest:
        inside += [each.target, each.iter, *each.ifs]
    inside += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return first.iter, inside
