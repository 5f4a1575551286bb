"""Put the machine on a second Pico, and give it orders: `make twin PORT=...` (docs/TESTING.md).

python -m twin PORT --install pico-shoe          its files; any MicroPython 1.28 with a prompt, or a bench image
python -m twin PORT "load 12" status             orders, one answer each
python -m twin PORT --scenario shoe-double-feed-aligned                  the faults of a scenario file
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from fairshoe.errors import FairshoeError
from fairshoe.ship.build import read_config
from fairshoe.ship.device_files import Device
from fairshoe.ship.flash import FlashPermissions, apply, plan_for
from fairshoe.ship.prompt import reach
from fairshoe.sim.scenario_cases import by_name, read_place
from fairshoe.transport.urls import Port, PortAddress
from twin.files import ROOT, twin_files

ANSWER_S = 5.0
REACH_S = 30.0


def install(port: str, board: str, seed: int) -> None:
    files = twin_files(read_config(board, ROOT), seed)
    prompt = reach(PortAddress(port).open, port, REACH_S, print)
    try:
        device = Device(prompt)
        apply(device, files, plan_for(device, files, FlashPermissions(clean=True)), lambda _name, _sent, _total: None)
        device.reset()
    finally:
        prompt.close()
    print(f"{len(files)} files, {sum(map(len, files.values()))} bytes; the second Pico starts and says @ ready at USB")


def ask(line: Port, order: str) -> str:
    """The answer to an order, or what to do if none comes."""
    line.write(order.encode() + b"\n")
    heard = bytearray()
    until = time.monotonic() + ANSWER_S
    while time.monotonic() < until:
        heard += line.read(256)
        for text in heard.decode("utf-8", "replace").splitlines(keepends=True):
            if text.startswith(("@ ok", "@ refused", "@ {")) and text.endswith("\n"):
                return text[2:].strip()
    raise FairshoeError("the second Pico does not answer.", "Is this its port? python -m twin PORT --install BOARD.")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="twin", description="A second Pico as the machine: install it, order it.")
    parser.add_argument("port", help="serial port of the second Pico")
    parser.add_argument("orders", nargs="*", help="load N, take, open, clear, close, status, a fault as JSON, ...")
    parser.add_argument("--install", metavar="BOARD", help="write its files for this board, all others are deleted")
    parser.add_argument("--seed", type=int, default=7, help="of the machine that is installed (default %(default)s)")
    parser.add_argument("--scenario", metavar="FILE[:CASE]", help="first the faults of this scenario")
    options = parser.parse_intermixed_args(argv)
    try:
        if options.install:
            install(options.port, options.install, options.seed)
            return 0
        faults: list[Any] = read_place(by_name(Path(options.scenario)))["faults"] if options.scenario else []
        line = PortAddress(options.port).open()
        try:
            answers = [ask(line, order) for order in [*map(json.dumps, faults), *options.orders]]
        finally:
            line.close()
    except FairshoeError as error:
        print(f"twin: {error}", file=sys.stderr)
        return 1
    print("\n".join(answers))
    return 1 if any(answer.startswith("refused") for answer in answers) else 0


if __name__ == "__main__":
    sys.exit(main())
