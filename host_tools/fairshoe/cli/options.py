"""Options and checks of arguments that more than one command has."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from math import nan
from pathlib import Path

from fairshoe.errors import UsageError

DEFAULT_BOARD = "pico-carousel"
DEFAULT_GAME = "caribbean-stud"
DEFAULT_BROKER = "nats://127.0.0.1:4222"
PORT_HELP = (
    "serial device or URL, for example /dev/ttyACM0, COM7, tcp://10.0.0.7:4001; if left out: the port that is set, "
    "else the only shoe attached"
)
KEY_HELP = "the key of a role; if left out: FAIRSHOE_KEY_FILE, else key_file of the settings file"
KEY_NOTE = """\
Commands need the key of the table: --key-file, FAIRSHOE_KEY_FILE or the
settings file. Ctrl-C is safe: the outcome of a command that was interrupted
is asked for with `fairshoe command --resume`.
"""


def add_port(command: argparse.ArgumentParser) -> None:
    command.add_argument("port", nargs="?", metavar="PORT", help=PORT_HELP)


def add_key(command: argparse.ArgumentParser) -> None:
    command.add_argument("--key-file", metavar="F", help=KEY_HELP)
    command.add_argument("--no-key", action="store_true", help="use no key, even if one is set")


def add_driving(command: argparse.ArgumentParser, port: bool = True) -> None:
    command.epilog = f"{command.epilog}\n{KEY_NOTE}"
    if port:
        add_port(command)
    command.add_argument("--key-file", metavar="F", help=KEY_HELP)
    command.add_argument("--role", choices=["table", "service"], help="the role to use with a device key (table)")
    command.add_argument("--timeout-s", type=float, metavar="S", help="seconds to wait for an outcome (120)")
    command.add_argument("--json", action="store_true", help="print only the outcome, as JSON")


def add_dealing(command: argparse.ArgumentParser) -> None:
    """The same for a deal to so many positions; PORT and N may each be left out."""
    add_port(command)
    command.add_argument("positions", nargs="?", metavar="N", help="how many positions play; asked for if left out")
    add_driving(command, port=False)
    command.add_argument("--yes", action="store_true", help="send every command without asking")


def add_simulation(command: argparse.ArgumentParser, speed: float) -> None:
    """The options of a simulation, for demo and sim."""
    command.add_argument("--board", default=DEFAULT_BOARD, help="a board's name or .json file (%(default)s)")
    command.add_argument(
        "--game",
        default="",
        help="a game's name or .json file; house:deck_cards=384,stack_cards=3 makes a deal of your own "
        f"({DEFAULT_GAME}; house on boards that deal no stacks)",
    )
    command.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="WORD=VALUE",
        help="a setting that the rules leave to the table: progressive=false, cover_all=with_dealer, records=true, "
        "dealing=hand, decks=2",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="one seed gives one run (%(default)s)")
    command.add_argument(
        "--speed", type=number_between(0.1, 50), default=speed, metavar="X", help="times real time (%(default)s)"
    )


def number_between(least: float, most: float) -> Callable[[str], float]:
    """A number within limits, for `type=`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"a number between {least:g} and {most:g}, not {text!r}")
        return value

    return read


seconds = number_between(0, 3600)  # a waiting time


def version(text: str) -> str:
    """A version to compare with, for `type=`."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)*", text):
        raise argparse.ArgumentTypeError("numbers with dots, such as 1.4.2")
    return text


def check_prompt_port(port: str | None) -> None:
    """Refuse a port that cannot have a MicroPython prompt."""
    if port == "":
        raise UsageError("PORT is empty.", "Give the device's USB or console port: fairshoe ports lists them.")
    if port is not None and port.startswith("sim://"):
        raise UsageError("a simulated shoe has no MicroPython prompt.", "Give the port of a device.")


def add_broker(command: argparse.ArgumentParser) -> None:
    command.add_argument("--nats", metavar="URL", help=f"the broker (FAIRSHOE_NATS, else {DEFAULT_BROKER})")
    command.add_argument("--stream", metavar="NAME", default="fairshoe", help="the name of the stream (%(default)s)")
    command.add_argument("--nats-key", metavar="FILE", help="key of its account (FAIRSHOE_NATS_KEY); `floor accounts`")
    command.add_argument("--nats-ca", metavar="FILE", help="PEM of who signed its certificate (FAIRSHOE_NATS_CA)")


def add_database(command: argparse.ArgumentParser) -> None:
    command.add_argument("--database", metavar="URL", help="PostgreSQL (FAIRSHOE_DATABASE)")


def add_metrics(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--metrics-port", type=_tcp_port, metavar="N", help="serve /metrics, /healthz and /readyz on 127.0.0.1:N"
    )


def add_server(command: argparse.ArgumentParser) -> None:
    """Where a read API listens, and who may read."""
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s); others need TLS")
    command.add_argument("--port", type=_tcp_port, default=0, metavar="N", help="TCP port of the server (any free one)")
    command.add_argument("--tokens", type=Path, metavar="FILE", help="who may read; else one token for this run")
    command.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate chain, PEM")
    command.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, PEM")


def _tcp_port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a number between 0 and 65535, not {text!r}")
    return int(text)
