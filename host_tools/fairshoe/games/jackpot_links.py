"""Progressive links: tables that share a jackpot, and the reasons why some must not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fairshoe.boards.configs import Config
from fairshoe.games.profiles import load_game


@dataclass(frozen=True)
class TableFacts:
    """What a link has to know of a table: its game, how many decks it has, and of how many cards each is."""

    game: str
    code: str
    decks: int
    deck_cards: int


def table_facts(config: Config, game: str = "") -> TableFacts:
    """Of a device's board config; `game` where the config does not name one."""
    name = game or config["game"]
    data = load_game(name)
    return TableFacts(name, data["code"], config.get("table", {}).get("decks", 1), data["deck_cards"])


def link_objections(tables: Mapping[str, TableFacts]) -> list[str]:
    """Why these tables, by name, must not be linked; empty if they may: one game, and decks alike in number."""
    return list(_objections(tables))


def _objections(tables: Mapping[str, TableFacts]) -> Iterator[str]:
    names = list(tables)
    for name in names[1:]:
        first, other = tables[names[0]], tables[name]
        if first.game != other.game:
            yield f"{names[0]} plays {first.game}, {name} plays {other.game}"
        if (first.decks, first.deck_cards) != (other.decks, other.deck_cards):
            yield (
                f"{names[0]} has {first.decks} deck(s) of {first.deck_cards} cards, "
                f"{name} {other.decks} of {other.deck_cards}"
            )
