"""The pins of each microcontroller board and what each pin can do, from the data sheet and MicroPython's port.

A GPIO is a number on an RP2 or an ESP32. On an STM32 it is a name on the board's connectors, because MicroPython looks
that up first, and a bus has the pins that its board file gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Config = dict[str, Any]
Pin = int | str

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

_ESP32_WHY: dict[Pin, str] = {
    **dict.fromkeys((0, 3, 45, 46), "is read at reset to choose how the chip starts"),
    **dict.fromkeys((19, 20), "is the USB port, which is the service port"),
    **dict.fromkeys((22, 23, 24, 25), "does not exist"),
    **dict.fromkeys(range(26, 33), "is the flash's"),
    **dict.fromkeys(range(33, 38), "is the memory's on modules with octal PSRAM"),
    **dict.fromkeys((38, 48), "is wired to the colour LED on some of these boards"),
    **dict.fromkeys((43, 44), "is the console's"),
    47: "has 1.8 V on modules with memory of 1.8 V",
}
# Any peripheral on any pin, by the GPIO matrix; UART 0 is the console's.
_ESP32_BUSES = ("uart1", "uart2", "spi1", "spi2", "i2c0", "i2c1")

# MicroPython's board file of the NUCLEO-H743ZI: by bank and number of the chip's pin the name on the connector. Left
# out: what serves the board itself or an SD card (D43 to D49), and second names of the same pin.
_H743_BANKS: dict[str, dict[int, str]] = {
    "A": {0: "D32", 3: "A0", 4: "D24", 6: "D12", 15: "D20"},
    "B": {
        1: "A3", 2: "D72", 3: "D23", 4: "D25", 5: "D22", 6: "D1", 8: "D15",
        9: "D14", 10: "D36", 11: "D35", 12: "D19", 15: "D17",
    },
    "C": {0: "A1", 2: "A4", 3: "A2", 6: "D16", 7: "D21"},
    "D": {
        0: "D67", 1: "D66", 3: "D55", 4: "D54", 5: "D53", 6: "D52", 7: "D51",
        11: "D30", 12: "D29", 13: "D28", 14: "D10", 15: "D9",
    },
    "E": {
        0: "D34", 2: "D31", 3: "D60", 4: "D57", 5: "D58", 6: "D59", 7: "D41", 8: "D42",
        9: "D6", 10: "D40", 11: "D5", 12: "D39", 13: "D3", 14: "D4", 15: "D37",
    },
    "F": {0: "D68", 1: "D69", 2: "D70", 3: "D8", 4: "A6", 5: "A7", 6: "A8", 7: "D62", 8: "D61", 9: "D63", 10: "A5"},
    "G": {0: "D65", 1: "D64", 3: "D50", 12: "D7", 14: "D2"},
}
_H743_PINS: dict[Pin, tuple[str, int]] = {
    name: (bank, number) for bank, names in _H743_BANKS.items() for number, name in names.items()
}
_H743_FUNCTIONS: dict[str, frozenset[Pin]] = {
    "uart2 tx": frozenset({"D53"}),
    "uart2 rx": frozenset({"D52"}),
    "uart6 tx": frozenset({"D16"}),
    "uart6 rx": frozenset({"D21"}),
    "spi3 sck": frozenset({"D23"}),
    "spi3 mosi": frozenset({"D22"}),
    "spi3 miso": frozenset({"D25"}),
    "i2c1 sda": frozenset({"D14"}),
    "i2c1 scl": frozenset({"D15"}),
}

_OUTPUT_BITS = (7, 15)  # MCP23017 data sheet, revision D: GPA7 and GPB7 may upset the bus as inputs
ESP32_INPUTS_MAX = 8  # MicroPython's queue of pin handlers: `dark` changes all beams at one instant


@dataclass(frozen=True)
class Mcu:
    """A board with its chip. `place` says where a GPIO is found, `why` what is wrong with one that must not be used."""

    port: str
    chip: str
    noise: str
    place: Mapping[Pin, str]
    functions: Mapping[str, frozenset[Pin]]
    why: Mapping[Pin, str] = field(default_factory=dict[Pin, str])
    steps: bool = False  # can move an axis
    flash: bool = False  # can keep cells in its own flash
    in_a_row: int = 0  # inputs lie within so many pins, where PIO watches them together
    blinded: str = ""  # what noise on input lines can do in spite of hal/api.py
    halted_tx: Pin | None = None  # where a device speaks that cannot read its config: hal/boot_main.py

    def lines(self) -> dict[Pin, int]:
        """By GPIO the interrupt line that it shares with others, where they do."""
        return {name: number for name, (_bank, number) in _H743_PINS.items()} if self.port == "stm32" else {}


def _pico(chip: str, noise: str) -> Mcu:
    place: dict[Pin, str] = {gpio: f"pin {edge}" for gpio, edge in _PICO_EDGE.items()}
    return Mcu("rp2", chip, noise, place, _RP2_FUNCTIONS, steps=True, flash=True, in_a_row=12, halted_tx=0)


def _esp32() -> Mcu:
    place: dict[Pin, str] = {gpio: f"label {gpio}" for gpio in range(49) if gpio not in _ESP32_WHY}
    words = {"uart": ("tx", "rx"), "spi": ("sck", "mosi", "miso"), "i2c": ("sda", "scl")}
    functions = {f"{bus} {word}": frozenset(place) for bus in _ESP32_BUSES for word in words[bus[:-1]]}
    blinded = (
        "noise above some 100,000 edges a second on all lines together may keep scans from ending: the chip takes every"
        " interrupt before MicroPython can mask the lines, and only the watchdog ends that"
    )
    return Mcu("esp32", "ESP32-S3", "esp32_rng", place, functions, _ESP32_WHY, blinded=blinded)


def _h743() -> Mcu:
    place: dict[Pin, str] = {name: f"P{bank}{number}" for name, (bank, number) in _H743_PINS.items()}
    return Mcu("stm32", "STM32H743", "stm32_rng", place, _H743_FUNCTIONS)


MCUS = {
    "Raspberry Pi Pico": _pico("RP2040", "rp2040_rosc"),
    "Raspberry Pi Pico 2": _pico("RP2350", "rp2350_trng"),
    "ESP32-S3-DevKitC-1": _esp32(),
    "NUCLEO-H743ZI": _h743(),
}


# What a byte of a source may be taken to be worth, in thousandths of a bit. Policy, not measurement: docs/BOARDS.md has
# the reasons.
NOISE_WORTH_MAX = {
    "rp2040_rosc": 500,
    "rp2350_trng": 4000,
    "esp32_rng": 1000,
    "stm32_rng": 4000,
    "simulated": 8000,
}
# Sources whose failure cannot be detected: good for nonces, not for the order of a deck.
NOISE_NO_ORDER = ("esp32_rng",)


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
    if config["mcu"]["port"] != mcu.port:
        yield f"mcu.port {config['mcu']['port']}: a {board} is of port {mcu.port}"
    users: dict[Pin, str] = {}
    for user, pin, function in pins(config):
        yield from _one_pin(board, mcu, user, pin, function)
        if pin in users:
            yield f"{_gpio(pin)} is used twice, for {users[pin]} and for {user}"
        users.setdefault(pin, user)
    yield from _interrupt_problems(config, mcu)
    if mcu.in_a_row:
        yield from _row_problems(config, mcu)
    yield from _expander_problems(config)


def capability_problems(config: Config) -> Iterator[str]:
    """What the board's chip cannot do, whatever the pins."""
    mcu = MCUS.get(config["mcu"]["board"])
    if mcu is None:
        return
    if "axis" in config and not mcu.steps:
        yield (
            f"section axis: an {mcu.chip} has no PIO to make step pulses with ramps while scans run; take an RP2, or"
            " fit a driver chip that generates its own ramps and write its HAL"
        )
    if config["nv"]["kind"] == "flash" and not mcu.flash:
        yield f"nv.kind flash: the port {mcu.port} keeps no cells in its own flash; fit an FRAM"
    on_pins = [name for name, pin in config["inputs"].items() if not isinstance(pin, dict)]
    if mcu.port == "esp32" and len(on_pins) > ESP32_INPUTS_MAX:
        yield (
            f"{len(on_pins)} inputs on pins: MicroPython on an ESP32 queues {ESP32_INPUTS_MAX} changes, and"
            " outputs.dark changes all beams at once"
        )


