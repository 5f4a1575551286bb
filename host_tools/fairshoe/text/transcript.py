"""A line of a scenario's transcript for a person: seconds in place of microseconds, words in place of codes.

    25558000 event warning_latched round=0 warning=6 cards_seen=52 sensor=0
    25.558000 event warning_latched round=0 warning=mismatch cards_seen=52

Transcripts in files keep the numbers, so that runs of two VMs and two versions can be compared.
"""

from __future__ import annotations

import re
from dataclasses import fields

from fairshoe.messages import ALL, ENUMS, UNKNOWN
from fairshoe.text.describe import CAUSES, DEFECTS, HOW, MESSAGE_NAMES

_LINE = re.compile(r" *(\d+) (\w+) ?(.*)")
_WORDS = {"cause": CAUSES, "how": HOW, "defect": DEFECTS, "command": MESSAGE_NAMES, "during": MESSAGE_NAMES}
_KINDS = {kind.NAME: {field.name: str(field.type) for field in fields(kind)} for kind in ALL}


def in_words(line: str) -> str:
    found = _LINE.fullmatch(line)
    if found is None:
        return line
    at, kind, rest = found.groups()
    if kind == "event":
        name, *values = rest.split()
        rest = " ".join([name, *filter(None, (_field(name, value) for value in values))])
    return f"{int(at) / 1e6:13.6f} {kind} {rest}"


def _field(event: str, text: str) -> str:
    """One `name=number`; empty if it says nothing."""
    name, _, value = text.partition("=")
    if not value.isdigit():
        return text
    number = int(value)
    if number == UNKNOWN.get(event, {}).get(name):
        return f"{name}=unknown"
    if name in ENUMS and _KINDS.get(event, {}).get(name) == ENUMS[name].__name__:
        word = ENUMS[name](number).name.lower()
    else:
        word = _WORDS.get(name, {}).get(number, value).replace(" ", "_")
    return "" if word == "none" or (word == "0" and name.endswith("_um")) else f"{name}={word}"
