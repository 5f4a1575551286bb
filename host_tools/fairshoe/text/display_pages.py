"""Every page that the display of a shoe can show, read from the firmware and the game profiles.

A page is a tuple of four texts. Those in tables stand in the order of states, needs or warnings, and so say which of
them a page is about. A place that the firmware fills with a number is a #.
"""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fairshoe import _device
from fairshoe.messages import Fault, Need, State

_SOURCES = ("games/pages.py", "games/by_hand.py", "games/cover_all.py", "games/drawn/pages.py", "diagnosis.py")
_LINES = 4


@dataclass(frozen=True)
class Page:
    """`about`: the state, need or warning whose page it is, where the firmware has it in a table."""

    lines: tuple[str, ...]
    about: State | Need | Fault | None = None


@functools.cache
def pages() -> tuple[Page, ...]:
    found = [page for source in _SOURCES for page in _of_source(source)]
    for path in sorted((_device.root() / "game_profiles").glob("*.json")):
        game: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        named: dict[str, list[str]] = game.get("pages", {}) if "code" in game else {}
        found += [Page(tuple(lines), State[state.upper()]) for state, lines in named.items()]
    return tuple(found)


def wildcards(text: str) -> str:
    """The text with a # for each number in it."""
    return re.sub(r"\d+", "#", text)


def _of_source(source: str) -> Iterator[Page]:
    path = _device.root() / "firmware" / source
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    orders: dict[str, type[State] | type[Need]] = {"_PAGES": State, "_NEEDS": Need}
    about: dict[int, State | Need | Fault] = {}
    for name, kinds in orders.items():
        rows = constants.get(name)
        for number, row in enumerate(rows.elts if isinstance(rows, ast.Tuple) else ()):
            about[id(row)] = kinds(number)
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and len(node.elts) == _LINES:
            lines = [_text(each, constants) for each in node.elts]
            texts = tuple(line for line in lines if line is not None)
            if any(texts) and (len(texts) == _LINES or _said(texts)):
                yield Page(texts, about.get(id(node)))
    what = constants.get("_WHAT")
    for number, row in enumerate(what.elts if isinstance(what, ast.Tuple) else ()):
        text = _text(row, constants)
        if text:
            fault = Fault(number)
            yield Page((f"STOP: {fault.name.lower()}", text), fault)
    hands = constants.get("_HANDS")
    for row in hands.elts if isinstance(hands, ast.Tuple) else ():
        yield Page(("Cover All: # hands", f"{_text(row, constants)} #:1"))
    yield from (Page((text,)) for text in _assigned(tree))


def _assigned(tree: ast.Module) -> Iterator[str]:
    """Lines that a function puts together before it makes a page of them: `first, then = "Clear the path", "close"`."""
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and node not in tree.body]
    for part in (part for value in values for part in ast.walk(value)):
        text = _text(part, {}) if isinstance(part, ast.expr) else None
        if text and _said((text,)):
            yield text


def _said(texts: tuple[str, ...]) -> bool:
    """Whether these are words for a person, and not names."""
    return any(" " in text for text in texts)


def _text(node: ast.expr, constants: dict[str, ast.expr]) -> str | None:
    """A line as the source has it; None where it is put together from what only the device knows."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name) if name in constants:
            return _text(constants[name], {})
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod()):
            return text.replace("%d", "#")
        case _:
            return None
