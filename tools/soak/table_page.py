"""What the dealer's page of a table has shown, kept through kills, and held against the books.

Each change of the page is a line of a file before anything is done about it; so is each tap that changes wagers. Cards,
lines that are done and wagers that the page has shown must be there after a kill, and in the books in the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fairshoe import Need, Step
from fairshoe.errors import FairshoeError
from fairshoe_table.books.books import Books
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play.game import Ask
from fairshoe_table.simulated.demonstration import Running
from fairshoe_table.simulated.sitting import Patient

SEATS = 4
Values = dict[str, Any]


class LoggedDealer(Patient):
    """A dealer who does what is next; `log` has what the page has shown."""

    log: Path
    supervisor: Callable[[Ask], str]

    def write(self, values: Values) -> None:
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")

    def show(self, values: Values) -> None:
        self.values.update(values)
        wagers = {seat["seat"]: seat["wagers"] for seat in values["seats"] if seat["wagers"]}
        self.write(
            {
                "round": values["round"],
                "open": wagers if values["open"] else None,
                "of": values["lines_of"],
                "done": [line["key"] for line in values["lines"] if line["done"]],
                "cards": {it["of"]: it["cards"] for it in values["entered"]},
            }
        )

    def bet(self) -> None:
        self.write({"tap": "players"})
        self.tap(do="players")

    def due(self) -> bool:
        """Whether a person is to do something: only then the round has come further."""
        now = self.values["now"]
        return bool(now["action"] or self.values["ask"] or now["say"] == "Place your bets")

    def by_hand(self, step: Step) -> bool:
        """The stub is counted after some rounds, and LOCK says that it is right."""
        return step.need is Need.STUB_COUNT or (step.hand and step.need not in self.desk.unasked)

    def step(self, void: bool) -> None:
        """Whatever the page asks for: a supervisor, wagers, the next line, an answer, hands at the machine."""
        choices = [choice for choice, _ in self.values["house"]["choices"]]
        held, say = self.desk.held(), self.values["now"]["say"]
        action = self.values["now"]["action"]
        if choices and (void or held is not None or self.desk.books.in_suspense()):
            choice = self.supervisor(held) if held is not None else choices[0] if void else "pay"
            self.tap(do="house", choice=choice, by="soak", reason="at a random question")
        elif self.values["open"] and say == "Place your bets":
            self.bet()
        elif action.get("do") == "close":
            try:
                self.tap(do="close")
            except FairshoeError:
                self.bet()  # by other limits than those of the program before
        elif action or self.values["ask"]:
            self.go_on()
        elif self.desk.step is not None and self.by_hand(self.desk.step):
            self.tap(do="hand")
        else:
            self.turn()


def play(it: Running, folder: Path, until: Callable[[], object], each: Callable[[], bool]) -> None:
    """Rounds by the page until it is time; `each` is called before every tap, and says whether a supervisor voids."""
    desk = Desk(it.shoe, it.books, it.table.game, it.table.options, SEATS, folder / "wagers.json", it.people)
    seen = LoggedDealer(desk)
    seen.log, seen.supervisor = folder / "page.jsonl", it.people.supervisor
    seen.write({"tap": "start"})
    desk.show = seen.show
    while not seen.values:
        seen.turn()
    while not until():
        try:
            seen.step(seen.due() and each())
        except FairshoeError:
            seen.turn()  # a command is under way, or the page was old


def lost(folder: Path, books: Books) -> Iterator[str]:
    """What the page has shown and the books do not have."""
    drafts: dict[int, Values | None] = {}  # wagers that lay there; None: a tap may have changed them
    cards: dict[tuple[int, str], list[int]] = {}
    done: set[tuple[int, str]] = set()
    last = 0
    for text in (folder / "page.jsonl").read_text(encoding="utf-8").splitlines():
        values: Values = json.loads(text)
        if values.get("tap") == "players":
            drafts[last] = None
        if "tap" in values:
            continue
        last = values["round"]
        before = drafts.get(last)
        if values["open"] is not None:
            if before and values["open"] != before:
                yield f"round {last}: the page showed the wagers {before}, then {values['open']} without a tap"
            drafts[last] = values["open"]
        done |= {(values["of"], key) for key in values["done"]}
        cards |= {(values["of"], key): its for key, its in values["cards"].items()}
    inputs = {number: {fact.key: fact for fact in books.inputs(number)} for number, _ in {*done, *cards}}
    yield from (f"round {at[0]}: {at[1]} was done on the page" for at in sorted(done) if at[1] not in inputs[at[0]])
    for (number, key), its in cards.items():
        fact = inputs[number].get(key)
        if fact is None or list(fact.data["cards"]) != its:
            yield f"round {number}: {key} was {its} on the page, and is {fact} in the books"
    for number, shown in drafts.items():
        booked = {
            str(fact.data["seat"]): {it: cents for it, cents in fact.data["amounts"].items() if cents}
            for fact in books.inputs(number)
            if fact.key == f"wager:{fact.data.get('seat')}"
        }
        if shown and booked and booked != shown:
            yield f"round {number}: the page showed the wagers {shown}, and {booked} are booked"
