"""Runs MkDocs, whose strict build refuses a link that leads nowhere, and writes the bench page beside its pages."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

from fairshoe.web.assets import write_site

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
# The front page shows the machine itself. In the repository, and where frames are not shown, it is a picture.
PICTURE = re.compile(r'<img [^>]*src="captures/bench-page-jam\.png"[^>]*>')
FRAME = (
    '<iframe class="bench" src="bench/index.html" loading="lazy" title="a simulated shoe, to watch, handle and break">'
    r"</iframe><noscript>\g<0></noscript>"
)


def mkdocs(*arguments: str, shown: bool = False) -> subprocess.CompletedProcess[str]:
    # The width is that of the help texts in the reference.
    chosen = {"COLUMNS": "100", "NO_COLOR": "1", "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "tools")}
    environment = {**os.environ, **chosen}
    command = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=not shown, text=True)


def add_bench_page(site: Path) -> None:
    """Write the bench page beside the documentation, and link to it. MkDocs knows only pages of its own."""
    write_site(site / "bench", "../RULES.html")
    page = site / "BENCH.html"
    before, name, after = page.read_text(encoding="utf-8").partition("<code>bench/</code>")
    if not name:
        raise ValueError("docs/BENCH.md no longer says `bench/`, which becomes the link to the page")
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
