"""The arguments of `fairshoe completion`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  eval "$(fairshoe completion bash)"
      in this shell; put it into ~/.bashrc for every one
  fairshoe completion zsh > ~/.zfunc/_fairshoe
      with ~/.zfunc in $fpath
  fairshoe completion fish > ~/.config/fish/completions/fairshoe.fish
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Prints a completion script for your shell. Make it again after an update."
    command.epilog = EPILOG
    command.add_argument("shell", choices=["bash", "fish", "zsh"])
