"""Caribbean Stud Poker at a table: wagers, questions, progressive chips, and how simulated players decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from fairshoe import Event, State
from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER
from fairshoe.messages import CoverAll, What
from fairshoe_table.games.caribbean import settlement
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.games.caribbean.settlement import Hand, Round, faces_needed
from fairshoe_table.play.game import Ask, Dealt, Play, Report, Settled, Stake, Text, name_of
from fairshoe_table.play.inputs import Cards, Decided, Fact, Input, choices
from fairshoe_table.play.irregularities import SEATS, Irregularity
from fairshoe_table.play.stack_game import StackGame
from fairshoe_table.rules.cards import ACE, DECK, JACK, KING, QUEEN, name, rank
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, Meter, Meters
from fairshoe_table.rules.pay_tables import PayTable, pay_table
from fairshoe_table.rules.poker import Hand as Kind
from fairshoe_table.rules.poker import hand5, hand_of, qualifies, value5
from fairshoe_table.rules.seats import settle_order

VERIFIED_FROM = 500  # for 1: a floorperson verifies a five-card bonus
_HAND_WINS = "the cards are a winning hand"
_AKJ83 = value5(ACE * 4, KING * 4 + 1, JACK * 4, 6 * 4, 1 * 4)
SAMPLE_SEED = 1_000_000  # cents in the meters of a sampled round


Raise, Fold = choices("raise", "fold")


@dataclass(frozen=True)
class NotAccepted(Fact):
    """A progressive wager that the acceptor did not take is returned before the deal (CS 7(c))."""

    KIND = "not accepted"
    seat: int


@dataclass(frozen=True)
class CoverColumn(Fact):
    """The device's own count of the hands dealt."""

    KIND = "cover all"
    column: int


@dataclass(frozen=True)
class Progressive(Fact):
    KIND = "progressive"
    wagers: int
    chips: int
    taken: bool


UP = Text("up", "expose your up-card: the bottom card of your stack, or the first card dealt to you", "CS-9h")
BET = Text("bet", "bet twice the ante, or fold?", "CS-10a", "Bet or fold?")
FOLDED = Text("folded", "enter the cards of the folded hand before they go to the rack", "CS-10b")
DEALERS_FIVE = Text("dealer", "turn over your hole cards; enter all five, the up-card first", "CS-10c")
OWN = Text("own", "turn over the cards of this seat", "CS-10c")
CHIPS = Text(
    "chips", "collect the progressive wagers and count them before the container; a coupon counts as a chip", "CS-7c"
)
CHIPS_AGAIN = Text(
    "chips-again", "{wagers} progressive wagers were accepted, and you counted {chips}: count them again", "CS-7c"
)


