"""The text of docs/WIRING.md and the list of all generated wiring files, from the board configs."""

import json
import re
from pathlib import Path
from typing import Any

from fairshoe.boards import configs, lines
from fairshoe.boards.pins import MCUS, NOISE_WORTH_MAX, Pin
from fairshoe.boards.ports import PORTS
from wiring import svg

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA = DOCS.parent / "board_configs" / "schema.json"
Config = dict[str, Any]

HEAD = """# Wiring

`make generate` writes this page and its pictures from the board configs; a test fails when they do not match. What
the numbers of a config mean: [BOARDS](BOARDS.md). Which parts to choose, with values and reasons:
[HARDWARE](HARDWARE.md). No board, carrier or cable of this page has been built yet.

These rules hold for every board:

- **Inputs** on pins use the chip's pull-up and read 1 when a wire is broken: blocked, open, away from home. So a beam
  receiver must pull its line low while it sees light. A button on a pin (not on the expander) must open when pressed.
- **Outputs** are active high and drive the input of a driver, never a motor. Before the firmware runs, the pins are not
  driven. Fit a pull-down of 4.7 kOhm at every driver input, the step driver's included, so that nothing turns while the
  board starts or has no firmware. On an RP2350 use at most 8.2 kOhm: its pads can hold a floating pin high (erratum
  E9).
- **Panel.** Buttons and key switch connect an expander pin (MCP23017) to ground; the expander has pull-ups. Each lamp
  needs a driver behind its expander output. Leave INTA and INTB open, set A0 to A2 to the address in the config, and
  tie RESET high or to the supply supervisor.
- **Supply.** Logic is 3.3 V. FRAM and expander share the 3.3 V of the microcontroller. Tie WP and HOLD of the FRAM
  high. Fit a pull-up of 10 kOhm at its CS: while the microcontroller starts, nothing else keeps the FRAM deselected.
- **Display.** 20x4 characters, HD44780 or compatible, with an I2C backpack: P0 RS, P1 RW, P2 E, P3 backlight switch, P4
  to P7 D4 to D7. It shares SDA and SCL with the expander, at 3.3 V. A display that runs from 5 V needs a level shifter;
  remove the pull-ups on its backpack.
- **Link.** The pins carry logic levels. A cable needs a line driver (RS-485 on four wires, or RS-232) with isolation.
"""


TWIN = """## A second Pico as the machine

For a motor shoe on a Pico or Pico 2 ([TESTING](TESTING.md#a-second-pico-as-the-machine)). Wire each pin of {names}
to the pin of the same number on a second Pico, with a resistor of 1 kOhm in each wire: then two outputs that meet by
mistake do no harm. Join the grounds.
Each Pico has its own USB cable; do not join their supplies. Connect no other sensor or driver to these pins. Panel,
FRAM and link stay at the board under test. Leave all other pins of the second Pico open: some are outputs.
"""


def gpio(pin: Pin) -> str:
    return f"GPIO {pin}"


def place(config: Config, where: Any) -> tuple[str, str]:
    """What a config calls a pin, and where it is found."""
    if isinstance(where, dict):
        bit = int(where["expander"])  # pyright: ignore[reportUnknownArgumentType]
        return f"expander {bit}", f"GP{'AB'[bit // 8]}{bit % 8}"
    return gpio(where), MCUS[config["mcu"]["board"]].place[where]


def rows(config: Config) -> list[tuple[str, str, str, str, str, str]]:
    """Line, pin, where it is found, direction and pull, what is connected, what a level means."""
    found: list[tuple[str, str, str, str, str, str]] = []
    for name, where in config["inputs"].items():
        line = lines.find("inputs", name)
        found.append((f"inputs.{name}", *place(config, where), "in, pull-up", line.wired_to, line.level))
    for name, where in config["outputs"].items():
        line = lines.find("outputs", name)
        found.append((f"outputs.{name}", *place(config, where), "out", line.wired_to, line.level))
    for path, (_label, direction, what, level) in svg.OTHERS.items():
        section, _, key = path.partition(".")
        if key in config.get(section, {}):
            found.append((path, *place(config, config[section][key]), direction, what, level))
    return found


