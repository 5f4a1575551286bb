"""Double Attack Blackjack: initial and double attack wagers, splits, doubles, surrender, insurance, Bust-It."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from fairshoe.errors import UsageError
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.rules.cards import ACE, EIGHT, JACK, KING, is_red, rank, suit
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.line_shapes import Void, by_row, staked
from fairshoe_table.rules.money import DOLLAR, Rounding, To, divide, winnings
from fairshoe_table.rules.pay_tables import Row, pay_table
from fairshoe_table.rules.poker import is_blackjack, points, total
from fairshoe_table.rules.seats import settle_order

BUST_IT = pay_table("DAB-6d")
INSURANCE_PAYS = To(5, 2)
EVEN = To(1)
DEALER_STANDS = 17
HANDS_MAX = {6: 4, 7: 3}  # of a box, by the positions of the table (DAB 10(c))
_THIRD = {10: "Ten", 9: "Nine", 8: "Eight", 7: "Seven", 6: "Six"}
_WAGERS = (Wager.INITIAL, Wager.ATTACK, Wager.SPLIT, Wager.DOUBLED)


@dataclass(frozen=True)
class Stakes:
    """What one bettor has on one hand of a box."""

    initial: int = 0
    attack: int = 0
    split: int = 0
    doubled: int = 0

    def by_wager(self) -> list[tuple[str, int]]:
        return [
            (wager, cents)
            for wager, cents in zip(_WAGERS, (self.initial, self.attack, self.split, self.doubled), strict=True)
            if cents
        ]


@dataclass(frozen=True)
class Bettor:
    """One to three of them share a box (DAB 13). `stakes` has one entry for each hand of the box."""

    number: int
    stakes: tuple[Stakes, ...]
    bonus: int = 0
    insurance: int = 0

    @property
    def initial(self) -> int:
        return sum(stakes.initial for stakes in self.stakes)


@dataclass(frozen=True)
class PlayerHand:
    """`done`: it takes no more cards. `dead`: the clause by which it is dead, and every wager of it returned."""

    cards: tuple[int, ...] = ()
    done: bool = False
    surrendered: bool = False
    halved: bool = False  # surrendered, and settled before the dealer's second card
    doubled: bool = False
    split: bool = False
    dead: str = ""
    due: bool = False  # a card was asked for and has not come yet

    @property
    def points(self) -> int:
        return total(self.cards).points

    @property
    def bust(self) -> bool:
        return self.points > 21

    @property
    def blackjack(self) -> bool:
        return not self.split and is_blackjack(self.cards)

    @property
    def full(self) -> bool:
        """It takes no more cards: 21 or more, doubled, or a split ace with its one card (DAB 9(a), 10(e), 12(a))."""
        ace = self.split and len(self.cards) == 2 and rank(self.cards[0]) == ACE
        return self.points >= 21 or self.doubled or ace


@dataclass(frozen=True)
class Box:
    seat: int
    bettors: tuple[Bettor, ...]
    hands: tuple[PlayerHand, ...] = (PlayerHand(),)

    def check(self, options: DoubleAttackOptions) -> None:
        if not 1 <= len(self.bettors) <= options.bettors_per_box:
            raise UsageError(
                f"box {self.seat}: {len(self.bettors)} bettors (DAB 13(a)).", f"At most {options.bettors_per_box}."
            )
        for bettor in self.bettors:
            _check_bettor(self.seat, bettor, options)


def insurance_most(initial: int, chip: int) -> int:
    """Half the initial wager, rounded up to the next chip (DAB 11(b))."""
    return -(-initial // (2 * chip)) * chip


def _check_bettor(seat: int, bettor: Bettor, options: DoubleAttackOptions) -> None:
    attack = sum(stakes.attack for stakes in bettor.stakes)
    most = min(bettor.initial, options.bonus_maximum)
    half = insurance_most(bettor.initial, options.chip)
    if not options.minimum <= bettor.initial <= options.maximum:
        raise UsageError(f"box {seat}: an initial wager of {bettor.initial} cents is outside the limits.", "Return it.")
    if attack > bettor.initial or (options.attack_equals_initial and attack not in (0, bettor.initial)):
        raise UsageError(
            f"box {seat}: a double attack wager of {attack} cents (DAB 1, 7(d)).", f"Up to {bettor.initial}."
        )
    if bettor.bonus and not DOLLAR <= bettor.bonus <= most:
        raise UsageError(f"box {seat}: a bonus wager of {bettor.bonus} cents (DAB 6(b)).", f"$1 to {most} cents.")
    if bettor.insurance > half:
        raise UsageError(f"box {seat}: insurance of {bettor.insurance} cents (DAB 11(b)).", f"At most {half} cents.")


class Peek(Enum):
    """What the reader said about the hole card. OFF: it is not used any more (DAB 15(n))."""

    NONE = ""
    NO = "no"
    BLACKJACK = "blackjack"
    OFF = "off"


class Follow(NamedTuple):
    """A question that another bettor of a box has to answer after the one who calls: "double" or "split"."""

    what: str
    seat: int
    hand: int
    bettor: int


@dataclass(frozen=True)
class Round:
    """`dealer`: the up-card, the second card once it is known, then the cards drawn. `finished`: the dealer draws no
    more, because of the total or because nothing depends on it. `hole`: the second card lies face down. `missed`: boxes
    that did not get a card, with the clause; `late`: those of them that get it after the others; `misses`: those that
    ever were in `missed`. `out`: boxes that the house has let out, with the clause. `ahead`: the dealer's second card
    was delivered wrongly in the deal, and lies open; `forward`: the box that got such a card."""

    boxes: tuple[Box, ...]
    dealer: tuple[int, ...] = ()
    finished: bool = False
    void: Void | None = None
    asked: frozenset[tuple[str, int]] = frozenset()  # bettors that have answered: ("attack.1", 3)
    follows: tuple[Follow, ...] = ()
    hole: bool = False
    peek: Peek = Peek.NONE
    missed: tuple[tuple[int, str], ...] = ()
    misses: tuple[int, ...] = ()
    late: frozenset[int] = frozenset()
    out: tuple[tuple[Box, str], ...] = ()
    ahead: bool = False
    forward: int = 0
    bust_is_final: bool = False  # the option of that name

    @property
    def wagered(self) -> tuple[Box, ...]:
        """Every box that has wagered, in play or out."""
        return (*self.boxes, *(box for box, _clause in self.out))

    @property
    def dealer_blackjack(self) -> bool:
        return is_blackjack(self.dealer[:2]) if len(self.dealer) > 1 else False


# --- decisions ---------------------------------------------------------------------------------


def may_split(box: Box, hand: int, options: DoubleAttackOptions) -> bool:
    """Two cards of equal value; aces once (DAB 10)."""
    cards = box.hands[hand].cards
    if (
        len(cards) != 2
        or box.hands[hand].full
        or points(cards[0]) != points(cards[1])
        or len(box.hands) >= HANDS_MAX[options.positions]
    ):
        return False
    return not (box.hands[hand].split and rank(cards[0]) == ACE)


def may_draw(hand: PlayerHand) -> bool:
    """Below 21, not doubled, not surrendered (DAB 12(a), ruling `dab-21`)."""
    return len(hand.cards) >= 2 and not hand.done and not hand.dead and not hand.full


def may_double(hand: PlayerHand) -> bool:
    """Any number of cards from two, not on a blackjack (DAB 9(a))."""
    return may_draw(hand) and not hand.blackjack


def may_surrender(hand: PlayerHand) -> bool:
    """Any time before standing, after a draw, a split or a double too (DAB 8(a))."""
    return len(hand.cards) >= 2 and not hand.surrendered and not hand.dead and not hand.bust and not hand.done


def ten_or_ace(card: int) -> bool:
    """An up-card with which the dealer may have blackjack."""
    return rank(card) == ACE or JACK <= rank(card) <= KING


def dealer_draws(round: Round) -> bool:
    """Whether the dealer takes another card: below 17, and a wager depends on it (DAB 12(b), (c))."""
    cards = round.dealer
    if len(cards) < 2:
        return len(cards) == 1 and _needs_second(round)
    if total(cards).points >= DEALER_STANDS:
        return False
    bonus = len(cards) == 2 and any(bettor.bonus for box in round.boxes for bettor in box.bettors)
    return bonus or any(_open_hand(hand) for box in round.boxes for hand in box.hands)


def _open_hand(hand: PlayerHand) -> bool:
    """Its outcome depends on the dealer's total. A blackjack wins against every 21 in three cards or more."""
    return bool(hand.cards) and not (hand.bust or hand.surrendered or hand.dead or hand.blackjack)


