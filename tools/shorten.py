"""Short names, for shipping: `shorten()` takes the folded sources of a device and gives every name of ours a short one.

MicroPython keeps names as text, in each .mpy that mentions one and once more in RAM. What is shipped is a closed world,
so that a name can be exchanged for another of one or two characters if it is exchanged everywhere: attributes,
functions, classes, arguments and the keywords that fill them, names of modules. There is one table for all of them. A
name that means something of ours in one place and something of MicroPython's in another keeps its text in both, and
`kept` says why. Lines stay where they are. `restore()` turns a traceback back.
"""

import ast
import io
import keyword
import re
import tokenize
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from string import ascii_letters, ascii_lowercase, digits

# Whoever calls one of these asks for names as text, which then would be other ones.
LOOKUPS = frozenset({"__import__", "dir", "eval", "exec", "globals", "locals", "vars"})
ATTRIBUTE_LOOKUPS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
TEXTUAL = frozenset({"__dict__", "__name__", "__qualname__"})
LENGTH_MAX = 2  # of a short name: more than 3,000 of them

_Position = tuple[int, int]  # line from 1, column in characters
_Edit = tuple[_Position, _Position, str]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class ShortenError(Exception):
    """Source whose names cannot be shortened safely, and what to do."""


@dataclass(frozen=True)
class Foreign:
    """What MicroPython calls its own: names of any kind; of these, those that need no import; modules."""

    names: frozenset[str]
    builtins: frozenset[str]
    modules: frozenset[str]


@dataclass(frozen=True)
class Shortened:
    """Sources by their old module names, what names and modules became, and why other names of ours did not."""

    sources: dict[str, str]
    names: dict[str, str]
    modules: dict[str, str]
    kept: dict[str, str]


def shorten(sources: dict[str, str], foreign: Foreign, main: str) -> Shortened:
    """Shorten the modules shipped together, by dotted name; `main` is the one on top, which is not asked for names.

    So a device may start with another main.py, and all its modules are still the same bytes.
    """
    packages = {name.rpartition(".")[0] for name in sources} - {""}
    readers = {name: _Reader(name, source, packages, set(sources), foreign) for name, source in sorted(sources.items())}
    top = readers.pop(main)
    kept: dict[str, str] = {}
    for reader in readers.values():
        for name, reason in reader.kept.items():
            kept.setdefault(name, reason)
    roles = _counted(name for reader in readers.values() for name in reader.roles)
    defined = {name for reader in readers.values() for name in reader.defined}
    for name in roles:
        if name in foreign.names:
            kept.setdefault(name, "MicroPython has something of that name")
        elif name not in defined:
            kept.setdefault(name, "no shipped module defines it")
    words = {name for reader in readers.values() for name in reader.words}
    long = [name for name in roles if name not in kept and not _is_dunder(name) and len(name) > LENGTH_MAX]
    names = _pair(long, ascii_letters, words)
    imported = _counted(module for reader in readers.values() for module in reader.imported)
    shipped = [name for name in (*imported, *sorted(set(readers) - set(imported))) if name not in packages]
    # In small letters alone: not every file system that these files pass through tells small from capital.
    modules = _pair(shipped, ascii_lowercase, foreign.modules)
    _check_top(top, names)
    texts = {name: reader.rewrite(names, modules) for name, reader in readers.items() if name not in packages}
    texts[main] = top.rewrite(names, modules)
    return Shortened(texts, names, modules, {name: kept[name] for name in sorted(kept) if name in roles})


def restore(text: str, names: dict[str, str], modules: dict[str, str]) -> str:
    """A traceback of the device with the names of the repository: of files, of functions, and quoted in messages."""
    old_names = {new: old for old, new in names.items()}
    files = {new: old.replace(".", "/") + ".py" for old, new in modules.items()}

    def place(match: re.Match[str]) -> str:
        file, line, function = match.groups()
        return f'File "{files.get(file, file)}", line {line}, in {old_names.get(function, function)}'

    def quoted(match: re.Match[str]) -> str:
        return f"'{old_names.get(match[1], match[1])}'"

    lines = text.split("\n")
    for at, line in enumerate(lines):
        lines[at], found = re.subn(r'File "([^"]*)", line (\d+), in (\S+)', place, line)
        if not found and re.match(r"\w+: ", line):
            lines[at] = re.sub(r"'(\w+)'", quoted, line)
    return "\n".join(lines)


