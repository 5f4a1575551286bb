"""The arguments of the commands that simulate a shoe: demo, web, sim, scenario."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fairshoe.cli.options import add_key, add_simulation
from fairshoe.sim.scenario_cases import scenario_names


def add_demo(command: argparse.ArgumentParser) -> None:
    scenario: Any = command.add_argument(
        "scenario", nargs="?", metavar="SCENARIO", help="a name, a file or FILE:CASE (what fits the game and the board)"
    )
    scenario.completes = scenario_names()
    add_simulation(command, speed=6.0)


SIM_PORT = 8023
TCP_PORT_MAX = 65535


def add_web(web: argparse.ArgumentParser) -> None:
    web.add_argument("port", nargs="?", metavar="PORT", help="a shoe to show live: serial device, tcp:// or sim:// URL")
    web.add_argument(
        "--port",
        dest="serve",
        type=_tcp_port,
        metavar="N",
        help=f"TCP port of the server; 0 takes any free one ({SIM_PORT}; live: 0)",
    )
    web.add_argument("--no-open", action="store_true", help="only serve; open no browser")
    web.add_argument("--write", type=Path, metavar="FOLDER", help="write the page as a static site, and serve nothing")
    add_key(web)
    web.add_argument("--listen", action="store_true", help="live: send nothing whatever, as on a tap")
    web.add_argument("--control", action="store_true", help="live: be the host, and give commands from the page")
    web.add_argument("--board", metavar="NAME", help="live: the machine to draw: a name or .json file")


def _tcp_port(text: str) -> int:
    if not text.isdecimal() or int(text) > TCP_PORT_MAX:
        raise argparse.ArgumentTypeError(f"a number between 0 and {TCP_PORT_MAX}, not {text!r}")
    return int(text)


def add_sim(sim: argparse.ArgumentParser) -> None:
    add_simulation(sim, speed=1.0)
    sim.add_argument(
        "--dealer",
        choices=["none", "hands", "auto"],
        default="none",
        help="auto: a simulated dealer plays round after round; hands: it moves cards, and a table system sends "
        "commands; none: you type (%(default)s)",
    )
    sim.add_argument("--hands", action="store_true", help="end when standard input ends")
    sim.add_argument(
        "--json",
        action="store_true",
        help="print the ports as one line of JSON; with --hands also each action done",
    )
    sim.add_argument("--display", action="store_true", help="print the dealer's display whenever it changes")
    sim.add_argument("--key-file", metavar="F", help="a device key for the simulated device")
    sim.add_argument("--storage", metavar="FILE", help="keep the shoe's memory in this file between runs")
    sim.add_argument(
        "--tcp", metavar="HOST:PORT", help="the table port over TCP too; PORT alone listens on this machine only"
    )
    sim.add_argument("--truth", default="", metavar="FILE", help="in what the machine differs from its board config")
    sim.add_argument("--mode", choices=["report_only", "table"], help="link mode, in place of the board config's")


def add_scenario(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="list the scenarios that belong to this version")
    run_parser = actions.add_parser(
        "run",
        help="play scenarios and check what they expect",
        description="Plays scenarios and says whether everything happened as the files expect. The same file gives "
        "the same transcript on both VMs.",
        epilog=command.epilog,
    )
    file: Any = run_parser.add_argument(
        "file", nargs="+", type=Path, metavar="FILE", help="a name, a file, FILE:CASE, or a folder"
    )
    file.completes = scenario_names()
    run_parser.add_argument("--vm", choices=["cpython", "micropython"], default="cpython", help="(%(default)s)")
    run_parser.add_argument("--transcript", type=Path, metavar="OUT", help="write what happened; - prints it in words")
    run_parser.add_argument("--json", action="store_true", help="results as JSON")
