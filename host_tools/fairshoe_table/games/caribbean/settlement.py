"""Caribbean Stud Poker: ante and bet against the dealer, bonus, progressive with envy, five-card bonus, Cover All."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fairshoe.errors import UsageError
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.play.game import Settled
from fairshoe_table.rules.ledger import HOUSE, Line, Outcome, Wager
from fairshoe_table.rules.line_shapes import Void, by_row, lost, pushed, won
from fairshoe_table.rules.meters import FIVE_CARD, Meters, account
from fairshoe_table.rules.money import DOLLAR, For, OfMeter, To, winnings
from fairshoe_table.rules.pay_tables import PayTable, cover_all, pay_table
from fairshoe_table.rules.poker import Hand as Kind
from fairshoe_table.rules.poker import describe5, hand_of, qualifies, value5
from fairshoe_table.rules.seats import settle_order

EVEN = To(1)
BET_PAYS = pay_table("CS-11b")
FIVE_CARD_PAYS = pay_table("CS-11e")
COVER_COLUMNS = range(2, 9)


@dataclass(frozen=True)
class Hand:
    """`bet`: None until decided, 0 after a fold. Faces of a hand are recorded before it is folded. `not_accepted`: a
    progressive wager that the acceptor did not take; it is returned before the deal (CS 7(c))."""

    seat: int
    ante: int
    bet: int | None = None
    bonus: int = 0
    progressive: int = 0
    five_card: int = 0
    five_card_dealer: int = 0
    cover_all: int = 0
    cards: tuple[int, ...] = ()
    void: str = ""
    not_accepted: int = 0

    @property
    def stakes(self) -> tuple[tuple[str, int], ...]:
        """On this hand."""
        return (
            *((Wager.ANTE, self.ante), (Wager.BET, self.bet or 0), (Wager.BONUS, self.bonus)),
            *((Wager.PROGRESSIVE, self.progressive), (Wager.FIVE_CARD, self.five_card)),
        )

    @property
    def beside(self) -> tuple[tuple[str, int], ...]:
        """On no hand of this player: they stand when the hand alone is void (ruling `cs-void-hand`)."""
        return (Wager.FIVE_CARD_DEALER, self.five_card_dealer), (Wager.COVER_ALL, self.cover_all)


@dataclass(frozen=True)
class Round:
    """`cover_column`: hands dealt, fixed at the deal; 0: no column, Cover All is returned."""

    hands: tuple[Hand, ...]
    dealer: tuple[int, ...] = ()
    void: Void | None = None
    cover_column: int = 0


@dataclass
class _Turns:
    """The state that goes from player to player: meters at this turn, shares of the dealer's jackpot."""

    round: Round
    options: CaribbeanOptions
    progressive: Meters | None
    five_card: Meters | None
    lines: list[Line] = field(default_factory=list[Line])
    shares: dict[int, int] | None = None


def settle(
    round: Round, options: CaribbeanOptions, order: list[Hand], progressive: Meters | None, five_card: Meters | None
) -> Settled:
    """Everything at once when all cards are known, so that meters are paid turn by turn in one settlement."""
    turns = _Turns(round, options, progressive, five_card)
    for hand in order:
        if not hand.void:
            _turn(turns, hand)
        if hand.five_card_dealer:
            turns.lines.append(_on_the_dealer(turns, hand))
    turns.lines += _cover_all(round, options)
    after = (turns.progressive, turns.five_card)
    return Settled(tuple(turns.lines), {meters.pool: meters for meters in after if meters is not None})


def ready(round: Round, options: CaribbeanOptions, live: list[Hand]) -> bool:
    decided = len(round.dealer) == 5 and all(hand.bet is not None for hand in live)
    return decided and all(len(hand.cards) == 5 for hand in live if hand.bet or faces_needed(hand, options))


def faces_needed(hand: Hand, options: CaribbeanOptions) -> bool:
    """Whether the faces of a hand matter although it is folded (rulings `cs-fold-faces`, `cover-folded`)."""
    return bool(hand.five_card) or options.cover_all_counts_folded


def folded(hand: Hand) -> list[Line]:
    """All but the five-card bonus and Cover All are forfeited (CS 10(b), ruling `cs-fold-side`)."""
    stakes = {Wager.ANTE: hand.ante, Wager.BONUS: hand.bonus, Wager.PROGRESSIVE: hand.progressive}
    return [lost(hand.seat, wager, stake, "CS 10(b)", "fold") for wager, stake in stakes.items()]


