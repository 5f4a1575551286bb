"""Hands and checks that the tests of the table system share."""

from collections.abc import Iterable, Mapping

from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import Line, Transfer, apply, layout, player, transfers
from fairshoe_table.rules.poker import Hand, Hand3

# One hand of each kind, written out.
FIVE = {
    Hand.ROYAL_FLUSH: "As Ks Qs Js Ts",
    Hand.STRAIGHT_FLUSH: "9h 8h 7h 6h 5h",
    Hand.FOUR_OF_A_KIND: "7c 7d 7h 7s 2c",
    Hand.FULL_HOUSE: "8c 8d 8h 3s 3c",
    Hand.FLUSH: "Ad Jd 9d 5d 2d",
    Hand.STRAIGHT: "9c 8d 7h 6s 5c",
    Hand.THREE_OF_A_KIND: "5c 5d 5h Ks 2c",
    Hand.TWO_PAIR: "Jc Jd 4h 4s 9c",
    Hand.PAIR: "Jc Jd 9h 5s 2c",
    Hand.HIGH_CARD: "Ac Qd 9h 5s 2c",
}
THREE = {
    Hand3.STRAIGHT_FLUSH: "4h 5h 6h",
    Hand3.THREE_OF_A_KIND: "9c 9d 9s",
    Hand3.STRAIGHT: "Qc Kd Ah",
    Hand3.FLUSH: "2c 9c Kc",
    Hand3.PAIR: "8c 8d 3h",
    Hand3.NOTHING: "Kc Ad 2h",
}


def five(hand: Hand) -> tuple[int, ...]:
    return cards(FIVE[hand])


def settled(stakes: Mapping[int, int], lines: Iterable[Line]) -> dict[str, int]:
    """Book a settlement and hold that money is conserved: every stake left the layout once, and all accounts together
    are still what they were. Gives the balances."""
    balances: dict[str, int] = {}
    apply(balances, [Transfer(player(seat), layout(seat), cents) for seat, cents in stakes.items()])
    done = list(lines)
    assert len({line.key for line in done}) == len(done), "a wager was settled twice"
    for line in done:
        apply(balances, transfers(line))
    assert {name: cents for name, cents in balances.items() if name.startswith("layout") and cents} == {}
    assert sum(balances.values()) == 0
    return balances


def paid(lines: Iterable[Line]) -> list[tuple[str, str, int]]:
    """Wager, outcome and net of each line."""
    return [(line.wager, line.outcome.value, line.net) for line in lines]
