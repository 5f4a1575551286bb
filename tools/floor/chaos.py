"""`make fleet-chaos`: everything between the shoes and PostgreSQL is broken at random; no event may be lost or doubled.

    python -m floor.chaos [--minutes N] [--seed N] [--shoes N] [--slice]

Fake shoes of our own session code and some with the real firmware record events. Gateways, publishers, the
broker, the central consumer, PostgreSQL and shoes are killed, frozen, partitioned, slowed down, rolled back to an
earlier copy of their disk, and run out of disk; connections are cut for good without a word, clocks are wrong, and a
hostile program writes poison to the stream. At the end every event of every shoe must be in PostgreSQL once and in
order; the stream, a second consumer of it and a WebSocket client of a gateway must have it once; and the journals of
the real firmware must have the same bytes. Only what was in one store alone, and is lost with it, may be missing: as a
gap, number for number. The broker has the accounts of the inventories. Uses loopback ports only, ends by itself, and
ends only what it started.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fairshoe_floor.stream.publisher import HOLE_S, VERIFY_S
from floor import servers, traced
from floor.checks import Findings, compare, expected_of
from floor.install import install
from floor.proxy import Mode
from floor.site import FIRST_SIMULATED, Site

CALM_S = (0.2, 1.5)
SHORT_S = (0.3, 0.6, 1.0)
LONG_S = (0.5, 2.0, 7.0, 20.0)  # the longest is beyond every timeout of our own
SETTLE_S = 120.0
SNAPSHOT_CHANCE = 0.2
SIMULATED = (FIRST_SIMULATED + 1, FIRST_SIMULATED + 2)
PATHS = (
    *("publisher-1 to nats", "publisher-2 to nats", "floor to nats", "floor to postgres"),
    *("gateway-2 to shoe pico-carousel", "gateway-2 to shoe pico-shoe"),
)


@dataclass(frozen=True)
class Fault:
    """What is done to one part; `heal` undoes it."""

    name: str
    part: str
    strike: Callable[[Site], None]
    heal: Callable[[Site], None]
    alone: bool = False  # needs the other parts while it strikes


def nothing(_site: Site) -> None:
    pass


def faults() -> list[Fault]:
    found: list[Fault] = []
    for name in ("gateway-1", "gateway-2", "publisher-1", "publisher-2", "floor", "serve"):
        alone = name == "serve"  # it starts only with its database
        found.append(
            Fault("kill", name, lambda s, n=name: s.programs[n].kill(), lambda s, n=name: s.programs[n].start(), alone)
        )
        found.append(
            Fault("freeze", name, lambda s, n=name: s.programs[n].freeze(), lambda s, n=name: s.programs[n].thaw())
        )
    for name in ("nats", "postgres"):
        found.append(Fault("kill", name, lambda s, n=name: s.servers[n].kill(), lambda s, n=name: s.servers[n].start()))
        found.append(
            Fault("freeze", name, lambda s, n=name: s.servers[n].freeze(), lambda s, n=name: s.servers[n].thaw())
        )
        found.append(Fault("roll back", name, lambda s, n=name: s.servers[n].kill(), lambda s, n=name: s.roll_back(n)))
    for name in PATHS:
        for word, mode in (("partition", Mode.HOLD), ("reset", Mode.REFUSE), ("slow down", Mode.SLOW)):
            found.append(
                Fault(
                    word,
                    name,
                    lambda s, n=name, m=mode: s.proxies[n].set(m),
                    lambda s, n=name: s.proxies[n].set(Mode.PASS),
                )
            )
        found.append(Fault("cut for good", name, lambda s, n=name: s.proxies[n].cut(), nothing))
    found += [Fault("hang up", "shoes", Site.hang_up, nothing), Fault("poison", "nats", Site.poison, nothing)]
    found.append(Fault("end the month", "events", Site.end_month, nothing))
    for word, days in (("clock ahead", 100), ("clock behind", -100)):
        found.append(
            Fault(
                word,
                "gateway-1",
                lambda s, d=days: s.set_clock("gateway-1", d * 86400.0),
                lambda s: s.set_clock("gateway-1", 0.0),
            )
        )
    if servers.Disk.possible():
        found.append(Fault("fill the disk", "nats", Site.fill_broker, Site.free_broker))
    found.append(Fault("freeze", "shoes", lambda s: s.freeze_fakes(True), lambda s: s.freeze_fakes(False)))
    for device in SIMULATED:
        found.append(
            Fault(
                "cut the power",
                f"shoe {device:08x}",
                lambda s, d=device: s.simulated[d].kill(),
                lambda s, d=device: s.simulated[d].start(),
            )
        )
    found.append(Fault("roll back", "gateway-2", Site.stop_gateway_2, Site.roll_back_gateway_2, alone=True))
    found.append(Fault("lose the store", "gateway-2", Site.stop_publisher_2, Site.lose_gateway_2, alone=True))
    for name in ("gateway-1", "gateway-2", "publisher-1", "publisher-2"):
        found.append(
            Fault(
                "fill the disk", name, lambda s, n=name: s.programs[n].no_disk(), lambda s, n=name: s.programs[n].disk()
            )
        )
    found.append(Fault("fill the disk", "postgres", Site.fill_postgres, Site.empty_postgres))
    return found


# The gate's slice: one of each kind, at the parts where it hurts most.
SLICE = (
    [("clock ahead", "gateway-1"), ("poison", "nats")],
    [("kill", "publisher-1"), ("kill", "postgres")],
    [("end the month", "events"), ("roll back", "nats")],
    [("kill", "floor"), ("partition", "publisher-2 to nats")],
    [("freeze", "postgres"), ("hang up", "shoes")],
    [("roll back", "postgres"), ("fill the disk", "nats")],
)


def plan(drawn: random.Random, known: list[Fault]) -> Iterator[list[Fault]]:
    """Faults without end, one or two at a time. A shuffled pack rather than dice: each has its turn in a long run."""
    left: list[Fault] = []
    while True:
        if not left:
            left = drawn.sample(known, len(known))
        group = [left.pop()]
        both = drawn.random() < 0.5 and left and not group[0].alone and not left[-1].alone
        if both and left[-1].part.split()[0] != group[0].part.split()[0]:
            group.append(left.pop())
        yield group


class Chaos:
    """One run. The plan depends on the seed alone; how far the programs are when it strikes does not."""

    def __init__(self, site: Site, seed: int, brief: bool, only: str = "") -> None:
        self.site = site
        self.brief = brief
        self.struck: dict[str, int] = {}
        self._random = random.Random(seed)
        self._faults = {(it.name, it.part): it for it in faults() if not only or it.name in only.split(",")}
        self._began = time.monotonic()

    def run(self, seconds: float) -> None:
        if self.brief:
            for group in SLICE:
                self._strike([self._faults[key] for key in group if key in self._faults], self._random.choice(SHORT_S))
            return
        end = time.monotonic() + seconds
        for group in plan(self._random, list(self._faults.values())):
            if time.monotonic() >= end:
                return
            self._strike(group, self._random.choice(LONG_S))

    def _strike(self, group: list[Fault], seconds: float) -> None:
        words = " and ".join(f"{fault.name} {fault.part}" for fault in group)
        print(f"{time.monotonic() - self._began:7.1f} s  {words} for {seconds:g} s", flush=True)
        for fault in group:
            fault.strike(self.site)
            self.struck[fault.name] = self.struck.get(fault.name, 0) + 1
        time.sleep(seconds)
        for fault in group:
            fault.heal(self.site)
        self.site.check_alive()
        self.site.renew_copies(lambda: self._random.random() < SNAPSHOT_CHANCE)
        time.sleep(self._random.uniform(*CALM_S) if not self.brief else CALM_S[0])


def settle(site: Site, want: dict[tuple[int, bytes], int], seconds: float) -> float:
    """Wait until PostgreSQL has everything, or until it is too late. How long it took."""
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        with contextlib.suppress(servers.ServerError):
            if site.counted() + site.lost() >= sum(want.values()):
                break
        time.sleep(0.1)
    return time.monotonic() - began


def replay(options: argparse.Namespace, seed: int) -> str:
    if options.slice:
        return f"PYTHONPATH=tools .venv/bin/python -m floor.chaos --slice --seed {seed} --shoes {options.shoes}"
    more = f" BUSY={options.busy}" if options.busy else ""
    more += f" ONLY='{options.only}'" if options.only else ""
    return f"make fleet-chaos MINUTES={options.minutes:g} SEED={seed} SHOES={options.shoes}{more}"


def play(options: argparse.Namespace, seed: int, folder: Path) -> Findings:
    with contextlib.ExitStack() as loops:
        for _each in range(options.busy):
            loop = loops.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            loops.callback(loop.kill)
        return _play(options, seed, folder, loops)


def _play(options: argparse.Namespace, seed: int, folder: Path, loops: contextlib.ExitStack) -> Findings:
    real = 1 if options.slice else len(SIMULATED)  # a simulated shoe takes a second of processor time to start
    with Site(folder, options.shoes, real, seed) as site:
        site.wait_open(servers.START_S)
        chaos = Chaos(site, seed, options.slice, options.only)
        chaos.run(options.minutes * 60)
        want = expected_of(site)
        took = settle(site, want, SETTLE_S + site.losses * (HOLE_S + VERIFY_S))  # holes are declared one by one
        loops.close()  # what is on file is compared; the checks are no part of the floor
        found = compare(site, want)
        began, steps = time.process_time(), site.traces.close()
        wrong, summary = traced.replay(steps)
        found.wrong += wrong
        print(f"{summary}, in {time.process_time() - began:.1f} s")
        print(f"{sum(chaos.struck.values())} faults: {', '.join(f'{n} {c}' for n, c in sorted(chaos.struck.items()))}")
        print(f"all events were in PostgreSQL {took:.1f} s after the last one was recorded")
        return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="floor.chaos", description="Break a floor at random, and count its events.")
    parser.add_argument("--minutes", type=float, default=2.0, help="how long to break things (%(default)s)")
    parser.add_argument("--seed", type=int, help="of the plan (random)")
    parser.add_argument("--shoes", type=int, default=100, help="fake shoes (%(default)s)")
    parser.add_argument(
        "--only", default="", metavar="NAMES", help="these faults alone, for example 'kill,lose the store'"
    )
    parser.add_argument("--busy", type=int, default=0, help="busy loops beside it (%(default)s)")
    parser.add_argument("--slice", action="store_true", help="the short run of the full set: one fault of each kind")
    parser.add_argument("--install", action="store_true", help="install missing servers first")
    parser.add_argument("--keep", action="store_true", help="keep the folder of a run that failed")
    options = parser.parse_args()
    names = sorted({it.name for it in faults()})
    if options.only and not set(options.only.split(",")) <= set(names):
        parser.error(f"--only {options.only}: the faults are {', '.join(names)}")
    lacking = install() if options.install else servers.missing()
    if lacking:
        print(f"NOT RUN: the chaos of the floor. Missing: {'; '.join(lacking)}.")
        return 1
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}; again: {replay(options, seed)}", flush=True)
    if not servers.Disk.possible():
        print("NOT TRIED: the broker's disk full. A small disk of its own needs root.", flush=True)
    with servers.private_folder(keep=options.keep) as folder:
        found = play(options, seed, folder)
    for line in found.wrong:
        print(line)
    print(found.summary)
    if found.wrong:
        print(f"FAILED; again: {replay(options, seed)}")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
