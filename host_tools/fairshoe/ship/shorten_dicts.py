"""The dicts in which a device looks names up, as they will be: which short name is found at once, which after others.

MicroPython puts a name at the place that a hash of its text tells, or at the next one that is free, and fills a dict to
the last place before it makes a larger one. So it depends on the text how many places are looked at. Objects, classes
and modules have a dict each. A method is looked up in its object's first, where it is not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

# py/map.c of MicroPython 1.28. Another version may do otherwise: then names are found later, and nothing else happens.
SIZES = (0, 2, 4, 6, 8, 10, 12, 17, 23, 29, 37, 47, 59, 73, 97, 127, 167, 223, 293, 389, 521, 691, 919, 1223)
ALWAYS = {"class": ("__module__", "__qualname__"), "module": ("__file__", "__name__"), "object": ()}


def text_hash(text: str) -> int:
    """As this port keeps it: one byte, never 0."""
    value = 5381
    for byte in text.encode():
        value = value * 33 ^ byte
    return value & 0xFF or 1


def spread(texts: list[str]) -> list[str]:
    """In an order in which the first hundreds have as many different hashes as there can be; short ones first."""
    seen = Counter[int]()
    ranks: dict[str, tuple[int, int]] = {}
    for text in sorted(texts, key=len):
        rank = len(text), seen[text_hash(text)]
        # All of one letter are cheap, whatever their hashes.
        ranks[text] = rank if len(text) > 1 else (1, 0)
        seen[text_hash(text)] += 1
    return sorted(texts, key=lambda text: ranks[text])


class _Dict:
    def __init__(self, count: int) -> None:
        self.size = next(size for size in SIZES if size >= count)
        self.taken: set[int] = set()

    def steps(self, text: str) -> int:
        """How many places are taken from where it should be."""
        start = text_hash(text)
        for step in range(self.size):
            if (start + step) % self.size not in self.taken:
                return step
        return self.size

    def add(self, text: str) -> None:
        self.taken.add((text_hash(text) + self.steps(text)) % self.size)


class Dicts:
    """All dicts of a program. Keys are by kind and name: `module a.b`, `class Box`, `object Box`."""

    def __init__(self, keys: dict[str, set[str]], bases: Iterable[tuple[str, str]], short: set[str]) -> None:
        """`short` are the names that will get another text; the others have theirs already."""
        parents: dict[str, list[str]] = defaultdict(list)
        for derived, base in sorted(bases):
            parents[derived].append(base)
        self._keys_in: dict[str, list[_Dict]] = defaultdict(list)
        self._missed_in: dict[str, list[_Dict]] = defaultdict(list)
        for path in sorted(keys):
            kind, _, name = path.partition(" ")
            lineage = _lineage(name, parents) if kind != "module" else [name]
            own = lineage if kind == "object" else lineage[:1]
            inside = set(ALWAYS[kind]).union(*(keys.get(f"{kind} {each}", set[str]()) for each in own))
            made = _Dict(len(inside))
            for each in sorted(inside):
                if each in short:
                    self._keys_in[each].append(made)
                else:
                    made.add(each)
            # What only its class has, or one that this is derived from.
            behind = lineage if kind == "object" else lineage[1:]
            for each in set[str]().union(*(keys.get(f"class {base}", set[str]()) for base in behind)) - inside:
                self._missed_in[each].append(made)

    def steps(self, name: str, text: str) -> int:
        """Places looked at in vain if a name gets this text, over all dicts in which it is looked up."""
        return sum(each.steps(text) for each in (*self._keys_in[name], *self._missed_in[name]))

    def add(self, name: str, text: str) -> None:
        for each in self._keys_in[name]:
            each.add(text)


def _lineage(name: str, parents: dict[str, list[str]]) -> list[str]:
    """A class and all that it is made of."""
    found = [name]
    for each in found:
        found += [base for base in parents[each] if base not in found]
    return found
