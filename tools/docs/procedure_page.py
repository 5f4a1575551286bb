"""Draw docs/procedure.svg and write the table of docs/PROCEDURE.md, from firmware/games/flow.py: `make generate`."""

from __future__ import annotations

from pathlib import Path

from fairshoe import _device

_device.load()

from firmware.games.flow import SUCCESSORS  # noqa: E402
from firmware.protocol.ids import STATE_NAMES  # noqa: E402

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "PROCEDURE.md"
PICTURE = DOCS / "procedure.svg"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"

# Where each state stands in the picture: column, row.
PLACES = {
    "starting": (1, 0),
    "proving_empty": (1, 1),
    "waiting_for_deck": (1, 2),
    "preparing": (1, 3),
    "shuffling": (1, 4),
    "deck_held": (1, 6),
    "deck_ready": (2, 0),
    "waiting_for_lockout": (2, 1),
    "dispensing": (2, 2),
    "stack_offered": (2, 3),
    "waiting_for_wagers": (2, 4),
    "waiting_for_green": (2, 5),
    "releasing": (2, 6),
    "remainder_offered": (2, 7),
    "waiting_for_round_end": (2, 8),
    "draw_ready": (0, 0),
    "drawing": (0, 1),
    "deck_spent": (0, 2),
    "warning": (0, 5),
    "removing": (0, 6),
    "removed_offered": (0, 7),
}
TITLES = ("drawn by hand; after a fault", "the deck", "a round")
BOX_W, BOX_H, STEP_X, STEP_Y, LEFT, TOP = 168, 30, 268, 62, 60, 52


def states() -> dict[str, list[str]]:
    """The successors of each state, by name. WARNING follows every state and is left out."""
    names = STATE_NAMES.split()
    return {name: [names[state] for state in after] for name, after in zip(names, SUCCESSORS, strict=True)}


def corner(name: str) -> tuple[int, int]:
    column, row = PLACES[name]
    return LEFT + column * STEP_X, TOP + row * STEP_Y


def arrow(source: str, target: str) -> str:
    """Straight down to the next row, across to the next column, or round the side of a column."""
    (x, y), (to_x, to_y) = corner(source), corner(target)
    if x == to_x and to_y - y == STEP_Y:
        return f"M{x + BOX_W // 2} {y + BOX_H}V{to_y - 2}"
    middle, to_middle = y + BOX_H // 2, to_y + BOX_H // 2
    if x == to_x:
        down = to_y > y
        side = x + BOX_W if down else x
        bulge = side + (1 if down else -1) * (20 + abs(to_y - y) // 10)
        end = side + (2 if down else -2)
        return f"M{side} {middle}C{bulge} {middle} {bulge} {to_middle} {end} {to_middle}"
    start, end = (x + BOX_W, to_x - 2) if to_x > x else (x, to_x + BOX_W + 2)
    half = (start + end) // 2
    return f"M{start} {middle}C{half} {middle} {half} {to_middle} {end} {to_middle}"


def picture() -> str:
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 830 600" font-family="sans-serif" font-size="13">',
        "<title>States of a round and what may follow each</title>",
        "<style>rect{fill:#eef2f7;stroke:#5b6b7f}path{fill:none;stroke:#5b6b7f;stroke-width:1.3;marker-end:url(#a)}"
        "text{text-anchor:middle;fill:#1c2733}.h{fill:#7a8797}svg{background:#fff}</style>",
        '<marker id="a" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
        '<path d="M0 0L6 3L0 6Z" style="fill:#5b6b7f;stroke:none;marker-end:none"/></marker>',
    ]
    for column, title in enumerate(TITLES):
        lines.append(f'<text class="h" x="{LEFT + column * STEP_X + BOX_W // 2}" y="28">{title}</text>')
    for name, after in states().items():
        lines += [f'<path d="{arrow(name, target)}"/>' for target in after if target != name]
    for name in states():
        x, y = corner(name)
        lines.append(f'<rect x="{x}" y="{y}" width="{BOX_W}" height="{BOX_H}" rx="5"/>')
        lines.append(f'<text x="{x + BOX_W // 2}" y="{y + 20}">{name.replace("_", " ")}</text>')
    return "\n".join([*lines, "</svg>\n"])


def table() -> str:
    rows = ["| | state | may be followed by |", "|---|---|---|"]
    rows += [f"| {number} | `{name}` | {_listed(after)} |" for number, (name, after) in enumerate(states().items())]
    return "\n".join(rows) + "\n"


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def renewed(text: str) -> str:
    """The page with its table as the firmware has it."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
