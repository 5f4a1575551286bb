"""Promela of a table of steps: one process, and in it one indivisible choice for every step and its parameters.

Sets are bits of an integer. A parameter that follows from the state is kept in `q` while its step is taken.
"""

from __future__ import annotations

import ast

from model.steps import Table, TableError, guard, name_of

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.And: "&&",
    ast.Or: "||",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
Names = dict[str, str]  # what a name of the table is in Promela, where that is something else


def promela(table: Table) -> str:
    """The model; it prints each step that it takes, with the value of its parameter."""
    lines = [f"#define {name} {value}" for name, value in table.bounds.items()]
    lines.append("byte q;")
    for name, variable in table.variables.items():
        size = f"[{variable.size}]" if variable.size else ""
        initial = f" = {variable.initial}" if variable.initial else ""
        lines.append(f"{'int' if variable.is_set else 'byte'} {name}{size}{initial};")
    lines.append("active proctype all() { do")
    for name, function in table.steps.items():
        lines += [_choice(table, name, function, names) for names in _choices(table, function)]
    return "\n".join([*lines, "od }", ""])


def _choices(table: Table, function: ast.FunctionDef) -> list[Names]:
    """What the parameters of a step may be: every number below a bound, or one that follows from the state."""
    choices: list[Names] = [{}]
    for parameter in function.args.args:
        assert isinstance(parameter.annotation, ast.Constant)
        domain = str(parameter.annotation.value)
        if domain in table.bounds or domain.isdigit():
            values = [str(value) for value in range(1, table.number(domain))]
        else:
            values = [_expression(ast.parse(domain, mode="eval").body, {})]
        choices = [{**names, parameter.arg: value} for names in choices for value in values]
    return choices


def _choice(table: Table, name: str, function: ast.FunctionDef, names: Names) -> str:
    kept = {key: value if value.isdigit() else "q" for key, value in names.items()}
    before = "".join(f"q = {value}; " for value in names.values() if not value.isdigit())
    after = " q = 0;" if "q" in kept.values() else ""
    body = " ".join(_statement(table, statement, kept) for statement in function.body[1:])
    places = " %d" * len(names)
    values = "".join(f", {value}" for value in names.values())
    condition = _expression(guard(function), names)
    return f':: d_step {{ {condition} -> printf("{name}{places}\\n"{values}); {before}{body}{after} skip }}'


def _expression(node: ast.expr, names: Names) -> str:
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Constant):
        return str(int(str(node.value)))
    if isinstance(node, ast.Subscript):
        return f"{_expression(node.value, names)}[{_expression(node.slice, names)}]"
    if isinstance(node, ast.BinOp):
        return f"({_expression(node.left, names)} {OPERATORS[type(node.op)]} {_expression(node.right, names)})"
    if isinstance(node, ast.BoolOp):
        return "(" + f" {OPERATORS[type(node.op)]} ".join(_expression(each, names) for each in node.values) + ")"
    if isinstance(node, ast.UnaryOp):
        return f"(!{_expression(node.operand, names)})"
    if isinstance(node, ast.Compare):
        return _comparison(node, names)
    if isinstance(node, ast.Call) and name_of(node.func) == "max":
        a, b = (_expression(each, names) for each in node.args)
        return f"(({a}) > ({b}) -> ({a}) : ({b}))"
    raise TableError(f"line {node.lineno}: no such expression: {ast.unparse(node)}")


def _comparison(node: ast.Compare, names: Names) -> str:
    parts: list[str] = []
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        a, b = _expression(left, names), _expression(right, names)
        if isinstance(operator, ast.In):
            parts.append(f"(({b} >> ({a})) & 1)")
        elif isinstance(operator, ast.NotIn):
            parts.append(f"(!(({b} >> ({a})) & 1))")
        else:
            parts.append(f"({a} {OPERATORS[type(operator)]} {b})")
        left = right
    return "(" + " && ".join(parts) + ")"


def _block(table: Table, statements: list[ast.stmt], names: Names) -> str:
    return " ".join(_statement(table, statement, names) for statement in statements)


def _statement(table: Table, node: ast.stmt, names: Names) -> str:
    if isinstance(node, ast.Assign):
        return f"{_expression(node.targets[0], names)} = {_expression(node.value, names)};"
    if isinstance(node, ast.Assert):
        return f"assert({_expression(node.test, names)});"
    if isinstance(node, ast.If):
        otherwise = _block(table, node.orelse, names) or "skip;"
        return f"if :: {_expression(node.test, names)} -> {_block(table, node.body, names)} :: else -> {otherwise} fi;"
    if isinstance(node, ast.For):
        return _loop(table, node, names)
    if isinstance(node, ast.Pass):
        return "skip;"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return _call(table, node.value, names)
    raise TableError(f"line {node.lineno}: no such statement: {ast.unparse(node)}")


def _loop(table: Table, node: ast.For, names: Names) -> str:
    """Written out; where its bounds are state, every number is asked."""
    assert isinstance(node.iter, ast.Call)
    begin, end = node.iter.args
    variable = name_of(node.target)

    def turn(value: int) -> str:
        return _block(table, node.body, {**names, variable: str(value)})

    try:
        numbers = range(table.number(ast.unparse(begin)), table.number(ast.unparse(end)))
    except NameError:
        low, high = _expression(begin, names), _expression(end, names)
        every = range(table.bounds["N"])
        return " ".join(f"if :: ({x} >= {low} && {x} < {high}) -> {turn(x)} :: else fi;" for x in every)
    return " ".join(turn(value) for value in numbers)


def _call(table: Table, call: ast.Call, names: Names) -> str:
    if isinstance(call.func, ast.Attribute):
        target, element = _expression(call.func.value, names), _expression(call.args[0], names)
        if call.func.attr == "add":
            return f"{target} = {target} | (1 << ({element}));"
        return f"{target} = {target} & ~(1 << ({element}));"
    called = name_of(call.func)
    if called == "forget":
        return " ".join(_forget(table, name_of(call.args[0])))
    part = table.parts[called]
    given = [_expression(argument, names) for argument in call.args]
    inner = {parameter.arg: f"({value})" for parameter, value in zip(part.args.args, given, strict=True)}
    return _block(table, part.body, inner)


def _forget(table: Table, group: str) -> list[str]:
    lines: list[str] = []
    for name, variable in table.groups[group].items():
        if variable.size:
            lines += [f"{name}[{index}] = 0;" for index in range(variable.size)]
        else:
            lines.append(f"{name} = {variable.initial};")
    return lines
