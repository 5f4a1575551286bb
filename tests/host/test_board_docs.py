"""docs/BOARDS.md and the configs say the same: each value in a table is the config's, and no number is left out."""

import re
from pathlib import Path
from typing import Any

import pytest

from fairshoe import board_checks, boards

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "BOARDS.md").read_text()
NAMES = boards.board_names()
CONFIGS = {name: boards.load_board(name)[0] for name in NAMES}


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    section = re.split(r"^## ", TEXT.partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    assert lines, heading
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def as_written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value)


def stated(board: str) -> dict[str, str]:
    """What the table of a board says: full name of each number and its value."""
    found: dict[str, str] = {}
    for keys, values, *_source in rows(board):
        names = re.findall("`([^`]+)`", keys)
        for name, value in zip(names, values.split(", "), strict=True):
            full = name if "." in name else f"mechanism.{name}"
            assert full not in found, f"{board}: {full} twice"
            found[full] = value
    return found


def leaves(config: dict[str, Any]) -> dict[str, object]:
    sections: dict[str, dict[str, object]] = {name: part for name, part in config.items() if isinstance(part, dict)}
    return {f"{name}.{key}": value for name, part in sections.items() for key, value in part.items()}


def pins() -> dict[str, dict[str, str]]:
    """By board what the table of pins says, without what a board does not have."""
    head = next(line for line in TEXT.splitlines() if line.startswith("| line | pico-"))
    boards_in_order = [cell.strip() for cell in head.strip("|").split("|")][1:]
    assert sorted(boards_in_order) == NAMES
    table: dict[str, dict[str, str]] = {name: {} for name in NAMES}
    for line, *cells in rows("Pins"):
        for name, cell in zip(boards_in_order, cells, strict=True):
            if cell != "-":
                table[name][line.strip("`")] = cell
    return table


@pytest.mark.parametrize("board", NAMES)
def test_every_value_in_the_docs_is_that_of_the_config(board: str) -> None:
    config = leaves(CONFIGS[board])
    for name, value in stated(board).items():
        assert name in config, name
        assert value == as_written(config[name]), name
    for name, value in pins()[board].items():
        pin: Any = config[name]
        assert value == (f"x{pin['expander']}" if isinstance(pin, dict) else str(pin)), name


@pytest.mark.parametrize("board", NAMES)
def test_every_number_of_the_config_is_in_the_docs(board: str) -> None:
    told = stated(board).keys() | pins()[board].keys()
    for name, value in leaves(CONFIGS[board]).items():
        number = isinstance(value, int) and not isinstance(value, bool)
        if number or isinstance(value, dict) or name.startswith(("mechanism.", "link.")):
            assert name in told, name


def test_every_number_says_where_it_comes_from() -> None:
    for board in NAMES:
        for keys, _values, source in rows(board):
            assert source or "`kind`" in keys, f"{board}: {keys}"


def test_the_table_of_lines_is_what_is_checked() -> None:
    kinds = ("carousel", "shelves", "shoe", "draw")
    told: set[str] = set()
    for line, *cells in rows("Which lines a mechanism needs"):
        name = line.strip("`")
        told.add(name)
        group, _, key = name.partition(".")
        for kind, cell in zip(kinds, cells, strict=True):
            if not key:
                assert cell == ("yes" if group in CONFIGS[f"pico-{kind}"] else "no")
                continue
            needed = (board_checks.INPUTS if group == "inputs" else board_checks.OUTPUTS)[kind]
            optional = (*board_checks.OPTIONAL_INPUTS, *board_checks.OPTIONAL_OUTPUTS)
            other = "full" if key in ("opacity", "dark") else "may" if key in optional else "no"
            assert cell == ("yes" if key in needed else other), f"{name} {kind}"
    from firmware.image import INPUTS, OUTPUTS

    lines = {f"inputs.{name}" for name in INPUTS} | {f"outputs.{name}" for name in OUTPUTS}
    assert told - {"axis"} == {name for name in lines if not re.search(r"\.(button|lamp|key)_", name)}


def test_the_pins_used_are_as_many_as_the_docs_say() -> None:
    for board, words in (
        ("pico-carousel", "Uses all 26 pins"),
        ("pico-shelves", "Uses all 26 pins"),
        ("pico-shoe", "19 pins"),
        ("pico-draw", "15 pins"),
    ):
        others = ("link.uart", "nv.spi", "expander.i2c", "expander.address")
        used = [pin for line, pin in pins()[board].items() if pin.isdigit() and line not in others]
        assert words in TEXT.partition(f"\n## {board}\n")[2].partition("\n| number")[0], board
        assert str(len(used)) in words, board
