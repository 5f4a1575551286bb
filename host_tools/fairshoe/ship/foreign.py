"""What belongs to MicroPython and keeps its name: read from a table that tools/gen_micropython_names.py makes.

A table and not the type stubs themselves: whoever installs the wheel has no stubs, and has to get the same bytes.
"""

import ast
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairshoe.ship.shorten_read import Foreign

TABLE = Path(__file__).with_name("micropython_names.json")
# Types that nobody imports: of open files, of exceptions, of what comes out of json.
ALWAYS = ("builtins", "collections", "io", "types", "typing", "_typeshed", "_mpy_shed")


def foreign_names(sources: Iterable[str]) -> Foreign:
    """What belongs to MicroPython, as far as these sources can come across it."""
    table = _table()
    wanted = {*ALWAYS, *(name for source in sources for name in _outside_modules(source))}
    names = {name for module in wanted for name in table["names"].get(module, "").split()}
    return Foreign(frozenset(names), frozenset(table["builtins"].split()), frozenset(table["modules"].split()))


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    return json.loads(TABLE.read_text(encoding="utf-8"))


def _outside_modules(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
