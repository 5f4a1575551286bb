"""Simulated people: players with plain strategies, and a dealer's hands at a simulated shoe.

Faces come from the plant, which only a simulation can ask; every hand is marked with that source. The cards of a shoe
that is drawn by hand are known to the hands that loaded it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from fairshoe import Need, State, Status, Step
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe_table.games import boston5, double_cross, double_down
from fairshoe_table.games.caribbean import settlement as caribbean
from fairshoe_table.games.double_attack import settlement as double_attack
from fairshoe_table.games.double_cross import RIGHT, TOP
from fairshoe_table.play.options import CaribbeanOptions, DoubleAttackOptions
from fairshoe_table.play.round import Ask, Input, Play, wager
from fairshoe_table.rules.cards import ACE, PACK_48, rank
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.rules.poker import points, total
from fairshoe_table.simulated.strategies import axis, doubles_down, raises
from fairshoe_table.table.table import DRAWN

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
        found = [wager(seat, self._amounts(play)) for seat in seats]
        options = play.options
        if isinstance(options, DoubleAttackOptions):
            for seat in seats:  # others wager behind the first bettor of a box
                more = self.rng.randint(0, options.bettors_per_box - 1)
                found += [wager(seat, self._amounts(play), bettor) for bettor in range(2, 2 + more)]
        return found

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
                return "double" if doubles_down(own[0], round.community) else "stand"
            case boston5.Round():
                return "raise"  # folding is never right
            case caribbean.Round():
                return "raise" if raises(own, round.dealer[0] if round.dealer else None) else "fold"
            case double_cross.Round():
                top, right = round.community[TOP], round.community[RIGHT]
                return axis(own, top, right) if top is not None and right is not None else "fold"
            case double_attack.Round():
                return _blackjack(round, ask)


def _blackjack(round: double_attack.Round, ask: Ask) -> str:
    """Attack 2 to 8, never insure, split aces and eights, double 9 to 11, surrender a bad hand late, stand on 17."""
    up = points(round.dealer[0])
    name = ask.part.split(".")[0]
    if name == "attack":
        return "attack" if 2 <= up <= 8 else "no"
    if name in ("insurance", "missed", "follow"):
        return {"insurance": "no", "missed": "complete"}.get(name, ask.choices[0])
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
        self.deck_cards = 52  # of the next deck that is loaded; another number is a wrong deck, once
        self.pile: list[int] = []
        self.cut_at = 0  # cards before the cut card; 0: three quarters of the shoe
        self._before_cut = 0
        self.held: list[int] = []  # drawn in error
        self.rack: list[int] = []  # of a shoe that is drawn by hand
        self.drawn: list[int] = []  # in this round: they lie on the table
        self.hole = 0  # the card that lies face down
        self.stacks: dict[int, tuple[int, ...]] = {}
        self.rest: tuple[int, ...] = ()
        self._layout: Path | None = None
        self.odd = 1  # the stack that a single card is for, if one is due
        self.calls: list[str] = []
        self.paperwork: Callable[[int], object] = lambda deck: None  # of a jackpot with cards of this deck is done

    def keep_layout(self, path: Path) -> None:
        """Keep what lies on the table in a file: cards outlive a program that is killed, and its simulated people."""
        self._layout = path
        if path.exists():
            data = json.loads(path.read_text(encoding="utf-8"))
            self.stacks = {int(number): tuple(cards) for number, cards in data["stacks"].items()}
            self.rest = tuple(data["rest"])

    def _lay(self) -> None:
        if self._layout is not None:
            new = self._layout.with_suffix(".new")
            new.write_text(json.dumps({"stacks": self.stacks, "rest": self.rest}), encoding="utf-8")
            new.replace(self._layout)

    # -- people -------------------------------------------------------------------------------------------------------

    def wagers(self, play: Play) -> list[Input]:
        self.stacks, self.rest = {}, ()
        self.rack, self.drawn = [*self.rack, *self.drawn], []
        self._lay()
        return self.players.wagers(play)

    def answer(self, play: Play, ask: Ask) -> Input:
        if ask.kind == "confirm":
            return ask.answer(choice=ask.choices[0])
        if ask.kind == "count" and ask.part.startswith("chips"):
            return ask.answer(count=sum(1 for _, it, _ in play.stakes if it is Wager.PROGRESSIVE))
        if ask.kind == "count":
            return ask.answer(count=len(self.rack) if ask.part.startswith("short") else self.count())
        if ask.kind == "decide" and ask.part == "hole":
            self.hole = self.draw()
            return ask.answer(choice="dealt")
        if ask.kind == "cards":
            cards = list(self.faces(play, ask))
            return ask.answer(cards=cards, source=PLANT)
        if ask.kind == "expose":
            return ask.answer(shown=True)
        own = () if play.game == DRAWN else self._own(play, ask.seat)
        choice = self.players.decide(play, ask, own)
        self.say(f"seat {ask.seat}: {choice}")
        return ask.answer(choice=choice)

    def count(self) -> int:
        """Cards in the rack when all are there; tens that were found are not in it any more."""
        return 48 * self.packs

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
            case double_attack.Round() as round:
                turned = ask.seat == DEALER and ask.part == "2" and round.hole
                return (self.hole if turned else self.draw(),)
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

    def draw(self) -> int:
        """Draw the next card of the pile that these hands have loaded; the cut card is set aside when it comes. A card
        that was drawn in error before is the next one."""
        if self.held:
            return self.held.pop(0)
        for _ in range(2 if self._before_cut == 0 else 1):
            self._act("draw", "200")
            self._sleep(1.0)
        self._before_cut -= 1
        self.drawn.append(self.pile.pop(0))
        return self.drawn[-1]

    def hand(self, step: Step, status: Status) -> None:
        match step.need:
            case Need.DECK if status.state == State.DRAWING:  # the rack completes a short shoe (DAB 15(h))
                self.pile, self.rack, self._before_cut = self.rack, [], -1  # without a cut card
                self.players.rng.shuffle(self.pile)
                self._act("load", str(len(self.pile)))
                self._act("press", "green")
            case Need.DECK if self.packs:
                self.rack, self.drawn = [], []
                self.pile = list(PACK_48) * self.packs
                self.players.rng.shuffle(self.pile)
                self._before_cut = self.cut_at or len(self.pile) * 3 // 4
                self._act("load", f"{len(self.pile)}:{self._before_cut}")
            case Need.DECK:
                self._act("load", str(self.deck_cards))
                self.deck_cards = 52
            case Need.BURN:
                self.draw()
                self.rack.append(self.drawn.pop())
            case Need.EMPTY_SHOE:
                self._act("lift", "")
            case Need.TAKE:
                cards = tuple(self._act("take", ""))
                if status.state == State.STACK_OFFERED and len(self.stacks) > status.positions:
                    # A single card that a rule made due, in place of the last card of that stack.
                    self.stacks[self.odd] = (*self.stacks[self.odd][: -len(cards)], *cards)
                elif status.state == State.STACK_OFFERED:
                    self.stacks[len(self.stacks) + 1] = cards
                elif status.state == State.REMAINDER_OFFERED:
                    self.rest = cards
                self._lay()
            case Need.ACKNOWLEDGE | Need.OPEN_DOOR | Need.CLEAR_PATH | Need.CLOSE_DOOR:
                for action, argument in (("open", ""), ("clear", ""), ("close", ""), ("press", "ack")):
                    self._act(action, argument)
                    self._sleep(0.6)
            case Need.HOLE_CARD:
                self._act("peek", str(1 if rank(self.hole) == ACE else rank(self.hole) + 2))
                self._sleep(1.0)
                self._act("peek_end", "")
            case Need.DISPUTE:
                self.paperwork(status.deck_next)
            case Need.STUB_COUNT:
                self._act("press", "lock")
            case _:
                pass
        self._sleep(0.3)
