"""The arguments of `fairshoe web`."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.cli.options import add_key

SIM_PORT = 8023
TCP_PORT_MAX = 65535
EPILOG = """\
examples:
  fairshoe web                     the bench page: a simulated shoe
  fairshoe web /dev/ttyACM0        a shoe, live; or tcp://HOST:N, sim://...
  fairshoe web PORT --key-file observer.key
      all events of a shoe that has a key; the key stays in this process
  fairshoe web PORT --control --key-file table.key
      be its host: store events, and give commands from the page

With PORT the page shows what a host may know: status, events, meters; no slot
and no order. It acknowledges nothing, so the table system still receives every
event. The URL has a token: the page works only with it, and only on this
machine. To look on from another one: ssh -L.
"""


def add_arguments(web: argparse.ArgumentParser) -> None:
    web.description = (
        "Shows a simulated shoe in a browser: the firmware runs on the MicroPython VM in the page, with a machine that "
        "can be seen, handled and broken (docs/BENCH_PAGE.md). With PORT it shows a shoe, live and read only. The "
        "server answers on this machine only."
    )
    web.epilog = EPILOG
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
    web.add_argument("--board", metavar="NAME", help="live: the machine to draw, if the shoe does not tell")


def _tcp_port(text: str) -> int:
    if not text.isdecimal() or int(text) > TCP_PORT_MAX:
        raise argparse.ArgumentTypeError(f"a number between 0 and {TCP_PORT_MAX}, not {text!r}")
    return int(text)
