"""What the dealer taps: wagers, decisions, cards, lines that are done, irregularities, corrections.

Every tap is checked against what the round asks for now, and against the round that the page shows: a finger that is
late, or a second browser, must not answer the next question (0046).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from fairshoe import FairshoeError, Reason
from fairshoe.errors import UsageError
from fairshoe.messages import CloseBetting, Command, EndRound
from fairshoe_table.books.rack import CLOSING
from fairshoe_table.desk.card_reader import BY_DEALER, BY_PLANT, BY_READER, joined
from fairshoe_table.desk.drafts import Bets
from fairshoe_table.desk.loop import TAPPED, DeskLoop, Tap
from fairshoe_table.desk.page_people import Hands
from fairshoe_table.desk.tap_fields import checked
from fairshoe_table.play.game import Ask, EnteredTwice
from fairshoe_table.play.inputs import WAGER_MAX, Cards, Input, check_lines
from fairshoe_table.play.irregularities import find
from fairshoe_table.rules.cards import name
from fairshoe_table.rules.money import dollars
from fairshoe_table.table.house import ACCEPT_DECK, CHOICES, OF_THE_DECK

_REFUSALS = {Reason.ARGUMENT: "these numbers cannot be right", Reason.STATE: "not at this moment of the round"}


class Desk(DeskLoop):
    """The table behind the dealer's page: taps in, values out."""

    def _obey(self, tap: Tap) -> str:
        tap = checked(tap)
        self._check_age(tap)
        match tap["do"]:
            case "wager":
                return self._place(tap["seat"], tap["bettor"], tap["wager"], tap["cents"], tap["coupon"])
            case "again":
                return self._place_again()
            case "close":
                return self._close()
            case "go":
                return self._go(TAPPED[tap["command"]])
            case "choose":
                return self._choose(tap["key"], tap["choice"], tap["cents"])
            case "count":
                return self._count(tap["key"], tap["count"])
            case "card":
                return self._card(tap["card"], tap["key"], BY_DEALER)
            case "back":
                return self._take_back(len(self.entry) - 1 if tap["place"] is None else tap["place"])
            case "leave":
                self.twice = None
                return ""
            case "enter":
                return self._enter(tap["key"])
            case "done":
                return self._done_with(tap["line"], tap["checked"], tap["by"].strip())
            case "house":
                return self._house(tap["choice"], tap["by"], tap["reason"])
            case "irregularity":
                return self._irregular(tap["name"], tap["seat"], tap["cards"], tap["by"].strip())
            case "correct":
                return self._correct(tap["of"], tap["cards"], tap["by"], (tap["also"], tap["also_cards"]))
            case "rack":
                return self._rack(tap["kind"], tap["cents"], tap["by"], tap["note"], tap["key"])
            case "seen":
                self.calls = [it for it in self.calls if it[0] != tap["call"]]
                return ""
            case _:
                return self._simulate(tap)

    def _check_age(self, tap: Tap) -> None:
        """Refuse a tap on a page that shows another round, `decide:2:` is in every round."""
        shown = (tap["round"], tap["lines_of"])
        if shown != (self.number, self.shown_round()):
            raise UsageError("the page shows another round.", "Look at it again.")

    def _place(self, seat: int, bettor: int, wager: str, cents: int, coupon: int) -> str:
        """Into the draft: wagers may be changed until the dealer closes betting, and are booked then. `coupon` is the
        part of `cents` that is a coupon."""
        self._open_for_wagers()
        there = self.draft.of(seat)
        if not 1 <= seat <= self.seat_count or not 1 <= bettor <= len(there) + 1 or not 0 <= cents <= WAGER_MAX:
            raise UsageError(f"seat {seat}, bettor {bettor}, {cents} cents?", "Reload the page.")
        offered = {it.wager: it for it in self.kind.stakes(self.options)}
        if wager not in offered:
            raise UsageError(f"no {wager} wager is made before the deal here.", "Reload the page.")
        if coupon and (wager not in self.options.coupons or not 0 < coupon <= cents):
            raise UsageError(f"no coupon of {dollars(coupon)} is taken on this {wager} wager.", "Return the coupon.")
        self.check_entry([seat])
        before = there[bettor - 1] if bettor <= len(there) else Bets({}, {})
        amounts = {**before.amounts, wager: cents}
        amounts |= {it.wager: it.times[1] * cents for it in offered.values() if it.times[0] == wager}
        self.draft.place(seat, bettor, amounts, {**before.coupons, wager: coupon})
        return ""

    def _open_for_wagers(self) -> None:
        play = self._play()
        if play.closed or play.seats:
            raise UsageError("betting is closed.", "Return the wager.")

    def _place_again(self) -> str:
        """The wagers of the round before, once more, and in chips: a coupon is redeemed once."""
        self._open_for_wagers()
        before = [tap for tap in self.books.inputs(self.previous) if tap.kind == "wager"] if self.previous else []
        if not before:
            raise UsageError("there is no round before.", "Enter the wagers.")
        self.draft.take(Input(it.key, it.kind, {**it.data, "coupons": {}}) for it in before)
        return ""

    def _close(self) -> str:
        """Book the wagers, if the rules take all of them, and close betting."""
        play = self._play()
        if play.closed:
            raise UsageError("betting is closed already.", "Look at the page again.")
        self._lines_done()
        if not self.check_share():
            raise UsageError(self.refusal, "Remove the deck and shuffle it again, or call a supervisor.")
        if not play.seats:
            if not self.draft.placed:
                raise UsageError("no seat has a wager.", "Enter the wagers first.")
            self._tell(*self.draft.inputs())
        self._tapped_on(CloseBetting)
        return ""

    def _go(self, kind: type[Command]) -> str:
        if kind is not self.offered or (kind is CloseBetting and not self._play().closed):
            raise UsageError("that is not what is next.", "Look at the page again.")
        if kind is EndRound:
            self._lines_done()
        self._tapped_on(kind)
        return ""

    def _lines_done(self) -> None:
        if self.open_lines():
            raise UsageError("lines of the settlement are not done.", "Settle them first.")

    def _asked(self, key: str) -> Ask:
        for ask in self.waiting()[:1]:
            if ask.key == key:
                return ask
        raise UsageError("that is not what is asked for now.", "Look at the page again.")

    def _choose(self, key: str, choice: str | bool, cents: int | None) -> str:
        ask = self._asked(key)
        if ask.kind == "house":
            raise UsageError("a supervisor decides this.", "Give the decision with a name and a reason.")
        if ask.kind == "expose":
            if not isinstance(choice, bool):
                raise UsageError(f"{choice!r} is neither shown nor kept.", "Answer true or false.")
            self._tell(ask.answer(shown=choice))
            return ""
        if choice not in ask.choices:
            raise UsageError(f"{choice} is not possible here.", f"One of {', '.join(ask.choices)}.")
        if self.hands is not None and self.kind.draws(self._play(), ask):
            self.hands.answer(self._play(), ask)  # the simulated hand draws the hole card
        amount = {} if cents is None else {"cents": cents}
        self._answered(ask.answer(choice=choice, **amount))
        return ""

    def _count(self, key: str, count: int) -> str:
        result = self._answered(self._asked(key).answer(count=count))
        return "" if result is None or result.done else f"{count} cards: refused by the shoe; count again"

    # -- cards --------------------------------------------------------------------------------------------------------

    def _card(self, card: int, key: str, source: str) -> str:
        ask = self._asked(key)
        self._begin_entry()
        if len(self.entry) >= ask.count:
            raise UsageError(f"{ask.count} cards are enough.", "Enter them, or take one back.")
        entered = tuple(it for it, _ in self.entry)
        with self._entered_twice():
            self.kind.check_cards(self._play(), Cards(ask.seat, (*entered, card), part=ask.part))
        self.entry = [*self.entry, (card, source)]
        return ""

    @contextmanager
    def _entered_twice(self) -> Generator[None]:
        """Keep why a card was refused for the page: it names both entries, and leads to the correction."""
        self.twice = None
        try:
            yield
        except EnteredTwice as error:
            self.twice = error
            raise

    def _take_back(self, place: int) -> str:
        self.entry, self.twice = [it for number, it in enumerate(self.entry) if number != place], None
        return ""

    def _read(self, card: int) -> str:
        """A card from the reader: for the hand that is asked for, or none. A refusal calls a person, since no
        tap waits for it."""
        waiting = [ask for ask in self.waiting()[:1] if ask.kind == "cards"]
        if not waiting:
            self.call("the reader saw a card that no hand waits for")
            return ""
        try:
            return self._card(card, waiting[0].key, BY_READER)
        except FairshoeError as error:
            self.call(f"the reader saw {name(card)}: {error.what} {error.advice}")
            return ""

    def _enter(self, key: str) -> str:
        ask = self._asked(key)
        if len(self.entry) != ask.count:
            raise UsageError(f"{ask.count} cards are needed.", "Tap rank and suit of each.")
        if self.hands is not None and self.kind.draws(self._play(), ask):
            self.hands.faces(self._play(), ask)  # the simulated hand draws the card that was entered
        self._book_cards(ask, [card for card, _ in self.entry], joined([source for _, source in self.entry]))
        return ""

    def _book_cards(self, ask: Ask, cards: list[int], source: str) -> None:
        with self._entered_twice():
            self._tell(ask.answer(cards=cards, source=source))
        self._clear_entry()

    # -- settlement and irregularities --------------------------------------------------------------------------------

    def _done_with(self, key: str, checked: Sequence[object], by: str) -> str:
        """The order of settlement is a rule, so only the next line can be done (0046). A line that a rule wants
        verified first names what was checked, and who validated it."""
        waiting = self.open_lines()
        if not waiting or waiting[0].key != key:
            raise UsageError("that is not the next line.", "Settle in the order of the list.")
        needed = self.kind.validates(waiting[0].line)
        missing = [it for it in needed if it not in checked]
        if missing:
            raise UsageError(f"not checked: {missing[0]}.", "Do not pay: call a supervisor, and record a dispute.")
        if needed and not by:
            raise UsageError("no floorperson has validated this payout.", "Call one, and enter who it is.")
        data = {"checked": list(needed), "by": by} if needed else {}
        number = self.shown_round()
        self.books.record(number, Input(key, "done", data), self._options_of(number))
        return ""

    def _house(self, choice: str, by: str, reason: str) -> str:
        if self._under_way is not None:
            raise UsageError("a command is under way at the shoe.", "Decide when it is done, in a moment.")
        if choice in OF_THE_DECK:
            return self._answer_for_deck(choice, by, reason)
        if choice == "void" and self.shoe.share_open:
            self.shoe.end_deck(by, reason)  # before it ends: then it is no word of the device
        self.decide(choice, by, reason)
        self.tapped = self.offered = None
        return f"{choice}, decided by {by.strip()}"

    def _answer_for_deck(self, choice: str, by: str, reason: str) -> str:
        """A supervisor answers for a deck: nothing of it is in the books, which are about wagers."""
        if choice not in self.may_decide():
            raise UsageError(f"{choice!r} cannot be decided now.", "Look at the page again.")
        if choice == ACCEPT_DECK:
            if not reason.strip():
                raise UsageError("the decision has no reason.", "Enter the supervisor and the reason.")
            self.shoe.accept_deck(by)
        else:
            self.shoe.end_deck(by, reason)
        return f"{CHOICES[choice]}: {by.strip()}"

    def _correct(self, of: str, cards: Sequence[int], by: str, also: tuple[str, Sequence[int]]) -> str:
        """Other cards in place of those that were entered. Chips that have moved already become lines of their own."""
        number = self.shown_round()
        self.books.correct(number, of, cards, self._options_of(number), BY_DEALER, by, also)
        self.twice = None
        if any(self.kind.begins_with(self._play(), ask) for ask in self.waiting()[:1]):
            self._clear_entry()  # it began with the cards that were wrong
        return f"corrected: {', '.join(map(name, cards))}, approved by {by.strip()}"

    def _rack(self, kind: str, cents: int, by: str, note: str, key: str) -> str:
        """Opening, fills, credits, drop and closing. A slip has its number once: a second tap enters nothing."""
        if kind == CLOSING:
            self._lines_done()  # chips of open lines lie on the layout: the rack could not be counted
        entry = self.books.rack.add(kind, cents, by, note, key)
        return f"shift {entry.shift}: {entry.kind} {dollars(entry.cents)}, entered by {entry.by}"

    def _irregular(self, called: str, seat: int | None, cards: int | None, by: str) -> str:
        it = find(self.kind.irregularities, called)
        if it.what is None:  # the shoe has no record of this kind
            if seat is None:
                raise UsageError(f"{it.text}: whose?", "Choose the seat.")
            self._tell(Input(f"{it.name}:{seat}", it.name, {"seat": seat}))
            return f"{it.text}: booked ({it.clause})"
        if it.named and not by:
            raise UsageError(f"{it.text}: who decides it?", "Enter the name of the floorperson.")
        check_lines(by)
        if self.silent:
            raise UsageError("the auditor uses the line.", "Record it in ten seconds.")
        status = self.shoe.status
        numbers = it.record(self._play().seats, seat, cards, (status.deck if status is not None else 0) or 1)
        result = self.shoe.records.put(it.what, *numbers)
        if result.done:
            if it.named:
                self._tell(Input(f"{it.name}:{numbers[0]}:by", "decided by", {"what": it.name, "by": by}))
            return f"{it.text}: recorded ({it.clause})"
        why = _REFUSALS.get(result.reason, result.reason.name.lower().replace("_", " "))
        return f"{it.text}: refused by the shoe, {why}; nothing has changed"

    # -- simulation ---------------------------------------------------------------------------------------------------

    def _simulate(self, tap: Tap) -> str:
        hands = self.hands
        if hands is None:
            raise UsageError("this shoe is not simulated.", "Use your own hands.")
        match tap["do"]:
            case "hands":
                self.hands_by_themselves = tap["on"]
            case "hand" if self.shoe.status is not None and self.step is not None:
                self._hands_work(self.step, self.shoe.status)
            case "players":
                self._open_for_wagers()
                self.draft.take(hands.bets(self._play()))
            case "answer":
                return self._answer_by_plant(hands, self._asked(tap["key"]))
            case "jam":
                self.shoe.sim.act("jam", "exit:1:60000")
            case _:
                raise UsageError("the page sent something that is no tap.", "Reload the page.")
        return ""

    def _answer_by_plant(self, hands: Hands, ask: Ask) -> str:
        try:
            tap = hands.answer(self._play(), ask)
        except (KeyError, IndexError):
            raise UsageError("the simulated hands do not know these cards any more.", "Enter them.") from None
        if ask.kind == "cards":
            self._book_cards(ask, list(tap.data["cards"]), BY_PLANT)
        else:
            self._answered(tap)
        return ""
