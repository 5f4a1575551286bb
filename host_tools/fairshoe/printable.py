"""Make text from files and devices safe to print: it must not move a terminal's cursor or hide other output."""

from __future__ import annotations


def printable(text: str) -> str:
    """One readable line: characters that a terminal would obey or hide become question marks."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in text)
