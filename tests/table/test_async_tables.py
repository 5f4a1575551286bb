"""Five tables in one thread: each engine is driven by the events of an AsyncShoe, and all share one file of books."""

import asyncio
from pathlib import Path
from random import Random

from running_tables import check_books, options_of, start_meters

from fairshoe import AsyncShoe
from fairshoe.keys import write_key
from fairshoe.messages import RoundEnded, RoundStarted, RoundVoided, SetPositions
from fairshoe_table.books.books import Books
from fairshoe_table.play import registry
from fairshoe_table.play.game import Ask, Dealt, Play
from fairshoe_table.play.inputs import Input
from fairshoe_table.play.round import asks
from fairshoe_table.rules.cards import DECK, PACK_48
from fairshoe_table.simulated.people import Players

DRAWN = "double-attack-blackjack"
SEATS = 2
OUT = Dealt(True, 2, True)  # the simulated dealer of the shoe deals everything


def answer(play: Play, ask: Ask, deck: list[int]) -> Input:
    """Cards as a dealer would enter them, and the first choice of each player."""
    if ask.kind == "cards":
        known = [card for fact in play.game.begins_with(play, ask) for card in fact.data["cards"]]
        return ask.answer(cards=[*known, *(deck.pop() for _ in range(ask.count - len(known)))], source="dealer")
    return ask.answer(shown=True) if ask.kind == "expose" else ask.answer(choice=ask.choices[0])


async def one_round(folder: Path, game: str) -> tuple[str, int]:
    board = "pico-draw" if game == DRAWN else "pico-carousel"
    url = f"sim://{board}?game={game}&seed=3&key={folder / 'table.key'}"
    options, rng = options_of(game), Random(3)
    with Books(folder / "books.db", game) as books:
        start_meters(books)
        number = books.open_round(game)
        async with AsyncShoe.open(url, key=folder / "table.key") as shoe:
            await shoe.command(SetPositions, positions=SEATS)
            async for event in shoe.events():
                match event:
                    case RoundStarted():
                        play = books.play(number, options)
                        for fact in Players(rng, SEATS).wagers(play):
                            books.record(number, fact, options)
                        books.record(number, Input("closed", "closed", {"round": event.round}), options, event.seq)
                    case RoundVoided():
                        void = Input("void", "void", {"clause": event.clause, "kept": []})
                        books.record(number, void, options, event.seq)
                        break
                    case RoundEnded():
                        break
                    case _:
                        pass
        deck = list(PACK_48 * 6 if game == DRAWN else DECK)
        rng.shuffle(deck)
        while waiting := asks(books.play(number, options), OUT):
            books.record(number, answer(books.play(number, options), waiting[0], deck), options)
        books.record(number, Input("over", "over"), options)
        return game, len(books.lines(number))


def test_every_engine_settles_a_round_that_an_async_shoe_has_dealt(tmp_path: Path) -> None:
    write_key(tmp_path / "table.key", "device", bytes(range(32)))

    async def all_of_them() -> list[tuple[str, int]]:
        return await asyncio.gather(*(one_round(tmp_path, game) for game in registry.ids()))

    settled = dict(asyncio.run(all_of_them()))
    assert set(settled) == set(registry.ids()) and min(settled.values()) > 0
    with Books(tmp_path / "books.db") as books:
        check_books(books)
