"""Board configs: the reference one is good, and each mistake is refused with a message that names it."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from fairshoe import boards
from fairshoe.errors import BoardError

GOOD: dict[str, Any] = boards.load_board("pico-carousel")[0]


def changed(path: str, value: object) -> dict[str, Any]:
    config = copy.deepcopy(GOOD)
    place: Any = config
    *way, last = path.split(".")
    for word in way:
        place = place[word]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return config


def test_every_shipped_board_is_good() -> None:
    assert "pico-carousel" in boards.board_names()
    for name in boards.board_names():
        config, crc = boards.load_board(name)
        assert config["name"] == name
        assert crc


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("inputs.exit", 40, "inputs.exit"),
        ("inputs.exit", 23, "inputs.exit: GPIO 23 is not on the edge"),
        ("inputs.exit", 3, "GPIO 3 is used twice, for inputs.throat_a and for inputs.exit"),
        ("inputs.exit", None, "exit"),
        ("inputs.exitt", 22, "exitt"),
        ("outputs.lamp_red", {"expander": 4}, "expander bit 4 is used twice"),
        ("link.tx", 5, "GPIO 5 cannot be uart0 tx; possible: 0, 12, 16, 28"),
        ("nv.sck", 22, ""),
        ("nv.mosi", 22, "cannot be spi0 mosi"),
        ("expander.sda", 28, "cannot be i2c1 sda"),
        ("mechanism.slot_count", 53, "slot_count"),
        ("mechanism.throat_a_um", 40000, "needs 7800 um to stop"),
        ("mechanism.throat_a_um", 46000, "must lie before throat_b_um"),
        ("mechanism.pick_latency_us_min", 50000, "pick_latency_us_min"),
        ("mechanism.slot_beam_slots", 60, "slot_beam_slots"),
        ("mechanism.card_um", "long", "card_um"),
        ("mcu.port", "z80", "port"),
    ],
)
def test_a_config_that_cannot_work_is_refused_by_name(path: str, value: object, words: str) -> None:
    problems = "; ".join(boards.check_board(changed(path, value)))
    assert words in problems
    assert bool(problems) == bool(words)


def test_an_unknown_board_names_the_known_ones() -> None:
    with pytest.raises(BoardError, match=r"Known boards: .*pico-carousel"):
        boards.load_board("nope")


def test_a_file_that_is_not_json_says_where(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text('{"name": oops}')
    with pytest.raises(BoardError, match="line 1 column 10"):
        boards.load_board(str(path))


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    config = changed("inputs.exit", 3)
    config["link"]["tx"] = 5
    path = tmp_path / "board.json"
    path.write_text(json.dumps(config))
    with pytest.raises(BoardError) as caught:
        boards.load_board(str(path))
    assert "used twice" in caught.value.what
    assert "uart0 tx" in caught.value.what
