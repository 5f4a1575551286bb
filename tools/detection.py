"""How long each fault takes until the machine stops for it, in the scenarios that docs/FAULTS.md names.

    make detection [BOARD=pico-shoe]

On a motor shoe each is played twice: as shipped, and with a pick roller that waits for throat B (decision 0076). Exit
status 1 if a fault was noticed later than its scenario allows.
"""

from __future__ import annotations

import argparse
import copy
import sys
from pathlib import Path
from typing import Any

from fairshoe.sim.scenario_cases import name_of, places
from fairshoe.sim.scenario_files import load
from rig.scenario import Scenario

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "scenarios"


def noticed_ms(data: dict[str, Any], config: dict[str, Any], runs_on: bool) -> int:
    """From the fault, or from the action that counts as one; below 0: it was not noticed."""
    scenario = Scenario(copy.deepcopy(data), copy.deepcopy(config))
    if not runs_on:
        scenario.stage.rig.app.flow.machine.feed.follows = False
    scenario.play()
    wanted = data["expect"]["detected"]
    struck_us = scenario.stage.rig.plant.faults.struck_us
    if "after" in wanted:
        struck_us = scenario.done_us.get(wanted["after"], -1)
    return (scenario.detected_us - struck_us) // 1000 if min(struck_us, scenario.detected_us) >= 0 else -1


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="detection", description="How long faults take to be noticed, measured.")
    parser.add_argument("--board", default="pico-shoe", help="scenarios of this board (default %(default)s)")
    options = parser.parse_args(argv)
    late = grown = played = 0
    print("| scenario | warning | within ms | ms | ms, roller waits |\n|---|---|---|---|---|", flush=True)
    for place in places([FOLDER]):
        data, config = load(place)
        if data["board"] != options.board or "detected" not in data.get("expect", {}):
            continue
        wanted = data["expect"]["detected"]
        now_ms = noticed_ms(data, config, True)
        before_ms = noticed_ms(data, config, False) if options.board.endswith("-shoe") else now_ms
        late += not 0 <= now_ms <= wanted["within_ms"]
        grown += now_ms > before_ms
        played += 1
        waits = f"{before_ms}" if options.board.endswith("-shoe") else "-"
        print(f"| {name_of(place)} | {wanted['warning']} | {wanted['within_ms']} | {now_ms} | {waits} |", flush=True)
    print(f"\n{played} faults: {late} later than allowed, {grown} noticed later than by a roller that waits")
    return 1 if late or not played else 0


if __name__ == "__main__":
    sys.exit(main())
