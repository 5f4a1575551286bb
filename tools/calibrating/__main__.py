"""`python -m calibrating`: draw machines, calibrate them, deal on what was found, print the table."""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from calibrating.truths import BOARDS, Trial, fault_of, play


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="calibrating")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--board", choices=BOARDS, default=BOARDS[0])
    parser.add_argument("--rounds", type=int, default=2, help="dealt with each new config")
    options = parser.parse_args(words)
    trials: list[Trial] = []
    since = time.monotonic()
    for number in range(options.number):
        trial = play(options.seed + number, options.rounds, fault_of(number, options.board), options.board)
        trials.append(trial)
        if not trial.good:
            said = trial.named or trial.refused or trial.dealt
            print(f"seed {trial.seed}: fault {trial.fault or 'none'}; {said}; {'; '.join(trial.wrong)}")
            again = f"BOARD={options.board} N=1 SEED={trial.seed} ROUNDS={options.rounds}"
            print(f"  replay: make calibrate-truths {again}")
        if time.monotonic() - since > 10:
            since = time.monotonic()
            print(f"{number + 1} of {options.number}", file=sys.stderr)
    print(table(trials))
    return 0 if all(trial.good for trial in trials) else 1


def table(trials: list[Trial]) -> str:
    """Errors by figure, and what became of the machines."""
    rows = [f"{'figure':22s} {'median %':>9s} {'worst %':>9s} {'stated %':>9s} {'outside':>8s}"]
    whole = [trial for trial in trials if trial.off]
    for key in whole[0].off if whole else ():
        off = [abs(trial.off[key]) for trial in whole]
        lines = [line for trial in whole for line in trial.lines if line.key == key]
        stated = statistics.median(100 * (line.error or 0) / line.new for line in lines)
        outside = sum(wrong.startswith(key + " ") for trial in whole for wrong in trial.wrong)
        rows.append(f"{key:22s} {statistics.median(off):9.2f} {max(off):9.2f} {stated:9.2f} {outside:8d}")
    wired = [trial for trial in trials if trial.fault]
    plain = [trial for trial in trials if not trial.fault]
    refused = [trial for trial in plain if trial.refused]
    rows += [
        f"machines {len(plain)}: calibrated {len(whole)}, refused {len(refused)}, dealt without a fault "
        f"{sum(trial.dealt == 'dealt' for trial in plain)}",
        f"wired wrongly {len(wired)}: named rightly {sum(trial.good for trial in wired)}",
    ]
    if whole:
        rows.append(
            f"median {statistics.median(trial.shots for trial in whole):.0f} shots, "
            f"{statistics.median(trial.seconds for trial in whole):.0f} s of machine time"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    raise SystemExit(main())
