"""`fairshoe version`: print the version of this program and of what it runs on."""

from __future__ import annotations

import argparse
import json
import platform

from fairshoe import __version__
from fairshoe.errors import Exit


def run(options: argparse.Namespace) -> int:
    if options.json:
        facts = {"fairshoe": __version__, "python": platform.python_version(), "platform": platform.platform()}
        print(json.dumps(facts))
    else:
        print(f"fairshoe {__version__} (Python {platform.python_version()}, {platform.platform()})")
    return Exit.DONE
