"""What a release leaves behind on disks, as text: later commits must be able to open it (tests/releases).

    make release-files [COMMIT=]     writes tests/releases/VERSION; another folder: COMMIT="COMMIT FOLDER"

The programs of that commit make them, from `git archive`: the storage of each board in the middle of its second deck,
the store of a host, exports, a capture of the link, the books of a table, the database of a floor, board configs. What
is no text becomes text here: storage as hex by cell, captures as hex, databases as SQL. `release.json` names the
commit.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import psycopg
from floor import servers

ROOT = Path(__file__).resolve().parents[1]
FILES = ROOT / "tests" / "releases"
CELL = 96
# Where each board is stopped: at the so-manieth event of this name, in the middle of its second deck.
BOARDS = {
    "pico-carousel": ("stack_taken", 9),
    "pico-shelves": ("release_started", 2),
    "pico-shoe": ("stack_taken", 16),
    "pico-draw": ("cut_reached", 2),
}
GAME = "caribbean-stud"
CAPTURED = "pico-draw"  # the board that sends least
# What users get. A change of anything else is none of the release.
SHIPPED = ("firmware", "hal", "rig", "host_tools", "board_configs", "game_profiles")
_NO_TABLES = re.compile(r"^(SET |SELECT pg_catalog\.set_config|--|\\|$)")

PLAY = """
import json, shutil, sys
from pathlib import Path
from fairshoe import Shoe
from fairshoe.cli.command_line import main
from fairshoe.link import framing

feed, encode, taken, rest = framing.Decoder.feed, framing.encode, bytearray(), bytearray()

def heard(self, data):
    rest.extend(data)
    end = rest.rfind(0) + 1
    taken.extend(rest[:end])
    del rest[:end]
    return feed(self, data)

def said(*words):
    frame = encode(*words)
    taken.extend(frame)
    return frame

framing.Decoder.feed, framing.encode = heard, said

out, game, boards = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
assert main(["keys", "new", str(out / "keys")]) == 0
words = f"seed=7&speed=0&mode=report_only&key={out}/keys/device.key"
host, observer = (str(out / "keys" / f"{role}.key") for role in ("table", "observer"))
for board, (name, count) in boards.items():
    disk = out / f"{board}.storage"
    url = f"sim://{board}?{words}&storage={disk}&dealer="
    taken.clear(), rest.clear()
    with Shoe.open(url + "auto", host, store=out / f"{board}.db") as shoe:
        for event in shoe.events():
            count -= event.NAME == name
            if not count:
                known = {"device": shoe.welcome.device, "seq": event.seq, "last": event.NAME, "round": event.round}
                break
    shutil.copy(disk, out / f"{board}.bin")
    (out / f"{board}.json").write_text(json.dumps(known))
    (out / f"{board}.capture").write_bytes(taken)
    pulled = str(out / f"{board}.journal")
    assert main(["journal", "pull", url + "none", "-o", pulled, "--key-file", observer]) == 0
assert main(["table", "play", "--game", game, "--rounds", "2", "--seed", "3", "--folder", str(out / "table")]) == 0
"""


def unpack(commit: str, folder: Path) -> None:
    """The tree of a commit; CalledProcessError if this clone does not have it."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tree:
        tree.extractall(folder, filter="data")


def environment(tree: Path) -> dict[str, str]:
    """For processes that run the programs of that tree, and not these."""
    path = [tree, tree / "host_tools", tree / "host_tools" / "fairshoe" / "_shim"]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}


