"""The command line: builds the parser, runs one command, and turns every error into a message and an exit status."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from fairshoe import __version__
from fairshoe.cli.registry import COMMANDS, GROUPS, load_command
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.printable import printable

EXIT_CLOSED_PIPE = 1
EXIT_INTERNAL = 70  # as sysexits.h has it: the program contradicts itself
EXIT_IO = 74
EXIT_INTERRUPTED = 130
_INDENT = " " * len("fairshoe: ")


_EXAMPLES = """\
examples:
  fairshoe demo                          rounds on a simulated shoe, a short deck and a jam among them
  fairshoe sim                           a simulated shoe on a serial device path; type `load 52`, `press green`
  fairshoe monitor /dev/ttyACM0          what a shoe is doing, live
  fairshoe COMMAND --help                more about one of them, with examples

exit status: 0 done, 1 it went wrong, 2 usage, 130 interrupted; `fairshoe --exit-codes` lists all.
More: docs/CLI.md.
"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong and what to do next, as everything here does, in place of a usage line and an error."""

    def error(self, message: str) -> NoReturn:
        what = _plain(message)
        raise UsageError(what if what.endswith("?") else f"{what}.", f"See {self.prog} --help.")


def _plain(message: str) -> str:
    """Argparse's words for a mistake, with the nearest word there is in place of the list of all."""
    found = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message)
    if not found:
        return message
    known = [word.strip("' ") for word in found[2].split(",")]
    near = difflib.get_close_matches(found[1], known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    return f"{message[: found.start()].removeprefix('argument COMMAND: ')}there is no {found[1]!r}; {hint}"


def parser(*names: str) -> Parser:
    """The parser with the arguments of these commands; of the others it knows the names."""
    top = Parser(prog="fairshoe", formatter_class=argparse.RawDescriptionHelpFormatter, usage="fairshoe COMMAND ...")
    top.add_argument("--version", action="version", version=f"fairshoe {__version__}")
    top.add_argument("--exit-codes", action=_ExitCodes, nargs=0, help="list what each exit status means")
    commands = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", prog="fairshoe", help=argparse.SUPPRESS
    )
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=about)
        if name in names:
            load_command(name).add_arguments(command)
        if command.epilog:  # examples keep their lines
            command.formatter_class = argparse.RawDescriptionHelpFormatter
    texts = [
        f"{title}:\n" + "".join(f"  {name:14s} {about}\n" for name, about in group.items())
        for title, group in GROUPS.items()
    ]
    top.description = "Host tools for fairshoe card shoes and shufflers.\n\n" + "\n".join(texts)
    top.epilog = _EXAMPLES
    for each in _all_parsers(top):
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
    """What may stand before the command and behind it."""
    each.add_argument("--debug", action="store_true", default=default or False, help="show where an error comes from")
    each.add_argument("--config", dest="config_file", metavar="FILE", default=default, help="settings: fairshoe config")


# --- exit codes ----------------------------------------------------------------------------------


def exit_codes() -> dict[int, str]:
    """Every status this command line ends with, in words: from the errors of all modules."""
    for name in COMMANDS:
        load_command(name)
    words: dict[int, list[str]] = {}
    for kind in [FairshoeError, *_subclasses(FairshoeError)]:
        text = (kind.__doc__ or "").split(";")[0].split("\n")[0].strip().rstrip(".")
        words.setdefault(kind.exit_code, []).append(text[:1].lower() + text[1:])
    found = {code: "; or ".join(dict.fromkeys(texts)) for code, texts in words.items()}
    found |= {
        0: "done",
        1: "it went wrong, as the output says; or whoever read the output has gone",
        EXIT_INTERNAL: "a mistake of this program: please report it",
        EXIT_IO: "something could not be read or written",
        EXIT_INTERRUPTED: "interrupted",
    }
    return dict(sorted(found.items()))


def _subclasses(kind: type[FairshoeError]) -> Iterator[type[FairshoeError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


class _ExitCodes(argparse.Action):
    """Prints them and ends, as --version does."""

    def __call__(self, parser: argparse.ArgumentParser, *_given: Any) -> None:
        for code, words in exit_codes().items():
            print(f"{code:3d}  {words}")
        parser.exit()


# --- running one ---------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed()
    try:
        options = parser(*_commands_in(given)).parse_args(given)
        code = load_command(options.command).run(options)
        sys.stdout.flush()  # here, where a closed pipe or a full disk can still be told
        return code
    except BrokenPipeError:
        _forget_output()
        return EXIT_CLOSED_PIPE
    except (Exception, KeyboardInterrupt) as error:
        if "--debug" in given:
            print("\n".join(map(printable, traceback.format_exc().splitlines())), file=sys.stderr)
        return _tell(error)


def _commands_in(given: Sequence[str]) -> list[str]:
    """The command that is called. Behind options that are not known here it can be any word that names one."""
    at = 0
    while at < len(given) and given[at].startswith("--"):
        at += 2 if given[at] == "--config" else 1
    first = given[at] if at < len(given) else ""
    return [first] if first in COMMANDS else [word for word in given if word in COMMANDS]


def _tell(error: BaseException) -> int:
    """One message that says what happened and what to do next; the exit code."""
    if isinstance(error, FairshoeError):
        what, advice, code = error.what, error.advice, error.exit_code
    elif isinstance(error, KeyboardInterrupt):
        what, advice, code = "interrupted", "", EXIT_INTERRUPTED
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("\n")
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        what, code = f"{place}{error.strerror or error}.", EXIT_IO
        advice = "Check that it exists, that it is yours to use, and that there is room for it."
        _forget_output()
    else:
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        what, code = f"a mistake inside fairshoe: {type(error).__name__}: {error}{place}.", EXIT_INTERNAL
        advice = "Please report it with what --debug prints before it, your command line and `fairshoe --version`."
    with contextlib.suppress(OSError, ValueError):  # standard error may be closed; the exit status remains
        print(f"fairshoe: {_one_line(what)}" + (f"\n{_INDENT}{_one_line(advice)}" if advice else ""), file=sys.stderr)
        sys.stderr.flush()
    return code


def _one_line(text: str) -> str:
    """What went wrong quotes files and devices, and those say what they like."""
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
