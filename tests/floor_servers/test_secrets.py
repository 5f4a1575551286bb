"""No output of a program has a password of the broker or of the database; no file of a gateway is open to others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from one_floor import Site
from waits import wait_until

from fairshoe.printable import keep_secret, printable
from fairshoe_floor.gateway.process import lock_store
from fairshoe_floor.journals import JournalFile, journals_path
from fairshoe_floor.samples import SampleFile, samples_path
from fairshoe_floor.seen_time import SeenTime, seen_path

ODD = "9w0rd/0f#tests@h0me"  # as a person writes it, who encodes nothing
PLAIN = "4n0ther-0ne"


def commands(site: Site, inventory: Path) -> list[list[str]]:
    """With brokers and databases that are not there, refuse what is asked, or have a URL that cannot be read."""
    absent, dead = f"postgresql://fairshoe:{ODD}@127.0.0.1/none", f"postgresql://fairshoe:{PLAIN}@127.0.0.1:1/floor"
    odd = (f"postgresql://me:{PLAIN}@{PLAIN}.invalid/floor?{PLAIN}=1", f"host=::1 port={PLAIN} password={PLAIN}")
    return [
        ["floor", "publish", str(site.store.path), "--name", "pit-1", "--nats", f"nats://pit:{PLAIN}@127.0.0.1:1"],
        ["floor", "publish", str(site.store.path), "--name", "pit-1", "--nats", f"nats://pit:{ODD}@127.0.0.1:1"],
        ["floor", "run", "--database", dead, "--nats", f"nats://pit:{PLAIN}@127.0.0.1:1"],
        ["floor", "serve", str(inventory), "--database", dead],
        ["floor", "migrate", "--database", absent],
        *(["floor", "history", "--debug", "--database", url] for url in (absent, *odd)),
        ["floor", "history", absent],
    ]


def test_no_output_has_a_password(site: Site, tmp_path: Path) -> None:
    inventory = tmp_path / "pit-1.toml"
    inventory.write_text('[[shoe]]\ndevice = "00510001"\ntable = "BJ-07"\nurl = "/dev/ttyACM0"\n')
    given = commands(site, inventory)
    said = _outputs([[sys.executable, "-m", "fairshoe", *words] for words in given], tmp_path)
    assert len(said) == len(given) and any("***" in text for text in said.values())
    for command, text in said.items():
        assert text, command
        for word in (PLAIN, ODD, *ODD.split("@"), "0f#tests", "h0me"):
            assert word not in text, f"{command}: {text}"


def _outputs(commands: list[list[str]], folder: Path) -> dict[str, str]:
    """All at once: most of their time they wait."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    running: list[tuple[list[str], subprocess.Popen[bytes], Path]] = []
    for number, command in enumerate(commands):
        path = folder / f"{number}.txt"
        with path.open("wb") as out:
            running.append((command, subprocess.Popen(command, stdout=out, stderr=out, env=environment), path))
    said: dict[str, str] = {}
    wait_until(lambda: all(process.poll() is not None or path.read_bytes() for _command, process, path in running))
    time.sleep(1)
    for command, process, path in running:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        said[" ".join(command[2:])] = path.read_text()
    return said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("lost nats://pit:a%40b@mq:4222, tls://mq", "lost nats://pit:***@mq:4222, tls://mq"),
        ("host name sesame.example", "host name ***.example"),
        ("a path C://x:y and no more", "a path C://x:y and no more"),
    ],
)
def test_a_password_is_left_out_of_any_text(text: str, shown: str) -> None:
    keep_secret("postgresql://me:sesame/x@db/floor")
    assert printable(text) == shown


def test_files_of_a_gateway_are_closed_to_others(tmp_path: Path) -> None:
    store = tmp_path / "pit-1.db"
    store.touch(0o644)
    before = os.umask(0)
    try:
        opened = [SampleFile(samples_path(store)), JournalFile(journals_path(store)), SeenTime(seen_path(store))]
        lock_store(store).close()
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir() if path != store}
        for each in opened:
            each.close()
    finally:
        os.umask(before)
    assert len(modes) >= 4 and set(modes.values()) == {0o600}, modes
