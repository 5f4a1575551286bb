"""`fairshoe version`: print the version of this program and of what it runs on."""

from __future__ import annotations

import argparse
import json
import platform

from fairshoe import __version__
from fairshoe.errors import Exit
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    if options.json:
        facts = {"fairshoe": __version__, "python": platform.python_version(), "platform": platform.platform()}
        say(json.dumps(facts))
    else:
        say(f"fairshoe {__version__} (Python {platform.python_version()}, {platform.platform()})")
    return Exit.DONE
