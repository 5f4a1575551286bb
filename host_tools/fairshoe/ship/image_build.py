"""Build an image: write the board folder, run the checkout's own build on it, and record the result.

The build runs outside of the checkout. What it would embed of time and place is fixed, so that the same sources and
tools give the same bytes: docs/FIRMWARE.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from fairshoe.ship.board_folder import board_folder, chip_of, write_folder
from fairshoe.ship.build import Built
from fairshoe.ship.checkout import Checkout, Toolchain
from fairshoe.ship.errors import NoImage
from fairshoe.ship.flash_image import flash_of_uf2, whole_sectors
from fairshoe.ship.identity import Identity, refuse_older
from fairshoe.ship.image_sum import in_safe_order, with_sums
from fairshoe.ship.linker_script import SCRIPT, linker_script
from fairshoe.ship.manifest import sha256
from fairshoe.ship.signed_boot import find_signature, seal

# 1980-01-01. Interpreter and SDK embed the date of the build; a fixed one is the same everywhere.
SOURCE_DATE = 315532800
_PERCENT = re.compile(r"^\[ *([0-9]+)%\] *(.*)")
_TAIL_LINES = 12
# Of the environment. Of anything else the record would not tell: flags and include folders of the compiler, other
# libraries, another second stage or toolchain of the SDK.
_PASSED_ON = ("PATH", "TMPDIR")

Say = Callable[[str], None]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Record:
    """What is written beside an image, as JSON. `flash_sha256` is of the flash up to the end of its last sector."""

    board: str
    game: str
    firmware: str
    rollback: int
    kind: str
    identity: str
    uf2_sha256: str
    flash_sha256: str
    flash_bytes: int
    micropython: str
    micropython_commit: str
    micropython_modified: bool
    compiler: str
    picotool: str = ""
    trees: dict[str, str] = field(default_factory=dict[str, str])
    signed_by: str = ""
    unsigned_flash_sha256: str = ""


@dataclass(frozen=True)
class BuiltImage:
    """An image that was built: the folder of its build, the bytes of its UF2, and its record."""

    work: Path
    uf2: bytes
    record: Record


def make_image(
    built: Built, version: str, rollback: int, release: bool, checkout: Checkout, tools: Toolchain, out: Path,
    older: str | None, say: Say, progress: Progress,
) -> BuiltImage:  # fmt: skip
    """Build the image of one board below `out`. Refused if `out` has a newer one of that board."""
    chip = chip_of(built.config)
    files, identity = board_folder(built, version, rollback, release)
    refuse_newer_there(out, identity, older)
    work = out / "work" / f"{chip.board}-{'release' if release else 'bench'}"
    work.mkdir(parents=True, exist_ok=True)
    with _alone(work):
        write_folder(work / "board", {**files, SCRIPT: linker_script(checkout.port, chip.platform)})
        uf2 = run_build(checkout, tools, work, progress)
        symbols = machine_code_symbols(work / "cmake" / "firmware.elf")
    refuse_misaligned(symbols)
    flash = flash_of_uf2(uf2)
    flash = flash if chip.signs else with_sums(flash, symbols)
    if identity.line() not in flash:
        raise NoImage("the build did not freeze this board's identity.", f"Delete {work} and build again.")
    if len(flash) > chip.storage:
        raise NoImage(
            f"the image has {len(flash)} bytes; {chip.storage} lie before the storage of the board.",
            "Take modules away, or move the storage in ship/micropython/mpconfigboard.h.",
        )
    say(f"  {len(flash)} bytes of flash, of {chip.storage} for code")
    uf2 = in_safe_order(uf2, flash)
    return BuiltImage(work, uf2, _record(identity, uf2, checkout, tools))


def _record(identity: Identity, uf2: bytes, checkout: Checkout, tools: Toolchain) -> Record:
    flash = whole_sectors(uf2)
    return Record(
        identity.board,
        identity.game,
        identity.version,
        identity.rollback,
        "release" if identity.release else "bench",
        identity.line().decode().strip(),
        sha256(uf2),
        sha256(flash),
        len(flash),
        checkout.version,
        checkout.commit,
        checkout.modified,
        tools.compiler,
        tools.picotool_version,
        checkout.trees,
    )


def refuse_newer_there(out: Path, identity: Identity, older: str | None) -> None:
    """Raise OlderRelease if the folder has a newer release image of the same board."""
    for path in sorted(out.glob(f"fairshoe-*-{identity.board}.json")):
        try:
            there: Any = json.loads(path.read_text(encoding="utf-8"))
            if there["board"] != identity.board:
                continue  # its name only ends like ours: carousel, pico-carousel
            age = int(there["rollback"]), str(there["firmware"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not a record of an image
        refuse_older((identity.rollback, identity.version), age, path.name, older)


def sign_image(made: BuiltImage, key: Path, tools: Toolchain, otp: Path) -> BuiltImage:
    """The same image, sealed with a key for the boot ROM of an RP2350; picotool writes `otp`."""
    record = made.record
    sealed = seal(tools, made.work / "cmake" / "firmware.elf", key, record.firmware, record.rollback, otp)
    uf2 = in_safe_order(sealed, flash_of_uf2(sealed))
    flash = whole_sectors(uf2)
    signed = find_signature(flash)
    if signed is None or not signed.good or signed.rollback != record.rollback:
        raise NoImage("picotool sealed the image, and no good signature is in it.", "Use picotool 2.2.0.")
    changed = replace(
        record,
        uf2_sha256=sha256(uf2),
        flash_sha256=sha256(flash),
        flash_bytes=len(flash),
        signed_by=signed.fingerprint,
        unsigned_flash_sha256=record.flash_sha256,
    )
    return replace(made, uf2=uf2, record=changed)


def image_path(out: Path, record: Record) -> Path:
    bench = "" if record.kind == "release" else "-bench"
    return out / f"fairshoe-{record.firmware}-{record.board}{bench}.uf2"


def write_image(out: Path, made: BuiltImage) -> tuple[Path, Path]:
    """The UF2 and its record, under their names."""
    record = made.record
    uf2 = image_path(out, record)
    note = uf2.with_suffix(".json")
    uf2.write_bytes(made.uf2)
    note.write_text(json.dumps(asdict(record), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return uf2, note


# --- the checkout's build ----------------------------------------------------------------------


def run_build(checkout: Checkout, tools: Toolchain, work: Path, progress: Progress) -> bytes:
    """Configure and make. The whole output is in build.log of the work folder."""
    cmake = work / "cmake"
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {
        "SOURCE_DATE_EPOCH": str(SOURCE_DATE),
        "MICROPY_GIT_TAG": f"v{checkout.version}",
        "MICROPY_GIT_HASH": checkout.commit[:10],
        "LC_ALL": "C",
        "PYTHONHASHSEED": "0",
    }
    configure = [
        "cmake", "-S", str(checkout.port), "-B", str(cmake), "-DCMAKE_BUILD_TYPE=MinSizeRel",
        "-DMICROPY_BOARD=FAIRSHOE", f"-DMICROPY_BOARD_DIR={(work / 'board').resolve()}",
        f"-Dpicotool_DIR={tools.picotool_folder}", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
    ]  # fmt: skip
    with (work / "build.log").open("w", encoding="utf-8") as log:
        _run(configure, environment, log, lambda _share, _what: None)
        jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        _run(
            ["make", "-C", str(cmake), f"-j{jobs}", "firmware"],
            environment,
            log,
            lambda share, what: progress(what, share, 100),
        )
    path = cmake / "firmware.uf2"
    if not path.is_file():
        raise NoImage(f"the build left no {path}.", f"See {work / 'build.log'}.")
    return path.read_bytes()


def machine_code_symbols(elf: Path) -> str:
    """What nm says of an ELF file: an address, a kind and a name on each line."""
    command = ["arm-none-eabi-nm", str(elf)]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoImage(f"{command[0]} cannot read {elf}: {error}", "Install binutils-arm-none-eabi.") from error


def refuse_misaligned(symbols: str) -> None:
    """Raise NoImage if frozen machine code does not lie at multiples of 4: it would read its constants two bytes off
    (mpconfigboard.cmake), and nothing else would show it than wrong numbers."""
    code = re.findall(r"^([0-9a-f]+) t fun_data_(\S+)$", symbols, re.MULTILINE)
    wrong = [name for address, name in code if int(address, 16) % 4]
    if wrong or not code:
        raise NoImage(
            f"frozen machine code is not aligned to 4 bytes: {wrong[0] if wrong else 'none was found'}.",
            "Use MicroPython 1.28 as it was released, and report this with its version and your compiler's.",
        )


def _run(command: list[str], environment: dict[str, str], log: Any, step: Callable[[int, str], None]) -> None:
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            log.write(line)
            tail.append(line.rstrip())
            found = _PERCENT.match(line)
            if found:
                step(int(found[1]), found[2].rpartition("/")[2].removesuffix(".o").removesuffix(".obj"))
    if process.returncode:
        last = "\n".join(tail)
        raise NoImage(f"MicroPython's build failed: {command[0]} ended with {process.returncode}.\n{last}", _see(log))


def _see(log: Any) -> str:
    return f"The whole output is in {log.name}."


@contextlib.contextmanager
def _alone(work: Path) -> Generator[None, None, None]:
    """One build at a time in one folder; a second one waits."""
    try:
        import fcntl
    except ImportError:  # not on this system
        yield
        return
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
