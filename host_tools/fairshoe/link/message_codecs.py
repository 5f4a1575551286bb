"""Readers and writers of messages, each compiled once from its dataclass.

A frozen dataclass sets its fields one call at a time, which costs more than all the rest of decoding. A reader fills a
draft instead: an object of a sibling class with the same slots and ordinary assignment, which then becomes the frozen
class. What a user gets is an instance of the dataclass like any other.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, TypeVar

from fairshoe import messages
from fairshoe.messages import Message
from fairshoe.printable import device_text
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE
from firmware.protocol.ids import FLAG_KEYED, VERSION
from firmware.protocol.session import MAC_SIZE

T = TypeVar("T")
Writer = Callable[[Any, int, int, int], bytes]

_ENUMS = {cls.__name__: cls for cls in messages.ENUMS.values()}

# The pads of `clear` and `keyed` hold the place of header, MAC and CRC: one call reads the fields and checks the size.
_READER = """\
def read(raw):
    value = draft()
    if len(raw) == {size}:
        head, {targets} = clear(raw)
        if head != {head}:
            return general(raw)
    else:
        try:
            head, {targets} = keyed(raw)
        except error:
            return general(raw)
        if head != {head_keyed}:
            return general(raw)
    {conversions}
    value.__class__ = final
    {result}
"""

_MESSAGE = "return value"
_FRAME = "frame = Frame(); frame.message = value; frame.raw = raw; return frame"

_WRITER = """\
def write(value, flags, session, sequence):
    return pack({kind}, flags, {id}, session, sequence, {values}){rest}
"""


# Control characters are as unreadable as bytes above 127: a database refuses a NUL, and a terminal obeys an escape.


def text_of(raw: bytes) -> str:
    return device_text(raw)


def raw_of_text(text: str) -> bytes:
    raw = text.encode("ascii")
    if len(raw) > 8:
        raise ValueError(f"{text!r} is longer than 8 bytes")
    return raw


def raw_of_size(raw: bytes, size: int) -> bytes:
    if len(raw) != size:
        raise ValueError(f"{len(raw)} bytes where {size} belong")
    return raw


def has_rest(cls: type[Message]) -> bool:
    """Whether the last field takes all that is left of the body."""
    return len(layout_codes(cls)) < len(fields(cls))


def layout_codes(cls: type[Message]) -> list[str]:
    """struct codes of the fields in LAYOUT, one each: "I", "8s"."""
    codes: list[str] = []
    count = ""
    for sign in cls.LAYOUT.format[1:]:
        if sign.isdigit():
            count += sign
        else:
            codes.append(count + sign)
            count = ""
    return codes


def reader_table(general: Callable[[bytes], T], frame: type[T] | None) -> list[list[Callable[[bytes], T]]]:
    """Readers by message id, first its high byte, then its low one: two lists are much faster than a dict of slices.

    A reader takes a frame with a good CRC, keyed or not, and gives the message, in a `frame` if there is one. What is
    not just as the table says, in size, class, version or flags, goes to `general`, which looks with more care."""
    unused = [general] * 256
    table = [unused] * 256
    for cls in messages.ALL:
        high, low = divmod(cls.ID, 256)
        if table[high] is unused:
            table[high] = unused.copy()
        if not has_rest(cls):
            table[high][low] = _compiled_later(table[high], low, cls, general, frame)
    return table


def _compiled_later(
    row: list[Callable[[bytes], T]], low: int, cls: type[Message], general: Callable[[bytes], T], frame: type[T] | None
) -> Callable[[bytes], T]:
    """Compiles on first use: a program that starts meets few of the messages there are."""

    def first(raw: bytes) -> T:
        draft = _draft(cls)
        row[low] = general if draft is None else _compile_reader(cls, draft, general, frame)
        return row[low](raw)

    return first


def compile_writer(cls: type[Message]) -> Writer:
    """Header and body of a message."""
    names: dict[str, Any] = {"raw_of_text": raw_of_text, "raw_of_size": raw_of_size}
    names["pack"] = struct.Struct(f"<BBHHH{cls.LAYOUT.format[1:]}").pack
    codes = layout_codes(cls)
    values: list[str] = []
    for field, code in zip(fields(cls), codes, strict=False):
        value = f"value.{field.name}"
        if field.type == "str":
            value = f"raw_of_text({value})"
        elif field.type == "bytes":
            value = f"raw_of_size({value}, {code[:-1]})"
        values.append(value)
    rest = fields(cls)[len(codes) :]
    source = _WRITER.format(
        kind=VERSION << 4 | cls.CLASS,
        id=cls.ID,
        values=", ".join(values),
        rest=f" + value.{rest[0].name}" if rest else "",
    )
    return _compile(source, "write", names)


def convert(cls: type[Message], values: Iterable[Any]) -> list[Any]:
    """Values as struct gives them, as the dataclass wants them."""
    found: list[Any] = []
    for field, value in zip(fields(cls), values, strict=True):
        kind = _ENUMS.get(str(field.type))
        found.append(kind(value) if kind else text_of(value) if field.type == "str" else value)
    return found


def _draft(cls: type[Message]) -> type[Any] | None:
    """A class that instances of `cls` may have been before; None where Python does not let classes change."""
    plain = {
        "__slots__": cls.__dict__["__slots__"],
        "__init__": object.__init__,
        # Both, or CPython keeps the slow way for either.
        "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__,
    }
    draft = type.__new__(type(cls), f"_{cls.__name__}Draft", cls.__bases__, plain)  # its slots are given
    try:
        draft().__class__ = cls
    except TypeError:
        return None
    return draft


def _compile_reader(cls: type[Message], draft: type[Any], general: Callable[[bytes], T], frame: type[T] | None) -> Any:
    targets: list[str] = []
    conversions: list[str] = []
    names: dict[str, Any] = {"draft": draft, "final": cls, "general": general, "error": struct.error, "Frame": frame}
    for field in fields(cls):
        kind = str(field.type)
        targets.append(f"value.{field.name}" if kind in ("int", "bytes") else f"{field.name}_")
        if kind in _ENUMS:
            names[kind] = tuple(_ENUMS[kind](number) for number in range(256))
            conversions.append(f"value.{field.name} = {kind}[{field.name}_]")
        elif kind == "str":
            names["text_of"] = text_of
            conversions.append(f"value.{field.name} = text_of({field.name}_)")
    layout = f"<H{HEADER_SIZE - 2}x{cls.LAYOUT.format[1:]}"
    names["clear"] = struct.Struct(f"{layout}{CRC_SIZE}x").unpack
    names["keyed"] = struct.Struct(f"{layout}{MAC_SIZE + CRC_SIZE}x").unpack
    head = VERSION << 4 | cls.CLASS
    source = _READER.format(
        targets="".join(f"{target}, " for target in targets),
        conversions="\n    ".join(conversions) or "pass",
        size=HEADER_SIZE + cls.LAYOUT.size + CRC_SIZE,
        head=head,
        head_keyed=head | FLAG_KEYED << 8,
        result=_FRAME if frame else _MESSAGE,
    )
    return _compile(source, "read", names)


def _compile(source: str, name: str, names: dict[str, Any]) -> Any:
    exec(source, names)  # a text of this module, filled in with names of our own table
    return names[name]
