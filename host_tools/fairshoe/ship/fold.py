"""Constants written as numbers, for shipping: `fold()` takes the sources of a device and makes them smaller.

mpy-cross knows the constants of the module it compiles and of no other: what is imported stays a global, looked up by
name at every use. Here all modules are seen at once. Every use of `NAME = const(...)` becomes the number, wherever it
was imported; imports and definitions that are then of no use go. Lines stay where they are, for tracebacks.

A name that something may look up while running is left as it is, and `kept` says why.
"""

import ast
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from fairshoe.ship.comprehension import Comprehension, parts_of

# Code that calls one of these may look up any name of its module.
LOOKUPS = frozenset({"dir", "eval", "exec", "globals", "locals", "vars"})
BITS_MAX = 64  # of a shift: a mistyped one must not fill the memory

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class FoldError(Exception):
    """Source that cannot be folded safely, and what to do."""


@dataclass(frozen=True)
class Folded:
    """Sources by module, and the constants that stayed in them: `module.NAME` and the reason."""

    sources: dict[str, str]
    kept: dict[str, str]


def fold(sources: dict[str, str]) -> Folded:
    """Fold the constants of modules that are shipped together; `sources` by dotted name."""
    return _Program(sources).fold()


# --- places --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Span:
    """From the start of one node to the end of another, as ast counts: lines from 1, columns in bytes."""

    start: tuple[int, int]
    end: tuple[int, int]

    @classmethod
    def of(cls, node: ast.stmt | ast.expr) -> "_Span":
        return cls((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))

    def holds(self, other: "_Span") -> bool:
        return self.start <= other.start and other.end <= self.end

    def fill(self, text: str) -> str:
        """The text, over as many lines as the span."""
        lines = self.end[0] - self.start[0]
        return "(" + text + "\n" * lines + ")" if lines else text


# --- one module, read --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Other:
    """A name bound to something that only running the program tells."""


@dataclass(frozen=True, eq=False)
class _Imported:
    """A name bound by an import: of `name` in `module`, or, without one, of the module itself."""

    module: str
    name: str
    reexported: bool = False


@dataclass(frozen=True, eq=False)
class _Defined:
    """A name bound by `NAME = const(value)`, or by `TYPE_CHECKING = False`."""

    statement: ast.Assign
    value: ast.expr


_Binding = _Other | _Imported | _Defined


@dataclass(eq=False)
class _Scope:
    parent: "_Scope | None" = None
    is_class: bool = False
    is_comprehension: bool = False
    bindings: dict[str, list[_Binding]] = field(default_factory=dict[str, list[_Binding]])
    globals: set[str] = field(default_factory=set[str])

    def look_up(self, name: str) -> list[_Binding]:
        """All that binds a name in the scope where Python would find it."""
        scope: _Scope | None = self
        while scope is not None:
            visible = scope is self or not scope.is_class
            if visible and name in scope.bindings and name not in scope.globals:
                return scope.bindings[name]
            scope = scope.parent
        return []


@dataclass(frozen=True, eq=False)
class _Use:
    """A name and the attributes that follow it, each node with all before it: `a`, `a.b`, `a.b.c`."""

    scope: _Scope
    nodes: list[ast.Name | ast.Attribute]
    is_fixed: bool  # inside an f-string, where older Pythons do not tell the place
    is_stored: bool

    @property
    def name(self) -> str:
        root = self.nodes[0]
        return root.id if isinstance(root, ast.Name) else root.attr

    @property
    def attributes(self) -> list[str]:
        return [node.attr for node in self.nodes if isinstance(node, ast.Attribute)]


