"""The arguments and examples of the commands that are about this program: explain, docs, help, version, completion."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe.cli.options import add_key
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


SUPPORT_EXAMPLES = """\
examples:
  fairshoe support
      versions and settings, into fairshoe-support.tar.gz
  fairshoe support /dev/ttyACM0 --log gateway.log
      with state, meters and link counters of a shoe, and the end of a log
  fairshoe support --journal table-7.journal --board my-board.json
      with the records of an export that are not about rounds

It prints what is in the archive. No key, seed, token or password is: key and
token files are not read into it, and long words of digits are taken out of
logs. Look through it before you send it.
"""


def add_support(command: argparse.ArgumentParser) -> None:
    command.description = "Writes one archive that you can attach to a report."
    command.epilog = SUPPORT_EXAMPLES
    command.add_argument("port", nargs="?", metavar="PORT", help="a shoe to ask; without it none is asked")
    add_key(command)
    command.add_argument("--journal", metavar="EXPORT", help="what `fairshoe journal pull` wrote")
    command.add_argument("--log", metavar="FILE", help="a log, of which the last 500 lines go along")
    command.add_argument("--board", help="the board's name or .json file")
    command.add_argument("--rounds", action="store_true", help="events about decks and rounds too")
    command.add_argument(
        *("-o", "--out"), default="fairshoe-support.tar.gz", metavar="FILE", help="a new file (%(default)s)"
    )


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
