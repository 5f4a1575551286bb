"""How many shoes one `fairshoe floor gateway` records: fake keyed shoes at 1 and at 10 events a second, up a ladder.

Each row is one run: the gateway's own metrics give the time from the arrival of an event's frame to its commit, /proc
its processor time and memory. A row is kept up if 95 % of the events are stored and the p99 is within AIM_S. The p99 is
the bound of its histogram's bucket. Latency depends on what else the machine does: the load is printed beside it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from floor import pits, servers

from bench.fleet import processor_s
from bench.section import NotMeasured

LADDERS = {1.0: (250, 500, 1000, 2000), 10.0: (50, 100, 250, 500)}
SECONDS = 10.0
SETTLE_S = 5.0  # what piled up while shoes opened is stored by then
OPEN_S = 180.0
AIM_S = 0.25
KEPT_UP = 0.95
STORED = "fairshoe_gateway_stored_seconds"
GATEWAY = [sys.executable, "-m", "fairshoe", "floor", "gateway"]


def memory_mb(process: int) -> float:
    """Resident memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Running:
    """A gateway and its metrics."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, token: str) -> None:
        self.pid = process.pid
        self._url = f"http://127.0.0.1:{port}/metrics"
        self._token = token

    def metrics(self) -> dict[str, float]:
        """By name and labels; empty while the gateway starts."""
        request = urllib.request.Request(self._url, headers={"Authorization": f"Bearer {self._token}"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read().decode()
        except OSError:
            return {}
        return {name: float(value) for name, value in re.findall(r"^(fairshoe_gateway\S+) (\S+)$", text, re.M)}

    def wait_open(self, shoes: int) -> bool:
        end = time.monotonic() + OPEN_S
        while time.monotonic() < end:
            if self.metrics().get('fairshoe_gateway_shoes{link="open"}', 0) >= shoes:
                return True
            time.sleep(0.5)
        return False


@contextmanager
def gateway(folder: Path, shoes: int, shoes_port: int) -> Generator[Running]:
    inventory = pits.write_pit(folder, "pit", pits.fake_entries(1, shoes, shoes_port))
    tokens, token = pits.write_tokens(folder)
    port = servers.free_port()
    command = [*GATEWAY, str(inventory), "--tokens", str(tokens), "--port", str(port)]
    with (folder / "gateway.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            yield Running(process, port, token)
        finally:
            process.kill()


def measure(shoes: int, rate: float, seconds: float = SECONDS) -> dict[str, Any]:
    row: dict[str, Any] = {"shoes": shoes, "rate": rate, "kept_up": False, "open": False}
    with (
        servers.private_folder() as folder,
        pits.fake_shoes(shoes, rate) as (_, port),
        gateway(folder, shoes, port) as it,
    ):
        if not it.wait_open(shoes):
            return row | {"load": os.getloadavg()[0]}
        time.sleep(SETTLE_S)
        before, used, began = it.metrics(), processor_s(it.pid), time.monotonic()
        time.sleep(seconds)
        after, spent, passed = it.metrics(), processor_s(it.pid) - used, time.monotonic() - began
        count = after[f"{STORED}_count"] - before[f"{STORED}_count"]
        p99_s = p99(before, after)
        row |= {
            "open": True,
            "events_per_s": count / passed,
            "p99_s": p99_s,
            "kept_up": count / passed >= KEPT_UP * shoes * rate and p99_s <= AIM_S,
            "core": spent / passed,
            "us_per_event": spent / max(1.0, count) * 1e6,
            "mb": memory_mb(it.pid),
        }
    return row | {"load": os.getloadavg()[0]}


def p99(before: dict[str, float], after: dict[str, float]) -> float:
    """The bound of the bucket in which the 99th of 100 events lies; infinite beyond the last."""
    buckets = {
        float(name.split('"')[1]): after[name] - before.get(name, 0.0)
        for name in after
        if name.startswith(f"{STORED}_bucket")
    }
    wanted = 0.99 * max(buckets.values())
    return min(bound for bound, count in buckets.items() if count >= wanted)


def climb(seconds: float = SECONDS, ladders: Mapping[float, tuple[int, ...]] = LADDERS) -> list[dict[str, Any]]:
    """Rows of each ladder up to the first that is not kept up."""
    rows: list[dict[str, Any]] = []
    for rate, ladder in ladders.items():
        for shoes in ladder:
            rows.append(measure(shoes, rate, seconds))
            if shoes == ladder[0] and not rows[-1]["open"]:
                raise NotMeasured(f"not all of {shoes} shoes are open after {OPEN_S:g} s")
            if not rows[-1]["kept_up"]:
                break
    return rows


def report(rows: list[dict[str, Any]]) -> list[str]:
    cores = os.cpu_count()
    lines = [f"gateway: shoes in one process, from frame to durable (kept up: p99 within {AIM_S * 1000:g} ms)"]
    for row in rows:
        head = f"  {row['shoes']:5d} shoes x {row['rate']:2g} events/s: "
        tail = f" (load {row['load']:.1f} on {cores} cores)"
        if not row["open"]:
            lines.append(f"{head}not all open after {OPEN_S:g} s{tail}")
            continue
        lines.append(
            f"{head}{'kept up' if row['kept_up'] else 'NOT kept up'}, {row['events_per_s']:.0f} events/s,"
            f" p99 within {row['p99_s'] * 1000:g} ms, {row['core']:.0%} of one core, {row['us_per_event']:.0f} us an"
            f" event, {row['core'] / row['shoes'] * 100:.2f} % of a core a shoe, {row['mb']:.0f} MB:"
            f" {row['mb'] / row['shoes'] * 1000:.0f} kB a shoe{tail}"
        )
    return lines
