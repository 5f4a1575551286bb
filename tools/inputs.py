"""Whether a run of tests reads only what its stage names: a stage is skipped while what it names has not changed, so a
file that it reads and does not name would let it pass unseen.

Only this process is watched, not the programs that it starts, and only what is opened, not which names a folder has.
Modules count by their source, also where only their bytecode was read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import source_from_cache
from pathlib import Path

from stages import INPUTS, ROOT, files_below


def watch() -> set[str]:
    """What this process opens from now on, by full paths, as it grows."""
    opened: set[str] = set()

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            with suppress(OSError):  # the current folder may be gone
                opened.add(os.path.normpath(Path.cwd() / arguments[0]))

    sys.addaudithook(note)
    return opened


def unnamed(opened: Iterable[str]) -> list[str]:
    """Files of the tree, among these and the modules of this process, that the stage which runs it does not name."""
    places = os.environ.get(INPUTS)
    if not places:
        return []
    modules = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    read = {_source(path) for path in (*opened, *modules)}
    others = set(files_below(".")) - set(files_below(places.split("\n")))
    return sorted(path for path in others if str(ROOT / path) in read)


def _source(path: str) -> str:
    try:
        return source_from_cache(path)
    except ValueError:
        return path