def buses(config: Config) -> str:
    link, nv, expander = config["link"], config["nv"], config.get("expander")
    parts = [f"Link: UART {link['uart']}, {link['baud']:,} baud."]
    if nv["kind"] == "fram":
        parts.append(f"FRAM: {nv['bytes']:,} bytes, SPI {nv['spi']}.")
    if expander:
        parts.append(f"Port expander: I2C {expander['i2c']}, address {_address(expander['address'])}.")
        if "display" in config:
            parts.append(f"Display: the same bus, address {_address(config['display']['address'])}.")
    return " ".join(parts)


def _address(address: int) -> str:
    return f"{address} (0x{address:02x})"


def section(names: list[str], config: Config) -> str:
    """Picture and table for boards that are wired alike."""
    mcus = " and ".join(configs.load_board(name)[0]["mcu"]["board"] for name in names)
    used = {row[1] for row in rows(config) if not row[1].startswith("expander")}
    others = "".join(f" The same picture for {name}: [wiring/{name}.svg](wiring/{name}.svg)." for name in names[1:])
    lines = [
        f"## {' and '.join(names)}",
        "",
        f"{mcus}; {len(used)} pins in use. {buses(config)}",
        f"Service port: {PORTS[config['mcu']['port']].service}.{others}",
        "",
        f"![wiring of {names[0]}](wiring/{names[0]}.svg)",
        "",
        "| line | pin | found at | direction | connected | level |",
        "|---|---|---|---|---|---|",
        *(f"| `{line}` | {' | '.join(cells)} |" for line, *cells in rows(config)),
    ]
    return "\n".join(lines) + "\n"


def twin(boards: dict[str, Config]) -> str:
    """Pin to pin, from the board under test to a second Pico that plays its machine."""
    names = [name for name, config in boards.items() if is_twin(config)]
    config = boards[names[0]]
    wires = [row for row in rows(config) if row[0].startswith(("inputs.", "outputs.")) and row[1].startswith("GPIO")]
    table = [
        "| line | board under test | second Pico | who drives it |",
        "|---|---|---|---|",
        *(
            f"| `{line}` | {pin}, {at} | {pin}, {at} | {'the second Pico' if way.startswith('in') else 'the board'} |"
            for line, pin, at, way, _what, _level in wires
        ),
        "| ground | GND, pin 38 | GND, pin 38 | |",
    ]
    return TWIN.format(names=" or ".join(names)) + "\n" + "\n".join(table) + "\n"


def is_twin(config: Config) -> bool:
    return config["mcu"]["port"] == "rp2" and config["mechanism"]["kind"] == "shoe"


def page() -> str:
    groups: dict[str, list[str]] = {}
    boards: dict[str, Config] = {name: configs.load_board(name)[0] for name in configs.board_names()}
    for name, config in boards.items():
        groups.setdefault(repr((rows(config), buses(config))), []).append(name)
    # The reference boards first.
    order = sorted(groups.values(), key=lambda names: (not names[0].startswith("pico-"), names[0]))
    sections = [section(names, boards[names[0]]) for names in order]
    return "\n".join([HEAD, *sections, twin(boards)])


def files() -> dict[Path, str]:
    """Everything that is generated, by its path below docs/."""
    found = {Path("WIRING.md"): page()}
    for name in configs.board_names():
        found[Path("wiring") / f"{name}.svg"] = svg.picture(configs.load_board(name)[0])
    return found


def schema() -> str:
    """board_configs/schema.json with lines and where each may be connected, ports, and sources of noise as the code has
    them."""
    text = SCHEMA.read_text(encoding="utf-8")
    for group, rows in lines.GROUPS.items():
        head = '"properties": {\n'
        start = text.index(head, text.index(f'    "{group}": {{\n')) + len(head)
        end = text.index("\n      }", start)
        kinds = [(line.name, "pin" if line.panel else "gpio") for line in rows]
        listed = [f'        "{name}": {{"$ref": "#/definitions/{kind}"}}' for name, kind in kinds]
        text = text[:start] + ",\n".join(listed) + text[end:]
    for key, words in (("port", [*PORTS]), ("source", [*NOISE_WORTH_MAX])):
        text = re.sub(rf'(?<="{key}": {{"enum": )\[[^]]*]', json.dumps(words), text)
    return text


def outdated() -> list[Path]:
    wanted = files()
    there = {path.relative_to(DOCS) for path in (DOCS / "wiring").glob("*")}
    wrong = [path for path, text in wanted.items() if not _holds(DOCS / path, text)]
    return wrong + sorted(there - wanted.keys())


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text