def _turn(turns: _Turns, hand: Hand) -> None:
    """One player: ante and bet, bonus, progressive and envy, five-card bonus (CS 10(c)(3))."""
    if hand.bet:
        value = value5(*hand.cards)
        turns.lines += _ante_and_bet(hand, value, value5(*turns.round.dealer), turns.options)
        if hand.bonus and turns.options.bonus_pays is not None:
            row = turns.options.bonus_pays.row5(value)
            turns.lines.append(by_row(hand.seat, Wager.BONUS, hand.bonus, row, "CS 11(c)", turns.options.rounding))
        _progressive(turns, hand, value)
    _five_card(turns, hand)


def _ante_and_bet(hand: Hand, mine: int, dealers: int, options: CaribbeanOptions) -> list[Line]:
    stakes = ((Wager.ANTE, hand.ante), (Wager.BET, hand.bet or 0))
    if not qualifies(dealers):
        why = f"dealer has {describe5(dealers)}"
        back = Line(hand.seat, Wager.BET, Outcome.RETURNED, hand.bet or 0, hand.bet or 0, 0, "CS 10(c)(3)(i)", why)
        return [won(hand.seat, Wager.ANTE, hand.ante, EVEN, "CS 10(c)(3)(i), 11(a)", why), back]
    if mine < dealers:
        why = f"{describe5(dealers)} beats {describe5(mine)}"
        return [lost(hand.seat, wager, stake, "CS 10(c)(3)(ii)a", why) for wager, stake in stakes]
    if mine == dealers:
        return [pushed(hand.seat, wager, stake, "CS 10(c)(3)(ii)c") for wager, stake in stakes]
    why = f"{describe5(mine)} beats {describe5(dealers)}"
    row = BET_PAYS.row5(mine)
    return [
        won(hand.seat, Wager.ANTE, hand.ante, EVEN, "CS 11(a)", why),
        by_row(hand.seat, Wager.BET, hand.bet or 0, row, "CS 11(b)", options.rounding),
    ]


def _progressive(turns: _Turns, hand: Hand, value: int) -> None:
    """At this player's turn, from the meter as it stands (CS 11(d)(6)); then envy bonuses of the others."""
    table = turns.options.progressive_pays
    if table is None:
        return
    if hand.progressive:
        line, turns.progressive = _from_table(
            hand.seat, Wager.PROGRESSIVE, hand.progressive, table, value, turns.progressive
        )
        turns.lines.append(line)
    envy = dict(table.envy).get(hand_of(value), 0)
    if table.name == "PTMGL04" and hand_of(value) is Kind.ROYAL_FLUSH:
        envy = dict(table.envy)[Kind.STRAIGHT_FLUSH]  # ruling `ptmgl04-royal`
    cents = envy * turns.options.progressive_wager // DOLLAR  # rulings `cs-envy-amount`, `mgl-envy`
    for other in settle_order(turns.round.hands):
        if cents and other.progressive and other.seat != hand.seat and not other.void:
            why = f"envy, seat {hand.seat} has a {hand_of(value)}"
            turns.lines.append(
                Line(
                    other.seat,
                    Wager.PROGRESSIVE,
                    Outcome.BONUS,
                    0,
                    0,
                    cents,
                    "CS 12(l)" if table.name.startswith("PTMGL") else "CS 11(d)(7)",
                    why,
                    extra=f"envy {hand.seat}",
                )
            )


def _from_table(
    seat: int, wager: str, stake: int, table: PayTable, value: int, meters: Meters | None
) -> tuple[Line, Meters | None]:
    """A wager by a table at "for" and percentages of a meter: the stake is never returned."""
    row = table.row5(value)
    if row is not None and isinstance(row.odds, OfMeter):
        if meters is None:
            raise UsageError(f"{table.name} pays {row.odds} and there is no meter.", "Give the meters of the table.")
        source = account(meters.pool, row.odds.meter)
        meters, paid, reset = meters.pay(row.odds)
        why = f"{row.text}, {row.odds}; keep the cards until the paperwork is done"
        return Line(seat, wager, Outcome.WIN, stake, 0, paid, table.clause, why, source, reset=reset), meters
    if row is not None and isinstance(row.odds, For):
        line = Line(
            seat, wager, Outcome.WIN, stake, 0, winnings(row.odds, stake), table.clause, f"{row.text}, {row.odds}"
        )
        return _credited(line) if table is FIVE_CARD_PAYS else line, meters
    return lost(seat, wager, stake, table.clause, str(hand_of(value))), meters


