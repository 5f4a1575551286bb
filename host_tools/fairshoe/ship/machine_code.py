"""Machine code for loops over bytes, edges and limbs, and for `ticks_diff`: `to_machine_code()`, for shipping.

MicroPython compiles a function under `@micropython.viper` for the board's own processor: integers are machine words,
buffers are addresses, and nothing is checked. On a Pico that makes stuffing a status 12 times as fast, and as bytecode
that was a third of its frame. The source stays plain Python, which is what runs, and is tested, everywhere else.
(`@micropython.native`, which keeps the checks, was tried on what handles edges and bytes: 3.2 KB for some 5 %.)

A function may be named here if it takes and returns integers and buffers, of bytes or of words, and does nothing but
arithmetic on them, within 31 bits, and if it never leaves its buffers: tests/tools/test_machine_code.py watches it for
that.
"""

from __future__ import annotations

import ast

from fairshoe.ship.errors import ShipError

COMPILED = {
    "firmware.protocol.cobs": ("cobs_gather", "cobs_decode", "cobs_encode"),
    "firmware.digest": ("differ",),
    "firmware.ticks": ("ticks_diff",),  # no loop, but every scan compares half a dozen times
    "firmware.image": ("fold_edges",),
    "firmware.signing.sha512": ("load", "store", "add", "schedule", "rounds"),
    "firmware.signing.field": ("load", "add_subtract", "double_add", "add_product", "reduce"),
    "hal.rp2.fold": ("start", "skip", "show", "loudest", "look", "fold"),
}
DECORATOR = "@micropython.viper"
# What viper calls an address of bytes, and of words: as an annotation it takes any object that has some.
_TYPES = {"int": "int", "bytearray": "ptr8", "bytes": "ptr8", "array[int]": "ptr32"}


def to_machine_code(sources: dict[str, str]) -> dict[str, str]:
    """The same modules, line for line, with the functions of COMPILED as viper wants them."""
    changed = dict(sources)
    for module, names in COMPILED.items():
        if module in sources:
            changed[module] = _mark(module, sources[module], names)
    return changed


def _mark(module: str, source: str, names: tuple[str, ...]) -> str:
    lines = source.split("\n")
    found = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    for name in names:
        node = found.get(name)
        if node is None:
            raise ShipError(f"{module} has no function {name} to compile for the processor; see ship/machine_code.py")
        at = node.lineno - 1
        if lines[at - 1].strip() or node.body[0].lineno == node.lineno:
            raise ShipError(f"{module}: {name} needs a line of its own, and an empty one before it")
        lines[at - 1] = DECORATOR
        lines[at] = f"def {name}({_arguments(module, node)}){_returns(module, node)}:"
        for line in range(at + 1, node.body[0].lineno - 1):
            lines[line] = ""  # the rest of a heading over several lines
    return "\n".join(lines)


def _arguments(module: str, node: ast.FunctionDef) -> str:
    return ", ".join(f"{each.arg}: {_type(module, node.name, each.annotation)}" for each in node.args.args)


def _returns(module: str, node: ast.FunctionDef) -> str:
    nothing = isinstance(node.returns, ast.Constant) and node.returns.value is None
    return "" if nothing else f" -> {_type(module, node.name, node.returns)}"


def _type(module: str, name: str, annotation: ast.expr | None) -> str:
    name_of = annotation.id if isinstance(annotation, ast.Name) else getattr(annotation, "value", None)
    if isinstance(name_of, str) and name_of in _TYPES:
        return _TYPES[name_of]
    raise ShipError(f"{module}: {name} may only take and return {' and '.join(_TYPES)}; see ship/machine_code.py")
