"""What the processor does while cards move: in an intake if the machine has one, else in the whole round."""

from __future__ import annotations

from hil.board import HilBoard

CYCLES_PER_US = 125


class Motion:
    """Share of busy time, longest time with interrupts masked, longest time in interrupts, and the latest stop."""

    def __init__(self, board: HilBoard, shuffles: bool) -> None:
        self.board = board
        self.shuffles = shuffles
        self.began: tuple[int, int] | None = None if shuffles else self._now()
        self.percent: float | None = None
        board.bench.masked.start()

    def look(self) -> None:
        if not self.shuffles or self.percent is not None:
            return
        if self.began is None and "@ shuffling" in self.board.console:
            self.began = self._now()
        elif self.began is not None and "@ done" in self.board.console:
            self.percent = self._share(self.began)

    def figures(self) -> dict[str, float]:
        bench = self.board.bench
        bench.masked.stop()
        share = self.percent if self.percent is not None else self._share(self.began or self._now())
        return {
            "cpu_percent": share,
            "masked_us": bench.masked.masked_us,
            "handler_us": bench.masked.handler_us,
            "stop_us": max(bench.stop_us, default=0),
        }

    def _now(self) -> tuple[int, int]:
        return self.board.bench.pico.busy_cycles, self.board.bench.pico.now_us

    def _share(self, began: tuple[int, int]) -> float:
        cycles, us = self._now()
        return (cycles - began[0]) * 100 / (max(us - began[1], 1) * CYCLES_PER_US)
