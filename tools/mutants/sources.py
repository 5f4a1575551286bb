"""Which sources the verdict of a test file depends on, and a digest of them.

Every test depends on the whole firmware and on boards, games and other data that tests open. Of simulator, ports and
helpers it depends on the modules that it imports, and those that they import: another change makes no verdict invalid.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from mutants.copied_tree import ROOT
from mutants.forked import TESTS, Bench

_DATA = ("board_configs", "game_profiles", *TESTS)
_SCENARIO = "rig.scenario"  # plays them
_FORMAT = b"2"  # of the files that are kept


def digests(bench: Bench, files: list[str]) -> dict[str, str]:
    """Of each test file with all that it tests."""
    common = hashlib.sha256(_FORMAT)
    firmware = sorted(path for path in bench.text if path.startswith(f"{ROOT / 'firmware'}/"))
    for text in [*(bench.text[path] for path in firmware), *(path.read_bytes() for path in sorted(_data()))]:
        common.update(text)
    paths = _modules(bench)
    imported = {path: {paths[name] for name in _imports(bench.text[path]) if name in paths} for path in paths.values()}
    found: dict[str, str] = {}
    for file in files:
        digest = common.copy()
        digest.update(bench.text[str(ROOT / file)])
        first = paths[_SCENARIO] if file.endswith(".json") else str(ROOT / file)
        for path in sorted(_reached(first, imported)):
            digest.update(bench.text[path])
        found[file] = digest.hexdigest()[:16]
    return found


def _data() -> Iterable[Path]:
    for folder in _DATA:
        yield from (ROOT / folder).rglob("*.json")


def _modules(bench: Bench) -> dict[str, str]:
    """The file of each module, by the name it is imported with."""
    found: dict[str, str] = {}
    for path in bench.text:
        parts = Path(path).relative_to(ROOT).with_suffix("").parts
        if path.endswith(".py"):
            name = parts[-1:] if parts[0] == "tests" else parts
            found[".".join(name).removesuffix(".__init__")] = path
    return found


@cache
def _imports(text: bytes) -> frozenset[str]:
    """Names of modules, of the packages around them, and of what is imported from them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(".".join(name.split(".")[:count]) for name in names for count in range(1, name.count(".") + 2))


def _reached(first: str, imported: dict[str, set[str]]) -> set[str]:
    found, waiting = {first}, [first]
    while waiting:
        for path in imported[waiting.pop()] - found:
            found.add(path)
            waiting.append(path)
    return found
