"""What a run of `make hil` measured, against the budgets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

SCAN_MEAN_US, SCAN_WORST_US, CPU_PERCENT = 1200, 4000, 40
WATCHDOG_US = 500_000
KB = 1024
# Of an image, as the product has it; docs/BUDGETS.md has the reasons.
FREE_MIN, BLOCK_MIN, STACK_PERCENT = 48 * KB, 8 * KB, 75
GOOD = "good"
_STORY_WORDS = ("intake", "job", "stopped")  # figures of a story while cards moved

Printed = dict[str, list[str]]


@dataclass(frozen=True)
class Row:
    """A figure and its budget, if it has one: a most, or a least."""

    name: str
    value: float
    unit: str = ""
    budget: float | None = None
    at_least: bool = False
    others: tuple[float, ...] = ()  # the values of further runs

    @property
    def range(self) -> tuple[float, float]:
        values = (self.value, *self.others)
        return min(values), max(values)

    @property
    def kept(self) -> bool:
        if self.budget is None:
            return True
        low, high = self.range
        return low >= self.budget if self.at_least else high <= self.budget

    def text(self) -> str:
        sign = ">=" if self.at_least else "<="
        missed = "" if self.kept else "BUDGET MISSED"
        budget = "" if self.budget is None else f"  {sign} {self.budget:<8g} {missed}"
        low, high = self.range
        value = f"{low:>9g}" if low == high else f"{low:>9g} to {high:g}"
        return f"{self.name:<38} {value} {self.unit:<6}{budget}".rstrip()


def words_of(console: str) -> Printed:
    """What was printed with a word before it, the newest of each."""
    found: Printed = {}
    for line in console.splitlines():
        if line.startswith("@ "):
            word, *rest = line[2:].split()
            found[word if word != "heap_rest" else f"heap_rest_{rest[0]}"] = rest
    return found


def merged(runs: list[list[Row]]) -> list[Row]:
    """The rows of the first run, with the values of the further ones."""
    others = [{row.name: row.value for row in rows} for rows in runs[1:]]
    return [replace(row, others=tuple(values[row.name] for values in others if row.name in values)) for row in runs[0]]


def main_extra(said: Printed, main_bytes: int) -> int:
    """How much more heap the product's main.py takes than the one that measures. `main_bytes` is in use when the
    product's is loaded and nothing else is."""
    in_use, free, free_before = (int(figure) for figure in said["heap"][:3])
    return main_bytes - (in_use + free - free_before)


def boot_rows(said: Printed, size_row: Row, extra: int = 0) -> list[Row]:
    """`extra`: see main_extra."""
    return [
        size_row,
        Row("power-on to the first scan", int(said["booted"][0]), "ms"),
        Row("power-on to ready for a deck", int(said["ready"][0]), "ms"),
        Row("heap in use after boot", int(said["heap"][0]) + extra, "bytes"),
        Row("heap free after boot", int(said["heap"][1]) - extra, "bytes"),
    ]


def motion_rows(said: Printed, motion: dict[str, float]) -> list[Row]:
    """Of the first round, which runs as the product does. A machine that shuffles is timed in the intake, another over
    the whole round; there the longest scan at rest is listed as well, one that records an event."""
    name = _moving(said)
    count, mean, worst = scans(said, name)
    rows = [
        Row("scans while cards moved", count),
        Row("scan while cards move, mean", mean, "us", SCAN_MEAN_US),
        Row("scan while cards move, worst", worst, "us", SCAN_WORST_US),
        *_worst_rows(said, name),
        Row("processor busy while cards move", round(motion["cpu_percent"], 1), "%", CPU_PERCENT),
        Row("interrupts masked, longest", motion["masked_us"], "us"),
        Row("in one interrupt, longest", motion["handler_us"], "us"),
    ]
    if "intake" in said:  # the roller of a motor shoe runs on behind its beam, and a draw shoe has none
        rows.append(Row("roller off after its beam, worst", motion["stop_us"], "us"))
        rows.append(Row("scan that draws an order, at rest", scans(said, "preparing_quiet")[2], "us", WATCHDOG_US))
        rows.append(Row("heap taken in a whole intake", int(said["heap_grown"][0]), "bytes"))
        if count:
            rows.append(Row("heap taken a scan, of the intake", round(int(said["heap_grown"][0]) / count, 1), "bytes"))
    else:
        rows.append(Row("scan while no card moves, worst", scans(said, f"{name}_quiet")[2], "us", WATCHDOG_US))
    return rows


def scans_moving(said: Printed) -> int:
    """How many scans were timed while cards moved: figures of none would keep every budget."""
    return scans(said, _moving(said))[0]


def _moving(said: Printed) -> str:
    return "intake" if "intake" in said else "job"


def _worst_rows(said: Printed, name: str) -> list[Row]:
    """What the longest scan had to do besides its machine's work."""
    words = ("frames it took", "frames it sent")
    return [Row(f"  {word}", int(value)) for word, value in zip(words, said.get(f"{name}_worst", ()), strict=False)]


