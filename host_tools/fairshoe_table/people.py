"""Simulated people: players with plain strategies, and a dealer's hands at a simulated shoe.

Faces come from the plant, which only a simulation can ask; every hand is marked with that source. The cards of a shoe
that is drawn by hand are known to the hands that loaded it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fairshoe import Need, State, Status, Step
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe_table.cards import PACK_48
from fairshoe_table.games import boston5, caribbean, double_attack, double_cross, double_down
from fairshoe_table.games.double_cross import Axis
from fairshoe_table.ledger import Line, Wager
from fairshoe_table.options import CaribbeanOptions
from fairshoe_table.plays import Ask, Input, Play, wager
from fairshoe_table.poker import Hand, hand_of, points, qualifies, total, value5
from fairshoe_table.table import DRAWN

PLANT = "plant"
CROSS = {"open": (3, 2), "rest": (0, 1, 4)}  # places of the community cards, as they are asked for


class Players:
    """Who wagers what, and decides how: random stakes, sensible play."""

    def __init__(self, rng: Random, seats: int = 4) -> None:
        self.rng = rng
        self.seats = seats

    def wagers(self, play: Play) -> list[Input]:
        count = self.rng.randint(1, self.seats)
        seats = sorted(self.rng.sample(range(1, self.seats + 1), count))
        return [wager(seat, self._amounts(play)) for seat in seats]

    def _amounts(self, play: Play) -> dict[Wager, int]:
        unit = play.options.minimum * self.rng.choice((1, 1, 2, 5))
        side = 100 * self.rng.randint(0, 5)
        match play.game:
            case "double-down-stud":
                return {Wager.ORIGINAL: unit}
            case "boston-5-stud":
                return {Wager.ANTE: unit, Wager.FIRST: 2 * unit, Wager.BONUS: side}
            case "double-cross-poker":
                return {Wager.ANTE: unit, Wager.BONUS: side}
            case "double-attack-blackjack":
                return {Wager.INITIAL: unit, Wager.BONUS: side}
            case _:
                return {Wager.ANTE: unit, **self._side_wagers(play, side)}

    def _side_wagers(self, play: Play, side: int) -> dict[Wager, int]:
        options = play.options
        if not isinstance(options, CaribbeanOptions):
            return {}
        on = self.rng.random() < 0.5
        return {
            Wager.BONUS: side if options.bonus_pays is not None else 0,
            Wager.PROGRESSIVE: options.progressive_wager if options.progressive_pays is not None and on else 0,
            Wager.FIVE_CARD: 100 if options.five_card and on else 0,
            Wager.FIVE_CARD_DEALER: 100 if options.five_card and not on else 0,
            Wager.COVER_ALL: side if options.cover_all else 0,
        }

    def decide(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        """What a player does, who sees the own cards and those that lie face up."""
        round = play.round
        match round:
            case double_down.Round():
                return "double" if _pays_to_double(own[0], round.community) else "stand"
            case boston5.Round():
                return "raise"  # folding is never right
            case caribbean.Round():
                value = value5(*own)
                return "raise" if hand_of(value) > Hand.HIGH_CARD or qualifies(value) else "fold"
            case double_cross.Round():
                return _axis(own, round.community)
            case double_attack.Round():
                return _blackjack(round, ask)


def _pays_to_double(card: int, community: tuple[int, ...]) -> bool:
    """A pair of jacks or better, or four to a flush or an open straight: rough, and good enough for a demonstration."""
    ranks = sorted(it // 4 for it in (card, *community))
    pairs = [rank for rank in ranks if ranks.count(rank) > 1]
    suited = len({it % 4 for it in (card, *community)}) == 1
    return any(rank >= 9 for rank in pairs) or len(pairs) == 4 or pairs.count(pairs[0] if pairs else -1) == 3 or suited


def _blackjack(round: double_attack.Round, ask: Ask) -> str:
    """Attack 2 to 8, never insure, split aces and eights, double 9 to 11, surrender a bad hand late, stand on 17."""
    up = points(round.dealer[0])
    if ask.part == "attack":
        return "attack" if 2 <= up <= 8 else "no"
    if ask.part == "insurance":
        return "no"
    box = next(box for box in round.boxes if box.seat == ask.seat)
    hand = box.hands[int(ask.part.split(".")[0])]
    mine, soft = total(hand.cards)
    if "split" in ask.choices and points(hand.cards[0]) in (8, 11):
        return "split"
    if "double" in ask.choices and not soft and 9 <= mine <= 11 and up <= 9:
        return "double"
    if "surrender" in ask.choices and mine == 17 and not soft and up == 11:
        return "surrender"
    stand = mine >= 18 or (not soft and (mine >= 17 or (mine >= 13 and up <= 6)))
    return "draw" if "draw" in ask.choices and not stand else "stand"


def _axis(own: tuple[int, ...], community: tuple[int | None, ...]) -> str:
    """Raise with a pair, with a card that pairs an open one, or with a queen or better; lie on the pairing axis."""
    ranks = [card // 4 for card in own]
    top, right = community[3], community[2]
    if top is not None and top // 4 in ranks:
        return Axis.VERTICAL.name.lower()
    if right is not None and right // 4 in ranks:
        return Axis.HORIZONTAL.name.lower()
    if ranks[0] == ranks[1] or max(ranks) >= 10:
        higher = top is not None and right is not None and top // 4 >= right // 4
        return (Axis.VERTICAL if higher else Axis.HORIZONTAL).name.lower()
    return "fold"


class SimulatedFloor:
    """Players, and hands at a simulated shoe (`dealer=none`), which see the faces of the plant. `act` and `sleep` are
    those of `shoe.sim`."""

    def __init__(
        self,
        players: Players,
        act: Callable[[str, str], list[int]],
        sleep: Callable[[float], None],
        say: Callable[[str], None] = lambda text: None,
        packs: int = 0,
    ) -> None:
        self.players = players
        self._act = act
        self._sleep = sleep
        self.say = say
        self.packs = packs  # of a shoe that is drawn by hand; 0: a machine deals stacks
        self.pile: list[int] = []
        self.stacks: dict[int, tuple[int, ...]] = {}
        self.rest: tuple[int, ...] = ()
        self.calls: list[str] = []

    # -- people -------------------------------------------------------------------------------------------------------

    def wagers(self, play: Play) -> list[Input]:
        self.stacks, self.rest = {}, ()
        return self.players.wagers(play)

    def answer(self, play: Play, ask: Ask) -> Input:
        if ask.kind == "cards":
            cards = list(self.faces(play, ask))
            return ask.answer(cards=cards, source=PLANT)
        if ask.kind == "expose":
            return ask.answer(shown=True)
        own = () if play.game == DRAWN else self._own(play, ask.seat)
        choice = self.players.decide(play, ask, own)
        self.say(f"seat {ask.seat}: {choice}")
        return ask.answer(choice=choice)

    def call(self, text: str) -> None:
        self.calls.append(text)
        self.say(f"call a floorperson: {text}")

    def booked(self, lines: list[Line]) -> None:
        for line in lines:
            self.say(str(line))

    # -- faces --------------------------------------------------------------------------------------------------------

    def _own(self, play: Play, seat: int) -> tuple[int, ...]:
        return self.stacks[play.seats.index(seat) + 1]

    def faces(self, play: Play, ask: Ask) -> tuple[int, ...]:
        """What lies there when the dealer turns it over."""
        last = self.stacks.get(len(play.seats) + 1, ())
        match play.round:
            case double_attack.Round():
                return (self._draw(),)
            case double_down.Round() if ask.seat == COMMUNITY:
                return last[:1] if ask.part == "hole" else last[1:]
            case double_cross.Round() if ask.seat == COMMUNITY:
                return tuple(self.rest[place] for place in CROSS[ask.part])
            case boston5.Round() if ask.count == 5:
                return self._with_final(play.round, ask.seat, last)
            case _:
                return last if ask.seat == DEALER else self._own(play, ask.seat)

    def _with_final(self, round: boston5.Round, seat: int, dealers: tuple[int, ...]) -> tuple[int, ...]:
        """Three cards and two of the rest, which were dealt clockwise to second wagers and to the dealer at last."""
        standing = [hand.seat for hand in sorted(round.hands, key=lambda it: it.seat) if hand.second and not hand.void]
        place = len(standing) if seat == DEALER else standing.index(seat)
        seats = sorted(hand.seat for hand in round.hands)
        first = dealers if seat == DEALER else self.stacks[seats.index(seat) + 1]
        return (*first[:3], *self.rest[2 * place : 2 * place + 2])

    # -- hands --------------------------------------------------------------------------------------------------------

    def _draw(self) -> int:
        """Draw the next card of the pile that these hands have loaded."""
        self._act("draw", "200")
        self._sleep(1.0)
        return self.pile.pop(0)

    def hand(self, step: Step, status: Status) -> None:
        match step.need:
            case Need.DECK if self.packs:
                self.pile = list(PACK_48) * self.packs
                self.players.rng.shuffle(self.pile)
                self._act("load", f"{len(self.pile)}:{len(self.pile) * 3 // 4}")
            case Need.DECK:
                self._act("load", "52")
            case Need.BURN:
                self._draw()
            case Need.EMPTY_SHOE:
                self._act("lift", "")
            case Need.TAKE:
                cards = tuple(self._act("take", ""))
                if status.state == State.STACK_OFFERED:
                    self.stacks[len(self.stacks) + 1] = cards
                elif status.state == State.REMAINDER_OFFERED:
                    self.rest = cards
            case Need.ACKNOWLEDGE | Need.OPEN_DOOR | Need.CLEAR_PATH | Need.CLOSE_DOOR:
                for action, argument in (("open", ""), ("clear", ""), ("close", ""), ("press", "ack")):
                    self._act(action, argument)
                    self._sleep(0.6)
            case Need.STUB_COUNT:
                self._act("press", "lock")
            case _:
                pass
        self._sleep(0.3)
