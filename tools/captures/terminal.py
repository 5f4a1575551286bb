"""Runs the commands of a capture in a pseudo-terminal, and draws the screen as SVG: its text can be selected."""

from __future__ import annotations

import fcntl
import importlib
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import termios
import time
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from captures.catalogue import Capture

ROOT = Path(__file__).resolve().parents[2]
STEP_S, SETTLE_S = 60.0, 1.0
ROWS_ALL = 200  # of a capture that shows everything: more than any of them writes
CELL_W, CELL_H, MARGIN = 8.4, 18, 14
FONTS = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
BACKGROUND, FOREGROUND = "#12181b", "#d5dcd8"
# Each has a contrast of at least 4.5 to 1 on the background.
COLOURS = {
    **{"default": FOREGROUND, "red": "#ff8a7a", "green": "#6fd39a", "brown": "#e3c168", "blue": "#84b5f5"},
    **{"magenta": "#d9a3e8", "cyan": "#7fd3d8", "brightblack": "#95a19f", "brightred": "#ffa598"},
}


def picture(capture: Capture, folder: Path) -> str:
    # Nothing of the machine or of who runs it: no settings, no other simulators.
    homes = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
    path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    clean = {"PATH": path, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC", "ROOT": str(ROOT)}
    environment = {**clean, **dict.fromkeys(homes, str(folder))}
    for command in capture.before:
        subprocess.run(command, shell=True, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    text = ""
    for command in capture.shown:
        text += "\r\n" * bool(text) + f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\r\n"
        text += _run(command, capture, folder, environment)
    text = re.sub(r"/dev/tty[^\n]*\n", "", text)  # ports of this machine
    text = text.replace(f"{folder}/", "").replace(str(folder), "~")
    text = re.sub(r"\bprocess \d+", "process 4711", re.sub(r"\b20\d{6}-\d{6}\b", "20260301-101500", text))
    return _drawn(re.sub(r"/dev/pts/\d+", "/dev/pts/7", text), capture)


def _run(command: str, capture: Capture, folder: Path, environment: dict[str, str]) -> str:
    """What it writes: to its end, or to that of the line with `until`; of a live view, what is there a second later."""
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", capture.rows or ROWS_ALL, capture.columns, 0, 0))
    process = subprocess.Popen(
        shlex.split(command), cwd=folder, env=environment, stdin=far, stdout=far, stderr=far, start_new_session=True
    )
    os.close(far)
    text, end = "", time.monotonic() + STEP_S
    while select.select([near], [], [], max(0.0, end - time.monotonic()))[0]:
        try:
            text += os.read(near, 65536).decode("utf-8", "replace")
        except OSError:  # it has ended
            break
        if capture.until and capture.until in text:
            end = min(end, time.monotonic() + SETTLE_S)
    os.close(near)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if capture.until and not capture.live:  # the rest of its line
        text = text[: text.index("\n", text.index(capture.until)) + 1]
    return text


def _drawn(text: str, capture: Capture) -> str:
    pyte: Any = importlib.import_module("pyte")
    screen = pyte.Screen(capture.columns, capture.rows or ROWS_ALL)
    # pyte knows no faint text; bright black is how terminals show it.
    pyte.Stream(screen).feed(text.replace("\x1b[2m", "\x1b[90m"))
    rows = max(number for number, row in enumerate(screen.display, 1) if row.strip())
    width, height = capture.columns * CELL_W + 2 * MARGIN, rows * CELL_H + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'font-family="{FONTS}" font-size="14" fill="{FOREGROUND}">',
        f"<title>{escape(capture.title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{BACKGROUND}"/>',
    ]
    for row in range(rows):
        cells = [(column, screen.buffer[row][column]) for column in range(capture.columns)]
        for (colour, bold), run in groupby(cells, key=lambda cell: (cell[1].fg, cell[1].bold)):
            columns = [*run]
            shown = "".join(char.data for _column, char in columns).rstrip()
            if shown:
                extra = f' fill="{COLOURS.get(colour, "#" + colour)}"' if colour != "default" else ""
                extra += ' font-weight="bold"' if bold else ""
                x, y = MARGIN + columns[0][0] * CELL_W, MARGIN + row * CELL_H + CELL_H - 5
                # The length is said, so that columns stand under each other in whatever font the reader has.
                lines.append(
                    f'<text x="{x:g}" y="{y:g}" textLength="{len(shown) * CELL_W:g}" '
                    f'lengthAdjust="spacingAndGlyphs" xml:space="preserve"{extra}>{escape(shown, quote=False)}</text>'
                )
    return "\n".join([*lines, "</svg>", ""])
