"""Whether a board that runs in bursts is the same machine: `make hil-same UF2=...`.

Plays one round in clear twice, in bursts and with every instruction executed by rp2040py's core, and compares SRAM,
program counter, busy cycles and the emulated clock at every note that the player makes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
from typing import Any

from emulator.flash_cache import MISS
from emulator.native import NO_BURSTS, prepare

from hil.__main__ import parse
from hil.options import find_image
from hil.parts import Part, all_at_once
from hil.report import GOOD
from hil.run import Run


def fingerprint(board: Any) -> str:
    pico = board.bench.pico
    sram = hashlib.sha256(bytes(pico.mcu.sram)).hexdigest()
    return f"{pico.now_us} us, {pico.busy_cycles} cycles, pc {pico.mcu.core.registers[15]:08x}, sram {sram[:32]}"


def play(options: argparse.Namespace, image: Any, bursts: bool) -> Part:
    os.environ[NO_BURSTS] = "" if bursts else "1"
    os.environ[MISS] = "0"  # rp2040py has no cache
    os.urandom = random.Random(options.seed).randbytes  # nonces of the host, the same in both
    run = Run(options, image)
    run.notes.prefix = "in bursts: " if bursts else "one by one: "
    board, player = run.boot()
    looks = [fingerprint(board)]
    say = player.note

    def noted(text: str) -> None:
        looks.append(fingerprint(board))
        say(f"{text} ({looks[-1]})")

    player.note = noted
    part = Part()
    run.play_rounds(board, player, part)
    return Part(part.result, {"looks": [*looks, fingerprint(board)]}, {}, board.port.clock())


def main(argv: list[str] | None = None) -> int:
    options = parse(argv)
    options.quick, options.rounds, options.keyed = True, 1, False
    image, wrong = find_image(options)
    if image is None:
        print(wrong, file=sys.stderr)
        return 2
    prepare()
    works = {"fast": lambda: play(options, image, True), "slow": lambda: play(options, image, False)}
    fast, slow = all_at_once(works, options.jobs).values()
    if GOOD not in (fast.result, slow.result) or not fast.said or fast.said != slow.said:
        pairs = zip(fast.said.get("looks", []), slow.said.get("looks", []), strict=False)
        first = next((pair for pair in pairs if pair[0] != pair[1]), (fast.result, slow.result))
        print("not the same machine:\n  in bursts  {}\n  one by one {}".format(*first))
        return 1
    looks = fast.said["looks"]
    print(f"the same machine at {len(looks)} looks over {fast.emulated_s:.1f} s; last: {looks[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
