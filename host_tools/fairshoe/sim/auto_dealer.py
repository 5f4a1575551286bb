"""A simulated dealer: looks at the machine now and then and does what its display asks for."""

from __future__ import annotations

from typing import Any

from firmware.protocol.ids import NEED_COUNT, NEED_RACK
from rig.actions import do
from rig.operator import next_moves
from rig.rig import Rig

LOOK_US = 400_000  # how often a dealer looks up


class AutoDealer:
    """Call `act` before every step of the rig, and step no further than `limit_us`.

    `kind`: auto does everything; hands leaves buttons to the commands of a table system; none does nothing."""

    def __init__(self, rig: Rig, kind: str) -> None:
        self.rig = rig
        self.kind = kind
        self.look_us = 0
        self._moves: list[tuple[int, str, dict[str, Any]]] = []

    def limit_us(self, limit_us: int) -> int:
        """How far the rig may run before this dealer has to look again."""
        if self.kind == "none":
            return limit_us
        return min(limit_us, max(self.look_us, self.rig.plant.now_us + 1))

    def act(self) -> None:
        now_us = self.rig.plant.now_us
        if self.kind == "none" or now_us < self.look_us:
            return
        done = False
        while self._moves and self._moves[0][0] <= now_us:
            _due_us, action, arguments = self._moves.pop(0)
            do(self.rig, action, arguments)
            done = True
        if not self._moves and not done:  # after a move the next look shows its effect
            self._plan(now_us)
        self.look_us = self._moves[0][0] if self._moves else now_us + LOOK_US

    def _plan(self, now_us: int) -> None:
        # Of a stage the operator asks for the rig alone.
        due_us = now_us
        for delay_ms, action, arguments in next_moves(self, True):  # pyright: ignore[reportArgumentType]
            if action == "press" and self.kind == "hands" and not self._for_hands(str(arguments["button"])):
                continue  # a table system presses the other buttons, by commands
            due_us += delay_ms * 1000
            self._moves.append((due_us, action, arguments))

    def _for_hands(self, button: str) -> bool:
        """A person clears warnings (ACK), and says that a stub or a rack was counted and is right (LOCK)."""
        return button == "ack" or (button == "lock" and self.rig.app.flow.need in (NEED_COUNT, NEED_RACK))
