"""Text of others on a terminal: a file name or a device must not move its cursor or hide what stands there."""

from __future__ import annotations


def plain(text: str) -> str:
    """As a person may read it, on one line: whatever a terminal would obey, or not show, becomes a question mark."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in text)
