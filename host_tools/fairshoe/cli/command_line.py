"""The command line: builds the parser, runs one command, and turns every error into a message and an exit status."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import textwrap
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from fairshoe import __version__
from fairshoe.cli.registry import ABOVE, COMMANDS, EVERY_DAY, GROUPS, add_arguments, load_command, path_of
from fairshoe.errors import Exit, FairshoeError, UsageError, nearest
from fairshoe.printable import printable, say

_INDENT = " " * len("fairshoe: ")

_EXAMPLES = """\
examples:
  fairshoe demo                    play rounds on a simulated shoe
  fairshoe sim                     run a simulated shoe, with you as the dealer
  fairshoe monitor                 show what the attached shoe is doing
  fairshoe help monitor            explain one command, with examples
  fairshoe --help --all            list every command
  fairshoe docs QUICKSTART         read a page of the documentation

PORT is a serial device or a URL. Leave it out if one shoe is attached.
Exit status: 0 done, 1 negative result, 2 usage; all: fairshoe --exit-codes
"""


class Parser(argparse.ArgumentParser):
    """Reports a mistake with the next step, and takes options and arguments in any order."""

    _inside = False

    def error(self, message: str) -> NoReturn:
        what = _plain(message)
        raise UsageError(what if what.endswith("?") else f"{what}.", f"See {self.prog} --help.")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Intermixed, so that `deal PORT --yes 5` is `deal PORT 5 --yes`; argparse does so without subcommands only."""
        if self._inside or inner_parsers(self):
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False


def _plain(message: str) -> str:
    """argparse's message; a wrong choice names the nearest valid one instead of all."""
    found = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message)
    if not found:
        return message
    known = [word.strip("' ") for word in found[2].split(",")]
    near = " ".join(path_of(found[1])) if found[1] in ABOVE else nearest(found[1], known)
    hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
    return f"{message[: found.start()].removeprefix('argument COMMAND: ')}there is no {found[1]!r}; {hint}"


def parser(*names: str, everything: bool = False) -> Parser:
    """The parser with the arguments of these commands; of the others it knows the names. Its help lists what is for
    every day, or everything."""
    top = Parser(prog="fairshoe", formatter_class=argparse.RawDescriptionHelpFormatter, usage="fairshoe COMMAND ...")
    top.add_argument("--version", action="version", version=f"fairshoe {__version__}")
    top.add_argument("--exit-codes", action=_ExitCodes, nargs=0, help="list what each exit status means")
    top.add_argument("--all", action="store_true", help="list every command, not those of every day alone")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", prog="fairshoe", help=argparse.SUPPRESS)
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=about)
        if name in names:
            add_arguments(command, name)
    groups = GROUPS if everything else {"for every day": {name: COMMANDS[name] for name in EVERY_DAY}}
    texts = [
        f"{title}:\n" + "".join(f"  {name:14s} {about}\n" for name, about in group.items())
        for title, group in groups.items()
    ]
    top.description = "Host tools for fairshoe card shoes and shufflers.\n\n" + "\n".join(texts)
    top.epilog = _EXAMPLES
    for each in _all_parsers(top):
        if each is not top and each.description:
            each.description = textwrap.fill(each.description, 79, break_on_hyphens=False)
        each.formatter_class = argparse.RawDescriptionHelpFormatter  # examples keep their lines
        _add_everywhere(each, default=None if each is top else argparse.SUPPRESS)
    return top


def full_parser() -> Parser:
    """With the arguments of every command: for completion scripts and the checks of the documentation."""
    return parser(*COMMANDS)


