"""Draw the wiring of a board from its config: microcontroller board, port expander, FRAM and display, pin by pin.

Pins are in the order in which they lie on the part. The colours are mid tones that read on a light and on a dark
background; the picture has a background of its own and follows the viewer's colour scheme.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from fairshoe.boards import lines
from fairshoe.boards.pins import MCUS, Pin, pins

Config = dict[str, Any]

WIDTH = 940
ROW = 22
BODY = (350, 590)  # left and right edge of a part
WIRE = 34  # from a part's pin to what is connected
BOX = 206  # of what is connected, without its name
NAME = 100

# Group: colour, and what is at the other end of its wires.
GROUPS = {
    "sensor": ("#3b82f6", "sensors"),
    "motor": ("#e5484d", "motor drivers"),
    "light": ("#b7791f", "beam light"),
    "axis": ("#a04fe0", "step driver"),
    "link": ("#d6438a", "line driver"),
    "nv": ("#0d9488", "FRAM"),
    "panel": ("#2f9e55", "I2C bus"),
    "button": ("#2f9e55", "panel"),
    "mcu": ("#6478c8", "board"),
    "power": ("#808b98", "power"),
}
LEGEND = ("sensor", "motor", "light", "axis", "link", "nv", "panel", "power")
# Pins that are no inputs or outputs of the firmware: the label in a picture; for the table direction and pull, what is
# connected, and what a level means.
OTHERS = {
    "axis.step": ("STEP", "out", "step input of the stepper's driver", "rising edge: a step"),
    "axis.dir": ("DIR", "out", "direction input of the stepper's driver", "1: forward, up"),
    "axis.home": ("home mark sensor", "in, pull-up", "sensor of the home mark", "1: on the mark"),
    "link.tx": ("data in (our TX)", "out", "to the table system: RX of its line driver", "idle 1"),
    "link.rx": ("data out (our RX)", "in", "from the table system: TX of its line driver", "idle 1"),
    "link.de": ("driver enable, DE", "out, pull-down", "driver enable of the line driver", "1: enabled"),
    "nv.sck": ("SCK", "out", "FRAM, SCK", "mode 0"),
    "nv.mosi": ("SI", "out", "FRAM, SI", "mode 0"),
    "nv.miso": ("SO", "in", "FRAM, SO", "mode 0"),
    "nv.cs": ("CS, pull-up 10k", "out", "FRAM, CS", "0: selected"),
    "expander.sda": ("SDA, pull-up 4.7k", "both, open drain", "port expander, SDA; pull-up of 4.7 kOhm", "idle 1"),
    "expander.scl": ("SCL, pull-up 4.7k", "out, open drain", "port expander, SCL; pull-up of 4.7 kOhm", "idle 1"),
}
ENDS = {
    **{f"{group}.{line.name}": line.label for group, rows in lines.GROUPS.items() for line in rows},
    **{path: label for path, (label, *_) in OTHERS.items()},
}

_GROUND, _SUPPLY, _RUN = "ground", "3.3 V to parts", "supply supervisor, 2.93 V"
_PICO_POWER = {
    **dict.fromkeys((3, 8, 13, 18, 23, 28, 38), ("GND", _GROUND)),
    33: ("AGND", _GROUND),
    30: ("RUN", _RUN),
    35: ("ADC_VREF", ""),
    36: ("3V3", _SUPPLY),
    37: ("3V3_EN", ""),
    39: ("VSYS", "5 V in"),
    40: ("VBUS", ""),
}
_EXPANDER_PINS = (
    "GPB0 GPB1 GPB2 GPB3 GPB4 GPB5 GPB6 GPB7 VDD VSS NC SCL SDA NC",
    "GPA7 GPA6 GPA5 GPA4 GPA3 GPA2 GPA1 GPA0 INTA INTB RESET A2 A1 A0",
)
_FRAM_PINS = ("CS SO WP VSS", "VDD HOLD SCK SI")

STYLE = """
text{font:13px system-ui,sans-serif;fill:#1f2328}
.bg{fill:#fff;stroke:#d0d7de}.body{fill:#f3f5f8;stroke:#808b98;stroke-width:1.5}
.t{font-size:18px;font-weight:600}.s{font-size:12px}.n{font-size:11px}.g{fill:#6e7781}.b{font-weight:600}
.p{font-size:10.5px;fill:#fff;font-weight:600;text-anchor:middle}.f{fill:none;stroke:#9aa4af}.q{fill:#6e7781}
.m{text-anchor:middle}.e{text-anchor:end}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.bg{fill:#0d1117;stroke:#30363d}
.body{fill:#1b222c}.g,.q{fill:#9198a1}.p{fill:#fff}}
"""


@dataclass(frozen=True)
class Row:
    """One pin: its number and name on the part, and what is connected. Without a group nothing is."""

    number: str
    name: str
    end: str = ""
    group: str = ""


@dataclass(frozen=True)
class Part:
    title: str
    note: str
    left: list[Row]
    right: list[Row]


# --- parts from a config -----------------------------------------------------------------------


def group_of(line: str) -> str:
    section, _, key = line.partition(".")
    if section == "outputs":
        return "light" if key in ("dark", "read_ace", "read_court") else "button" if key.startswith("lamp") else "motor"
    if section == "inputs" or line == "axis.home":
        return "button" if key.startswith(("button", "key")) else "sensor"
    return "panel" if section == "expander" else section


def _used(config: Config) -> dict[Pin, Row]:
    """By GPIO what is connected there; number and name are the part's to add."""
    return {pin: Row("", "", ENDS[line], group_of(line)) for line, pin, _function in pins(config)}


def _power(number: str, name: str, end: str) -> Row:
    return Row(number, name, end, "power" if end else "")


def _row(number: str, name: str, used: dict[Pin, Row], pin: Pin) -> Row:
    row = used.get(pin)
    if row is None:
        return Row(number, name, "")
    return Row(number, name, row.end, row.group)


def _pico(config: Config) -> Part:
    used = _used(config)
    place = {where: pin for pin, where in MCUS[config["mcu"]["board"]].place.items()}

    def row(number: int) -> Row:
        if number in _PICO_POWER:
            return _power(str(number), *_PICO_POWER[number])
        pin = place[f"pin {number}"]
        return _row(str(number), f"GP{pin}", used, pin)

    note = "seen from above, USB connector at the top"
    return Part(config["mcu"]["board"], note, [row(n) for n in range(1, 21)], [row(n) for n in range(40, 20, -1)])


def _expander(config: Config) -> Part:
    bus, address = config["expander"], config["expander"]["address"]
    also = ", and display" if "display" in config else ""
    ends: dict[str, tuple[str, str]] = {
        "VDD": ("3.3 V, 100 nF", "power"),
        "VSS": (_GROUND, "power"),
        "RESET": ("3.3 V, or the supervisor", "power"),
        **{f"A{bit}": ("3.3 V" if address >> bit & 1 else _GROUND, "power") for bit in range(3)},
        "SDA": (f"GPIO {bus['sda']}{also}", "mcu"),
        "SCL": (f"GPIO {bus['scl']}{also}", "mcu"),
    }
    for section in ("inputs", "outputs"):
        for name, where in config[section].items():
            if isinstance(where, dict):
                bit = int(where["expander"])  # pyright: ignore[reportUnknownArgumentType]
                ends[f"GP{'AB'[bit // 8]}{bit % 8}"] = (ENDS[f"{section}.{name}"], "button")
    left = [Row(str(at), name, *ends.get(name, ("", ""))) for at, name in enumerate(_EXPANDER_PINS[0].split(), 1)]
    right = [Row(str(28 - at), name, *ends.get(name, ("", ""))) for at, name in enumerate(_EXPANDER_PINS[1].split())]
    return Part("MCP23017", f"port expander, I2C address {address}", left, right)


def _display(config: Config) -> Part:
    bus = config["expander"]
    rows = [
        Row("1", "GND", _GROUND, "power"),
        Row("2", "VCC", "3.3 V, or 5 V (see text)", "power"),
        Row("3", "SDA", f"GPIO {bus['sda']}", "mcu"),
        Row("4", "SCL", f"GPIO {bus['scl']}", "mcu"),
    ]
    return Part("20x4 display", f"I2C backpack, address {config['display']['address']}", rows, [])


def _fram(config: Config) -> Part:
    nv = config["nv"]
    signals = {"CS": "cs", "SO": "miso", "SI": "mosi", "SCK": "sck"}
    ends = {name: (f"GPIO {nv[key]}", "mcu") for name, key in signals.items()}
    ends |= {"VSS": (_GROUND, "power"), "VDD": ("3.3 V, 100 nF", "power")}
    ends |= dict.fromkeys(("WP", "HOLD"), ("3.3 V", "power"))
    left = [Row(str(at), name, *ends[name]) for at, name in enumerate(_FRAM_PINS[0].split(), 1)]
    right = [Row(str(8 - at), name, *ends[name]) for at, name in enumerate(_FRAM_PINS[1].split())]
    return Part("SPI FRAM", f"{nv['bytes']:,} bytes, 8 pins", left, right)


def parts(config: Config) -> list[Part]:
    found = [_pico(config)]
    if "expander" in config:
        found.append(_expander(config))
    if config["nv"]["kind"] == "fram":
        found.append(_fram(config))
    if "display" in config:
        found.append(_display(config))
    return found


# --- drawing -----------------------------------------------------------------------------------


def _text(x: float, y: float, words: str, css: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{css}">{escape(words)}</text>'


def _pin(row: Row, y: int, right: bool) -> str:
    """The pad on the part's edge, its name inside, its wire and what is connected outside."""
    edge = BODY[right]
    way = 1 if right else -1
    pad = edge - 34 if right else edge
    middle = y + ROW // 2
    named = _text(edge - way * 40, middle + 4, row.name, ("n" if row.group else "q n") + (" e" if right else ""))
    number = _text(pad + 17, middle + 4, row.number, "p" if row.group else "n m q")
    box = f'<rect x="{pad}" y="{y + 3}" width="34" height="{ROW - 6}" rx="3"'
    if not row.group:
        end = _text(edge + way * 8, middle + 4, row.end, "q n" if right else "q n e") if row.end else ""
        return f'{box} class="f"/>{number}{named}{end}'
    colour = GROUPS[row.group][0]
    far = edge + way * WIRE
    wire = f'<path d="M{edge} {middle}H{far}" stroke="{colour}" stroke-width="2"/>'
    css = ("s g" if row.group == "power" else "s") + ("" if right else " e")
    return f'{wire}{box} fill="{colour}"/>{number}{named}{_text(far + way * 8, middle + 4, row.end, css)}'


def _boxes(rows: list[Row], top: int, right: bool) -> list[str]:
    """Around neighbours that go to the same kind of part, with its name beside."""
    found: list[str] = []
    start = 0
    for at in range(1, len(rows) + 1):
        group = rows[start].group
        if at < len(rows) and rows[at].group == group:
            continue
        if group and group != "power":
            colour, name = GROUPS[group]
            y, height = top + start * ROW + 1, (at - start) * ROW - 2
            x = BODY[1] + WIRE if right else BODY[0] - WIRE - BOX
            beside = x + BOX + 8 if right else x - 8
            found.append(
                f'<rect x="{x}" y="{y}" width="{BOX}" height="{height}" rx="5" fill="{colour}" fill-opacity=".09"'
                f' stroke="{colour}"/>{_text(beside, y + height / 2 + 4, name, "s b" if right else "s b e")}'
            )
        start = at
    return found


def _part(part: Part, top: int) -> tuple[list[str], int]:
    """The drawing, and where the next part begins."""
    body = top + 44
    rows = max(len(part.left), len(part.right))
    height = rows * ROW + 12
    centre = sum(BODY) / 2
    found = [
        _text(centre, top + 16, part.title, "b m"),
        _text(centre, top + 34, part.note, "s g m"),
        f'<rect x="{BODY[0]}" y="{body}" width="{BODY[1] - BODY[0]}" height="{height}" rx="8" class="body"/>',
    ]
    for right, side in ((False, part.left), (True, part.right)):
        found += _boxes(side, body + 6, right)
        found += [_pin(row, body + 6 + at * ROW, right) for at, row in enumerate(side)]
    return found, body + height + 24


def _legend(y: int) -> str:
    found: list[str] = []
    x = 24
    for colour, name in [*(GROUPS[group] for group in LEGEND), ("", "free")]:
        how = f'fill="{colour}"' if colour else 'class="f"'
        found.append(f'<rect x="{x}" y="{y - 10}" width="14" height="12" rx="3" {how}/>{_text(x + 20, y, name, "s")}')
        x += 46 + 6 * len(name)
    return "".join(found)


def picture(config: Config) -> str:
    lines = [_text(24, 36, f"{config['name']}: wiring", "t"), _legend(62)]
    top = 84
    for part in parts(config):
        drawn, top = _part(part, top)
        lines += drawn
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" role="img">',
            f"<title>Wiring of {escape(config['name'])}</title>",
            f"<style>{STYLE}</style>",
            f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{top - 1}" rx="10" class="bg"/>',
            *lines,
            "</svg>",
            "",
        ]
    )
