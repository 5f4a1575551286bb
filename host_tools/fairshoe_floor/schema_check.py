"""The one check of everything that comes from the stream: events, gaps, exports of journals, samples, signs of life.

PostgreSQL refuses some texts and numbers that JSON allows: a NUL, half of a surrogate pair, Infinity, 2 to the 70. It
refuses the whole transaction, so one such value of one shoe would stop the record of all pits. A reader that converts
(`int(value)`, `str(value)`) lets others through that fail later, in a rule or on a page. So nothing is converted here:
a value has the type and the range of its column, or the message is refused with a reason, before any statement.

A check takes a value as JSON has it and returns it as the program keeps it, or raises Refused. Keys that are not known
are passed over: they are of a newer version.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

BYTES_MAX = 1 << 20  # as the broker's default limit of a message
DEPTH_MAX = 8  # of a sample; no message of ours has more than 5
TEXT_MAX = 2000
U32 = (1 << 32) - 1
BIGINT = (1 << 63) - 1
SECONDS_MAX = 1e11  # of a time in UTC seconds: the year 5138
# C0 and C1 controls and halves of surrogate pairs: PostgreSQL, a terminal or a page cannot hold or show them.
_ODD = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Escapes of JSON: those to keep in a group, then all others: \n, \u0000, \ud800 and the like.
_ESCAPE = re.compile(
    r'(\\[\\"/]|\\u00[2-6].|\\u007[0-9a-e]|\\u00[a-f].|\\u(?!00|d[89a-f])....)|\\(?:[bfnrt]|u....)|\x7f', re.IGNORECASE
)
_HEX = re.compile("(?:[0-9a-f]{2})*")

Check = Callable[[Any], Any]


class Refused(ValueError):
    """Data that cannot be taken; the text says why."""


def load(data: bytes) -> Any:
    """JSON in UTF-8, with finite numbers."""
    if len(data) > BYTES_MAX:
        raise Refused(f"{len(data)} bytes are more than {BYTES_MAX}")
    try:
        return json.loads(data.decode(), parse_constant=_no_number)
    except RecursionError:
        raise Refused("it is nested too deeply") from None
    except ValueError as error:
        raise error if isinstance(error, Refused) else Refused(f"it is no JSON: {error}") from None


def _no_number(word: str) -> NoReturn:
    raise Refused(f"{word} is no number")


def whole(low: int, high: int) -> Check:
    def check(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise Refused(f"{_shown(value)} is no whole number from {low} to {high}")
        return value

    return check


def real(low: float, high: float) -> Check:
    def check(value: Any) -> float:
        if type(value) not in (int, float) or not low <= value <= high:
            raise Refused(f"{_shown(value)} is no number from {low:g} to {high:g}")
        return float(value)

    return check


def text(longest: int = TEXT_MAX) -> Check:
    def check(value: Any) -> str:
        if type(value) is not str or len(value) > longest:
            raise Refused(f"{_shown(value)} is no text of up to {longest} characters")
        odd = _ODD.search(value)
        if odd:
            raise Refused(f"a text has the character U+{ord(odd.group()):04X}")
        return value

    return check


def matching(pattern: str) -> Check:
    wanted = re.compile(pattern)

    def check(value: Any) -> str:
        if type(value) is not str or not wanted.fullmatch(value):
            raise Refused(f"{_shown(value)} is not like {pattern}")
        return value

    return check


def hexadecimal(shortest: int, longest: int) -> Check:
    """Bytes, in lower case: so each value has one form."""

    def check(value: Any) -> bytes:
        if type(value) is not str or not _HEX.fullmatch(value) or not shortest <= len(value) // 2 <= longest:
            raise Refused(f"{_shown(value)} is no hexadecimal text of {shortest} to {longest} bytes")
        return bytes.fromhex(value)

    return check


def device(value: Any) -> int:
    """Eight hexadecimal digits."""
    return int.from_bytes(_FOUR(value), "big")


_FOUR = hexadecimal(4, 4)


def optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def plain(value: Any, depth: int = DEPTH_MAX) -> Any:
    """Anything of JSON that PostgreSQL's jsonb can hold."""
    if depth == 0:
        raise Refused("it is nested too deeply")
    if isinstance(value, dict):
        for name, part in value.items():  # pyright: ignore[reportUnknownVariableType]
            _TEXT(name)
            plain(part, depth - 1)
    elif isinstance(value, list):
        for part in value:  # pyright: ignore[reportUnknownVariableType]
            plain(part, depth - 1)
    elif isinstance(value, str):
        _TEXT(value)
    elif type(value) is int:
        _NUMBER(value)
    elif type(value) is float and not math.isfinite(value):
        raise Refused(f"{value} is no number")
    return value  # pyright: ignore[reportUnknownVariableType]


_TEXT = text()
_NUMBER = whole(-BIGINT - 1, BIGINT)


def flat(value: Any) -> str:
    """An object of plain values, as JSON text."""
    if not isinstance(value, dict):
        raise Refused(f"{_shown(value)} is no object")
    return json.dumps(plain(value, 2))  # pyright: ignore[reportUnknownArgumentType]


def fields(value: Any, checks: Mapping[str, Check]) -> dict[str, Any]:
    """The values of an object, by name; an absent one is checked as null."""
    if not isinstance(value, dict):
        raise Refused(f"{_shown(value)} is no object")
    found: dict[str, Any] = {}
    for name, check in checks.items():
        try:
            found[name] = check(value.get(name))  # pyright: ignore[reportUnknownMemberType]
        except Refused as error:
            raise Refused(f"{name}: {error}") from None
    return found


def cleaned(json_text: str) -> str:
    """JSON as json.dumps writes it, with U+FFFD in place of every character that `text` refuses. For what we say
    ourselves, and for what programs of older versions have stored: the bytes of a device are kept beside it."""
    if "\\" not in json_text and "\x7f" not in json_text:
        return json_text
    return _ESCAPE.sub(lambda found: found.group(1) or "\\ufffd", json_text)


def clean_text(value: str) -> str:
    """The same for one text, cut to the longest that is taken."""
    return _ODD.sub("\ufffd", value)[:TEXT_MAX]


def _shown(value: Any) -> str:
    """Short, and with no character that a log cannot hold. A large integer is not written out: that takes long."""
    if type(value) is int and abs(value) > BIGINT:
        return f"a number of {value.bit_length()} bits"
    said = ascii(value) if isinstance(value, (str, int, float, type(None))) else type(value).__name__
    return said if len(said) <= 40 else said[:37] + "..."
