"""Files that a user names. Read: whole, regular files only (a pipe could block forever), and JSON with useful errors.
Written: all of it or nothing."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import subprocess
from collections.abc import Generator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

CONFIG_BYTES_MAX = 4 << 20  # of a file that people write
LOG_BYTES_MAX = 1 << 30


def read_regular(path: Path, most: int = CONFIG_BYTES_MAX) -> bytes:
    """All of a file. OSError also for what is no file, and for one of more than `most` bytes."""
    # Non-blocking: opening a pipe without a writer would wait forever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most} bytes", str(path))
    return data


def write_whole(path: Path, text: str) -> None:
    """Write all of a file, durably. After an OSError, which names it, the old one is as it was."""
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        error.filename = error.filename or str(path)  # a full disk does not say so
        raise


def check_writable(path: Path) -> None:
    """Raise the OSError that writing this file would end with: before work that takes long, not after it."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


WINDOWS = os.name == "nt"


def open_to_others(path: Path) -> bool:
    """Whether other users may read a file or folder by its mode. Windows has no such mode: see `protect`."""
    return not WINDOWS and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def protect(path: Path) -> None:
    """Let only this user read a new file: on Windows by its access list, set by icacls; elsewhere its mode does it.

    OSError if the list cannot be set, with the reason: then every user of the computer may read the file."""
    if not WINDOWS:
        return
    user = os.environ.get("USERNAME", "")
    try:
        subprocess.run(
            ["icacls", str(path), "/inheritance:r", "/grant:r", f"{user}:F"], stdout=subprocess.DEVNULL, check=True
        )
    except FileNotFoundError:
        raise OSError(errno.ENOENT, "the program icacls was not found", str(path)) from None
    except subprocess.CalledProcessError as error:
        raise OSError(errno.EACCES, f"icacls ended with status {error.returncode}", str(path)) from None


def make_private(path: Path) -> None:
    """Make the file if it is not there, for its owner alone: keys, money and secrets are in it. A file that is there is
    closed to others. What cannot be done is left to the program that opens the file, which says why."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        for it in (path, *path.parent.glob(f"{path.name}-*")):  # SQLite has two beside its own
            if open_to_others(it):
                it.chmod(0o600)


@contextlib.contextmanager
def held_alone(path: Path) -> Generator[None]:
    """Hold a lock file, which another program that holds it makes impossible: BlockingIOError. The system lets go of it
    when the program ends, however it ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif WINDOWS:
            import msvcrt

            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            except OSError as error:
                raise BlockingIOError(errno.EAGAIN, "another program holds it", str(path)) from error
        yield
    finally:
        os.close(descriptor)


def write_private(path: Path, text: str) -> None:
    """Write all of a file that only this user may read."""
    make_private(path)
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Put the names of a folder on disk: without it a power cut can lose a file that was just made or renamed."""
    if WINDOWS:  # which cannot open a folder, and writes names with the file
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def parse_json(raw: bytes) -> object:
    """ValueError for anything but JSON in UTF-8 with every key once."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte {error.start} is {raw[error.start]:#04x}") from None
    if text.startswith("\ufeff"):
        raise ValueError("it begins with a byte order mark; save it as UTF-8 without one")
    try:
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_each_once)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key[:40]!r} stands there twice")
        found[key] = value
    return found


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")
