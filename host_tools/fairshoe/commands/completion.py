"""`fairshoe completion`: a script that lets a shell complete fairshoe's commands and options."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe.cli import shell_completion

EPILOG = """\
examples:
  eval "$(fairshoe completion bash)"                        in this shell; in ~/.bashrc for every one
  fairshoe completion bash > ~/.local/share/bash-completion/completions/fairshoe
  fairshoe completion zsh > ~/.zfunc/_fairshoe              with ~/.zfunc in $fpath
  fairshoe completion fish > ~/.config/fish/completions/fairshoe.fish
"""


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "completion",
        help="a script for your shell that completes commands and options",
        description="Prints a completion script, made from the commands of this version; make it anew with the next.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("shell", choices=sorted(shell_completion.SHELLS))


def run(options: argparse.Namespace) -> int:
    from fairshoe.cli.command_line import parser  # which holds this module

    print(shell_completion.SHELLS[options.shell](parser()), end="")
    return 0
