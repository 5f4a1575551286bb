"""Many keyed shoes in one process with a store on: seconds from the arrival of an event to its commit.

The shoes are fakes in a process of their own (floor/shoes.py), each at an address of the loopback network, which needs
Linux. Latency depends on the disk and on what else the machine does: the load is printed beside it. Processor time
depends on neither: that of the fleet's process and that of the shoes' process are printed as shares of one core.
"""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import time
from pathlib import Path

from floor.pits import fake_shoes
from floor.shoes import address, secret

from bench.section import NotMeasured
from fairshoe import Event, Fleet
from fairshoe.keys import KeyRing, RoleKey
from fairshoe.messages import Role

SHOES = 500
SECONDS = 10.0
WHOLE_S = 120.0
EVENTS_PER_S = 10
AIM_MS = 50.0
AIM_CORE = 0.60  # of one core, for the process of the fleet


def processor_s(process: int) -> float:
    """Processor time that a process has used so far."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


async def follow(port: int, count: int, seconds: float, path: Path, others: int) -> dict[str, float]:
    """`others` is the process of the shoes."""
    used = (0.0, 0.0)
    stored: list[float] = []
    commits: list[float] = []

    def metrics(name: str, value: float, _device: int) -> None:
        if name == "stored_s":
            stored.append(value)
        elif name == "commit_s":
            commits.append(value)

    ring = KeyRing(lambda device: RoleKey(Role.RECORDER, secret(device)), Role.RECORDER)
    async with Fleet(path, ring, metrics=metrics, answer_s=30.0) as fleet:
        for device in range(1, count + 1):
            fleet.add(f"tcp://{address(device)}:{port}")
        started = 0.0
        given = 0
        async for item in fleet:
            given += isinstance(item.message, Event)
            if not started and len(fleet.shoes) == count:
                gc.freeze()  # as docs/INTEGRATE.md advises: what every shoe keeps is not searched again and again
                started, given = time.monotonic() + 2.0, 0  # what piled up while the others opened is stored by then
            elif started and time.monotonic() < started:
                stored.clear()
                commits.clear()
                given = 0
                used = (processor_s(os.getpid()), processor_s(others))
            elif started and time.monotonic() > started + seconds:
                break
        passed = time.monotonic() - started
        core = (processor_s(os.getpid()) - used[0], processor_s(others) - used[1])
    stored.sort()
    return {
        "shoes": count,
        "events_per_s": len(stored) / passed,
        "given_per_s": given / passed,
        "core": core[0] / passed,
        "core_shoes": core[1] / passed,
        "us_per_event": core[0] / max(1, len(stored)) * 1e6,
        "p50_ms": stored[len(stored) // 2] * 1000,
        "p99_ms": stored[len(stored) * 99 // 100] * 1000,
        "commits_per_s": len(commits) / passed,
        "load": os.getloadavg()[0],
    }


def measure(count: int = SHOES, seconds: float = SECONDS) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, fake_shoes(count, EVENTS_PER_S) as (process, port):
        following = follow(port, count, seconds, Path(folder) / "store.db", process)
        try:
            return asyncio.run(asyncio.wait_for(following, WHOLE_S))
        except asyncio.TimeoutError as error:
            raise NotMeasured(f"{count} shoes did not open and report within {WHOLE_S:g} s") from error


def report(got: dict[str, float]) -> list[str]:
    met = "met" if got["p99_ms"] <= AIM_MS else "NOT met"
    spare = "met" if got["core"] <= AIM_CORE else "NOT met"
    return [
        f"fleet: {got['shoes']:.0f} keyed shoes x {EVENTS_PER_S} events a second in one process, store on",
        f"  from arrival to commit: p50 {got['p50_ms']:.1f} ms, p99 {got['p99_ms']:.1f} ms"
        f" (aim {AIM_MS:g} ms on an idle machine, {met}; load {got['load']:.1f} on {os.cpu_count()} cores)",
        f"  {got['events_per_s']:.0f} events stored and {got['given_per_s']:.0f} given to the program a second,"
        f" {got['commits_per_s']:.0f} commits",
        f"  processor: {got['us_per_event']:.0f} us an event, {got['core']:.0%} of one core"
        f" (aim {AIM_CORE:.0%}, {spare}); the fake shoes, in a process of their own, {got['core_shoes']:.0%}",
    ]
