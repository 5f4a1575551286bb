"""The arguments of `fairshoe start`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe                         the same, in a terminal
  fairshoe start
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Lists the ports of this machine without opening one, and offers what to do next. It asks before it sends "
        "anything, and shows each command before it runs it."
    )
    command.epilog = EPILOG
