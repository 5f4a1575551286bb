"""What only a supervisor decides about a round: that it is void at any stage, what becomes of it when its shoe was
replaced, and by which options an old round is settled whose header is unknown.

Cards of a round come only from the shoe at which it began. With another shoe it is settled without it if all cards are
out; otherwise it is void by the clause of its game for a shoe that fails (CS 13(f), DCP 12(e), B5 12(f) with the hands
that are kept), and where there is none a person decides (HOUSE). A supervisor confirms that the shoe was replaced: a
wrong cable voids nothing.
"""

from __future__ import annotations

from fairshoe import CommandResult, Need, Shoe, Store
from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER
from fairshoe.games.rounds import RoundView, StackState, Stage, fold
from fairshoe_table.books.books import Books
from fairshoe_table.books.header import UNKNOWN, header
from fairshoe_table.books.settling import DECISIONS
from fairshoe_table.play.game import ALL_OUT, Ask, Game, Play, Text
from fairshoe_table.play.inputs import Input, signed
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import asks
from fairshoe_table.rules.seats import seat_of

HOUSE = "HOUSE"
KEPT = "all_void_but_complete"  # the consequence that keeps complete hands
ACCEPT_DECK, END_DECK, NAME_DOOR = OF_THE_DECK = ("accept-deck", "end-deck", "name-door")
CHOICES = {
    "void": "Void the round",
    "settle": "All cards are on the table: settle it",
    "continue": "The round goes on",
    "pay": "The payout in suspense was won: pay it",
    "return": "It was not won: return it, and the wager",
    ACCEPT_DECK: "Accept this deck without the table's share",
    END_DECK: "This deck ends before all of its cards are out",
    NAME_DOOR: "Say who opened the door, and why",
}
_TEXTS = {
    "header": "the books do not say by which shoe and options this round is played",
    "moved": "{now}: connect {device}, unless it has dealt no card for the wagers that lie here",
    "machine": "the machine stopped in this round, and no clause says what follows: a supervisor decides",
    "unread": "the booked round cannot be read ({why}): return all wagers that lie there",
    "shoe": "{now}: connect {device}, which deals this round, or a supervisor decides",
}


