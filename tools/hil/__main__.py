"""The firmware on an emulated Raspberry Pi Pico, played with the host library: `make hil UF2=...`.

A real MicroPython boots from an emulated flash; the simulated plant sits at its pins, FRAM, port expander and display
on its buses, fairshoe.Shoe at its link, all in emulated time. docs/HIL.md says what is played, docs/BUDGETS.md what
was measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from fairshoe.errors import FairshoeError
from fairshoe.ship.import_closure import ShipError
from hil import report
from hil.options import add_uf2, find_image
from hil.parts import Part
from hil.player import StoryError
from hil.run import PRODUCT, Run, parts_of, play_all


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hil", description="The firmware on an emulated Pico, played and measured.")
    add_uf2(parser)
    parser.add_argument("--board", default="pico-carousel", help="a name in board_configs/ (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds to play (default %(default)s)")
    parser.add_argument("--cards", type=int, default=0, help="deck to play with instead of the default one")
    parser.add_argument("--keyed", action="store_true", help="a session under the device's key, as at a table")
    parser.add_argument("--quick", action="store_true", help="twelve cards; one round unless --only names other parts")
    parser.add_argument(
        "--only", action="append", metavar="PART", help="only this part, or those of a pattern; repeatable"
    )
    parser.add_argument("--seed", type=int, default=7, help="of the plant (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--strict", action="store_true", help="fail when a budget is missed, too")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = parse(argv)
    image, wrong = find_image(options)
    if image is None or options.rounds < 1:
        print(wrong or "hil: --rounds is at least 1", file=sys.stderr)
        return 2
    if options.quick:
        options.rounds = 1
    began = time.perf_counter()
    try:
        run = Run(options, image)
        said, parts = play_all(run, parts_of(run, options), options.jobs)
    except ShipError as error:
        print(f"hil: {error}", file=sys.stderr)
        return 2
    except (StoryError, FairshoeError) as error:
        print(f"hil: the board did not start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("hil: interrupted", file=sys.stderr)
        return 130
    return show(run, options, said, parts, time.perf_counter() - began)


def show(run: Run, options: argparse.Namespace, said: report.Said, parts: dict[str, Part], wall_s: float) -> int:
    rows = run.boot_rows(said) if said else []
    rounds = parts.get("rounds")
    if rounds is not None and rounds.result == report.GOOD and rounds.motion:
        rows += report.motion_rows(rounds.said, rounds.motion)
        rows += report.round_rows(rounds.said, run.rounds, run.image.frozen, run.main_extra)
    if PRODUCT in parts and "welcome_ms" in parts[PRODUCT].motion:
        rows.append(report.Row("power-on to the product's welcome", parts[PRODUCT].motion["welcome_ms"], "ms"))
    results = {name: part.result for name, part in parts.items()}
    title = f"{run.board}, {run.image.kind} image, {run.deck} cards, {'keyed' if run.keyed else 'clear'}: fairshoe "
    title += " ".join(said.get("version", ["?"]))
    if options.json:
        print(json.dumps(report.as_json(title, rows, results), indent=1))
    else:
        emulated_s = sum(part.emulated_s for part in parts.values())
        ends = f"{emulated_s:.0f} s of emulated time took {wall_s:.0f} s; limits: docs/BUDGETS.md"
        print(report.table(title, rows, results, ends))
    good = all(result == report.GOOD for result in results.values())
    return 0 if good and (not options.strict or all(row.kept for row in rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
