"""Board configs: found by name or path, checked against the schema and against what can work."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]

from fairshoe import _device
from fairshoe.errors import BoardError

Config = dict[str, Any]

# Raspberry Pi Pico: 23, 24, 25 and 29 serve the board itself and are not on its edge.
_RP2_FREE = frozenset(range(23)) | {26, 27, 28}
# RP2040 datasheet, table of GPIO functions.
_RP2_FUNCTIONS: dict[str, frozenset[int]] = {
    "uart0 tx": frozenset({0, 12, 16, 28}),
    "uart0 rx": frozenset({1, 13, 17}),
    "uart1 tx": frozenset({4, 8, 20}),
    "uart1 rx": frozenset({5, 9, 21}),
    "spi0 miso": frozenset({0, 4, 16, 20}),
    "spi0 sck": frozenset({2, 6, 18, 22}),
    "spi0 mosi": frozenset({3, 7, 19}),
    "spi1 miso": frozenset({8, 12, 28}),
    "spi1 sck": frozenset({10, 14, 26}),
    "spi1 mosi": frozenset({11, 15, 27}),
    "i2c0 sda": frozenset({0, 4, 8, 12, 16, 20, 28}),
    "i2c0 scl": frozenset({1, 5, 9, 13, 17, 21}),
    "i2c1 sda": frozenset({2, 6, 10, 14, 18, 22, 26}),
    "i2c1 scl": frozenset({3, 7, 11, 15, 19, 27}),
}


def folder() -> Path:
    return _device.root() / "board_configs"


def board_names() -> list[str]:
    return sorted(path.stem for path in folder().glob("*.json") if path.stem != "schema")


def load_board(name: str) -> tuple[Config, int]:
    """The checked config of a board (a name, or the path of a JSON file) and its CRC-32, which the device reports."""
    path = Path(name) if name.endswith(".json") else folder() / f"{name}.json"
    try:
        raw = path.read_bytes()
    except OSError as error:
        known = ", ".join(board_names())
        raise BoardError(
            f"no board {name!r}: {error.strerror or error}.",
            f"Known boards: {known}; or give the path of a .json file.",
        ) from error
    try:
        config = json.loads(raw)
    except ValueError as error:
        raise BoardError(f"{path}: not JSON: {error}.", "Correct the file at that place.") from error
    problems = check_board(config)
    if problems:
        raise BoardError(
            f"{path}: " + "; ".join(problems) + ".", "Correct the file; board_configs/schema.json describes it."
        )
    return config, zlib.crc32(raw)


def check_board(config: object) -> list[str]:
    """Everything that is wrong with a config, in plain words; empty if it can work."""
    schema = json.loads((folder() / "schema.json").read_text())
    validate = cast(Callable[[object], object], fastjsonschema.compile(schema))
    try:
        validate(config)
    except fastjsonschema.JsonSchemaValueException as error:
        return [str(error.message).replace("data.", "", 1)]
    checked = cast(Config, config)
    return [*_pin_problems(checked), *_mechanism_problems(checked["mechanism"])]


def _pins(config: Config) -> Iterator[tuple[str, int, str]]:
    """Every pin in use: what for, which, and the peripheral function it needs ("" for plain GPIO)."""
    link, nv, expander = config["link"], config["nv"], config["expander"]
    for word in ("tx", "rx"):
        yield f"link.{word}", link[word], f"uart{link['uart']} {word}"
    for group in ("inputs", "outputs"):
        for name, pin in config[group].items():
            if isinstance(pin, int):
                yield f"{group}.{name}", pin, ""
    for name, pin in config["axis"].items():
        yield f"axis.{name}", pin, ""
    for word in ("sck", "mosi", "miso"):
        yield f"nv.{word}", nv[word], f"spi{nv['spi']} {word}"
    yield "nv.cs", nv["cs"], ""
    for word in ("sda", "scl"):
        yield f"expander.{word}", expander[word], f"i2c{expander['i2c']} {word}"


def _pin_problems(config: Config) -> Iterator[str]:
    users: dict[int, str] = {}
    for user, pin, function in _pins(config):
        if pin not in _RP2_FREE:
            yield f"{user}: GPIO {pin} is not on the edge of a {config['mcu']['board']}"
        elif function and pin not in _RP2_FUNCTIONS[function]:
            choice = ", ".join(map(str, sorted(_RP2_FUNCTIONS[function])))
            yield f"{user}: GPIO {pin} cannot be {function}; possible: {choice}"
        if pin in users:
            yield f"GPIO {pin} is used twice, for {users[pin]} and for {user}"
        users.setdefault(pin, user)
    bits: dict[int, str] = {}
    for group in ("inputs", "outputs"):
        for name, pin in config[group].items():
            if not isinstance(pin, int):
                bit = pin["expander"]
                if bit in bits:
                    yield f"expander bit {bit} is used twice, for {bits[bit]} and for {group}.{name}"
                bits.setdefault(bit, f"{group}.{name}")


def _mechanism_problems(mech: Config) -> Iterator[str]:
    order = ("throat_a_um", "throat_b_um", "nip_um", "card_um")
    for first, second in pairwise(order):
        if mech[first] >= mech[second]:
            yield f"mechanism.{first} {mech[first]} must lie before {second} {mech[second]}"
    stop_um = mech["transport_um_per_ms"] * mech["scan_ms_max"] + mech["brake_um"]
    margin_um = mech["throat_b_um"] - mech["throat_a_um"]
    if margin_um < stop_um:
        yield (
            f"a staged card can run into the mouth: it needs {stop_um} um to stop (speed x worst scan + braking)"
            f" and has {margin_um} um between throat A and B"
        )
    if mech["pick_latency_us_min"] > mech["pick_latency_us_max"]:
        yield "mechanism.pick_latency_us_min is above pick_latency_us_max"
    if mech["slot_beam_slots"] >= mech["slot_count"]:
        yield f"mechanism.slot_beam_slots {mech['slot_beam_slots']} is not on a carousel of {mech['slot_count']} slots"
