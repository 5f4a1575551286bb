"""`fairshoe completion`: print a completion script for a shell."""

from __future__ import annotations

import argparse

from fairshoe.cli import shell_completion
from fairshoe.cli.command_line import full_parser

EPILOG = """\
examples:
  eval "$(fairshoe completion bash)"
      in this shell; put it into ~/.bashrc for every one
  fairshoe completion zsh > ~/.zfunc/_fairshoe
      with ~/.zfunc in $fpath
  fairshoe completion fish > ~/.config/fish/completions/fairshoe.fish
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Prints a completion script for your shell. Make it again after an update."
    )
    command.epilog = EPILOG
    command.add_argument("shell", choices=sorted(shell_completion.SHELLS))


def run(options: argparse.Namespace) -> int:
    print(shell_completion.SHELLS[options.shell](full_parser()), end="")
    return 0
