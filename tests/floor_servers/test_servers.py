"""The servers of tests: what one run starts, it also takes away."""

from __future__ import annotations

from pathlib import Path

import psycopg
from floor import servers


def test_of_a_cluster_nothing_stays_neither_files_nor_memory() -> None:
    with servers.running() as (nats, postgres):
        assert postgres.process is not None
        postgres.kill()  # a start after it takes the memory of the dead one over
        postgres.start()
        pid = postgres.process.pid
        with psycopg.connect(postgres.url) as db:
            assert db.execute("SHOW dynamic_shared_memory_type").fetchone() == ("mmap",)
        assert made_by(pid)
        folder = nats.folder.parent
    assert not folder.exists() and not made_by(pid) and not Path(f"/proc/{pid}").exists()


def made_by(pid: int) -> list[str]:
    """The memory segments of the system that a process made."""
    rows = [line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines()]
    return [row[1] for row in rows[1:] if row[rows[0].index("cpid")] == str(pid)]
