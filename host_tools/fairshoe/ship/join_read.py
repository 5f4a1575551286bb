"""One module as join.py sees it: what its top binds and imports, and every place where such a name is mentioned."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from fairshoe.ship.comprehension import Comprehension, parts_of

Position = tuple[int, int]  # line from 1, column in characters
Edit = tuple[Position, Position, str]
_Import = ast.Import | ast.ImportFrom
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class JoinError(Exception):
    """Source that cannot be joined safely, and what to do."""


@dataclass(frozen=True)
class Mention:
    """A name of the module's top where it is used or bound, with the attribute that follows it, if any."""

    name: str
    start: Position
    end: Position
    attribute: str = ""
    attribute_end: Position = (0, 0)
    in_text: bool = False  # of an f-string, where older Pythons do not tell the place


@dataclass(frozen=True)
class Imported:
    """What an import binds: `name` of `module`, or, without one, the module itself."""

    bound: str
    module: str
    name: str


@dataclass(frozen=True)
class Statement:
    """An import that runs: where it stands, what it binds, and whether it does so at the module's top."""

    start: Position
    end: Position
    binds: tuple[Imported, ...]
    at_top: bool


@dataclass(frozen=True)
class _Scope:
    is_class: bool
    bound: frozenset[str]
    globals: frozenset[str]


