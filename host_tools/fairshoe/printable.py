"""The one place where text goes to a terminal. Text from files and devices must not move its cursor, hide other output
or forge a line: it is data.

    printable    one readable line of any text
    device_text  the same of bytes that a device sent
    keep_secret  no text of this process has this URL's password from now on
    say          print; every module does it through this, or through Screen, Terminal and Progress (a test holds them)
    LogLines     the same for logs
"""

from __future__ import annotations

import logging
import re
import sys
from typing import TextIO
from urllib.parse import unquote

# Colours that these tools use. A device that sent them would change no more than a colour.
_COLOUR = re.compile("(\x1b\\[(?:0|1|2|7|31|32|33|36)m)")
_PASSWORD = re.compile(r"(\w://[^\s:/@]*:)\S*@")
_secrets: list[str] = []  # longest first
_PIECE_MIN = 4


def keep_secret(url: str) -> None:
    """Remember the password of a URL: as it stands, decoded, and in the pieces that a parser makes of it if a sign in
    it was not encoded. Libraries quote them in their errors."""
    _scheme, _mark, rest = url.partition("://")
    words = re.findall(r"password=([^\s&']+|'[^']*')", url)
    if "@" in rest and ":" in rest.rpartition("@")[0]:
        words.append(rest.rpartition("@")[0].partition(":")[2])
    for word in words:
        for form in (word.strip("'"), unquote(word.strip("'"))):
            pieces = [piece for piece in re.split(r"[@:/?#\[\]]", form) if len(piece) >= _PIECE_MIN]
            _secrets.extend({form, *pieces} - {""} - {*_secrets})
    _secrets.sort(key=len, reverse=True)


def _without_secrets(text: str) -> str:
    for secret in _secrets:
        text = text.replace(secret, "***")
    return _PASSWORD.sub(r"\1***@", text) if "://" in text else text


def printable(text: str) -> str:
    """One readable line: characters that a terminal would obey or hide become question marks; a password is left
    out."""
    text = _without_secrets(text)
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in text)


def device_text(raw: bytes) -> str:
    """ASCII that a device sent."""
    return printable(raw.rstrip(b"\0").decode("ascii", "replace"))


def coloured(text: str) -> str:
    """The same with our own colours left in."""
    if "\x1b" not in text:
        return printable(text)
    return "".join(part if _COLOUR.fullmatch(part) else printable(part) for part in _COLOUR.split(text))


def coloured_lines(text: str) -> str:
    """The same, line by line."""
    return "\n".join(coloured(line.replace("\t", "    ")) for line in text.split("\n"))


def say(text: object = "", end: str = "\n", file: TextIO | None = None, flush: bool = False) -> None:
    """Print. Line ends are the caller's own: a text of others in it has no line end any more, as every device_text. A
    carriage return in front rewrites the line."""
    given = str(text)
    shown = coloured_lines(given.removeprefix("\r"))
    print("\r" * given.startswith("\r") + shown, end=end, file=file or sys.stdout, flush=flush)


class LogLines(logging.Formatter):
    """Every line of a log is text."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(map(printable, super().format(record).split("\n")))
