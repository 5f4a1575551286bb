"""One pulse of the wrong level on one sensor, at the moments of a round when cards move.

A relay, a static discharge or a loose connector makes one pulse, and no limit on the edge rate notices it. The machine
may stop with a fault. It must not offer a stack or verify a deck that differs from its report.
"""

from __future__ import annotations

from typing import NamedTuple

from soak.small_round import SmallRound

WIDTHS_US = (1200, 2000, 8000, 30000)  # from just longer than the debounce time to a third of a card


class Pulse(NamedTuple):
    line: str
    at_ms: int
    width_us: int


class PulseRun(SmallRound):
    """With at most one pulse."""

    def __init__(self, board: str, line: str = "", at_ms: int = 0, width_us: int = 0) -> None:
        long_ms = width_us // 1000 + 1  # one period, and a pulse in every period
        pulse = {"fault": "beam_noise", "line": line, "width_us": width_us, "every_us": long_ms * 1000}
        super().__init__(board, [{**pulse, "from_ms": at_ms, "for_ms": long_ms}] if line else [])


def cases(board: str) -> list[Pulse]:
    """Every pulse of the whole sweep."""
    quiet = PulseRun(board)
    lines = quiet.played()
    return [Pulse(line, at_ms, width) for line in lines for at_ms in quiet.moving_ms for width in WIDTHS_US]
