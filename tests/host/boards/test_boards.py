"""Board configs: every shipped one is good, and a file of the wrong shape is refused with a message that names it."""

import itertools
import json
import zlib
from pathlib import Path
from typing import Any, cast

import built_once
import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]
import other
import pytest
from in_process import output

from fairshoe.boards import configs, lines
from fairshoe.boards.ports import PORTS
from fairshoe.cli import command_line
from fairshoe.commands import bench
from fairshoe.errors import BoardError, UsageError
from fairshoe.games import profiles
from fairshoe.ship.game_fit import play_problem
from fairshoe.ship.import_closure import chosen_by_name
from firmware import image

ROOT = Path(__file__).resolve().parents[3]
GOOD: dict[str, Any] = configs.load_board("pico-carousel")[0]


def changed(path: str, value: object) -> dict[str, Any]:
    return other.changed(GOOD, {path: value})


def test_every_shipped_board_is_good() -> None:
    assert configs.board_names()[:4] == ["pico-carousel", "pico-draw", "pico-shelves", "pico-shoe"]
    for name in configs.board_names():
        config, crc = configs.load_board(name)
        assert config["name"] == name
        assert name.partition("-")[2] == config["mechanism"]["kind"]
        assert crc


def test_the_crc_of_a_board_is_that_of_the_file_on_its_device(tmp_path: Path) -> None:
    config, crc = configs.load_board(built_once.BOARD)
    assert crc == zlib.crc32(built_once.built().files["board.json"])
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"$schema": "schema.json", **config}, indent=7))
    assert configs.load_board(str(path))[1] == crc == configs.inspect_board(str(path)).crc


def test_a_device_is_known_by_its_crc_whatever_game_was_chosen_for_it() -> None:
    flashed = zlib.crc32(configs.device_bytes({**configs.load_board(built_once.BOARD)[0], "game": "boston-5-stud"}))
    assert bench._board_by_crc(flashed) == built_once.BOARD  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(UsageError, match="no board here has the CRC that it states"):
        bench._board_by_crc(flashed ^ 1)  # pyright: ignore[reportPrivateUsage]


def test_no_two_boards_and_games_have_one_crc() -> None:
    names = profiles.game_names()
    found = [crc for board in configs.board_names() for crc in configs.device_crcs(configs.load_board(board)[0], names)]
    assert len(set(found)) == len(found)


def test_the_schema_alone_accepts_what_is_shipped() -> None:
    """For editors and other tools, which do not have our own checks."""
    validate = cast(Any, fastjsonschema).compile(json.loads((ROOT / "board_configs" / "schema.json").read_text()))
    for name in configs.board_names():
        validate(configs.load_board(name)[0])
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        validate(changed("mechanism.kind", "draw"))


def test_the_firmware_picks_among_the_ports_of_the_table() -> None:
    chosen = chosen_by_name(ROOT / "firmware" / "main.py", ROOT)
    assert chosen == {name: f"hal.{name}.port" for name in PORTS}
    assert {config["mcu"]["port"] for config, _crc in map(configs.load_board, configs.board_names())} == set(PORTS)


@pytest.mark.parametrize("group", lines.GROUPS)
def test_firmware_and_schema_have_the_lines_of_the_table(group: str) -> None:
    """Names in one order, the number of each, and on the schema's side whether it may be on the expander."""
    rows = lines.GROUPS[group]
    assert getattr(image, group.upper()) == tuple(line.name for line in rows)
    properties = json.loads((ROOT / "board_configs" / "schema.json").read_text())["properties"][group]["properties"]
    kinds = {line.name: "pin" if line.panel else "gpio" for line in rows}
    assert {name: row["$ref"].rpartition("/")[2] for name, row in properties.items()} == kinds
    prefix = {"inputs": "IN_", "outputs": "OUT_"}[group]
    numbers = {name: value for name, value in vars(image).items() if name.startswith(prefix)}
    short = [line.name.removeprefix("button_").removesuffix("_switch").upper() for line in rows]
    assert numbers == {prefix + name: number for number, name in enumerate(short)}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("mechanism.card_um", "long", 'mechanism.card_um must be integer, not "long"'),
        ("mechanism.card_um", True, "mechanism.card_um must be integer, not true"),
        ("mechanism.card_um", 0, "mechanism.card_um must be bigger than or equal to 1, not 0"),
        ("mechanism.card_um", None, "mechanism.card_um is missing"),
        ("mechanism.feed", "side", "mechanism.feed must be one of ['top', 'bottom'], not \"side\""),
        ("mechanism.kind", "lift", 'mechanism.kind must be one of carousel, shelves, shoe, draw, not "lift"'),
        ("mechanism.kind", None, "mechanism.kind must be one of carousel, shelves, shoe, draw, not null"),
        ("mechanism", [], "mechanism.kind must be one of carousel, shelves, shoe, draw, not null"),
        ("mechanism.draw_ms_max", 3000, "mechanism.draw_ms_max is not known; possible: kind, count_assurance, "),
        ("mcu.port", "z80", f'mcu.port must be one of {[*PORTS]}, not "z80"'),
        ("inputs.exit", 49, "inputs.exit must be smaller than or equal to 48, not 49"),
        ("inputs.exit", "PA3", 'inputs.exit must be integer, not "PA3"'),
        ("inputs.exitt", 22, "inputs.exitt is not known; possible: hopper, throat_a, "),
        ("inputs.door", None, "inputs.door is missing"),
        ("inputs", 3, "inputs must be an object"),
        (
            "inputs.button_ack",
            {"expander": 16},
            'inputs.button_ack must be a GPIO number, 0 to 48, or {"expander": bit 0 to 15}, not {"expander": 16}',
        ),
        ("nv", None, "nv is missing"),
        ("nv.bytes", 8001, "nv.bytes must be multiple of 64"),
        ("sensors", {"recognition": 1}, "sensors.recognition must be boolean, not 1"),
        ("colour", "red", "colour is not known; possible: name, mcu, "),
        ("display", {"kind": "oled", "address": 39}, "display.kind must be one of "),
        ("display", {"kind": "lcd2004"}, "display.address is missing"),
        ("display", {"kind": "lcd2004", "address": 31}, "display.address must be bigger than or equal to 32, not 31"),
        ("display", {"kind": "lcd2004", "address": 64}, "display.address must be smaller than or equal to 63, not 64"),
        ("entropy", None, "entropy is missing"),
        ("entropy.millibits_per_byte", 0, "entropy.millibits_per_byte must be bigger than or equal to 100, not 0"),
        ("entropy.source", "dice", "entropy.source must be one of "),
        ("audit", {"seeds": "publish"}, "audit.seeds must be one of "),
    ],
)
def test_a_config_of_the_wrong_shape_is_refused_in_plain_words(path: str, value: object, message: str) -> None:
    problems = configs.check_board(changed(path, value))
    assert len(problems) == 1, problems
    assert problems[0].startswith(message)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("inputs.hopper", 2.0),
        ("inputs.button_ack", {"expander": 4.0}),
        ("expander.address", 32.0),
        ("link.baud", 115200.0),
        ("nv.bytes", 32768.0),
        ("mechanism.slot_count", 54.0),
        ("mechanism.bounce_us", 1e2),
        ("table", {"decks": 1.0}),
        ("game", {"plan": [1, 4.0]}),
    ],
)
def test_a_whole_number_with_a_point_is_refused_since_it_is_none_on_the_device(path: str, value: object) -> None:
    problems = configs.check_board(changed(path, value))
    assert len(problems) == 1 and problems[0].startswith(path), problems
    assert "whole number, without point or exponent" in problems[0]


