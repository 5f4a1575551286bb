"""docs/BOARDS.md, docs/WIRING.md and the configs say the same: each value is the config's, no number is left out."""

import re
from html import escape
from pathlib import Path
from typing import Any

import pytest
from wiring import page as wiring
from wiring import svg
from wiring.__main__ import main

from fairshoe.boards import configs

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "BOARDS.md").read_text()
CONFIGS = {name: configs.load_board(name)[0] for name in configs.board_names()}
NAMES = [name for name in CONFIGS if configs.is_reference(name)]


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


def wired(board: str) -> set[str]:
    """What docs/WIRING.md tells of a board."""
    buses = {"link.uart", "nv.spi", "expander.i2c", "expander.address", "display.address"}
    return {row[0] for row in wiring.rows(CONFIGS[board])} | buses


@pytest.mark.parametrize("board", NAMES)
def test_every_value_in_the_docs_is_that_of_the_config(board: str) -> None:
    config = leaves(CONFIGS[board])
    for name, value in stated(board).items():
        assert name in config, name
        assert value == as_written(config[name]), name


@pytest.mark.parametrize("board", NAMES)
def test_every_number_of_the_config_is_in_the_docs(board: str) -> None:
    told = stated(board).keys() | wired(board)
    for name, value in leaves(CONFIGS[board]).items():
        number = isinstance(value, int) and not isinstance(value, bool)
        if number or isinstance(value, dict) or name.startswith(("mechanism.", "link.")):
            assert name in told, name


def test_every_number_says_where_it_comes_from() -> None:
    for board in NAMES:
        for keys, _values, source in rows(board):
            assert source or "`kind`" in keys, f"{board}: {keys}"


# --- the Pico 2 --------------------------------------------------------------------------------


def test_boards_on_a_pico_2_differ_in_what_their_table_says_and_in_pins() -> None:
    told: set[str] = set()
    for names, *cells, _why in rows("The Pico 2"):
        for name in names.split(", "):
            told.add(name)
            config, reference = CONFIGS[name], CONFIGS[f"pico-{name.partition('-')[2]}"]
            entropy = config["entropy"]
            assert cells == [
                config["mcu"]["port"],
                config["mcu"]["board"],
                entropy["source"],
                as_written(entropy["millibits_per_byte"]),
            ]
            assert config["mechanism"] == reference["mechanism"], name
            assert config.get("game") == reference.get("game"), name
            assert config["nv"]["bytes"] == reference["nv"]["bytes"], name
            for key in ("baud", "mode", "clear_ack"):
                assert config["link"][key] == reference["link"][key], name
            for group in ("inputs", "outputs"):
                assert config[group].keys() == reference[group].keys(), name
    assert told == CONFIGS.keys() - set(NAMES)


# --- wiring ------------------------------------------------------------------------------------


def test_the_page_and_the_pictures_of_wiring_are_what_the_configs_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("board", CONFIGS)
def test_a_picture_shows_every_line_at_its_pin_and_nothing_else(board: str) -> None:
    config = CONFIGS[board]
    drawn = svg.parts(config)
    rows = [row for part in drawn for row in part.left + part.right if row.group not in ("", "power", "mcu")]
    wired = {row[0]: row for row in wiring.rows(config)}
    assert sorted(row.end for row in rows) == sorted(svg.ENDS[line] for line in wired)
    by_end = {row.end: row for row in rows}
    for line, (_line, pin, place, *_rest) in wired.items():
        row = by_end[svg.ENDS[line]]
        where = {row.name, row.number, f"pin {row.number}", row.name.partition(" ")[0]}
        assert {pin, place, pin.removeprefix("GPIO ")} & where, line
        if board.startswith("pico") and pin.startswith("GPIO"):
            assert (row.number, row.name) == (place.removeprefix("pin "), pin.replace("GPIO ", "GP")), line
    picture = svg.picture(config)
    assert all(f">{escape(row.end)}<" in picture for row in rows)


@pytest.mark.parametrize("board", CONFIGS)
def test_every_line_of_a_board_is_wired_once_and_every_pin_has_a_place(board: str) -> None:
    config = CONFIGS[board]
    found = wiring.rows(config)
    lines = [row[0] for row in found]
    wanted = [f"{group}.{name}" for group in ("inputs", "outputs", "axis") for name in config.get(group, {})]
    assert len(set(lines)) == len(lines)
    assert set(wanted) <= set(lines)
    assert len({row[1] for row in found}) == len(found)
    assert all(all(row) for row in found)
    page = wiring.page()
    assert len(re.findall(rf"^## .*\b{board}\b", page, re.MULTILINE)) == 1
