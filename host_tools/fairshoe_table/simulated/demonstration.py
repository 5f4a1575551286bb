"""Tables with simulated shoes and players, and rounds of them in the terminal."""

from __future__ import annotations

import secrets
import sqlite3
import textwrap
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fairshoe import Shoe
from fairshoe.keys import write_key
from fairshoe_table.books.books import Books
from fairshoe_table.books.one_program import one_program
from fairshoe_table.play import registry
from fairshoe_table.play.game import Ask, Game, Play, name_of
from fairshoe_table.play.inputs import Input
from fairshoe_table.play.options import Options
from fairshoe_table.rules.cards import names
from fairshoe_table.rules.ledger import Line
from fairshoe_table.rules.meters import meter_names, new_meters
from fairshoe_table.rules.money import DOLLAR, dollars
from fairshoe_table.simulated.people import Players, SimulatedPeople
from fairshoe_table.table.table import Table

WIDTH = 80
SEED_CENTS = 1_000_000
RATE = 7500
NEW_STORAGE = 0x10000  # added to the seed of a simulated shoe: the same device, another log


def start_demo_meters(books: Books, game: str, options: Options) -> None:
    """Those of the tables that are offered, with equal rates; printed seeds stay as they are."""
    for pool, table in registry.find(game).pools(options).items():
        names = meter_names(table)
        rates = dict.fromkeys(names, RATE // len(names))
        seeds = {} if table.seeds else dict.fromkeys(names, SEED_CENTS)
        books.start_meters(new_meters(table, rates, seeds, getattr(options, "progressive_wager", DOLLAR), pool))


class ShownPeople(SimulatedPeople):
    """Simulated people; it is also said what is dealt and wagered."""

    def wagers(self, play: Play) -> list[Input]:
        found = super().wagers(play)
        for fact in found:
            amounts = ", ".join(f"{name} {dollars(cents)}" for name, cents in fact.data["amounts"].items() if cents)
            self.say(f"seat {fact.data['seat']} wagers {amounts}")
        self.say("dealer: No more bets")
        return found

    def answer(self, play: Play, ask: Ask) -> Input:
        fact = super().answer(play, ask)
        if ask.kind == "cards":
            self.say(f"{name_of(ask.seat)}: {names(fact.data['cards'])}")
        return fact


@dataclass
class Running:
    shoe: Shoe
    books: Books
    people: SimulatedPeople
    table: Table


def shoe_of(folder: Path, kind: Game, seed: int, storage: str = "shoe.nv", board: str = "") -> tuple[Path, str]:
    """The key of a simulated shoe for a game, made if there is none, and its URL; `board` may have more words of it."""
    key = folder / "device.key"
    if not key.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_key(key, "device", secrets.token_bytes(32))
    name, _, words = (board or ("pico-draw" if kind.drawn else "pico-carousel")).partition("?")
    url = f"sim://{name}?dealer=none&key={key}&game={kind.profile_name}&seed={seed}&storage={folder / storage}"
    return key, f"{url}&{words}" if words else url


def packs_of(kind: Game) -> int:
    """Of a shoe that is drawn by hand; 0: a machine deals stacks."""
    return kind.profile["deck_cards"] // len(kind.pack) if kind.drawn else 0


@contextmanager
def simulated_table(
    folder: Path,
    game: str,
    seed: int,
    seats: int = 4,
    say: Callable[[str], None] | None = None,
    shoe_seed: int = 0,
    options: Options | None = None,
    board: str = "",
    connection: type[sqlite3.Connection] = sqlite3.Connection,
) -> Generator[Running]:
    """A table with its shoe, books and players; everything is kept in the folder. The identity of a simulated shoe
    follows from its seed: give the same `shoe_seed` to go on with the same shoe and other players, another one to
    replace it, or NEW_STORAGE more to replace its storage, which a person has accepted. `board` may be the path of a
    config, and carry more words of a sim:// URL:
    `pico-draw?table=records=true`."""
    kind = registry.find(game)
    options = options or kind.demo()
    key, url = shoe_of(folder, kind, shoe_seed or seed, f"shoe-{shoe_seed}.nv" if shoe_seed else "shoe.nv", board)
    url += "&table=cover_all=with_dealer" if getattr(options, "cover_all", "") else ""
    with (
        one_program(folder),
        Books(folder / "books.db", connection=connection) as books,
        Shoe.open(url, key=key, store=folder / "shoe.db", new_log=True) as shoe,
    ):
        start_demo_meters(books, game, options)
        made, players = SimulatedPeople if say is None else ShownPeople, Players(Random(seed), seats)
        people = made(players, shoe.sim.act, shoe.sim.sleep, say or (lambda text: None), packs_of(kind))
        people.keep_layout(folder / "layout.json")
        people.paperwork = lambda deck: shoe.records.winner_hold(False, deck)
        yield Running(shoe, books, people, Table(shoe, books, game, options, people))


def play_rounds(folder: Path, game: str, rounds: int, seed: int, seats: int, write: Callable[[str], None]) -> None:
    """Rounds with everything that happens, in lines of 80 columns."""

    def say(text: str) -> None:
        for line in textwrap.wrap(text, WIDTH - 2, subsequent_indent="    "):
            write(f"  {line}")

    with simulated_table(folder, game, seed, seats, say) as it:
        for _ in range(rounds):
            write(f"{game}, round {it.books.rounds_over() + 1}")
            number = it.table.play_round()
            write(f"  {summary(it.books.lines(number))}")
            write("")
        tray = it.books.balances().get(f"{it.books.table}/tray", 0)
        write(f"tray {dollars(tray)}; " + "; ".join(_meters(it) or ["no meters"]))
        found = it.books.audit()
        write("books agree: money is conserved" if not found else f"BOOKS DO NOT AGREE: {found[0]}")


def summary(lines: list[Line]) -> str:
    """`seat 2 -$30, seat 4 +$12`."""
    nets: dict[int, int] = {}
    for line in lines:
        nets[line.seat] = nets.get(line.seat, 0) + line.net
    said = [f"seat {seat} {'+' if cents >= 0 else ''}{dollars(cents)}" for seat, cents in sorted(nets.items())]
    return "in all: " + (", ".join(said) or "nothing")


def _meters(it: Running) -> list[str]:
    found = [it.books.meters(pool) for pool in it.table.kind.pools(it.table.options)]
    return [
        f"{meters.pool} meter {dollars(meter.cents)}"
        for meters in found
        if meters is not None
        for meter in meters.by_name.values()
    ]
