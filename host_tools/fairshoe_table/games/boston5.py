"""Boston 5 Stud Poker: three cards, an optional bonus on them, a second wager or a fold, two more cards."""

from __future__ import annotations

from dataclasses import dataclass

from fairshoe.errors import UsageError
from fairshoe_table.play.options import BostonOptions
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.line_shapes import Void, by_row, limit, lost, pushed, staked, void_line, won
from fairshoe_table.rules.money import DOLLAR, To, winnings
from fairshoe_table.rules.pay_tables import Row
from fairshoe_table.rules.poker import describe5, hand3, value5
from fairshoe_table.rules.seats import settle_order

CAPPED = frozenset({Wager.FIRST, Wager.SECOND, Wager.ANTE})
EVEN = To(1)


@dataclass(frozen=True)
class Hand:
    """`exposed`: None until the player has shown the three cards or declined. `second`: None until decided, 0 after a
    fold. `withdrawn`: a second wager that was taken back, which is a fold (ruling `b5-withdraw`). `void`: the clause by
    which this hand alone is void. `open_at_void`: the optional bonus was not resolved when the round became void."""

    seat: int
    ante: int
    first: int
    bonus: int = 0
    cards: tuple[int, ...] = ()
    exposed: bool | None = None
    second: int | None = None
    void: str = ""
    withdrawn: int = 0
    exposed_cards: tuple[int, ...] = ()  # the optional bonus is settled on these
    open_at_void: bool = False

    @property
    def bonus_open(self) -> bool:
        """The optional bonus is not resolved: not decided, or exposed cards that are not entered yet."""
        return bool(self.bonus) and (self.exposed is None or (self.exposed and len(self.cards) < 3))

    def check(self, options: BostonOptions) -> None:
        if not options.minimum <= self.ante <= options.maximum:
            raise UsageError(f"seat {self.seat}: an ante of {self.ante} cents is outside the limits.", "Return it.")
        if self.first != 2 * self.ante:
            raise UsageError(
                f"seat {self.seat}: first wager {self.first} and ante {self.ante} cents (B5 1).",
                "The first wager is exactly twice the ante: return both or correct them.",
            )
        if self.second not in (None, 0, self.first):
            raise UsageError(f"seat {self.seat}: a second wager of {self.second} cents (B5 1).", "It equals the first.")
        if self.bonus and self.bonus < DOLLAR:
            raise UsageError(f"seat {self.seat}: an optional bonus of {self.bonus} cents (B5 6(c)).", "At least $1.")


@dataclass(frozen=True)
class Round:
    hands: tuple[Hand, ...]
    dealer: tuple[int, ...] = ()
    void: Void | None = None
    final: bool = False  # the last two cards are dealt: second wagers stand (B5 10(c), (d))


def settle(round: Round, options: BostonOptions) -> list[Line]:
    """Optional bonuses first (losers, then winners, B5 10(a)), then folds, then the rest from the far right."""
    order = settle_order(round.hands)
    bonuses = [line for hand in order if hand.bonus for line in _bonus(hand, round, options)]
    bonuses.sort(key=lambda line: line.outcome is Outcome.WIN)
    if round.void is not None:
        returned = [line for hand in order for line in _returned(hand, round.void.clause)]
        return staked([*bonuses, *returned])
    if any(hand.bonus_open for hand in order if not hand.void):
        return staked(line for hand in order if hand.void for line in _returned(hand, hand.void))
    folds = [line for hand in order for line in _before_the_end(hand)]
    live = [hand for hand in order if not hand.void]
    decided = len(round.dealer) == 5 and all(hand.second is not None for hand in live)
    ready = decided and all(len(hand.cards) == 5 for hand in live if hand.second)
    final = [line for hand in live if ready and hand.second for line in _final(hand, round, options)]
    return staked([*bonuses, *folds, *limit(final, CAPPED, options.cap, "B5 11(e)")])