def foreign_of(stubs: dict[str, str], modules: Iterable[str]) -> Foreign:
    """What type stubs of MicroPython define, by module: attributes, functions, and arguments that may be keywords."""
    names: set[str] = set()
    trees = {name: ast.parse(source) for name, source in stubs.items()}
    for tree in trees.values():
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    names.add(name)
                case ast.arg(arg=name) if name not in ("self", "cls"):
                    names.add(name)
                case ast.Name(id=name, ctx=ast.Store()):
                    names.add(name)
                case _:
                    pass
    top = trees["stdlib/builtins.pyi"].body
    everywhere = frozenset(node.name for node in top if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return Foreign(frozenset(names), everywhere, frozenset(modules))


# --- one module --------------------------------------------------------------------------------


class _Reader(ast.NodeVisitor):
    """Finds the names that a module mentions, in which roles, and those that must stay as they are."""

    def __init__(self, name: str, source: str, packages: set[str], modules: set[str], foreign: Foreign) -> None:
        self.name = name
        self.source = source
        self.packages = packages
        self.modules = modules
        self.builtins = foreign.builtins
        self.roles: set[str] = set()  # names that the compiled file holds as text
        self.defined: set[str] = set()  # of these, those that get something here
        self.kept: dict[str, str] = {}
        self.imported: set[str] = set()
        self.outside: set[str] = set()  # bound to something of MicroPython's
        self.imports: list[tuple[ast.stmt, str | None, list[ast.alias]]] = []
        self.depth = 0  # of functions
        try:
            tree = ast.parse(source)
        except SyntaxError as error:
            raise ShortenError(f"{name}, line {error.lineno}: {error.msg}") from error
        self.tokens = [
            token
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.NAME
        ]
        self.words = {token.string for token in self.tokens}
        self.statements(tree.body)
        if name in packages and any(not _is_docstring(statement) for statement in tree.body):
            raise ShortenError(f"{name}: a package that does something; its modules are shipped without it")

    def refuse(self, node: ast.stmt | ast.expr | ast.arg | ast.keyword, why: str) -> ShortenError:
        return ShortenError(f"{self.name}, line {node.lineno}: {why}")

    def keep(self, name: str, reason: str) -> None:
        self.kept.setdefault(name, f"{reason} in {self.name}")

    def statements(self, body: list[ast.stmt]) -> None:
        """Imports first, wherever they stand: what they bind decides what attributes are."""
        running = [node for statement in body for node in _running(statement)]
        for node in running:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.read_import(node)
        for statement in body:
            self.visit(statement)

    # imports

    def read_import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in self.modules and not alias.asname:
                    raise self.refuse(node, f"write `from ... import` for {alias.name}, whose name will be another one")
            source = None
            ours = [alias.name in self.modules for alias in node.names]
        else:
            if node.level or not node.module:
                raise self.refuse(node, "a relative import; write the module's full name")
            source = node.module
            ours = [source in self.modules] * len(node.names)
        if all(ours):
            self.read_ours(node, source)
        elif any(ours):
            raise self.refuse(node, "one import of our modules and of others; write two")
        else:
            self.read_theirs(node.names, source)

    def read_ours(self, node: ast.Import | ast.ImportFrom, source: str | None) -> None:
        for alias in node.names:
            if alias.name == "*":
                raise self.refuse(node, f"imports * from {source}; name what is needed")
            inside = f"{source}.{alias.name}" if source in self.packages else (source or alias.name)
            if inside not in self.modules:
                raise self.refuse(node, f"{inside} is not shipped")
            self.imported.add(inside)
        self.imports.append((node, source, node.names))

    def read_theirs(self, aliases: list[ast.alias], source: str | None) -> None:
        for alias in aliases:
            for word in (*alias.name.split("."), *(source or "").split(".")):
                self.keep(word, "imported")
            self.outside.add(alias.asname or alias.name.partition(".")[0])

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.define(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.asname or node.module in self.packages:
                self.define(alias.asname or alias.name)
            # The name of a module of ours is of no use once it is bound: that becomes `import x as y`.
            if node.module not in self.packages:
                self.roles.add(alias.name)

    # names

    def define(self, name: str) -> None:
        self.roles.add(name)
        self.defined.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if not self.depth and isinstance(node.ctx, ast.Store):
            self.define(node.id)
        if node.id in LOOKUPS:
            raise self.refuse(node, f"{node.id}() asks for names as text, and shipped names are others")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.roles.add(node.attr)
        if isinstance(node.ctx, ast.Store):
            self.defined.add(node.attr)
        if node.attr in TEXTUAL:
            raise self.refuse(node, f".{node.attr} gives names as text, and shipped names are others")
        if self.is_outside(node):
            self.keep(node.attr, "something of MicroPython's")
        self.visit(node.value)

    def is_outside(self, node: ast.expr) -> bool:
        """Whether it is reached through a name that MicroPython filled."""
        while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and (node.id in self.outside or node.id in self.builtins)

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self.define(name)

    # calls and functions

    def visit_Call(self, node: ast.Call) -> None:
        for each in node.keywords:
            if each.arg is None:
                raise self.refuse(each, "keywords out of a dict: their names are text")
            self.roles.add(each.arg)
            if self.is_outside(node.func):
                self.keep(each.arg, "a keyword of MicroPython's")
        if isinstance(node.func, ast.Name) and node.func.id in ATTRIBUTE_LOOKUPS:
            match node.args:
                case [_, ast.Constant(str(name)), *_]:
                    self.keep(name, "looked up as text")
                case _:
                    raise self.refuse(node, f"{node.func.id}() of a name that only running the program tells")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: _Function) -> None:
        self.define(node.name)
        if node.args.kwarg:
            raise self.refuse(node, "keywords into a dict: their names become text")
        if any(isinstance(each, ast.Name) and each.id == "asm_pio" for each in map(_called, node.decorator_list)):
            self.keep_all(node, "the PIO assembler's")
        self.within(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        if node.args.kwarg:
            raise self.refuse(node, "keywords into a dict: their names become text")
        self.within(node)

    def within(self, node: _Function | ast.Lambda) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_arg(self, node: ast.arg) -> None:
        self.define(node.arg)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.define(node.name)
        if node.keywords:
            raise self.refuse(node, "a class with keywords")
        outer, self.depth = self.depth, 0
        self.generic_visit(node)
        self.depth = outer

    # the rest

    def visit_If(self, node: ast.If) -> None:
        """What stands under `if False:`, as TYPE_CHECKING is folded, is not compiled."""
        self.visit(node.test)
        for each in (*([] if _is_false(node.test) else node.body), *node.orelse):
            self.visit(each)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        # Older Pythons do not tell where in the string a name stands.
        self.keep_all(node, "in an f-string")
        self.generic_visit(node)

    def keep_all(self, node: ast.AST, reason: str) -> None:
        for each in ast.walk(node):
            match each:
                case ast.Name(id=str(name)) | ast.Attribute(attr=str(name)):
                    self.keep(name, reason)
                case ast.arg(arg=str(name)) | ast.keyword(arg=str(name)):
                    self.keep(name, reason)
                case _:
                    pass

    # rewriting

    def rewrite(self, names: dict[str, str], modules: dict[str, str]) -> str:
        lines = self.source.split("\n")
        edits = [self.import_edit(lines, *each, names, modules) for each in self.imports]
        spans = [(start, end) for start, end, _ in edits]
        for token in self.tokens:
            if token.string in names and not any(start <= token.start < end for start, end in spans):
                edits.append((token.start, token.end, names[token.string]))
        for start, end, text in sorted(edits, reverse=True):
            head, tail = lines[start[0] - 1][: start[1]], lines[end[0] - 1][end[1] :]
            lines[start[0] - 1 : end[0]] = (head + text + tail).split("\n")
        return "\n".join(lines)

    def import_edit(
        self,
        lines: list[str],
        node: ast.stmt,
        source: str | None,
        aliases: list[ast.alias],
        names: dict[str, str],
        modules: dict[str, str],
    ) -> _Edit:
        if source is None or source in self.packages:
            paths = [f"{source}.{alias.name}" if source else alias.name for alias in aliases]
            bound = [alias.asname or alias.name for alias in aliases]
            parts = [f"{modules[path]} as {names.get(name, name)}" for path, name in zip(paths, bound, strict=True)]
            head = "import "
        else:
            parts = [_renamed(alias, names) for alias in aliases]
            head = f"from {modules[source]} import "
        start = _position(lines, node.lineno, node.col_offset)
        end = _position(lines, node.end_lineno or 0, node.end_col_offset or 0)
        return start, end, head + "\\\n" * (end[0] - start[0]) + ", ".join(parts)


def _renamed(alias: ast.alias, names: dict[str, str]) -> str:
    name = names.get(alias.name, alias.name)
    return f"{name} as {names.get(alias.asname, alias.asname)}" if alias.asname else name


def _position(lines: list[str], line: int, column: int) -> _Position:
    """ast counts columns in bytes."""
    return line, len(lines[line - 1].encode()[:column].decode())


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and all inside it, but for what stands under `if False:`."""
    yield node
    skipped = node.body if isinstance(node, ast.If) and _is_false(node.test) else []
    for child in ast.iter_child_nodes(node):
        if child not in skipped:
            yield from _running(child)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


# --- the tables --------------------------------------------------------------------------------


def _counted(names: Iterable[str]) -> list[str]:
    """Each once, the most frequent first."""
    counts: dict[str, int] = defaultdict(int)
    for name in names:
        counts[name] += 1
    return sorted(counts, key=lambda name: (-counts[name], name))


def _short(letters: str) -> Iterator[str]:
    for more in range(LENGTH_MAX):
        for first, *rest in product(letters, *[letters + digits] * more):
            yield first + "".join(rest)


def _pair(old: Iterable[str], letters: str, taken: Container[str]) -> dict[str, str]:
    """A short name for each, in order, as long as there are any."""
    new = (name for name in _short(letters) if name not in taken and not keyword.iskeyword(name))
    return dict(zip(old, new, strict=False))


def _check_top(top: _Reader, names: dict[str, str]) -> None:
    """The main.py on top has to live with the names that its modules got."""
    for name, reason in top.kept.items():
        if name in names:
            raise ShortenError(f"{top.name}: {name} is {reason}, and a name of ours that is shipped as {names[name]}")
    short = set(names.values())
    for name in sorted(top.words - set(names)):
        if name in short:
            raise ShortenError(f"{top.name}: {name} is the shipped name of something else; choose a longer one")
