"""What every shot has shown of each input: its level, edges a second, and a histogram of how long its edges bounced.

Edges are known only inside shots, so a rate is edges over the time that was watched. An input of an expander is polled:
its bounces are over before it is read.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from fairshoe.calibrate.machine import LINE, Shot

RATE_US = 1_000_000  # of watched time
BOUNCES_US = (1, 50, 100, 200, 500, 1000, 2000)  # each bin ends below its figure; the last has no end
BINS = ("none", "<50", "<100", "<200", "<500", "<1000", "<2000", "more")
POLLED = "polled: its bounces are not seen"
BARS = " .:-=+*#%@"  # also where no other character can be printed


def wire(pin: Any) -> str:
    """An entry of a config's inputs, in words."""
    return f"expander {pin['expander']}" if isinstance(pin, dict) else f"pin {pin}"


@dataclass
class Line:
    """One input. `bounces` counts edges that lasted, by how long they bounced."""

    name: str
    pin: str
    blind: str  # why its bounces are not seen
    level: int = -1  # not seen yet
    edges: int = 0
    bounces: list[int] = field(default_factory=lambda: [0] * len(BINS))
    recent: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])  # edges, microseconds

    def take(self, shot: Shot, us: int) -> None:
        raw = [level for line, level, _us in shot.raw if line == self.name]
        self.edges += len(raw)
        self.level = raw[-1] if raw else shot.level(self.name)
        for change in shot.changes:
            if change.line == self.name:
                self.bounces[sum(change.bounce_us >= limit for limit in BOUNCES_US)] += 1
        self.recent.append((len(raw), us))
        while len(self.recent) > 1 and sum(part for _edges, part in self.recent) - self.recent[0][1] >= RATE_US:
            self.recent.popleft()

    @property
    def rate(self) -> float:
        us = sum(part for _edges, part in self.recent)
        return sum(edges for edges, _part in self.recent) * 1e6 / us if us else 0.0

    def to_json(self) -> dict[str, Any]:
        known = {"name": self.name, "pin": self.pin, "level": self.level, "edges": self.edges}
        return {**known, "rate": round(self.rate, 1), "bounces": list(self.bounces), "blind": self.blind}


class Lines:
    """All inputs of a config."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.lines = [
            Line(name, wire(pin), POLLED if isinstance(pin, dict) else "")
            for name, pin in sorted(config["inputs"].items(), key=lambda entry: LINE[entry[0]])
        ]

    def take(self, shot: Shot) -> None:
        us = shot.switches[-1][1] if shot.switches else 0
        for line in self.lines:
            line.take(shot, us)

    def to_json(self) -> list[dict[str, Any]]:
        return [line.to_json() for line in self.lines]

    def table(self) -> list[str]:
        """Plain text: one line for each input, its histogram as bars and as numbers."""
        return [
            f"{'input':14s} {'wire':12s} now {'edges/s':>7s}  edges by microseconds of bounce",
            *map(_row, self.lines),
        ]


def _row(line: Line) -> str:
    level = "-" if line.level < 0 else str(line.level)
    return f"{line.name:14s} {line.pin:12s} {level:>3s} {line.rate:7.1f}  {histogram(line)}"


def histogram(line: Line) -> str:
    """`|@: ..   | none 12, <100 3`."""
    if line.blind:
        return line.blind
    most = max(line.bounces)
    if not most:
        return "no edge yet"
    bars = "".join(BARS[-(-count * (len(BARS) - 1) // most)] for count in line.bounces)
    return f"|{bars}| " + ", ".join(f"{name} {count}" for name, count in zip(BINS, line.bounces, strict=True) if count)
