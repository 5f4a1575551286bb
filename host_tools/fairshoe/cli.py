"""The command line. It prints and asks; everything it decides is decided in the library."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import fairshoe
from fairshoe import audit, boards, decode, demo, demo_stories, games, journal_cli, provision, scenario, shuffle_test
from fairshoe.describe import describe_reason
from fairshoe.errors import BoardError, FairshoeError, UsageError
from fairshoe.keys import read_device_key, read_key
from fairshoe.messages import ALL, Command, Event, Meters, Record, Role, Status
from fairshoe.operations import Operations, default_path
from fairshoe.records import record_from_words
from fairshoe.screen import Screen, framed
from fairshoe.shoe import Pending, Shoe

DEFAULT_BOARD = "pico-carousel"
DEFAULT_GAME = "caribbean-stud"
EXIT_INTERRUPTED = 130

EPILOG = """\
examples:
  fairshoe demo                          rounds on a simulated shoe, a short deck and a jam among them
  fairshoe sim                           a simulated shoe on a serial device path; type `load 52`, `press green`
  fairshoe monitor /dev/ttyACM0          what a shoe is doing, live
  fairshoe command /dev/ttyACM0 shuffle --key-file shoe.key
                                         one command, and how it ended
  fairshoe command /dev/ttyACM0 record cut 26 dealer --key-file shoe.key
                                         what no sensor sees: docs/GAMES.md
  fairshoe decode capture.bin            what is in a recording of the line, and what was damaged
  fairshoe audit shuffle --seed 5a.. --commitment c3.. --cards 52
                                         whether a disclosed seed is the one committed to, and its order
  fairshoe provision /dev/ttyACM0 --out keys/shoe-12
                                         a device's first key, at its service port with the key switch on
  fairshoe journal pull /dev/ttyACM0 -o shift.journal --key-file observer.key
  fairshoe journal verify shift.journal --key-file seal.key
                                         the device's records as a file, and proof that nothing was changed
  fairshoe config check my-board.json    whether a board config can work
  fairshoe game check my-game.json       whether a game can be played
  fairshoe shuffle-test --html page.html statistical evidence that the shuffle is uniform

exit status: 0 done, 1 it went wrong, 2 usage, 3 board or game, 4 port cannot be opened, 5 port lost,
6 no answer, 7 simulator, 8 not a fairshoe capture, 9 operation numbers, 10 key file, 11 refused by the device,
12 scenario file, 13 audit: not what was committed to, 14 audit: nothing to hold it against, 15 journal altered or
incomplete, 16 journal: nothing to verify against, 17 not the journal that the file has, 130 interrupted
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
        "dealer's hands are read from standard input, one a line: load N, press close|lock|seat|green|ack, take, lift, "
        "open, clear, close, key on|off, draw MS, litter N, jam PLACE:NTH:UM, misfeed NTH:TIMES, quit.",
    )
    _simulation(sim, speed=1.0)
    sim.add_argument("--hands", action="store_true", help="end when standard input ends")
    sim.add_argument("--json", action="store_true", help="say where the ports are as one line of JSON")
    sim.add_argument("--display", action="store_true", help="print what the dealer's display says, whenever it changes")
    sim.add_argument("--key-file", metavar="F", help="a device key for the simulated device")
    sim.add_argument("--storage", metavar="FILE", help="what the shoe remembers is kept here from run to run")
    sim.add_argument("--mode", choices=["report_only", "table"], help="instead of the board's link mode")
    monitor = commands.add_parser("monitor", help="show what a shoe is doing, live")
    monitor.add_argument("port", help="serial device or pyserial URL; a simulator's tap as well")
    monitor.add_argument("--host", action="store_true", help="be the host: say hello and acknowledge events")
    monitor.add_argument("--key-file", metavar="F", help="with --host: an authenticated session as observer")
    monitor.add_argument("--json", action="store_true", help="one JSON object a line")
    monitor.add_argument("--quiet-s", type=float, default=None, metavar="S", help="end after S seconds of silence")
    _add_command(commands)
    _add_decode(commands)
    audit.add_parser(commands)
    journal_cli.add_parser(commands)
    provision.add_parser(commands)
    scenario.add_parser(commands)
    games.add_parser(commands)
    shuffle_test.add_parser(commands)
    config = commands.add_parser("config", help="board configs").add_subparsers(dest="action", required=True)
    check = config.add_parser("check", help="say whether board configs can work")
    check.add_argument("board", nargs="+", help="a board's name or the path of a .json file")
    check.add_argument("--json", action="store_true", help="one JSON object a line and board")
    return top


