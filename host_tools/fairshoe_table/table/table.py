"""A table at a shoe: statuses of the shoe say what is due, the books what was reported, people give what a round needs.

`Table.play_round` plays the open round, or the next one, to its end. It keeps nothing in memory that the shoe or the
books do not know: end the program anywhere, start it again, and it goes on. A refused command waits for a change. A
warning calls a person and is never acknowledged by this program: only a person can look into the machine (0007).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from fairshoe import Command, CommandResult, Event, Message, Need, Shoe, State, Status, Step, What, messages, next_step
from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER, By, Source
from fairshoe_table.books.books import Books
from fairshoe_table.books.header import header
from fairshoe_table.play import registry
from fairshoe_table.play.game import ALL_OUT, Ask, Dealt, Game, Play, Report, Text
from fairshoe_table.play.inputs import Input
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import asks
from fairshoe_table.rules.ledger import Line
from fairshoe_table.rules.meters import check_meters
from fairshoe_table.rules.seats import seat_of
from fairshoe_table.table.house import House

RESHUFFLED = 1  # of `deck_loaded`: a whole set; not the same cards cut again, nor a rack in a round
CUT_AT = 26  # where the dealer cuts a deck
# Records of what people do with a deck: a person confirms each of them.
ACTS = {
    What.DECK_REMOVED: "take deck {deck} off the table, and bring another one",
    What.INSPECTED: "inspect the backs of deck {deck}",
    What.VERIFIED: "verify that deck {deck} has every card",
    What.SHOWN: "show deck {deck} face up to the players",
    What.WASHED: "wash deck {deck}",
    What.MIXING_SEEN: "let a supervisor see deck {deck} being mixed",
    What.TENS_REMOVED: "take the tens out of set {deck}",
}
_NOT_OURS = "the shoe deals another round, and this one is not settled: stop it"
_ABOUT_COMMANDS = (messages.CommandAccepted, messages.CommandEnded, messages.HeldBack)


def situation(status: Status) -> tuple[object, ...]:
    """What of a status can change the answer to a refused command: while this is the same, it is not repeated."""
    return status.state, status.need, status.records_due, status.positions_due, status.positions


class People(Protocol):
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


class Table(House):
    """One table: a shoe with the key of the table's role, its books, a game and its options."""

    def __init__(self, shoe: Shoe, books: Books, game: str, options: Options, people: People) -> None:
        options.check()
        if shoe.store is None:
            raise UsageError("the shoe has no store.", "Open it with one: a round must outlive the program.")
        self.kind: Game = registry.find(game)
        for pool, table in self.kind.pools(options).items():
            check_meters(table, books.meters(pool), pool)
        self.shoe = shoe
        self.books = books
        self.game = game
        self.configured = options  # of the next round; an open one goes on with those of its header
        self.options = options
        self.people = people
        self.number = 0
        self._refused: tuple[object, ...] | None = None  # in this situation a command was refused: wait for a change

    def play_round(self) -> int:
        """The number of the round in the books, when it has ended or is void."""
        self.begin()
        for message in self.shoe.messages():
            if self.take(message):
                self.shoe.acknowledge()  # the loop does not ask for the next one, which would do it
                return self.number
        raise RuntimeError("the shoe was closed")

    def begin(self) -> None:
        """Open a round in the books, or go on with the open one. Its number is set last: a begin that failed must not
        leave the number of the round before, for which a tap would close betting (0061)."""
        self.number = 0
        device, log = self.shoe_now()
        head = header(self.game, device, log)
        number = self.books.open_round(self.game, head, self.configured)
        options = self.books.options(number) or self.configured
        self._refused = None
        unfinished = self.shoe.unfinished()
        if unfinished is not None:  # of a run that crashed: ask what became of it before anything else
            self.shoe.status_after(self.shoe.wait(self.shoe.resume(unfinished)))
        self.number, self.options = number, options

    def take(self, message: Message) -> bool:
        """Book an event, or act on a status; whether the round is over with it."""
        if isinstance(message, Event):
            if not isinstance(message, _ABOUT_COMMANDS):
                self._refused = None  # something has changed
            return self._event(message)
        if message is not self.shoe.status or not isinstance(message, Status):
            return False  # no status, or one that a newer one has overtaken
        held = self.held()
        if held is not None:
            answer = self.people.answer(self._play(), held).data
            self.decide(str(answer["choice"]), str(answer["by"]), str(answer["reason"]))
        if self._late():
            return self._settled_late()
        now = situation(message)
        if now != self._refused:
            result = self._status(message)
            if result is not None:
                self._refused = None if result.done else now
                self.shoe.status_after(result)  # one from before the outcome would ask for the command again
        return False

    def _give(self, kind: type[Command], **arguments: int) -> CommandResult | None:
        """Give a command and wait for its outcome. A front end that cannot wait starts it instead: then None."""
        return self.shoe.command(kind, **arguments)

    def _play(self) -> Play:
        return self.books.play(self.number, self.options)

    def _tell(self, *fact: Input, seq: int = 0) -> None:
        """Book these inputs, all of them or none."""
        lines = self.books.record_all(self.number, fact, self.options, seq)
        if lines:
            self.people.booked(lines)

    def _on_record(self, key: str) -> bool:
        return any(fact.key == key for fact in self.books.inputs(self.number))

    # -- what the shoe says -------------------------------------------------------------------------------------------

    def _event(self, event: Message) -> bool:
        """Whether the round is over with it. Events of an earlier round that come again change nothing."""
        match event:
            case messages.WarningLatched():
                self.people.call(f"warning: {event.warning.name.lower().replace('_', ' ')}")
            case _ if self.replaced() or self._play().unread:
                pass  # of another shoe, or nothing can follow from it
            case messages.RoundStarted() if self.moved():
                self.people.call(_NOT_OURS)
            case messages.RoundStarted():
                device, log = self.shoe_now()
                if not self.books.dealt_before(device, log, event.seq):
                    data = {"round": event.round, "device": device, "log": log}
                    self._tell(Input("closed", "closed", data), seq=event.seq)
                    self._compare_hands(event)
            case messages.DeckLoaded() if event.shuffled == RESHUFFLED:
                self._tell(Input("reshuffled", "reshuffled"), seq=event.seq)
            case messages.RoundVoided() if self._is_ours(event.round):
                if not self._play().void:  # else a supervisor has voided it before
                    view = self.shoe.current_round
                    kept = (view.void.hands_kept if view.void is not None else None) or ()
                    seats = [seat_of(self._play().seats, position) for position in kept]
                    self._call_for_jackpots("the round", self._play().seats)
                    self._tell(Input("void", "void", {"clause": event.clause, "kept": seats}), seq=event.seq)
                if self._unsettled():  # hands that stand: their optional bonus is settled first
                    return False
                self._tell(Input("over", "over"), seq=event.seq)
                return True
            case messages.Recorded(what=What.MISDEAL, consequence=messages.Consequence.ONE_VOID) if self._is_ours(
                event.round
            ):
                seat = seat_of(self._play().seats, event.a)
                fact = {"seat": seat, "clause": event.clause}
                self._call_for_jackpots(f"the hand of seat {seat}", (seat,))
                self._tell(Input(f"void hand:{seat}", "void hand", fact), seq=event.seq)
            case messages.Recorded(what=What.WINNER_HOLD, b=0) if self._on_record("winner hold") and self._is_ours(
                event.round
            ):
                self._tell(Input("documented", "documented"), seq=event.seq)
            case messages.RoundEnded() if self._is_ours(event.round):
                if self._unsettled():  # GREEN at the shoe can end it too early
                    self._tell(Input("ended early", "ended early"), seq=event.seq)
                    self.people.call("the shoe ended the round before it was settled: keep the cards, and settle it")
                    return False
                self._tell(Input("over", "over"), seq=event.seq)
                return True
            case _:
                if isinstance(event, Event) and self._is_ours(getattr(event, "round", 0)):
                    for fact in self.kind.hears(self._play(), event):
                        self._tell(fact, seq=event.seq)
        return False

    def _call_for_jackpots(self, what: str, seats: Iterable[int]) -> None:
        """Call a person if hands that become void now were paid from a meter (ruling `jackpot-void`)."""
        if any(line.jackpot and line.seat in seats for line in self.books.lines(self.number)):
            self.people.call(
                f"{what} is void and had a jackpot: keep the cards. If it was not validated it was not won, and is back"
                " in its meter; a validated one is in suspense until a supervisor decides"
            )

    def _compare_hands(self, started: messages.RoundStarted) -> None:
        """Call a person if the shoe deals other hands than have wagers; betting may be closed at the shoe."""
        seats = len(self._play().seats)
        self.shoe.hands_wagered(started.round, seats)
        if not self._is_ours(started.round):
            self.people.call(_NOT_OURS)
            return
        if started.positions != seats:
            hands = started.positions or "any number of"
            self.people.call(f"the shoe deals {hands} hands, and {seats} seats have wagers: deal to these only")

    def ended_early(self) -> bool:
        """The shoe has ended this round, and its wagers are not settled yet."""
        return self._on_record("ended early")

    def _late(self) -> bool:
        """The round is settled from what lies on the table: its shoe has ended it or is out of it, or another one is
        connected. What that shoe waits for, as a count of its rack, is no part of this round."""
        return self.ended_early() or self.replaced() or (self._play().void and not self.dealing_on())

    def _unsettled(self) -> bool:
        return bool(asks(self._play(), ALL_OUT)) or bool(self.books.on_the_layout())

    def _settled_late(self) -> bool:
        """Settle a round that the shoe has ended or voided already; whether it is over now."""
        self._progress()
        if self._unsettled():
            return False
        self._tell(Input("over", "over"))
        return True

    def _is_ours(self, shoe_round: int) -> bool:
        closed = [fact for fact in self.books.inputs(self.number) if fact.key == "closed"]
        return bool(closed) and closed[0].data["round"] == shoe_round

    def _dealt(self) -> Dealt:
        """How far the shoe has come, by its events and its status."""
        status, view = self.shoe.status, self.shoe.current_round
        now = Dealt() if status is None else Dealt(False, 0, False, status.state, status.need, status.hopper)
        if self._late():
            return ALL_OUT
        if not self._is_ours(view.number):
            return now
        if self.kind.drawn:
            return replace(now, stacks=True)
        hands = view.positions or len(self._play().seats)  # 0: betting was closed at the shoe
        stacks = hands > 0 and len(view.taken) > hands and not view.cards_due
        return replace(now, stacks=stacks, closings=view.closings, rest=view.cards.released is not None)

    def _progress(self) -> None:
        """Ask for everything that the round needs as far as the shoe has come."""
        while waiting := asks(self._play(), self._dealt()):
            self._tell(self.people.answer(self._play(), waiting[0]))

    def _ask_and_report(self) -> CommandResult | None:
        """Ask for everything, and give the shoe each record when it is due; the outcome of one that was taken."""
        while True:
            reports = list(self.kind.reports(self._play(), self._dealt()))
            waiting = asks(self._play(), self._dealt())
            results = [self._put(report) for report in reports]
            if any(result.done for result in results):
                return next(result for result in reversed(results) if result.done)
            if not reports and waiting:
                self._tell(self.people.answer(self._play(), waiting[0]))
            elif not reports:
                return None

    # -- what the shoe waits for --------------------------------------------------------------------------------------

    def _status(self, status: Status) -> CommandResult | None:
        step = next_step(status)
        if step.need is Need.ACKNOWLEDGE or step.command is messages.AcknowledgeWarning:
            self.people.call(step.text)
            self.people.hand(step, status)
            return None
        if step.need is Need.HOUSE_DECISION:
            return self.decided_at_the_shoe()
        if self.voiding():  # its event is on the way: ask nothing, and prepare no deck, for a round that it ends
            return None
        if step.need is Need.DRAW:
            return self._draw()
        if step.need is Need.HOLE_CARD:
            result = self._ask_and_report()
            if result is None:
                self.people.hand(step, status)
            return result
        if step.need is Need.RACK:  # a person counts the set before it is used again (DAB 7(j))
            return self._answer(asks(self._play(), self._dealt())[0])
        match step.who:
            case "record":
                return self._record(step, status)
            case "command":
                return self._command(step, status)
            case "hand":
                self.people.hand(step, status)
            case _:
                pass
        return None

    def _command(self, step: Step, status: Status) -> CommandResult | None:
        if step.command is None:
            return None
        if step.command is messages.CloseBetting and status.state != State.WAITING_FOR_WAGERS:
            seats = self._bet()
            if not seats:
                return None
            if status.positions != len(seats):
                return self._give(messages.SetPositions, positions=len(seats))
        elif step.command is messages.CloseBetting and not self._dealt().stacks:
            return None  # a status may come before the events of the deal: players are asked first
        elif (
            step.command is not messages.GiveCard
        ):  # a card that a rule made due comes before what is asked about the hands
            fact = self._ask_and_report()
            if fact is None and step.command is messages.EndRound and self._jackpot_due():
                fact = self._hold_cards()
            if fact is not None:
                return fact
        if step.command is messages.EndRound and not self._earlier(status) and self._layout_waits():
            self.people.call("the round cannot end: wagers lie on the layout")
            return None
        return self._give(step.command)

    def _layout_waits(self) -> bool:
        return bool(asks(self._play(), self._dealt()) or self.books.on_the_layout())

    def _earlier(self, status: Status) -> bool:
        """A shoe that was away, and is back, waits for the end of a round that is over in the books. The wagers on the
        layout are of the next one: betting is not closed, and no event waits that could say so."""
        over = not status.round or self.booked_there(status.round)
        return over and not self._play().closed and not status.events_waiting

    def _put(self, report: Report) -> CommandResult:
        result = self.shoe.records.put(report.what, report.a, report.b)
        if report.then is not None:
            self._tell(report.then(result.done))
        if report.call:
            self.people.call(report.call)
        return result

    def _draw(self) -> CommandResult | None:
        """One card or decision; the end of the round when nothing is needed any more."""
        reports = [self._put(report) for report in list(self.kind.reports(self._play(), self._dealt()))]
        if any(result.done for result in reports):
            return reports[-1]
        waiting = asks(self._play(), self._dealt())
        if not waiting:
            return self._give(messages.EndRound) if self._play().closed and not self.books.on_the_layout() else None
        return self._answer(waiting[0])

    def _answer(self, ask: Ask) -> CommandResult | None:
        """Ask a person; only a count waits for the shoe's outcome."""
        self._announce(ask)
        result = self._answered(self.people.answer(self._play(), ask))
        return result if ask.kind == "count" else None

    def _answered(self, answer: Input) -> CommandResult | None:
        """Book what a person has answered, and give the shoe what follows from it."""
        self._tell(answer)
        result = None
        for report in list(self.kind.follows(self._play(), answer)):
            result = self._put(report)
        return result

    def _announce(self, ask: Ask) -> None:
        """Give the shoe the records that it needs before this card is drawn."""
        for report in list(self.kind.announces(self._play(), ask)):
            self._put(report)

    def _bet(self) -> tuple[int, ...]:
        """The wagering seats. Their wagers are booked together: a program that is killed leaves all of them or none."""
        play = self._play()
        if not play.seats:
            found = self.people.wagers(play)
            self.check_entry([int(fact.data["seat"]) for fact in found])
            self._tell(*found)
        return self._play().seats

    def check_entry(self, seats: Iterable[int]) -> None:
        """Refuse seats that may not enter now."""
        before = self.books.last_over()
        same = before and self.books.header(before).game == self.game
        then = self.books.play(before, self.books.options(before) or self.options) if same else None
        self.kind.admits(self._play(), seats, then)

    def _jackpot_due(self) -> bool:
        paid = any(line.jackpot for line in self.books.lines(self.number))
        return paid and not self._on_record("winner hold")

    def _hold_cards(self) -> CommandResult:
        """The cards of a jackpot stay until its paperwork is done (CS 10(c)(3)(ii)c.2.iv): the deck is not shuffled."""
        self.people.call("a jackpot was paid: keep the cards until the paperwork is done")
        result = self.shoe.records.winner_hold(True, self.shoe.current_round.deck)
        self._tell(Input("winner hold", "winner hold", {"taken": result.done}))
        return result

    def _record(self, step: Step, status: Status) -> CommandResult | None:
        """A record that is due, from the books."""
        play = self._play()
        position = step.positions[0] if step.positions else 0
        if position:
            self._progress()
            play = self._play()
        what = What.TENS_REMOVED if What.TENS_REMOVED in step.records else (*step.records, None)[0]
        wanted = self.kind.wanted(play, what or What.FOLD, position)
        if wanted is not None:
            return self._put(wanted)
        if what is None:
            return None
        if what is What.PROGRESSIVE:
            return self._ask_and_report()
        if step.need in (Need.STUB_COUNT, Need.DISPUTE, Need.SERVICE) and what is not What.FINAL_DEAL:
            self.people.call(step.text)
            self.people.hand(step, status)
            return None
        if what in ACTS:
            return self._act(what, step)
        known = {What.PROVENANCE: (step.deck, Source.MACHINE), What.CUT: (CUT_AT, By.DEALER)}
        first, second = known.get(what, (step.deck, 0))
        return self.shoe.records.put(what, int(first), int(second))

    def _act(self, what: What, step: Step) -> CommandResult:
        """Record what a person has done with a deck, after that person has said so."""
        ask = self._act_ask(what, step)
        if not self._on_record(ask.key):
            self._tell(self.people.answer(self._play(), ask))
        replaced = int(what is What.DECK_REMOVED)  # by another deck: without one no round begins
        result = self.shoe.records.put(what, step.deck, replaced)
        self._tell(Input(f"recorded:{ask.part}", "recorded", {"taken": result.done}))
        return result

    def _act_ask(self, what: What, step: Step) -> Ask:
        act = what.name.lower()
        times = sum(one.key.startswith(f"recorded:{act}.") for one in self.books.inputs(self.number))
        prompt = Text(act, ACTS[what], self.kind.clause("induction"))
        part = f"{act}.{times + 1}"
        return Ask("confirm", DEALER, prompt, choices=("done",), part=part, values={"deck": step.deck})
