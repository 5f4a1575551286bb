"""The people at a table whom only the dealer's page knows: nothing is answered at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from fairshoe import Status, Step
from fairshoe_table.play.game import Ask, Play
from fairshoe_table.play.inputs import Input
from fairshoe_table.rules.ledger import Line


class Hands(Protocol):
    """Simulated hands and players at a simulated shoe, which the page may ask instead of a person."""

    def bets(self, play: Play) -> list[Input]: ...
    def answer(self, play: Play, ask: Ask) -> Input: ...
    def faces(self, play: Play, ask: Ask) -> tuple[int, ...]: ...
    def lie(self, play: Play, ask: Ask) -> tuple[int, ...]: ...
    def hand(self, step: Step, status: Status) -> None: ...
    def clear(self) -> None: ...


class NotYet(Exception):
    """A person has not answered yet."""


class PagePeople:
    """`hand` is called when hands are due at the machine, `call` when a person is."""

    def __init__(self, hand: Callable[[Step, Status], None], call: Callable[[str], None]) -> None:
        self._hand, self._call = hand, call

    def wagers(self, play: Play) -> list[Input]:
        return []

    def answer(self, play: Play, ask: Ask) -> Input:
        raise NotYet

    def hand(self, step: Step, status: Status) -> None:
        self._hand(step, status)

    def call(self, text: str) -> None:
        self._call(text)

    def booked(self, lines: list[Line]) -> None:
        pass  # the page shows the lines of the books
