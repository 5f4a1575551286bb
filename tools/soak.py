"""Random hands at a simulated shoe: dealers, operators, bad luck, power cuts; every promise checked after each scan.

    .venv/bin/python tools/soak.py --minutes 5 [--seed N]      many runs, each with a seed of its own
    .venv/bin/python tools/soak.py --seed N --runs 1 --verbose  one run again, step by step

A run does sensible and senseless things for a while, then lets a sensible operator bring the machine back to a good
round.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fairshoe
from firmware.games import flow as states
from firmware.protocol import ids
from firmware.shoe.ledger import STORE, TRAY
from rig import stories
from rig.rig import Livelock
from rig.story import Stage, Stuck

ROOT = Path(__file__).resolve().parent.parent
STATE_NAMES = ids.STATE_NAMES.split()
Step = tuple[int, str, str]


class Finding(Exception):
    """A promise was broken."""


class Run:
    """One simulated shoe and one random history."""

    def __init__(self, seed: int, say: Callable[[str], None]) -> None:
        self.random = random.Random(seed)
        self.say = say
        config: dict[str, Any] = json.loads((ROOT / "board_configs" / "pico-carousel.json").read_text())
        self.stage = Stage(config, "caribbean-stud", self.random.randrange(1000))
        self.rig = self.stage.rig
        self.plant = self.rig.plant
        self.state = -1
        self._watch()

    def play(self) -> None:
        """Chaos, then order. Raises Finding."""
        rate = self.random.choice((0.1, 0.3, 0.6))
        for _ in range(self.random.randrange(10, 50)):
            if not self.rig.powered:
                self.rig.nv.cut_at = -1
                self.do(self.random.choice((0, 1000)), "boot")
            if self.random.random() < rate:
                self._senseless()
            else:
                for delay, action, argument in self._sensible(careful=False):
                    self.do(delay + self.random.randrange(300), action, argument)
        self._recover()
        self._good_round()

    def do(self, delay_ms: int, action: str, argument: str = "") -> None:
        self.say(f"  {self.plant.now_us / 1e6:9.3f} s {self._name():22s} +{delay_ms} ms {action} {argument}")
        self.stage.run(delay_ms)
        self.stage.act_typed(action, argument)

    def _name(self) -> str:
        return STATE_NAMES[self.rig.app.flow.state] if self.rig.powered else "off"

    def _senseless(self) -> None:
        draw = self.random
        delay = draw.choice((0, 1, draw.randrange(40), draw.randrange(300), draw.randrange(3000)))
        kind = draw.randrange(10)
        if kind == 0:
            self.do(delay, "take")
        elif kind == 1:
            self.do(delay, draw.choice(("open", "close")))
        elif kind == 2:
            self.do(delay, "jam", f"throat:{self.plant.throat.picked + draw.randrange(8)}:{draw.randrange(1, 130000)}")
        elif kind == 3:
            self.do(delay, "jam", f"exit:{self.plant.outlet.ejected + draw.randrange(8)}:{draw.randrange(1, 118000)}")
        elif kind == 4:
            self.do(delay, "misfeed", f"{self.plant.throat.picked + draw.randrange(5)}:{draw.randrange(5)}")
        elif kind == 5:
            self.do(delay, "cut")
            self.do(draw.choice((0, 5, 2000)), "boot")
        elif kind == 6:
            self.rig.nv.cut_at = self.rig.nv.writes + draw.randrange(6)
            self.rig.nv.cut_bytes = draw.randrange(65)
        elif kind == 7:
            self.do(delay, "load", str(draw.choice((1, 2, 52, draw.randrange(61)))))
        elif kind == 8:
            self.stage.peer.acknowledges = not self.stage.peer.acknowledges
        else:
            self.do(delay, "press", draw.choice(("close", "lock", "seat", "green", "ack")))

    def _sensible(self, careful: bool) -> list[Step]:
        """What a dealer would do next."""
        state = self.rig.app.flow.state
        if self.plant.level[self.plant.line_door]:
            return [(300, "close", "")]
        if state == states.WAITING_FOR_DECK:
            load = [] if self.plant.hopper else [(300, "load", self.random.choice(("52",) * 8 + ("51", "53")))]
            return [*load, (300, "press", "green")]
        if state == states.WARNING:
            clear: list[Step] = [(500, "open", ""), (500, "clear", ""), (500, "close", "")]
            return [*(clear if careful or self.random.random() < 0.6 else []), (500, "press", "ack")]
        press = {
            states.DECK_READY: "close",
            states.WAITING_FOR_LOCKOUT: "lock",
            states.WAITING_FOR_GREEN: "green",
            states.WAITING_FOR_ROUND_END: "green",
        }
        if state in press:
            return [(500, "press", press[state])]
        if state in (states.STACK_OFFERED, states.REMAINDER_OFFERED, states.REMOVED_OFFERED):
            return [(600, "take", "")]
        return [(self.random.choice((50, 500, 5000)), "wait", "")]

    def _recover(self) -> None:
        """No state may keep a sensible operator from an empty machine that waits for a deck."""
        self.stage.peer.acknowledges = True
        self.rig.nv.cut_at = -1
        self.plant.luck.clear()
        if not self.rig.powered:
            self.do(0, "boot")
        for _ in range(120):
            self.stage.run(500)
            flow = self.rig.app.flow
            waits = flow.state == states.WAITING_FOR_DECK and not flow.prove_due and not flow.hold
            if waits and not self.plant.level[self.plant.line_door]:
                return
            for delay, action, argument in self._sensible(careful=True):
                self.do(delay, action, argument)
            self.stage.run(3000)
        raise Finding(f"the operator cannot leave {self._name()}, warning {self.rig.app.flow.warning}")

    def _good_round(self) -> None:
        stage = self.stage
        stage.run(20000)
        if stage.peer.seq_last != self.rig.app.journal.seq_last:
            raise Finding(f"{self.rig.app.journal.seq_last - stage.peer.seq_last} events were never delivered")
        if stage.peer.altered:
            raise Finding("an event was sent twice with different contents")
        self._rounds_closed()
        for action in ("open", "clear", "close"):
            self.do(500, action)
        stage.run(4000)
        stage.seen = len(stage.peer.events)
        try:
            stage.play(stories.round_of(2))
        except Stuck as stuck:
            raise Finding(f"no good round afterwards: {stuck}") from stuck

    def _rounds_closed(self) -> None:
        opened = 0
        for event in self.stage.peer.events:
            if event.name == "round_started":
                if opened:
                    raise Finding(f"round {event.round} began while round {opened} was open")
                opened = event.round
            elif event.name in ("round_ended", "round_voided"):
                opened = 0
        if opened:
            raise Finding(f"round {opened} neither ended nor was voided")

    def _watch(self) -> None:
        """Check after every step, and at every storage write."""
        step, prog = self.rig.step, self.rig.nv.prog

        def checked_step(limit_us: int) -> None:
            step(limit_us)
            self._check()

        def checked_prog(address: int, buf: bytearray) -> bool:
            if self.plant.is_moving():
                raise Finding("storage was written while a card moved")
            return prog(address, buf)

        self.rig.step = checked_step
        self.rig.nv.prog = checked_prog

    def _check(self) -> None:
        plant, flow = self.plant, self.rig.app.flow
        if plant.crashes:
            raise Finding(f"the machine was broken in {self._name()}")
        if not self.rig.powered:
            return
        if plant.level[plant.line_door] and flow.door_open and (any(plant.outputs) or plant.axis.moving):
            raise Finding(f"something turns with the door open in {self._name()}")
        if flow.state != self.state:
            self.state = flow.state
            self._check_state()

    def _check_state(self) -> None:
        plant, flow = self.plant, self.rig.app.flow
        zone = flow.ledger.zone
        flow.ledger.check()
        inside = plant.where().store
        tray = len(plant.tray)
        # Under the pick roller no beam looks (README, limits): such a card shows at the next intake.
        throat = [body for body in plant.throat.bodies if body.mark > 0]
        wrong = {
            states.DECK_READY: inside != 52 or zone[STORE] != 52,
            states.STACK_OFFERED: tray != flow.profile.stack_cards or inside != zone[STORE],
            states.REMAINDER_OFFERED: tray != zone[TRAY] or inside != 0,
            states.WAITING_FOR_DECK: inside or throat or plant.outlet.bodies,
        }
        if wrong.get(flow.state):
            raise Finding(f"{self._name()}: {inside} in slots, {tray} in tray, ledger {zone}")
        if flow.state in (states.WARNING, states.DECK_READY) and any(self.rig.app.order):
            raise Finding(f"an order is left in memory in {self._name()}")


def soak(seed: int, say: Callable[[str], None]) -> str:
    """One run; what went wrong, or nothing."""
    run = Run(seed, say)
    try:
        run.play()
    except (Finding, Livelock) as finding:
        return f"{finding} (at {run.plant.now_us / 1e6:.3f} s)"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1, help="how long (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first run")
    parser.add_argument("--runs", type=int, default=1 << 30, help="at most so many")
    parser.add_argument("--verbose", action="store_true", help="every step")
    options = parser.parse_args()

    def say(text: str) -> None:
        if options.verbose:
            print(text)

    started = told = time.monotonic()
    print(f"soak {fairshoe.__version__}: first seed {options.seed}", flush=True)
    done = 0
    while done < options.runs and time.monotonic() - started < options.minutes * 60:
        seed = options.seed + done
        trouble = soak(seed, say)
        done += 1
        if trouble:
            print(f"seed {seed}: {trouble}\nreplay: .venv/bin/python tools/soak.py --seed {seed} --runs 1 --verbose")
            return 1
        if time.monotonic() - told > 5:
            told = time.monotonic()
            print(f"  {done} runs in {told - started:.0f} s", flush=True)
    print(f"soak: {done} runs, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