def round_rows(said: Printed, rounds: int, frozen: bool, extra: int = 0) -> list[Row]:
    """What is left between two rounds and at the end of an intake, and how deep the stack was. From the third round on
    decide runs with the heap locked."""
    free_min, block_min = (FREE_MIN, BLOCK_MIN) if frozen else (None, None)
    said_rests = [said[f"heap_rest_{index}"] for index in range(rounds + 1) if f"heap_rest_{index}" in said]
    rests = [int(figures[1]) + extra for figures in said_rests]
    rows = [Row("heap in use, before the first round", rests[0], "bytes")]
    if len(rests) > 1:
        rows.append(Row(f"heap in use, after {len(rests) - 1} rounds", rests[-1], "bytes"))
    free = [int(figures[2]) for figures in said_rests] + [int(figure) for figure in said.get("heap_least", ())]
    rows.append(Row("heap free, least", min(free) - extra, "bytes", free_min, at_least=True))
    rows.append(Row("largest free block at rest, least", int(said["largest"][0]), "bytes", block_min, at_least=True))
    used, size = (int(figure) for figure in said["stack"][:2])
    rows.append(Row("stack used", used, "bytes", size * STACK_PERCENT // 100))
    if "locked" in said:
        rows.append(Row("allocations in decide, last round", 0, "", 0))
    return rows


def said_since(before: Printed, said: Printed) -> Printed:
    """What was printed after `before`. In the start of a board motors run and a session begins, with no card inside."""
    return {word: figures for word, figures in said.items() if figures != before.get(word)}


def story_texts(said: Printed) -> list[str]:
    """The figures that `story_problems` compares with the budgets."""
    texts: list[str] = []
    for word in _STORY_WORDS:
        if word in said:
            count, mean, worst = scans(said, word)
            texts.append(f"  {count} scans while cards moved ({word}): mean {mean} us, worst {worst} us")
    return texts


def story_problems(said: Printed) -> list[str]:
    """Scans that missed their budget in any story: every set of figures that the probe printed while cards moved."""
    found: list[str] = []
    for word in _STORY_WORDS:
        if word not in said:
            continue
        count, mean, worst = scans(said, word)
        if worst > SCAN_WORST_US:
            found.append(f"a scan of {worst} us while cards moved ({word}); the budget is {SCAN_WORST_US}")
        if mean > SCAN_MEAN_US and count >= ENOUGH_SCANS:
            found.append(f"scans of {mean} us on average ({word}); the budget is {SCAN_MEAN_US}")
    return found


def noisy_text(said: Printed) -> str:
    """Motors are off then: the longest of these scans may record the warning."""
    count, mean, worst = scans(said, "noisy")
    return f"  {count} scans while a line was noise: mean {mean} us, worst {worst} us"


ENOUGH_SCANS = 20  # a mean of fewer says little


def scans(said: Printed, word: str) -> tuple[int, int, int]:
    """How many, their mean and the worst, in microseconds."""
    count, total, worst = (int(figure) for figure in said[word][:3])
    return count, total // max(count, 1), worst


def table(title: str, rows: list[Row], stories: dict[str, str], ends: str) -> str:
    lines = [title, "", *(row.text() for row in rows)]
    missed = [row.name for row in rows if not row.kept]
    lines += ["", *(f"{name:<28} {result}" for name, result in stories.items())]
    return "\n".join([*lines, "", f"budgets missed: {'; '.join(missed) or 'none'}", ends])


def as_json(title: str, rows: list[Row], stories: dict[str, str]) -> dict[str, Any]:
    return {
        "title": title,
        "figures": {row.name: _figure(row) for row in rows},
        "stories": stories,
        "kept": all(row.kept for row in rows),
        "good": all(result == GOOD for result in stories.values()),
    }


def _figure(row: Row) -> dict[str, Any]:
    budget = {"at_least" if row.at_least else "at_most": row.budget}
    return {"value": row.value, "others": list(row.others), "unit": row.unit, **budget}


# --- docs/BUDGETS.md -----------------------------------------------------------------------------------------------

BEGIN, END = "<!-- measured by make hil WRITE=1 -->\n", "<!-- end -->\n"


def markdown(
    columns: dict[str, list[Row]], by_miss: dict[str, dict[int, list[Row]]], parts: dict[str, dict[str, str]], ends: str
) -> str:
    """Figures of all boards side by side, with the range of their runs; of each board by the cost of a miss; and what
    else was played."""
    lines = _grid(columns)
    for board, rows in by_miss.items():
        times = {f"{board}, {miss}": [row for row in found if row.unit in ("us", "%")] for miss, found in rows.items()}
        lines += ["", *_grid(times)]
    lines += ["", "| board | parts that were good | wrong |", "|---|---|---|"]
    for board, results in parts.items():
        good = [f"`{name}`" for name, result in results.items() if result == GOOD]
        wrong = [f"`{name}`" for name, result in results.items() if result != GOOD]
        lines.append(f"| {board} | {', '.join(good)} | {', '.join(wrong) or 'none'} |")
    return "\n".join([*lines, "", ends, ""])


def _grid(columns: dict[str, list[Row]]) -> list[str]:
    names = list(dict.fromkeys(row.name for rows in columns.values() for row in rows))
    found = {title: {row.name: row for row in rows} for title, rows in columns.items()}
    lines = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name in names:
        units = {rows[name].unit for rows in found.values() if name in rows} - {""}
        cells = [_cell(rows[name]) if name in rows else "-" for rows in found.values()]
        lines.append(f"| {', '.join([name.strip(), *units])} | {' | '.join(cells)} |")
    return lines


def _cell(row: Row) -> str:
    low, high = row.range
    cell = f"{low:,g}" if low == high else f"{low:,g} to {high:,g}"
    return cell if row.kept else f"**{cell}**"


def write_budgets(page: Path, text: str) -> None:
    """Between the two marks of the page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has lost the marks {BEGIN.strip()} and {END.strip()}: put them back")
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
