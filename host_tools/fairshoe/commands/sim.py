"""`fairshoe sim`: run a simulated shoe that any program can open, and read the dealer's actions from standard input."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from fairshoe.boards import configs
from fairshoe.cli.options import DEFAULT_GAME, add_simulation
from fairshoe.games import profiles
from fairshoe.keys import read_device_key
from fairshoe.sim import running_shoes, tcp_server
from fairshoe.text.screen import framed

EPILOG = """\
examples:
  fairshoe sim                     you are the dealer: load 52, press green ...
  fairshoe keys new keys
  fairshoe sim --key-file keys/device.key --mode table
      a shoe that takes commands: fairshoe round, in a second terminal
  fairshoe sim --tcp 4001          over TCP too: monitor tcp://127.0.0.1:4001
  fairshoe sim --game boston-5-stud --display
      another game; show what the dealer's display says

`fairshoe ports` lists the simulated shoes that run on this machine.
"""


def add_arguments(sim: argparse.ArgumentParser) -> None:
    sim.description = (
        "Runs a simulated shoe behind a pseudo-terminal that any serial program can open. Actions of a "
        "dealer's hands are read from standard input, one a line: load N, press close|lock|seat|green|ack, take, lift, "
        "open, clear, close, key on|off, draw MS, litter N, jam PLACE:NTH:UM, misfeed NTH:TIMES, quit."
    )
    sim.epilog = EPILOG
    add_simulation(sim, speed=1.0)
    sim.add_argument("--hands", action="store_true", help="end when standard input ends")
    sim.add_argument(
        "--json",
        action="store_true",
        help="say where the ports are as one line of JSON; with --hands also when an action has been carried out",
    )
    sim.add_argument("--display", action="store_true", help="print what the dealer's display says, whenever it changes")
    sim.add_argument("--key-file", metavar="F", help="a device key for the simulated device")
    sim.add_argument("--storage", metavar="FILE", help="what the shoe remembers is kept here from run to run")
    sim.add_argument(
        "--tcp", metavar="HOST:PORT", help="the table port over TCP too; PORT alone is for this machine only"
    )
    sim.add_argument("--mode", choices=["report_only", "table"], help="instead of the board's link mode")


def run(options: argparse.Namespace) -> int:
    from fairshoe.sim.pty_server import Simulator, serve

    config, crc = configs.load_board(options.board)
    key = read_device_key(Path(options.key_file)) if options.key_file else None
    game = options.game or config.get("game", DEFAULT_GAME)
    profiles.set_table(config, options.table)
    if options.mode:
        config["link"]["mode"] = options.mode
    tcp = tcp_server.address(options.tcp) if options.tcp else None
    simulator = Simulator(config, crc, game, options.seed, options.speed, key, options.storage, tcp)
    ready: dict[str, Any] = {
        "port": simulator.table.path,
        "tap": simulator.tap.path,
        "service": simulator.service.path,
        "tcp": simulator.door.url if simulator.door else None,
        "board": config["name"],
        "game": game if isinstance(game, str) else "house",
        "seed": options.seed,
        "speed": options.speed,
        "has_key": key is not None,
    }
    if options.display:
        simulator.shown = _print_display_json if options.json else _print_display
    if options.hands and options.json:
        simulator.obeyed = _print_obeyed
    with running_shoes.registered(ready):
        _say_ready(ready, options.json)
        return serve(simulator, options.hands)


def _say_ready(ready: dict[str, Any], as_json: bool) -> None:
    from fairshoe.sim.pty_server import ACTION_HELP

    if as_json:
        print(json.dumps(ready), flush=True)
        return
    print(f"simulated shoe: board {ready['board']}, game {ready['game']}, seed {ready['seed']}")
    print(f"  table port  {ready['port']}")
    if ready["tcp"]:
        print(f"              {ready['tcp']}   (the same, one client at a time)")
    print(f"  tap         {ready['tap']}   (repeats what the shoe sends)")
    print(f"  service     {ready['service']}   (the link while the key switch is on)")
    print(f"  hands       {ACTION_HELP}", flush=True)


def _print_display(lines: list[str]) -> None:
    print("\n".join(framed(lines)), flush=True)


def _print_display_json(lines: list[str]) -> None:
    print(json.dumps({"display": lines}), flush=True)


def _print_obeyed(action: str) -> None:
    print(json.dumps({"did": action}), flush=True)