class House:
    """A table as far as a supervisor decides about its round."""

    shoe: Shoe
    books: Books
    game: str
    kind: Game
    number: int
    options: Options
    configured: Options
    _log = 0, ""  # of the shoe, in its store and in hexadecimal, as it was last read

    def _play(self) -> Play:
        raise NotImplementedError

    def _tell(self, *fact: Input, seq: int = 0) -> None:
        raise NotImplementedError

    def _on_record(self, key: str) -> bool:
        raise NotImplementedError

    @property
    def store(self) -> Store:
        assert self.shoe.store is not None
        return self.shoe.store

    def shoe_now(self) -> tuple[str, str]:
        """Device and log of the shoe that is connected, as headers have them. A shoe that was just connected is asked
        which log it keeps: its storage may be another one than that on file."""
        welcome = self.shoe.welcome
        if welcome is None:
            return UNKNOWN, UNKNOWN
        if not self.shoe.log_id:
            self.shoe.journal_is()
        if self._log[0] != self.shoe.log_id:
            found = {log.id: log.identity.hex() for log in self.store.logs(welcome.device)}
            self._log = self.shoe.log_id, found[self.shoe.log_id]
        return f"{welcome.device:08x}", self._log[1]

    def replaced(self) -> bool:
        """Whether the round is dealt by another shoe than the one that is connected, or by another storage of it."""
        head = self.books.header(self.number)
        return head.round > 0 and head.known and (head.device, head.log) != self.shoe_now()

    def moved(self) -> bool:
        """Wagers were booked with another shoe or storage. Whether it has dealt for them is unknown: a program that was
        killed as betting was closed has not read that the round started."""
        head, play = self.books.header(self.number), self._play()
        placed = head.known and not head.round and not play.closed and bool(play.seats)
        return placed and (head.device, head.log) != self.shoe_now()

    def booked_there(self, shoe_round: int) -> bool:
        """Whether a round that is over in the books has this number at the shoe that is connected."""
        return shoe_round in self.books.shoe_rounds(*self.shoe_now())

    def held(self) -> Ask | None:
        """What a supervisor is asked before anything else."""
        play, head = self._play(), self.books.header(self.number)
        if play.unread and not play.void and any(fact.kind == "wager" for fact in play.inputs):
            return self._house_ask("unread", "void")
        if not play.seats or play.void:
            return None
        if not head.known and not self._on_record("house:0:header"):
            return self._house_ask("header", "continue", "void")
        if self.moved():
            dealing = self.shoe.open_round and not self.booked_there(self.shoe.open_round)
            return self._house_ask("moved", "void", *(() if dealing else ("continue",)))
        if self.replaced() and not self._all_out() and not self._on_record("house:0:shoe"):
            return self._house_ask("shoe", "void", "settle")
        due = self._stopped_in_this_round() and not self._on_record("house:0:machine")
        return self._house_ask("machine", "void", "continue") if due else None

    def _stopped_in_this_round(self) -> bool:
        """The shoe has stopped and waits for the house, and not in a round that is over in the books: such a shoe was
        taken away, and came back while wagers for the next round lie on the layout."""
        status = self.shoe.status
        if status is None or status.need != Need.HOUSE_DECISION or self.replaced():
            return False
        return self._play().closed or not self.booked_there(self.shoe.open_round)

    def _house_ask(self, part: str, *choices: str) -> Ask:
        head, now = self.books.header(self.number), "another shoe is connected"
        device = head.device
        if device == self.shoe_now()[0]:
            now, device = "the shoe has another storage", f"{device} with its storage, log {head.log[:8]}"
        values = {"device": device, "now": now, "why": self._play().unread.rstrip(".")}
        return Ask(
            "house", DEALER, Text(f"house-{part}", _TEXTS[part], HOUSE), choices=choices, part=part, values=values
        )

    def may_decide(self) -> tuple[str, ...]:
        """What a supervisor may decide now: void at any stage of a round that has wagers."""
        held = self.held()
        if held is not None:
            return held.choices
        play = self._play()
        void = ("void",) if play.seats and not play.void and not play.over else ()
        return (*void, *DECISIONS) if self.books.in_suspense() else void

    def decide(self, choice: str, by: str, reason: str) -> None:
        """Book what a supervisor has decided, and who and why, in one transaction with what follows."""
        if choice not in self.may_decide():
            raise UsageError(f"{choice!r} cannot be decided about this round now.", "Look at the page again.")
        who = signed(by, reason)
        if choice in DECISIONS:
            self.books.decide_suspense(choice, self.options, by, reason)
            return
        held = self.held()
        part = held.part if held is not None else "void"
        data = {"seat": DEALER, "part": part, "choice": choice, **who}
        fact = Input(f"house:0:{part}", "house", data)
        match choice:
            case _ if part == "unread":
                self.books.void_unread(by, reason)
            case _ if part == "machine":
                self._tell(fact)  # `decided_at_the_shoe` brings it there, and the shoe says what follows
            case "void":
                clause, kept = self._clause() if part == "shoe" else (HOUSE, [])
                more = {"clause": clause, "kept": kept, **who}
                self._tell(fact, Input("void", "void", more))
            case "continue":
                device, log = self.shoe_now()
                options = self.options if part == "moved" else self.configured
                self.books.confirm_header(self.number, header(self.game, device, log), options, fact)
                self.options = self.books.options(self.number) or self.configured
            case _:
                self._tell(fact)

    def decided_at_the_shoe(self) -> CommandResult | None:
        """Give the shoe what the house has decided. A stop voids a round that the books know as over, or not."""
        found = self._machine() if self._stopped_in_this_round() else "void"
        if not found and self._play().seats and not self._play().void:
            return None
        return self.shoe.records.house_decision(found == "continue")

    def _machine(self) -> str:
        """What was decided about a stop of the machine; empty: nothing yet."""
        found = [fact.data["choice"] for fact in self.books.inputs(self.number) if fact.key == "house:0:machine"]
        return found[0] if found else ""

    def voiding(self) -> bool:
        """The house has voided the round, and the shoe has not said so yet."""
        return self._machine() == "void" and self._play().closed and not self._play().void

    def dealing_on(self) -> bool:
        """A supervisor has voided the round, and its shoe is not out of it yet: it is brought to its end there."""
        view = self.shoe.current_round
        mine = not self.replaced() and view.number == self.books.header(self.number).round
        return self._on_record("house:0:void") and mine and view.open

    # -- without the shoe of the round --------------------------------------------------------------------------------

    def _view(self) -> RoundView:
        """The round as the shoe that dealt it has told it, from the store."""
        head, view = self.books.header(self.number), RoundView()
        for log in self.store.logs(int(head.device, 16)):
            if log.identity.hex() == head.log:
                for event in self.store.round_events(log.id, log.last):
                    view = fold(view, event)
        return view if view.number == head.round else RoundView()

    def _all_out(self) -> bool:
        """Whether every card that the round needs is out of the shoe that dealt it."""
        if self._on_record("house:0:shoe"):
            return True
        if self.kind.drawn:
            return not asks(self._play(), ALL_OUT)
        view = self._view()
        return view.stage is Stage.ENDED or (view.open and view.cards.released is not None and not view.cards_due)

    def _clause(self) -> tuple[str, list[int]]:
        """By what a round is void whose shoe is gone, and the seats whose hands are kept."""
        view, seats = self._view(), self._play().seats
        if view.void is not None:  # it had said so before it went
            return view.void.clause, [seat_of(seats, position) for position in view.void.hands_kept or ()]
        clause, consequence = self.kind.profile["rules"].get("deal_fault", (HOUSE, ""))
        if consequence != KEPT:
            return clause, []
        out = view.folded | view.void_hands
        stacks = {position: view.stack_of(position) for position in range(1, view.positions + 1) if position not in out}
        kept = [at for at, stack in stacks.items() if stack is not None and stack.state is StackState.TAKEN]
        complete = any(stack.state is StackState.TAKEN for stack in view.stacks)
        # Before the first hand is complete no clause applies (ruling `b5-early-jam`).
        return (clause, [seat_of(seats, position) for position in kept]) if complete else (HOUSE, [])
