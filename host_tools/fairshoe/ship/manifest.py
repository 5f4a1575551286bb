"""A release as a signed list: which files each board gets, by size and hash, what else comes with it, and what all of
it was built from.

The signature is over the bytes of manifest.json as they are, and those must be the only way to write down what they
say: one signature must not cover two meanings.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fairshoe import __version__, _device
from fairshoe.files import read_regular
from fairshoe.os_errors import os_errors_as
from fairshoe.ship.build import Built
from fairshoe.ship.errors import ManifestError
from fairshoe.ship.flash import MICROPYTHON
from fairshoe.ship.identity import find_identity
from fairshoe.ship.mpy_compile import compiler_version

FORMAT = "fairshoe release 1"
NAME = "manifest.json"
SUMS = "SHA256SUMS"  # of every file of a release, for those who have no more than sha256sum
NEEDED = ("board.json", "main.py", "words.txt")
_SOURCES = ("board_configs", "firmware", "game_profiles", "hal", "rig")
_SUFFIXES = (".py", ".json", ".c", ".h", ".cmake")  # the last three: the board definition of images
_SHA = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")  # as the schema of board configs has it
_PATH = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")
_WORDS = ("version", "firmware", "source", "compiler")
_TEXT = re.compile(r"[ -~]{1,200}")  # they are printed before anything is known about who wrote them
MANIFEST_BYTES_MAX = 4 << 20
FILE_BYTES_MAX = 64 << 20  # more than any flash that runs this


@dataclass(frozen=True)
class Entry:
    """A file as it has to be."""

    size: int
    sha256: str


@dataclass(frozen=True)
class ImageEntry:
    """A release image: its part of the flash in whole sectors, the hash of its UF2, what it says about itself, and
    which part of the flash holds the device's own storage, if that is there: first byte and the one after the last."""

    flash: Entry
    uf2: str
    identity: str
    cells: tuple[int, int] | None = None


@dataclass(frozen=True)
class BoardRelease:
    """What one board gets. `interpreter` is MicroPython's part of the flash, if the release names it; `image` is the
    image of the board, if the release has one: a device has either the files or the image."""

    name: str
    config: Mapping[str, Any]
    files: Mapping[str, Entry]
    interpreter: Entry | None
    image: ImageEntry | None = None


@dataclass(frozen=True)
class Manifest:
    """A release. `parts` are files beside those of the boards: programs, pages, notes. `raw` is what is signed."""

    version: str
    firmware: str
    source: str
    compiler: str
    boards: Mapping[str, BoardRelease]
    raw: bytes
    parts: Mapping[str, Entry] = field(default_factory=dict[str, Entry])

    def hashes(self) -> dict[str, str]:
        """Every file of the release folder but those about it: manifest, signatures and sums."""
        found = {name: entry.sha256 for name, entry in self.parts.items()}
        for board in self.boards.values():
            found |= {f"{board.name}/{name}": entry.sha256 for name, entry in board.files.items()}
            if board.image is not None:
                found[image_file(board.name)] = board.image.uf2
        return found

    def sums(self) -> bytes:
        """What SHA256SUMS has, as `sha256sum` writes it."""
        every = {**self.hashes(), NAME: sha256(self.raw)}
        return "".join(f"{digest}  {name}\n" for name, digest in sorted(every.items())).encode()


def make_manifest(
    builds: list[Built],
    firmware: str,
    interpreters: Mapping[str, Entry],
    images: Mapping[str, ImageEntry] | None = None,
    parts: Mapping[str, bytes] | None = None,
) -> bytes:
    """The manifest of these builds, as bytes; the same for the same sources, wherever and whenever it is made."""
    boards: dict[str, Any] = {}
    for built in builds:
        files = _entries(built.files)
        boards[built.config["name"]] = {"mcu": built.config["mcu"], "files": files}
        interpreter = interpreters.get(built.config["name"])
        if interpreter is not None:
            boards[built.config["name"]]["interpreter"] = {"size": interpreter.size, "sha256": interpreter.sha256}
        image = (images or {}).get(built.config["name"])
        if image is not None:
            boards[built.config["name"]]["image"] = asdict(image)
    return canonical(
        {
            "format": FORMAT,
            "version": __version__,
            "firmware": firmware,
            "source": source_hash(),
            "compiler": compiler_version(),
            "micropython": [".".join(map(str, release)) for release in MICROPYTHON],
            "boards": boards,
            **({"parts": _entries(parts)} if parts else {}),
        }
    )


def _entries(files: Mapping[str, bytes]) -> dict[str, dict[str, int | str]]:
    return {name: {"size": len(data), "sha256": sha256(data)} for name, data in files.items()}


def canonical(value: object) -> bytes:
    return (json.dumps(value, sort_keys=True, indent=1, ensure_ascii=True) + "\n").encode()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def source_hash() -> str:
    """Over everything that the files of a device are made from: sources, configs, games, and the way to ship them."""
    root = _device.root()
    places = {path.relative_to(root).as_posix(): path for top in _SOURCES for path in (root / top).rglob("*")}
    here = Path(__file__).parent
    places |= {f"ship/{path.relative_to(here).as_posix()}": path for path in here.rglob("*")}
    total = hashlib.sha256()
    for name, path in sorted(places.items()):
        if path.is_file() and path.suffix in _SUFFIXES:
            total.update(f"{sha256(path.read_bytes())} {name}\n".encode())
    return total.hexdigest()


