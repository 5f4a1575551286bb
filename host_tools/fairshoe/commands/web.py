"""`fairshoe web`: the bench page, a simulated shoe in the browser; with PORT the live view of a shoe."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from fairshoe.arguments.simulate import SIM_PORT
from fairshoe.boards.configs import board_names, load_board
from fairshoe.cli.connection import Connection
from fairshoe.errors import UsageError, install_advice
from fairshoe.printable import say
from fairshoe.sim.setup import parse_url
from fairshoe.web.assets import live_files, page_files, write_site
from fairshoe.web.live_shoe import Host, Observer
from fairshoe.web.live_view import LiveView
from fairshoe.web.server import PageServer

if TYPE_CHECKING:
    from fairshoe.web.live_server import LiveServer


def run(options: argparse.Namespace) -> int:
    if options.write:
        say(f"wrote {write_site(options.write)} files into {options.write}; serve them with any file server")
        return 0
    if options.port is not None:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_live(options))
        return 0
    if options.control or options.listen or options.key_file or options.board:
        raise UsageError("these options are for a live shoe, and no PORT was given.", "Name its PORT.")
    server = PageServer(page_files(), SIM_PORT if options.serve is None else options.serve)
    say(f"bench page on {server.url} (Ctrl-C ends)", flush=True)
    if not options.no_open:
        webbrowser.open(server.url)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


async def _live(options: argparse.Namespace) -> None:
    """Show one shoe until it is interrupted."""
    source = _source(options)
    sim = options.port.startswith("sim://")
    board: str = options.board or (parse_url(options.port).board if sim else "")
    boards = {load_board(name)[1]: name for name in board_names()}
    own: dict[str, object] = {}
    if board and board not in boards.values():
        own[board], crc = load_board(board)
        boards[crc] = board
    view = LiveView(options.port, boards, board)
    view.wear_folder = Path(Connection(options).settings["store"]).parent
    await source.open()
    give = source.give if isinstance(source, Host) and options.control else None
    async with _server()(live_files(**own), view, options.serve or 0, give) as server:
        say(f"live view of {options.port} on {server.url} (Ctrl-C ends)", flush=True)
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
            install_advice("web"),
        ) from error
    return LiveServer
