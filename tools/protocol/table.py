"""The message table as typed values: what the page, the vectors and the dissector are generated from.

Everything comes from the firmware's own table and dictionary, so a message or a name added there shows up here.
"""

from __future__ import annotations

import hashlib
import runpy
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# By file: the host package itself imports what is generated from the table.
runpy.run_path(str(ROOT / "host_tools" / "fairshoe" / "_device.py"))["load"]()

from firmware.protocol import ids, table  # noqa: E402
from firmware.protocol.dictionary import dictionary_line, dictionary_lines  # noqa: E402

SIZES = {"u8": 1, "u16": 2, "u32": 4, "t8": 8, "b8": 8, "b16": 16, "b32": 32, "rest": 0}

FROM_HOST_CLASSES = (ids.CLASS_ACK, ids.CLASS_COMMAND)
FROM_HOST = (
    ids.HELLO,
    ids.DICTIONARY_GET,
    ids.TIME_SET,
    ids.SEED_GET,
    ids.JOURNAL_GET,
    ids.JOURNAL_SIGN,
    ids.KEY_INSTALL,
    ids.KEY_ROTATE,
    ids.NONCE,
    ids.DIAGNOSE,
    ids.SHOT,
)

# Fields that hold the id of another message.
MESSAGE_FIELDS = ("command", "during")


@dataclass(frozen=True)
class Field:
    """One field of a body. `owner` is what its filter name starts with: event, command or the message's name."""

    name: str
    kind: str
    offset: int
    owner: str

    @property
    def size(self) -> int:
        """In bytes; 0 for whatever is left."""
        return SIZES[self.kind]

    @property
    def path(self) -> str:
        return f"{self.owner}.{self.name}"


@dataclass(frozen=True)
class Message:
    """One line of the table, its prefix included."""

    id: int
    kind: int
    name: str
    fields: tuple[Field, ...]

    @property
    def size(self) -> int:
        """The least a body may have."""
        return sum(field.size for field in self.fields)

    @property
    def from_host(self) -> bool:
        return self.kind in FROM_HOST_CLASSES or self.id in FROM_HOST

    @property
    def clear_only(self) -> bool:
        """Handshake and dictionary carry no MAC, but for the welcome, which proves the device's key. Nor has a device
        that did not get as far as its key."""
        return self.id == ids.HALTED or (
            self.kind in (ids.CLASS_HANDSHAKE, ids.CLASS_DICTIONARY) and self.id != ids.WELCOME
        )

    @property
    def keyed_only(self) -> bool:
        """What only a role may ask for, and what answers that: roles other than clear are those of keyed sessions."""
        keyed = (ids.CLASS_COMMAND, ids.CLASS_RESPONSE, ids.CLASS_TIME)
        return self.kind in keyed or self.id in _FOR_A_ROLE


_FOR_A_ROLE = (ids.SEED_GET, ids.SEED_IS, ids.NONCE, ids.DIAGNOSE, ids.DIAGNOSIS, ids.SHOT, ids.EDGES)


def _fields(spec: str, owner: str, offset: int) -> list[Field]:
    found: list[Field] = []
    for word in spec.split():
        name, colon, kind = word.partition(":")
        if colon:
            found.append(Field(name, kind, offset, owner))
            offset += SIZES[kind]
    return found


def _message(line: tuple[int, int, str]) -> Message:
    number, kind, spec = line
    name = spec.split()[0]
    prefix: list[Field] = []
    if kind == ids.CLASS_EVENT:
        prefix = _fields(table.EVENT_PREFIX, "event", 0)
    elif kind == ids.CLASS_COMMAND:
        prefix = _fields(table.COMMAND_PREFIX, "command", 0)
    offset = sum(field.size for field in prefix)
    return Message(number, kind, name, (*prefix, *_fields(spec, name, offset)))


MESSAGES: tuple[Message, ...] = tuple(_message(line) for line in table.MESSAGES)
BY_NAME = {message.name: message for message in MESSAGES}
BY_ID = {message.id: message for message in MESSAGES}
EVENT_FIELDS = tuple(_fields(table.EVENT_PREFIX, "event", 0))
COMMAND_FIELDS = tuple(_fields(table.COMMAND_PREFIX, "command", 0))

DICTIONARY = tuple(dictionary_line(index) for index in range(dictionary_lines()))
DICTIONARY_HASH = hashlib.sha256("".join(line + "\n" for line in DICTIONARY).encode()).hexdigest()[:16]


def _enums() -> dict[str, tuple[str, ...]]:
    """From the lines `names FIELD word word ...`: a field of that name, in any message, counts these words from 0."""
    found: dict[str, tuple[str, ...]] = {}
    for line in DICTIONARY:
        words = line.split()
        if words[0] == "names":
            found[words[1]] = found.get(words[1], ()) + tuple(words[2:])
    return found


ENUMS = _enums()
CLASS_NAMES = ENUMS["class"]


def value_name(field: str, value: int) -> str:
    """The word for a value of an enumerated field, or of a field that holds a message id; "" if there is none."""
    if field in MESSAGE_FIELDS:
        return BY_ID[value].name if value in BY_ID else ""
    names = ENUMS.get(field, ())
    return names[value] if value < len(names) else ""
