"""What a device at its prompt is, and which files it has; files that are read back after they were written.

The code in strings here runs on the device. It is plain MicroPython, and prints what `ast.literal_eval` reads.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from fairshoe.ship.errors import DeviceFailed, NotForDevice
from fairshoe.ship.prompt import Prompt, Raised, Sent

VERSION_FILE = "firmware/version.mpy"
_VERSION_BYTES_MAX = 512
_VERSION = re.compile(rb"[0-9]+\.[0-9]+\.[0-9]+")
WALK_S = 120.0  # to hash all that a file system can hold
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
"""
_IDENTITY = """
import machine
_i = sys.implementation
print(repr((sys.platform, _i.name, tuple(_i.version)[:3], getattr(_i, '_machine', ''), getattr(_i, '_mpy', 0),
    binascii.hexlify(machine.unique_id()).decode(), os.statvfs('/')[:4])))
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
    platform, name, version, machine, mpy, unique_id, space = words
    texts, numbers = (platform, name, machine, unique_id), (mpy, *space)
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(number, int) for number in numbers):
        raise TypeError
    return Identity(platform, name, tuple(version), machine, mpy, unique_id, space[0], space[2], space[3])


def _file(words: Any) -> tuple[str, OnDevice]:
    path, size, sha = words
    if not (isinstance(path, str) and isinstance(size, int) and isinstance(sha, str)):
        raise TypeError
    return path, OnDevice(size, sha)


class Device:
    """A device at its raw prompt, just after a soft reset."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self.name = prompt.name
        try:
            prompt.run(_HELPERS)
            self.identity = self._understand(prompt.run(_IDENTITY), _identity)
        except Raised as raised:
            raise NotForDevice(
                f"{self.name}: the device has a prompt but not what MicroPython has ({raised.last}).",
                "Put MicroPython for this board on it: docs/FIRMWARE.md.",
            ) from raised

    def files(self) -> dict[str, OnDevice]:
        """Every file and folder, by its path from the top of the file system, with its hash."""
        printed = self._prompt.run("_walk('')", WALK_S)
        found = [self._understand(line, _file) for line in printed.splitlines()]
        return {path[1:]: file for path, file in found}

    def image(self) -> str:
        """What an image of ours says about itself; empty on a downloaded MicroPython."""
        code = "try:\n import image_data\n print(image_data.IDENTITY.decode())\nexcept ImportError:\n pass"
        return self._prompt.run(code).strip()

    def installed_version(self) -> str:
        """The version of the firmware that is there; empty if there is none. The file is read and not run: a damaged
        module could hang."""
        code = (
            f"try:\n print(repr(open('/{VERSION_FILE}', 'rb').read({_VERSION_BYTES_MAX})))\n"
            "except OSError:\n print(b'')"
        )
        found = _VERSION.search(self._understand(self._prompt.run(code), bytes))
        return found[0].decode() if found else ""

    def write(self, path: str, data: bytes, progress: Sent) -> str:
        """Write a whole file; the hash of what is there then."""
        self._prompt.write_file(f"/{path}", data, progress)
        return self._prompt.run(f"print(_hash({f'/{path}'!r}))").strip()

    def delete(self, path: str, folder: bool = False) -> None:
        self._prompt.delete(f"/{path}", folder)

    def make_folder(self, path: str) -> None:
        self._prompt.make_folder(f"/{path}")

    def rename(self, old: str, new: str) -> None:
        self._prompt.run(f"os.rename({f'/{old}'!r}, {f'/{new}'!r})")

    def sync(self) -> None:
        """What was written is on the flash and not in a cache."""
        self._prompt.run("os.sync() if hasattr(os, 'sync') else None")

    def reset(self) -> None:
        self._prompt.reset()

    def _understand(self, text: str, read: Callable[[Any], _T]) -> _T:
        """What it printed, of the kinds that it should be."""
        try:
            return read(ast.literal_eval(text.strip()))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise DeviceFailed(
                f"{self.name}: what the device answers cannot be understood: {text[:60]!r}.",
                "Is a program on it, or on this computer, using the port as well? Unplug the device, and try again.",
            ) from error
