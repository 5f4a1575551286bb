"""What a run of `make hil` measured, against the budgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairshoe.ship.build import BUDGET_BYTES

SCAN_MEAN_US, SCAN_WORST_US, HEAP_BYTES, CPU_PERCENT = 1200, 4000, 140 * 1024, 40
WATCHDOG_US = 500_000
GROWTH_BYTES = 0

Said = dict[str, list[str]]


@dataclass(frozen=True)
class Row:
    """A figure, and the budget it has to keep, if there is one."""

    name: str
    value: float
    unit: str = ""
    budget: float | None = None

    @property
    def kept(self) -> bool:
        return self.budget is None or self.value <= self.budget

    def text(self) -> str:
        budget = "" if self.budget is None else f"  <= {self.budget:<8g} {'' if self.kept else 'OVER BUDGET'}"
        return f"{self.name:<38} {self.value:>9g} {self.unit:<6}{budget}".rstrip()


def boot_rows(said: Said, shipped_bytes: int) -> list[Row]:
    return [
        Row("shipped files", shipped_bytes, "bytes", BUDGET_BYTES),
        Row("power-on to the first scan", int(said["booted"][0]), "ms"),
        Row("power-on to ready for a deck", int(said["ready"][0]), "ms"),
        Row("heap in use after boot", int(said["heap"][0]), "bytes", HEAP_BYTES),
        Row("heap free after boot", int(said["heap"][1]), "bytes"),
    ]


def motion_rows(said: Said, motion: dict[str, float]) -> list[Row]:
    """Of the first round: the product's own pace. A machine without a shuffle is timed over the whole round, and there
    the longest of the other scans is told as well: one that records what has happened."""
    name = _moving(said)
    count, mean, worst = _scans(said, name)
    rows = [
        Row("scans while cards moved", count),
        Row("scan while cards move, mean", mean, "us", SCAN_MEAN_US),
        Row("scan while cards move, worst", worst, "us", SCAN_WORST_US),
        *_worst_rows(said, name),
        Row("processor busy while cards move", round(motion["cpu_percent"], 1), "%", CPU_PERCENT),
        Row("interrupts masked, longest", motion["masked_us"], "us"),
        Row("in one interrupt, longest", motion["handler_us"], "us"),
        Row("roller off after its beam, worst", motion["stop_us"], "us"),
    ]
    if "intake" in said:
        rows.append(Row("scan that draws an order, at rest", _scans(said, "preparing_quiet")[2], "us", WATCHDOG_US))
        rows.append(Row("heap taken in a whole intake", int(said["heap_grown"][0]), "bytes"))
        if count:
            rows.append(Row("heap taken a scan, of the intake", round(int(said["heap_grown"][0]) / count, 1), "bytes"))
    else:
        rows.append(Row("scan while no card moves, worst", _scans(said, f"{name}_quiet")[2], "us", WATCHDOG_US))
    return rows


def scans_moving(said: Said) -> int:
    """In how many scans cards moved: figures of none would keep every budget."""
    return _scans(said, _moving(said))[0]


def _moving(said: Said) -> str:
    return "intake" if "intake" in said else "job"


def _worst_rows(said: Said, name: str) -> list[Row]:
    """What the longest scan had to do besides its machine's work."""
    words = ("edges it found", "frames it took", "frames it sent")
    return [Row(f"  {word}", int(value)) for word, value in zip(words, said.get(f"{name}_worst", ()), strict=False)]


def round_rows(said: Said, rounds: int) -> list[Row]:
    """What is in use between two rounds; with the third one on decide runs under a locked heap."""
    rests = [int(said[f"heap_rest_{index}"][1]) for index in range(rounds + 1) if f"heap_rest_{index}" in said]
    rows = [Row("heap at rest, before the first round", rests[0], "bytes", HEAP_BYTES)]
    if len(rests) > 1:
        rows.append(Row(f"heap at rest, after {len(rests) - 1} rounds", rests[-1], "bytes", HEAP_BYTES))
    if "locked" in said:
        rows.append(Row("allocations in decide, last round", 0, "", 0))
    return rows


def _scans(said: Said, word: str) -> tuple[int, int, int]:
    """How many, their mean and the worst, in microseconds."""
    count, total, worst = (int(figure) for figure in said[word][:3])
    return count, total // max(count, 1), worst


def table(title: str, rows: list[Row], stories: dict[str, str], ends: str) -> str:
    lines = [title, "", *(row.text() for row in rows)]
    missed = [row.name for row in rows if not row.kept]
    lines += ["", *(f"{name:<14} {result}" for name, result in stories.items())]
    return "\n".join([*lines, "", f"budgets missed: {'; '.join(missed) or 'none'}", ends])


def as_json(version: str, rows: list[Row], stories: dict[str, str]) -> dict[str, Any]:
    return {
        "version": version,
        "figures": {row.name: {"value": row.value, "unit": row.unit, "budget": row.budget} for row in rows},
        "stories": stories,
        "kept": all(row.kept for row in rows),
        "good": all(result == GOOD for result in stories.values()),
    }


GOOD = "good"