def bust_waits(round: Round) -> bool:
    """Whether a blackjack of the dealer could still return what a busted hand has added (ruling `dab-bust-final`)."""
    return not round.bust_is_final and ten_or_ace(round.dealer[0]) and round.peek is not Peek.NO


def _needs_second(round: Round) -> bool:
    up = ten_or_ace(round.dealer[0])
    if bust_waits(round) and any(_added(box, number) for box in round.boxes for number in _busts(box)):
        return True
    for box in round.boxes:
        if any(bettor.bonus or bettor.insurance for bettor in box.bettors):
            return True
        for hand in box.hands:
            if _open_hand(hand) or (up and hand.surrendered and not hand.halved and not hand.dead):
                return True
            if up and hand.blackjack and round.peek is not Peek.NO and not hand.dead:
                return True
    return False


def _busts(box: Box) -> list[int]:
    return [number for number, hand in enumerate(box.hands) if hand.bust and not hand.dead]


def _added(box: Box, hand: int) -> bool:
    """Whether a bettor has more than the initial wager on a hand."""
    return any(wager != Wager.INITIAL for bettor in box.bettors for wager, _ in bettor.stakes[hand].by_wager())


# --- settlement --------------------------------------------------------------------------------


def settle(round: Round, options: DoubleAttackOptions) -> list[Line]:
    """What is due as far as the round has come, in the order of events (ruling `dab-order`)."""
    order = settle_order(round.boxes)
    if round.void is not None:
        boxes = settle_order(round.wagered)
        return staked(line for box in boxes for line in _all_returned(box, round.void.clause, "void round"))
    lines = [line for box, clause in round.out for line in _all_returned(box, clause, "let out of the hand")]
    lines += [line for box in order for line in _before_dealer(box, round, options)]
    if len(round.dealer) >= 2:
        lines += [line for box in order for line in _insurance(box, round, options)]
        lines += [line for box in order for line in _waiting_surrenders(box, round, options)]
        lines += [line for box in order for line in _bust_it(box, round, options)]
    if round.finished:
        lines += [line for box in order for line in _final(box, round)]
    return staked(lines)


