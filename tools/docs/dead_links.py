"""Follows every link of a site that was built: a file that is missing, or a place in it, is a dead link."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def dead_links(site: Path) -> Iterator[str]:
    pages = {path.relative_to(site).as_posix(): _Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    for place, page in pages.items():
        for link in dict.fromkeys(page.links):
            target = urlsplit(link)
            if target.scheme or target.netloc or link.startswith("#__") or place == "404.html":
                continue  # elsewhere; a part of the theme; a page without a place of its own
            path = (
                posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(target.path)))
                if target.path
                else place
            )
            path = f"{path}/index.html".removeprefix("./") if (site / path).is_dir() else path
            if not (site / path).is_file():
                yield f"{place}: {link}: no such file"
            elif target.fragment and path in pages and unquote(target.fragment) not in pages[path].anchors:
                yield f"{place}: {link}: no such place in it"
