"""The list of simulated shoes that run on this machine: one file each, in one folder.

A simulator holds its file locked. A file that is not locked belongs to a simulator that was killed, and is removed;
process numbers would prove nothing, because they are reused.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # no locks of this kind, and no pseudo-terminals either
    fcntl = None


def folder() -> Path:
    """For this user alone; it may not exist yet."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base:
        return Path(base) / "fairshoe"
    return Path(tempfile.gettempdir()) / f"fairshoe-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


@contextlib.contextmanager
def registered(entry: dict[str, Any]) -> Generator[None]:
    """Let others on this machine find a simulator while the block runs. Where that cannot be, it runs all the same."""
    path = folder() / f"sim-{os.getpid()}.json"
    held = None
    with contextlib.suppress(OSError):
        held = _write(path, {**entry, "pid": os.getpid()})
    try:
        yield
    finally:
        if held is not None:
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(held)


def running() -> list[dict[str, Any]]:
    """Entries of simulators that are alive; those of dead ones are tidied away."""
    found: list[dict[str, Any]] = []
    if not _ours(folder()):
        return found
    for path in sorted(folder().glob("sim-*.json")):
        with contextlib.suppress(OSError, ValueError):
            if _abandoned(path):
                path.unlink()
            else:
                found.append(json.loads(path.read_text()))
    return found


def _write(path: Path, entry: dict[str, Any]) -> int | None:
    """The descriptor that holds the lock. Locked before it is renamed into place: it must never be found unlocked."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if fcntl is None or not _ours(path.parent):
        return None
    beside = path.with_suffix(".new")
    descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.write(descriptor, json.dumps(entry).encode())
    beside.replace(path)
    return descriptor


def _ours(place: Path) -> bool:
    """Whether only this user can write entries there: /tmp is shared."""
    try:
        found = place.lstat()
    except OSError:
        return False
    if fcntl is None or not hasattr(os, "getuid"):
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _abandoned(path: Path) -> bool:
    if fcntl is None:
        return True
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
