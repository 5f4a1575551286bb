"""`fairshoe support`: write one archive for a report: versions, settings, device, journal, log; no secrets."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from fairshoe import __version__
from fairshoe.boards.configs import load_board
from fairshoe.cli import settings
from fairshoe.cli.connection import Connection
from fairshoe.errors import Exit, FairshoeError, StoreError, UsageError
from fairshoe.files import LOG_BYTES_MAX, read_regular
from fairshoe.journal.export import read_export
from fairshoe.observe import support
from fairshoe.observe.snapshot import Snapshot
from fairshoe.printable import printable, say
from fairshoe.text.screen import waiting

_PLACES = ("key_file", "store")  # of which the report has no more than whether they are set


def run(options: argparse.Namespace) -> int:
    out = Path(options.out)
    if out.exists():
        raise UsageError(f"{out} is there already.", "Name another file with -o.")
    packed = support.pack(_files(options))
    if support.holds(packed, _secrets(options)):
        raise FairshoeError("the key would be in the archive: nothing was written.", "Please report this, without it.")
    try:
        out.write_bytes(support.archive(packed))
    except OSError as error:
        raise StoreError(f"cannot write {out}: {error.strerror or error}.", "Choose another place with -o.") from error
    say(f"{printable(str(out))} holds:")
    for name, data in packed.items():
        say(f"  {name:15s} {len(data):7d} bytes")
    rounds = "with rounds" if options.rounds else "no rounds (--rounds adds them)"
    say(f"No key, seed, token or password; {rounds}. Look through it before you send it.")
    return Exit.DONE


def _files(options: argparse.Namespace) -> dict[str, Any]:
    files: dict[str, Any] = {"versions.json": _versions(), "settings.json": _settings(options)}
    if options.board:
        files["board.json"] = load_board(options.board)[0]
    if options.port:
        files["device.json"] = _device(options)
    if options.journal:
        files["journal.jsonl"] = support.of_journal(read_export(Path(options.journal)), options.rounds)
    if options.log:
        try:
            files["log.txt"] = support.last_lines(read_regular(Path(options.log), LOG_BYTES_MAX))
        except OSError as error:
            raise StoreError(f"cannot read {options.log}: {error.strerror or error}.", "Name a log file.") from error
    return files


def _versions() -> dict[str, Any]:
    found: dict[str, str] = {}
    for line in metadata.requires("fairshoe") or []:
        name = line.partition(";")[0].partition("[")[0].split(">")[0].split("=")[0].strip()
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    about = {"fairshoe": __version__, "python": platform.python_version(), "platform": platform.platform()}
    return {**about, "packages": found}


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    found = settings.load(options)
    values = {
        name: {"value": "set" if name in _PLACES and it.value else it.value, "origin": it.origin.partition(" ")[0]}
        for name, it in found.values.items()
    }
    # "key_file" is named like a secret, and only says whether one is set.
    return {"file": found.path.exists(), "in_force": [{"name": name, **it} for name, it in values.items()]}


def _device(options: argparse.Namespace) -> dict[str, Any]:
    connection = Connection(options)
    with waiting(f"asking {connection.port}"), Snapshot(connection.port, connection.key(), connection.answer_s) as look:
        return support.of_device(look.watch, options.rounds)


def _secrets(options: argparse.Namespace) -> list[str]:
    """The key that is in force, to see that it is nowhere in the archive."""
    path = settings.load(options)["key_file"]
    try:
        return read_regular(Path(path)).decode("ascii", "ignore").split()[1:] if path else []
    except OSError:
        return []