def _all_parsers(top: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield top
    for choices in inner_parsers(top):
        for each in choices.values():
            yield from _all_parsers(each)


def inner_parsers(each: Any) -> list[dict[str, argparse.ArgumentParser]]:
    """The commands below one, by name: argparse has no public way to its own parts."""
    return [action.choices for action in each._actions if hasattr(action.choices, "values")]


def _add_everywhere(each: argparse.ArgumentParser, default: Any) -> None:
    """Options that may stand before the command and after it."""
    each.add_argument("--debug", action="store_true", default=default or False, help="show the traceback of an error")
    each.add_argument("--config", dest="config_file", metavar="FILE", default=default, help="the settings file")


class _ExitCodes(argparse.Action):
    """Print all exit statuses and end, as --version does."""

    def __call__(self, parser: argparse.ArgumentParser, *_given: Any) -> None:
        for code in Exit:
            say(textwrap.fill(code.meaning, 79, initial_indent=f"{code:3d}  ", subsequent_indent="     "))
        parser.exit()


# --- running one ---------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed()
    try:
        options = parse(given)
        code = load_command(options.command).run(options)
        sys.stdout.flush()  # here, where a closed pipe or a full disk can still be reported
        return code
    except BrokenPipeError:
        _forget_output()
        return Exit.FAILED
    except (Exception, KeyboardInterrupt) as error:
        if "--debug" in given:
            say("\n".join(map(printable, traceback.format_exc().splitlines())), file=sys.stderr)
        return _report(error)


def parse(given: Sequence[str]) -> argparse.Namespace:
    """The arguments of one command; without a command, those of `start` in a terminal, and of `help` elsewhere."""
    top = parser(*_commands_in(given), everything="--all" in given)
    options, unknown = top.parse_known_args(given)
    if unknown:
        parser_of(top, [*path_of(options.command or ""), getattr(options, "action", None) or ""]).error(
            f"unknown argument{'s' if len(unknown) > 1 else ''}: {' '.join(unknown)}"
        )
    if options.command:
        return options
    if options.all:
        return parse(["help", "--all"])
    return parse(["start" if not given and sys.stdin.isatty() and sys.stdout.isatty() else "help"])


def parser_of(top: argparse.ArgumentParser, names: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of a command and its subcommand, as far as these names lead."""
    for name in names:
        top = next((choices[name] for choices in inner_parsers(top) if name in choices), top)
    return top


def _commands_in(given: Sequence[str]) -> list[str]:
    """The command that is called. After unknown options it can be any word that names one."""
    at = 0
    while at < len(given) and given[at].startswith("--"):
        at += 2 if given[at] == "--config" else 1
    first = given[at] if at < len(given) else ""
    return [first] if first in COMMANDS else [word for word in given if word in COMMANDS]


def _report(error: BaseException) -> int:
    """One message that says what happened and what to do next; the exit code."""
    if isinstance(error, FairshoeError):
        what, advice, code = error.what, error.advice, error.exit_code
    elif isinstance(error, KeyboardInterrupt):
        what, advice, code = "interrupted", "", Exit.INTERRUPTED
        with contextlib.suppress(OSError, ValueError):
            say(file=sys.stderr)
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        what, code = f"{place}{error.strerror or error}.", Exit.STORAGE
        advice = "Check that it exists, that it is yours to use, and that there is room for it."
        _forget_output()
    else:
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        what, code = f"internal error: {type(error).__name__}: {error}{place}.", Exit.INTERNAL
        advice = "Please report it with what --debug prints before it, your command line and `fairshoe --version`."
    with contextlib.suppress(OSError, ValueError):  # standard error may be closed; the exit status remains
        say(f"fairshoe: {_one_line(what)}" + (f"\n{_INDENT}{_one_line(advice)}" if advice else ""), file=sys.stderr)
        sys.stderr.flush()
    return code


def _one_line(text: str) -> str:
    """Messages quote files and devices, whose text may contain line ends and control characters."""
    return printable(" ".join(text.splitlines()))


def _open_closed() -> None:
    """A shell may start us with closed streams (`<&-`); what is read or written there then is nothing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _forget_output() -> None:
    """Redirect output that cannot be written (closed pipe, full disk), so that the exit is quiet."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


if __name__ == "__main__":
    sys.exit(main())
