"""A whole floor on one machine: shoes, two gateways with publishers, broker, consumer, PostgreSQL, and proxies
between them. Everything is a process of its own, in one folder. The gateways are `fairshoe floor gateway`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any

import psycopg

from fairshoe.keys import write_key
from fairshoe_floor.inventory import Entry, Profile, read_inventory
from fairshoe_floor.kit.accounts import ADMIN, write_accounts
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.health import restart_due
from fairshoe_floor.stream.names import FLOOR, Names
from floor import pits, servers, traced
from floor.follower import Follower
from floor.poison import POISONED, POISONS
from floor.proxy import Mode, Proxy
from floor.watcher import Watcher

ROOT = Path(__file__).resolve().parents[2]
FAIRSHOE = [sys.executable, "-m", "fairshoe"]
TRACED = [sys.executable, "-m", "floor.traced"]
IN_MODEL = {"nats": "broker", "postgres": "database"}
COPY_S = 30.0  # a copy that is older is renewed before the next fault
KEEP_S = 90.0  # longer than the age of any copy that is restored: that plus the longest fault
DISK_MB = 512  # of the broker
RATE = 2.0  # events a second, of each fake shoe
SIM_SPEED = "4"
BOARDS = ("pico-carousel", "pico-shoe", "pico-draw")
FIRST_SIMULATED = 0x510000  # a simulated shoe with seed 3 is device 00510003
CAUGHT_UP_S = 60.0
OPEN_GAPS = "SELECT device, first, last FROM gaps WHERE closed IS NULL"
MONTH_ENDS = (
    "SELECT events_month((MIN(month) - interval '1 month')::date) FROM events;"
    " UPDATE events SET month = (month - interval '1 month')::date"
)
LAST_OF_LOGS = "SELECT device, log, MAX(seq) FROM events GROUP BY device, log"


class Program:
    """One of our own programs. Started again after a kill, as systemd does."""

    def __init__(self, name: str, command: list[str], folder: Path, pipe: int = 0) -> None:
        self.name = name
        self.pipe = pipe  # for its steps
        self.command = command
        self.log = folder / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, **more: str) -> None:
        environment = os.environ | {"PYTHONPATH": str(ROOT / "tools"), "PYTHONFAULTHANDLER": "1"} | more
        pipes = (self.pipe,) if self.pipe else ()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=ROOT, pass_fds=pipes,
                env=environment | {traced.PIPE: str(self.pipe)},
            )  # fmt: skip

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def no_disk(self) -> None:
        """Every write to a file fails, as on a full disk."""
        assert self.process is not None
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def disk(self) -> None:
        assert self.process is not None
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class Site:
    """Made and ended with `with`."""

    def __init__(self, folder: Path, shoes: int, real: int, seed: int) -> None:
        self.folder = folder
        self.shoes = shoes
        self.real = real
        self.seed = seed
        self.names = Names()
        for name in ("nats", "postgres"):
            (folder / name).mkdir()
        disk_mb = DISK_MB if servers.Disk.possible() else 0
        self.nats = servers.Nats(folder / "nats", more='include "accounts.conf"', disk_mb=disk_mb)
        self.postgres = servers.Postgres(folder / "postgres")
        self.servers: dict[str, servers.Server] = {"nats": self.nats, "postgres": self.postgres}
        self.proxies: dict[str, Proxy] = {}
        self.programs: dict[str, Program] = {}
        self.traces = traced.Traces()
        self.simulated: dict[int, Program] = {}  # by device
        self.api_ports = [servers.free_port(), servers.free_port()]  # of gateway-1 and of the central server
        self.stores = [folder / "pit-1.db", folder / "pit-2.db"]
        self._fakes: subprocess.Popen[bytes] | None = None
        self.watcher: Watcher | None = None
        self.followers: list[Follower] = []  # of gateway-1, and of the central server
        self.may_lose: set[int] = set()  # devices
        self.losses = 0  # of a store
        self.broker_restarts = 0  # after a full disk
        self._copied: dict[str, float] = {}  # by part, when it was copied

    def __enter__(self) -> Site:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> None:
        self.postgres.create()
        self.postgres.start()
        for name, target in (
            *(("publisher-1 to nats", self.nats), ("publisher-2 to nats", self.nats)),
            *(("floor to nats", self.nats), ("floor to postgres", self.postgres)),
        ):
            self.proxies[name] = Proxy(target.port)
        self._start_gateways(self._start_fakes())
        write_accounts(
            self.folder / "nats", [read_inventory(self.folder / f"pit-{n}.toml") for n in (1, 2)], self.names
        )
        self.nats.start()
        for store in self.stores:
            _wait(store.exists, servers.START_S, f"{store.name} is not made")
        for number, store in enumerate(self.stores, 1):
            url = f"nats://127.0.0.1:{self.proxies[f'publisher-{number} to nats'].port}"
            command = [*TRACED, "floor", "publish", str(store), "--nats", url, "--name", f"pit-{number}"]
            self._add(f"publisher-{number}", [*command, "--nats-key", str(self.account(f"pit-{number}"))])
        database = self.postgres.url.replace(str(self.postgres.port), str(self.proxies["floor to postgres"].port))
        url = f"nats://127.0.0.1:{self.proxies['floor to nats'].port}"
        subprocess.run(
            [*FAIRSHOE, "floor", "migrate", "--database", self.postgres.url], check=True, stdout=subprocess.PIPE
        )
        key = str(self.account(FLOOR))
        self._add("floor", [*TRACED, "floor", "run", "--database", database, "--nats", url, "--nats-key", key])
        serve = [*FAIRSHOE, "floor", "serve", *(str(self.folder / f"pit-{n}.toml") for n in (1, 2))]
        serve += ["--tokens", str(self.folder / "tokens.toml"), "--port", str(self.api_ports[1])]
        _wait(self._logs, servers.START_S, "no event in PostgreSQL")
        self._add("serve", [*serve, "--database", self.postgres.url])
        self.watcher = Watcher(self.nats.url, self.names, self.account(ADMIN))
        self.renew_copies()

    def _start_gateways(self, port: int) -> None:
        """The first has fake shoes only; shoes with the real firmware are at the second."""
        half = self.shoes // 2
        parts = (
            pits.fake_entries(1, half, port),
            [*self._start_simulated(), *pits.fake_entries(half + 1, self.shoes, port)],
        )
        tokens, token = pits.write_tokens(self.folder)
        for number, entries in enumerate(parts, 1):
            path = pits.write_pit(self.folder, f"pit-{number}", entries)
            command = [sys.executable, "-m", "floor.gateway", str(KEEP_S), str(path), "--tokens", str(tokens)]
            self._add(f"gateway-{number}", command + (["--port", str(self.api_ports[0])] if number == 1 else []))
        fakes = list(range(1, half + 1))
        self.followers.append(Follower(self.api_ports[0], token, fakes))
        self.followers.append(Follower(self.api_ports[1], token, [*fakes, *self.simulated]))

    def _add(self, name: str, command: list[str]) -> None:
        pipe = self.traces.pipe() if command[: len(TRACED)] == TRACED else 0
        self.programs[name] = Program(name, command, self.folder, pipe)
        self.programs[name].start()

    def _start_fakes(self) -> int:
        self._fakes = subprocess.Popen(
            [sys.executable, "-m", "floor.shoes", str(self.shoes), str(RATE), str(self.seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT / "tools")},
        )
        assert self._fakes.stdout
        return int(self._fakes.stdout.readline())

    def _start_simulated(self) -> list[Entry]:
        """Shoes with the real firmware, keyed, each dealing by itself behind a proxy. Storage outlives a kill."""
        found: list[Entry] = []
        (self.folder / "keys").mkdir()
        for number, board in enumerate(BOARDS[: self.real], 1):
            device, name, port = FIRST_SIMULATED + number, f"shoe {board}", servers.free_port()
            write_key(self.key_of(device), "device", secrets.token_bytes(32))
            command = [*FAIRSHOE, "sim", "--board", board, "--tcp", str(port), "--key-file", str(self.key_of(device))]
            command += ["--dealer", "auto", "--seed", str(number), "--speed", SIM_SPEED]
            command += ["--storage", str(self.folder / f"{device:08x}.nv")]
            self.simulated[device] = Program(name, command, self.folder)
            self.simulated[device].start()
            proxy = self.proxies[f"gateway-2 to {name}"] = Proxy(port)
            found.append(
                Entry(device, name, "1", f"tcp://127.0.0.1:{proxy.port}", None, Profile.TABLE, "simulated, for chaos")
            )
        return found

    def account(self, name: str) -> Path:
        """The key of an account of the broker."""
        return self.folder / "nats" / f"{name}.nkey"

    def key_of(self, device: int) -> Path:
        return self.folder / "keys" / f"{device:08x}.key"

    def close(self) -> None:
        for program in (*self.programs.values(), *self.simulated.values()):
            with contextlib.suppress(AssertionError, ProcessLookupError):
                program.thaw()
            program.kill()
        if self._fakes is not None:
            self._fakes.kill()  # also while it is frozen
            self._fakes.wait()
        for reader in (self.watcher, *self.followers):
            if reader is not None:
                reader.close()
        for proxy in self.proxies.values():
            proxy.close()
        for server in self.servers.values():
            server.thaw()
            server.stop()
        self.nats.close()

    # -- what chaos does ---------------------------------------------------------------------------------------------

    def shoes_say(self, word: str) -> dict[int, int]:
        assert self._fakes and self._fakes.stdin and self._fakes.stdout
        self._fakes.stdin.write(f"{word}\n".encode())
        self._fakes.stdin.flush()
        if word != "stop":
            return {}
        return {int(device): seq for device, seq in json.loads(self._fakes.stdout.readline()).items()}

    def hang_up(self) -> None:
        """A third of the shoes lose their host."""
        self.shoes_say("drop")

    def freeze_fakes(self, frozen: bool) -> None:
        """All fake shoes at once stop answering, with their connections open: the network of a pit is gone."""
        assert self._fakes is not None
        self._fakes.send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    def renew_copies(self, chance: Callable[[], bool] = lambda: False) -> None:
        """Copy the disks of which there is no recent copy, and others by chance."""
        for name, server in self.servers.items():
            if time.monotonic() - self._copied.get(name, -COPY_S) >= COPY_S or chance():
                self.traces.add(f"{IN_MODEL[name]}_copied", "")
                server.snapshot("copy")
                self._copied[name] = time.monotonic()
        if time.monotonic() - self._copied.get("gateway-2", -COPY_S) >= COPY_S or chance():
            _copy_store(self.stores[1], self.folder / "pit-2.copy.db")
            self._copied["gateway-2"] = time.monotonic()

    def roll_back(self, name: str) -> None:
        """Put the last copy of its disk back: everything since then is gone."""
        self.servers[name].restore("copy")
        self.traces.add(f"{IN_MODEL[name]}_restored", "")
        self.servers[name].start()

    def stop_gateway_2(self) -> None:
        """Once PostgreSQL has what it stored. What no other part has yet would be lost with its disk: docs/FLOOR.md."""
        self.programs["gateway-2"].kill()
        _wait(lambda: self._lacking(self.stores[1]) == 0, CAUGHT_UP_S, "PostgreSQL does not catch up with gateway-2")
        self.programs["publisher-2"].kill()

    def stop_publisher_2(self) -> None:
        """What happens from now on is in the store of gateway-2 alone."""
        self.programs["publisher-2"].kill()

    def lose_gateway_2(self) -> None:
        """The same as roll_back_gateway_2, beyond what PostgreSQL has: fake shoes, whose journal may not be asked, lose
        events."""
        self.programs["gateway-2"].kill()
        self.may_lose = set(range(self.shoes // 2 + 1, self.shoes + 1))
        self.losses += 1
        self.roll_back_gateway_2()

    def roll_back_gateway_2(self) -> None:
        """The store as it was at the last copy: the shoes do not send again what they saw acknowledged since then."""
        for device, log, _last in last_of_logs(self.stores[1]):
            self.traces.add("cut", f"{device:08x}.{log.hex()}")  # the rest of these logs is not replayed
        for suffix in ("-wal", "-shm"):
            self.stores[1].with_name(self.stores[1].name + suffix).unlink(missing_ok=True)
        _copy_store(self.folder / "pit-2.copy.db", self.stores[1])
        for name in ("gateway-2", "publisher-2"):
            self.programs[name].start()

    def _lacking(self, store: Path) -> int:
        """How many logs of this store PostgreSQL does not have to their end."""
        try:
            known = {(device, bytes(log)): last for device, log, last in self.rows(LAST_OF_LOGS)}
        except psycopg.Error:
            return 1
        return sum(known.get((device, log), 0) < last for device, log, last in last_of_logs(store))

    def set_clock(self, name: str, ahead_s: float) -> None:
        """Start a gateway again with another clock."""
        self.programs[name].kill()
        self.programs[name].start(FLOOR_AHEAD_S=str(ahead_s))

    def end_month(self) -> None:
        """Everything on file was stored in the month before: what is sent again meets it in another table."""
        with contextlib.suppress(psycopg.Error), psycopg.connect(self.postgres.url, connect_timeout=5) as db:
            db.execute(MONTH_ENDS)

    def poison(self) -> None:
        """A hostile program of another device writes to the stream. None of it may stop the record of the others."""

        async def publish() -> None:
            async with broker.connected(self.nats.url, "chaos", key=self.account(ADMIN)) as (_client, stream):
                for data in POISONS:
                    await stream.publish(self.names.events(POISONED, b"poison"), data)

        with contextlib.suppress(*broker.LOST):
            asyncio.run(publish())

    def fill_broker(self) -> None:
        """The broker's disk has no byte left."""
        assert self.nats.disk is not None
        self.nats.disk.fill()

    def free_broker(self) -> None:
        """There is room again. A broker that has met a write error is restarted, as the units of `floor kit` do it."""
        assert self.nats.disk is not None
        self.nats.disk.free()
        if restart_due(self.nats.health_url, self.nats.data):
            self.nats.kill()
            self.nats.start()
            self.broker_restarts += 1

    def fill_postgres(self) -> None:
        """Every write of the cluster fails; it may go down by itself, as PostgreSQL does when WAL cannot be written."""
        for process in self.postgres.processes():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                resource.prlimit(process, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def empty_postgres(self) -> None:
        self.postgres.kill()
        self.postgres.start()

    def check_alive(self) -> None:
        """A program of ours that ended by itself has a defect."""
        for program in (*self.programs.values(), *self.simulated.values()):
            if program.process is not None and program.process.poll() is not None:
                lines = program.log.read_text(errors="replace").splitlines()[-20:]
                raise servers.ServerError(f"{program.name} ended by itself:\n" + "\n".join(lines))

    # -- what it looks at --------------------------------------------------------------------------------------------

    def wait_open(self, seconds: float) -> None:
        """Until events of half the shoes are in PostgreSQL."""
        _wait(lambda: len(self._logs()) >= (self.shoes + self.real) // 2, seconds, "the floor does not come up")

    def _logs(self) -> list[Any]:
        with contextlib.suppress(psycopg.Error):
            return self.rows("SELECT device, log FROM logs")
        return []

    def counted(self) -> int:
        try:
            return int(self.rows("SELECT COUNT(*) FROM events")[0][0])
        except psycopg.Error as error:
            raise servers.ServerError(str(error)) from error

    def lost(self) -> int:
        """Events that are declared lost, and are."""
        return len({(device, seq) for device, first, last in self.rows(OPEN_GAPS) for seq in range(first, last + 1)})

    def rows(self, query: str) -> list[Any]:
        with psycopg.connect(self.postgres.url, connect_timeout=5) as db:
            return db.execute(query.encode()).fetchall()

    def stop_shoes(self) -> dict[int, int]:
        """No more events. The last number of each fake shoe."""
        for program in self.simulated.values():
            program.freeze()
        for proxy in self.proxies.values():
            proxy.set(Mode.PASS)
        return self.shoes_say("stop")


def last_of_logs(store: Path) -> list[tuple[int, bytes, int]]:
    """Device, identity and last event of each log in the store of a gateway."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return db.execute(
            "SELECT device, identity, last FROM (SELECT device, identity, (SELECT MAX(seq) FROM events WHERE log = id)"
            " AS last FROM logs) WHERE last > 0"
        ).fetchall()


def _copy_store(source: Path, target: Path) -> None:
    """As `sqlite3 SOURCE ".backup TARGET"` does it, while a gateway writes."""
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def _wait(ready: Any, seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise servers.ServerError(f"{what} after {seconds:g} s")
        time.sleep(0.1)
