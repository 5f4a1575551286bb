"""Playing cards as small numbers: card = rank * 4 + suit, rank 0 is the deuce and 12 the ace."""

from __future__ import annotations

from collections.abc import Iterable

from fairshoe.errors import UsageError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace")
FIVE, SIX, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = 3, 4, 6, 7, 8, 9, 10, 11, 12
DECK = tuple(range(52))
# The pack of Double Attack Blackjack has no tens (DAB 2(a)).
PACK_48 = tuple(card for card in DECK if card // 4 != TEN)
RED_SUITS = (1, 2)


def rank(card: int) -> int:
    return card // 4


def suit(card: int) -> int:
    return card % 4


def is_red(card: int) -> bool:
    return card % 4 in RED_SUITS


def card(text: str) -> int:
    """`As` is the ace of spades, `Td` or `10d` the ten of diamonds."""
    short = text.strip().replace("10", "T")
    if len(short) == 2 and short[0].upper() in RANKS and short[1].lower() in SUITS:
        return RANKS.index(short[0].upper()) * 4 + SUITS.index(short[1].lower())
    raise UsageError(f"no card: {text!r}.", "Write a rank (2-9, T or 10, J, Q, K, A) and a suit (c, d, h, s): As, Td.")


def cards(text: str) -> tuple[int, ...]:
    """`As Kd 2c`; a card that is there twice is refused."""
    found = tuple(card(word) for word in text.split())
    if len(set(found)) != len(found):
        raise UsageError(f"a card is named twice: {text!r}.", "Check the hand and enter it again.")
    return found


def name(card: int) -> str:
    return RANKS[card // 4] + SUITS[card % 4]


def names(hand: Iterable[int]) -> str:
    return " ".join(name(card) for card in hand)
