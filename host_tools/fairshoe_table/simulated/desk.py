"""A desk at a simulated shoe of this process, with simulated hands and players; at a port a desk without them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from random import Random

from fairshoe import Shoe
from fairshoe_table.books.books import Books
from fairshoe_table.desk import setup as desks
from fairshoe_table.desk.setup import Setup
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.play.options import Options
from fairshoe_table.rules.cards import DECK
from fairshoe_table.simulated.demonstration import packs_of, shoe_of, start_demo_meters
from fairshoe_table.simulated.people import Players, SimulatedPeople


class SimulatedShoe:
    """Everything that the game offers is switched on."""

    inserted = DECK[::-1]  # simulated hands load a sorted deck

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._game = registry.find(setup.game)
        self.key, url = shoe_of(setup.folder, self._game, setup.seed)
        self.url = f"{url}&speed={setup.speed:g}{'' if self._game.drawn else '&audit=disclose'}"

    def options(self, books: Books) -> Options:
        options = self._setup.options or self._game.demo()
        start_demo_meters(books, self._setup.game, options)
        return options

    def hands(self, shoe: Shoe) -> SimulatedPeople:
        seats = self._game.seats_at(self._setup.options or self._game.demo(), self._setup.seats)
        players = Players(Random(self._setup.seed), seats)
        return SimulatedPeople(players, shoe.sim.act, shoe.sim.sleep, packs=packs_of(self._game))


def open_desk(setup: Setup) -> AbstractContextManager[Desk]:
    """In the thread that runs it: shoe and books belong to one thread."""
    return desks.open_desk(setup, None if setup.port else SimulatedShoe(setup))
