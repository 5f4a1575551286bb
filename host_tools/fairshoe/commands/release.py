"""`fairshoe firmware release`: build, sign and list the files of boards as a release."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fairshoe.errors import UsageError
from fairshoe.files import read_regular
from fairshoe.printable import printable, say
from fairshoe.ship import manifest, signing
from fairshoe.ship.build import Built, build
from fairshoe.ship.errors import ImageError, ManifestError
from fairshoe.ship.flash_image import read_bytes, whole_sectors
from fairshoe.ship.game_fit import check_with_game
from fairshoe.ship.release_images import check_origin, images_of, refuse_unflashable
from fairshoe.ship.verify import folder_files
from fairshoe.text.progress import Progress


def run(options: argparse.Namespace) -> int:
    if options.action == "keygen":
        public = signing.make_key(Path(options.path))
        say(f"{printable(options.path)} signs releases: lock it away")
        say(f"{printable(options.path)}.pub checks them: give it to those who verify devices")
        say(f"  {public}")
        return 0
    if options.action == "sign":
        public = signing.sign(Path(options.release), signing.read_signing_key(Path(options.key)))
        release = manifest.read_manifest(Path(options.release))
        say(f"signed: fairshoe {printable(release.version)} for {', '.join(sorted(release.boards))}")
        say(f"  key {public}\n  manifest {manifest.sha256(release.raw)}")
        return 0
    return _build(options)


def _build(options: argparse.Namespace) -> int:
    from firmware.version import VERSION_TEXT

    progress = Progress()
    out = Path(options.out)
    _check_empty(out)
    builds: list[Built] = []
    for board in dict.fromkeys(options.board):
        check_with_game(board, options.game)
        progress.say(f"building {board} ...")
        builds.append(build(board, game=options.game))
    names = [str(built.config["name"]) for built in builds]
    if len(set(names)) != len(names):
        raise UsageError(f"two boards have one name: {', '.join(names)}.", "Change `name` in one of the configs.")
    interpreters: dict[str, manifest.Entry] = {}
    if options.micropython:
        entry = interpreter_entry(Path(options.micropython))
        interpreters = dict.fromkeys(names, entry)
    uf2s = [read_bytes(Path(path)) for path in options.image]
    for path, uf2 in zip(options.image, uf2s, strict=True):
        check_origin(Path(path), uf2)
    images = images_of(uf2s, builds, VERSION_TEXT.decode())
    refuse_unflashable(builds, images)
    entries = {name: entry for name, (entry, _uf2) in images.items()}
    parts = read_parts(Path(options.parts)) if options.parts else {}
    raw = manifest.make_manifest(builds, VERSION_TEXT.decode(), interpreters, entries, parts)
    try:
        release = manifest.parse_manifest(raw)
    except ManifestError as error:
        raise ManifestError(f"{options.parts} has a file that no release can have.", _NAMES) from error
    files = {**parts, manifest.SUMS: release.sums()}
    for built in builds:
        files |= {f"{built.config['name']}/{name}": data for name, data in built.files.items()}
    files |= {manifest.image_file(name): uf2 for name, (_entry, uf2) in images.items()}
    try:
        for name, data in {**files, manifest.NAME: raw}.items():  # the manifest last: a folder without it is no release
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(data)
    except OSError as error:
        raise ManifestError(f"cannot write {error.filename}: {error.strerror}.", "Choose another folder.") from error
    if options.json:
        words = {"release": str(out), "manifest": manifest.sha256(raw), "source": release.source, "boards": names}
        say(json.dumps(words, indent=1))
    else:
        say(f"{printable(str(out))}: fairshoe {printable(release.version)} for {', '.join(names)}, not signed yet")
        say(f"  manifest {manifest.sha256(raw)}\n  source   {release.source}\n  compiler {release.compiler}")
    return 0


_NAMES = "Names have letters, digits, dot, dash and underscore; none is that of a board's file or of the manifest."


def read_parts(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name there."""
    names = [name for name, it in folder_files(folder).items() if it.size >= 0]
    return {name: read_regular(folder / name, manifest.FILE_BYTES_MAX) for name in names}


def interpreter_entry(path: Path) -> manifest.Entry:
    """What MicroPython is in the flash. Boot ROMs write whole sectors: what is behind its last byte there is erased."""
    try:
        flash = whole_sectors(read_bytes(path))
    except ImageError as error:
        raise ImageError(f"{path}: {error.what}", "Name the .uf2 file of MicroPython that the devices have.") from error
    return manifest.Entry(len(flash), manifest.sha256(flash))


def _check_empty(out: Path) -> None:
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise ManifestError(f"{out} is there already.", "A release is never overwritten: name a new folder.")
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ManifestError(f"cannot use {out}: {error.strerror or error}.", "Choose another folder.") from error
