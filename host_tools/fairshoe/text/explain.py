"""What a name means that fairshoe prints: read from where the fact stands, so that no text is kept twice.

Clauses come from rules/clauses.json and paragraphs.json, texts of the display from the firmware, warnings from
text/advice.py, messages from docs/PROTOCOL.md (generated from the message table), records from docs/GAMES.md, exit
statuses from errors.py, config keys from the schemas, words from docs/GLOSSARY.md. One name may have several meanings:
`door` is a warning and a sensor.
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
from fairshoe.messages import Consequence, Fault, Need, State
from fairshoe.text.advice import REFUSALS, SENSORS, STEPS, WARNINGS, WORDS
from fairshoe.text.display_pages import pages, wildcards

FIELDS_MAX = 6
SENSOR_LETTERS = 11  # of the name of a sensor on the display: firmware/games/pages.py
DISPLAYED = "text of the display"
_PARAGRAPH = re.compile(r"([a-z0-9]{2,3}) (\d+)[a-z0-9]*")
_MARKS = str.maketrans("", "", "`*")
_MESSAGE = re.compile(r"^#### (\d+) `(\w+)`\n\n(.+?)(?=^#{2,4} |\Z)", re.M | re.S)
_FIELD = re.compile(r"^\| \d+ \| [^|]+ \| (\S+) \| `(\w+)` \| (.*?) \|$", re.M)


@dataclass(frozen=True)
class Explanation:
    """One meaning of a name. `lines` say what to do, `why` is the reading with its reasons, for who asks for it. `page`
    is a name for `fairshoe docs`."""

    name: str
    kind: str
    lines: tuple[str, ...]
    page: str
    why: tuple[str, ...] = ()


def find(name: str) -> list[Explanation]:
    """Every meaning of a name. UsageError if there is none, with a near one if there is."""
    known = _everything()
    wanted = _same(name)
    found = [each for key, each in known if key == wanted]
    if not found:
        shown = wildcards(wanted)
        found = [each for key, each in known if each.kind == DISPLAYED and wildcards(key) == shown]
    if found:
        return found
    raise UsageError(f"nothing is called {name!r}.", _hint(wanted, {key: each.name for key, each in known}))


def _hint(wanted: str, names: dict[str, str]) -> str:
    clause = _PARAGRAPH.fullmatch(wanted)
    if clause:  # another paragraph is no near one: it says something else
        code, section = clause[1].upper(), clause[2]
        there = [name for key, name in names.items() if re.fullmatch(rf"{code.lower()} {section}[a-z]?\d*", key)]
        games = clauses.paragraphs()
        if there:
            return f"Section {section} of {code} has: {', '.join(dict.fromkeys(there))}."
        if code in games:
            return f"{code} has sections 1 to {len(games[code]['sections'])}."
    near = nearest(wanted, names)
    return f"Did you mean {names[near]}?" if near else "Give a clause, warning, message, exit status, key or word."


def _same(name: str) -> str:
    return re.sub(r"[-_ ]+", " ", name.strip().lower())


@functools.cache
def _everything() -> list[tuple[str, Explanation]]:
    rules = (_clauses(), _outside(), _consequences())
    device = (_warnings(), _messages(), _records(), _needs(), _words_of_enums(), _displayed(), _sensors())
    parts = (*rules, *device, _statuses(), _keys(), _words())
    return [(_same(key), each) for part in parts for key, each in part]


def _clauses() -> Iterator[tuple[str, Explanation]]:
    """Each clause, under its own name and under those of paragraphs with the same content."""
    data, whole, actions = clauses.load(), clauses.in_full(), clauses.actions()
    games = {game["code"]: game["name"] for game in data["games"]}
    for clause in data["clauses"]:
        name = clause["id"]
        code = name.rpartition("-")[0]
        why = (whole[name], *([f"Remark: {clause['remark']}"] if "remark" in clause else []))
        kind = f"clause of {games.get(code, name)}, in our words"
        yield name, Explanation(name, kind, (actions[name],), "RULES", why)
        for also in {f"{code}-{each}" for each in clause.get("also", ())} - set(whole):
            yield also, Explanation(also, f"{kind}: the same as {name}", (actions[name],), "RULES", why)
    house = ("No clause of the game orders this: the house has decided it beforehand, or decides it now.",)
    reason = ("Where a game has no rule, the cautious house policy applies; events name it as their clause.",)
    yield "HOUSE", Explanation("HOUSE", "clause: house policy", house, "GAMES", reason)


def _outside() -> Iterator[tuple[str, Explanation]]:
    """Paragraphs that ask nothing of the device, with the reason; and those of which a part is a clause."""
    names = {game["code"]: game["name"] for game in clauses.load()["games"]}
    known = clauses.texts()
    for code, game in clauses.paragraphs().items():
        for group in game["outside"]:
            for each in group["paragraphs"]:
                lines = (f"Nothing for this device to do: {group['why']}.",)
                yield f"{code}-{each}", Explanation(f"{code}-{each}", f"paragraph of {names[code]}", lines, "RULES")
        for section, letters in game["sections"].items():
            for paragraph in (f"{code}-{section}{letter}" for letter in letters or ("",)):
                parts = tuple(name for name in known if re.fullmatch(rf"{paragraph}\d+", name))
                if parts and paragraph not in known:
                    lines = (f"Its parts are clauses: {', '.join(parts)}.",)
                    yield paragraph, Explanation(paragraph, f"paragraph of {names[code]}", lines, "RULES")


def _consequences() -> Iterator[tuple[str, Explanation]]:
    """What a rule orders, as docs/GAMES.md has it."""
    orders = {each.name.lower() for each in Consequence}
    for name, *cells in _rows("GAMES"):
        if name in orders and len(cells) == 1:
            yield name, Explanation(name, "consequence of a rule", (f"{_sentence(cells[0])}.",), "GAMES")


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


def _needs() -> Iterator[tuple[str, Explanation]]:
    for need, step in STEPS.items():
        lines = (f"The device waits: {step.text}.",)
        yield need.name.lower(), Explanation(need.name.lower(), "what the device waits for", lines, "PROTOCOL")


def _words_of_enums() -> Iterator[tuple[str, Explanation]]:
    """Values of fields that no other page explains: states, roles, outcomes, reasons."""
    refusals = {why.name.lower(): text for why, text in REFUSALS.items() if why.value >= 0}
    for kind, values in {**WORDS["explained"], "refusal of a session": refusals}.items():
        for name, text in values.items():
            yield name, Explanation(name, kind, (_sentence(text),), "PROTOCOL")


def _displayed() -> Iterator[tuple[str, Explanation]]:
    """Every line of the display, with the page that it is on and what that page is about."""
    for page in pages():
        shown = (f"The display shows: {' / '.join(line for line in page.lines if line)}.",)
        about = page.about
        if isinstance(about, Fault):
            shown += (f"What to do: {WARNINGS[about].advice}.",)
        elif isinstance(about, Need):
            shown += (f"What to do: {STEPS[about].text}.",)
        elif isinstance(about, State):
            shown += (WORDS["explained"]["state"].get(about.name.lower(), "The machine has stopped."),)
        yield from ((line, Explanation(line, DISPLAYED, shown, "TABLE")) for line in page.lines if line)
    for sensor, place in SENSORS.items():
        for line, fault in (("Noise on", Fault.NOISE), ("Lost at", Fault.EDGE_LOST)):
            line = f"{line} {sensor.name.lower()[:SENSOR_LETTERS]}"
            shown = (f"At the {place}.", f"What to do: {WARNINGS[fault].advice}.")
            yield line, Explanation(line, DISPLAYED, shown, "FAULTS")


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
            for path, about in dict.fromkeys(places):
                if "." in path:
                    yield path, Explanation(path, kind, (about,), page)


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


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


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
