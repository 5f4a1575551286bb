"""The command line. It prints and asks; everything it decides is decided in the library."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

import fairshoe
from fairshoe import boards, demo
from fairshoe.errors import FairshoeError
from fairshoe.messages import Event, Status
from fairshoe.screen import Screen
from fairshoe.shoe import Shoe

DEFAULT_BOARD = "pico-carousel"
DEFAULT_GAME = "caribbean-stud"
EXIT_INTERRUPTED = 130

EPILOG = """\
examples:
  fairshoe demo                          four rounds on a simulated shoe, a short deck and a jam among them
  fairshoe sim                           a simulated shoe on a serial device path; type `load 52`, `press green`
  fairshoe monitor /dev/ttyACM0          what a shoe is doing, live
  fairshoe config check my-board.json    whether a board config can work

exit status: 0 done, 1 it went wrong, 2 usage, 3 board or game, 4 port cannot be opened, 5 port lost,
6 no answer, 7 simulator, 130 interrupted
"""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="fairshoe",
        description="Host tools for fairshoe card shoes and shufflers.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"fairshoe {fairshoe.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    play = commands.add_parser("demo", help="play rounds on a simulated shoe and show them live")
    _simulation(play, speed=6.0)
    sim = commands.add_parser(
        "sim",
        help="run a simulated shoe behind a pseudo-terminal",
        description="Runs a simulated shoe behind a pseudo-terminal that any serial program can open. Actions of a "
        "dealer's hands are read from standard input, one a line: load N, press close|lock|seat|green|ack, take, open, "
        "clear, close, jam PLACE:NTH:UM, misfeed NTH:TIMES, quit.",
    )
    _simulation(sim, speed=1.0)
    sim.add_argument("--hands", action="store_true", help="end when standard input ends")
    sim.add_argument("--json", action="store_true", help="say where the ports are as one line of JSON")
    monitor = commands.add_parser("monitor", help="show what a shoe is doing, live")
    monitor.add_argument("port", help="serial device or pyserial URL; a simulator's tap as well")
    monitor.add_argument("--host", action="store_true", help="be the host: say hello and acknowledge events")
    monitor.add_argument("--json", action="store_true", help="one JSON object a line")
    monitor.add_argument("--quiet-s", type=float, default=None, metavar="S", help="end after S seconds of silence")
    config = commands.add_parser("config", help="board configs").add_subparsers(dest="action", required=True)
    check = config.add_parser("check", help="say whether board configs can work")
    check.add_argument("board", nargs="+", help="a board's name or the path of a .json file")
    return top


def _simulation(command: argparse.ArgumentParser, speed: float) -> None:
    command.add_argument("--board", default=DEFAULT_BOARD, help="a board's name or a .json file (%(default)s)")
    command.add_argument("--game", default=DEFAULT_GAME, help="the game that is played (%(default)s)")
    command.add_argument("--seed", type=int, default=1, help="one seed gives one run (%(default)s)")
    command.add_argument("--speed", type=_speed, default=speed, help="times real time (%(default)s)")


def _speed(text: str) -> float:
    value = float(text)
    if not 0.1 <= value <= 50:
        raise argparse.ArgumentTypeError("between 0.1 and 50")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return _COMMANDS[options.command](options)
    except FairshoeError as error:
        print(f"fairshoe: {error.what}\n          {error.advice}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("\nfairshoe: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough; point stdout elsewhere so that the exit is quiet as well.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _demo(options: argparse.Namespace) -> int:
    # Checked here too, so that a mistake is told once and not by a child process.
    from fairshoe.simulator import check_game

    boards.load_board(options.board)
    check_game(options.game)
    arguments = ["--board", options.board, "--game", options.game]
    arguments += ["--seed", str(options.seed), "--speed", str(options.speed)]
    return demo.run(arguments, options.speed, Screen())


def _sim(options: argparse.Namespace) -> int:
    from fairshoe.simulator import ACTION_HELP, Simulator, serve

    config, crc = boards.load_board(options.board)
    simulator = Simulator(config, crc, options.game, options.seed, options.speed)
    port, tap = simulator.table.path, simulator.tap.path
    if options.json:
        ready = {"port": port, "tap": tap, "board": config["name"], "game": options.game, "seed": options.seed}
        print(json.dumps(ready), flush=True)
    else:
        print(f"simulated shoe: board {config['name']}, game {options.game}, seed {options.seed}")
        print(f"  table port  {port}\n  tap         {tap}   (repeats what the shoe sends)")
        print(f"  hands       {ACTION_HELP}", flush=True)
    return serve(simulator, options.hands)


def _monitor(options: argparse.Namespace) -> int:
    screen = Screen()
    with Shoe.open(options.port) if options.host else Shoe.listen(options.port) as shoe:
        try:
            for message in shoe.messages(options.quiet_s):
                if options.json and isinstance(message, (Event, Status)):
                    print(json.dumps({"message": message.NAME, **asdict(message)}), flush=True)
                elif not options.json:
                    screen.show(message)
        finally:
            screen.finish()
    return 0


def _config(options: argparse.Namespace) -> int:
    for name in options.board:
        config, crc = boards.load_board(name)
        print(f"{name}: good ({config['mechanism']['kind']} on {config['mcu']['board']}, crc {crc:08x})")
    return 0


_COMMANDS = {"demo": _demo, "sim": _sim, "monitor": _monitor, "config": _config}


if __name__ == "__main__":
    sys.exit(main())
