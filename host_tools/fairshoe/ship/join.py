"""Modules that are loaded together in one file, for shipping: `join()` takes folded sources and gives fewer of them.

A compiled file spells out every name that it mentions, so that each of seventy modules repeats what the others say, and
an import puts a name into one more dict. Modules of one file share their names: what they import of each other needs no
import, what several import from elsewhere is imported once. They stand behind each other in the order in which imports
would have run them, below one line with the imports of all; the line before that is left free.

What is called alike in two modules gets another name in one of them (`names` tells), and so does what would hide a
built-in that another module uses. Lines only move as a whole, and `parts` tells where those of each module begin.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from fairshoe.ship.join_read import Edit, Imported, JoinError, Mention, Source, Statement

__all__ = ["JoinError", "Joined", "Part", "join"]


@dataclass(frozen=True)
class Part:
    """A module in a joined file, and the line of the file that is its first."""

    module: str
    first_line: int


@dataclass(frozen=True)
class Joined:
    """Sources by file or by module, the modules of each file, and the new names that stand for others."""

    sources: dict[str, str]
    parts: dict[str, list[Part]]
    names: dict[str, str]


@dataclass(frozen=True, order=True)
class _Meaning:
    """What a name stands for: `name` at the top of `module`; without a name, the module; without that, a built-in."""

    module: str
    name: str


def join(sources: dict[str, str], files: dict[str, list[str]], entry: str) -> Joined:
    """Join the modules of each file, by dotted names; those in none stay as they are but for what they import.

    `entry` is who is loaded first, which decides on the order.
    """
    return _Joiner(sources, files).join(entry)


class _Joiner:
    def __init__(self, sources: dict[str, str], files: dict[str, list[str]]) -> None:
        self.sources = {name: Source(name, text) for name, text in sorted(sources.items())}
        self.files = {file: sorted(set(names) & set(sources)) for file, names in sorted(files.items())}
        self.files = {file: names for file, names in self.files.items() if names}
        self.file_of = {name: file for file, names in self.files.items() for name in names}
        self.words = {word for source in self.sources.values() for word in source.words}
        self.renamed: dict[str, str] = {}
        for name in self.file_of:
            if self.sources[name].odd:
                raise JoinError(f"{name} cannot be joined with others: {self.sources[name].odd[0]}")
        # By the file or the module that is none, what each meaning is called there.
        self.names = {home: self.name_all(home, members) for home, members in self.homes()}

    def homes(self) -> Iterator[tuple[str, list[str]]]:
        yield from self.files.items()
        yield from ((name, [name]) for name in self.sources if name not in self.file_of)

    def home(self, module: str) -> str:
        return self.file_of.get(module, module)

    # what a name stands for

    def meaning(self, module: str, name: str) -> _Meaning:
        source = self.sources[module]
        if name in source.imports:
            return self.imported(source.imports[name])
        return _Meaning(module, name) if name in source.defined else _Meaning("", name)

    def imported(self, what: Imported) -> _Meaning:
        """Of what a module passes on, the one that made it."""
        inside = f"{what.module}.{what.name}" if what.name else what.module
        if inside in self.sources:
            return _Meaning(inside, "")
        if what.name and what.module in self.sources:
            found = self.meaning(what.module, what.name)
            return found if found.module else _Meaning(what.module, what.name)
        return _Meaning(what.module, what.name)

    def mentioned(self, module: str, mention: Mention) -> tuple[_Meaning, bool]:
        """What is meant, and whether the attribute is part of it: what a joined module has is a name of its file."""
        meaning = self.meaning(module, mention.name)
        if meaning.name or meaning.module not in self.file_of:
            return meaning, False
        if not mention.attribute:
            raise JoinError(f"{module}, line {mention.start[0]}: hands on {meaning.module}, which is no module then")
        return self.meaning(meaning.module, mention.attribute), True

    # names

    def name_all(self, home: str, members: list[str]) -> dict[_Meaning, str]:
        """What is called alike and is not the same gets new names, and so does what is not called alike everywhere."""
        texts: dict[_Meaning, set[str]] = defaultdict(set)
        for module in members:
            for mention in self.sources[module].mentions:
                meaning, whole = self.mentioned(module, mention)
                # Two words of which one stays would be one too many.
                texts[meaning].add(f"{mention.name}.{mention.attribute}" if whole else mention.name)
            for meaning in self.taken_inside(home, module):
                texts[meaning].add("")
        meant: dict[str, set[_Meaning]] = defaultdict(set)
        for meaning, words in texts.items():
            for word in words:
                meant[word].add(meaning)
        names: dict[_Meaning, str] = {}
        for meaning in sorted(texts):
            word = min(texts[meaning])
            alone = word.isidentifier() and len(texts[meaning]) == 1 and len(meant[word]) == 1
            names[meaning] = word if alone or not meaning.module else self.fresh(meaning.name or word)
        return names

    def taken_inside(self, home: str, module: str) -> Iterator[_Meaning]:
        """What a function imports of its own file: it gives that a name which hides the file's."""
        for statement in self.sources[module].statements:
            for each in () if statement.at_top else statement.binds:
                meaning = self.imported(each)
                if meaning.name and self.file_of.get(meaning.module) == home:
                    yield meaning

    def fresh(self, name: str) -> str:
        new = next(word for at in count(2) if (word := f"{name}_{at}") not in self.words)
        self.words.add(new)
        self.renamed[new] = name
        return new

    def exported(self, meaning: _Meaning) -> str:
        """What others import it by. A name that is not there, as a constant's that became a number, stays."""
        return self.names[self.home(meaning.module)].get(meaning, meaning.name)

    # sources

    def join(self, entry: str) -> Joined:
        order = self.order(entry)
        sources = {name: self.rewritten(name) for name in self.sources if name not in self.file_of}
        parts: dict[str, list[Part]] = {}
        needs = {name: self.needed_by(name) for name in sources}
        for file, members in self.files.items():
            head, needs[file] = self.head(file)
            text, parts[file] = "\n" + head + "\n", []
            for name in sorted(members, key=order.index):
                parts[file].append(Part(name, text.count("\n") + 1))
                text += self.rewritten(name).rstrip("\n") + "\n"
            sources[file] = text
        self.refuse_circles(needs)
        return Joined(sources, parts, self.renamed)

    def order(self, entry: str) -> list[str]:
        """As imports run them: whatever a module imports at its top before it, the rest as it comes."""
        order: list[str] = []
        begun: set[str] = set()

        def load(name: str) -> None:
            if name in begun or name not in self.sources:
                return
            begun.add(name)
            for each in self.sources[name].imports.values():
                load(each.module)
                load(f"{each.module}.{each.name}")
            order.append(name)

        for name in (entry, *self.sources):
            load(name)
        return order

    def head(self, file: str) -> tuple[str, set[str]]:
        """One line with all that a file needs of others, and those others."""
        wanted: dict[str, list[str]] = defaultdict(list)
        whole: list[str] = []
        for meaning, name in sorted(self.names[file].items()):
            if not meaning.module or self.home(meaning.module) == file:
                continue
            if not meaning.name:
                whole.append(f"import {meaning.module}" + (f" as {name}" if name != meaning.module else ""))
                continue
            exported = self.exported(meaning) if meaning.module in self.sources else meaning.name
            wanted[self.home(meaning.module)].append(_as(exported, name))
        lines = whole + [f"from {module} import {', '.join(names)}" for module, names in wanted.items()]
        return "; ".join(lines), set(wanted)

    def rewritten(self, module: str) -> str:
        source = self.sources[module]
        edits = [edit for statement in source.statements for edit in self.import_edits(module, statement)]
        names = self.names[self.home(module)]
        for mention in source.mentions:
            meaning, whole = self.mentioned(module, mention)
            new = names[meaning]
            if new == mention.name and not whole:
                continue
            if mention.in_text:
                raise JoinError(f"{module}, line {mention.start[0]}: {mention.name} in an f-string needs another name")
            edits.append((mention.start, mention.attribute_end if whole else mention.end, new))
        return source.rewrite(edits)

    def import_edits(self, module: str, statement: Statement) -> Iterator[Edit]:
        """At the top of a joined module the file's first line has it; elsewhere it is imported from another file, or
        is there already."""
        home = self.home(module)
        if statement.at_top and home in self.files:
            yield statement.start, statement.end, "pass"
            return
        if not any(self.imported(each).module in self.file_of for each in statement.binds):
            return
        parts: list[str] = []
        for each in statement.binds:
            meaning = self.imported(each)
            if not meaning.name and meaning.module in self.file_of:
                parts += self.names_of_module(module, statement, meaning.module)
            elif meaning.module not in self.sources or not meaning.name:
                parts.append(f"from {each.module} import {_as(each.name, each.bound)}")
            elif self.home(meaning.module) == home:
                parts.append(f"{each.bound} = {self.names[home][meaning]}")
            else:
                source = self.home(meaning.module)
                parts.append(f"from {source} import {_as(self.exported(meaning), each.bound)}")
        yield statement.start, statement.end, "; ".join(parts) or "pass"

    def names_of_module(self, module: str, statement: Statement, joined: str) -> Iterator[str]:
        """Instead of a joined module all that is used of it."""
        if not statement.at_top:
            raise JoinError(f"{module}, line {statement.start[0]}: imports {joined}, which is no module then")
        for meaning, name in sorted(self.names[module].items()):
            if meaning.module == joined:
                yield f"from {self.home(joined)} import {_as(self.exported(meaning), name)}"

    def needed_by(self, module: str) -> set[str]:
        """What a module that is in no file loads before it runs."""
        statements = [statement for statement in self.sources[module].statements if statement.at_top]
        return {self.home(self.imported(each).module) for statement in statements for each in statement.binds}

    def refuse_circles(self, needs: dict[str, set[str]]) -> None:
        """A file that needs something which needs it would be found half loaded."""
        left = set(needs)
        gone = {""}
        while gone:
            used = {each for name in left for each in needs[name]}
            gone = {name for name in left if name not in used or not needs[name] & left}
            left -= gone
        if left & set(self.files):
            raise JoinError(f"files that need each other: {', '.join(sorted(left))}; let them be one")


def _as(name: str, bound: str) -> str:
    return name if name == bound else f"{name} as {bound}"
