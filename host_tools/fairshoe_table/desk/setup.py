"""Open a desk: books, shoe, and simulated hands where the shoe is simulated."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fairshoe import LinkBack, LinkLost, Shoe
from fairshoe.errors import UsageError
from fairshoe.keys import write_key
from fairshoe_table.books.books import Books
from fairshoe_table.desk.card_reader import CardReader
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.play.options import Options
from fairshoe_table.rules.cards import DECK
from fairshoe_table.simulated.demonstration import PACKS, start_demo_meters
from fairshoe_table.simulated.people import Players, SimulatedFloor

SEATS = 6
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
    seats: int = SEATS
    seed: int = 1
    speed: float = 10.0
    reader: str = ""
    auditor: Path | None = None  # the auditor's key; the simulated shoe has its own
    inserted: tuple[int, ...] = ()  # faces of a deck as the machine takes it in, if it is known


@contextmanager
def open_desk(setup: Setup) -> Generator[Desk]:
    """In the thread that runs it: shoe and books belong to one thread."""
    setup.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        books = opened.enter_context(Books(setup.folder / "books.db"))
        url, key = (setup.port, setup.key) if setup.port else _simulated(setup)
        # On a busy computer the seconds of a fast simulated shoe are short.
        answer_s = ANSWER_S * max(1.0, setup.speed)
        shoe = opened.enter_context(Shoe.open(url, key=key, store=setup.folder / "shoe.db", answer_s=answer_s))
        _check_game(shoe, setup.game)
        options = _options(setup, books)
        hands = None if setup.port else _hands(shoe, setup)
        auditor, inserted = (
            (setup.auditor, setup.inserted) if setup.port else (key, DECK[::-1])
        )  # simulated hands load a sorted deck
        draft = setup.folder / "wagers.json"
        desk = Desk(shoe, books, setup.game, options, setup.seats, draft, hands, auditor, inserted)
        _tell_link(shoe, desk)
        if setup.reader:
            reader = CardReader(setup.reader, desk.read, desk.complain)
            opened.callback(reader.close)
        yield desk


def _options(setup: Setup, books: Books) -> Options:
    """At a shoe the rules' defaults unless a file says otherwise; a simulated table has everything."""
    if not setup.port:
        options = setup.options or registry.find(setup.game).demo()
        start_demo_meters(books, setup.game, options)
        return options
    return setup.options or registry.find(setup.game).options()


def _simulated(setup: Setup) -> tuple[str, Path]:
    key = setup.folder / "device.key"
    if not key.exists():
        write_key(key, "device", secrets.token_bytes(32))
    game = registry.find(setup.game)
    board = "pico-draw" if game.drawn else "pico-carousel"
    words = f"game={game.profile_name}&seed={setup.seed}&speed={setup.speed:g}&storage={setup.folder / 'shoe.nv'}"
    audit = "" if game.drawn else "&audit=disclose"
    return f"sim://{board}?dealer=none&key={key}&{words}{audit}", key


def _hands(shoe: Shoe, setup: Setup) -> SimulatedFloor:
    players = Players(Random(setup.seed), setup.seats)
    packs = PACKS if registry.find(setup.game).drawn else 0
    return SimulatedFloor(players, shoe.sim.act, shoe.sim.sleep, packs=packs)


def _check_game(shoe: Shoe, game: str) -> None:
    code = shoe.welcome.game if shoe.welcome is not None else ""
    wanted = registry.find(game).code
    if code != wanted:
        raise UsageError(f"the shoe deals {code}, and not {game} ({wanted}).", "Choose its game with --game.")


def _tell_link(shoe: Shoe, desk: Desk) -> None:
    def lost(notice: LinkLost) -> None:
        desk.linked(False, notice.why)

    def back(_notice: LinkBack) -> None:
        desk.linked(True, "")

    shoe.on(LinkLost, lost)
    shoe.on(LinkBack, back)