def storage_text(data: bytes, known: dict[str, object]) -> str:
    cells = {at // CELL: data[at : at + CELL].hex() for at in range(0, len(data), CELL) if any(data[at : at + CELL])}
    return json.dumps({"bytes": len(data), "known": known, "cells": cells}, indent=0) + "\n"


def database_text(path: Path) -> str:
    with sqlite3.connect(path) as db:
        numbers = [db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        lines = [f"PRAGMA application_id = {numbers[0]};", f"PRAGMA user_version = {numbers[1]};", *db.iterdump()]
    return "\n".join(lines) + "\n"


def database_from(text: str, path: Path) -> Path:
    """The database that `database_text` wrote down."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(text)
    return path


def floor_text(env: dict[str, str], store: Path) -> str:
    """The database of a floor whose gateway has this store, made by the programs of that environment."""
    with sqlite3.connect(store) as db:
        (count,) = db.execute("SELECT COUNT(*) FROM events").fetchone()
    fairshoe = [sys.executable, "-m", "fairshoe"]
    with servers.running() as (nats, postgres):
        where = {**env, "FAIRSHOE_DATABASE": postgres.url, "FAIRSHOE_NATS": nats.url}
        subprocess.run([*fairshoe, "floor", "migrate"], env=where, check=True)
        programs = [["floor", "run"], ["floor", "publish", str(store), "--name", "pit-1"]]
        running = [subprocess.Popen([*fairshoe, *words], env=where) for words in programs]
        try:
            with psycopg.connect(postgres.url, autocommit=True) as db:
                while db.execute("SELECT COUNT(*) FROM events").fetchone() != (count,):
                    if any(program.poll() is not None for program in running):
                        raise SystemExit("a program of the floor ended: see above")
                    time.sleep(0.2)
        finally:
            for program in running:
                program.terminate()
                program.wait()
        dump = [str((servers.postgres_folder() or Path()) / "pg_dump"), "--no-owner", "--no-privileges", "--inserts"]
        said = subprocess.run([*dump, postgres.url], check=True, capture_output=True, text=True).stdout
    return "".join(f"{line}\n" for line in said.splitlines() if not _NO_TABLES.match(line))


def commit_of(release: Path) -> str:
    return json.loads((release / "release.json").read_text())["commit"]


def newest() -> Path:
    """The folder of the newest version."""
    found = {path.parent: json.loads(path.read_text())["version"] for path in FILES.glob("*/release.json")}
    return max(found, key=lambda folder: [int(number) for number in found[folder].split(".")])


def is_of(commit: str) -> bool:
    """Whether the programs of that commit are those of this one."""
    command = ["git", "diff", "--quiet", commit, "HEAD", "--", *SHIPPED]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode == 0


def main(commit: str, name: str = "") -> int:
    commit = subprocess.run(
        ["git", "rev-parse", commit], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as scratch:
        tree, made = Path(scratch, "tree"), Path(scratch, "made")
        made.mkdir()
        unpack(commit, tree)
        env = environment(tree)
        ask = [sys.executable, "-c", "import fairshoe; print(fairshoe.__version__)"]
        version = subprocess.run(ask, cwd=tree, env=env, check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run([sys.executable, "-c", PLAY, str(made), GAME, json.dumps(BOARDS)], cwd=tree, env=env, check=True)
        out = FILES / (name or version)
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        (out / "release.json").write_text(json.dumps({"commit": commit, "version": version}, indent=0) + "\n")
        for board in BOARDS:
            known = json.loads((made / f"{board}.json").read_text())
            (out / f"{board}.storage.json").write_text(storage_text((made / f"{board}.bin").read_bytes(), known))
            (out / f"{board}.journal").write_bytes((made / f"{board}.journal").read_bytes())
            (out / f"{board}.board.json").write_bytes((tree / "board_configs" / f"{board}.json").read_bytes())
        keys = {path.name: path.read_text() for path in sorted((made / "keys").iterdir())}
        (out / "keys.json").write_text(json.dumps(keys, indent=0) + "\n")
        captured = (made / f"{CAPTURED}.capture").read_bytes().hex()
        (out / "link.hex").write_text("".join(f"{captured[at : at + 96]}\n" for at in range(0, len(captured), 96)))
        (out / "store.sql").write_text(database_text(made / "pico-carousel.db"))
        (out / "floor.sql").write_text(floor_text(env, made / "pico-carousel.db"))
        for path in sorted((made / "table").glob("*.db")):
            (out / f"{path.stem}.table.sql").write_text(database_text(path))
    print(f"{out.relative_to(ROOT)}: {sum(it.stat().st_size for it in out.iterdir()) // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or ["HEAD"]))
