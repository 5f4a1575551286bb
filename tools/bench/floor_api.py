"""The central API under load: `fairshoe floor serve` on one core, 400 tables with events that go on, 50 clients. First
they ask again as soon as they are answered: the highest rate. Then they ask 500 times a second together, and a late
answer counts from the instant when its request was due. And the desk: a floor of 2,000 shoes judged once.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
from floor import servers

from bench.fleet import processor_s
from bench.floor import require_servers
from fairshoe.messages import Meters
from fairshoe_floor.alarms.engine import Engine, SeenEvent
from fairshoe_floor.alarms.rules import load_rules
from fairshoe_floor.samples import Link, Sample, sample_to_json

TABLES, CLIENTS, SECONDS = 400, 50, 5.0
RATE_AIM, P99_AIM_MS = 500.0, 100.0
FAIRSHOE = [sys.executable, "-m", "fairshoe"]
PATHS = {"/shoes": "/api/v1/shoes", "/alarms": "/api/v1/alarms"}


def fill(url: str, folder: Path, tables: int) -> Path:
    """A floor on file: its inventory."""
    subprocess.run([*FAIRSHOE, "floor", "migrate", "--database", url], check=True, stdout=subprocess.PIPE)
    shoes = [f'[[shoe]]\ndevice = "{n:08x}"\ntable = "T-{n}"\nurl = "tcp://h:{n}"\n' for n in range(1, tables + 1)]
    path = folder / "pit-1.toml"
    path.write_text("\n".join(shoes))
    now = time.time()
    with psycopg.connect(url) as db:
        for device in range(1, tables + 1):
            db.execute(
                "INSERT INTO logs (device, log, ranges, began, gateway, received) VALUES (%s, '\\x01', '{[1,1000)}', 1,"
                " 'pit-1', %s)",
                (device, now),
            )
            it = Sample(
                device, now, Link.OPEN, heard_at=now, firmware="1.0", meters=Meters(*([7] * 18)), log=b"\1", seq=9
            )
            row = (device, now, sample_to_json(it))
            db.execute("INSERT INTO samples (device, at, gateway, sample) VALUES (%s, %s, 'pit-1', %s)", row)
    return path


async def ask(port: int, path: str, token: str, until: float, times: list[float], due: float, every_s: float) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    request = f"{request}Accept-Encoding: gzip\r\n\r\n".encode()
    while time.monotonic() < until:
        await asyncio.sleep(due - time.monotonic())
        began = due if every_s else time.monotonic()
        due += every_s
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert " 200 " in head, head
        await reader.readexactly(int(head.split("content-length: ")[1].split("\r")[0]))
        times.append(time.monotonic() - began)
    writer.close()


async def load(port: int, path: str, token: str, clients: int, seconds: float, per_s: float = 0) -> list[float]:
    """How long each answer took. With `per_s` the clients ask that often together, else as often as they can."""
    times: list[float] = []
    now = time.monotonic()
    every_s = clients / per_s if per_s else 0.0
    asking = (ask(port, path, token, now + seconds, times, now + n / (per_s or 1e9), every_s) for n in range(clients))
    await asyncio.gather(*asking)
    return sorted(times)


def go_on(url: str) -> subprocess.Popen[bytes]:
    """Every shoe has an event a second, as the writer notes it: what is known is another thing at every look."""
    script = f"""
import psycopg, time
with psycopg.connect({url!r}, autocommit=True) as db:
    while True:
        db.execute("UPDATE logs SET ranges = ranges + int8multirange(int8range(upper(ranges), upper(ranges) + 1)),"
                   " received = extract(epoch FROM now())")
        time.sleep(1)
"""
    return subprocess.Popen([sys.executable, "-c", script])


def measure(tables: int = TABLES, clients: int = CLIENTS, seconds: float = SECONDS) -> dict[str, dict[str, float]]:
    require_servers()
    cores = sorted(os.sched_getaffinity(0))
    found: dict[str, dict[str, float]] = {}
    with servers.private_folder() as folder:
        postgres = servers.Postgres(folder / "postgres")
        postgres.folder.mkdir()
        postgres.create()
        postgres.start()
        inventory = fill(postgres.url, folder, tables)
        command = [*FAIRSHOE, "floor", "serve", str(inventory), "--database", postgres.url]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        events = go_on(postgres.url)
        try:
            os.sched_setaffinity(server.pid, {cores[-1]})
            assert server.stdout is not None
            address, _, token = server.stdout.readline().strip().rpartition("#")
            port = int(address.rstrip("/").rpartition(":")[2])
            for name, path in PATHS.items():
                asyncio.run(load(port, path, token, 1, 1.5))  # the first answer is read for it
                before = processor_s(server.pid)
                times = asyncio.run(load(port, path, token, clients, seconds))
                spent = processor_s(server.pid) - before
                paced = asyncio.run(load(port, path, token, clients, seconds, RATE_AIM))
                found[name] = {
                    "tables": tables,
                    "clients": clients,
                    "per_s": len(times) / seconds,
                    "core_%": 100 * spent / seconds,
                    "p50_ms": 1000 * paced[len(paced) // 2],
                    "p99_ms": 1000 * paced[int(0.99 * len(paced))],
                }
        finally:
            for process in (events, server):
                process.kill()
                process.wait()
            postgres.stop()
    return found


def measure_desk(shoes: int = 2000, turns: int = 5) -> dict[str, float]:
    """Processor time of the rules for a second of a floor: a sample a minute and an event a second of each shoe."""
    engine = Engine(load_rules())
    now = 1e9
    for device in range(1, shoes + 1):
        engine.sample(Sample(device, now, Link.OPEN, heard_at=now, meters=Meters(*([7] * 18))))
    began = time.process_time()
    for turn in range(turns):
        now += 1
        for device in range(1, shoes + 1):
            engine.event(SeenEvent(device, turn, now, "deck_verified", 0, {"misfeeds": 0, "counted": 52}))
        for device in range(1 + turn, shoes + 1, 60):
            engine.sample(Sample(device, now, Link.OPEN, heard_at=now, meters=Meters(*([7 + turn] * 18))))
        engine.tick(now)
    return {"shoes": shoes, "core_%": 100 * (time.process_time() - began) / turns}


def report(found: dict[str, dict[str, float]]) -> list[str]:
    lines = [f"central API on one core (load {os.getloadavg()[0]:.1f})"]
    for name, got in found.items():
        met = "met" if got["per_s"] >= RATE_AIM and got["p99_ms"] < P99_AIM_MS else "NOT met"
        each = 100 * got["per_s"] / got["core_%"]
        lines.append(
            f"  {name:8s} {got['tables']:g} tables, {got['clients']:g} clients:"
            f" {got['per_s']:6.0f} requests/s at most, {each:.0f} for each second of processor;"
            f" at {RATE_AIM:g}/s p50 {got['p50_ms']:.0f} ms, p99 {got['p99_ms']:.0f} ms (aim {P99_AIM_MS:g} ms: {met})"
        )
    return lines


def report_desk(desk: dict[str, float]) -> list[str]:
    return [f"alarms: {desk['shoes']:.0f} shoes, an event a second each: {desk['core_%']:.1f} % of a core"]
