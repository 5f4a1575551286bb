"""Boston 5 Stud Poker: three cards, an optional bonus on them, a second wager or a fold, two more cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from fairshoe import Event
from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER
from fairshoe.messages import Consequence, Recorded, What
from fairshoe_table.play.game import Ask, Dealt, Play, Report, Stake, Text
from fairshoe_table.play.inputs import Cards, Confirmed, Decided, Fact, Input, choices
from fairshoe_table.play.irregularities import SEATS, Irregularity
from fairshoe_table.play.options import AMOUNT_MAX, Options, Range
from fairshoe_table.play.stack_game import StackGame
from fairshoe_table.rules.cards import DECK, name
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.line_shapes import Void, by_row, lost, pushed, void_line, won
from fairshoe_table.rules.money import DOLLAR, To, winnings
from fairshoe_table.rules.pay_tables import TABLES, PayTable, Row
from fairshoe_table.rules.poker import describe5, hand3, hand5, value5
from fairshoe_table.rules.seats import settle_order


@dataclass(frozen=True)
class BostonOptions(Options):
    ante_pays: PayTable = TABLES["B5-11c"]
    bonus_pays: PayTable = TABLES["B5-11d"]
    bonus_on_win_only: bool = False  # ruling `b5-ante-bonus`
    ante_stays_on_bonus: bool = False  # ruling `b5-ante-stake`

    cap_clause = "B5 11(e)"
    cap_floor = 50_000 * DOLLAR
    cap_units = 1000 + 2 + 2
    tables = {"ante_pays": ("B5-11c",), "bonus_pays": ("B5-11d",)}
    sides = {Wager.BONUS: Range(DOLLAR, AMOUNT_MAX, "B5 6(c)")}
    takes_coupons = {Wager.ANTE: "B5 6(a)"}


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
    def stakes(self) -> tuple[tuple[str, int], ...]:
        """Without the optional bonus, which may stand when these are void."""
        return ((Wager.ANTE, self.ante), (Wager.FIRST, self.first), (Wager.SECOND, self.second or self.withdrawn))

    @property
    def bonus_open(self) -> bool:
        """The optional bonus is not resolved: not decided, or exposed cards that are not entered yet."""
        return bool(self.bonus) and (self.exposed is None or (self.exposed and len(self.cards) < 3))


@dataclass(frozen=True)
class Round:
    hands: tuple[Hand, ...]
    dealer: tuple[int, ...] = ()
    void: Void | None = None
    final: bool = False  # the last two cards are dealt: second wagers stand (B5 10(c), (d))
    rejected: int = 0  # cards that lay face up, each replaced by the next one (B5 12(b))


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


# --- the game ----------------------------------------------------------------------------------


Raise, Fold = choices("raise", "fold")


@dataclass(frozen=True)
class Withdrawn(Fact):
    """A second wager is taken back before the final two cards are dealt (B5 10(c)): a fold."""

    KIND = "withdrawn"
    seat: int


@dataclass(frozen=True)
class TakenBack(Fact):
    KIND = "taken back"
    seat: int


@dataclass(frozen=True)
class Rejected(Fact):
    """Cards that lay face up are replaced."""

    KIND = "rejected"
    cards: int


@dataclass(frozen=True)
class FinalDeal(Fact):
    KIND = "final deal"
    hands: int
    taken: bool


EXPOSE = Text("expose", "expose the three cards for the optional bonus?", "B5-10a")
KEPT = Text("kept", "the round is void ({clause}); expose the three cards for the optional bonus?", "B5-12a")
THREE = Text("three", "enter the three cards that are exposed", "B5-10a")
SECOND = Text("second", "second wager, or fold?", "B5-10b", "Second wager or fold?")
FINAL = Text("final", "deal two more cards {whom}", "B5-10d")
DEALERS_FIVE = Text("dealer", "turn over your five cards", "B5-10e")
FIVE = Text("five", "turn over the five cards of this seat", "B5-10f")


class Boston5Stud(StackGame):
    name = "boston-5-stud"
    options = BostonOptions
    Round, Hand = Round, Hand
    fields = {Wager.ANTE: "ante", Wager.FIRST: "first", Wager.BONUS: "bonus"}
    capped = frozenset({Wager.FIRST, Wager.SECOND, Wager.ANTE})
    choices = (Raise, Fold)
    more_inputs = (Withdrawn, TakenBack, Rejected, FinalDeal)
    prompts = (EXPOSE, KEPT, THREE, SECOND, FINAL, DEALERS_FIVE, FIVE)
    own_irregularities = (Irregularity("withdrawn", "A player withdraws the second wager", "B5-10c", None, (SEATS,)),)
    seen_early = "A card of the dealer was seen too early"
    side = (Wager.BONUS,)
    known = {"bonus": 0.915475, "game": 0.804847}

    def stakes(self, options: BostonOptions) -> tuple[Stake, ...]:
        return (
            Stake(Wager.ANTE, options.minimum, options.maximum, "B5-6a", needed=True),
            Stake(Wager.FIRST, 0, 0, "B5-1", needed=True, times=(Wager.ANTE, 2)),
            Stake(Wager.BONUS, *options.side(Wager.BONUS), "B5-6c"),
        )

    def asks(self, play: Play, dealt: Dealt) -> Iterator[Ask]:
        round: Round = play.round
        if play.void:
            yield from _kept(round)
            return
        live = [hand for hand in sorted(round.hands, key=lambda it: it.seat) if not hand.void]
        showing = [hand for hand in live if hand.bonus and hand.exposed is None]
        if not dealt.stacks:
            return
        if showing:
            yield Ask("expose", showing[0].seat, EXPOSE)
            return
        unseen = [hand for hand in live if hand.exposed and not hand.cards]
        yield from (Ask("cards", hand.seat, THREE, 3, part="three") for hand in unseen)
        undecided = [hand for hand in live if hand.second is None]
        if undecided and not unseen:
            yield Ask("decide", undecided[0].seat, SECOND, choices=(Raise.WORD, Fold.WORD))
        if unseen or undecided or not dealt.rest:
            return
        if not round.final:
            seats = [str(hand.seat) for hand in live if hand.second]
            whom = f"to seat {' and seat '.join(seats)} and to yourself" if seats else "to yourself"
            yield Ask("confirm", DEALER, FINAL, choices=("dealt",), part="final", values={"whom": whom})
            return
        if not round.dealer:
            yield Ask("cards", DEALER, DEALERS_FIVE, 5)
        for hand in settle_order(live):
            if hand.second and len(hand.cards) != 5:
                yield Ask("cards", hand.seat, FIVE, 5, part="five")

    def shown(self, play: Play, fact: Cards) -> Play:
        if fact.seat == DEALER:
            return super().shown(play, fact)
        # What was exposed stays, in whichever order five cards are entered; only a card that a correction takes away
        # gives place to one that it brings.
        exposed = self.of(play, fact.seat).exposed_cards if fact.part == "five" else ()
        kept = _still_exposed(exposed, fact) if exposed else fact.cards[:3]
        return self.change(play, fact.seat, cards=fact.cards, exposed_cards=kept)

    def check_cards(self, play: Play, fact: Cards) -> None:
        """The five cards of a hand hold the three that it has exposed, but for one that was replaced."""
        super().check_cards(play, fact)
        exposed = self.of(play, fact.seat).exposed_cards if fact.part == "five" and not fact.was else ()
        lacking = [card for card in exposed if card not in fact.cards]
        if len(fact.cards) + len(lacking) > 5 + play.round.rejected:
            said = f"{name(lacking[0])} was exposed for the optional bonus, and is not in the hand of seat {fact.seat}"
            raise UsageError(f"{said}.", "Correct the wrong entry; if both are right call a supervisor.")

    def again(self, there: int, fact: Cards) -> bool:
        """Three cards are entered, and then all five of them."""
        return there == fact.seat and fact.part == "five" and len(set(fact.cards)) == len(fact.cards)

    def decided(self, play: Play, fact: Decided) -> Play:
        cents = self.of(play, fact.seat).first if isinstance(fact, Raise) else 0
        return self.change(play, fact.seat, second=cents).stake(fact.seat, {Wager.SECOND: cents})

    def confirmed(self, play: Play, fact: Confirmed) -> Play:
        return replace(play, round=replace(play.round, final=True))

    def apply(self, play: Play, fact: Fact) -> Play:
        if isinstance(fact, Rejected):
            return replace(play, round=replace(play.round, rejected=play.round.rejected + fact.cards))
        if not isinstance(fact, Withdrawn):
            return play
        hand: Hand | None = self.of(play, fact.seat)
        if hand is None or not hand.second or hand.void or play.round.final:
            raise UsageError(
                f"seat {fact.seat} has no second wager to withdraw (B5 10(c)).", "After the last cards it stays."
            )
        return self.change(play, fact.seat, second=0, withdrawn=hand.second)

    def void(self, play: Play, void: Void) -> Play:
        """Optional bonuses that are open now stand by other rules than those that were settled before (ruling
        `b5-void-bonus`)."""
        hands = tuple(replace(hand, open_at_void=hand.bonus_open) for hand in play.round.hands)
        return super().void(replace(play, round=replace(play.round, hands=hands)), void)

    def waits(self, hand: Hand) -> bool:
        return hand.bonus_open

    def side_lines(self, play: Play, hand: Hand) -> list[Line]:
        """The optional bonus (B5 10(a)). When the round is void it may stand (ruling `b5-void-bonus`)."""
        three = hand.exposed_cards or hand.cards[:3]
        row = play.options.bonus_pays.row3(hand3(*three)) if len(three) == 3 else None
        pays, void = (hand.seat, Wager.BONUS, hand.bonus), play.round.void
        if not hand.bonus:
            return []
        if hand.void:
            return [void_line(*pays, hand.void)]
        if void is not None and (hand.open_at_void or hand.bonus_open):
            if hand.seat in void.kept and hand.exposed is not False and len(three) < 3:
                return []  # the player is asked to show them
            if hand.seat not in void.kept or row is None:
                return [void_line(*pays, void.clause)]
            return [by_row(*pays, row, f"{void.clause}, B5 11(d)", play.options.rounding)]
        if hand.bonus_open:
            return []
        if not hand.exposed:
            return [lost(*pays, "B5 10(a)", "not exposed")]
        return [by_row(*pays, row, "B5 10(a), 11(d)", play.options.rounding)]

    def folded(self, play: Play, hand: Hand) -> list[Line]:
        if hand.second != 0:
            return []
        back = hand.withdrawn
        return [
            lost(hand.seat, Wager.ANTE, hand.ante, "B5 10(b)", "fold"),
            lost(hand.seat, Wager.FIRST, hand.first, "B5 10(b)", "fold"),
            Line(hand.seat, Wager.SECOND, Outcome.RETURNED, back, back, 0, "B5 10(c)", "withdrawn"),
        ]

    def ready(self, play: Play, live: list[Hand]) -> bool:
        decided = len(play.round.dealer) == 5 and all(hand.second is not None for hand in live)
        return decided and all(len(hand.cards) == 5 for hand in live if hand.second)

    def lines(self, play: Play, hand: Hand) -> list[Line]:
        return _final(hand, play.round, play.options) if hand.second else []

    def hears(self, play: Play, event: Event) -> Iterator[Input]:
        if isinstance(event, Recorded) and event.consequence is Consequence.REJECT_CARD:
            yield Input(f"rejected:{event.seq}", "rejected", {"cards": event.a})

    def reports(self, play: Play, dealt: Dealt) -> Iterator[Report]:
        """How many hands get two more cards: without it the device does not know the stub (B5 7(f), 10(d)). A second
        wager that was withdrawn is taken back first; the device refuses that if it knows of none."""
        if play.void or not play.round.final or play.fact("final deal"):
            return
        for hand in play.round.hands:
            if hand.withdrawn and not play.fact(f"taken back:{hand.seat}"):
                position = play.position(hand.seat)
                yield Report(What.SECOND_WAGER, position, 0)
                fact = Input(f"taken back:{hand.seat}", "taken back", {"seat": hand.seat})
                yield Report(What.FOLD, position, then=lambda taken, fact=fact: fact)
        hands = standing(play.round)
        yield Report(
            What.FINAL_DEAL,
            hands,
            then=lambda taken: Input("final deal", "final deal", {"hands": hands, "taken": taken}),
        )

    def wanted(self, play: Play, what: What, position: int) -> Report | None:
        if what is What.FINAL_DEAL:
            return Report(what, standing(play.round))
        if not position:
            return None
        second = any(hand.second for hand in play.round.hands if play.position(hand.seat) == position)
        return Report(What.SECOND_WAGER, position, 1) if second else Report(What.FOLD, position)

    def corrects(self, inputs: Iterable[Input]) -> list[Input]:
        """Five cards hold the three that were exposed before."""
        fact = super().corrects(inputs)
        whole = {it.data["seat"] for it in fact if it.data["part"] == "five"}
        return [it for it in fact if it.data["part"] != "three" or it.data["seat"] not in whole]

    def begins_with(self, play: Play, ask: Ask) -> list[Input]:
        return play.keys(f"cards:{ask.seat}:three") if ask.part == "five" else []

    def places(self, seat: int) -> tuple[str, ...]:
        return (*super().places(seat), "rest")

    def lies_at(
        self, play: Play, ask: Ask, stacks: Mapping[int, tuple[int, ...]], rest: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Three cards and two of the rest, which were dealt clockwise to second wagers and to the dealer at last."""
        first = super().lies_at(play, ask, stacks, rest)
        if ask.count != 5:
            return first
        seats = sorted(hand.seat for hand in play.round.hands if hand.second and not hand.void)
        place = len(seats) if ask.seat == DEALER else seats.index(ask.seat)
        return (*first[:3], *rest[2 * place : 2 * place + 2])

    def says(self, hand: Any) -> str:
        return "" if hand.second is None else "in" if hand.second else "folds"

    def wagers(self, options: BostonOptions, rng: Random) -> Mapping[str, int]:
        found = super().wagers(options, rng)
        return {**found, Wager.FIRST: 2 * found[Wager.ANTE]}

    def decides(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        return Raise.WORD  # folding is never right

    def sample(self, options: BostonOptions, rng: Random, unit: int) -> tuple[list[Line], str]:
        cards = rng.sample(DECK, 10)
        hand = Hand(1, unit, 2 * unit, 100, tuple(cards[:5]), True, 2 * unit)
        return list(self.settled(Round((hand,), tuple(cards[5:])), options).lines), str(hand5(cards[:5]))


def _still_exposed(exposed: tuple[int, ...], fact: Cards) -> tuple[int, ...]:
    """The exposed cards of five that were corrected: for one that is gone the new one at its place, or the first."""
    new = [card for card in fact.cards if card not in fact.was and card not in exposed]
    kept: list[int] = []
    for card in exposed:
        if card not in fact.cards and new:
            here = fact.cards[fact.was.index(card)] if card in fact.was else card
            card = new.pop(new.index(here) if here in new else 0)
        kept.append(card)
    return tuple(kept)


def standing(round: Round) -> int:
    """Hands with a second wager that are not void."""
    return sum(1 for hand in round.hands if hand.second and not hand.void)


def _kept(round: Round) -> Iterator[Ask]:
    """Three-card hands that stand in a void round if they qualify for the optional bonus (B5 12(a), (f))."""
    assert round.void is not None
    for hand in sorted(round.hands, key=lambda it: it.seat):
        if hand.seat not in round.void.kept or hand.void or not hand.open_at_void:
            continue
        if hand.exposed is None:
            yield Ask("expose", hand.seat, KEPT, values={"clause": round.void.clause})
        elif hand.exposed and not hand.cards:
            yield Ask("cards", hand.seat, THREE, 3, part="three")


GAME = Boston5Stud()
