"""One module as shorten.py sees it: the names it mentions, what they are to it, and the same source with other ones."""

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from fairshoe.ship.join_read import is_never

# Whoever calls one of these asks for names as text, which then would be other ones.
LOOKUPS = frozenset({"__import__", "dir", "eval", "exec", "globals", "locals", "vars"})
ATTRIBUTE_LOOKUPS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
TEXTUAL = frozenset({"__dict__", "__name__", "__qualname__"})
UNKNOWN_NAMES = frozenset({"AttributeError", "NameError"})

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


class Reader(ast.NodeVisitor):
    """Finds the names that a module mentions, in which roles, where they meet, and those that must stay as they are."""

    def __init__(self, name: str, source: str, packages: set[str], modules: set[str], foreign: Foreign) -> None:
        self.name = name
        self.source = source
        self.packages = packages
        self.modules = modules
        self.builtins = foreign.builtins
        self.roles: set[str] = set()  # names that the compiled file holds as text
        self.looked_up: set[str] = set()  # of these, those that are found in a dict when the program runs
        self.defined: set[str] = set()  # names that get something here
        self.kept: dict[str, str] = {}
        self.spaces: dict[str, set[str]] = defaultdict(set)  # names that must differ, by where they meet
        self.bases: list[tuple[str, str]] = []
        self.set_outside: set[str] = set()  # attributes that get something, and not in a method of their class
        self.imported: set[str] = set()
        self.outside: set[str] = set()  # bound to something of MicroPython's
        self.imports: list[tuple[ast.stmt, str | None, list[ast.alias]]] = []
        self.aliases: dict[str, str] = {}
        self.open = [self.spaces[name]]  # where a name that comes along is put down
        self.keys: dict[str, set[str]] = defaultdict(set)  # names by the dict that holds them; see shorten_dicts.py
        self.holder = f"module {name}"
        self.owners: list[tuple[str, str]] = []  # classes around, and what their method calls its object
        self.depth: int = 0  # of functions
        self.in_class = ""
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

    def refuse(self, node: ast.stmt | ast.expr | ast.keyword | ast.ExceptHandler, why: str) -> ShortenError:
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
            self.bind(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.meet(alias.asname or alias.name)
            self.hold(alias.asname or alias.name)
            if alias.asname:
                self.aliases[alias.asname] = alias.name
            if alias.asname or node.module in self.packages:
                self.define(alias.asname or alias.name)
            # The name of a module of ours is of no use once it is bound: that becomes `import x as y`.
            if node.module not in self.packages:
                self.look_up(alias.name)

    # names

    def look_up(self, name: str) -> None:
        self.roles.add(name)
        self.looked_up.add(name)

    def define(self, name: str) -> None:
        self.look_up(name)
        self.defined.add(name)

    def meet(self, name: str) -> None:
        for space in self.open:
            space.add(name)

    def bind(self, name: str) -> None:
        self.define(name)
        self.meet(name)
        self.hold(name)

    def hold(self, name: str) -> None:
        if not self.depth:
            self.keys[self.holder].add(name)

    def visit_Name(self, node: ast.Name) -> None:
        self.meet(node.id)
        if isinstance(node.ctx, ast.Store) and self.owners and node.id == self.owners[-1][1]:
            raise self.refuse(node, f"gives {node.id} another meaning; write another name")
        if not self.depth and isinstance(node.ctx, ast.Store):
            self.bind(node.id)
        if node.id in LOOKUPS:
            raise self.refuse(node, f"{node.id}() asks for names as text, and shipped names are others")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.look_up(node.attr)
        if isinstance(node.ctx, ast.Store):
            self.defined.add(node.attr)
            self.set_attribute(node)
        if node.attr in TEXTUAL:
            raise self.refuse(node, f".{node.attr} gives names as text, and shipped names are others")
        if self.is_outside(node):
            self.keep(node.attr, "something of MicroPython's")
        self.visit(node.value)

    def set_attribute(self, node: ast.Attribute) -> None:
        """Through the first argument of a method it is one of the method's class; otherwise it may be anybody's."""
        owner = self.owners[-1] if self.owners else None
        if owner and isinstance(node.value, ast.Name) and node.value.id == owner[1]:
            self.spaces[f"class {owner[0]}"].add(node.attr)
            self.keys[f"object {owner[0]}"].add(node.attr)
        else:
            self.set_outside.add(node.attr)

    def is_outside(self, node: ast.expr) -> bool:
        """Whether it is reached through a name that MicroPython filled."""
        while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and (node.id in self.outside or node.id in self.builtins)

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self.bind(name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        for each in ast.walk(node.type) if node.type else ():
            if isinstance(each, ast.Name) and each.id in UNKNOWN_NAMES:
                raise self.refuse(node, f"counts on {each.id}; a name that is missing here may be there when shipped")
        self.generic_visit(node)

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
        self.bind(node.name)
        if any(isinstance(each, ast.Name) and each.id == "asm_pio" for each in map(_called, node.decorator_list)):
            self.keep_all(node, "the PIO assembler's")
        for each in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(each)
        self.within(node, node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.within(node, "lambda")

    def within(self, node: _Function | ast.Lambda, name: str) -> None:
        """All that is inside a function meets there; what is inside functions inside it, too."""
        if node.args.kwarg:
            raise self.refuse(node, "keywords into a dict: their names become text")
        outer, owners = self.open, self.owners
        if not self.depth:
            self.open = [self.spaces[f"{self.name}, line {node.lineno}, {name}"]]
        arguments = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        if self.in_class:
            # A decorated function may be given something else than an object of its class.
            plain = isinstance(node, ast.FunctionDef) and not node.decorator_list
            self.owners = [*owners, (self.in_class, arguments[0] if plain and arguments else "")]
        elif owners and owners[-1][1] in arguments:
            self.owners = [*owners, ("", "")]
        in_class = self.in_class
        self.in_class = ""
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        self.in_class, self.open, self.owners = in_class, outer, owners

    def visit_arg(self, node: ast.arg) -> None:
        self.roles.add(node.arg)
        self.defined.add(node.arg)
        self.meet(node.arg)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name)
        if node.keywords:
            raise self.refuse(node, "a class with keywords")
        for base in node.bases:
            name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
            self.bases.append((node.name, self.aliases.get(name, name)))
        outer, depth, in_class, holder = self.open, self.depth, self.in_class, self.holder
        # By its name alone, so that a class can be found from others that are made of it.
        space = self.spaces[f"class {node.name}"]
        self.open = [*(outer if depth else ()), space]
        self.depth, self.in_class, self.holder = 0, node.name, f"class {node.name}"
        self.generic_visit(node)
        self.open, self.depth, self.in_class, self.holder = outer, depth, in_class, holder

    # the rest

    def visit_If(self, node: ast.If) -> None:
        """What stands under `if False:`, as TYPE_CHECKING is folded, or under a closed branch is not compiled."""
        self.visit(node.test)
        for each in (*([] if is_never(node.test) else node.body), *node.orelse):
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
    skipped = node.body if isinstance(node, ast.If) and is_never(node.test) else []
    for child in ast.iter_child_nodes(node):
        if child not in skipped:
            yield from _running(child)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node
