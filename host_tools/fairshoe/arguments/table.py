"""The arguments of `fairshoe table`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

DEFAULT = "caribbean-stud"
BOOKS = ("audit", "replay", "meters", "links", "rounds", "shift", "export")
RACK = ("opening", "fill", "credit", "drop", "coupon", "closing")


def add_table(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True)
    _add_serve(actions.add_parser("serve", help="the dealer's page of one table in the browser"))
    _add_books(actions.add_parser("books", help="audit, replay, print and export the books of a table"))
    _add_rack(actions.add_parser("rack", help="enter opening, fill, credit, drop, coupon or closing of a rack"))
    _add_void(actions.add_parser("void", help="void an open round that no table can finish, and return its wagers"))
    play = actions.add_parser("play", help="play rounds with simulated players and a simulated shoe")
    simulate = actions.add_parser("simulate", help="play many rounds and report what each wager returns")
    for one, rounds in ((play, 2), (simulate, 10_000)):
        one.add_argument("--game", metavar="GAME", default=DEFAULT, help="its name (%(default)s)")
        one.add_argument("--rounds", type=int, default=rounds, metavar="N", help="how many (%(default)s)")
        one.add_argument("--seed", type=int, default=1, help="one seed, one story (%(default)s)")
    play.add_argument("--seats", type=int, default=4, metavar="N", help="seats at the table (%(default)s)")
    play.add_argument("--folder", type=Path, help="keep books and shoe there, and go on from them")
    simulate.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (%(default)s)")
    simulate.add_argument("--stack", action="store_true", help="through a simulated shoe, with faults")
    simulate.add_argument("--out", type=Path, metavar="F", help="write the report with plots there, as HTML")
    simulate.add_argument("--json", action="store_true", help="the report as one JSON object")


def _add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument("--name", default="", metavar="NAME", help="of the table (that of its books, or table-1)")


def _add_books(books: argparse.ArgumentParser) -> None:
    books.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the table")
    books.add_argument("what", choices=BOOKS, help="what to look at")
    _add_name(books)
    books.add_argument("--shift", type=int, default=0, metavar="N", help="of shift: its number (the last one)")
    books.add_argument("--rows", default="", metavar="NAME", help="of export: one kind of rows, as CSV")
    books.add_argument("--out", type=Path, metavar="F", help="write it there; of shift an HTML page to print")
    books.add_argument("--json", action="store_true", help="as one JSON object")


def _add_rack(rack: argparse.ArgumentParser) -> None:
    rack.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the table")
    rack.add_argument("kind", choices=RACK, help="what was counted or carried")
    rack.add_argument("dollars", metavar="DOLLARS", help="how much: 25000 or 12.50")
    _add_name(rack)
    rack.add_argument("--by", required=True, metavar="NAME", help="who counted or carried it")
    rack.add_argument("--slip", default="", metavar="ID", help="number of the slip; the same slip counts once")
    rack.add_argument("--shift", type=int, default=0, metavar="N", help="of drop and coupon: its shift (the last one)")
    rack.add_argument("--note", default="", metavar="TEXT", help="as a coupon's number")


def _add_void(void: argparse.ArgumentParser) -> None:
    void.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the table, which is not served now")
    _add_name(void)
    void.add_argument("--by", required=True, metavar="NAME", help="the supervisor who decides it")
    void.add_argument("--reason", required=True, metavar="TEXT", help="why")


def _add_serve(serve: argparse.ArgumentParser) -> None:
    serve.add_argument("port", nargs="?", default="", metavar="PORT", help="the shoe; without it a simulated one")
    serve.add_argument("--game", metavar="GAME", default=DEFAULT, help="its name (%(default)s)")
    serve.add_argument("--folder", type=Path, help="books, events and key; needed with PORT")
    serve.add_argument("--key-file", type=Path, metavar="F", help="with PORT: the table's key, mode 600")
    _add_name(serve)
    serve.add_argument("--meters", type=Path, metavar="F", help="rates and seeds that start its meters, as JSON")
    serve.add_argument("--options", type=Path, metavar="F", help="what the licensee has chosen, as JSON")
    serve.add_argument("--seats", type=int, default=0, metavar="N", help="seats (6, or as the options say)")
    serve.add_argument("--reader", default="", metavar="URL", help="a card reader: a serial device that sends As, 10d")
    serve.add_argument("--auditor-key", type=Path, metavar="F", help="hold dealt cards against disclosed seeds")
    serve.add_argument("--deck-order", type=Path, metavar="F", help="with it: the cards as the machine takes them in")
    serve.add_argument("--new-log", action="store_true", help="accept once that the storage of the shoe was replaced")
    serve.add_argument("--no-nonce", action="store_true", help="give shuffles no nonce: the shoe alone draws the order")
    serve.add_argument("--port", dest="serve", type=int, default=0, metavar="N", help="TCP port of the page (any free)")
    serve.add_argument("--speed", type=float, default=4.0, metavar="X", help="of the simulated shoe (%(default)s)")
    serve.add_argument("--seed", type=int, default=1, help="of the simulated shoe and players (%(default)s)")
    serve.add_argument("--no-open", action="store_true", help="only serve; open no browser")
