"""A traceback of a device, with the names of the repository again: `restore()`."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from fairshoe.ship.join import Part
from fairshoe.ship.shorten import Shortened


def restore(text: str, short: Shortened, sources: dict[str, str]) -> str:
    """Files, functions, and names quoted in messages. `sources` are those that were shortened, by module: a short name
    means many things, but one at a line."""
    return _Restorer(short, sources).restore(text)


class _Restorer:
    def __init__(self, short: Shortened, sources: dict[str, str]) -> None:
        self.sources = sources
        self.short = short
        self.files = {new: short.parts.get(old, [Part(old, 1)]) for old, new in short.modules.items()}
        self.olds: dict[str, set[str]] = defaultdict(set)
        for old, new in short.names.items():
            self.olds[new].add(short.renamed.get(old, old))
        self.here: set[str] = set()  # words of the function that was named last

    def restore(self, text: str) -> str:
        lines = text.split("\n")
        for at, line in enumerate(lines):
            lines[at], found = re.subn(r'File "([^"]*)", line (\d+), in (\S+)', self.place, line)
            if not found and re.match(r"\w+: ", line):
                lines[at] = re.sub(r"'(\w+)'", self.quoted, line)
        return "\n".join(lines)

    def place(self, match: re.Match[str]) -> str:
        parts, line = self.files.get(match[1]), int(match[2])
        if parts is None:
            return match[0]
        before = [part for part in parts if part.first_line <= line]
        if not before:
            return self.place_by_name(parts, match)
        part = max(before, key=lambda part: part.first_line)
        line -= part.first_line - 1
        function, self.here = _function_at(self.sources[part.module], line)
        return f'File "{_path(part.module)}", line {line}, in {function}'

    def place_by_name(self, parts: list[Part], match: re.Match[str]) -> str:
        """A device that was built without lines says line 1 everywhere, which is no module's: whoever is called so."""
        names = self.olds.get(match[3], {match[3]})
        found = [(part.module, name) for part in parts for name in self.functions(part.module) if name in names]
        if not found:
            return f'File "{_path(parts[0].module)}" or one joined with it, line unknown, in {match[3]}'
        modules = dict.fromkeys(_path(module) for module, _ in found)
        self.here = {word for module, _ in found for word in re.findall(r"\w+", self.sources[module])}
        return f'File "{"|".join(modules)}", line unknown, in {"|".join(dict.fromkeys(name for _, name in found))}'

    def functions(self, module: str) -> Iterator[str]:
        for node in ast.walk(ast.parse(self.sources[module])):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name

    def quoted(self, match: re.Match[str]) -> str:
        olds = sorted(self.olds.get(match[1], {match[1]}))
        return f"'{'|'.join([name for name in olds if name in self.here] or olds)}'"


def _path(module: str) -> str:
    return module.replace(".", "/") + ".py"


def _function_at(source: str, line: int) -> tuple[str, set[str]]:
    """The function or class that a line is in, and the words in it; for a class they may be its user's."""
    name, first, last = "<module>", 1, source.count("\n") + 1
    for node in ast.walk(ast.parse(source)):
        is_place = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if is_place and max(first, node.lineno) <= line <= (node.end_lineno or 0):
            name, first, last = node.name, node.lineno, node.end_lineno or 0
    return name, set(re.findall(r"\w+", "\n".join(source.split("\n")[first - 1 : last])))
