"""Double Attack Blackjack at a table: cards are drawn one by one, and a record names whose card comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from fairshoe import Event, Need, State
from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER, By, Delivered
from fairshoe.messages import Answer, HoleCardRead, Recorded, What
from fairshoe_table.games.double_attack import round as rounds
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.games.double_attack.settlement import HANDS_MAX, Bettor, Box, Peek, Round, Stakes, settle
from fairshoe_table.play.game import Ask, Dealt, Game, Place, Play, Report, Settled, Stake, Text, check_wagers
from fairshoe_table.play.inputs import Cards, Confirmed, Decided, Exposed, Fact, Input, Wagered, choices
from fairshoe_table.play.irregularities import DEALERS, SEATS, Burned, Irregularity, holds
from fairshoe_table.play.options import Options
from fairshoe_table.rules.cards import ACE, PACK_48, rank
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.rules.meters import Meters
from fairshoe_table.rules.money import DOLLAR
from fairshoe_table.rules.poker import points, total
from fairshoe_table.rules.seats import seat_of

PACKS = 8  # of the demonstration
_PEEKS = {Answer.NO_BLACKJACK: Peek.NO, Answer.BLACKJACK: Peek.BLACKJACK, Answer.FAULT: Peek.OFF}
RACK = Text("rack", "count the rack: how many cards?", "DAB-7j")
SHORT = Text(
    "short", "the shoe is empty (DAB 15(h)): count, shuffle and cut the cards in the rack: how many?", "DAB-15h"
)


@dataclass(frozen=True)
class Peeked(Fact):
    """What the reader said about the hole card."""

    KIND = "peek"
    answer: str


@dataclass(frozen=True)
class BoxMissed(Fact):
    KIND = "box missed"
    seat: int
    cards: int
    clause: str


@dataclass(frozen=True)
class Refused(Fact):
    """A player refuses a card that was drawn in error and seen."""

    KIND = "refused"
    seat: int


@dataclass(frozen=True)
class DeliveredWrongly(Fact):
    KIND = "delivered wrongly"
    seat: int
    becomes: int


@dataclass(frozen=True)
class LetOut(Fact):
    """The house lets a box out of the hand."""

    KIND = "let out"
    seat: int
    clause: str


@dataclass(frozen=True)
class DecidedBy(Fact):
    """The floorperson who has decided what only the house may."""

    KIND = "decided by"
    what: str
    by: str


@dataclass(frozen=True)
class UpCard(Fact):
    KIND = "up card"
    rank: int


@dataclass(frozen=True)
class InsuranceClosed(Fact):
    KIND = "insurance closed"


class DoubleAttackBlackjack(Game):
    name = "double-attack-blackjack"
    options = DoubleAttackOptions
    choices = choices(
        *("attack", "no", "insure", "dealt", "complete", "dead", "cover", "first", "second"),
        *("stand", "draw", "double", "split", "surrender"),
    )
    more_inputs = (Peeked, BoxMissed, Refused, DeliveredWrongly, LetOut, DecidedBy, UpCard, InsuranceClosed)
    prompts = (*rounds.PROMPTS, RACK, SHORT)
    drawn = True
    pack = PACK_48
    per = "initial wager"
    side = (Wager.BONUS,)
    known = {"bonus": 0.919936}

    @cached_property
    def irregularities(self) -> tuple[Irregularity, ...]:
        rule = self.clause
        return (
            Irregularity("face_up", "Cards lay face up in the shoe", rule("face_up"), What.FACE_UP, cards=True),
            Irregularity("ten", "A ten was found", rule("ten"), What.TEN_FOUND, cards=True),
            Irregularity("drawn_in_error", "A card was drawn in error, unseen", rule("drawn_in_error"),
                         What.DRAWN_IN_ERROR, cards=True),
            Irregularity("drawn_seen", "A card was drawn in error and seen", rule("drawn_seen"), What.DRAWN_IN_ERROR,
                         cards=True, b=1),
            Irregularity("refused", "A player refuses that card, and gets no more", rule("refused"), None, (SEATS,)),
            Irregularity("refused_burned", "The dealer cannot use that card either: burn it", rule("refused"),
                         What.BURNED, cards=True, b=Burned.REFUSED),
            Irregularity("pat_hand", "A card was drawn on a pat hand: burn it", rule("pat_hand"), What.BURNED,
                         cards=True, b=Burned.FINISHED_HAND),
            Irregularity("box_missed", "A box was missed", rule("box_missed"), What.BOX_MISSED, (SEATS,), True),
            Irregularity("delivered_forward", "A card was delivered wrongly: it moves forward to", rule("delivered"),
                         What.DELIVERED_WRONGLY, (SEATS,), b=Delivered.FORWARD),
            Irregularity("delivered_to_dealer", "A card was delivered wrongly: it is the dealer's next card",
                         rule("delivered"), What.DELIVERED_WRONGLY, (DEALERS,), b=Delivered.TO_DEALER),
            Irregularity("delivered_burned", "A card was delivered wrongly: burn it", rule("delivered_burned"),
                         What.DELIVERED_WRONGLY, (SEATS, DEALERS), b=Delivered.BURNED),
            Irregularity("let_out", "The house lets a box out after an error of the dealer", rule("let_out"),
                         What.LET_OUT, (SEATS,), True, named=True),
            Irregularity("dealer_short", "The dealer has no first card", rule("dealer_short"), What.MISDEAL,
                         (DEALERS,), True),
            Irregularity("new_dealer", "A new dealer comes: burn a card", rule("burn"), What.DEALER_CHANGE),
            Irregularity("burn_missed", "The burn was forgotten", rule("burn_missed"), What.BURNED),
            *holds(What.DISPUTE, "dispute", "Dispute", rule("dispute")),
        )  # fmt: skip

    # -- wagers -------------------------------------------------------------------------------------------------------

    def new(self, options: Options) -> Play:
        return Play(self, options, Round((), bust_is_final=getattr(options, "bust_is_final", False)))

    def stakes(self, options: DoubleAttackOptions) -> tuple[Stake, ...]:
        return (
            Stake(Wager.INITIAL, options.minimum, options.maximum, "DAB-5a", needed=True),
            Stake(Wager.BONUS, max(DOLLAR, options.chip), options.bonus_maximum, "DAB-6b"),
        )

    def seats(self, round: Round) -> tuple[int, ...]:
        return tuple(sorted(box.seat for box in round.wagered))

    def wagered(self, play: Play, fact: Wagered) -> Play:
        amounts = check_wagers(self, play.options, fact)
        rounds.check_wagered(play.round, fact.seat, fact.bettor, play.options)
        after = self.taken(play, fact, amounts)
        for box in after.round.boxes:
            box.check(play.options)
        return after

    def taken(self, play: Play, fact: Wagered, amounts: Mapping[str, int]) -> Play:
        initial, bonus = amounts[Wager.INITIAL], amounts.get(Wager.BONUS, 0)
        boxes = rounds.wagered(play.round, fact.seat, fact.bettor, initial, bonus)
        return replace(play, round=boxes).stake(fact.seat, amounts)

    def seats_at(self, options: DoubleAttackOptions, asked: int) -> int:
        """Six or seven boxes, by which hands may be split (DAB 10(c))."""
        if asked in HANDS_MAX and asked != options.positions:
            said = f"a table with {asked} seats and positions {options.positions} in the options (DAB 10(c))"
            raise UsageError(f"{said}.", "Post as many positions as the layout has.")
        return super().seats_at(options, asked or options.positions)

    def areas_most(self, options: DoubleAttackOptions, owners: Mapping[int, str]) -> int:
        return options.boxes_per_player

    def bettors(self, options: DoubleAttackOptions) -> int:
        return options.bettors_per_box

    def admits(self, play: Play, seats: Iterable[int], before: Play | None) -> None:
        """Refuse a box that had no wager in the round before, until a reshuffle, if the house bars late entry
        (DAB 5(h))."""
        if not play.options.late_entry_barred or before is None or play.fact("reshuffled"):
            return
        late = set(seats) - set(before.seats)
        if late:
            raise UsageError(f"box {min(late)} did not wager in the last round (DAB 5(h)).", "Wait for the reshuffle.")

    # -- the round ----------------------------------------------------------------------------------------------------

    def asks(self, play: Play, dealt: Dealt) -> Iterator[Ask]:
        found = _next(play) if dealt.stacks and not play.void else None
        if found is None:
            if dealt.need is Need.RACK:
                yield Ask("count", DEALER, RACK, part=str(_counts(play) + 1))
        elif _too_short(play, dealt, found):
            yield Ask("count", DEALER, SHORT, part=f"short.{_counts(play) + 1}")
        else:
            yield found

    def answered(self, play: Play, fact: Cards | Exposed | Decided | Confirmed) -> Play:
        match fact:
            case Cards():
                round, staked = rounds.card(play.round, fact.seat, fact.part, fact.cards[0]), ()
            case Decided():
                round, staked = rounds.decided(play.round, fact, play.options)
            case _:
                return super().answered(play, fact)
        return replace(play, round=round, stakes=(*play.stakes, *staked))

    def void_hand(self, play: Play, seat: int, clause: str) -> Play:
        raise UsageError(f"box {seat} cannot be void alone.", "Use a decision or a card.")

    def apply(self, play: Play, fact: Fact) -> Play:
        match fact:
            case UpCard() if rank(play.round.dealer[0]) != fact.rank:
                raise UsageError("the shoe knows another up-card.", "A supervisor decides; record a dispute.")
            case Refused():
                return replace(play, round=rounds.refused(play.round, fact.seat))
            case Peeked():
                return replace(play, round=rounds.peeked(play.round, Peek(fact.answer)))
            case DeliveredWrongly():
                return replace(play, round=rounds.delivered(play.round, fact.seat, fact.becomes))
            case LetOut():
                return replace(play, round=rounds.let_out(play.round, fact.seat, fact.clause))
            case BoxMissed():
                return replace(play, round=rounds.missed(play.round, fact.seat, fact.cards, fact.clause))
            case _:
                return play

    def settle(self, play: Play, meters: Mapping[str, Meters]) -> Settled:
        return Settled(tuple(settle(play.round, play.options)))

    # -- the shoe -----------------------------------------------------------------------------------------------------

    def hears(self, play: Play, event: Event) -> Iterator[Input]:
        match event:
            case Recorded(what=What.BOX_MISSED):
                data = {"seat": seat_of(play.seats, event.a), "cards": event.b, "clause": event.clause}
                yield Input(f"box missed:{event.a}:{event.b}:{event.seq}", "box missed", data)
            case Recorded(what=What.DELIVERED_WRONGLY):
                data = {"seat": seat_of(play.seats, event.a) if event.a else DEALER, "becomes": event.b}
                yield Input(f"delivered wrongly:{event.seq}", "delivered wrongly", data)
            case Recorded(what=What.LET_OUT):
                data = {"seat": seat_of(play.seats, event.a), "clause": event.clause}
                yield Input(f"let out:{event.a}", "let out", data)
            case HoleCardRead(answer=Answer.FAULT) if play.round.peek is not Peek.NONE:
                if play.round.peek is Peek.NO:  # by 15(n) from now on; a blackjack that was found ends the round
                    yield Input("peek:off", "peek", {"answer": Peek.OFF.value})
            case HoleCardRead() if event.answer in _PEEKS:
                yield Input("peek", "peek", {"answer": _PEEKS[event.answer].value})
            case _:
                pass

    def reports(self, play: Play, dealt: Dealt) -> Iterator[Report]:
        """With a reader no card may come after the hole card before the device knows the up-card; the end of insurance
        goes before the reader is used (DAB 7(i), 11(b))."""
        if not play.closed or play.void or not play.options.reader or not play.round.dealer:
            return
        up = rank(play.round.dealer[0])
        asked = dealt.need is Need.HOLE_CARD
        if (asked or (dealt.need is Need.DRAW and play.fact("decide:0:hole"))) and not play.fact("up card"):
            number = 1 if up == ACE else up + 2
            yield Report(What.UP_CARD, number, then=lambda taken: Input("up card", "up card", {"rank": up}))
        elif asked and up == ACE and not play.fact("insurance closed") and _next(play) is None:
            closed = Input("insurance closed", "insurance closed")
            yield Report(What.INSURANCE_CLOSED, then=lambda taken: closed)

    def announces(self, play: Play, ask: Ask) -> Iterator[Report]:
        """Whose card comes next, and that the dealer's second card is called (DAB 7(g))."""
        second = ask.seat == DEALER and ask.part == "2"
        if (second and (play.round.hole or play.round.ahead)) or ask.prompt is rounds.FORWARD:
            return  # it lies there already
        if second or ask.part == "hole":
            yield Report(What.DEALER_CARD)
        if ask.kind == "cards" and ask.part != "1":
            dealt = len(play.round.dealer) + play.round.hole
            number = dealt + sum(len(hand.cards) for box in play.round.wagered for hand in box.hands) + 1
            # Refused where cards were burned or set aside: the device counts them too, and knows better.
            yield Report(What.CARD_TO, play.position(ask.seat), number)

    def follows(self, play: Play, fact: Input) -> Iterator[Report]:
        """A count; a hand that surrenders after the reader has said no, which is settled at once."""
        if fact.kind == "count":
            short = str(fact.data["part"]).startswith("short")
            yield Report(What.SHORT_SHOE if short else What.STUB_COUNTED, int(fact.data["count"]))
        if fact.data.get("choice") == "surrender" and play.options.reader and play.round.peek is Peek.NO:
            yield Report(What.SURRENDER, play.position(int(fact.data["seat"])))

    def wanted(self, play: Play, what: What, position: int) -> Report | None:
        """Where the dealer cuts the rack that completes a short shoe."""
        racks = play.keys("count:0:short")
        return Report(what, int(racks[-1].data["count"]) // 2, By.DEALER) if what is What.CUT and racks else None

    # -- cards --------------------------------------------------------------------------------------------------------

    def check_cards(self, play: Play, fact: Cards) -> None:
        if fact.cards[0] not in PACK_48:
            raise UsageError("that card is not in the set, which has no tens (DAB 2(a)).", "Report a ten (15(c)).")

    def draws(self, play: Play, ask: Ask) -> bool:
        turned = ask.seat == DEALER and ask.part == "2" and (play.round.hole or play.round.ahead)
        return not turned and ask.prompt is not rounds.FORWARD and (ask.kind == "cards" or ask.part == "hole")

    def cards_out(self, keys: Collection[str]) -> int:
        """The dealer's second card once, whether it lay face down or not."""
        second = {"cards:0:2", "decide:0:hole"}
        return sum(key.startswith("cards:") for key in {*keys} - second) + (not second.isdisjoint(keys))

    def place(self, play: Play, seat: int) -> Place:
        round: Round = play.round
        if seat == DEALER:
            return Place((round.dealer,), (str(total(round.dealer).points),)) if round.dealer else Place()
        if any(box.seat == seat for box, _clause in round.out):
            return Place((), (), "out")
        hands = [hand for box in round.boxes if box.seat == seat for hand in box.hands]
        said = ["surrenders" if it.surrendered else "dead" if it.dead else "bust" if it.bust else "" for it in hands]
        lie = [hand for hand in hands if hand.cards]
        says = ", ".join(it for it in said if it)
        return Place(tuple(hand.cards for hand in lie), tuple(str(hand.points) for hand in lie), says)

    # -- simulated players --------------------------------------------------------------------------------------------

    def demo(self) -> DoubleAttackOptions:
        return DoubleAttackOptions(packs=PACKS, approvals={"packs": "demonstration"})

    def decides(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        return strategy(play.round, ask)

    def sample(self, options: DoubleAttackOptions, rng: Random, unit: int) -> tuple[list[Line], str]:
        """By the same questions as at a table; every card from a full shoe of which nothing else was dealt."""
        round = Round((Box(1, (Bettor(1, (Stakes(unit),), 100),)),), bust_is_final=options.bust_is_final)
        drawn: Counter[int] = Counter()
        words = {it.WORD: it for it in self.choices}
        while (ask := rounds.next_ask(round, options)) is not None:
            if ask.kind == "cards":
                round = rounds.card(round, ask.seat, ask.part, _draw(rng, drawn, options.packs))
            else:
                fact = words[strategy(round, ask)](ask.seat, ask.part)
                round, _staked = rounds.decided(round, fact, options)
        dealers = total(round.dealer).points
        hand = "dealer bust" if dealers > 21 else f"dealer {dealers}" if dealers >= 17 else "dealer need not draw"
        return settle(round, options), hand


def _next(play: Play) -> Ask | None:
    return rounds.next_ask(play.round, play.options)


def _counts(play: Play) -> int:
    return sum(fact.kind == "count" for fact in play.inputs)


def _too_short(play: Play, dealt: Dealt, ask: Ask) -> bool:
    """Whether a card is to be drawn, and the shoe has none left (DAB 15(h))."""
    empty = dealt.state == State.DRAWING and dealt.need == Need.DRAW and dealt.cards_left == 0
    return empty and play.game.draws(play, ask)


def strategy(round: Round, ask: Ask) -> str:
    """Attack 2 to 8, never insure, split aces and eights, double 9 to 11, surrender a bad hand late, stand on 17."""
    up = points(round.dealer[0])
    name = ask.part.split(".")[0]
    if name == "attack":
        return "attack" if 2 <= up <= 8 else "no"
    if name in ("hole", "insurance", "missed", "follow"):
        return {"insurance": "no", "missed": "complete"}.get(name, ask.choices[0])
    box = next(box for box in round.boxes if box.seat == ask.seat)
    hand = box.hands[int(name)]
    mine, soft = total(hand.cards)
    if "split" in ask.choices and points(hand.cards[0]) in (8, 11):
        return "split"
    if "double" in ask.choices and not soft and 9 <= mine <= 11 and up <= 9:
        return "double"
    if "surrender" in ask.choices and mine == 17 and not soft and up == 11:
        return "surrender"
    stand = mine >= 18 or (not soft and (mine >= 17 or (mine >= 13 and up <= 6)))
    return "draw" if "draw" in ask.choices and not stand else "stand"


def _draw(rng: Random, drawn: Counter[int], packs: int) -> int:
    """A card of a shoe, without replacement."""
    while True:
        card = PACK_48[rng.randrange(48)]
        if rng.randrange(packs) >= drawn[card]:
            drawn[card] += 1
            return card


GAME = DoubleAttackBlackjack()
