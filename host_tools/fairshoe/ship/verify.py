"""What a device has, against what its release says it should have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairshoe.files import read_regular
from fairshoe.ship.device import OnDevice
from fairshoe.ship.faults import ImageError
from fairshoe.ship.image import ERASED, Image
from fairshoe.ship.manifest import FILE_BYTES_MAX, BoardRelease, Entry, sha256

SAME, ALTERED, UNKNOWN = "same", "altered", "not compared"


@dataclass(frozen=True)
class Finding:
    """What was compared and what came of it. `interpreter` is one of SAME, ALTERED and UNKNOWN."""

    altered: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    compared: int
    interpreter: str

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


def compare_image(release: BoardRelease, image: Image) -> Finding:
    there = {name: OnDevice(len(data), sha256(data)) for name, data in image.files.items()}
    there |= {name: OnDevice(-1, "") for name in image.folders}
    return compare(release, there, interpreter_of(release, image.front))


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
        try:
            if path.is_symlink():
                raise ImageError(f"{path} is a link.", "Copy the files themselves.")
            if path.is_dir():
                there[name] = OnDevice(-1, "")
            else:
                data = read_regular(path, FILE_BYTES_MAX)
                there[name] = OnDevice(len(data), sha256(data))
        except OSError as error:
            raise ImageError(f"cannot read {path}: {error.strerror or error}.", "Check your permission.") from error
    return there


def _right(there: OnDevice, entry: Entry) -> bool:
    return (there.size, there.sha256) == (entry.size, entry.sha256)


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
