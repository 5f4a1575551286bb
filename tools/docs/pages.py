"""Reading Markdown pages: their links, their anchors, and where a link leads in the repository.

The same rules hold on GitHub and on the site: the hook of the site takes its slugs and its links from here, and so does
the test that follows every link.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)
_ID = re.compile(r"<[a-z][^>]*?\bid=\"([^\"]+)\"")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_INLINE = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]+>|[`*]")


@dataclass(frozen=True)
class Link:
    """A link as it stands in a page: `start` and `end` hold all of it, from its bracket on."""

    line: int
    text: str
    target: str
    start: int
    end: int
    is_image: bool

    @property
    def is_external(self) -> bool:
        return bool(_SCHEME.match(self.target)) or self.target.startswith("//")


def slug(text: str, separator: str = "-") -> str:
    """A heading's anchor, as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return kept.replace(" ", separator)


def without_code(text: str) -> str:
    """The page with code and comments blanked out, every other character in its place."""
    return _COMMENT.sub(_blank, _SPAN.sub(_blank, without_blocks(text)))


def without_blocks(text: str) -> str:
    """The same with code blocks alone blanked out."""
    lines = text.split("\n")
    fence = ""
    was_blank, was_code = True, False
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        is_indented = line.startswith("    ") and (was_blank or was_code) and not fence
        if fence or mark or (is_indented and line.strip()):
            lines[number] = " " * len(line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
            fence = ""
        was_code = is_indented
        was_blank = not line.strip()
    return "\n".join(lines)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def links(text: str) -> Iterator[Link]:
    """Every inline link and image outside code."""
    bare = without_code(text)
    for match in _LINK.finditer(bare):
        open_at = _opening(bare, match.start())
        if open_at < 0:
            continue
        is_image = bare[open_at - 1 : open_at] == "!"
        start = open_at - 1 if is_image else open_at
        line = text.count("\n", 0, start) + 1
        yield Link(line, text[open_at + 1 : match.start()], match.group(1), start, match.end(), is_image)


def _opening(text: str, close: int) -> int:
    """Where the bracket that `close` closes was opened; -1: nowhere."""
    depth = 0
    for at in range(close, -1, -1):
        depth += (text[at] == "]") - (text[at] == "[")
        if depth == 0:
            return at
    return -1


def anchors(text: str) -> set[str]:
    """What a link may name after the #. Of two headings that read the same only the first one can be named."""
    bare = without_code(text)
    found = set(_ID.findall(bare))
    for match in _HEADING.finditer(bare):
        # From the page itself: in a heading code is text.
        found.add(slug(_INLINE.sub(r"\1", text[match.start(1) : match.end(1)])))
    return found


def resolve(page: str, target: str) -> tuple[str, str]:
    """Path in the repository and anchor that `target` means on `page`; "" for the path: above the repository."""
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    full = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return ("" if full.startswith("..") else full), anchor
