"""`python -m calibrating`: draw machines, calibrate them, deal on what was found, print the table.

What was found is kept in build/calibrated.json, board by board; --write puts all of it into docs/BUILD.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calibrating.truths import BOARDS, ROUND_CARDS, Trial, fault_of, play

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "calibrated.json"
PAGE = ROOT / "docs" / "BUILD.md"
BEGIN, END = "<!-- measured by make calibrate-truths WRITE=1 -->\n", "<!-- end -->\n"
TELL_S = 10
FEW = 2


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="calibrating")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--board", choices=BOARDS, help="this one only")
    parser.add_argument("--rounds", type=int, default=20, help="dealt with each new config")
    parser.add_argument("--whole", type=int, help=f"only so many machines deal all rounds, the others {FEW}")
    parser.add_argument("--write", action="store_true", help="put the tables of all boards into docs/BUILD.md")
    options = parser.parse_args(words)
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if options.write:
        around()
    good = True
    for board in [options.board] if options.board else BOARDS:
        whole = options.number if options.whole is None else options.whole
        trials = [*run(board, options.seed, options.number, options.rounds, whole)]
        good = good and all(trial.good for trial in trials)
        kept[board] = summary(trials)
        print(tables({board: kept[board]}), flush=True)
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept))
    if options.write:
        in_order = {board: kept[board] for board in BOARDS if board in kept}
        before, after = around()
        PAGE.write_text(f"{before}{BEGIN}\n{tables(in_order)}\n{END}{after}", encoding="utf-8")
    return 0 if good else 1


def around() -> tuple[str, str]:
    """The page before and behind the tables."""
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE} has lost the marks {BEGIN.strip()} and {END.strip()}: put them back")
    return before, after


def run(board: str, seed: int, number: int, rounds: int, whole: int) -> Iterator[Trial]:
    since = time.monotonic()
    for each in range(number):
        trial = play(seed + each, rounds if each < whole else FEW, fault_of(each, board), board)
        if not trial.good or trial.refused:
            said = trial.named or trial.refused or trial.dealt
            print(f"{board} seed {trial.seed}: fault {trial.fault or 'none'}; {said}; {'; '.join(trial.wrong)}")
            again = f"BOARD={board} N=1 SEED={trial.seed} ROUNDS={trial.rounds}"
            print(f"  replay: make calibrate-truths {again}", flush=True)
        if time.monotonic() - since > TELL_S:
            since = time.monotonic()
            print(f"{board}: {each + 1} of {number}", file=sys.stderr)
        yield trial


def summary(trials: list[Trial]) -> dict[str, Any]:
    """Errors by figure in percent, and what became of the machines."""
    whole = [trial for trial in trials if trial.off and not trial.refused]
    figures: dict[str, list[float]] = {}
    for key in dict.fromkeys(key for trial in whole for key in trial.off):  # an outfeed is not always taken over
        off = [abs(trial.off[key]) for trial in whole if key in trial.off]
        lines = [line for trial in whole for line in trial.lines if line.key == key]
        stated = statistics.median(100 * (line.error or 0) / line.new for line in lines)
        outside = sum(wrong.startswith(key + " ") for trial in whole for wrong in trial.wrong)
        figures[key] = [statistics.median(off), max(off), stated, outside]
    wired = [trial for trial in trials if trial.fault]
    plain = [trial for trial in trials if not trial.fault]
    dealt = Counter(trial.rounds for trial in plain if trial.dealt == "dealt")
    asked = Counter(trial.rounds for trial in plain if not trial.refused)
    return {
        "figures": figures,
        "first": trials[0].seed,
        "last": trials[-1].seed,
        "machines": len(plain),
        "calibrated": len(whole),
        "refused": sum(bool(trial.refused) and trial.good for trial in plain),
        "dealt": ", ".join(f"{rounds} rounds: {dealt[rounds]} of {asked[rounds]}" for rounds in sorted(asked)),
        "cards": sum(rounds * number for rounds, number in dealt.items()) * ROUND_CARDS,
        "wired": len(wired),
        "named": sum(trial.good for trial in wired),
        "shots": statistics.median(trial.shots for trial in whole) if whole else 0,
        "seconds": statistics.median(trial.seconds for trial in whole) if whole else 0,
    }


_ROWS = {
    "machines, of seeds": "{machines}, {first} to {last}",
    "calibrated": "{calibrated}",
    "refused: at a limit of `config check`": "{refused}",
    "dealt with no fault and every count right": "{dealt}",
    "cards dealt": "{cards:,}",
    "machines wired wrongly; the fault was named": "{wired}; {named}",
    "short motions; machine time, median": "{shots:.0f}; {seconds:.0f} s",
}


def tables(found: dict[str, Any]) -> str:
    """As Markdown: of the machines, and of the figures of all boards."""
    rows = ["| | " + " | ".join(found) + " |", "|---" * (len(found) + 1) + "|"]
    for name, cell in _ROWS.items():
        rows.append(f"| {name} | " + " | ".join(cell.format(**it) for it in found.values()) + " |")
    rows += ["", "Error in percent: median, worst, stated. In bold: how many machines were outside of it.", ""]
    rows += ["| figure | " + " | ".join(found) + " |", "|---" * (len(found) + 1) + "|"]
    for key in dict.fromkeys(key for it in found.values() for key in it["figures"]):
        rows.append(f"| `{key}` | " + " | ".join(_cell(it["figures"].get(key)) for it in found.values()) + " |")
    return "\n".join(rows) + "\n"


def _cell(figure: list[float] | None) -> str:
    if figure is None:
        return ""
    median, worst, stated, outside = figure
    return f"{median:.1f}, {worst:.1f}, {stated:.1f}" + (f" **{outside:.0f}**" if outside else "")


if __name__ == "__main__":
    raise SystemExit(main())
