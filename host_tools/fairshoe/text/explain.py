"""What a name means that fairshoe prints: read from where the fact stands, so that no text is kept twice.

Clauses come from rules/clauses.json, warnings from text/advice.py, messages from docs/PROTOCOL.md (generated from the
message table), records from docs/GAMES.md, exit statuses from errors.py, config keys from the schemas, words from
docs/GLOSSARY.md. One name may have several meanings: `door` is a warning and a sensor.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from fairshoe import _device
from fairshoe.errors import Exit, UsageError, nearest
from fairshoe.games import clauses
from fairshoe.text.advice import SENSORS, WARNINGS

FIELDS_MAX = 6
_MARKS = str.maketrans("", "", "`*")
_MESSAGE = re.compile(r"^#### (\d+) `(\w+)`\n\n(.+?)(?=^#{2,4} |\Z)", re.M | re.S)
_FIELD = re.compile(r"^\| \d+ \| [^|]+ \| (\S+) \| `(\w+)` \| (.*?) \|$", re.M)


@dataclass(frozen=True)
class Explanation:
    """One meaning of a name. `page` is a name for `fairshoe docs`."""

    name: str
    kind: str
    lines: tuple[str, ...]
    page: str


def find(name: str) -> list[Explanation]:
    """Every meaning of a name. UsageError if there is none, with a near one if there is."""
    known = _everything()
    wanted = _same(name)
    found = [each for key, each in known if key == wanted]
    if found:
        return found
    names = {key: each.name for key, each in known}
    near = nearest(wanted, names)
    hint = f"Did you mean {names[near]}?" if near else "Give a clause, warning, message, exit status, key or word."
    raise UsageError(f"nothing is called {name!r}.", hint)


def _same(name: str) -> str:
    return re.sub(r"[-_ ]+", " ", name.strip().lower())


@functools.cache
def _everything() -> list[tuple[str, Explanation]]:
    parts = (_clauses(), _warnings(), _messages(), _records(), _statuses(), _sensors(), _keys(), _words())
    return [(_same(key), each) for part in parts for key, each in part]


def _clauses() -> Iterator[tuple[str, Explanation]]:
    data, whole = clauses.load(), clauses.in_full()
    games = {game["code"]: game["name"] for game in data["games"]}
    for clause in data["clauses"]:
        name = clause["id"]
        lines = [whole[name], *([f"Remark: {clause['remark']}"] if "remark" in clause else [])]
        game = games.get(name.rpartition("-")[0], name)
        yield name, Explanation(name, f"clause of {game}, in our words", tuple(lines), "RULES")


def _warnings() -> Iterator[tuple[str, Explanation]]:
    for fault, said in WARNINGS.items():
        if fault.value >= 0:
            name = fault.name.lower()
            lines = (f"What happened: {said.what}.", f"What to do: {said.advice}.")
            yield name, Explanation(name, "warning", lines, "FAULTS")


def _messages() -> Iterator[tuple[str, Explanation]]:
    for number, name, text in _MESSAGE.findall(_page("PROTOCOL")):
        head, _, rest = text.partition("\n")
        about, _, says = head.partition(". ")
        fields = [f"{field} ({kind}): {meaning}" for kind, field, meaning in _FIELD.findall(rest)]
        more = [f"and {len(fields) - FIELDS_MAX} more fields"] if len(fields) > FIELDS_MAX else []
        kind = about.partition(",")[0]
        lines = (_plain(says), *(_plain(field) for field in fields[:FIELDS_MAX]), *more)
        yield name, Explanation(name, f"{kind}, message {number}", lines, "PROTOCOL")


def _records() -> Iterator[tuple[str, Explanation]]:
    for name, *cells in _rows("GAMES"):
        if re.fullmatch(r"[a-z_, ]+", name) and len(cells) == 4:
            first, second, when, then = cells
            numbers = ", ".join(cell for cell in (first, second) if cell) or "none"
            lines = (f"Numbers: {numbers}.", f"Taken: {when}.", f"What follows: {then or 'nothing'}.")
            for each in name.split(", "):
                yield each, Explanation(each, "record of what no sensor sees", lines, "GAMES")


def _statuses() -> Iterator[tuple[str, Explanation]]:
    for status in Exit:
        each = Explanation(f"exit status {status.value}", status.name.lower(), (f"{status.meaning}.",), "CLI")
        yield str(status.value), each
        yield f"exit {status.value}", each


def _sensors() -> Iterator[tuple[str, Explanation]]:
    for sensor, place in SENSORS.items():
        name = sensor.name.lower()
        yield name, Explanation(name, "sensor", (f"{place[0].upper()}{place[1:]}.",), "HARDWARE")


def _keys() -> Iterator[tuple[str, Explanation]]:
    for folder, page in (("board_configs", "BOARDS"), ("game_profiles", "GAMES")):
        schema = json.loads((_device.root() / folder / "schema.json").read_text(encoding="utf-8"))
        found: dict[str, list[tuple[str, str]]] = {}
        for path, about in _properties(schema, schema, ""):
            found.setdefault(path.rpartition(".")[2], []).append((path, about))
        for key, places in found.items():
            lines = tuple(dict.fromkeys(f"{path}: {about}" for path, about in places))[:FIELDS_MAX]
            kind = f"key of a {'board config' if folder == 'board_configs' else 'game profile'}"
            yield key, Explanation(key, kind, lines, page)


def _properties(schema: dict[str, Any], part: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every key below a part of a schema, with what the schema says of it."""
    if isinstance(part, list):
        for each in cast("list[Any]", part):
            yield from _properties(schema, each, path)
    elif isinstance(part, dict):
        whole = _resolved(schema, cast("dict[str, Any]", part))
        for key, value in whole.get("properties", {}).items():
            inner = f"{path}.{key}".lstrip(".")
            if not key.isdecimal():
                yield inner, _about(_resolved(schema, value))
            yield from _properties(schema, value, inner)
        for word in ("oneOf", "anyOf", "allOf", "then", "items", "additionalProperties"):
            yield from _properties(schema, whole.get(word), path)


def _resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    return {**schema["definitions"][part["$ref"].rpartition("/")[2]], **part}


def _about(part: dict[str, Any]) -> str:
    limits = [f"{word} {part[key]}" for word, key in (("from", "minimum"), ("to", "maximum")) if key in part]
    values = [f"one of {', '.join(map(str, part['enum']))}"] if "enum" in part else []
    values += [f"always {part['const']}"] if "const" in part else []
    size = " ".join([str(part.get("type", "")), *limits, *values]).strip()
    return "; ".join(text for text in (part.get("description", ""), size) if text) or "see the page"


def _words() -> Iterator[tuple[str, Explanation]]:
    for names, meaning, *_ in _rows("GLOSSARY"):
        for name in names.split(", "):
            yield name, Explanation(name, "word", (meaning,), "GLOSSARY")


def _rows(page: str) -> Iterator[list[str]]:
    """The cells of each row of a page's tables."""
    for line in _page(page).splitlines():
        if line.startswith("| ") and not line.startswith(("| -", "|-")):
            yield [_plain(cell) for cell in line.strip("|").split("|")]


def _page(name: str) -> str:
    return (_device.root() / "docs" / f"{name}.md").read_text(encoding="utf-8")


def _plain(text: str) -> str:
    """Markdown as plain text: no links, no marks."""
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).translate(_MARKS).replace("<br>", " ").strip()
