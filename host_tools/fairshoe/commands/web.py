"""`fairshoe web`: the bench page, a simulated shoe in the browser."""

from __future__ import annotations

import argparse
import contextlib
import webbrowser
from pathlib import Path

from fairshoe.web.assets import page_files, write_site
from fairshoe.web.server import PageServer


def add_arguments(web: argparse.ArgumentParser) -> None:
    web.description = (
        "Shows a simulated shoe in a browser: the firmware runs on the MicroPython VM in the page, with a machine that "
        "can be seen, handled and broken (docs/BENCH_PAGE.md). The server answers on this machine only."
    )
    web.add_argument("--port", type=int, default=8023, help="of the server; 0 takes any free one (%(default)s)")
    web.add_argument("--no-open", action="store_true", help="only serve; open no browser")
    web.add_argument("--write", type=Path, metavar="FOLDER", help="write the page as a static site, and serve nothing")


def run(options: argparse.Namespace) -> int:
    if options.write:
        print(f"wrote {write_site(options.write)} files into {options.write}; serve them with any file server")
        return 0
    server = PageServer(page_files(), options.port)
    print(f"bench page on {server.url} (Ctrl-C ends)", flush=True)
    if not options.no_open:
        webbrowser.open(server.url)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0
