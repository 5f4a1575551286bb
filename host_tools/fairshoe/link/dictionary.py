"""Message dictionaries: ours, one fetched from a device, what differs, and how to read a message we do not know.

A dictionary is lines of text: `message ID CLASS NAME FIELD:TYPE ...`, `prefix event|command FIELD:TYPE ...` and
`names FIELD NAME ...`. Lines and types of a kind unknown here are passed over: a newer device has them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from fairshoe.link.framing import Frame
from fairshoe.messages import UnknownMessage
from fairshoe.printable import device_text
from firmware.protocol.dictionary import HASH_SIZE, dictionary_line, dictionary_lines
from firmware.protocol.frame import HEADER_SIZE
from firmware.protocol.ids import CLASS_COMMAND, CLASS_EVENT

Value = int | str | bytes

_PREFIXES = {"event": CLASS_EVENT, "command": CLASS_COMMAND}
_TYPE = re.compile(r"([utb])([0-9]{1,3})")


@dataclass(frozen=True)
class Field:
    """One field as a dictionary names it."""

    name: str
    type: str

    def size(self) -> int | None:
        """Bytes it takes; None for the rest of the body, and for a type unknown here."""
        found = _TYPE.fullmatch(self.type)
        if found is None:
            return None
        number = int(found[2])
        return number // 8 if found[1] == "u" else number

    def value(self, raw: bytes) -> Value:
        if self.type.startswith("u"):
            return int.from_bytes(raw, "little")
        if self.type.startswith("t"):
            return device_text(raw)
        return raw


@dataclass(frozen=True)
class Spec:
    """One message as a dictionary describes it, the prefix of its class included."""

    id: int
    kind: int
    name: str
    fields: tuple[Field, ...]

    def read(self, body: bytes) -> dict[str, Value]:
        """As many fields as the body has, then what is left over under "rest"."""
        found: dict[str, Value] = {}
        at = 0
        for entry in self.fields:
            size = len(body) - at if entry.type == "rest" else entry.size()
            if size is None or at + size > len(body):
                break
            found[entry.name] = entry.value(body[at : at + size])
            at += size
        if at < len(body):
            found["rest"] = body[at:]
        return found


class Dictionary:
    """A message table in text. Takes any lines whatever; `passed_over` has those that say nothing to this version."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        self.hash = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).digest()[:HASH_SIZE]
        self.names: dict[str, tuple[str, ...]] = {}
        self.messages: dict[int, Spec] = {}
        self.passed_over: list[str] = []
        prefixes: dict[int, tuple[Field, ...]] = {}
        more: dict[str, tuple[Field, ...]] = {}
        for line in lines:
            words = line.split()
            if words[:1] == ["prefix"] and len(words) > 1 and words[1] in _PREFIXES:
                prefixes[_PREFIXES[words[1]]] = _fields(words[2:])
            elif words[:1] == ["names"] and len(words) > 1:
                self.names[words[1]] = self.names.get(words[1], ()) + tuple(words[2:])
            elif words[:1] == ["more"] and len(words) > 1:
                more[words[1]] = more.get(words[1], ()) + _fields(words[2:])
            elif words[:1] != ["message"]:
                self.passed_over.append(line)
        for line in lines:
            if line.startswith("message "):
                self._add_message(line, prefixes, more)

    def _add_message(
        self, line: str, prefixes: dict[int, tuple[Field, ...]], more: dict[str, tuple[Field, ...]]
    ) -> None:
        words = line.split()
        if len(words) < 4 or not (words[1].isdecimal() and words[2].isdecimal()):
            self.passed_over.append(line)
            return
        kind = int(words[2])
        fields = prefixes.get(kind, ()) + _fields(words[4:]) + more.get(words[1], ())
        self.messages[int(words[1])] = Spec(int(words[1]), kind, words[3], fields)

    def explain(self, message: UnknownMessage) -> tuple[str, dict[str, Value]] | None:
        """Name and fields of a message this version has no class for; None if this dictionary has none either."""
        spec = self.messages.get(message.id)
        return (spec.name, spec.read(message.body)) if spec else None

    def extra(self, frame: Frame) -> dict[str, Value]:
        """Fields that a newer device added at the end of a message we know."""
        spec = self.messages.get(frame.message.ID)
        raw = frame.extra
        if spec is None or not raw:
            return {}
        known = {entry.name for entry in own_dictionary().messages[frame.message.ID].fields}
        found = spec.read(frame.signed[HEADER_SIZE:])
        return {name: value for name, value in found.items() if name not in known}


