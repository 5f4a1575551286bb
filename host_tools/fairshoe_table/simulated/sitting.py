"""A dealer who does what the page says, in the thread of the desk: for tests, and for tables that are killed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fairshoe_table.desk.taps import Desk

TURNS_MAX = 4000
STEPS_MAX = 400
Values = dict[str, Any]


@dataclass
class Sitting:
    desk: Desk
    values: Values = field(default_factory=dict[str, Any])
    said: list[str] = field(default_factory=list[str])

    def tap(self, **tap: Any) -> str:
        """The desk's answer. Raises what it objects to."""
        answer = self.desk.tap({**self.shown(), **tap})
        self.turn()
        return answer.result(0)

    def turn(self) -> None:
        self.desk.turn()

    def shown(self) -> Values:
        """The rounds that a page names in every tap."""
        return {"round": self.desk.number, "lines_of": self.desk.shown_round()}

    def until(self, due: Callable[[Values], object]) -> Values:
        for _ in range(TURNS_MAX):
            if self.values and due(self.values):
                return self.values
            self.turn()
        raise TimeoutError(f"not due: {self.values.get('now')}, the shoe waits for {self.desk.step}")

    def bets(self) -> Values:
        return self.until(lambda it: it["open"] and it["now"]["say"] == "Place your bets")

    def wager(self, seat: int, **cents: int) -> None:
        for name, amount in cents.items():
            self.tap(do="wager", seat=seat, wager=name.replace("_", " "), cents=amount)

    def close(self) -> None:
        values = self.until(lambda it: it["now"]["action"].get("do") == "close")
        self.said.append(values["now"]["say"])
        self.tap(do="close")

    def next(self) -> Values:
        """Until a person is asked, a line is due, or a command is offered."""
        return self.until(lambda it: it["ask"] or it["now"]["action"])

    def go_on(self) -> None:
        """Do what is next: the line, the answer from the plant, the command."""
        values = self.next()
        action = {key: value for key, value in values["now"]["action"].items() if key != "label"}
        self.said.append(values["now"]["say"])
        if action.get("do") == "done" or not values["ask"]:
            checked = action.pop("checks", ())
            self.tap(**action, **({"checked": checked, "by": "J. Doe"} if checked else {}))
        else:
            self.tap(do="answer", key=values["ask"]["key"])

    def finish(self) -> int:
        """Play the round to its end, and do its lines; its number."""
        number, steps = self.desk.number, 0

        def due(values: Values) -> object:
            return values["ask"] or values["now"]["action"] or values["round"] != number

        while self.until(due)["round"] == number:
            self.go_on()
            steps += 1
            if steps > STEPS_MAX:
                raise TimeoutError(f"the round does not go on: {self.values['now']}")
        while self.desk.open_lines():
            self.go_on()
        return number


class Patient(Sitting):
    """At a desk that may fail: looks at the page again, and taps again."""

    def turn(self) -> None:
        self.desk.attempt()

    def tap(self, **tap: Any) -> str:
        answer = self.desk.tap({**self.shown(), **tap})
        for _ in range(TURNS_MAX):
            self.turn()
            if answer.done():
                return answer.result(0)
        raise TimeoutError("a tap without an answer")

    def shown(self) -> Values:
        return {"round": self.values["round"], "lines_of": self.values["lines_of"]}


def listen(it: Sitting) -> None:
    it.desk.show = lambda values: it.values.update(values)
