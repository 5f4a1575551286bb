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
from fairshoe_table.play.game import Ask, Play
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.rules.cards import ACE, PACK_48, rank
from fairshoe_table.rules.ledger import Line, Wager

PLANT = "plant"


class Players:
    """Who wagers what, and decides how: random stakes, sensible play."""

    def __init__(self, rng: Random, seats: int = 4) -> None:
        self.rng = rng
        self.seats = seats

    def wagers(self, play: Play) -> list[Input]:
        count = self.rng.randint(1, self.seats)
        seats = sorted(self.rng.sample(range(1, self.seats + 1), count))
        game, options = play.game, play.options
        found = [wager(seat, game.wagers(options, self.rng)) for seat in seats]
        if game.bettors(options) > 1:
            for seat in seats:  # others wager behind the first bettor of a box
                more = self.rng.randint(0, game.bettors(options) - 1)
                found += [wager(seat, game.wagers(options, self.rng), bettor) for bettor in range(2, 2 + more)]
        return [_with_coupons(play, fact) for fact in found] if options.coupons else found

    def decide(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        """What a player does, who sees the own cards and those that lie face up."""
        return play.game.decides(play, ask, own)


def _with_coupons(play: Play, fact: Input) -> Input:
    """At even seats half of the wager is a coupon, where one is taken; the whole wager where it has one amount."""
    options, amounts, seat = play.options, fact.data["amounts"], fact.data["seat"]
    half = {it.wager: it.unit or amounts.get(it.wager, 0) // (2 * options.chip) * options.chip
            for it in play.game.stakes(options) if it.wager in options.coupons and amounts.get(it.wager)}  # fmt: skip
    coupons = {it: cents for it, cents in half.items() if cents and seat % 2 == 0}
    return wager(seat, amounts, fact.data["bettor"], coupons=coupons)


class SimulatedPeople:
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
        self.packs = packs  # 0: a machine deals stacks
        self.deck_cards = 52  # of the next deck that is loaded; another number is a wrong deck, once
        self.pile: list[int] = []
        self.cut_at = 0  # cards before the cut card; 0: three quarters of the shoe
        self._before_cut = 0
        self.held: list[int] = []  # drawn in error
        self.rack: list[int] = []  # of a shoe that is drawn by hand
        self.drawn: list[int] = []  # in this round: they lie on the table
        self.hole = 0  # the card that lies face down
        self._lies = ("", 0)  # what the card that was drawn last is for, and that card
        self.stacks: dict[int, tuple[int, ...]] = {}
        self.rest: tuple[int, ...] = ()
        self._layout: Path | None = None
        self.odd = 1  # the stack that a single card is for, if one is due
        self.calls: list[str] = []
        self.supervisor: Callable[[Ask], str] = lambda ask: ask.choices[0]
        self.paperwork: Callable[[int], object] = lambda deck: None  # of a jackpot with cards of this deck is done

    def keep_layout(self, path: Path) -> None:
        """Keep what lies on the table and in the shoe in a file: cards outlive a program that is killed, and its
        simulated people."""
        self._layout = path
        if path.exists():
            data = json.loads(path.read_text(encoding="utf-8"))
            self.stacks = {int(number): tuple(cards) for number, cards in data["stacks"].items()}
            self.rest = tuple(data["rest"])
            self.pile, self._before_cut = data["pile"], data["before_cut"]
            self.held, self.rack, self.drawn = data["held"], data["rack"], data["drawn"]
            self.hole, self._lies = data["hole"], tuple(data["lies"])

    def _lay(self) -> None:
        if self._layout is not None:
            new = self._layout.with_suffix(".new")
            cards = {"stacks": self.stacks, "rest": self.rest, "pile": self.pile, "before_cut": self._before_cut}
            cards |= {"held": self.held, "rack": self.rack, "drawn": self.drawn, "hole": self.hole, "lies": self._lies}
            new.write_text(json.dumps(cards), encoding="utf-8")
            new.replace(self._layout)

    # -- people -------------------------------------------------------------------------------------------------------

    def clear(self) -> None:
        """No stacks lie on the table."""
        self.stacks, self.rest = {}, ()

    def bets(self, play: Play) -> list[Input]:
        self.rack, self.drawn = [*self.rack, *self.drawn], []
        self._lay()
        return self.players.wagers(play)

    def wagers(self, play: Play) -> list[Input]:
        self.clear()
        return self.bets(play)

    def answer(self, play: Play, ask: Ask) -> Input:
        if ask.kind == "house":
            return ask.answer(choice=self.supervisor(ask), by="simulated", reason="a simulated supervisor")
        if ask.kind == "confirm":
            return ask.answer(choice=ask.choices[0])
        if ask.kind == "count" and ask.part.startswith("chips"):
            return ask.answer(count=sum(1 for _, it, _ in play.stakes if it == Wager.PROGRESSIVE))
        if ask.kind == "count":
            return ask.answer(count=len(self.rack) if ask.part.startswith("short") else self.count())
        if ask.kind == "decide" and play.game.draws(play, ask):
            self.hole = self._drawn_for(play, ask)
            self._lay()
            return ask.answer(choice=ask.choices[0])
        if ask.kind == "cards":
            cards = list(self.faces(play, ask))
            return ask.answer(cards=cards, source=PLANT)
        if ask.kind == "expose":
            return ask.answer(shown=True)
        own = () if play.game.drawn else self.stacks[play.position(ask.seat)]
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

    def faces(self, play: Play, ask: Ask) -> tuple[int, ...]:
        """What lies there when the dealer turns it over."""
        if play.game.drawn:
            return (self._drawn_for(play, ask) if play.game.draws(play, ask) else self.hole,)
        return play.game.lies_at(play, ask, self.stacks, self.rest)

    def lie(self, play: Play, ask: Ask) -> tuple[int, ...]:
        """The same without touching anything: of a shoe that is drawn by hand the card that comes next."""
        if not play.game.drawn:
            return play.game.lies_at(play, ask, self.stacks, self.rest)
        if self._lies[0] == _once(play, ask):
            return (self._lies[1],)
        return tuple([*self.held, *self.pile][:1]) if play.game.draws(play, ask) else (self.hole,)

    def _drawn_for(self, play: Play, ask: Ask) -> int:
        """The card of this question. It lies there already if the same is asked twice: the answer was not booked."""
        if self._lies[0] != _once(play, ask):
            self._lies = (_once(play, ask), self.draw())
            self._lay()
        return self._lies[1]

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
                self.rack, self.drawn, self._lies = [], [], ("", 0)
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
        self._lay()
        self._sleep(0.3)


def _once(play: Play, ask: Ask) -> str:
    """A question of one round."""
    return f"{next((fact.data['round'] for fact in play.inputs if fact.key == 'closed'), None)} {ask.key}"
