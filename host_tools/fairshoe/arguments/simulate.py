"""The arguments and examples of the commands that simulate a shoe: demo, web, sim, scenario, replay."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fairshoe.cli.options import add_key, add_simulation
from fairshoe.sim.scenario_cases import scenario_names

DEMO_EXAMPLES = """\
examples:
  fairshoe demo                    two rounds, a short deck and a jam; 30 s
  fairshoe demo --game boston-5-stud
      another game, by its own procedure
  fairshoe demo --board pico-shelves
      another machine
  fairshoe demo --speed 1          as slow as a real shoe
"""


def add_demo(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Plays rounds on a simulated shoe: good ones, a deck with a card too few, a jam. What you see are the events "
        "that the shoe sends to a table system. At a terminal the shoe runs on afterwards, until you press Enter."
    )
    command.epilog = DEMO_EXAMPLES
    add_simulation(command, speed=6.0)


SIM_PORT = 8023
TCP_PORT_MAX = 65535
WEB_EXAMPLES = """\
examples:
  fairshoe web                     the bench page: a simulated shoe
  fairshoe web /dev/ttyACM0        a shoe, live; or tcp://HOST:N, sim://...
  fairshoe web PORT --key-file observer.key
      all events of a shoe that has a key; the key stays in this process
  fairshoe web PORT --control --key-file table.key
      be its host: store events, and give commands from the page
  fairshoe web PORT --control --board my.json --key-file service.key
      also lead through bring-up, as fairshoe bringup does

With PORT the page shows what a host may know: status, events, meters; no slot
and no order. It acknowledges nothing, so the table system still receives every
event. The URL has a token: the page works only with it, and only on this
machine. To look on from another one: ssh -L.
"""


def add_web(web: argparse.ArgumentParser) -> None:
    web.description = (
        "Shows a simulated shoe in a browser: the firmware runs on the MicroPython VM in the page, with a machine that "
        "can be seen, handled and broken (docs/BENCH_PAGE.md). With PORT it shows a shoe, live and read only. The "
        "server answers on this machine only."
    )
    web.epilog = WEB_EXAMPLES
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
    web.add_argument("--board", metavar="NAME", help="live: the machine to draw or bring up: a name or .json file")


def _tcp_port(text: str) -> int:
    if not text.isdecimal() or int(text) > TCP_PORT_MAX:
        raise argparse.ArgumentTypeError(f"a number between 0 and {TCP_PORT_MAX}, not {text!r}")
    return int(text)


SIM_EXAMPLES = """\
examples:
  fairshoe sim                     you are the dealer: type help for a list
  fairshoe sim --dealer auto       a simulated dealer plays round after round
  fairshoe keys new keys
  fairshoe sim --key-file keys/device.key --mode table
      a shoe that takes commands: fairshoe round, in a second terminal
  fairshoe sim --tcp 4001          over TCP too: monitor tcp://127.0.0.1:4001
  fairshoe sim --game boston-5-stud --display
      another game; show what the dealer's display says

`fairshoe ports` lists the simulated shoes that run on this machine.
"""


def add_sim(sim: argparse.ArgumentParser) -> None:
    sim.description = (
        "Runs a simulated shoe on a serial device path that any program can open. You are the dealer: type actions, "
        "one a line; help lists them. Where there are no pseudo-terminals (Windows) give --tcp."
    )
    sim.epilog = SIM_EXAMPLES
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
    sim.add_argument("--mode", choices=["report_only", "table"], help="link mode, in place of the board config's")


SCENARIO_EXAMPLES = """\
examples:
  fairshoe scenario list
      the scenarios that belong to this version
  fairshoe scenario run carousel-card-under-the-rail --transcript -
      play one of them, and print what happened
  fairshoe scenario run my-fault.json --vm micropython
      a file of your own, on the MicroPython VM

exit status: 0 all as expected, 1 one was not, 3 a file cannot be played
More: fairshoe docs SCENARIOS
"""


def add_scenario(command: argparse.ArgumentParser) -> None:
    command.description = "Plays stories from files on the simulated machine: good rounds, and every fault."
    command.epilog = SCENARIO_EXAMPLES
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="list the scenarios that belong to this version")
    run_parser = actions.add_parser(
        "run",
        help="play scenarios and check what they expect",
        description="Plays scenarios and says whether everything happened as the files expect. The same file gives "
        "the same transcript on both VMs.",
        epilog=SCENARIO_EXAMPLES,
    )
    file: Any = run_parser.add_argument(
        "file", nargs="+", type=Path, metavar="FILE", help="a name, a file, FILE:CASE, or a folder"
    )
    file.completes = scenario_names()
    run_parser.add_argument("--vm", choices=["cpython", "micropython"], default="cpython", help="(%(default)s)")
    run_parser.add_argument("--transcript", type=Path, metavar="OUT", help="write what happened; - prints it in words")
    run_parser.add_argument("--json", action="store_true", help="results as JSON")


PAGE = f"http://127.0.0.1:{SIM_PORT}/"
REPLAY_EXAMPLES = """\
examples:
  fairshoe replay shoe-17.journal          the last stop of an export
  fairshoe replay shoe-17.journal --number 214
  fairshoe replay capture.bin              of a capture, as decode reads it
  fairshoe replay 00510001/9f3c/214        of the store: device, log, number
  fairshoe replay /dev/ttyACM0             of the journal that a shoe has
  fairshoe replay shoe-17.journal --serve  and open it in the browser

The link opens the bench page at the stop, paused. It names no card of the real
deck: no journal has the order. docs/BENCH_PAGE.md says what is guessed.
"""


def add_replay(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Turns what a device journaled before a stop into a link that opens the bench page at that moment, on a "
        "simulated shoe with the same board, game and course, to see it, step through it and vary it."
    )
    command.epilog = REPLAY_EXAMPLES
    command.add_argument(
        "source",
        metavar="EXPORT|CAPTURE|EVENT|PORT",
        help="a file of `journal pull`, a capture, DEVICE/LOG/NUMBER of an event in the store, or a shoe to read",
    )
    command.add_argument("--number", type=int, metavar="N", help="the stop at or before event N, instead of the last")
    command.add_argument("--board", default="", metavar="NAME", help="the board, where the records do not tell")
    command.add_argument("--game", default="", metavar="NAME", help="the game, where the records do not tell")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of the simulated shoe (1)")
    command.add_argument("--page", default=PAGE, metavar="URL", help=f"where the bench page is served ({PAGE})")
    command.add_argument("--serve", action="store_true", help="serve the page from here, and open the link")
    command.add_argument("--json", action="store_true", help="print one object: link, same, reconstructed, guessed")
    add_key(command)
    command.add_argument("--store", metavar="FILE", help="the store that has the event (that of the settings)")
