"""A bare Pico over USB: what emulator/bare.py prints there, as figures and as one file to send.

`make hil PORT=/dev/ttyACM0`, or `make hil PORT=emulated UF2=...` for the emulated one behind a serial port.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from fairshoe.errors import FairshoeError
from fairshoe.ship.prompt import reach
from fairshoe.transport.urls import PortAddress
from hil import report
from hil.board import ROOT

SCRIPT = ROOT / "tools" / "emulator" / "bare.py"
FOLDER = ROOT / "build" / "hil"
EMULATED = "emulated"
REACH_S = 60.0
SILENCE_S = 120.0  # an emulated Pico may be slow
NEEDED = "Put a bench image on it (make image BENCH=1) and connect its USB; nothing else is wired."


def printed(port: str) -> str:
    prompt = reach(PortAddress(port).open, port, REACH_S, lambda text: print(text, file=sys.stderr))
    try:
        return prompt.run(SCRIPT.read_text(encoding="utf-8"), SILENCE_S)
    finally:
        prompt.close()


def measure_emulated(uf2: str) -> int:
    """The same through a serial port of this computer, with the emulated Pico behind it."""
    command = [sys.executable, "-m", "emulator.serial_bridge", uf2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bridge:
        assert bridge.stdout is not None
        try:
            return measure(bridge.stdout.readline().strip())
        finally:
            bridge.terminate()


def rows_of(said: report.Printed) -> list[report.Row]:
    """Most have no budget of their own: they stand beside those of the emulated chip."""
    least, mean, worst = (int(figure) for figure in said["interrupt"])
    count, scan_mean, scan_worst, used, free = (int(figure) for figure in said["scans"])
    noise = bytes.fromhex(said["noise"][0])
    ones = sum(byte.bit_count() for byte in noise)
    return [
        report.Row("system clock", int(said["clock"][0]) / 1e6, "MHz"),
        report.Row("a miss of the cache of flash", int(said["miss"][0]), "cycles"),
        report.Row("from an edge to its handler, least", least, "us"),
        report.Row("from an edge to its handler, mean", mean, "us"),
        report.Row("from an edge to its handler, worst", worst, "us"),
        report.Row("scans at rest", count),
        report.Row("scan at rest, mean", scan_mean, "us"),
        report.Row("scan at rest, worst", scan_worst, "us", report.WATCHDOG_US),
        report.Row("heap in use", used, "bytes"),
        report.Row("heap free", free, "bytes", report.FREE_MIN, at_least=True),
        report.Row("ones in the raw noise", round(ones * 100 / (8 * len(noise)), 1), "%"),
    ]


def measure(port: str, folder: Path = FOLDER) -> int:
    """Print the figures and write them with all that was printed; the exit status."""
    try:
        text = printed(port)
    except FairshoeError as error:
        print(f"hil: {error}\n{NEEDED}", file=sys.stderr)
        return 1
    said = report.words_of(text)
    rows = rows_of(said)
    board = next(word for word in said["identity"] if word.startswith("board=")).removeprefix("board=")
    title = f"{board}, bare: fairshoe {' '.join(said['version'])}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{board}.json"
    file.write_text(json.dumps({**report.as_json(title, rows, {}), "printed": said}, indent=1), encoding="utf-8")
    print(report.table(title, rows, {}, f"Send {file}"))
    return 0
