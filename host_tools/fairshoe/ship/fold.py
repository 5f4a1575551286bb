"""Fold constants: every use of `NAME = const(...)` becomes its number, in all modules of a device.

mpy-cross folds the constants of the module that it compiles. An imported constant stays a global: a lookup by name at
every use, and an entry in the dict of every module that imports it. `fold` sees all modules. It writes numbers in place
of the uses, then removes the definitions and imports that nothing needs any more. All other names stay, and every line
keeps its number, so that tracebacks match the source.

A use is folded only where the name can have no other meaning: a name that a module binds twice, in any scope, stays. A
definition is removed only if nothing can look it up: no use, attribute or string of that name is left in any module.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

# A module that uses one of these may look up any of its own names.
LOOKUPS = frozenset({"dir", "eval", "exec", "globals", "locals", "vars"})
_OPERATORS: dict[type[ast.AST], Callable[..., int]] = {
    **{ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__, ast.FloorDiv: int.__floordiv__},
    **{ast.BitAnd: int.__and__, ast.BitOr: int.__or__, ast.BitXor: int.__xor__, ast.Mod: int.__mod__},
    **{ast.LShift: int.__lshift__, ast.RShift: int.__rshift__, ast.USub: int.__neg__, ast.Invert: int.__invert__},
}
READ_MAX = 1200  # texts kept: most modules of one board are in every other board, and each is read in three versions
_Edit = tuple[ast.stmt | ast.expr, str]


class FoldError(Exception):
    """A source that is no Python, or would be none with numbers in place of its constants."""


@dataclass(frozen=True)
class _Import:
    """What an import binds: `name` of `module`, or the module itself if `name` is empty."""

    module: str
    name: str

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module


_Binding = _Import | ast.expr | None  # the value of a constant; None for whatever is neither


@dataclass
class _Module:
    """What one source binds and uses, in any scope."""

    name: str
    text: str
    bound: dict[str, set[_Binding]] = field(default_factory=dict[str, set[_Binding]])
    definitions: list[tuple[str, ast.stmt]] = field(default_factory=list[tuple[str, ast.stmt]])
    imports: list[ast.ImportFrom] = field(default_factory=list[ast.ImportFrom])
    names: list[ast.Name] = field(default_factory=list[ast.Name])
    attributes: list[ast.Attribute] = field(default_factory=list[ast.Attribute])
    strings: set[str] = field(default_factory=set[str])

    def binding(self, name: str) -> _Binding:
        """The one thing that a name stands for."""
        bound = self.bound.get(name, set[_Binding]())
        return next(iter(bound)) if len(bound) == 1 else None

    def bind(self, name: str, binding: _Binding = None) -> None:
        # None stays in the set, so that a name with another meaning has two.
        self.bound.setdefault(name, set()).add(binding)

    @property
    def reads(self) -> set[str]:
        return {node.id for node in self.names}


def fold(sources: dict[str, str]) -> dict[str, str]:
    """The same modules, by dotted name, with constants as numbers."""
    modules = {name: _read(name, text) for name, text in sources.items()}
    reads = {name: module.reads for name, module in modules.items()}
    constants = _Constants(modules)
    changed = {name: constants.folded(module) for name, module in modules.items()}
    while changed:
        modules.update({name: _read(name, text) for name, text in changed.items()})
        # Again until nothing goes: without an import, the definition behind it may have no use left.
        changed = _without_unneeded(modules, reads)
    return {name: module.text for name, module in modules.items()}


# --- reading a module --------------------------------------------------------------------------


@lru_cache(READ_MAX)
def _read(name: str, text: str) -> _Module:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise FoldError(f"{name}, line {error.lineno}: {error.msg}") from error
    module = _Module(name, text)
    for statement in tree.body:
        match statement:
            case ast.Assign([ast.Name(target)], ast.Call(ast.Name("const"), [value], [])) | ast.Assign(
                [ast.Name("TYPE_CHECKING" as target)], ast.Constant(False) as value
            ):
                module.definitions.append((target, statement))
                module.bind(target, value)
                runs: ast.AST = statement.value
            case _:
                runs = statement
        for node in _running(runs):
            _note(module, node)
    return module


def _running(top: ast.AST) -> Iterator[ast.AST]:
    """Every node that can run: no docstring, and nothing under `if TYPE_CHECKING:`."""
    todo = [top]
    for node in todo:
        yield node
        match node:
            case ast.JoinedStr() | ast.Expr(ast.Constant()):
                pass
            case ast.If(ast.Name("TYPE_CHECKING") | ast.Constant(False), _, otherwise):
                todo += [node.test, *otherwise]
            case _:
                todo += ast.iter_child_nodes(node)


def _note(module: _Module, node: ast.AST) -> None:
    match node:
        case ast.Name(_, ast.Load()):
            module.names.append(node)
        case ast.Attribute():
            module.attributes.append(node)
        case ast.Constant(str(text)):
            module.strings.update(text.split("."))
        case ast.JoinedStr():  # before Python 3.12 ast does not say where in an f-string a name stands
            module.strings.update(str(getattr(each, "id", getattr(each, "attr", ""))) for each in ast.walk(node))
        case ast.Name(name) | ast.arg(name) | ast.FunctionDef(name) | ast.ClassDef(name):
            module.bind(name)
        case ast.ExceptHandler(_, str(name)):
            module.bind(name)
        case ast.Import(names):
            for alias in names:
                # `import a.b` binds a, not the module that it names.
                whole = alias.asname or "." not in alias.name
                module.bind(alias.asname or alias.name.partition(".")[0], _Import(alias.name, "") if whole else None)
        case ast.ImportFrom(source, names, level):
            if level or source is None or names[0].name == "*":
                raise FoldError(f"{module.name}, line {node.lineno}: name the module in full, and what it imports")
            module.imports.append(node)
            for alias in names:
                module.bind(alias.asname or alias.name, _Import(source, alias.name))
        case _:
            pass


# --- numbers in place of names -----------------------------------------------------------------


class _Constants:
    def __init__(self, modules: dict[str, _Module]) -> None:
        self._modules = modules
        self._known: dict[tuple[str, str], int | None] = {}

    def folded(self, module: _Module) -> str:
        """The source with numbers in place of constants."""
        uses = [(node, self._used(module.name, node)) for node in (*module.names, *module.attributes)]
        return _edited(module, [(node, f"({n})" if n < 0 else str(n)) for node, n in uses if n is not None])

    def _used(self, module: str, node: ast.expr) -> int | None:
        """The value of `NAME`, or of `module.NAME`."""
        match node:
            case ast.Name(name):
                return self._value(module, name)
            case ast.Attribute(ast.Name(name), attribute):
                what = self._modules[module].binding(name)
                return self._value(what.path, attribute) if isinstance(what, _Import) else None
            case _:
                return None

    def _value(self, module: str, name: str) -> int | None:
        """The number that a name stands for at the top of a module; None if it is no constant."""
        if module not in self._modules:
            return None
        key = module, name
        if key not in self._known:
            self._known[key] = None  # of constants that import each other in a circle
            what = self._modules[module].binding(name)
            if isinstance(what, _Import):
                self._known[key] = self._value(what.module, what.name)
            elif what is not None:
                self._known[key] = self._evaluated(module, what)
        return self._known[key]

    def _evaluated(self, module: str, node: ast.expr) -> int | None:
        match node:
            case ast.Constant(int(value)):
                return value
            case ast.UnaryOp(how, one):
                parts = [one]
            case ast.BinOp(one, how, two):
                parts = [one, two]
            case _:
                return self._used(module, node)
        values = [self._evaluated(module, part) for part in parts]
        return _OPERATORS[type(how)](*values) if type(how) in _OPERATORS and None not in values else None


# --- what nothing needs any more ---------------------------------------------------------------


def _without_unneeded(modules: dict[str, _Module], read_before: dict[str, set[str]]) -> dict[str, str]:
    """The sources that lose a definition or an import. An import that was never read is there to load its module."""
    mentioned: set[str] = set()
    asked: dict[str, set[str]] = defaultdict(set)
    opened: set[str] = set()
    for module in modules.values():
        mentioned |= module.strings | {node.attr for node in module.attributes}
        opened |= _opened(module)
        for node in module.imports:
            asked[node.module or ""].update(alias.name for alias in node.names)
    changed: dict[str, str] = {}
    for name, module in modules.items():
        if name in opened:
            continue
        needed = module.reads | mentioned | asked[name]
        edits: list[_Edit] = [(node, "") for word, node in module.definitions if word not in needed]
        goes = read_before[name] - needed
        for node in module.imports:
            stays = [alias for alias in node.names if (alias.asname or alias.name) not in goes]
            if len(stays) < len(node.names):
                nothing = "0" if node.col_offset else ""  # a block must not be empty
                edits.append((node, ast.unparse(ast.ImportFrom(node.module, stays, 0)) if stays else nothing))
        if edits:
            changed[name] = _edited(module, edits)
    return changed


def _opened(module: _Module) -> set[str]:
    """Modules any name of which may be looked up: one that looks into itself, or that is handed on as a value."""
    opened = {module.name} if LOOKUPS & (module.reads - module.bound.keys()) else set[str]()
    inside = {id(node.value) for node in module.attributes if node.attr != "__dict__"}
    for node in module.names:
        what = module.binding(node.id)
        if isinstance(what, _Import) and id(node) not in inside:
            opened.add(what.path)
    return opened


def _edited(module: _Module, edits: list[_Edit]) -> str:
    """The source with other text in place of these nodes. Every line keeps its number."""
    lines = module.text.split("\n")
    for node, text in sorted(edits, key=lambda edit: (edit[0].lineno, edit[0].col_offset), reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before = lines[first].encode()[: node.col_offset].decode()  # ast counts columns in bytes
        after = lines[last].encode()[node.end_col_offset :].decode()
        lines[first : last + 1] = [before + text, *[""] * (last - first)]
        lines[last] += after
    return "\n".join(lines)
