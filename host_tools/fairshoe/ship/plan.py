"""What has to be done to a device so that it has exactly the files it should have; decided here, done in flash.py."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from fairshoe.ship.device import OnDevice

MAIN = "main.py"
MAIN_NEW = "main.new"  # until it is whole
DATA = ("board.json", "files.crc", "game.json", "words.txt")
_MODULE = re.compile(r"[a-z][a-z0-9]?\.mpy")  # what shorten.py calls them
_CODE = (".py", ".mpy")
BLOCKS_SPARE = 2  # littlefs writes a changed folder to a new pair of blocks first


@dataclass(frozen=True)
class Plan:
    """What to write and to delete, in order. `intruders` are files of others that could run in place of ours."""

    write: tuple[str, ...]
    delete: tuple[str, ...]
    unchanged: tuple[str, ...]
    others: tuple[str, ...]
    intruders: tuple[str, ...]
    clean: tuple[tuple[str, bool], ...]  # of the others, with whether it is a folder, when they are to go
    blocks_needed: int
    has_main: bool

    @property
    def changes(self) -> bool:
        return bool(self.write or self.delete or self.clean)


def make_plan(files: Mapping[str, bytes], there: Mapping[str, OnDevice], clean: bool, block_bytes: int) -> Plan:
    """Compare what should be on the device with what is."""
    right = {name for name, data in files.items() if name in there and there[name].sha256 == sha256(data)}
    write = sorted(set(files) - right)
    delete = sorted(name for name in there if name not in files and is_ours(name) and not there[name].is_folder)
    others = sorted(name for name in there if name not in delete and (name not in files or there[name].is_folder))
    gone = [(name, there[name].is_folder) for name in sorted(others, reverse=True)] if clean else []
    freed = [there[name].size for name in (*write, *delete) if name in there and not there[name].is_folder]
    freed += [there[name].size for name, is_folder in gone if not is_folder]
    needed = sum(_blocks(len(files[name]), block_bytes) for name in write)
    needed -= sum(_blocks(size, block_bytes) for size in freed)
    return Plan(
        tuple(write),
        tuple(delete),
        tuple(sorted(right)),
        tuple(others),
        tuple(name for name in others if _may_run(name, files)),
        tuple(gone),
        needed + BLOCKS_SPARE,
        MAIN in there and not there[MAIN].is_folder,
    )


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def is_ours(name: str) -> bool:
    """Whether some fairshoe has put it there: names that a release gives to files, at the top."""
    return name in (MAIN, MAIN_NEW, *DATA) or _MODULE.fullmatch(name) is not None


def _may_run(name: str, files: Mapping[str, bytes]) -> bool:
    """Whether MicroPython may run it: it looks for a folder and for source before it looks for our compiled module, for
    files before its own modules, and runs boot.py before anything else. Also what stands where a file of ours goes."""
    return name.endswith(_CODE) or f"{name}.mpy" in files or name in files


def _blocks(size: int, block_bytes: int) -> int:
    return -(-size // block_bytes)
