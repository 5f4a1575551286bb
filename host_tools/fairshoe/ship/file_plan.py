"""Plan what to write and delete so that a device has exactly the files it should have; flash.py carries it out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fairshoe.ship.device_files import OnDevice

MAIN = "main.py"
MAIN_NEW = "main.new"  # until it is whole
DATA = ("board.json", "files.crc", "game.json", "words.txt")
FOLDERS = ("firmware", "hal")  # of our modules
_CODE = (".py", ".mpy")
BLOCKS_SPARE = 2  # littlefs writes a changed folder to a new pair of blocks first
BLOCKS_FOLDER = 2


@dataclass(frozen=True)
class Plan:
    """What to do, in order. `intruders` are files of others that could run in place of ours."""

    delete: tuple[tuple[str, bool], ...]  # with whether it is a folder; what is in a folder comes before it
    make: tuple[str, ...]  # folders, each before those in it
    write: tuple[str, ...]
    unchanged: tuple[str, ...]
    others: tuple[str, ...]  # not ours, and left alone
    intruders: tuple[str, ...]
    blocks_needed: int
    has_main: bool

    @property
    def changes(self) -> bool:
        return bool(self.write or self.delete or self.make)


def make_plan(files: Mapping[str, bytes], there: Mapping[str, OnDevice], clean: bool, block_bytes: int) -> Plan:
    """Compare what should be on the device with what is. `clean` deletes what is not ours."""
    needed = folders_of(files)
    right = {name for name, data in files.items() if name in there and there[name].sha256 == sha256(data)}
    write = sorted(set(files) - right)
    stale = {name for name in there if name not in files and is_ours(name) and not there[name].is_folder}
    others = {name for name in there if name not in stale and not _belongs(name, there[name], files, needed)}
    # A folder of ours goes if nothing in it stays.
    kept = folders_of([*files, *(name for name in others if not clean and not there[name].is_folder)])
    stale |= {name for name in others if there[name].is_folder and _in_ours(name) and name not in kept}
    others -= stale
    intruders = sorted(name for name in others if _may_run(name, files, needed))
    delete = sorted(stale | others if clean else stale, reverse=True)
    freed = [there[name].size for name in {*write, *delete} if name in there and not there[name].is_folder]
    make = sorted(name for name in needed if name not in there or not there[name].is_folder)
    blocks = sum(_blocks(len(files[name]), block_bytes) for name in write) + BLOCKS_FOLDER * len(make)
    return Plan(
        tuple((name, there[name].is_folder) for name in delete),
        tuple(make),
        tuple(write),
        tuple(sorted(right)),
        () if clean else tuple(sorted(others)),
        tuple(intruders),
        blocks - sum(_blocks(size, block_bytes) for size in freed) + BLOCKS_SPARE,
        MAIN in there and not there[MAIN].is_folder,
    )


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def folders_of(names: Iterable[str]) -> set[str]:
    """Every folder that these files are in."""
    return {name[:at] for name in names for at, letter in enumerate(name) if letter == "/"}


def is_ours(name: str) -> bool:
    """Whether some release of fairshoe has put this file there."""
    return name in (MAIN, MAIN_NEW, *DATA) or (_in_ours(name) and name.endswith(".mpy"))


def _in_ours(name: str) -> bool:
    return name.partition("/")[0] in FOLDERS


def _belongs(name: str, there: OnDevice, files: Mapping[str, bytes], folders: set[str]) -> bool:
    """Whether it is one of our files or folders. Of the wrong kind it stands in the way of one."""
    return name in folders if there.is_folder else name in files


def _may_run(name: str, files: Mapping[str, bytes], folders: set[str]) -> bool:
    """Whether MicroPython may run it: it looks for a folder and for source before it looks for our compiled module, for
    files before its own modules, and runs boot.py before anything else. Also what stands where ours has to go."""
    return name.endswith(_CODE) or f"{name}.mpy" in files or name in files or name in folders


def _blocks(size: int, block_bytes: int) -> int:
    return -(-size // block_bytes)
