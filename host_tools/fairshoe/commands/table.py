"""`fairshoe table`: the reference table system: the dealer's page, rounds with simulated players, simulations."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sqlite3
import sys
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import cast

from fairshoe.cli import settings
from fairshoe.errors import UsageError, install_advice
from fairshoe.files import check_writable, parse_json
from fairshoe.printable import printable, say


def run(options: argparse.Namespace) -> int:
    if options.action == "serve":
        return _serve(options)
    if options.action in ("books", "rack", "void"):
        return _books(options)
    # Loaded here: no other command needs the table system.
    from fairshoe_table.simulated import demonstration

    with tempfile.TemporaryDirectory() as scratch:
        if options.action == "play":
            folder = options.folder or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            demonstration.play_rounds(folder, options.game, options.rounds, options.seed, options.seats, print)
            return 0
    return _stack(options) if options.stack else _simulate(options)


def _books(options: argparse.Namespace) -> int:
    """Works beside a table that is being played: it takes no lock but that of one entry. A void is for a table that is
    not served."""
    from fairshoe_table.books import report
    from fairshoe_table.books.books import Books
    from fairshoe_table.books.one_program import one_program

    path: Path = options.folder / "books.db"
    if not path.is_file():
        raise UsageError(f"{options.folder} has no books.", "Name the folder given to `fairshoe table serve`.")
    alone = one_program(options.folder) if options.action == "void" else contextlib.nullcontext()
    try:
        with alone, Books(path, options.name) as books:
            names = books.tables()
            if len(names) > 1 and not options.name:
                raise UsageError(f"{path} has the tables {', '.join(names)}.", "Name one of them: --name.")
            match options.action:
                case "rack":
                    slip = options.by, options.note, options.slip, options.shift
                    found = report.BooksAnswer(report.enter(books, options.kind, options.dollars, *slip), None)
                case "void":
                    found = report.void(books, options.by, options.reason)
                case _:
                    found = report.look(books, options.what, options.shift, options.rows)
    except sqlite3.Error as error:
        raise UsageError(f"{path} cannot be read or written: {error}.", "Free space or permission.") from error
    as_json = options.action == "books" and options.json
    text = json.dumps(found.data, indent=2) if as_json else found.text
    if options.action == "books" and options.out is not None:
        options.out.write_text(text if as_json else found.page or text, encoding="utf-8")
        text = f"written to {options.out}"
    say("\n".join(map(printable, text.split("\n"))))  # names and notes of others: no colour is theirs
    return 1 if found.wrong else 0


def _stack(options: argparse.Namespace) -> int:
    from fairshoe_table.simulated import stack

    report = stack.run_stacks(options.game, options.rounds, options.seed, options.jobs, _progress)
    say(report.as_text(options.game))
    for text in report.wrong:
        say(text, file=sys.stderr)
    agree = "shoe, table and books agree, money is conserved"
    say(agree if not report.wrong else f"SHOE AND BOOKS DO NOT AGREE: {len(report.wrong)} differences")
    return 1 if report.wrong else 0


def _progress(done: int, whole: int) -> None:
    if sys.stderr.isatty():
        say(f"\r{done:,} of {whole:,} rounds ", end="" if done < whole else "\r", file=sys.stderr, flush=True)


def _simulate(options: argparse.Namespace) -> int:
    from fairshoe_table.simulated import returns as simulation

    if options.out is not None:
        check_writable(options.out)
    began = time.monotonic()
    report = simulation.simulate(options.game, options.rounds, options.seed, options.jobs, _progress)
    if options.out is not None:
        from fairshoe_table.simulated.report_page import page

        options.out.write_text(page(report), encoding="utf-8")
    say(report.as_json() if options.json else report.as_text())
    if not options.json:
        seconds = time.monotonic() - began
        say(f"\n{seconds:.1f} s, {report.rounds / max(seconds, 1e-9):,.0f} rounds a second")
    return 0


def _serve(options: argparse.Namespace) -> int:
    if options.port and (options.folder is None or options.key_file is None):
        raise UsageError("a table at a shoe needs its books and the table's key.", "Give --folder and --key-file.")
    if bool(options.auditor_key) != bool(options.deck_order):
        raise UsageError("cards are held against a seed with two things.", "Give --auditor-key and --deck-order.")
    with tempfile.TemporaryDirectory() as scratch, contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve_page(options, options.folder or Path(scratch)))
    return 0


async def _serve_page(options: argparse.Namespace, folder: Path) -> None:
    from fairshoe_table.desk import setup as desk_setup
    from fairshoe_table.play.registry import load_options
    from fairshoe_table.rules.cards import cards
    from fairshoe_table.simulated.desk import open_desk

    try:
        from fairshoe.web import desk_server
        from fairshoe.web.assets import table_files
    except ImportError as error:
        raise UsageError(
            "the dealer's page takes the package websockets.",
            install_advice("web"),
        ) from error
    chosen = None if options.options is None else load_options(_choices(options.options, options.game))
    setup = desk_setup.Setup(
        options.game,
        folder,
        options.port,
        options.key_file,
        chosen,
        options.seats,
        options.seed,
        options.speed,
        options.reader,
        options.auditor_key,
        () if options.deck_order is None else cards(_text(options.deck_order)),
        options.name,
        {} if options.meters is None else _object(options.meters),
        options.new_log,
        not options.no_nonce,
        _shufflers(options.config_file),
    )
    name = options.port or "a simulated shoe"
    files = table_files(desk_setup.PAGE)
    async with desk_server.DeskServer(lambda: open_desk(setup), name, files, options.serve) as server:
        say(f"dealer's page of {options.game} at {name} on {server.url} (Ctrl-C ends)", flush=True)
        if not options.no_open:
            webbrowser.open(server.url)
        alarm = await server.alarm()
        say(f"ALARM, the table has stopped: {alarm.what} {alarm.advice}", file=sys.stderr, flush=True)
        await asyncio.Event().wait()  # for a person: the page says it too


def _shufflers(config_file: str | None) -> tuple[int, ...]:
    """The devices that shuffle, by the house's settings."""
    house = settings.load(argparse.Namespace(config_file=config_file))
    words = str(house["shufflers"] or "").replace(",", " ").split()
    try:
        return tuple(int(word, 16) for word in words)
    except ValueError as error:
        raise UsageError(
            f"shufflers in {house.path}: {error}.", 'Write device numbers: "00510007 00510008".'
        ) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read {path}: {reason}.", "Check the name and your permission.") from error


def _object(path: Path) -> dict[str, object]:
    try:
        data = parse_json(_text(path).encode())
    except ValueError as error:
        raise UsageError(f"{path}: {error}.", "Correct the file; docs/TABLE.md describes it.") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path} holds no object.", "Correct the file; docs/TABLE.md describes it.")
    return cast("dict[str, object]", data)


def _choices(path: Path, game: str) -> dict[str, object]:
    """The options of the licensee, which must be of this game."""
    found = _object(path)
    if found.get("game") != game:
        raise UsageError(
            f"{path} has the options of {found.get('game')}, not of {game}.", "Name that game, or another file."
        )
    return found
