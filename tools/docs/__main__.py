"""`python -m docs [--serve [--port N]]`: builds the site into build/site, or shows it on a local port."""

from __future__ import annotations

import argparse
import sys

from docs.site import build, serve


def main() -> int:
    parser = argparse.ArgumentParser("docs", description="Build the documentation site into build/site.")
    parser.add_argument("--serve", action="store_true", help="show it on a local port while pages are written")
    parser.add_argument("--port", type=int, default=8000, help="for --serve (%(default)s)")
    options = parser.parse_args()
    try:
        if options.serve:
            return serve(options.port)
        return build()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
