"""Runs the commands of docs/FLOOR.md, "From one shoe to three pits" and "Backup and restore", as they stand there.

    PYTHONPATH=tools .venv/bin/python -m floor.walkthrough

Starts a PostgreSQL of its own for them. Then every event in the stores of the three gateways must be in PostgreSQL
once, also after both restores. Uses the ports of the page: 4001 to 4003, 4222, 8441 to 8443.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from floor import servers
from floor.install import ROOT
from floor.site import LAST_OF_LOGS, last_of_logs

PORTS = (4001, 4002, 4003, 4222, 8441, 8442, 8443)
SECTIONS = ("From one shoe to three pits", "Backup and restore")
WALK_S = 600.0
WALKED = "walked"


def blocks(page: str) -> list[str]:
    """The shell blocks of the sections, in order."""
    found: list[str] = []
    for name in SECTIONS:
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        found += re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S)
    return found


def taken() -> list[int]:
    found: list[int] = []
    for port in PORTS:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            found.append(port)
    return found


def lacking(folder: Path, database: str) -> list[str]:
    """Logs of which PostgreSQL does not have every event up to the last one on file, in words."""
    with psycopg.connect(database) as db:
        known = {(device, bytes(log)): last for device, log, last in db.execute(LAST_OF_LOGS.encode())}
        doubled = db.execute("SELECT COUNT(*) - COUNT(DISTINCT (device, log, seq)) FROM events").fetchall()[0][0]
    logs = [row for number in (1, 2, 3) for row in last_of_logs(folder / f"pit-{number}.db")]
    found = [
        f"{device:08x}: {known.get((device, log), 0)} of {last}"
        for device, log, last in logs
        if known.get((device, log), 0) < last
    ]
    return found + ([f"{doubled} events twice"] if doubled else []) + ([] if len(logs) == 3 else ["not three logs"])


def run(folder: Path, database: str) -> int:
    script = "\n".join(["set -eu", f"cd '{ROOT}'", *blocks((ROOT / "docs" / "FLOOR.md").read_text(encoding="utf-8"))])
    script = script.replace("mkdir three-pits && cd three-pits", f"cd '{folder}'")
    environment = os.environ | {"FAIRSHOE_DATABASE": database}
    shell = subprocess.Popen(["bash", "-c", f"{script}\ntouch {WALKED}; wait"], env=environment, start_new_session=True)
    try:
        return _check(shell, folder, database)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)  # the session that was started here
        shell.wait()


def _check(shell: subprocess.Popen[bytes], folder: Path, database: str) -> int:
    """Once all commands are through: whether the three shoes that play on are recorded to the end."""
    wrong = ["the commands are not through"]
    end = time.monotonic() + WALK_S
    while time.monotonic() < end and wrong:
        if shell.poll() is not None:
            print(f"a command failed: status {shell.returncode}")
            return 1
        if (folder / WALKED).exists():
            wrong = lacking(folder, database)
        time.sleep(1)
    print("\n".join(wrong) or "every event of three gateways is in PostgreSQL, once")
    return 1 if wrong else 0


def main() -> int:
    busy = taken()
    missing = servers.missing()
    if busy or missing:
        print(f"NOT RUN: {'; '.join(missing)}{f' ports in use: {busy}' if busy else ''}")
        return 1
    with servers.running() as (_nats, postgres), servers.private_folder() as folder:
        return run(folder, postgres.url)


if __name__ == "__main__":
    sys.exit(main())