def _line(box: Box, bettor: Bettor, hand: int, wager: str, outcome: Outcome, stake: int, clause: str, why: str) -> Line:
    """Stakes come back unless lost; winnings are even money."""
    returned = 0 if outcome is Outcome.LOSE else stake
    paid = stake if outcome is Outcome.WIN else 0
    return Line(box.seat, wager, outcome, stake, returned, paid, clause, why, hand=hand, bettor=bettor.number)


def _all_returned(box: Box, clause: str, why: str) -> list[Line]:
    lines: list[Line] = []
    for bettor in box.bettors:
        for number, stakes in enumerate(bettor.stakes):
            lines += [
                _line(box, bettor, number, wager, Outcome.VOID, stake, clause, why)
                for wager, stake in stakes.by_wager()
            ]
        lines.append(_line(box, bettor, 0, Wager.BONUS, Outcome.VOID, bettor.bonus, clause, why))
        lines.append(_line(box, bettor, 0, Wager.INSURANCE, Outcome.VOID, bettor.insurance, clause, why))
    return lines


def _before_dealer(box: Box, round: Round, options: DoubleAttackOptions) -> list[Line]:
    """Dead hands, busts, and surrenders that need not wait for the dealer's second card."""
    lines: list[Line] = []
    for number, hand in enumerate(box.hands):
        for bettor in box.bettors:
            for wager, stake in bettor.stakes[number].by_wager():
                if hand.dead:
                    lines.append(_line(box, bettor, number, wager, Outcome.VOID, stake, hand.dead, "dead hand"))
                elif hand.bust:
                    line = _busted(box, bettor, number, wager, stake, round)
                    lines += [] if line is None else [line]
                elif hand.surrendered and (hand.halved or not surrender_waits(round, options)):
                    lines.append(_half(box, bettor, number, wager, stake, "DAB 8(a)(1)", options.rounding))
    return lines


def _busted(box: Box, bettor: Bettor, number: int, wager: str, stake: int, round: Round) -> Line | None:
    """The initial wager is lost at once; what was added only when the dealer has no blackjack (ruling
    `dab-bust-final`)."""
    if wager != Wager.INITIAL and bust_waits(round):
        if len(round.dealer) < 2:
            return None
        if round.dealer_blackjack:
            return _against_blackjack(box, bettor, number, wager, stake)
    why = f"{box.hands[number].points} is over 21"
    return _line(box, bettor, number, wager, Outcome.LOSE, stake, "DAB 5(a)", why)


def surrender_waits(round: Round, options: DoubleAttackOptions) -> bool:
    """Whether a surrendered hand waits for the dealer's second card (DAB 8(a)(2)); not where the reader has said no
    and the house settles at once (8(a)(3))."""
    at_once = options.surrender_at_once and round.peek is Peek.NO
    return ten_or_ace(round.dealer[0]) and not at_once


def _half(box: Box, bettor: Bettor, hand: int, wager: str, stake: int, clause: str, rounding: Rounding) -> Line:
    back = divide(stake, 2, rounding)
    return Line(box.seat, wager, Outcome.HALF, stake, back, 0, clause, "surrender", hand=hand, bettor=bettor.number)


