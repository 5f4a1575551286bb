"""Pits of fake shoes for `fairshoe floor gateway`: inventory, keys, and a token for their API."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from fairshoe_floor.api.tokens import add_token, new_token
from fairshoe_floor.inventory import Entry, Inventory, inventory_text
from floor.shoes import address, secret


@contextmanager
def fake_shoes(count: int, rate: float) -> Generator[tuple[int, int]]:
    """Shoes in a process of their own: its number, and their port."""
    command = [sys.executable, "-m", "floor.shoes", str(count), str(rate), "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shoes:
        try:
            assert shoes.stdout
            yield shoes.pid, int(shoes.stdout.readline())
        finally:
            shoes.kill()


def fake_entries(first: int, last: int, port: int) -> list[Entry]:
    """The fake shoes of floor.shoes at this port."""
    return [
        Entry(device, f"T-{device:04d}", "1", f"tcp://{address(device)}:{port}") for device in range(first, last + 1)
    ]


def write_pit(folder: Path, name: str, entries: Iterable[Entry]) -> Path:
    """NAME.toml with its store NAME.db, and a key for each fake shoe. Others need their key in the folder `keys`."""
    keys = folder / "keys"
    keys.mkdir(exist_ok=True)
    shoes = tuple(entries)
    for entry in shoes:
        path = keys / f"{entry.name}.key"
        if not path.exists():
            path.write_text(f"recorder {secret(entry.device).hex()}\n")
            path.chmod(0o600)
    inventory = folder / f"{name}.toml"
    said = inventory_text(Inventory(name, folder / f"{name}.db", keys, shoes), folder)
    inventory.write_text(said, encoding="utf-8")
    return inventory


def write_tokens(folder: Path) -> tuple[Path, str]:
    """A file of tokens, and a token in it that reads everything."""
    path = folder / "tokens.toml"
    token, grant = new_token("this run", ["meters", "table", "metrics"])
    add_token(path, grant)
    return path, token
