"""Tables with simulated shoes and players, and rounds of them in the terminal."""

from __future__ import annotations

import secrets
import textwrap
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fairshoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.keys import write_key
from fairshoe_table.books.books import Books
from fairshoe_table.play.options import BY_GAME, GAMES, CaribbeanOptions, DoubleAttackOptions, Options
from fairshoe_table.play.round import Ask, Input, Play
from fairshoe_table.rules.cards import names
from fairshoe_table.rules.ledger import Line
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, meter_names, new_meters
from fairshoe_table.rules.money import dollars
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.simulated.people import Players, SimulatedFloor
from fairshoe_table.table.table import DRAWN, Table

WIDTH = 80
PACKS = 8  # what the simulated shoe of Double Attack Blackjack is set to
APPROVED = "demonstration"
SEED_CENTS = 1_000_000
RATE = 7500


def demo_options(game: str) -> Options:
    """Everything that a game offers is switched on."""
    if game not in BY_GAME:
        raise UsageError(f"no game {game!r}.", f"There are {', '.join(GAMES)}.")
    if game == "caribbean-stud":
        offered = ("bonus_pays", "progressive_pays", "five_card", "cover_all")
        return CaribbeanOptions(
            bonus_pays=pay_table("CS-11c-A"),
            progressive_pays=pay_table("CS-11d-D"),
            five_card=True,
            cover_all="with_dealer",
            approvals=dict.fromkeys(offered, APPROVED),
        )
    if game == DRAWN:
        return DoubleAttackOptions(packs=PACKS, approvals={"packs": APPROVED})
    return BY_GAME[game]()


def start_demo_meters(books: Books, options: Options) -> None:
    """Those of the tables that are offered, with equal rates; printed seeds stay as they are."""
    if not isinstance(options, CaribbeanOptions):
        return
    five_card = pay_table("CS-11e") if options.five_card else None
    for table in (options.progressive_pays, five_card):
        if table is not None:
            names = meter_names(table)
            rates = dict.fromkeys(names, RATE // len(names))
            seeds = {} if table.seeds else dict.fromkeys(names, SEED_CENTS)
            books.start_meters(new_meters(table, rates, seeds, options.progressive_wager))


class ShownFloor(SimulatedFloor):
    """A simulated floor that also says what is dealt and wagered."""

    def wagers(self, play: Play) -> list[Input]:
        found = super().wagers(play)
        for told in found:
            amounts = ", ".join(f"{name} {dollars(cents)}" for name, cents in told.data["amounts"].items() if cents)
            self.say(f"seat {told.data['seat']} wagers {amounts}")
        self.say("dealer: No more bets")
        return found

    def answer(self, play: Play, ask: Ask) -> Input:
        told = super().answer(play, ask)
        if ask.kind == "cards":
            who = {0: "dealer", 255: "community"}.get(ask.seat, f"seat {ask.seat}")
            self.say(f"{who}: {names(told.data['cards'])}")
        return told


@dataclass
class Running:
    shoe: Shoe
    books: Books
    floor: SimulatedFloor
    table: Table


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
) -> Generator[Running]:
    """A table with its shoe, books and players; everything is kept in the folder. The identity of a simulated shoe
    follows from its seed: give the same `shoe_seed` to go on with the same shoe and other players. `board` may be the
    path of a config, and carry more words of a sim:// URL: `pico-draw?table=records=true`."""
    options = options or demo_options(game)
    key = folder / "device.key"
    if not key.exists():
        write_key(key, "device", secrets.token_bytes(32))
    board, _, words = (board or ("pico-draw" if game == DRAWN else "pico-carousel")).partition("?")
    url = f"sim://{board}?dealer=none&key={key}&game={game}&seed={shoe_seed or seed}&storage={folder / 'shoe.nv'}"
    url += f"&{words}" if words else ""
    url += "&table=cover_all=with_dealer" if game == "caribbean-stud" else ""
    with Books(folder / "books.db") as books, Shoe.open(url, key=key, store=folder / "shoe.db") as shoe:
        start_demo_meters(books, options)
        kind = SimulatedFloor if say is None else ShownFloor
        packs = PACKS if game == DRAWN else 0
        floor = kind(Players(Random(seed), seats), shoe.sim.act, shoe.sim.sleep, say or (lambda text: None), packs)
        floor.keep_layout(folder / "layout.json")
        floor.paperwork = lambda deck: shoe.records.winner_hold(False, deck)
        yield Running(shoe, books, floor, Table(shoe, books, game, options, floor))


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
        write(f"tray {dollars(tray)}; " + "; ".join(_meters(it.books) or ["no meters"]))
        found = it.books.audit()
        write("books agree: money is conserved" if not found else f"BOOKS DO NOT AGREE: {found[0]}")


def summary(lines: list[Line]) -> str:
    """`seat 2 -$30, seat 4 +$12`."""
    nets: dict[int, int] = {}
    for line in lines:
        nets[line.seat] = nets.get(line.seat, 0) + line.net
    said = [f"seat {seat} {'+' if cents >= 0 else ''}{dollars(cents)}" for seat, cents in sorted(nets.items())]
    return "in all: " + (", ".join(said) or "nothing")


def _meters(books: Books) -> list[str]:
    found = [books.meters(pool) for pool in (PROGRESSIVE, FIVE_CARD)]
    return [
        f"{meters.pool} meter {dollars(meter.cents)}"
        for meters in found
        if meters is not None
        for meter in meters.by_name.values()
    ]
