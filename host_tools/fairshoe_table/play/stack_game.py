"""The base of games that a machine deals in stacks: a hand for each seat, cards of a dealer or in common.

A new game defines `stakes`, `asks`, `decided`, `lines`, `decides`, and its prompts; hands, limits, a card that is
entered twice, voids, order of settlement and the page's places are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe_table.play.game import ALL_OUT, EnteredTwice, Game, Place, Play, Settled, check_wagers
from fairshoe_table.play.inputs import Cards, Confirmed, Decided, Exposed, Wagered
from fairshoe_table.play.options import Options
from fairshoe_table.rules.ledger import Line, Outcome
from fairshoe_table.rules.line_shapes import Void, limit, staked, void_line
from fairshoe_table.rules.meters import Meters
from fairshoe_table.rules.seats import settle_order


@dataclass(frozen=True)
class StackHand:
    """`stakes`: wager and cents. `choice`: None until the player has decided."""

    seat: int
    stakes: tuple[tuple[str, int], ...]
    cards: tuple[int, ...] = ()
    choice: type[Decided] | None = None
    void: str = ""

    def on(self, wager: str) -> int:
        return dict(self.stakes).get(wager, 0)


@dataclass(frozen=True)
class StackRound:
    hands: tuple[StackHand, ...]
    dealer: tuple[int, ...] = ()
    community: tuple[int, ...] = ()
    void: Void | None = None


class StackGame(Game):
    """`Round` and `Hand` are the dataclasses of the game; a hand has seat, cards, the fields of `fields`, `stakes`."""

    Round: ClassVar[Any] = StackRound
    Hand: ClassVar[Any] = StackHand
    fields: ClassVar[Mapping[str, str]] = {}  # the field of a wager, if hands have one for each
    capped: ClassVar[frozenset[str]] = frozenset()  # wagers under the payout limit

    def new(self, options: Options) -> Play:
        return Play(self, options, self.Round(()))

    def seats(self, round: Any) -> tuple[int, ...]:
        return tuple(sorted(hand.seat for hand in round.hands))

    def wagered(self, play: Play, fact: Wagered) -> Play:
        amounts = check_wagers(self, play.options, fact)
        if fact.bettor != 1 or fact.seat in play.seats:
            raise UsageError(f"seat {fact.seat} has a wager already.", "One player wagers at a seat.")
        return self.taken(play, fact, amounts)

    def taken(self, play: Play, fact: Wagered, amounts: Mapping[str, int]) -> Play:
        hand = self.hand(fact.seat, amounts)
        return replace(play, round=replace(play.round, hands=(*play.round.hands, hand))).stake(fact.seat, amounts)

    def hand(self, seat: int, amounts: Mapping[str, int]) -> Any:
        if not self.fields:
            return self.Hand(seat, tuple(amounts.items()))
        return self.Hand(seat, **{self.fields[it]: cents for it, cents in amounts.items()})

    def change(self, play: Play, seat: int, **changes: Any) -> Play:
        """Change the hand of one seat."""
        if seat not in play.seats:
            raise UsageError(f"seat {seat} has no wager in this round.", f"Seats in play: {play.seats}.")
        hands = tuple(replace(it, **changes) if it.seat == seat else it for it in play.round.hands)
        return replace(play, round=replace(play.round, hands=hands))

    def of(self, play: Play, seat: int) -> Any:
        """The hand of a seat, or None."""
        return next((hand for hand in play.round.hands if hand.seat == seat), None)

    def void_hand(self, play: Play, seat: int, clause: str) -> Play:
        return self.change(play, seat, void=clause)

    # -- answers ------------------------------------------------------------------------------------------------------

    def answered(self, play: Play, fact: Cards | Exposed | Decided | Confirmed) -> Play:
        match fact:
            case Cards():
                return self.shown(play, fact)
            case Exposed():
                return self.change(play, fact.seat, exposed=fact.shown)
            case Decided():
                return self.decided(play, fact)
            case Confirmed():
                return self.confirmed(play, fact)

    def shown(self, play: Play, fact: Cards) -> Play:
        if fact.seat == DEALER:
            return replace(play, round=replace(play.round, dealer=fact.cards))
        if fact.seat == COMMUNITY:
            return replace(play, round=replace(play.round, community=fact.cards))
        return self.change(play, fact.seat, cards=fact.cards)

    def decided(self, play: Play, fact: Decided) -> Play:
        """A decision; more chips go to `play.stake`."""
        raise NotImplementedError

    def more(self, play: Play, fact: Decided, amounts: Mapping[str, int]) -> Play:
        """The choice of a hand, with the chips that it puts on the layout."""
        stakes = (*self.of(play, fact.seat).stakes, *amounts.items())
        return self.change(play, fact.seat, stakes=stakes, choice=type(fact)).stake(fact.seat, amounts)

    def confirmed(self, play: Play, fact: Confirmed) -> Play:
        return play

    # -- cards --------------------------------------------------------------------------------------------------------

    def faces(self, play: Play) -> Mapping[int, tuple[int, ...]]:
        common = tuple(card for card in getattr(play.round, "community", ()) if card is not None)
        own = {hand.seat: hand.cards for hand in play.round.hands}
        return {**own, DEALER: getattr(play.round, "dealer", ()), COMMUNITY: common}

    def check_cards(self, play: Play, fact: Cards) -> None:
        """A card is in the deck once: the same face twice is a wrong entry, or a wrong deck."""
        super().check_cards(play, fact)
        before = {card: seat for seat, cards in self.faces(play).items() for card in cards}
        for place, card in enumerate(fact.cards):
            there = fact.seat if card in fact.cards[:place] else before.get(card)
            if there is not None and not self.again(there, fact):
                raise EnteredTwice(card, there, fact.seat)

    def again(self, there: int, fact: Cards) -> bool:
        """Whether a card of this place may be entered again."""
        return False

    def places(self, seat: int) -> tuple[str, ...]:
        return ("last",) if seat in (DEALER, COMMUNITY) else ("own",)

    def lies_at(
        self, play: Play, ask: Any, stacks: Mapping[int, tuple[int, ...]], rest: tuple[int, ...]
    ) -> tuple[int, ...]:
        number = len(play.seats) + 1 if ask.seat in (DEALER, COMMUNITY) else play.position(ask.seat)
        return stacks.get(number, ())

    def place(self, play: Play, seat: int) -> Place:
        if seat in (DEALER, COMMUNITY):
            cards = getattr(play.round, "dealer" if seat == DEALER else "community", ())
        else:
            cards = next((hand.cards for hand in play.round.hands if hand.seat == seat), ())
        lie = any(card is not None for card in cards)
        hand = self.of(play, seat)
        void = getattr(hand, "void", "")
        said = f"void ({void})" if void else self.says(hand) if hand is not None else ""
        return Place((tuple(cards),) if lie else (), ("",) if lie else (), said)

    def says(self, hand: Any) -> str:
        """What the player of a hand has decided; "folds": the hand is out."""
        return "" if hand.choice is None else hand.choice.WORD

    def sample(self, options: Any, rng: Random, unit: int) -> tuple[list[Line], str]:
        """By the same questions as at a table; settled without meters."""
        amounts = {it.wager: it.unit or (unit if it.needed else options.chip) for it in self.stakes(options)}
        play = self.close(self.wagered(self.new(options), Wagered(1, amounts)))
        each = self.profile["stack_cards"]
        last = each + self.profile.get("last_cards", each)
        deck = tuple(rng.sample(self.pack, len(self.pack)))
        words = {it.WORD: it for it in self.choices}
        while ask := next(self.asks(play, ALL_OUT), None):
            match ask.kind:
                case "cards":
                    lie = self.lies_at(play, ask, {1: deck[:each], 2: deck[each:last]}, deck[last:])
                    fact = Cards(ask.seat, lie, part=ask.part)
                case "expose":
                    fact = Exposed(ask.seat, True, ask.part)
                case "confirm":
                    fact = Confirmed(ask.seat, ask.choices[0], ask.part)
                case _:
                    fact = words[self.decides(play, ask, deck[:each])](ask.seat, ask.part)
            play = self.answered(play, fact)
        return list(self.settle(play, {}).lines), self.says(play.round.hands[0])

    # -- settlement ---------------------------------------------------------------------------------------------------

    def settled(self, round: Any, options: Options, *meters: Meters) -> Settled:
        """Of a round without a table: a sample, an oracle, a test."""
        return self.settle(Play(self, options, round), {it.pool: it for it in meters})

    def settle(self, play: Play, meters: Mapping[str, Meters]) -> Settled:
        """What is due by now, each part from the far right, counterclockwise: side wagers that come before the game,
        losers first; wagers of void hands, and folds; then the game, when every card that it needs is known."""
        order = settle_order(play.round.hands)
        live = [hand for hand in order if not self._voided(play, hand)]
        side = [line for hand in order for line in self.side_lines(play, hand)]
        side.sort(key=lambda line: line.outcome is Outcome.WIN)
        out = [line for hand in order for line in self._out(play, hand)]
        if any(self.waits(hand) for hand in live):
            return Settled(tuple(staked(line for line in out if line.outcome is Outcome.VOID)))
        game = Settled(())
        if play.round.void is None and self.ready(play, live):
            game = self.game_lines(play, order, meters)
        lines = limit(staked([*side, *out, *game.lines]), self.capped, play.options.cap, play.options.cap_clause)
        return replace(game, lines=tuple(lines))

    def _voided(self, play: Play, hand: Any) -> str:
        return play.round.void.clause if play.round.void is not None else getattr(hand, "void", "")

    def _out(self, play: Play, hand: Any) -> Iterator[Line]:
        """All wagers back if the hand is void; what is lost with a fold."""
        clause = self._voided(play, hand)
        if not clause:
            return iter(self.folded(play, hand))
        return (void_line(hand.seat, wager, cents, clause) for wager, cents in self.returns(play, hand))

    def returns(self, play: Play, hand: Any) -> tuple[tuple[str, int], ...]:
        """The wagers that come back when the round, or this hand, is void."""
        return hand.stakes

    def side_lines(self, play: Play, hand: Any) -> list[Line]:
        """Of one hand, void or not: what is settled before the game."""
        return []

    def waits(self, hand: Any) -> bool:
        """Whether nothing may be settled before this hand has decided about a side wager."""
        return False

    def folded(self, play: Play, hand: Any) -> list[Line]:
        """What is lost with a fold."""
        return []

    def ready(self, play: Play, live: list[Any]) -> bool:
        """Whether the hands that are not void can be settled."""
        return True

    def game_lines(self, play: Play, order: list[Any], meters: Mapping[str, Meters]) -> Settled:
        return Settled(tuple(line for hand in order if not self._voided(play, hand) for line in self.lines(play, hand)))

    def lines(self, play: Play, hand: Any) -> list[Line]:
        """What is due for one hand that stands; nothing after a fold, or before its cards are known."""
        raise NotImplementedError
