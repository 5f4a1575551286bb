"""The pins of each microcontroller board and what each pin can do, from the data sheet and MicroPython's port.

A GPIO is a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Config = dict[str, Any]
Pin = int

# RP2040 and RP2350 data sheets, tables of GPIO functions; what the RP2350 adds (UART on the pins of its handshake) is
# left out.
_RP2_FUNCTIONS: dict[str, frozenset[Pin]] = {
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
# Pins of the boards' edges, in order; 23, 24, 25 and 29 serve the board itself.
_PICO_EDGE = dict(
    zip(
        (*range(23), 26, 27, 28),
        (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 31, 32, 34),
        strict=True,
    )
)

# Erratum RP2040-E5: at each reset of the USB bus the SDK takes GPIO 15 for a millisecond (docs/ERRATA.md).
# A level that rests low stays low meanwhile; a step, a frame or an input would be lost.
_USB_RESET_PIN = {"RP2040": 15}
_RESTING = ("outputs.reverse", "outputs.dark", "outputs.lamp_")

_OUTPUT_BITS = (7, 15)  # MCP23017 data sheet, revision D: GPA7 and GPB7 may upset the bus as inputs


@dataclass(frozen=True)
class Mcu:
    """A board with its chip. `place` says where a GPIO is found, `why` what is wrong with one that must not be used."""

    port: str
    chip: str
    noise: str
    place: Mapping[Pin, str]
    functions: Mapping[str, frozenset[Pin]]
    in_a_row: int  # inputs lie within so many pins, where PIO watches them together
    halted_tx: Pin  # where a device speaks that cannot read its config: hal/boot_main.py


def _pico(chip: str, noise: str) -> Mcu:
    place: dict[Pin, str] = {gpio: f"pin {edge}" for gpio, edge in _PICO_EDGE.items()}
    return Mcu("rp2", chip, noise, place, _RP2_FUNCTIONS, in_a_row=12, halted_tx=0)


MCUS = {
    "Raspberry Pi Pico": _pico("RP2040", "rp2040_rosc"),
    "Raspberry Pi Pico 2": _pico("RP2350", "rp2350_trng"),
}


# What a byte of a source may be taken to be worth, in thousandths of a bit. Policy, not measurement: docs/BOARDS.md has
# the reasons.
NOISE_WORTH_MAX = {
    "rp2040_rosc": 500,
    "rp2350_trng": 4000,
    "simulated": 8000,
}


def pins(config: Config) -> Iterator[tuple[str, Pin, str]]:
    """Every pin in use: what for, which, and the peripheral function it needs ("" for plain GPIO)."""
    link, nv, expander = config["link"], config["nv"], config.get("expander")
    for word in ("tx", "rx"):
        yield f"link.{word}", link[word], f"uart{link['uart']} {word}"
    if "de" in link:
        yield "link.de", link["de"], ""
    for group in ("inputs", "outputs", "axis"):
        for name, pin in config.get(group, {}).items():
            if not isinstance(pin, dict):
                yield f"{group}.{name}", pin, ""
    if nv["kind"] == "fram":
        for word in ("sck", "mosi", "miso"):
            yield f"nv.{word}", nv[word], f"spi{nv['spi']} {word}"
        yield "nv.cs", nv["cs"], ""
    if expander:
        for word in ("sda", "scl"):
            yield f"expander.{word}", expander[word], f"i2c{expander['i2c']} {word}"


def pin_problems(config: Config) -> Iterator[str]:
    """Pins that the board does not have, that cannot do what is asked of them, or that are used twice."""
    board = config["mcu"]["board"]
    mcu = MCUS.get(board)
    if mcu is None:
        yield f"mcu.board: no table of pins for {board!r}; there is one for {', '.join(MCUS)} (docs/BOARDS.md)"
        return
    users: dict[Pin, str] = {}
    for user, pin, function in pins(config):
        yield from _one_pin(board, mcu, user, pin, function)
        if pin in users:
            yield f"GPIO {pin} is used twice, for {users[pin]} and for {user}"
        users.setdefault(pin, user)
    yield from _row_problems(config, mcu)
    yield from _expander_problems(config)


def _one_pin(board: str, mcu: Mcu, user: str, pin: Pin, function: str) -> Iterator[str]:
    if pin == mcu.halted_tx and user != "link.tx":
        yield (
            f"{user}: GPIO {pin} is driven high by a device that cannot read its config, to say so; only link.tx may"
            " be there"
        )
    elif pin == _USB_RESET_PIN.get(mcu.chip) and not user.startswith(_RESTING):
        yield (
            f"{user}: GPIO {pin} of an {mcu.chip} is taken for a millisecond at each reset of the USB bus (erratum E5);"
            " only outputs.reverse, outputs.dark or a lamp may be there"
        )
    elif pin not in mcu.place:
        yield f"{user}: GPIO {pin} is not on the edge of a {board}"
    elif function and function not in mcu.functions:
        buses = sorted({name.split()[0] for name in mcu.functions if name.startswith(function[:3])})
        yield f"{user}: no {function.split()[0]} for this on {board}; possible: {', '.join(buses)}"
    elif function and pin not in mcu.functions[function]:
        choice = ", ".join(map(str, sorted(mcu.functions[function])))
        yield f"{user}: GPIO {pin} cannot be {function}; possible: {choice}"


def _row_problems(config: Config, mcu: Mcu) -> Iterator[str]:
    """PIO reads the inputs as one row of pins: a change of any pin in it takes the room of an edge."""
    inputs = [pin for pin in config["inputs"].values() if isinstance(pin, int) and pin in mcu.place]
    first, last = min(inputs), max(inputs)
    if last - first >= mcu.in_a_row:
        yield (
            f"inputs: GPIO {first} to {last} are {last - first + 1} in a row; PIO watches {mcu.in_a_row} at most: put"
            " the lines closer together, or buttons on the expander"
        )
    for user, pin, _function in pins(config):
        if first < pin < last and not user.startswith(("inputs.", "outputs.")):
            where = f"between the inputs (GPIO {first} to {last})"
            yield f"{user}: GPIO {pin} lies {where}, where its changes would be noise"


def _expander_problems(config: Config) -> Iterator[str]:
    bits: dict[int, str] = {}
    for group in ("inputs", "outputs"):
        for name, pin in config[group].items():
            if not isinstance(pin, (int, str)):
                bit: int = pin["expander"]
                if group == "inputs" and bit in _OUTPUT_BITS:
                    yield f"inputs.{name}: bit {bit} of an MCP23017 is for outputs only"
                if bit in bits:
                    yield f"expander bit {bit} is used twice, for {bits[bit]} and for {group}.{name}"
                bits.setdefault(bit, f"{group}.{name}")
    if bits and "expander" not in config:
        yield f"{', '.join(bits.values())} sit on an expander, and there is no section expander"
    if "expander" in config and not bits:
        yield "section expander is there, and nothing uses it"
