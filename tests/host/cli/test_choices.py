"""Each list of words that the command line lets a user choose of is compared with the one it is of; a new list must be
named here. So are the lists that pages and the JavaScript client have."""

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from fairshoe import messages
from fairshoe.arguments import table
from fairshoe.bringup import guide
from fairshoe.cli import command_line, shell_completion
from fairshoe.messages import Mode, Part, Role
from fairshoe.sim import setup
from fairshoe_floor.api.tokens import SCOPES
from fairshoe_table.books import rack, report
from fairshoe_table.books.books import Books
from hal.sim import faults

TOOLS = Path(__file__).resolve().parents[3] / "host_tools"
DRIVING = {Role.TABLE, Role.SERVICE}


def words(members: Iterable[messages.Role | messages.Mode | messages.Part]) -> set[str]:
    return {it.name.lower() for it in members if it.name != "UNRECOGNISED"}


SOURCES: dict[str, set[str]] = {
    "bench --role": words({*DRIVING, Role.RECORDER}),
    "bringup --from": set(guide.STEPS),
    "command --role": words(DRIVING),
    "completion shell": set(shell_completion.SHELLS),
    "deal --role": words(DRIVING),
    "floor inventory token --scope": set(SCOPES),
    "proof noise --simulate": {"good", *map(str, faults.CHOICES["entropy.kind"])},
    "round --role": words(DRIVING),
    "serviced part": {it.replace("_", "-") for it in words(Part)} - {"none"},
    "shuffle --role": words(DRIVING),
    "sim --dealer": set(setup.DEALERS),
    "sim --mode": words(Mode),
    "table rack kind": set(rack.KINDS),
}
OWN = {"floor dead-letters what", "floor gaps what", "scenario run --vm", "table books what"}  # of no other place


def choices(parser: argparse.ArgumentParser, path: str = "") -> Iterator[tuple[str, set[str]]]:
    """Every argument of a command that is one of some words."""
    inner = command_line.inner_parsers(parser)
    for name, each in (item for found in inner for item in found.items()):
        yield from choices(each, f"{path}{name} ")
    if inner:
        return
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if action.choices is not None:
            yield path + (action.option_strings or [action.dest])[0], set(action.choices)


def test_each_list_of_words_on_the_command_line_is_that_of_its_source() -> None:
    found = dict(choices(command_line.full_parser()))
    assert {name: listed for name, listed in found.items() if name not in OWN} == SOURCES
    assert found.keys() == SOURCES.keys() | OWN


@pytest.mark.parametrize("what", sorted(set(table.BOOKS) - {"shift"}))
def test_the_books_have_an_answer_to_every_word(what: str, tmp_path: Path) -> None:
    with Books(tmp_path / "books.db") as books:
        assert not report.look(books, what, 0, "").wrong


JAVASCRIPT: dict[str, tuple[str, tuple[str, ...]]] = {
    "fairshoe-js/src/keys.js": ("ROLES", tuple(it.name.lower() for it in Role if it is not Role.UNRECOGNISED)),
    "fairshoe/web/page/shoe_view.js": ("ZONES", messages.ZONES),
}


@pytest.mark.parametrize("file", JAVASCRIPT)
def test_each_list_of_words_in_javascript_is_that_of_its_source(file: str) -> None:
    name, listed = JAVASCRIPT[file]
    (text,) = re.findall(rf"^(?:export )?const {name} = \[(.*?)\];", (TOOLS / file).read_text(), re.MULTILINE)
    assert tuple(re.findall(r"'(\w+)'", text)) == listed
