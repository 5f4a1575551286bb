"""`make bench`: speed as ratios, measured in one run. The machine against the shortest time that any controller could
need; simulated seconds per second for a round, on both VMs; frames on the host against what others use; frames on the
device's VM, with the heap they take; the start of a command; 500 shoes in one process; 1,000 shoes
through four gateways into PostgreSQL; the central API; the bench page in Chromium.

The exit status is 1 if a section could not be measured. `--small` runs every section with little to do: it shows that
they all still work, and `make test-all` runs it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

from floor import install
from stages import NOT_RUN, ROOT

from bench import fleet, floor, floor_api, link, machine, page, pit, start, vms
from bench.section import Section, run

SECTIONS = (
    Section("machine", machine.measure, machine.report, {"seeds": 1}),
    Section("simulation", vms.measure_rounds, vms.report_rounds, {"wall_ms": 1}),
    Section("frames", vms.measure_frames, vms.report_frames, {"count": 100}),
    Section("start", start.measure, start.report, {"runs": 1}),
    Section("link", link.measure, link.report, {"rounds": 1}),
    Section("fleet", fleet.measure, fleet.report, {"count": 20, "seconds": 1.0}),
    Section("gateway", pit.climb, pit.report, {"seconds": 1.0, "ladders": {10.0: (5,)}}),
    Section("floor", floor.measure, floor.report, {"shoes": 8, "seconds": 1.0}),
    Section("backlog", floor.backlog, floor.report_backlog, {"count": 500}),
    Section("api", floor_api.measure, floor_api.report, {"tables": 5, "clients": 5, "seconds": 0.5}),
    Section("alarms", floor_api.measure_desk, floor_api.report_desk, {"shoes": 20}),
    Section("page", page.measure, page.report, {"watch_ms": 200}),
)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--small", action="store_true", help="little to do: shows that each section works")
    parser.add_argument("--if-possible", action="store_true", help="a section that lacks a program is no failure")
    parser.add_argument("section", nargs="*", help=f"of {', '.join(section.name for section in SECTIONS)} (all)")
    options = parser.parse_args(argv)
    known = {section.name: section for section in SECTIONS}
    unknown = sorted(set(options.section) - known.keys())
    if unknown:
        parser.error(f"no section {unknown[0]}; there are {', '.join(known)}")
    if options.small:  # `make bench` installs them before it starts this
        subprocess.call([sys.executable, "tools/setup.py", "--quiet", "--bench", "--web"], cwd=ROOT)
        install.install()
    chosen = [section for section in SECTIONS if section.name in (options.section or known)]
    return measure(chosen, options.small, options.if_possible and os.environ.get("CI") != "true", options.json)


def measure(sections: list[Section], small: bool, may_lack: bool, as_json: bool) -> int:
    """The exit status. `may_lack`: a section for which this machine lacks something is said, and no failure."""
    figures: dict[str, object] = {}
    failed: list[str] = []
    for section in sections:
        outcome = run(section, small)
        figures[outcome.name] = {"not measured": outcome.why_not} if outcome.why_not else outcome.figures
        lines = list(outcome.lines)
        if outcome.why_not:
            excused = outcome.lacking and may_lack
            failed += [] if excused else [outcome.name]
            lines = [f"{outcome.name}: {NOT_RUN if excused else 'NOT MEASURED'}: {outcome.why_not}"]
        print("\n".join(lines), file=sys.stderr if as_json else sys.stdout, flush=True)
    if as_json:
        print(json.dumps(figures))
    if failed:
        print(f"bench: not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
