"""`fairshoe sim`: run a simulated shoe that any program can open, and read the dealer's actions from standard input."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fairshoe.boards import configs
from fairshoe.cli.options import DEFAULT_GAME
from fairshoe.games import profiles
from fairshoe.keys import read_device_key
from fairshoe.printable import say
from fairshoe.sim import running_shoes, tcp_server
from fairshoe.text.screen import framed
from firmware.version import VERSION_TEXT


def run(options: argparse.Namespace) -> int:
    from fairshoe.sim.pty_server import Simulator, lines_of_stdin, serve

    config, crc = configs.load_board(options.board)
    key = read_device_key(Path(options.key_file)) if options.key_file else None
    game = options.game or config.get("game", DEFAULT_GAME)
    profiles.set_table(config, options.table)
    if options.mode:
        config["link"]["mode"] = options.mode
    tcp = tcp_server.address(options.tcp) if options.tcp else None
    words = (options.dealer, options.truth)
    simulator = Simulator(config, crc, game, options.seed, options.speed, key, options.storage, tcp, *words)
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
        "device": f"{simulator.rig.hal.unique_id():08x}",
        "firmware": VERSION_TEXT.decode(),
    }
    if options.hands and options.json:
        simulator.obeyed = _print_obeyed
    with running_shoes.registered(ready):
        _say_ready(ready, options.json)
        lines = lines_of_stdin()
        if options.display:
            simulator.shown = _print_display_json if options.json else partial(_print_display, lines.show)
        port = ready["port"] or ready["tcp"]
        simulator.waits = _print_waits_json if options.json else partial(_print_waits, lines.say, port)
        return serve(simulator, lines, options.hands)


def _say_ready(ready: dict[str, Any], as_json: bool) -> None:
    if as_json:
        say(json.dumps(ready), flush=True)
        return
    say(f"simulated shoe: board {ready['board']}, game {ready['game']}, seed {ready['seed']}")
    rows = (
        ("table port", ready["port"], "open this one"),
        ("table port", ready["tcp"], "the same over TCP, one client at a time" if ready["port"] else "open this one"),
        ("tap", ready["tap"], "repeats what the shoe sends, for a second program"),
        ("service port", ready["service"], "the link while the key switch is on"),
    )
    for name, port, about in rows:
        if port:
            say(f"  {name:13s} {port:12s} ({about})")
    say("type help for the actions of the dealer, quit to end", flush=True)


def _print_display(show: Callable[[str], None], lines: list[str]) -> None:
    show("\n".join(framed(lines)))


def _print_display_json(lines: list[str]) -> None:
    say(json.dumps({"display": lines}), flush=True)


def _print_waits(show: Callable[[str], None], port: str, waiting: bool) -> None:
    host = f"fairshoe monitor {port} --host"
    full = f"the journal is full: the dealer waits until a host has stored its events, for example {host}"
    show(full if waiting else "the events are stored: the dealer goes on")


def _print_waits_json(waiting: bool) -> None:
    say(json.dumps({"waits_for_host": waiting}), flush=True)


def _print_obeyed(action: str) -> None:
    say(json.dumps({"did": action}), flush=True)