class _Reader(ast.NodeVisitor):
    """Finds who binds and who uses every name. What stands under `if TYPE_CHECKING:` never runs and is passed over."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self.name = name
        self.top = self.scope = _Scope()
        self.uses: list[_Use] = []
        self.imports: list[tuple[ast.ImportFrom, list[_Imported]]] = []
        self.stars: list[str] = []
        self.strings: set[str] = set()
        self.loose: set[str] = set()  # attributes of who knows what
        self.dropped: list[_Span] = []
        self.in_string = False
        for statement in tree.body:
            self.visit_at_top(statement)

    def visit_at_top(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign([ast.Name("TYPE_CHECKING")], ast.Constant(False) as value):
                self.bind("TYPE_CHECKING", _Defined(statement, value))
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("const"), [value], [])):
                self.bind(name, _Defined(statement, value))
                self.visit(statement.value)
            case _:
                self.visit(statement)

    def bind(self, name: str, binding: _Binding | None = None) -> None:
        scope = self.top if name in self.scope.globals else self.scope
        scope.bindings.setdefault(name, []).append(binding or _Other())

    def within(self, scope: _Scope, nodes: list[ast.stmt] | list[ast.expr]) -> None:
        outer, self.scope = self.scope, scope
        for node in nodes:
            self.visit(node)
        self.scope = outer

    # names

    def use(self, nodes: list[ast.Name | ast.Attribute], is_stored: bool) -> None:
        self.uses.append(_Use(self.scope, nodes, self.in_string, is_stored))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.use([node], False)
        else:
            self.bind(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        nodes: list[ast.Name | ast.Attribute] = [node]
        root: ast.expr = node.value
        while isinstance(root, ast.Attribute):
            nodes.append(root)
            root = root.value
        if isinstance(root, ast.Name):
            self.use([root, *reversed(nodes)], not isinstance(node.ctx, ast.Load))
        else:
            self.loose.update(each.attr for each in nodes if isinstance(each, ast.Attribute))
            self.visit(root)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.globals.update(node.names)
        for name in node.names:
            self.bind(name)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            self.bind(name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        inner = self.scope
        while self.scope.is_comprehension and self.scope.parent:
            self.scope = self.scope.parent
        self.bind(node.target.id)
        self.scope = inner
        self.visit(node.value)

    # imports

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self.bind(alias.asname, _Imported(alias.name, ""))
            else:
                top = alias.name.partition(".")[0]
                self.bind(top, _Imported(top, ""))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module:
            raise FoldError(f"{self.name}, line {node.lineno}: a relative import; write the module's full name")
        bound: list[_Imported] = []
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(node.module)
                continue
            bound.append(_Imported(node.module, alias.name, alias.asname == alias.name))
            self.bind(alias.asname or alias.name, bound[-1])
        if bound:
            self.imports.append((node, bound))

    # scopes

    def visit_function(self, node: _Function) -> None:
        """What stands in the head belongs to the scope around."""
        arguments = node.args
        self.visit(arguments)
        scope = _Scope(self.scope)
        for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if arg is not None:
                scope.bindings[arg.arg] = [_Other()]
        self.within(scope, node.body if isinstance(node.body, list) else [node.body])

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name)
        for each in (*node.decorator_list, node.returns):
            if each is not None:
                self.visit(each)
        self.visit_function(node)

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = visit_function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name)
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(each)
        self.within(_Scope(self.scope, is_class=True), node.body)

    def visit_comprehension_of(self, node: Comprehension) -> None:
        outside, inside = parts_of(node)
        self.visit(outside)
        self.within(_Scope(self.scope, is_comprehension=True), inside)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_of

    # the rest

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        is_guard = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        guarded = is_guard and isinstance(self.top.bindings.get("TYPE_CHECKING", [None])[0], _Defined)
        for each in (*([] if guarded else node.body), *node.orelse):
            self.visit(each)

    def visit_Expr(self, node: ast.Expr) -> None:
        # A string by itself is a docstring, and may mention any name.
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.strings.update(node.value.split("."))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer, self.in_string = self.in_string, True
        self.generic_visit(node)
        self.in_string = outer


# --- all modules -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Constant:
    """Where a constant is defined, and the number; False for the one that is not a number."""

    module: str
    name: str
    value: int

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"


class _Program:
    def __init__(self, sources: dict[str, str]) -> None:
        self.texts = sources
        self.modules: dict[str, _Reader] = {}
        for name, source in sources.items():
            try:
                self.modules[name] = _Reader(name, ast.parse(source))
            except SyntaxError as error:
                raise FoldError(f"{name}, line {error.lineno}: {error.msg}") from error
        self.known: dict[tuple[str, str], _Constant | None] = {}
        self.kept: dict[str, str] = {}
        self.edits: dict[str, list[tuple[_Span, str]]] = defaultdict(list)
        self.used: set[_Imported] = set()
        # Places that still ask for an import by its name.
        self.needed: dict[_Imported, list[_Span]] = defaultdict(list)
        # Modules with any name of which anything may happen, and the reason.
        self.open: dict[str, str] = {}

    def fold(self) -> Folded:
        for module in self.modules.values():
            for use in module.uses:
                self.replace(module, use)
        for module in self.modules.values():
            self.keep_what_is_looked_up(module)
            self.keep_what_is_imported(module)
        for module in self.modules.values():
            self.keep_what_is_open(module)
        for module in self.modules.values():
            self.drop_definitions(module)
            self.drop_imports(module)
        sources = {name: self.rewrite(module) for name, module in self.modules.items()}
        return Folded(sources, dict(sorted(self.kept.items())))

    # what a name stands for

    def constant(self, module: str, name: str) -> _Constant | None:
        key = module, name
        if key not in self.known:
            self.known[key] = None  # the answer to whoever asks in a circle
            if module in self.modules:
                self.known[key] = self.work_out(module, name)
        return self.known[key]

    def work_out(self, module: str, name: str) -> _Constant | None:
        match self.modules[module].top.bindings.get(name):
            case [_Imported(source, original)] if original:
                return self.constant(source, original)
            case [_Defined(_, value)] if name == "TYPE_CHECKING" or self.has_const(module):
                number = self.evaluate(module, value)
                return None if number is None else _Constant(module, name, number)
            case _:
                return None

    def has_const(self, module: str) -> bool:
        """Whether `const` is the real one there."""
        match self.modules[module].top.bindings.get("const"):
            case [_Imported("micropython", "const")]:
                return True
            case _:
                return False

    def evaluate(self, module: str, node: ast.expr) -> int | None:
        """The integer that an expression of constants gives, or None."""
        match node:
            case ast.Constant(int(value)):
                return value
            case ast.Name(name):
                constant = self.constant(module, name)
                return constant.value if constant else None
            case ast.Attribute(ast.Name(name), attribute):
                place = self.module_of(self.modules[module].top.bindings.get(name, []))
                constant = self.constant(place, attribute) if place else None
                return constant.value if constant else None
            case ast.UnaryOp(operator, operand):
                value = self.evaluate(module, operand)
                return None if value is None else _unary(operator, value)
            case ast.BinOp(left, operator, right):
                one, two = self.evaluate(module, left), self.evaluate(module, right)
                return None if one is None or two is None else _binary(operator, one, two)
            case _:
                return None

    def module_of(self, bindings: list[_Binding]) -> str | None:
        """The module that a name stands for, whether it is one of ours or not."""
        match bindings:
            case [_Imported(module, "")]:
                return module
            case [_Imported(module, name)] if f"{module}.{name}" in self.modules:
                return f"{module}.{name}"
            case _:
                return None

    # uses

    def replace(self, module: _Reader, use: _Use) -> None:
        """Write a use as a number, or note what it needs."""
        bindings = use.scope.look_up(use.name)
        imported = [binding for binding in bindings if isinstance(binding, _Imported)]
        self.used.update(imported)
        constant, at = self.constant_of(module.name, use, bindings)
        span = _Span.of(use.nodes[at])
        if constant is None:
            self.note_unknown(module, use, bindings)
        elif use.is_stored and at == len(use.nodes) - 1:
            raise FoldError(f"{module.name}, line {span.start[0]}: assigns to the constant {constant.path}")
        elif use.is_fixed:
            self.kept[constant.path] = f"used in an f-string of {module.name}"
        else:
            text = repr(constant.value)
            if constant.value < 0 or at < len(use.nodes) - 1:
                text = f"({text})"
            self.edits[module.name].append((span, span.fill(text)))
            return
        for binding in imported:
            self.needed[binding].append(span)

    def constant_of(self, module: str, use: _Use, bindings: list[_Binding]) -> tuple[_Constant | None, int]:
        """The constant that a use names, and which of its nodes does."""
        match bindings:
            case [_Imported(source, name)] if name:
                constant = self.constant(source, name)
            case [_Defined()]:
                constant = self.constant(module, use.name)
            case _:
                constant = None
        if constant:
            return constant, 0
        place = self.module_of(bindings)
        for at, attribute in enumerate(use.attributes, 1):
            constant = self.constant(place, attribute) if place else None
            if constant:
                return constant, at
            place = self.inside(place, attribute)
        return None, 0

    def inside(self, place: str | None, name: str) -> str | None:
        """The module of that name in a package; None for anything else."""
        return f"{place}.{name}" if f"{place}.{name}" in self.modules else None

    def note_unknown(self, module: _Reader, use: _Use, bindings: list[_Binding]) -> None:
        """A use of something that is no constant: it may be a way to reach constants unseen."""
        if not bindings and use.name in LOOKUPS:
            self.open[module.name] = f"{module.name} calls {use.name}()"
        place = self.module_of(bindings)
        if place is None:
            if not any(isinstance(each, _Imported) and not self.is_ours(each.module) for each in bindings):
                module.loose.update(use.attributes)
            return
        for attribute in use.attributes:
            inside = self.inside(place, attribute)
            if inside is None and not attribute.startswith("__"):
                return
            place = inside or place
        for name in self.modules:
            if name == place or name.startswith(place + "."):
                self.open[name] = f"{module.name} hands on the module {place}"

    def is_ours(self, module: str) -> bool:
        return any(name.partition(".")[0] == module.partition(".")[0] for name in self.modules)

    # what stays

    def keep_what_is_looked_up(self, module: _Reader) -> None:
        for star in module.stars:
            self.open.setdefault(star, f"{module.name} imports * from {star}")
        for other in self.modules.values():
            for name in other.top.bindings:
                constant = self.constant(other.name, name)
                if constant is None:
                    continue
                if name in module.strings:
                    self.kept.setdefault(constant.path, f"named in a string of {module.name}")
                if name in module.loose:
                    self.kept.setdefault(constant.path, f"{module.name} has an attribute .{name} of something unknown")

    def keep_what_is_imported(self, module: _Reader) -> None:
        for _, bound in module.imports:
            for binding in bound:
                constant = self.constant(binding.module, binding.name)
                if constant is None:
                    continue
                if binding.reexported or binding not in self.used:
                    self.kept.setdefault(constant.path, f"imported by {module.name} for others")
                elif binding in self.needed:
                    self.kept.setdefault(constant.path, f"not the only thing of that name in {module.name}")

    def keep_what_is_open(self, module: _Reader) -> None:
        if module.name in self.open:
            for name in module.top.bindings:
                constant = self.constant(module.name, name)
                if constant and name != "TYPE_CHECKING":
                    self.kept.setdefault(constant.path, self.open[module.name])

    # what goes

    def drop_definitions(self, module: _Reader) -> None:
        for name, bindings in module.top.bindings.items():
            constant = self.constant(module.name, name)
            for binding in bindings:
                if isinstance(binding, _Defined) and constant and constant.path not in self.kept:
                    self.drop(module, binding.statement)

    def drop(self, module: _Reader, statement: ast.stmt) -> None:
        span = _Span.of(statement)
        line = self.texts[module.name].split("\n")[span.end[0] - 1].encode()
        rest = line[span.end[1] :].strip()
        if span.start[1] == 0 and (not rest or rest.startswith(b"#")):
            text = "\n" * (span.end[0] - span.start[0])
        else:
            # Does nothing, wherever a statement may stand: a block must not become empty. Takes two bytes.
            text = span.fill("0")
        self.edits[module.name].append((span, text))
        module.dropped.append(span)

    def drop_imports(self, module: _Reader) -> None:
        for statement, bound in module.imports:
            stays = [alias for alias, each in zip(statement.names, bound, strict=True) if self.stays(module, each)]
            if not stays:
                self.drop(module, statement)
            elif len(stays) < len(bound):
                span = _Span.of(statement)
                names = ", ".join(f"{each.name} as {each.asname}" if each.asname else each.name for each in stays)
                self.edits[module.name].append((span, f"from {statement.module} import {span.fill(names)}"))

    def stays(self, module: _Reader, binding: _Imported) -> bool:
        constant = self.constant(binding.module, binding.name)
        if constant:
            return constant.path in self.kept
        is_const = binding.module == "micropython" and binding.name == "const"
        if module.name in self.open or not (is_const or self.module_of([binding]) in self.modules):
            return True
        # An import that nobody uses is there to load the module.
        needed = [span for span in self.needed[binding] if not any(each.holds(span) for each in module.dropped)]
        return bool(needed) or binding not in self.used

    def rewrite(self, module: _Reader) -> str:
        text = self.texts[module.name].encode()
        starts = [0, 0]
        for line in text.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        for span, new in sorted(self.edits[module.name], key=lambda edit: edit[0].start, reverse=True):
            if not any(each is not span and each.holds(span) for each in module.dropped):
                start, end = (starts[line] + column for line, column in (span.start, span.end))
                text = text[:start] + new.encode() + text[end:]
        return text.decode()


def _unary(operator: ast.unaryop, value: int) -> int | None:
    match operator:
        case ast.USub():
            return -value
        case ast.UAdd():
            return +value
        case ast.Invert():
            return ~value
        case _:
            return None


def _binary(operator: ast.operator, one: int, two: int) -> int | None:
    simple = _SIMPLE.get(type(operator))
    if simple:
        return simple(one, two)
    if isinstance(operator, ast.LShift | ast.RShift) and 0 <= two <= BITS_MAX:
        return one << two if isinstance(operator, ast.LShift) else one >> two
    if isinstance(operator, ast.FloorDiv | ast.Mod) and two:
        return one // two if isinstance(operator, ast.FloorDiv) else one % two
    return None


_SIMPLE: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.BitAnd: int.__and__,
    ast.BitOr: int.__or__,
    ast.BitXor: int.__xor__,
}
