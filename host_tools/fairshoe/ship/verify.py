"""Compare what a device has with what its release lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairshoe.files import read_regular
from fairshoe.os_errors import os_errors_as
from fairshoe.ship.board_folder import chip_of
from fairshoe.ship.device_files import OnDevice
from fairshoe.ship.errors import ImageError
from fairshoe.ship.flash_image import BLOCK, ERASED, FLASH_START, UF2_BEGIN, Image, flash_of_uf2, whole_sectors
from fairshoe.ship.identity import Identity, find_identity
from fairshoe.ship.manifest import FILE_BYTES_MAX, NAME, SUMS, BoardRelease, Entry, ImageEntry, Manifest, sha256
from fairshoe.ship.signed_boot import find_signature

SAME, ALTERED, UNKNOWN = "same", "altered", "not compared"


@dataclass(frozen=True)
class Finding:
    """What was compared and what came of it. `interpreter` is one of SAME, ALTERED and UNKNOWN."""

    altered: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    compared: int
    interpreter: str
    image: str = ""  # what an image says about itself
    boot_key: str = ""  # whose signature the boot ROM of an RP2350 will find on it
    note: str = ""

    @property
    def same(self) -> bool:
        return not (self.altered or self.missing or self.extra) and self.interpreter != ALTERED


def compare(release: BoardRelease, there: Mapping[str, OnDevice], interpreter: str = UNKNOWN) -> Finding:
    """Every file, one by one. A folder counts only if it is empty: what is in it counts by itself."""
    wanted = release.files
    full = {parent for name in there for parent in _parents(name)}
    altered = [name for name, entry in wanted.items() if name in there and not _right(there[name], entry)]
    extra = [name for name in there if name not in wanted and name not in full]
    missing = [name for name in wanted if name not in there]
    return Finding(
        tuple(sorted(altered)), tuple(sorted(missing)), tuple(sorted(extra)), len(there.keys() & wanted), interpreter
    )


def compare_release(manifest: Manifest, folder: Path) -> Finding:
    """Every file of a release folder, held against its manifest."""
    there = {name: it.sha256 for name, it in folder_files(folder).items() if it.size >= 0}
    about = {NAME: sha256(manifest.raw), f"{NAME}.sig": there.get(f"{NAME}.sig", ""), SUMS: sha256(manifest.sums())}
    wanted = {**manifest.hashes(), **{name: digest for name, digest in about.items() if name in there}}
    altered = [name for name, digest in wanted.items() if there.get(name, digest) != digest]
    missing, extra = wanted.keys() - there, there.keys() - wanted
    return Finding(tuple(sorted(altered)), tuple(sorted(missing)), tuple(sorted(extra)), len(there), UNKNOWN)


def compare_image(release: BoardRelease, image: Image) -> Finding:
    there = {name: OnDevice(len(data), sha256(data)) for name, data in image.files.items()}
    there |= {name: OnDevice(-1, "") for name in image.folders}
    return compare(release, there, interpreter_of(release, image.front))


def compare_flash(release: BoardRelease, flash: bytes, identity: Identity, uf2: bytes | None) -> Finding:
    """A whole flash with an image in it. Every byte counts: the image as it was released, everything behind it erased,
    except for cells that the board config keeps there. `uf2`, of the release, tells where they differ."""
    line = identity.line().decode().strip()
    wanted = release.image
    if wanted is None:
        return Finding((), (), ("an image, and the release has none for this board",), 0, UNKNOWN, line)
    size = wanted.flash.size
    altered: list[str] = []
    if sha256(flash[:size]) != wanted.flash.sha256:
        altered = _different(flash[:size], uf2) or ["the image"]
    signed = find_signature(flash)
    if signed is not None and not signed.good:
        altered.append("its signature for the boot ROM")
    begin, end = wanted.cells or (size, size)
    behind = flash[size:begin] + ERASED * (end - begin) + flash[end:]
    extra = _ranges([at for at in range(0, len(behind), BLOCK) if behind[at : at + BLOCK].strip(ERASED)], size)
    note = _age_note(identity, wanted)
    key = signed.fingerprint if signed is not None and signed.good else ""
    interpreter = ALTERED if altered else SAME
    return Finding(tuple(altered), (), tuple(extra), size // BLOCK, interpreter, line, key, note)


def whole_flash(data: bytes, release: BoardRelease) -> bytes:
    """A flash as it was read back, up to its last byte; refused if some of it is missing."""
    size = chip_of(release.config).flash_bytes
    if data[:4] == UF2_BEGIN:
        data = flash_of_uf2(data)
        data += ERASED * (size - len(data))
    if len(data) != size:
        raise ImageError(
            f"{len(data)} bytes; the flash of this board has {size}.",
            "Read all of it: hold BOOTSEL at power-up, then picotool save -a FILE.",
        )
    return data


def _different(flash: bytes, uf2: bytes | None) -> list[str]:
    if uf2 is None:
        return []
    right = whole_sectors(uf2)
    return _ranges([at for at in range(0, len(right), BLOCK) if flash[at : at + BLOCK] != right[at : at + BLOCK]], 0)


def _ranges(sectors: list[int], offset: int) -> list[str]:
    """Sectors that follow each other as one range of addresses."""
    ranges: list[list[int]] = []
    for at in sectors:
        if ranges and ranges[-1][1] == at:
            ranges[-1][1] = at + BLOCK
        else:
            ranges.append([at, at + BLOCK])
    start = FLASH_START + offset
    return [f"flash {start + begin:#010x} to {start + end - 1:#010x}" for begin, end in ranges]


def _age_note(identity: Identity, wanted: ImageEntry) -> str:
    released = find_identity(f"{wanted.identity}\n".encode("ascii"))
    if released is None or released.age == identity.age:
        return ""
    order = "NEWER" if identity.age > released.age else "OLDER"
    return f"the device has {identity.version}, rollback {identity.rollback}: {order} than the release"


def interpreter_of(release: BoardRelease, front: bytes) -> str:
    """Whether MicroPython is the one of the release, and nothing hides between it and the file system."""
    wanted = release.interpreter
    if wanted is None:
        return UNKNOWN
    same = sha256(front[: wanted.size]) == wanted.sha256 and not front[wanted.size :].strip(ERASED)
    return SAME if same else ALTERED


def folder_files(folder: Path) -> dict[str, OnDevice]:
    """The files below a folder, as if it were a device."""
    if not folder.is_dir():
        raise ImageError(f"{folder} is not a folder.", "Name a folder with the files of one device.")
    there: dict[str, OnDevice] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        with os_errors_as(ImageError, f"cannot read {path}", "Check your permission."):
            if path.is_symlink():
                raise ImageError(f"{path} is a link.", "Copy the files themselves.")
            if path.is_dir():
                there[name] = OnDevice(-1, "")
            else:
                data = read_regular(path, FILE_BYTES_MAX)
                there[name] = OnDevice(len(data), sha256(data))
    return there


def _right(there: OnDevice, entry: Entry) -> bool:
    return (there.size, there.sha256) == (entry.size, entry.sha256)


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
