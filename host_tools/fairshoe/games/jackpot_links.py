"""Progressive links: tables that share a jackpot, and the reasons why some must not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fairshoe.boards.configs import Config
from fairshoe.games.profiles import load_game


@dataclass(frozen=True)
class TableFacts:
    """What a link has to know of a table: its game, its decks and the cards of each, its pay table and its wager."""

    game: str
    code: str
    decks: int
    deck_cards: int
    pay_table: str = ""  # PTMGL01, for instance; empty: not known
    wager_cents: int = 0  # 0: not known


def table_facts(config: Config, game: str = "", pay_table: str = "", wager_cents: int = 0) -> TableFacts:
    """Of a device's board config; `game` where the config does not name one. Pay table and amount of the progressive
    wager are the licensee's choice, which no device knows."""
    name = game or config["game"]
    data = load_game(name)
    decks = config.get("table", {}).get("decks", 1)
    return TableFacts(name, data["code"], decks, data["deck_cards"], pay_table, wager_cents)


def link_objections(tables: Mapping[str, TableFacts]) -> list[str]:
    """Why these tables, by name, must not be linked; empty if they may. Games may differ; pay table, wager
    and decks must not, and what is not known of a table equals nothing."""
    return list(_objections(tables))


def _objections(tables: Mapping[str, TableFacts]) -> Iterator[str]:
    names = list(tables)
    for name, table in tables.items():
        if not table.pay_table or not table.wager_cents:
            yield f"{name}: name its pay table and the amount of its progressive wager"
    for name in names[1:]:
        first, other = tables[names[0]], tables[name]
        if first.pay_table != other.pay_table:
            yield f"{names[0]} pays by {first.pay_table}, {name} by {other.pay_table}"
        if first.wager_cents != other.wager_cents:
            yield f"{names[0]} takes wagers of {first.wager_cents} cents, {name} of {other.wager_cents}"
        if (first.decks, first.deck_cards) != (other.decks, other.deck_cards):
            yield (
                f"{names[0]} has {first.decks} deck(s) of {first.deck_cards} cards, "
                f"{name} {other.decks} of {other.deck_cards}"
            )
