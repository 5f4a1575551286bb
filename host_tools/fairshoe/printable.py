"""Make text from files and devices safe to print: it must not move a terminal's cursor or hide other output."""

from __future__ import annotations


def printable(text: str) -> str:
    """As a person may read it, on one line: whatever a terminal would obey, or not show, becomes a question mark."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in text)
