"""Query a device at its prompt: what it is and which files it has; write and delete files.

The code in strings here runs on the device. It is plain MicroPython that every port has, and prints what
`ast.literal_eval` reads.
"""

from __future__ import annotations

import ast
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from fairshoe.ship.errors import DeviceFailed, NotForDevice
from fairshoe.ship.repl import Raised, Repl

CHUNK_BYTES = 768  # of a file in one statement: as text a kilobyte, which every heap has room for
VERSION_FILE = "firmware/version.mpy"
_VERSION_BYTES_MAX = 512
_VERSION = re.compile(rb"[0-9]+\.[0-9]+\.[0-9]+")
HASH_S = 60.0  # of one file
_T = TypeVar("_T")

_HELPERS = """
import os, sys, binascii, hashlib, gc
def _hash(path):
    total = hashlib.sha256()
    buf = bytearray(512)
    view = memoryview(buf)
    with open(path, 'rb') as file:
        while True:
            size = file.readinto(buf)
            if not size:
                break
            total.update(view[:size])
    return binascii.hexlify(total.digest()).decode()
def _walk(folder):
    for entry in os.ilistdir(folder or '/'):
        path = folder + '/' + entry[0]
        if entry[1] & 0x4000:
            print(repr((path, -1, '')))
            _walk(path)
        else:
            print(repr((path, os.stat(path)[6], _hash(path))))
def _base():
    return os.getcwd().rstrip('/')
"""
_IDENTITY = """
import machine
_i = sys.implementation
print(repr((sys.platform, _i.name, tuple(_i.version)[:3], getattr(_i, '_machine', ''), getattr(_i, '_mpy', 0),
    binascii.hexlify(machine.unique_id()).decode(), os.statvfs(_base() or '/')[:4], _base())))
"""


@dataclass(frozen=True)
class Identity:
    """What a device says it is. `mpy` is the kind of compiled code that it takes."""

    platform: str
    name: str
    version: tuple[int, ...]
    machine: str
    mpy: int
    unique_id: str
    block_bytes: int
    blocks: int
    blocks_free: int
    base: str

    @property
    def release(self) -> str:
        return ".".join(map(str, self.version))


@dataclass(frozen=True)
class OnDevice:
    """One file on the device; a folder has no hash and the size -1."""

    size: int
    sha256: str

    @property
    def is_folder(self) -> bool:
        return self.size < 0


def _identity(words: Any) -> Identity:
    platform, name, version, machine, mpy, unique_id, space, base = words
    texts, numbers = (platform, name, machine, unique_id, base), (mpy, *space)
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(number, int) for number in numbers):
        raise TypeError
    return Identity(platform, name, tuple(version), machine, mpy, unique_id, space[0], space[2], space[3], base)


def _file(words: Any) -> tuple[str, OnDevice]:
    path, size, sha = words
    if not (isinstance(path, str) and isinstance(size, int) and isinstance(sha, str)):
        raise TypeError
    return path, OnDevice(size, sha)


class Device:
    """A device at its raw prompt, just after a soft reset."""

    def __init__(self, repl: Repl) -> None:
        self._repl = repl
        self.name = repl.name
        try:
            repl.run(_HELPERS)
            self.identity = self._understand(repl.run(_IDENTITY), _identity)
        except Raised as raised:
            raise NotForDevice(
                f"{repl.name}: the device has a prompt but not what MicroPython has ({raised.last}).",
                "Put MicroPython for this board on it: docs/FLASH.md.",
            ) from raised

    def files(self) -> dict[str, OnDevice]:
        """Every file and folder, by its path from the top of the file system, with its hash."""
        printed = self._run("_walk(_base())", HASH_S)
        found = [self._understand(line, _file) for line in printed.splitlines()]
        cut = len(self.identity.base) + 1
        return {path[cut:]: file for path, file in found}

    def image(self) -> str:
        """What an image of ours says about itself; empty on a downloaded MicroPython."""
        code = "try:\n import image_data\n print(image_data.IDENTITY.decode())\nexcept ImportError:\n pass"
        return self._run(code).strip()

    def installed_version(self) -> str:
        """The version of the firmware that is there; empty if there is none. The file is read and not run: a damaged
        module could hang."""
        place = self._place(VERSION_FILE)
        code = f"try:\n print(repr(open({place!r}, 'rb').read({_VERSION_BYTES_MAX})))\nexcept OSError:\n print(b'')"
        found = _VERSION.search(self._understand(self._run(code), bytes))
        return found[0].decode() if found else ""

    def write(self, path: str, data: bytes, progress: Callable[[int], None] = lambda _sent: None) -> str:
        """Write a whole file; the hash of what is there then."""
        place = self._place(path)
        self._run(f"_file = open({place!r}, 'wb')")
        for at in range(0, len(data), CHUNK_BYTES):
            text = binascii.b2a_base64(data[at : at + CHUNK_BYTES], newline=False).decode()
            self._run(f"_file.write(binascii.a2b_base64('{text}'))")
            progress(min(at + CHUNK_BYTES, len(data)))
        # After an error it stays open, half written: the next soft reset forgets it, and the next run its contents.
        self._run("_file.close()")
        return self.hash(path)

    def hash(self, path: str) -> str:
        return self._run(f"print(_hash({self._place(path)!r}))").strip()

    def delete(self, path: str, folder: bool = False) -> None:
        self._run(f"os.{'rmdir' if folder else 'remove'}({self._place(path)!r})")

    def make_folder(self, path: str) -> None:
        self._run(f"os.mkdir({self._place(path)!r})")

    def rename(self, old: str, new: str) -> None:
        self._run(f"os.rename({self._place(old)!r}, {self._place(new)!r})")

    def sync(self) -> None:
        """What was written is on the flash and not in a cache."""
        self._run("os.sync() if hasattr(os, 'sync') else None")

    def reset(self) -> None:
        """As at power-up. Nothing answers after it."""
        self._repl.start("import machine\nmachine.reset()")

    def _place(self, path: str) -> str:
        return f"{self.identity.base}/{path}"

    def _understand(self, text: str, read: Callable[[Any], _T]) -> _T:
        """What it printed, of the kinds that it should be."""
        try:
            return read(ast.literal_eval(text.strip()))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise DeviceFailed(
                f"{self.name}: what the device answers cannot be understood: {text[:60]!r}.",
                "Is a program on it, or on this computer, using the port as well? Unplug the device, and try again.",
            ) from error

    def _run(self, code: str, limit_s: float = 20.0) -> str:
        try:
            return self._repl.run(code, limit_s)
        except Raised as raised:
            if "ENOSPC" in raised.text or "Errno 28" in raised.text:
                raise DeviceFailed(
                    f"{self.name}: the device's file system is full.",
                    "It has no main.py now and waits at its prompt. Delete what is not fairshoe's with --clean, or "
                    "format the file system (docs/FLASH.md), and run the same command again.",
                ) from raised
            raise DeviceFailed(
                f"{self.name}: the device says {raised.last}.",
                "It waits at its prompt. Run the same command again; if that does not help: docs/FLASH.md, recovery.",
            ) from raised