def _fields(words: Iterable[str]) -> tuple[Field, ...]:
    return tuple(Field(*word.split(":", 1)) for word in words if ":" in word)


@cache
def own_dictionary() -> Dictionary:
    """That of the firmware these tools come with."""
    return Dictionary([dictionary_line(index) for index in range(dictionary_lines())])


@dataclass(frozen=True)
class Comparison:
    """What one side has and the other lacks; each entry in words."""

    device_adds: tuple[str, ...] = ()
    device_lacks: tuple[str, ...] = ()
    changed: tuple[str, ...] = field(default=())  # against the rules: an id or a field that means something else

    @property
    def newer(self) -> str:
        """ "device", "tools", "both" if each has something the other lacks, or "neither"."""
        if self.device_adds and self.device_lacks:
            return "both"
        return "device" if self.device_adds else "tools" if self.device_lacks else "neither"

    def __str__(self) -> str:
        return " ".join(self._sentences()) or "device and tools have the same messages."

    def _sentences(self) -> Iterator[str]:
        if self.device_adds:
            yield f"device newer than these tools: it adds {'; '.join(self.device_adds)}."
            yield "Update the tools; meanwhile unknown messages are shown generically and added fields are ignored."
        if self.device_lacks:
            yield f"device older than these tools: it lacks {'; '.join(self.device_lacks)}."
            yield "Update its firmware; meanwhile everything it does send is understood."
        if self.changed:
            yield f"device and tools disagree: {'; '.join(self.changed)}."
            yield "Do not rely on these messages; everything else works."


def compare(device: Dictionary, tools: Dictionary | None = None) -> Comparison:
    """Which side is older, and in what."""
    tools = tools or own_dictionary()
    adds: list[str] = []
    lacks: list[str] = []
    changed: list[str] = []
    for number in sorted(device.messages.keys() | tools.messages.keys()):
        theirs, ours = device.messages.get(number), tools.messages.get(number)
        if theirs is None or ours is None:
            spec = theirs or ours
            (adds if theirs else lacks).append(f"message {spec.name if spec else number}")
        elif theirs != ours:
            _compare_messages(theirs, ours, adds, lacks, changed)
    for name in sorted(device.names.keys() | tools.names.keys()):
        _compare_names(name, device.names.get(name, ()), tools.names.get(name, ()), adds, lacks, changed)
    return Comparison(tuple(adds), tuple(lacks), tuple(changed))


def _compare_messages(theirs: Spec, ours: Spec, adds: list[str], lacks: list[str], changed: list[str]) -> None:
    common = min(len(theirs.fields), len(ours.fields))
    same_place = theirs.fields[:common] == ours.fields[:common] and theirs.kind == ours.kind
    if theirs.name != ours.name:
        changed.append(f"message {ours.id} is {theirs.name} to the device and {ours.name} to the tools")
    elif not same_place:
        changed.append(f"message {ours.name} has other fields")
    more, out = (theirs, adds) if len(theirs.fields) > common else (ours, lacks)
    names = [entry.name for entry in more.fields[common:]]
    if names and same_place:
        out.append(f"{'fields' if len(names) > 1 else 'field'} {', '.join(names)} of {more.name}")


def _compare_names(
    name: str, theirs: Sequence[str], ours: Sequence[str], adds: list[str], lacks: list[str], changed: list[str]
) -> None:
    common = min(len(theirs), len(ours))
    if theirs[:common] != ours[:common]:
        changed.append(f"the numbers of {name} have other names")
    if len(theirs) > common:
        adds.append(f"{name} {', '.join(theirs[common:])}")
    if len(ours) > common:
        lacks.append(f"{name} {', '.join(ours[common:])}")
