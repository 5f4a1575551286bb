"""Open a desk: books, shoe, card reader; or the parts that a simulation has in their place."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fairshoe import LinkBack, LinkLost, Shoe
from fairshoe.errors import UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.books.one_program import one_program
from fairshoe_table.desk.card_reader import CardReader
from fairshoe_table.desk.page_people import Hands
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.play.options import Options

ANSWER_S = 4.0
PAGE = Path(__file__).resolve().parent / "page"


@dataclass(frozen=True)
class Setup:
    """`port` is empty for a simulated shoe of this process, with hands and players."""

    game: str
    folder: Path
    port: str = ""
    key: Path | None = None
    options: Options | None = None
    seats: int = 0  # as many as the game has
    seed: int = 1
    speed: float = 10.0
    reader: str = ""
    auditor: Path | None = None  # the auditor's key; the simulated shoe has its own
    inserted: tuple[int, ...] = ()  # faces of a deck as the machine takes it in, if it is known
    new_log: bool = False  # a person accepts that the storage of the shoe was replaced


class Simulation(Protocol):
    """What a simulated table has in place of a port, a key, options and people."""

    url: str
    key: Path
    inserted: tuple[int, ...]

    def options(self, books: Books) -> Options: ...
    def hands(self, shoe: Shoe) -> Hands: ...


@contextmanager
def open_desk(setup: Setup, simulation: Simulation | None = None) -> Generator[Desk]:
    """In the thread that runs it: shoe and books belong to one thread. At a shoe the rules' defaults unless a file says
    otherwise."""
    setup.folder.mkdir(parents=True, exist_ok=True)
    url, key = (setup.port, setup.key) if simulation is None else (simulation.url, simulation.key)
    auditor, inserted = (setup.auditor, setup.inserted) if simulation is None else (key, simulation.inserted)
    with ExitStack() as opened:
        opened.enter_context(one_program(setup.folder))
        books = opened.enter_context(Books(setup.folder / "books.db"))
        # On a busy computer the seconds of a fast simulated shoe are short.
        answer_s = ANSWER_S * max(1.0, setup.speed)
        store = setup.folder / "shoe.db"
        shoe = opened.enter_context(Shoe.open(url, key, answer_s=answer_s, store=store, new_log=setup.new_log))
        _check_game(shoe, setup.game)
        options = setup.options or registry.find(setup.game).options()
        hands = None
        if simulation is not None:
            options, hands = simulation.options(books), simulation.hands(shoe)
        draft = setup.folder / "wagers.json"
        seats = registry.find(setup.game).seats_at(options, setup.seats)
        desk = Desk(shoe, books, setup.game, options, seats, draft, hands, auditor, inserted)
        for text in books.audit():
            desk.call(f"the books do not agree: {text}. Call a supervisor before the next round")
        _tell_link(shoe, desk)
        if setup.reader:
            reader = CardReader(setup.reader, desk.read, desk.complain)
            opened.callback(reader.close)
        yield desk


def _check_game(shoe: Shoe, game: str) -> None:
    code = shoe.welcome.game if shoe.welcome is not None else ""
    wanted = registry.find(game).code
    if code != wanted:
        raise UsageError(f"the shoe deals {code}, and not {game} ({wanted}).", "Choose its game with --game.")


def _tell_link(shoe: Shoe, desk: Desk) -> None:
    def lost(notice: LinkLost) -> None:
        desk.linked(False, notice.why)

    def back(_notice: LinkBack) -> None:
        desk.back()

    shoe.on(LinkLost, lost)
    shoe.on(LinkBack, back)