def _gpio(pin: Pin) -> str:
    return f"GPIO {pin}" if isinstance(pin, int) else pin


def _one_pin(board: str, mcu: Mcu, user: str, pin: Pin, function: str) -> Iterator[str]:
    if pin in mcu.why:
        yield f"{user}: {_gpio(pin)} {mcu.why[pin]}"
    elif pin == mcu.halted_tx and user != "link.tx":
        yield (
            f"{user}: {_gpio(pin)} is driven high by a device that cannot read its config, to say so; only link.tx may"
            " be there"
        )
    elif pin not in mcu.place:
        yield f"{user}: {_gpio(pin)} is not on the edge of a {board}"
    elif function and function not in mcu.functions:
        buses = sorted({name.split()[0] for name in mcu.functions if name.startswith(function[:3])})
        yield f"{user}: no {function.split()[0]} for this on {board}; possible: {', '.join(buses)}"
    elif function and pin not in mcu.functions[function]:
        choice = ", ".join(map(str, sorted(mcu.functions[function], key=str if isinstance(pin, str) else int)))
        yield f"{user}: {_gpio(pin)} cannot be {function}; possible: {choice}"


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
        if isinstance(pin, int) and first < pin < last and not user.startswith(("inputs.", "outputs.")):
            where = f"between the inputs (GPIO {first} to {last})"
            yield f"{user}: GPIO {pin} lies {where}, where its changes would be noise"


def _interrupt_problems(config: Config, mcu: Mcu) -> Iterator[str]:
    lines = mcu.lines()
    users: dict[int, str] = {}
    for name, pin in config["inputs"].items():
        if isinstance(pin, str) and pin in lines:
            line = lines[pin]
            if line in users:
                yield f"inputs.{name}: {pin} shares interrupt line {line} with {users[line]}; take another number"
            users.setdefault(line, f"inputs.{name}")


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