def _add_command(commands: Any) -> None:
    names = sorted(cls.NAME.replace("_", "-") for cls in ALL if issubclass(cls, Command))
    command = commands.add_parser(
        "command",
        help="give a shoe one command and wait for its outcome",
        description="Gives one command in an authenticated session. Its number is remembered, so that a command whose "
        "answer was lost can be asked about again (--resume) and never acts twice.",
    )
    command.add_argument("port", help="serial device or pyserial URL")
    command.add_argument("name", nargs="?", choices=names, metavar="NAME", help=", ".join(names))
    command.add_argument(
        "argument",
        nargs="*",
        help="set-positions: how many; record: what, and its numbers as docs/GAMES.md has them: record cut 26 dealer",
    )
    command.add_argument("--key-file", required=True, metavar="F", help="the key of the role, mode 600")
    command.add_argument("--role", choices=["table", "service"], default="table")
    command.add_argument("--resume", action="store_true", help="ask about the last command that was never answered")
    command.add_argument("--timeout-s", type=float, default=120.0, metavar="S")
    command.add_argument("--json", action="store_true", help="the outcome as JSON")


def _add_decode(commands: Any) -> None:
    command = commands.add_parser(
        "decode",
        help="print the frames of a capture or of a live port",
        description="Prints every frame as one line, and exactly where and why bytes were dropped; a summary goes to "
        "standard error. Nothing is ever sent.",
    )
    command.add_argument("source", metavar="FILE|-|PORT", help="a capture, binary or hex text; with --follow a port")
    command.add_argument("--hex", action="store_true", help="the file is hex text, even if it does not look like it")
    command.add_argument("--follow", action="store_true", help="read a live port or pyserial URL until interrupted")
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    command.add_argument("--key-file", metavar="F", help="check MACs of sessions whose welcome is in the capture")


def _simulation(command: argparse.ArgumentParser, speed: float) -> None:
    command.add_argument("--board", default=DEFAULT_BOARD, help="a board's name or a .json file (%(default)s)")
    command.add_argument(
        "--game",
        default="",
        help="the game that is played: a name, a .json file (docs/GAMES.md), or house:deck_cards=384,stack_cards=3 for "
        "any deal "
        f"({DEFAULT_GAME}; house with its own deck on boards that deal no stacks)",
    )
    command.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="WORD=VALUE",
        help="what the rules leave to the table, as in a board config: progressive=false, cover_all=with_dealer, "
        "records=true, dealing=hand, decks=2",
    )
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

    if options.board == DEFAULT_BOARD:
        options.board = demo_stories.BOARDS.get(options.game, DEFAULT_BOARD)
    config, _crc = boards.load_board(options.board)
    kind = config["mechanism"]["kind"]
    name = options.game or demo_stories.DEFAULTS.get(kind, DEFAULT_GAME)
    game = check_game(name)
    story = demo_stories.story_for(kind, name, game)
    table = [*story.table, *options.table]  # what is said last counts
    games.set_table(config, table)
    arguments = ["--board", options.board, "--game", name, "--display"]
    arguments += [f"--table={word}" for word in table]
    arguments += ["--seed", str(options.seed), "--speed", str(options.speed)]
    return demo.run(arguments, story, options.speed, Screen(story=True))


def _sim(options: argparse.Namespace) -> int:
    from fairshoe.simulator import ACTION_HELP, Simulator, serve

    config, crc = boards.load_board(options.board)
    key = read_device_key(Path(options.key_file)) if options.key_file else None
    game = options.game or config.get("game", DEFAULT_GAME)
    games.set_table(config, options.table)
    if options.mode:
        config["link"]["mode"] = options.mode
    simulator = Simulator(config, crc, game, options.seed, options.speed, key, options.storage)
    port, tap, service = simulator.table.path, simulator.tap.path, simulator.service.path
    if options.json:
        ports = {"port": port, "tap": tap, "service": service}
        print(json.dumps({**ports, "board": config["name"], "game": game, "seed": options.seed}), flush=True)
    else:
        print(f"simulated shoe: board {config['name']}, game {game}, seed {options.seed}")
        print(f"  table port  {port}\n  tap         {tap}   (repeats what the shoe sends)")
        print(f"  service     {service}   (the link while the key switch is on)")
        print(f"  hands       {ACTION_HELP}", flush=True)
    if options.display:
        simulator.shown = _print_display_json if options.json else _print_display
    return serve(simulator, options.hands)


