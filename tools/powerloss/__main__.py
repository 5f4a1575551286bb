"""`python -m powerloss`: cuts until the time is over, or replays one cut.

--minutes 5 [--seed N] [--jobs N] [--board NAME] [--game NAME]
--board NAME --game NAME --machine-seed N --seats N --cut write:33:12
                              one run again; a second --cut counts from the first one on
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace

from timed import Tool

from powerloss.jobs import BOARDS, SEATS, Cut, Job, game_names, parse_cut, play, scenario_job, scenario_names
from powerloss.run import STREAMS, Planner, Tally, run_all, write_finding


def replay(options: argparse.Namespace) -> int:
    cuts: tuple[Cut, ...] = tuple(options.cut)
    if options.scenario:
        job = scenario_job(options.scenario, options.machine_seed, cuts, options.away)
    else:
        job = Job(options.board or BOARDS[0], options.game or "house", options.machine_seed, options.role)
        job = replace(job, seats=options.seats, away=options.away, audit=options.audit, cuts=cuts)
        job = replace(job, rounds=options.rounds, storage=options.storage, flash=options.flash, kind=options.kind)
    outcome = play(job)
    print(f"{job}: {outcome.struck} of {len(cuts)} cuts struck, {outcome.simulated_us / 1e6:.1f} s simulated")
    for problem in outcome.problems:
        print(f"  {problem}")
    if outcome.problems:
        print(f"the same as a scenario: .venv/bin/fairshoe scenario run {write_finding(outcome)}")
    return 1 if outcome.problems else 0


def main() -> int:
    tool = Tool("powerloss", __doc__)
    parser = tool.parser
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (%(default)s)")
    parser.add_argument("--board", choices=BOARDS, default="", help="this one only")
    parser.add_argument("--game", choices=game_names(), default="", help="this one only")
    parser.add_argument("--only", choices=STREAMS, default="", help="of the kinds of cuts")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first finding")
    again = parser.add_argument_group("one run again")
    again.add_argument("--cut", type=parse_cut, action="append", default=[], metavar="WHERE")
    again.add_argument("--scenario", choices=scenario_names(), default="", metavar="NAME")
    again.add_argument("--machine-seed", type=int, default=7)
    again.add_argument("--seats", type=int, default=SEATS)
    again.add_argument("--rounds", type=int, default=1)
    again.add_argument("--storage", type=int, default=0, metavar="BYTES", help="if not what the board has")
    again.add_argument("--flash", action="store_true", help="storage is flash")
    again.add_argument("--kind", choices=("nag", "records", "keys", "full"), default="", help="what else happens")
    again.add_argument("--role", choices=("table",), default="")
    again.add_argument("--away", action="store_true", help="the host acknowledges nothing before the recovery")
    again.add_argument("--audit", action="store_true", help="seeds are disclosed, and an auditor asks for them")
    options = tool.begin()
    if options.cut:
        return replay(options)
    planner = Planner(options.seed, options.board, options.game, options.only)
    tally = Tally()

    def more() -> bool:
        return tool.more(lambda: f"{tally.runs} cuts, {len(tally.found) or 'nothing'} found")

    run_all(planner, tally, more, options.jobs, options.keep_going)
    for story, problem in planner.unfit.items():
        print(f"not cut, since it breaks a promise by itself: {story}: {problem}")
    tally.summary(planner, tool.passed_s)
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
