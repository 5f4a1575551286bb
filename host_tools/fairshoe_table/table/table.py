"""A table at a shoe: statuses of the shoe say what is due, the books what was reported, people give what a round needs.

`Table.play_round` plays the open round, or the next one, to its end. It keeps nothing in memory that the shoe or the
books do not know: end the program anywhere, start it again, and it goes on. A refused command waits for a change; a
warning calls a person and is never acknowledged by this program.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from fairshoe import Command, CommandResult, Event, Message, Need, Shoe, State, Status, Step, What, next_step
from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER, By, Source
from fairshoe.messages import (
    AcknowledgeWarning,
    Answer,
    CloseBetting,
    CommandAccepted,
    CommandEnded,
    ConfirmLockout,
    Consequence,
    CoverAll,
    DeckLoaded,
    EndRound,
    GiveCard,
    HeldBack,
    HoleCardRead,
    Recorded,
    RoundEnded,
    RoundStarted,
    RoundVoided,
    SetPositions,
    WarningLatched,
)
from fairshoe_table.books.books import Books
from fairshoe_table.games import boston5
from fairshoe_table.games.caribbean import settlement as caribbean
from fairshoe_table.games.double_attack import settlement as double_attack
from fairshoe_table.games.double_attack.settlement import Peek
from fairshoe_table.play.options import CaribbeanOptions, DoubleAttackOptions, Options
from fairshoe_table.play.round import Ask, Dealt, Input, Play, asks
from fairshoe_table.rules.cards import ACE, rank
from fairshoe_table.rules.ledger import Line
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, check_meters
from fairshoe_table.rules.seats import seat_of

DRAWN = "double-attack-blackjack"  # the dealer draws card by card
RESHUFFLED = 1  # of `deck_loaded`: a whole set; not the same cards cut again, nor a rack in a round
# Records of what people do with a deck: a person confirms each of them.
ACTS = {
    What.DECK_REMOVED: "take deck {} off the table, and bring another one",
    What.INSPECTED: "inspect the backs of deck {}",
    What.VERIFIED: "verify that deck {} has every card",
    What.SHOWN: "show deck {} face up to the players",
    What.WASHED: "wash deck {}",
    What.MIXING_SEEN: "let a supervisor see deck {} being mixed",
    What.TENS_REMOVED: "take the tens out of set {}",
}
_ABOUT_COMMANDS = (CommandAccepted, CommandEnded, HeldBack)
_PEEKS = {Answer.NO_BLACKJACK: Peek.NO, Answer.BLACKJACK: Peek.BLACKJACK, Answer.FAULT: Peek.OFF}


def situation(status: Status) -> tuple[object, ...]:
    """What a refused command waits for a change of."""
    return status.state, status.need, status.records_due, status.positions_due, status.positions


def _check_meters(options: Options, books: Books) -> None:
    if not isinstance(options, CaribbeanOptions):
        return
    if options.progressive_pays is not None:
        check_meters(options.progressive_pays, books.meters(PROGRESSIVE), PROGRESSIVE)
    if options.five_card:
        check_meters(caribbean.FIVE_CARD_PAYS, books.meters(FIVE_CARD), FIVE_CARD)


class Floor(Protocol):
    """The people at the table, or those who stand for them."""

    def wagers(self, play: Play) -> list[Input]:
        """Wagers before the deal; none: no player takes part, ask again later."""
        ...

    def answer(self, play: Play, ask: Ask) -> Input:
        """A decision of a player, or faces that were turned over, with their source."""
        ...

    def hand(self, step: Step, status: Status) -> None:
        """Something that only hands can do at the machine."""
        ...

    def call(self, text: str) -> None:
        """Call a person: a warning, a dispute, a jackpot."""
        ...

    def booked(self, lines: list[Line]) -> None:
        """Lines of the settlement, in the order in which the dealer does them."""
        ...


class Table:
    """One table: a shoe with the key of the table's role, its books, a game and its options."""

    def __init__(self, shoe: Shoe, books: Books, game: str, options: Options, floor: Floor) -> None:
        options.check()
        _check_meters(options, books)
        self.shoe = shoe
        self.books = books
        self.game = game
        self.options = options
        self.floor = floor
        self.number = 0
        self._refused: tuple[object, ...] | None = None  # in this situation a command was refused: wait for a change

    def play_round(self) -> int:
        """The number of the round in the books, when it has ended or is void."""
        self.begin()
        for message in self.shoe.messages():
            if self.take(message):
                self.shoe.acknowledge()
                return self.number
        raise RuntimeError("the shoe was closed")

    def begin(self) -> None:
        """Open a round in the books, or go on with the open one."""
        self.number = self.books.open_round(self.game)
        self._refused = None
        unfinished = self.shoe.unfinished()
        if unfinished is not None:  # of a run that crashed: ask what became of it before anything else
            self.shoe.status_after(self.shoe.wait(self.shoe.resume(unfinished)))

    def take(self, message: Message) -> bool:
        """Book an event, or act on a status; whether the round is over with it."""
        if isinstance(message, Event):
            if not isinstance(message, _ABOUT_COMMANDS):
                self._refused = None  # something has changed
            return self._event(message)
        if message is not self.shoe.status or not isinstance(message, Status):
            return False
        if self.ended_early() or self._play().void:
            return self._settled_late()
        now = situation(message)
        if now != self._refused:
            result = self._status(message)
            if result is not None:
                self._refused = None if result.done else now
                self.shoe.status_after(result)
        return False

    def _give(self, kind: type[Command], **arguments: int) -> CommandResult | None:
        """Give a command and wait for its outcome. A front end that cannot wait starts it instead: then None."""
        return self.shoe.command(kind, **arguments)

    def _play(self) -> Play:
        return self.books.play(self.number, self.options)

    def _tell(self, *told: Input, seq: int = 0) -> None:
        """Book these inputs, all of them or none."""
        lines = self.books.record_all(self.number, told, self.options, seq)
        if lines:
            self.floor.booked(lines)

    def _told(self, key: str) -> bool:
        return any(told.key == key for told in self.books.inputs(self.number))

    # -- what the shoe says -------------------------------------------------------------------------------------------

    def _event(self, event: Message) -> bool:
        """Whether the round is over with it. Events of an earlier round, told again, change nothing."""
        match event:
            case RoundStarted():
                self._tell(Input("closed", "closed", {"round": event.round}), seq=event.seq)
                self._compare_hands(event)
            case DeckLoaded() if event.shuffled == RESHUFFLED:
                self._tell(Input("reshuffled", "reshuffled"), seq=event.seq)
            case WarningLatched():
                self.floor.call(f"warning: {event.warning.name.lower().replace('_', ' ')}")
            case RoundVoided() if self._is_ours(event.round):
                view = self.shoe.current_round
                kept = (view.void.hands_kept if view.void is not None else None) or ()
                seats = [seat_of(self._play().seats, position) for position in kept]
                self._call_for_jackpots("the round", self._play().seats)
                self._tell(Input("void", "void", {"clause": event.clause, "kept": seats}), seq=event.seq)
                if self._unsettled():  # hands that stand: their optional bonus is settled first
                    return False
                self._tell(Input("over", "over"), seq=event.seq)
                return True
            case Recorded(what=What.MISDEAL, consequence=Consequence.ONE_VOID) if self._is_ours(event.round):
                seat = seat_of(self._play().seats, event.a)
                told = {"seat": seat, "clause": event.clause}
                self._call_for_jackpots(f"the hand of seat {seat}", (seat,))
                self._tell(Input(f"void hand:{seat}", "void hand", told), seq=event.seq)
            case Recorded(what=What.BOX_MISSED) if self._is_ours(event.round):
                told = {"seat": seat_of(self._play().seats, event.a), "cards": event.b, "clause": event.clause}
                self._tell(Input(f"box missed:{event.a}:{event.b}", "box missed", told), seq=event.seq)
            case HoleCardRead() if self._is_ours(event.round) and event.answer in _PEEKS:
                self._tell(Input("peek", "peek", {"answer": _PEEKS[event.answer].value}), seq=event.seq)
            case CoverAll() if self._is_ours(event.round):
                self._tell(Input("cover all", "cover all", {"column": event.column}), seq=event.seq)
            case RoundEnded() if self._is_ours(event.round):
                if self._unsettled():  # GREEN was pressed at the shoe
                    self._tell(Input("ended early", "ended early"), seq=event.seq)
                    self.floor.call("the shoe ended the round before it was settled: keep the cards, and settle it")
                    return False
                self._tell(Input("over", "over"), seq=event.seq)
                return True
            case _:
                pass
        return False

    def _call_for_jackpots(self, what: str, seats: Iterable[int]) -> None:
        """Call a person if hands that are void now were paid from a meter (ruling `jackpot-void`)."""
        if any(line.jackpot and line.seat in seats for line in self.books.lines(self.number)):
            self.floor.call(f"{what} is void and had a jackpot: it is back in its meter; stop its payment")

    def _compare_hands(self, started: RoundStarted) -> None:
        """Call a person if the shoe deals other hands than have wagers; betting may be closed at the shoe."""
        if not self._is_ours(started.round):
            self.floor.call("the shoe deals another round, and this one is not settled: stop it")
            return
        seats = len(self._play().seats)
        if started.positions != seats:
            hands = started.positions or "any number of"
            self.floor.call(f"the shoe deals {hands} hands, and {seats} seats have wagers: deal to these only")

    def ended_early(self) -> bool:
        """The shoe has ended this round, and its wagers are not settled yet."""
        return self._told("ended early")

    def _unsettled(self) -> bool:
        return bool(asks(self._play(), Dealt(True, 2, True))) or self._on_the_layout()

    def _settled_late(self) -> bool:
        """Settle a round that the shoe has ended or voided already; whether it is over now."""
        self._progress()
        if self._unsettled():
            return False
        self._tell(Input("over", "over"))
        return True

    def _is_ours(self, shoe_round: int) -> bool:
        closed = [told for told in self.books.inputs(self.number) if told.key == "closed"]
        return bool(closed) and closed[0].data["round"] == shoe_round

    def _dealt(self) -> Dealt:
        if self.ended_early():
            return Dealt(True, 2, True)
        view = self.shoe.current_round
        if not self._is_ours(view.number):
            return Dealt()
        if self.game == DRAWN:
            return Dealt(True)
        hands = view.positions or len(self._play().seats)  # 0: betting was closed at the shoe
        stacks = hands > 0 and len(view.taken) > hands and not view.cards_due
        return Dealt(stacks, view.closings, view.cards.released is not None)

    def _progress(self) -> None:
        """Ask for everything that the round needs as far as the shoe has come."""
        while waiting := asks(self._play(), self._dealt()):
            self._tell(self.floor.answer(self._play(), waiting[0]))

    # -- what the shoe waits for --------------------------------------------------------------------------------------

    def _status(self, status: Status) -> CommandResult | None:
        step = next_step(status)
        if step.need is Need.ACKNOWLEDGE or step.command is AcknowledgeWarning:
            self.floor.call(step.text)
            self.floor.hand(step, status)
            return None
        if step.need is Need.DRAW:
            return self._draw()
        if step.need is Need.HOLE_CARD:
            return self._hole_card(step, status)
        if step.need is Need.RACK:
            return self._rack(step)
        match step.who:
            case "record":
                return self._record(step, status)
            case "command":
                return self._command(step, status)
            case "hand":
                self.floor.hand(step, status)
            case _:
                pass
        return None

    def _command(self, step: Step, status: Status) -> CommandResult | None:
        if step.command is None:
            return None
        if step.command is CloseBetting and status.state != State.WAITING_FOR_WAGERS:
            seats = self._bet()
            if not seats:
                return None
            if status.positions != len(seats):
                return self._give(SetPositions, positions=len(seats))
        elif step.command is CloseBetting and not self._dealt().stacks:
            return None  # a status may come before the events of the deal: players are asked first
        elif step.command is ConfirmLockout:
            told = self._progressive()
            if told is not None:
                return told
        elif step.command is EndRound:
            told = self._before_the_end()
            if told is not None:
                return told
        elif step.command is not GiveCard:  # a card that a rule made due comes before what is asked about the hands
            self._progress()
        if step.command is EndRound and (asks(self._play(), self._dealt()) or self._on_the_layout()):
            self.floor.call("the round cannot end: wagers lie on the layout")
            return None
        return self._give(step.command)

    def _before_the_end(self) -> CommandResult | None:
        """Everything that the round needs, and the records that go before its end: the final deal of Boston 5, and the
        hold of a jackpot's cards."""
        while not self._final_deal_due() and (waiting := asks(self._play(), self._dealt())):
            self._tell(self.floor.answer(self._play(), waiting[0]))
        if self._final_deal_due():
            return self._final_deal()
        return self._hold_cards() if self._jackpot_due() else None

    def _draw(self) -> CommandResult | None:
        """One card or decision; the end of the round when nothing is needed any more."""
        if self._up_card_due():
            return self._up_card()
        waiting = asks(self._play(), self._dealt())
        if not waiting:
            return self._give(EndRound) if self._play().closed and not self._on_the_layout() else None
        if self._too_short(waiting[0]):
            return self._counted(self.floor.answer(self._play(), self._short_ask()))
        self._announce(waiting[0])
        self._answered(waiting[0], self.floor.answer(self._play(), waiting[0]))
        return None

    def _answered(self, ask: Ask, answer: Input) -> None:
        """Book what a person has answered; a surrender that is settled at once goes to the device as well."""
        self._tell(answer)
        if answer.data.get("choice") == "surrender" and self._at_once():
            self.shoe.records.put(What.SURRENDER, self._position(ask.seat))

    def _announce(self, ask: Ask) -> None:
        """Tell the device whose card comes next, and that the dealer's second card is called (DAB 7(g))."""
        second = ask.seat == DEALER and ask.part == "2"
        play = self._play()
        if not isinstance(play.round, double_attack.Round) or (second and play.round.hole):
            return  # it lies face down already
        if second or ask.part == "hole":
            self.shoe.records.put(What.DEALER_CARD)
        if ask.kind == "cards" and ask.part != "1":
            dealt = len(play.round.dealer) + play.round.hole
            number = dealt + sum(len(hand.cards) for box in play.round.boxes for hand in box.hands) + 1
            # Refused where cards were burned or set aside: the device counts them too, and knows better.
            self.shoe.records.put(What.CARD_TO, self._position(ask.seat), number)

    def _position(self, seat: int) -> int:
        return self._play().seats.index(seat) + 1 if seat != DEALER else DEALER

    def _at_once(self) -> bool:
        """Whether a surrendered hand was settled before the dealer's second card, at a table with a reader."""
        options, round = self.options, self._play().round
        reader = isinstance(options, DoubleAttackOptions) and options.reader
        return reader and isinstance(round, double_attack.Round) and round.peek is Peek.NO

    def _hole_card(self, step: Step, status: Status) -> CommandResult | None:
        """The up-card, the end of insurance, and then a hand that uses the reader (DAB 7(i), 11(b))."""
        if not self._told("up card"):
            return self._up_card()
        self._progress()
        round = self._play().round
        assert isinstance(round, double_attack.Round)
        if rank(round.dealer[0]) == ACE and not self._told("insurance closed"):
            result = self.shoe.records.put(What.INSURANCE_CLOSED)
            self._tell(Input("insurance closed", "insurance closed"))
            return result
        self.floor.hand(step, status)
        return None

    def _up_card_due(self) -> bool:
        """With a reader no card may come after the hole card before the device knows the up-card."""
        reader = isinstance(self.options, DoubleAttackOptions) and self.options.reader
        return reader and self._told("decide:0:hole") and not self._told("up card")

    def _up_card(self) -> CommandResult:
        round = self._play().round
        assert isinstance(round, double_attack.Round)
        up = rank(round.dealer[0])
        result = self.shoe.records.put(What.UP_CARD, 1 if up == ACE else up + 2)
        self._tell(Input("up card", "up card", {"rank": up}))
        return result

    def _rack(self, step: Step) -> CommandResult | None:
        """A person counts the set before it is used again (DAB 7(j))."""
        return self._counted(self.floor.answer(self._play(), self._rack_ask()))

    def _rack_ask(self) -> Ask:
        return Ask("count", DEALER, "count the rack: how many cards?", part=str(self._counts() + 1))

    def _counts(self) -> int:
        return sum(told.kind == "count" for told in self.books.inputs(self.number))

    def _too_short(self, ask: Ask) -> bool:
        """Whether a card is to be drawn, and the shoe has none left (DAB 15(h))."""
        round, status = self._play().round, self.shoe.status
        if not isinstance(round, double_attack.Round) or status is None or status.state != State.DRAWING:
            return False
        turned = ask.seat == DEALER and ask.part == "2" and round.hole
        return (
            status.need == Need.DRAW
            and status.hopper == 0
            and not turned
            and (ask.kind == "cards" or ask.part == "hole")
        )

    def _short_ask(self) -> Ask:
        text = "the shoe is empty (DAB 15(h)): count, shuffle and cut the cards in the rack: how many?"
        return Ask("count", DEALER, text, part=f"short.{self._counts() + 1}")

    def _counted(self, answer: Input) -> CommandResult | None:
        """None: `_progressive` records it later."""
        self._tell(answer)
        count = int(answer.data["count"])
        if str(answer.data["part"]).startswith("chips"):
            return None
        if str(answer.data["part"]).startswith("short"):
            return self.shoe.records.put(What.SHORT_SHOE, count)
        return self.shoe.records.stub_counted(count)

    def _bet(self) -> tuple[int, ...]:
        """The wagering seats. Their wagers are booked together: a program that is killed leaves all of them or none."""
        play = self._play()
        if not play.seats:
            found = self.floor.wagers(play)
            self.check_entry([int(told.data["seat"]) for told in found])
            self._tell(*found)
        return self._play().seats

    def check_entry(self, seats: Iterable[int]) -> None:
        """Refuse a box that had no wager in the round before, until a reshuffle, if the house bars late entry
        (DAB 5(h))."""
        options, before = self.options, self.books.last_over()
        barred = isinstance(options, DoubleAttackOptions) and options.late_entry_barred
        if not barred or not before or self._told("reshuffled"):
            return
        late = set(seats) - set(self.books.play(before, options).seats)
        if late:
            raise UsageError(f"box {min(late)} did not wager in the last round (DAB 5(h)).", "Wait for the reshuffle.")

    def _progressive(self) -> CommandResult | None:
        """Tell the device how many progressive wagers were accepted and how many chips were counted (CS 7(c)). Without
        a wager there is nothing to count; if they differ the chips are counted again."""
        wagers, counts = self._accepted(), self._chip_counts()
        chips = counts[-1] if counts else 0
        key = f"progressive:{wagers}:{len(counts)}"
        if self._told(key) or not (counts or chips == wagers):
            if chips == wagers:
                return None
            self._tell(self.floor.answer(self._play(), self._chips_ask()))
            return self._progressive()
        result = self.shoe.records.progressive(wagers, chips)
        self._tell(Input(key, "progressive", {"wagers": wagers, "chips": chips, "taken": result.done}))
        if chips != wagers:
            self.floor.call(f"{wagers} progressive wagers were accepted and {chips} chips counted (CS 7(c))")
        return result if result.done else None

    def _accepted(self) -> int:
        round = self._play().round
        return sum(1 for hand in round.hands if hand.progressive) if isinstance(round, caribbean.Round) else 0

    def _chip_counts(self) -> list[int]:
        told = [one for one in self.books.inputs(self.number) if one.key.startswith("count:0:chips")]
        return [int(one.data["count"]) for one in told]

    def _chips_due(self) -> bool:
        """Whether progressive chips are to be counted: before the first card, until they are as many as wagers."""
        status = self.shoe.status
        if self.game != "caribbean-stud" or status is None or status.state != State.WAITING_FOR_LOCKOUT:
            return False
        counts = self._chip_counts()
        return self._play().closed and (counts[-1] if counts else 0) != self._accepted()

    def _chips_ask(self) -> Ask:
        counts, wagers = self._chip_counts(), self._accepted()
        text = "collect the progressive wagers and count them before the container; a coupon counts as a chip"
        if counts:
            text = f"{wagers} progressive wagers were accepted, and you counted {counts[-1]}: count them again"
        return Ask("count", DEALER, text, part=f"chips.{len(counts) + 1}")

    def _final_deal_due(self) -> bool:
        round = self._play().round
        return isinstance(round, boston5.Round) and round.final and not self._told("final deal")

    def _final_deal(self) -> CommandResult:
        """How many hands get two more cards: without it the device does not know the stub (B5 7(f), 10(d)). A second
        wager that was withdrawn is taken back first; the device refuses that if it knows of none."""
        round = self._play().round
        assert isinstance(round, boston5.Round)
        for hand in round.hands:
            if hand.withdrawn and not self._told(f"taken back:{hand.seat}"):
                self.shoe.records.second_wager(self._position(hand.seat), False)
                self.shoe.records.fold(self._position(hand.seat))
                self._tell(Input(f"taken back:{hand.seat}", "taken back", {"seat": hand.seat}))
        result = self.shoe.records.final_deal(self._standing())
        self._tell(Input("final deal", "final deal", {"hands": self._standing(), "taken": result.done}))
        return result

    def _jackpot_due(self) -> bool:
        paid = any(line.jackpot for line in self.books.lines(self.number))
        return paid and not self._told("winner hold")

    def _hold_cards(self) -> CommandResult:
        """The cards of a jackpot stay until its paperwork is done (CS 10(c)(3)(ii)c.2.iv): the deck is not shuffled."""
        self.floor.call("a jackpot was paid: keep the cards until the paperwork is done")
        result = self.shoe.records.winner_hold(True, self.shoe.current_round.deck)
        self._tell(Input("winner hold", "winner hold", {"taken": result.done}))
        return result

    def _in_the_middle(self) -> int:
        """Where the dealer cuts: a deck, or the rack that completes a short shoe."""
        racks = [told for told in self.books.inputs(self.number) if told.key.startswith("count:0:short")]
        return int(racks[-1].data["count"]) // 2 if racks else 26

    def _standing(self) -> int:
        """Hands with a second wager that are not void."""
        round = self._play().round
        hands = round.hands if isinstance(round, boston5.Round) else ()
        return sum(1 for hand in hands if hand.second and not hand.void)

    def _on_the_layout(self) -> bool:
        play = self._play()
        settled = sum(line.stake for line in self.books.lines(self.number))
        return sum(cents for _, _, cents in play.stakes) != settled

    def _record(self, step: Step, status: Status) -> CommandResult | None:
        """A record that is due, from the books."""
        play = self._play()
        if step.positions:
            self._progress()
            play = self._play()
            seat = seat_of(play.seats, step.positions[0])
            assert isinstance(play.round, boston5.Round)
            second = any(hand.seat == seat and hand.second for hand in play.round.hands)
            put = self.shoe.records.second_wager if second else self.shoe.records.fold
            return put(step.positions[0])
        known = {
            What.PROVENANCE: (step.deck, Source.MACHINE),
            What.CUT: (self._in_the_middle(), By.DEALER),
            What.FINAL_DEAL: (self._standing(), 0),
        }
        what = What.TENS_REMOVED if What.TENS_REMOVED in step.records else step.records[0]
        if what is What.PROGRESSIVE:
            return self._progressive()
        if step.need in (Need.STUB_COUNT, Need.DISPUTE, Need.SERVICE) and what is not What.FINAL_DEAL:
            self.floor.call(step.text)
            self.floor.hand(step, status)
            return None
        if what in ACTS:
            return self._act(what, step)
        first, second_number = known.get(what, (step.deck, 0))
        return self.shoe.records.put(what, int(first), int(second_number))

    def _act(self, what: What, step: Step) -> CommandResult:
        """Record what a person has done with a deck, after that person has said so."""
        ask = self._act_ask(what, step)
        if not self._told(ask.key):
            self._tell(self.floor.answer(self._play(), ask))
        replaced = int(what is What.DECK_REMOVED)  # by another deck: without one no round begins
        result = self.shoe.records.put(what, step.deck, replaced)
        self._tell(Input(f"recorded:{ask.part}", "recorded", {"taken": result.done}))
        return result

    def _act_ask(self, what: What, step: Step) -> Ask:
        act = what.name.lower()
        times = sum(one.key.startswith(f"recorded:{act}.") for one in self.books.inputs(self.number))
        return Ask("confirm", DEALER, ACTS[what].format(step.deck), choices=("done",), part=f"{act}.{times + 1}")