def _print_display(lines: list[str]) -> None:
    print("\n".join(framed(lines)), flush=True)


def _print_display_json(lines: list[str]) -> None:
    print(json.dumps({"display": lines}), flush=True)


def _monitor(options: argparse.Namespace) -> int:
    screen = Screen()
    key = read_key(Path(options.key_file), Role.OBSERVER) if options.key_file else None
    with Shoe.open(options.port, key) if options.host else Shoe.listen(options.port) as shoe:
        try:
            for message in shoe.messages(options.quiet_s):
                if options.json and isinstance(message, (Event, Meters, Status)):
                    print(json.dumps({"message": message.NAME, **asdict(message)}, default=bytes.hex), flush=True)
                elif not options.json:
                    screen.show(message)
        finally:
            screen.finish()
    return 0


def _command(options: argparse.Namespace) -> int:
    kind = _kind(options.name) if options.name else None
    arguments = _arguments(kind, options.argument) if kind else {}  # before a port is opened for a slip of the pen
    key = read_key(Path(options.key_file), Role[options.role.upper()])
    with Shoe.open(options.port, key, Operations(default_path())) as shoe:
        pending = _pending(shoe, options.resume, kind, arguments)
        result = shoe.wait(pending, options.timeout_s)
    answer = {
        "command": pending.message.NAME,
        "op": result.op,
        "outcome": result.outcome.name.lower(),
        "reason": result.reason.name.lower(),
        "detail": result.detail,
    }
    if options.json:
        print(json.dumps(answer))
    else:
        why = describe_reason(result.reason, result.detail)
        print(f"{pending.message.NAME} (operation {result.op}): {answer['outcome']}{why}")
    return 0 if result.done else 1


def _pending(shoe: Shoe, resume: bool, kind: type[Command] | None, arguments: dict[str, int]) -> Pending:
    unfinished = shoe.unfinished()
    if resume:
        if unfinished is None:
            raise UsageError("no command is waiting for its outcome.", "Give the command's name instead of --resume.")
        return shoe.resume(unfinished)
    if unfinished is not None:
        raise UsageError(
            f"the outcome of {unfinished.command} (operation {unfinished.op}) is not known.",
            "Ask about it first: the same command line with --resume and without a name.",
        )
    if kind is None:
        raise UsageError("which command?", "Give a name, or --resume.")
    return shoe.start(kind, **arguments)


def _kind(name: str) -> type[Command]:
    return next(cls for cls in ALL if issubclass(cls, Command) and name.replace("-", "_") == cls.NAME)


def _arguments(kind: type[Command], given: list[str]) -> dict[str, int]:
    if kind is Record:
        return record_from_words(given)
    wanted = [field.name for field in fields(kind) if field.name != "op"]
    if len(wanted) != len(given) or not all(text.isdigit() for text in given):
        takes = " ".join(f"a number of {name}" for name in wanted) or "no argument"
        raise UsageError(f"{kind.NAME} takes {takes}.", "See fairshoe command --help.")
    return dict(zip(wanted, map(int, given), strict=True))


def _decode(options: argparse.Namespace) -> int:
    return decode.run(options.source, options.follow, options.hex, options.json, options.key_file)


def _config(options: argparse.Namespace) -> int:
    bad = 0
    for name in options.board:
        found = boards.inspect_board(name)
        bad += not found.good
        if options.json:
            print(json.dumps({**asdict(found), "crc": f"{found.crc:08x}", "good": found.good}))
        elif found.good:
            print(
                f"{name}: good ({found.kind} on {found.mcu}, crc {found.crc:08x}); count assurance"
                f" {found.count_assurance}: {found.meaning}"
            )
        else:
            print(f"{name}: cannot work")
            for problem in found.problems:
                print(f"  {problem}")
    if bad:
        raise BoardError(
            f"{bad} of {len(options.board)} board configs cannot work.",
            "What is wrong is listed above; docs/BOARDS.md explains the rules.",
        )
    return 0


_COMMANDS = {
    "demo": _demo,
    "sim": _sim,
    "monitor": _monitor,
    "command": _command,
    "config": _config,
    "decode": _decode,
    "audit": audit.run,
    "journal": journal_cli.run,
    "provision": provision.run,
    "scenario": scenario.run,
    "game": games.run,
    "shuffle-test": shuffle_test.run,
}


if __name__ == "__main__":
    sys.exit(main())
