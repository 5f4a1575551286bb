"""Open a desk: books, shoe, card reader; or the parts that a simulation has in their place."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from fairshoe import LinkBack, LinkLost, ShareLost, Shoe
from fairshoe.errors import UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.books.one_program import one_program
from fairshoe_table.desk.card_reader import CardReader
from fairshoe_table.desk.page_people import Hands
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.play.options import AMOUNT_MAX, Options
from fairshoe_table.rules.meters import Meter, Meters, new_meters
from fairshoe_table.rules.money import DOLLAR

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
    name: str = ""  # of the table; that of its books without one
    meters: Mapping[str, object] = field(default_factory=dict[str, object])  # by pool: rates and seeds
    new_log: bool = False  # a person accepts that the storage of the shoe was replaced
    nonce: bool = True  # give every shuffle the table's share, and refuse decks without
    shufflers: tuple[int, ...] = ()  # devices that shuffle, by the house's settings


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
        books = opened.enter_context(Books(setup.folder / "books.db", setup.name))
        # On a busy computer the seconds of a fast simulated shoe are short.
        answer_s = ANSWER_S * max(1.0, setup.speed)
        store = setup.folder / "shoe.db"
        shoe = Shoe.open(
            url,
            key,
            answer_s=answer_s,
            store=store,
            new_log=setup.new_log,
            nonce=setup.nonce,
            shufflers=setup.shufflers,
        )
        opened.enter_context(shoe)
        _check_game(shoe, setup.game)
        options = setup.options or registry.find(setup.game).options()
        hands = None
        if simulation is not None:
            options, hands = simulation.options(books), simulation.hands(shoe)
        if getattr(options, "linked", False):
            raise UsageError("`table serve` links no tables.", "Leave linked out; Books.join_link can.")
        _start_meters(books, setup, options)
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


def _start_meters(books: Books, setup: Setup, options: Options) -> None:
    """Of the pools that the file names, once. Meters that were started otherwise are not changed."""
    tables = registry.find(setup.game).pools(options)
    for pool, given in setup.meters.items():
        if pool not in tables:
            offered = ", ".join(tables) or "none"
            raise UsageError(f"these options have no meters {pool!r}.", f"There are: {offered}.")
        rates, seeds = _cents(pool, given, "rates"), _cents(pool, given, "seeds")
        new = new_meters(tables[pool], rates, seeds, getattr(options, "progressive_wager", DOLLAR), pool)
        there = books.meters(pool)
        if there is None:
            books.start_meters(new)
        elif [(it.seed, it.rate) for it in _sorted(there)] != [(it.seed, it.rate) for it in _sorted(new)]:
            raise UsageError(f"the {pool} meters were started with other rates or seeds.", "Leave them as they are.")


def _sorted(meters: Meters) -> list[Meter]:
    return [meter for _, meter in sorted(meters.by_name.items())]


def _cents(pool: str, given: object, name: str) -> dict[str, int]:
    """One of the two objects of a pool: whole numbers, by meter."""
    pools = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    wanted = pools.get(name, {})
    found = cast("dict[str, object]", wanted) if isinstance(wanted, dict) else {"": None}
    good = [type(it) is int and 0 <= it <= AMOUNT_MAX for it in found.values()]
    if not pools or not set(pools) <= {"rates", "seeds"} or not all(good):
        advice = '{"progressive": {"rates": {"main": 7500}, "seeds": {"main": 1000000}}}, seeds in cents.'
        raise UsageError(f"meters {ascii(pool)[:40]}: {name} must be whole numbers by meter.", advice)
    return cast("dict[str, int]", found)


def _check_game(shoe: Shoe, game: str) -> None:
    code = shoe.welcome.game if shoe.welcome is not None else ""
    wanted = registry.find(game).code
    if code != wanted:
        raise UsageError(f"the shoe deals {code}, and not {game} ({wanted}).", "Choose its game with --game.")


def _tell_link(shoe: Shoe, desk: Desk) -> None:
    def lost(notice: LinkLost) -> None:
        desk.linked(False, notice.why)

    def share_lost(notice: ShareLost) -> None:
        desk.call(f"{notice.lost.text}. {shoe.share_text}")

    def back(_notice: LinkBack) -> None:
        desk.back()

    shoe.on(LinkLost, lost)
    shoe.on(LinkBack, back)
    shoe.on(ShareLost, share_lost)