def _credited(line: Line) -> Line:
    """A five-card bonus is credited to the player's game account (CS 10(c)(3)(ii)c.3.iii): no chips leave the tray."""
    return replace(line, source=HOUSE, credited=True, clause=f"{line.clause}, 10(c)(3)(ii)c.3.iii")


def _five_card(turns: _Turns, hand: Hand) -> None:
    """On the own hand, folded or not (CS 11(e)(2))."""
    if hand.five_card:
        value = value5(*hand.cards)
        line, turns.five_card = _from_table(
            hand.seat, Wager.FIVE_CARD, hand.five_card, FIVE_CARD_PAYS, value, turns.five_card
        )
        turns.lines.append(line)


def _on_the_dealer(turns: _Turns, hand: Hand) -> Line:
    value = value5(*turns.round.dealer)
    row = FIVE_CARD_PAYS.row5(value)
    stake, seat = hand.five_card_dealer, hand.seat
    if row is None or not isinstance(row.odds, OfMeter):
        line, _ = _from_table(seat, Wager.FIVE_CARD_DEALER, stake, FIVE_CARD_PAYS, value, None)
        return line
    if turns.five_card is None:
        raise UsageError("the five-card bonus has no meter.", "Give the meters of the table.")
    reset = 0
    if turns.shares is None:
        # The jackpot as it stands at the first of these turns, in equal parts (ruling `cs-dealer-jackpot`).
        betting = [it.seat for it in settle_order(turns.round.hands) if it.five_card_dealer]
        turns.five_card, whole, reset = turns.five_card.pay(row.odds)
        part, over = divmod(whole, len(betting))
        turns.shares = {one: part + (place < over) for place, one in enumerate(betting)}
    source = account(FIVE_CARD, row.odds.meter)
    why = f"dealer has a {row.text.lower()}, {row.odds}, {len(turns.shares)} share; keep the cards for the paperwork"
    return Line(
        seat,
        Wager.FIVE_CARD_DEALER,
        Outcome.WIN,
        stake,
        0,
        turns.shares[seat],
        "CS 11(e)(2)",
        why,
        source,
        reset=reset,
    )


def cover_column(players: int, options: CaribbeanOptions) -> int:
    """The column of CS 12(k) for so many wagering players; 0: there is none (ruling `cover-column`)."""
    hands = players + (options.cover_all == "with_dealer")
    return hands if hands in COVER_COLUMNS else 0


def _cover_all(round: Round, options: CaribbeanOptions) -> list[Line]:
    """Last, for all players who made the wager: the highest hand at the table (CS 12(b), (g), (j))."""
    betting = [hand for hand in settle_order(round.hands) if hand.cover_all]
    if not betting:
        return []
    if round.cover_column not in COVER_COLUMNS:
        why = "no column for this number of hands"
        return [
            Line(hand.seat, Wager.COVER_ALL, Outcome.RETURNED, hand.cover_all, hand.cover_all, 0, "CS 12(k)", why)
            for hand in betting
        ]
    shown = [hand for hand in round.hands if not hand.void and (hand.bet or options.cover_all_counts_folded)]
    best = max([value5(*round.dealer), *(value5(*hand.cards) for hand in shown)])
    row = cover_all(round.cover_column).row5(best)
    return [by_row(hand.seat, Wager.COVER_ALL, hand.cover_all, row, "CS 12(k)", options.rounding) for hand in betting]


def progressive_stakes(round: Round) -> tuple[int, int]:
    """Cents wagered on the progressive and on the five-card bonus, without wagers on hands that are void."""
    if round.void is not None:
        return 0, 0
    live = [hand for hand in round.hands if not hand.void]
    five_card = sum(hand.five_card for hand in live) + sum(hand.five_card_dealer for hand in round.hands)
    return sum(hand.progressive for hand in live), five_card
