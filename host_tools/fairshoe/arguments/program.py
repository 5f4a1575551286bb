"""The arguments and examples of the commands that are about this program: explain, docs, help, version, completion."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe.cli.registry import COMMANDS

EXPLAIN_EXAMPLES = """\
examples:
  fairshoe explain CS-13e          a clause of a game's rules
  fairshoe explain jam_throat      a warning, and what to do
  fairshoe explain stack_taken     an event or another message, with its fields
  fairshoe explain 9               an exit status
  fairshoe explain slot_count      a key of a board config
  fairshoe explain remainder       a word
"""


def add_explain(command: argparse.ArgumentParser) -> None:
    command.description = "Explains a name that fairshoe prints, in a few lines, and names the page to read on."
    command.epilog = EXPLAIN_EXAMPLES
    command.add_argument("name", nargs="+", metavar="NAME", help="what to explain; hyphens, blanks and _ are the same")
    command.add_argument("--json", action="store_true", help="print a list of objects: name, kind, lines, page")


DOCS_EXAMPLES = """\
examples:
  fairshoe docs                    list all pages and example programs
  fairshoe docs QUICKSTART         read one; in a pager on a terminal
  fairshoe docs 0016               a decision, by its number
  fairshoe docs print_events.py > print_events.py
      copy an example program
"""


def add_docs(command: argparse.ArgumentParser) -> None:
    from fairshoe import pages  # here: plain `fairshoe` and `fairshoe help` do without

    command.description = "Shows the documentation that belongs to this version."
    command.epilog = DOCS_EXAMPLES
    page: Any = command.add_argument("page", nargs="?", metavar="PAGE", help="a page or example; lists all if left out")
    page.completes = [each.name for each in pages.everything()]


HELP_EXAMPLES = """\
examples:
  fairshoe help                    list all commands
  fairshoe help journal verify     the same as fairshoe journal verify --help
"""


def add_help(command: argparse.ArgumentParser) -> None:
    command.description = "Prints what a command does, its arguments and examples."
    command.epilog = HELP_EXAMPLES
    words: Any = command.add_argument("words", nargs="*", metavar="COMMAND", help="a command and its subcommand")
    words.completes = list(COMMANDS)


VERSION_EXAMPLES = """\
examples:
  fairshoe version
  fairshoe version --json
"""


def add_version(command: argparse.ArgumentParser) -> None:
    command.description = "Prints the version of fairshoe, of Python and of the operating system."
    command.epilog = VERSION_EXAMPLES
    command.add_argument("--json", action="store_true", help="as one JSON object")


COMPLETION_EXAMPLES = """\
examples:
  eval "$(fairshoe completion bash)"
      in this shell; put it into ~/.bashrc for every one
  fairshoe completion zsh > ~/.zfunc/_fairshoe
      with ~/.zfunc in $fpath
  fairshoe completion fish > ~/.config/fish/completions/fairshoe.fish
"""


def add_completion(command: argparse.ArgumentParser) -> None:
    command.description = "Prints a completion script for your shell. Make it again after an update."
    command.epilog = COMPLETION_EXAMPLES
    command.add_argument("shell", choices=["bash", "fish", "zsh"])