def _insurance(box: Box, round: Round, options: DoubleAttackOptions) -> list[Line]:
    """5 to 2 if the second card is a king, queen or jack (DAB 11)."""
    lines: list[Line] = []
    for bettor in box.bettors:
        stake = bettor.insurance
        if round.dealer_blackjack:
            line = _line(
                box, bettor, 0, Wager.INSURANCE, Outcome.WIN, stake, "DAB 11(c)", f"blackjack, {INSURANCE_PAYS}"
            )
            lines.append(replace(line, paid=winnings(INSURANCE_PAYS, stake, options.rounding)))
        else:
            lines.append(_line(box, bettor, 0, Wager.INSURANCE, Outcome.LOSE, stake, "DAB 11(d)", "no blackjack"))
    return lines


def _waiting_surrenders(box: Box, round: Round, options: DoubleAttackOptions) -> list[Line]:
    """Against an ace or a ten-value card: half, or all but the attack and additional wagers on a blackjack."""
    lines: list[Line] = []
    for number, hand in enumerate(box.hands):
        if not hand.surrendered or hand.halved or hand.dead or not surrender_waits(round, options):
            continue
        for bettor in box.bettors:
            for wager, stake in bettor.stakes[number].by_wager():
                if round.dealer_blackjack:
                    lines.append(_against_blackjack(box, bettor, number, wager, stake))
                else:
                    lines.append(_half(box, bettor, number, wager, stake, "DAB 8(a)(2)", options.rounding))
    return lines


def _against_blackjack(box: Box, bettor: Bettor, hand: int, wager: str, stake: int) -> Line:
    """Ruling `dab-dealer-blackjack`."""
    if wager == Wager.INITIAL:
        return _line(box, bettor, hand, wager, Outcome.LOSE, stake, "DAB 5(b)", "dealer has blackjack")
    clause = {Wager.ATTACK: "DAB 5(b)", Wager.SPLIT: "DAB 10(d)"}.get(wager, "DAB 9(c)")
    return _line(box, bettor, hand, wager, Outcome.VOID, stake, clause, "dealer has blackjack")


def bust_it_row(dealer: Sequence[int]) -> Row | None:
    """The row of Bust-It for the dealer's first three cards; None: the wager loses (DAB 6(d))."""
    if len(dealer) < 3 or total(dealer[:3]).points <= 21:
        return None
    three = dealer[:3]
    if all(rank(card) == EIGHT for card in three):
        if len({suit(card) for card in three}) == 1:
            return BUST_IT.row("Three eights of the same suit")
        if len({is_red(card) for card in three}) == 1:
            return BUST_IT.row("Three eights of the same color")
    return BUST_IT.row(_THIRD[points(three[2])])


def _bust_it(box: Box, round: Round, options: DoubleAttackOptions) -> list[Line]:
    """At two cards of 17 or more, or at the third card; before the wagers on hands (DAB 6(d))."""
    if len(round.dealer) < 3 and total(round.dealer).points < DEALER_STANDS:
        return []
    row = bust_it_row(round.dealer)
    return [
        replace(by_row(box.seat, Wager.BONUS, bettor.bonus, row, "DAB 6(d)", options.rounding), bettor=bettor.number)
        for bettor in box.bettors
    ]


def _final(box: Box, round: Round) -> list[Line]:
    """Hands that are still open, against the dealer's total."""
    lines: list[Line] = []
    for number, hand in enumerate(box.hands):
        if hand.dead or hand.bust or hand.surrendered or not hand.cards:
            continue
        for bettor in box.bettors:
            for wager, stake in bettor.stakes[number].by_wager():
                lines.append(_decide(box, bettor, number, hand, wager, stake, round))
    return lines


def _decide(box: Box, bettor: Bettor, number: int, hand: PlayerHand, wager: str, stake: int, round: Round) -> Line:
    dealers = total(round.dealer).points
    if round.dealer_blackjack:
        if hand.blackjack:
            return _line(box, bettor, number, wager, Outcome.PUSH, stake, "DAB 5(b)", "both have blackjack")
        return _against_blackjack(box, bettor, number, wager, stake)
    mine = hand.points
    if dealers > 21:
        return _line(box, bettor, number, wager, Outcome.WIN, stake, "DAB 5(a)(1)", f"dealer has {dealers}")
    if hand.blackjack and dealers <= 21:
        clause = "DAB 5(a)(3)" if dealers == 21 else "DAB 5(a)(2)"
        return _line(box, bettor, number, wager, Outcome.WIN, stake, clause, "blackjack")
    if mine > dealers:
        return _line(box, bettor, number, wager, Outcome.WIN, stake, "DAB 5(a)(2)", f"{mine} against {dealers}")
    if mine == dealers:
        return _line(box, bettor, number, wager, Outcome.PUSH, stake, "DAB 5(b)", f"both have {mine}")
    return _line(box, bettor, number, wager, Outcome.LOSE, stake, "DAB 5(a)", f"{mine} against {dealers}")