# --- reading one -------------------------------------------------------------------------------


def find_manifest(path: Path) -> Path:
    """A release folder, or the file itself."""
    return path / NAME if path.is_dir() else path


def read_manifest(path: Path) -> Manifest:
    path = find_manifest(path)
    with os_errors_as(ManifestError, f"cannot read {path}", "Name a release folder or its manifest.json."):
        raw = read_regular(path, MANIFEST_BYTES_MAX)
    try:
        return parse_manifest(raw)
    except ManifestError as error:
        raise ManifestError(f"{path}: {error.what}", error.advice) from error


def parse_manifest(raw: bytes) -> Manifest:
    """From bytes; refuses whatever it does not understand, and every other spelling of the same."""
    advice = "Get the release again from its maker."
    if len(raw) > MANIFEST_BYTES_MAX:
        raise ManifestError("too large for a manifest.", advice)
    try:
        value = json.loads(raw)
        if value["format"] != FORMAT:
            raise ManifestError(f"its format is {value['format']!r}, this tool knows {FORMAT!r}.", "Update this tool.")
        if canonical(value) != raw:
            raise ManifestError("not written as a release writes it.", advice)
        boards = {name: _board(name, board) for name, board in value["boards"].items()}
        version, firmware, source, compiler = (_text(value[word]) for word in _WORDS)
        parts = _files(value.get("parts", {}))
        release = Manifest(version, firmware, source, compiler, boards, raw, parts)
        count = len(parts) + sum(len(board.files) + (board.image is not None) for board in boards.values())
        if len(release.hashes()) != count or {NAME, SUMS} & set(parts):
            raise ValueError("one name for two files")
        return release
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ManifestError("not a release manifest.", advice) from error


def _files(files: Any) -> dict[str, Entry]:
    wrong = [path for path in files if not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/"))]
    if wrong:
        raise ValueError("a name that no release has")
    return {path: _entry(entry) for path, entry in files.items()}


def _board(name: str, board: Any) -> BoardRelease:
    files = _files(board["files"])
    # The name is that of a folder too.
    if not files or not _NAME.fullmatch(name):
        raise ValueError("a name that no release has, or no files")
    interpreter = board.get("interpreter")
    config = {"name": name, "mcu": {word: str(board["mcu"][word]) for word in ("port", "board")}}
    image = board.get("image")
    return BoardRelease(
        name,
        config,
        files,
        None if interpreter is None else _entry(interpreter),
        None if image is None else _image(image),
    )


def _image(image: Any) -> ImageEntry:
    identity = _text(image["identity"])
    if find_identity(f"{identity}\n".encode("ascii")) is None or not _SHA.fullmatch(image["uf2"]):
        raise ValueError("not an identity and a hash")
    cells = image["cells"]
    if cells is not None:
        begin, end = (_entry({"size": each, "sha256": "0" * 64}).size for each in cells)
        cells = begin, end
    return ImageEntry(_entry(image["flash"]), image["uf2"], identity, cells)


def _text(value: Any) -> str:
    if not _TEXT.fullmatch(value):
        raise ValueError("not a text in printable ASCII")
    return str(value)


def _entry(entry: Any) -> Entry:
    size, sha = entry["size"], entry["sha256"]
    possible = isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= FILE_BYTES_MAX
    if not possible or not _SHA.fullmatch(sha):
        raise ValueError("not a size and a hash")
    return Entry(size, sha)


def pick_board(manifest: Manifest, name: str | None) -> BoardRelease:
    """The board that is meant; it need not be said where there is only one."""
    if not manifest.boards:
        raise ManifestError("the release has no boards.", "Get the release again from its maker.")
    known = ", ".join(sorted(manifest.boards))
    if name is None and len(manifest.boards) == 1:
        return next(iter(manifest.boards.values()))
    if name is None:
        raise ManifestError(f"the release has several boards: {known}.", "Say which with --board.")
    if name not in manifest.boards:
        raise ManifestError(f"the release has no board {name!r}; it has {known}.", "Choose one with --board.")
    return manifest.boards[name]


def released_files(path: Path, board: BoardRelease) -> dict[str, bytes]:
    """The files of a board beside the manifest, each held against it."""
    folder = find_manifest(path).parent / board.name
    lacking = [name for name in NEEDED if name not in board.files]
    if lacking:
        raise ManifestError(f"the release has no {', '.join(lacking)} for {board.name}.", "It is not one for a device.")
    files: dict[str, bytes] = {}
    for name, entry in board.files.items():
        with os_errors_as(ManifestError, f"cannot read {folder / name}", "Get the whole release again."):
            data = read_regular(folder / name, FILE_BYTES_MAX)
        if (len(data), sha256(data)) != (entry.size, entry.sha256):
            raise ManifestError(f"{folder / name} is not the file of the manifest.", "Get the whole release again.")
        files[name] = data
    return files


def image_file(name: str) -> str:
    """What the image of a board is called in a release folder, beside the manifest."""
    return f"{name}.uf2"


def released_image(path: Path, board: BoardRelease) -> bytes | None:
    """The UF2 of a board's image if it lies beside the manifest and is the one that the manifest names."""
    try:
        data = read_regular(find_manifest(path).parent / image_file(board.name), FILE_BYTES_MAX)
    except OSError:
        return None
    return data if board.image is not None and sha256(data) == board.image.uf2 else None