def _bonus(hand: Hand, round: Round, options: BostonOptions) -> list[Line]:
    three = hand.exposed_cards or hand.cards[:3]
    row = options.bonus_pays.row3(hand3(*three)) if len(three) == 3 else None
    if hand.void:
        return [void_line(hand.seat, Wager.BONUS, hand.bonus, hand.void)]
    if round.void is not None and (hand.open_at_void or hand.bonus_open):  # ruling `b5-void-bonus`
        if hand.seat in round.void.kept and hand.exposed is not False and len(three) < 3:
            return []  # the player is asked to show them
        if hand.seat not in round.void.kept or row is None:
            return [void_line(hand.seat, Wager.BONUS, hand.bonus, round.void.clause)]
        return [by_row(hand.seat, Wager.BONUS, hand.bonus, row, f"{round.void.clause}, B5 11(d)", options.rounding)]
    if hand.bonus_open:
        return []
    if not hand.exposed:
        return [lost(hand.seat, Wager.BONUS, hand.bonus, "B5 10(a)", "not exposed")]
    return [by_row(hand.seat, Wager.BONUS, hand.bonus, row, "B5 10(a), 11(d)", options.rounding)]


def _returned(hand: Hand, clause: str) -> list[Line]:
    return [
        void_line(hand.seat, Wager.ANTE, hand.ante, clause),
        void_line(hand.seat, Wager.FIRST, hand.first, clause),
        void_line(hand.seat, Wager.SECOND, hand.second or hand.withdrawn, clause),
    ]


def _before_the_end(hand: Hand) -> list[Line]:
    """Void hands and folds."""
    if hand.void:
        return _returned(hand, hand.void)
    if hand.second == 0:
        back = hand.withdrawn
        return [
            lost(hand.seat, Wager.ANTE, hand.ante, "B5 10(b)", "fold"),
            lost(hand.seat, Wager.FIRST, hand.first, "B5 10(b)", "fold"),
            Line(hand.seat, Wager.SECOND, Outcome.RETURNED, back, back, 0, "B5 10(c)", "withdrawn"),
        ]
    return []


def _final(hand: Hand, round: Round, options: BostonOptions) -> list[Line]:
    """First and second, then the ante and its bonus (B5 10(f)(3))."""
    mine, dealers = value5(*hand.cards), value5(*round.dealer)
    stakes = ((Wager.FIRST, hand.first), (Wager.SECOND, hand.second or 0))
    row = options.ante_pays.row5(mine)
    if options.bonus_on_win_only and mine <= dealers:
        row = None
    if mine > dealers:
        why = f"{describe5(mine)} beats {describe5(dealers)}"
        lines = [won(hand.seat, wager, stake, EVEN, "B5 11(b)", why) for wager, stake in stakes]
        ante = Line(hand.seat, Wager.ANTE, Outcome.RETURNED, hand.ante, hand.ante, 0, "B5 10(f)(3)", "no ante bonus")
    elif mine == dealers:
        lines = [pushed(hand.seat, wager, stake, "B5 10(f)(2)") for wager, stake in stakes]
        ante = pushed(hand.seat, Wager.ANTE, hand.ante, "B5 10(f)(2)")
    else:
        why = f"{describe5(dealers)} beats {describe5(mine)}"
        lines = [lost(hand.seat, wager, stake, "B5 10(f)(1)", why) for wager, stake in stakes]
        stays = hand.ante if row is not None and options.ante_stays_on_bonus else 0
        outcome = Outcome.RETURNED if stays else Outcome.LOSE
        ante = Line(hand.seat, Wager.ANTE, outcome, hand.ante, stays, 0, "B5 10(f)(1)", why)
    return [*lines, _with_bonus(ante, hand, row, options)]


def _with_bonus(ante: Line, hand: Hand, row: Row | None, options: BostonOptions) -> Line:
    """The ante's line with the ante bonus, which is paid whatever the dealer has (ruling `b5-ante-bonus`)."""
    if row is None or not isinstance(row.odds, To):
        return ante
    outcome = Outcome.WIN if ante.returned else Outcome.BONUS
    paid = winnings(row.odds, hand.ante, options.rounding)
    why = f"ante bonus, {row.text}, {row.odds}"
    return Line(hand.seat, Wager.ANTE, outcome, hand.ante, ante.returned, paid, "B5 10(f)(3), 11(c)", why)
