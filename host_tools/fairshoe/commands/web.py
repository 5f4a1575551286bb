"""`fairshoe web`: the bench page, a simulated shoe in the browser; with PORT the live view of a shoe."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from fairshoe.boards.configs import board_names, load_board
from fairshoe.cli.connection import Connection, add_key
from fairshoe.errors import UsageError
from fairshoe.sim.setup import parse_url
from fairshoe.web.assets import live_files, page_files, write_site
from fairshoe.web.live_shoe import Host, Observer
from fairshoe.web.live_view import LiveView
from fairshoe.web.server import PageServer

if TYPE_CHECKING:
    from fairshoe.web.live_server import LiveServer

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


def run(options: argparse.Namespace) -> int:
    if options.write:
        print(f"wrote {write_site(options.write)} files into {options.write}; serve them with any file server")
        return 0
    if options.port is not None:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_live(options))
        return 0
    if options.control or options.listen or options.key_file or options.board:
        raise UsageError("these options are for a live shoe, and no PORT was given.", "Name its PORT.")
    server = PageServer(page_files(), SIM_PORT if options.serve is None else options.serve)
    print(f"bench page on {server.url} (Ctrl-C ends)", flush=True)
    if not options.no_open:
        webbrowser.open(server.url)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


async def _live(options: argparse.Namespace) -> None:
    """Show one shoe until it is interrupted."""
    source = _source(options)
    board: str = options.board or (parse_url(options.port).board if options.port.startswith("sim://") else "")
    boards = {load_board(name)[1]: name for name in board_names()}
    if board and board not in boards.values():
        raise UsageError(f"there is no board {board!r} to draw.", f"Known: {', '.join(sorted(boards.values()))}.")
    view = LiveView(options.port, boards, board)
    await source.open()
    give = source.give if options.control and isinstance(source, Host) else None
    async with _server()(live_files(), view, options.serve or 0, give) as server:
        print(f"live view of {options.port} on {server.url} (Ctrl-C ends)", flush=True)
        if not options.no_open:
            webbrowser.open(server.url)
        await source.run(view, server.publish)


def _source(options: argparse.Namespace) -> Observer | Host:
    connection = Connection(options)
    key = connection.key()
    if options.control and options.listen:
        raise UsageError("--listen sends nothing, and --control commands.", "Leave one of them out.")
    if options.control:
        return Host(_in_real_time(options.port), key, Path(connection.settings["store"]))
    if options.port.startswith("sim://"):
        return Host(_in_real_time(options.port), key)
    return Observer(options.port, key, options.listen)


def _in_real_time(url: str) -> str:
    """A simulated shoe without a speed would run as fast as it goes: too fast to watch."""
    parts = urlsplit(url)
    if parts.scheme != "sim" or "speed" in parse_qs(parts.query):
        return url
    return f"{url}{'&' if parts.query else '?'}speed=1"


def _server() -> type[LiveServer]:
    try:
        from fairshoe.web.live_server import LiveServer
    except ImportError as error:
        raise UsageError(
            "the live view takes the package websockets.",
            "Install it: pip install 'fairshoe[web]'; in a clone, make ready.",
        ) from error
    return LiveServer
