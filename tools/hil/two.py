"""Two emulated Picos wired together: the board under test, and a second one that plays its machine (docs/TESTING.md).

    make hil-two UF2=fairshoe-pico-shoe-bench.uf2 [ONLY=PART] [SEED=] [JOBS=2]

A deck of twelve is dealt in two stacks and a remainder; two cards come at once; a card jams. Panel, storage and link
are those of `make hil`. The second Pico runs tools/twin on the same image.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from emulator.flashfs import build_image
from emulator.native import prepare
from emulator.pico import Pico
from twin.files import twin_files

from fairshoe.errors import FairshoeError
from fairshoe.messages import RoundVoided
from hil.board import HilBoard, Notes, Setup, set_up
from hil.faults import BY_HAND, jam_exit, warned
from hil.image import RELEASE
from hil.options import add_uf2, find_image, images_in, not_run
from hil.parts import Part, all_at_once
from hil.player import Player, StoryError, expect, one
from hil.report import GOOD
from hil.rounds import QUICK_CARDS, begin_deal, good_round, ready_to_deal

BOARD = "pico-shoe"
START_S = 5.0
LATE_US_MAX = 3000  # of an edge; the firmware must be right all the same


class TwoBoard(HilBoard):
    """HilBoard with the second Pico."""

    def make_bench(self, setup: Setup, seed: int, lines: tuple[str, ...]) -> Any:
        from emulator.pair import TwoBench

        machine = Pico(setup.uf2, build_image(twin_files(setup.config, seed)))
        ready = lambda: b"@ ready" in machine.console and machine.console.endswith(b"\n")  # noqa: E731
        if not machine.run(START_S, until=ready):
            raise StoryError(f"the second Pico does not start: {bytes(machine.console[-1500:]).decode()}")
        return TwoBench(setup.uf2, build_image(setup.files), setup.config, lines, seed, machine)

    def machine_state(self) -> dict[str, Any]:
        return json.loads(self.bench.ask("status"))


def double_feed(player: Player) -> None:
    """Two cards come together, as the second of a stack: found, and the round is void."""
    first = len(player.events)
    player.play(ready_to_deal(player))
    player.board.hand("fault", '{"fault": "double_feed", "card": 1}')
    player.play([*begin_deal(), ("warning_latched", 300, "wait", ""), *BY_HAND])
    warned(player, first, "DOUBLE_FEED")
    one(player.since(first), RoundVoided)


STORIES: dict[str, Callable[[Player], None]] = {
    "round": good_round,
    "double-feed": double_feed,
    "jam-exit": jam_exit,
}


def play(name: str, board: TwoBoard, player: Player, notes: Notes) -> Part:
    part = Part()
    notes.prefix = f"{name}: "
    try:
        STORIES[name](player)
        player.check()
        expect(board.resets == 0, "the watchdog has reset the device")
        state = board.machine_state()
        expect(state["put_in"] == state["handed_out"] == player.deck, "not all cards are out of the machine")
        expect(state["late_us"] <= LATE_US_MAX, f"an edge came {state['late_us']} us late")
    except (StoryError, FairshoeError) as error:
        part.result = f"WRONG: {error}\n{board.tail()}"
    part.said = {"machine": [json.dumps(board.machine_state())]}
    notes(f"the second Pico: {part.said['machine'][0]}")
    part.emulated_s = board.port.clock()
    notes(part.result)
    return part


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="hil.two", description="The firmware on one Pico, its machine on another.")
    add_uf2(parser)
    parser.add_argument("--only", action="append", choices=sorted(STORIES), help="only this part; repeatable")
    parser.add_argument("--seed", type=int, default=7, help="of the plant (default %(default)s)")
    parser.add_argument("--if-possible", action="store_true", help="without such an image say so, and pass")
    options = parser.parse_args(argv)
    options.uf2 = images_in(options.uf2, BOARD)[0]
    image, wrong = find_image(options)
    if image is None or not image.is_for(BOARD) or image.kind == RELEASE:
        if options.if_possible:
            print(not_run(f"two emulated Picos, with a bench image of {BOARD}"))
            return 0
        print(wrong or f"hil: not a bench image of {BOARD}: make image BENCH=1 BOARD={BOARD}", file=sys.stderr)
        return 2
    prepare()
    notes = Notes()
    board = TwoBoard(set_up(Path(str(options.uf2)), image, BOARD, QUICK_CARDS, False), options.seed, notes)
    player = Player(board, notes, smooth=True)
    board.wait("@ booted")
    player.greet()
    player.until("empty_proved")
    player.smooth = False
    board.wait("@ ready")
    works = {name: lambda name=name: play(name, board, player, notes) for name in options.only or STORIES}
    parts = all_at_once(works, options.jobs)
    for name, part in parts.items():
        print(f"{name:12} {part.result}  {part.said.get('machine', [''])[0]}")
    return 0 if all(part.result == GOOD for part in parts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