class CaribbeanStud(StackGame):
    name = "caribbean-stud"
    options = CaribbeanOptions
    Round, Hand = Round, Hand
    fields = {
        Wager.ANTE: "ante",
        Wager.BONUS: "bonus",
        Wager.PROGRESSIVE: "progressive",
        Wager.FIVE_CARD: "five_card",
        Wager.FIVE_CARD_DEALER: "five_card_dealer",
        Wager.COVER_ALL: "cover_all",
    }
    choices = (Raise, Fold)
    more_inputs = (NotAccepted, CoverColumn, Progressive)
    prompts = (UP, BET, FOLDED, DEALERS_FIVE, OWN, CHIPS, CHIPS_AGAIN)
    own_irregularities = (
        Irregularity("not accepted", "The acceptor took no progressive wager of a seat", "CS-9c", None, (SEATS,)),
    )
    seen_early = "A hole card was seen before the closing"
    side = tuple(it for it in fields if it != Wager.ANTE)
    known = {
        "bonus": 0.968903,
        "progressive": 0.559812,
        "five-card bonus": 0.391618,
        "five-card bonus on the dealer": 0.391618,
        "cover all": 0.912855,
        "game": 0.947755,
    }

    def stakes(self, options: CaribbeanOptions) -> tuple[Stake, ...]:
        one = (options.progressive_wager, options.progressive_wager)
        five = options.five_card
        offered = (
            (True, Stake(Wager.ANTE, options.minimum, options.maximum, "CS-6a", needed=True)),
            (options.bonus_pays is not None, Stake(Wager.BONUS, *options.side(Wager.BONUS), "CS-11c")),
            (options.progressive_pays is not None, Stake(Wager.PROGRESSIVE, *one, "CS-6c")),
            (five, Stake(Wager.FIVE_CARD, *options.side(Wager.FIVE_CARD), "CS-11e", label="5-card")),
            (
                five,
                Stake(Wager.FIVE_CARD_DEALER, *options.side(Wager.FIVE_CARD_DEALER), "CS-11e", label="5-card dealer"),
            ),
            (bool(options.cover_all), Stake(Wager.COVER_ALL, *options.side(Wager.COVER_ALL), "CS-12a")),
        )
        return tuple(stake for there, stake in offered if there)

    # -- the round ----------------------------------------------------------------------------------------------------

    def asks(self, play: Play, dealt: Dealt) -> Iterator[Ask]:
        if _chips_differ(play, dealt):
            yield _chips_ask(play)
            return
        if play.void or not dealt.stacks or not dealt.rest:  # the stub first, CS 9(e)
            return
        round: Round = play.round
        if not round.dealer:  # on record before the first decision (CS 9(h), 7(e)(2), 8(d)(2))
            yield Ask("cards", DEALER, UP, 1, part="up")
            return
        live = [hand for hand in sorted(round.hands, key=lambda it: it.seat) if not hand.void]
        for hand in live:
            if hand.bet is None:
                yield Ask("decide", hand.seat, BET, choices=(Raise.WORD, Fold.WORD))
                return
        for hand in live:
            if hand.bet == 0 and faces_needed(hand, play.options) and not hand.cards:  # ruling `cs-fold-faces`
                yield Ask("cards", hand.seat, FOLDED, 5)
        if len(round.dealer) == 1:
            yield Ask("cards", DEALER, DEALERS_FIVE, 5)
        for hand in settle_order(live):
            if hand.bet and not hand.cards:
                yield Ask("cards", hand.seat, OWN, 5)

    def close(self, play: Play) -> Play:
        column = settlement.cover_column(len(play.seats), play.options)
        return replace(play, closed=True, round=replace(play.round, cover_column=column))

    def decided(self, play: Play, fact: Decided) -> Play:
        cents = 2 * self.of(play, fact.seat).ante if isinstance(fact, Raise) else 0
        return self.change(play, fact.seat, bet=cents).stake(fact.seat, {Wager.BET: cents})

    def apply(self, play: Play, fact: Fact) -> Play:
        match fact:
            case CoverColumn():
                return replace(play, round=replace(play.round, cover_column=fact.column))
            case NotAccepted():
                hand: Hand | None = self.of(play, fact.seat)
                if hand is None or not hand.progressive or hand.bet is not None:
                    raise UsageError(
                        f"seat {fact.seat} has no progressive wager to return (CS 7(c)).", "Check the seat."
                    )
                if _counts(play) and _counts(play)[-1] == _accepted(play):
                    raise UsageError("the progressive chips were counted.", "A supervisor decides.")
                return self.change(play, fact.seat, progressive=0, not_accepted=hand.progressive)
            case _:
                return play

    def returns(self, play: Play, hand: Hand) -> tuple[tuple[str, int], ...]:
        return hand.stakes if play.round.void is None else (*hand.stakes, *hand.beside)

    def side_lines(self, play: Play, hand: Hand) -> list[Line]:
        back = hand.not_accepted
        return [Line(hand.seat, Wager.PROGRESSIVE, Outcome.RETURNED, back, back, 0, "CS 7(c)", "not accepted")]

    def folded(self, play: Play, hand: Hand) -> list[Line]:
        return settlement.folded(hand) if hand.bet == 0 else []

    def ready(self, play: Play, live: list[Hand]) -> bool:
        return settlement.ready(play.round, play.options, live)

    def game_lines(self, play: Play, order: list[Hand], meters: Mapping[str, Meters]) -> Settled:
        return settlement.settle(play.round, play.options, order, meters.get(PROGRESSIVE), meters.get(FIVE_CARD))

    def pools(self, options: CaribbeanOptions) -> Mapping[str, PayTable]:
        five_card = settlement.FIVE_CARD_PAYS if options.five_card else None
        tables = {PROGRESSIVE: options.progressive_pays, FIVE_CARD: five_card}
        return {pool: table for pool, table in tables.items() if table is not None}

    def contributes(self, play: Play) -> Mapping[str, int]:
        begun = len(play.round.dealer) == 5  # settlement begins when the dealer's hand is open (CS 10(c))
        stakes = settlement.progressive_stakes(play.round) if begun else (0, 0)
        return dict(zip((PROGRESSIVE, FIVE_CARD), stakes, strict=True))

    def pool_of(self, wager: str) -> str:
        pools = {Wager.PROGRESSIVE: PROGRESSIVE, Wager.FIVE_CARD: FIVE_CARD, Wager.FIVE_CARD_DEALER: FIVE_CARD}
        return pools.get(wager, "")

    def owes_later(self, options: CaribbeanOptions) -> bool:
        return options.make_up == "later"

    def validates(self, line: Line) -> tuple[str, ...]:
        """By CS 10(c)(3)(ii)c.2, c.3, 11(d)(1); a five-card bonus from 500 for 1 and for a percentage of the meter."""
        if line.outcome is not Outcome.WIN or line.state:
            return ()
        if line.wager == Wager.PROGRESSIVE:
            return (_HAND_WINS, f"the light of {name_of(line.seat)} on the progressive system is on")
        five_card = line.wager in (Wager.FIVE_CARD, Wager.FIVE_CARD_DEALER)
        return (_HAND_WINS,) if five_card and (line.jackpot or line.paid >= VERIFIED_FROM * line.stake) else ()

    # -- the shoe -----------------------------------------------------------------------------------------------------

    def hears(self, play: Play, event: Event) -> Iterator[Input]:
        if isinstance(event, CoverAll):
            yield Input("cover all", "cover all", {"column": event.column})

    def reports(self, play: Play, dealt: Dealt) -> Iterator[Report]:
        """How many progressive wagers were accepted and how many chips were counted (CS 7(c)). Without a wager there is
        nothing to count; if they differ the chips are counted again."""
        wagers, counts = _accepted(play), _counts(play)
        chips = counts[-1] if counts else 0
        key = f"progressive:{wagers}:{len(counts)}"
        if not _locking(play, dealt) or play.fact(key) or not (counts or chips == wagers):
            return
        differ = f"{wagers} progressive wagers were accepted and {chips} chips counted (CS 7(c))"
        data = {"wagers": wagers, "chips": chips}
        yield Report(
            What.PROGRESSIVE,
            wagers,
            chips,
            lambda taken: Input(key, "progressive", {**data, "taken": taken}),
            differ if chips != wagers else "",
        )

    # -- cards --------------------------------------------------------------------------------------------------------

    def check_cards(self, play: Play, fact: Cards) -> None:
        super().check_cards(play, fact)
        up = play.round.dealer[:1]
        if fact.seat == DEALER and not fact.part and not fact.was and fact.cards[:1] != up:
            raise UsageError(f"the dealer's up-card is {name(up[0])}.", "Enter it first, or correct it.")

    def again(self, there: int, fact: Cards) -> bool:
        return there == fact.seat == DEALER and len(set(fact.cards)) == len(fact.cards)

    def corrects(self, inputs: Iterable[Input]) -> list[Input]:
        """The dealer's five cards hold the up-card."""
        fact = super().corrects(inputs)
        five = any(it.key == "cards:0:" for it in fact)
        return [it for it in fact if not five or it.key != "cards:0:up"]

    def begins_with(self, play: Play, ask: Ask) -> list[Input]:
        return [it for it in play.inputs if it.key == "cards:0:up"] if ask.key == "cards:0:" else []

    def lies_at(
        self, play: Play, ask: Ask, stacks: Mapping[int, tuple[int, ...]], rest: tuple[int, ...]
    ) -> tuple[int, ...]:
        lie = super().lies_at(play, ask, stacks, rest)
        return lie[:1] if ask.part == "up" else lie

    # -- simulated players ----------------------------------------------------------------------------------

    def says(self, hand: Any) -> str:
        return "" if hand.bet is None else "in" if hand.bet else "folds"

    def demo(self) -> CaribbeanOptions:
        return CaribbeanOptions(
            bonus_pays=pay_table("CS-11c-A"),
            progressive_pays=pay_table("CS-11d-D"),
            five_card=True,
            cover_all="with_dealer",
            approvals=dict.fromkeys(("bonus_pays", "progressive_pays", "five_card", "cover_all"), "demonstration"),
        )

    def wagers(self, options: CaribbeanOptions, rng: Random) -> Mapping[str, int]:
        found = dict(super().wagers(options, rng))
        on = rng.random() < 0.5
        fixed = {
            Wager.PROGRESSIVE: options.progressive_wager if on else 0,
            Wager.FIVE_CARD: 100 if on else 0,
            Wager.FIVE_CARD_DEALER: 0 if on else 100,
        }
        return {it: fixed.get(it, cents) for it, cents in found.items()}

    def decides(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        dealer = play.round.dealer
        return Raise.WORD if raises(own, dealer[0] if dealer else None) else Fold.WORD

    def sample(self, options: CaribbeanOptions, rng: Random, unit: int) -> tuple[list[Line], str]:
        cards = rng.sample(DECK, 10)
        own, dealer = tuple(cards[:5]), tuple(cards[5:])
        bet = 2 * unit if raises(own, dealer[0]) else 0
        hand = Hand(1, unit, bet, 100, options.progressive_wager, 100, 100, 100, own)
        sign = {"main": Meter(SAMPLE_SEED, SAMPLE_SEED, 7000)}
        round = Round((hand,), dealer, None, settlement.cover_column(1, options))
        done = self.settled(round, options, *(Meters(pool, sign) for pool in (PROGRESSIVE, FIVE_CARD)))
        return list(done.lines), str(hand5(own))


def _accepted(play: Play) -> int:
    return sum(1 for hand in play.round.hands if hand.progressive)


def _counts(play: Play) -> list[int]:
    return [int(fact.data["count"]) for fact in play.keys("count:0:chips")]


def _locking(play: Play, dealt: Dealt) -> bool:
    """Before the first card progressive chips are counted, until they are as many as wagers."""
    return play.closed and not play.void and dealt.state == State.WAITING_FOR_LOCKOUT


def _chips_differ(play: Play, dealt: Dealt) -> bool:
    counts = _counts(play)
    return _locking(play, dealt) and (counts[-1] if counts else 0) != _accepted(play)


def _chips_ask(play: Play) -> Ask:
    counts = _counts(play)
    part = f"chips.{len(counts) + 1}"
    if not counts:
        return Ask("count", DEALER, CHIPS, part=part)
    return Ask("count", DEALER, CHIPS_AGAIN, part=part, values={"wagers": _accepted(play), "chips": counts[-1]})


def raises(own: tuple[int, ...], up: int | None = None) -> bool:
    """Every pair; ace-king by three rules if the dealer's up-card is seen, else from A-K-J-8-3. The three rules return
    2e-6 of the ante less than the best play."""
    first, second, third, fourth, fifth = own
    value = value5(first, second, third, fourth, fifth)
    if hand_of(value) > Kind.HIGH_CARD:
        return True
    if not qualifies(value):
        return False
    if up is None:
        return value >= _AKJ83
    ranks = sorted((rank(card) for card in own), reverse=True)
    return raises_ace_king(tuple(ranks), rank(up))


def raises_ace_king(ranks: tuple[int, ...], up: int) -> bool:
    """An up-card from 2 to queen that matches; an ace or king with an own queen or jack; no match, an own queen, and an
    up-card below the own fourth card."""
    if up in ranks and up <= QUEEN:
        return True
    if up in (ACE, KING):
        return QUEEN in ranks or JACK in ranks
    return QUEEN in ranks and up not in ranks and up < ranks[3]


GAME = CaribbeanStud()