def test_what_is_no_object_at_all_is_refused() -> None:
    assert configs.check_board([1]) == ["a board config must be an object"]


def test_an_optional_sensor_and_a_schema_line_for_editors_are_allowed() -> None:
    assert configs.check_board(changed("sensors", {"recognition": True})) == []
    assert configs.check_board(changed("$schema", "schema.json")) == []


def test_an_unknown_board_names_the_known_ones() -> None:
    with pytest.raises(BoardError, match=r"Known boards: .*pico-carousel"):
        configs.load_board("nope")


def test_a_file_that_is_not_json_says_where(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text('{"name": oops}')
    with pytest.raises(BoardError, match="line 1 column 10"):
        configs.load_board(str(path))


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    config = changed("inputs.exit", 3)
    config["link"]["tx"] = 5
    path = tmp_path / "board.json"
    path.write_text(json.dumps(config))
    with pytest.raises(BoardError) as caught:
        configs.load_board(str(path))
    assert "used twice" in caught.value.what
    assert "uart0 tx" in caught.value.what
    config = changed("mechanism.card_um", "long")
    del config["inputs"]["door"]
    assert len(configs.check_board(config)) == 2


def test_a_board_may_name_its_game() -> None:
    assert configs.check_board(changed("game", "caribbean-stud")) == []
    assert configs.check_board(changed("game", {"deck_cards": 40, "plan": [1, 1, 4]})) == []
    assert configs.check_board(changed("game", {"decks": 8})) != []
    assert configs.load_board("pico-shelves")[0]["game"] == {"deck_cards": 384}


def test_a_house_game_may_change_any_two_things_of_the_house() -> None:
    """A name with a code was once taken for a game with rules of its own, and raised KeyError."""
    shape = json.loads((configs.folder() / "schema.json").read_text())["properties"]["game"]["oneOf"][1]["properties"]
    kinds: dict[str, object] = {"string": "MINE", "integer": 5, "array": [2, 2], "boolean": True}
    for pair in itertools.combinations(shape, 2):
        config = changed("game", {name: kinds[shape[name]["type"]] for name in pair})
        assert configs.check_board(config) == [] and play_problem(config) == "", pair


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("bridge", "no game called 'bridge'; there are: boston-5-stud, "),
        ("cover_all", "no game called 'cover_all'; "),
        ("house:deck_cards=40", "no game called 'house:deck_cards=40'; "),
        ("double-attack-blackjack", "game double-attack-blackjack: a deck of 384 cards does not fit 54 slots"),
        ({"deck_cards": 60}, "game of the house: a deck of 60 cards does not fit 54 slots"),
        ({"stack_cards": 53}, "game of the house: profile: a stack of 53 from a deck of 52"),
        ({"code": "\u00e9" * 5}, "game of the house: profile: a code or clause is at most eight ASCII bytes"),
    ],
)
def test_a_game_that_the_machine_cannot_play_is_told_by_the_check(game: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(changed("game", game)))
    assert message in output("config", "check", str(path), code=3)


def test_a_card_reader_that_no_port_drives_is_simulated_and_not_shipped(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(changed("sensors", {"recognition": True})))
    assert configs.load_board(str(path))[0]["sensors"] == {"recognition": True}
    assert "no port drives a card reader yet" in output("config", "check", str(path), code=3)
    assert command_line.main(["firmware", "flash", "--board", str(path)]) == 8
    path.write_text(json.dumps(changed("sensors", {"recognition": False})))
    assert command_line.main(["config", "check", str(path)]) == 0


def test_every_shipped_board_can_play_its_game() -> None:
    assert output("config", "check", *configs.board_names()).count(": good (") == len(configs.board_names())