class Source(ast.NodeVisitor):
    """Who binds and who mentions the names of a module's top. What stands under `if False:` never runs."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = text.split("\n")
        self.statements: list[Statement] = []
        self.mentions: list[Mention] = []
        self.odd: list[str] = []  # why it cannot be joined with others
        self.doubtful: set[str] = set()  # in a class that has one too: whose it is depends on the moment
        self.scopes: list[_Scope] = []
        self.in_text = False
        self.at_top = True  # outside of what runs sometimes: a loop, a branch, a try
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            raise JoinError(f"{name}, line {error.lineno}: {error.msg}") from error
        bound = _Bound(tree.body)
        self.words = set(re.findall(r"\w+", text))
        for statement in tree.body:
            self.visit(statement)
        self.imports = {each.bound: each for each in self._bound_at_top()}
        self.defined = bound.names - set(self.imports)
        if len(self.imports) < len(self._bound_at_top()) or bound.twice & set(self.imports):
            self.odd.append("binds a name that it imports a second time")
        for each in sorted(self.doubtful & (self.defined | set(self.imports))):
            self.odd.append(f"has a class that mentions {each}, which may be its own or the module's")

    def _bound_at_top(self) -> list[Imported]:
        return [each for statement in self.statements if statement.at_top for each in statement.binds]

    def position(self, line: int, column: int) -> Position:
        """ast counts columns in bytes."""
        return line, len(self.lines[line - 1].encode()[:column].decode())

    def note(self, node: ast.AST, why: str) -> None:
        self.odd.append(f"line {getattr(node, 'lineno', 0)}: {why}")

    def is_of_top(self, name: str) -> bool:
        for at, scope in enumerate(reversed(self.scopes)):
            if name in scope.globals:
                return True
            if name in scope.bound and not (scope.is_class and at):
                return False
        return True

    # names

    def mention(self, node: ast.expr, name: str) -> Mention:
        start = self.position(node.lineno, node.col_offset)
        return Mention(name, start, (start[0], start[1] + len(name)), in_text=self.in_text)

    def visit_Name(self, node: ast.Name) -> None:
        if self.is_of_top(node.id):
            self.mentions.append(self.mention(node, node.id))
        elif self.scopes[-1].is_class and isinstance(node.ctx, ast.Load):
            self.doubtful.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not (isinstance(node.value, ast.Name) and self.is_of_top(node.value.id)):
            self.visit(node.value)
            return
        root = self.mention(node.value, node.value.id)
        end = self.position(node.end_lineno or 0, node.end_col_offset or 0)
        self.mentions.append(Mention(root.name, root.start, root.end, node.attr, end, self.in_text))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer, self.in_text = self.in_text, True
        self.generic_visit(node)
        self.in_text = outer

    def visit_Global(self, node: ast.Global) -> None:
        self.note(node, "changes what its top has bound")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name and not self.scopes:
            self.note(node, "catches at its top")
        self.generic_visit(node)

    # imports

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if "." in alias.name and not alias.asname and not self.scopes:
                self.note(node, f"binds the package of {alias.name}")
        self.imported(node, [Imported(alias.asname or alias.name, alias.name, "") for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module or any(alias.name == "*" for alias in node.names):
            self.note(node, "an import that does not name what it binds")
            return
        self.imported(node, [Imported(alias.asname or alias.name, node.module, alias.name) for alias in node.names])

    def imported(self, node: _Import, binds: list[Imported]) -> None:
        if not self.scopes and not self.at_top:
            self.note(node, "imports something at its top, sometimes")
        if self.scopes and self.scopes[-1].is_class:
            self.note(node, "imports something in a class")
        start = self.position(node.lineno, node.col_offset)
        end = self.position(node.end_lineno or 0, node.end_col_offset or 0)
        self.statements.append(Statement(start, end, tuple(binds), not self.scopes))

    # scopes

    def visit_If(self, node: ast.If) -> None:
        if is_never(node.test):
            for each in node.orelse:
                self.visit(each)
        else:
            self.sometimes(node)

    def sometimes(self, node: ast.AST) -> None:
        outer, self.at_top = self.at_top, False
        self.generic_visit(node)
        self.at_top = outer

    visit_For = visit_While = visit_Try = visit_With = sometimes

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """ast tells where the statement begins, and not its name."""
        if self.is_of_top(node.name):
            line, column = self.position(node.lineno, node.col_offset)
            found = re.match(r"(?:async\s+)?(?:def|class)\s+", self.lines[line - 1][column:])
            start = line, column + (found.end() if found else 0)
            self.mentions.append(Mention(node.name, start, (line, start[1] + len(node.name))))
        for each in node.decorator_list:
            self.visit(each)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.definition(node)
        if node.returns:
            self.visit(node.returns)
        self.function(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.function(node)

    def function(self, node: _Function) -> None:
        """What stands in the head belongs to the scope around."""
        self.visit(node.args)
        given = node.args
        every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        body = node.body if isinstance(node.body, list) else [node.body]
        self.within(body, {each.arg for each in every if each})

    def within(self, body: Iterable[ast.AST], more: Iterable[str] = (), is_class: bool = False) -> None:
        bound = _Bound(body)
        self.scopes.append(_Scope(is_class, frozenset(bound.names | set(more)), frozenset(bound.globals)))
        outer, self.at_top = self.at_top, True
        for each in body:
            self.visit(each)
        self.at_top = outer
        self.scopes.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.definition(node)
        for each in (*node.bases, *node.keywords):
            self.visit(each)
        self.within(node.body, is_class=True)

    def visit_comprehension_of(self, node: Comprehension) -> None:
        outside, inside = parts_of(node)
        self.visit(outside)
        targets = [name for each in node.generators for name in _Bound([each.target]).names]
        self.scopes.append(_Scope(False, frozenset(targets), frozenset()))
        for each in inside:
            self.visit(each)
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_of

    # rewriting

    def rewrite(self, edits: Iterable[Edit]) -> str:
        """The same source with other words, line for line."""
        lines = list(self.lines)
        for start, end, text in sorted(edits, reverse=True):
            head, tail = lines[start[0] - 1][: start[1]], lines[end[0] - 1][end[1] :]
            text += "\n" * (end[0] - start[0] - text.count("\n"))
            lines[start[0] - 1 : end[0]] = (head + text + tail).split("\n")
        return "\n".join(lines)


class _Bound(ast.NodeVisitor):
    """The names that one scope binds, and not the scopes inside it."""

    def __init__(self, body: Iterable[ast.AST]) -> None:
        self.names: set[str] = set()
        self.twice: set[str] = set()
        self.globals: set[str] = set()
        for each in body:
            self.visit(each)
        self.names -= self.globals

    def add(self, name: str) -> None:
        (self.twice if name in self.names else self.names).add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.add(node.id)

    def visit_If(self, node: ast.If) -> None:
        for each in (*([] if is_never(node.test) else node.body), *node.orelse):
            self.visit(each)

    def visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.add(node.name)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_definition

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def visit_comprehension_of(self, node: Comprehension) -> None:
        """Its targets are its own; what `:=` binds in it is not."""
        for each in ast.walk(node):
            if isinstance(each, ast.NamedExpr):
                self.add(each.target.id)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_of

    def visit_Import(self, node: _Import) -> None:
        for alias in node.names:
            self.add(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)


def is_never(node: ast.expr) -> bool:
    """A condition as folding or closing a branch leaves it."""
    return isinstance(node, ast.Constant) and node.value in (False, 0)

