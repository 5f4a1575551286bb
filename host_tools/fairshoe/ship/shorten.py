"""Short names, for shipping: `shorten()` takes the folded sources of a device and gives every name of ours a short one.

MicroPython keeps names as text, in each .mpy that mentions one and once more in RAM, with six bytes around it. What is
shipped is a closed world, so that a name can be exchanged for another of one or two characters if it is exchanged
everywhere: attributes, functions, classes, arguments and the keywords that fill them, names of modules. There is one
table for all of them. A name that means something of ours in one place and something of MicroPython's in another keeps
its text in both, and `kept` says why.

Names that never meet share a short one: those of different functions, of different classes. An attribute that is set
from outside of its class might be any object's, and shares with no other attribute. Lines stay where they are, and tell
restore.py what a traceback is about.
"""

import keyword
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from string import ascii_letters, ascii_lowercase, digits

from fairshoe.ship.join import Part
from fairshoe.ship.shorten_dicts import Dicts, spread
from fairshoe.ship.shorten_read import Foreign, Reader, ShortenError

__all__ = ["Foreign", "ShortenError", "Shortened", "shorten"]

LENGTH_MAX = 2
# MicroPython makes room for names in pools, each twice as large as the one before: 620 and then 1,260. With what it and
# the configs are called this many stay below the first, with room for what is still to be written.
SHORT_MAX = 300
# Part of the format of .mpy files: numbers there instead of text, and in every MicroPython's ROM. Nothing is shorter.
STATIC = frozenset({"count", "end", "find", "get", "index", "key", "main", "next", "self", "start", "step", "stop"})


@dataclass(frozen=True)
class Shortened:
    """Sources by their old module names, what names and modules became, and why other names of ours did not.

    Some may be files of several modules, whose `parts` they are, and some of their names may be new (`renamed`).
    """

    sources: dict[str, str]
    names: dict[str, str]
    modules: dict[str, str]
    kept: dict[str, str]
    parts: dict[str, list[Part]] = field(default_factory=dict[str, list[Part]])
    renamed: dict[str, str] = field(default_factory=dict[str, str])


def shorten(
    sources: dict[str, str], foreign: Foreign, main: str, others: Iterable[str] = (), empty: Iterable[str] = ()
) -> Shortened:
    """Shorten the modules shipped together, by dotted name. `main` is the one on top; `others` may stand there as well.

    All of those are heard about what must differ and what must stay, and none about what is worth a name: so a device
    may start with any of them, and its modules are the same bytes. `empty` are packages whose modules have other names.
    """
    packages = {name.rpartition(".")[0] for name in sources}.union(empty) - {""}
    readers = {name: Reader(name, source, packages, set(sources), foreign) for name, source in sorted(sources.items())}
    top = readers.pop(main)
    everybody = [*readers.values(), top]
    everybody += [Reader(f"main {at}", source, packages, set(sources), foreign) for at, source in enumerate(others)]
    roles = _counted(name for reader in readers.values() for name in reader.roles)
    kept = _kept(roles, everybody, foreign)
    long = [name for name in roles if name not in kept and len(name) > LENGTH_MAX]
    names = _share(long, list(readers.values()), everybody)
    imported = _counted(module for reader in readers.values() for module in reader.imported)
    shipped = [name for name in (*imported, *sorted(set(readers) - set(imported))) if name not in packages]
    # In small letters alone: not every file system that these files pass through tells small from capital.
    free = (name for name in _short(ascii_lowercase) if name not in foreign.modules and not keyword.iskeyword(name))
    modules = dict(zip(shipped, free, strict=False))
    texts = {name: reader.rewrite(names, modules) for name, reader in readers.items() if name not in packages}
    texts[main] = top.rewrite(names, modules)
    return Shortened(texts, names, modules, {name: kept[name] for name in roles if name in kept})


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


def _kept(roles: list[str], readers: list[Reader], foreign: Foreign) -> dict[str, str]:
    """Names that stay, and why."""
    kept: dict[str, str] = {}
    for reader in readers:
        for name, reason in reader.kept.items():
            kept.setdefault(name, reason)
    defined = {name for reader in readers for name in reader.defined}
    for name in roles:
        if name in foreign.names:
            kept.setdefault(name, "MicroPython has something of that name")
        elif name in STATIC or (name.startswith("__") and name.endswith("__")):
            kept.setdefault(name, "MicroPython has that text anyway")
        elif name not in defined:
            kept.setdefault(name, "no shipped module defines it")
    return kept


def _share(old: list[str], readers: list[Reader], everybody: list[Reader]) -> dict[str, str]:
    """For each name, in order, one that no name has which it meets.

    A name that is looked up gets a text that is found at once in its dicts. MicroPython also remembers for each text
    where in a dict it was found last, so that looking up one text for many things takes longer: of several such texts
    it is the one that is used least, and one of SHORT_MAX. Names of arguments, which are not looked up, take the first.
    """
    words = {word for reader in everybody for word in reader.words}
    free = spread([name for name in _short(ascii_letters) if name not in words and not keyword.iskeyword(name)])
    uses = Counter(token.string for reader in readers for token in reader.tokens)
    looked_up = {name for reader in readers for name in reader.looked_up}
    meets: dict[str, list[str]] = defaultdict(list)
    for space, members in _spaces(everybody).items():
        for name in members:
            meets[name].append(space)
    used: dict[str, set[str]] = defaultdict(set)
    dicts = _dicts(readers, set(old))
    load = Counter[str]()
    names: dict[str, str] = {}
    for name in sorted(old, key=lambda name: name not in looked_up):
        taken = set[str]().union(*(used[space] for space in meets[name]))
        allowed = [short for short in free[:SHORT_MAX] if short not in taken]
        allowed = allowed or [short for short in free if short not in taken][:1]
        if name in looked_up:
            short = _found_soonest(name, sorted(allowed, key=lambda short: (load[short], len(short))), dicts)
            load[short] += uses[name]
            dicts.add(name, short)
        else:
            short = allowed[0]
        names[name] = short
        for space in meets[name]:
            used[space].add(short)
    return names


def _found_soonest(name: str, texts: list[str], dicts: Dicts) -> str:
    """The first one that is found at once; or, where there is none, with the fewest steps."""
    best, fewest = texts[0], dicts.steps(name, texts[0])
    for text in texts[1:]:
        if not fewest:
            break
        steps = dicts.steps(name, text)
        if steps < fewest:
            best, fewest = text, steps
    return best


def _dicts(readers: list[Reader], short: set[str]) -> Dicts:
    keys: dict[str, set[str]] = defaultdict(set)
    for reader in readers:
        for path, names in reader.keys.items():
            keys[path] |= names
    return Dicts(keys, {pair for reader in readers for pair in reader.bases}, short)


def _spaces(readers: list[Reader]) -> dict[str, set[str]]:
    """The names that meet in a module, in a function, or on an object of a class and of those it is made of."""
    spaces: dict[str, set[str]] = defaultdict(set)
    family: dict[str, str] = {}

    def head(name: str) -> str:
        while name in family:
            name = family[name]
        return name

    for one, two in sorted(pair for reader in readers for pair in reader.bases):
        if head(one) != head(two):
            family[head(one)] = head(two)
    for reader in readers:
        for space, members in reader.spaces.items():
            kind, _, name = space.partition(" ")
            spaces[f"class {head(name)}" if kind == "class" else space] |= members
    anywhere = {name for reader in readers for name in reader.set_outside}
    for space in spaces:
        if space.startswith("class "):
            spaces[space] |= anywhere
    # Even if there is no class at all.
    spaces["class "] |= anywhere
    return spaces
