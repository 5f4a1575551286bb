"""Runs MkDocs and checks the site that it built: no dead link, nothing fetched from other servers, and search works."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from docs.dead_links import dead_links
from docs.in_browser import can_browse, complaints
from fairshoe.web.assets import write_site

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
# Attributes that make a browser fetch something by itself. An <a href> waits for a click.
FETCHES = {("link", "href"), ("object", "data"), ("form", "action")}
FETCHING = {"src", "srcset", "poster", "background", "ping"}
# A link that only says something about the page.
SAYING = {"canonical", "prev", "next", "author", "license"}
AWAY = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
CSS_AWAY = re.compile(r"(?:url\(|@import)\s*[\"']?\s*(?:https?:)?//[^\s)\"']+", re.IGNORECASE)


# The front page shows the machine itself. In the repository, and where frames are not shown, it is a picture.
PICTURE = re.compile(r'<img [^>]*src="captures/bench-page-jam\.png"[^>]*>')
FRAME = (
    '<iframe class="bench" src="bench/index.html" loading="lazy" title="a simulated shoe, to watch, handle and break">'
    r"</iframe><noscript>\g<0></noscript>"
)


class _Fetched(HTMLParser):
    """Collects addresses elsewhere that a browser would fetch for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "link" and values.get("rel", "") in SAYING:
            return
        for name, value in values.items():
            if (name in FETCHING or (tag, name) in FETCHES) and AWAY.match(value):
                self.found.append(f"<{tag} {name}={value}>")
        # The theme would load a drawing library from elsewhere for these.
        if "mermaid" in values.get("class", "").split():
            self.found.append("a mermaid diagram")


def fetched_from_elsewhere(site: Path) -> Iterator[str]:
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            page = _Fetched()
            text = path.read_text(encoding="utf-8")
            page.feed(text)
            styles = CSS_AWAY.findall(" ".join(re.findall(r"<style.*?</style>|style=\"[^\"]*\"", text, re.DOTALL)))
            yield from (f"{path.relative_to(site)}: {what}" for what in [*page.found, *styles])
        elif path.suffix in (".css", ".svg"):
            text = path.read_text(encoding="utf-8")
            yield from (f"{path.relative_to(site)}: {what}" for what in CSS_AWAY.findall(text))


def mkdocs(*arguments: str, shown: bool = False) -> subprocess.CompletedProcess[str]:
    # The width is that of the help texts in the reference.
    chosen = {"COLUMNS": "100", "NO_COLOR": "1", "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "tools")}
    environment = {**os.environ, **chosen}
    command = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=not shown, text=True)


def add_bench_page(site: Path) -> None:
    """Write the bench page beside the documentation, and link to it. MkDocs knows only pages of its own."""
    write_site(site / "bench", "../RULES.html")
    page = site / "BENCH_PAGE.html"
    before, name, after = page.read_text(encoding="utf-8").partition("<code>bench/</code>")
    if not name:
        raise ValueError("docs/BENCH_PAGE.md no longer says `bench/`, which becomes the link to the page")
    page.write_text(f'{before}<a href="bench/index.html">bench/</a>{after}', encoding="utf-8")
    front = site / "index.html"
    text, count = PICTURE.subn(FRAME, front.read_text(encoding="utf-8"))
    if count != 1:
        raise ValueError("docs/index.md no longer has the picture of the bench page, which becomes the page itself")
    front.write_text(text, encoding="utf-8")


def build() -> int:
    # Not --quiet: with it MkDocs counts no warnings, and a strict build passes whatever is wrong.
    done = mkdocs("build", "--strict", "--clean")
    if done.returncode:
        print(done.stderr, "docs: not built; every warning above is to be put right", sep="", file=sys.stderr)
        return 1
    add_bench_page(SITE)
    checks = {"fetched from elsewhere": fetched_from_elsewhere, "links that lead nowhere": dead_links}
    if can_browse():
        checks["in Chromium"] = complaints
    else:
        print("docs: NOT TRIED in a browser: no Chromium or no Playwright; `make test-web` installs both")
    for title, check in checks.items():
        if found := list(check(SITE)):
            print(f"docs: {title}:", *found, sep="\n  ", file=sys.stderr)
            return 1
    pages = sum(1 for _ in SITE.rglob("*.html"))
    print(f"docs: {pages} pages in {SITE.relative_to(ROOT)}; open index.html there, or, with search: make docs-serve")
    return 0


def serve(port: int) -> int:
    address = ("127.0.0.1", port)
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except (OSError, OverflowError) as error:
        print(f"docs: port {port} cannot be used ({error}); choose another with --port", file=sys.stderr)
        return 1
    return mkdocs("serve", "--no-strict", "--dev-addr", "{}:{}".format(*address), shown=True).returncode
